/* SPDX-License-Identifier: MIT */
/*
 * The control groups that threads are in, for whoever keeps what a filter says of them
 * (filter/cgroups.h) instead of comparing each event.
 */
#ifndef SINSP_STATE_CGROUPS_H
#define SINSP_STATE_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct state;
struct state_cgroups;

/*
 * A number that grows when a thread comes into groups that none was in, when groups turn out to be
 * of a container, and when a container or its pod is described: cheap enough for each event.
 */
uint64_t state_revision(const struct state *state);

/*
 * The number of groups, since the start, that were removed from the state because no thread is in
 * them any more. Their changes are not visited.
 */
uint64_t state_cgroups_forgotten(const struct state *state);

/*
 * Calls `visit` for the groups that this happened to after the revision `since`; 0: for all. Groups
 * that the last thread left are not visited; nothing is valid after the next event.
 */
void state_visit_cgroups(const struct state *state, uint64_t since,
			 void (*visit)(const struct state_cgroups *cgroups, void *context),
			 void *context);

/* The groups, "name=/path" and a NUL each, as long as they are valid. */
const char *state_cgroups_text(const struct state_cgroups *cgroups, size_t *len);

/* Whether they are of a container whose description was asked for, or will be, and has not come. */
bool state_cgroups_await_container(const struct state_cgroups *cgroups);

/* Whether they are of a container whose users are not known yet, but will be. */
bool state_cgroups_await_users(const struct state *state, const struct state_cgroups *cgroups);

/* Whether they are of a container in a pod that the API of Kubernetes has not described. */
bool state_cgroups_await_pod(const struct state_cgroups *cgroups);

#endif
