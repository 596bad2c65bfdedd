/* SPDX-License-Identifier: MIT */
/* Loads threads and descriptors from /proc or a capture, and containers, into the tables. */
#ifndef SINSP_STATE_LOAD_H
#define SINSP_STATE_LOAD_H

#include "sinsp/state/core.h"

/* Adds one thread, or one descriptor; replaces an existing one. NULL if out of memory. */
struct sinsp_thread *state_load_thread(struct sinsp *sinsp, const struct scap_thread *from);
struct sinsp_fd *state_load_fd(struct sinsp *sinsp, struct sinsp_fds *fds,
			       const struct scap_fd *from);

/* Takes a description of a container, or counts that it cannot be taken. */
void state_load_container(struct sinsp *sinsp, const char *json, size_t len);

/* The first `max` descriptors that /proc shows of a thread. */
void state_load_fds(struct sinsp *sinsp, struct sinsp_thread *thread, unsigned int max);

/* To be called after loading: a listening socket may be loaded after connections to it. */
void state_correct_roles(struct sinsp *sinsp);

#endif
