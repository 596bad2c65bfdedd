/* SPDX-License-Identifier: MIT */
/*
 * Descriptions and users of containers, and pods of this node, during a run: requests them, stores
 * the answers in the state, and delays the event that needs them until they are there, for a while.
 */
#ifndef AGENT_RUN_CONTAINERS_H
#define AGENT_RUN_CONTAINERS_H

#include "agent/options/options.h"
#include "agent/input/account.h"
#include "agent/input/input.h"
#include "meta/meta.h"
#include "sinsp/sinsp.h"
#include "util/error.h"

struct containers;

/*
 * Requests users of the containers that are there, and waits for them as for those of new ones. All
 * parameters are borrowed. Returns 0 or -errno with a message.
 */
int containers_create(const struct options *options, struct state *state, struct input *input,
		      struct containers **containers, struct error *err);

/*
 * Requests descriptions, too, from now on, and waits for those of the containers that are there.
 * Returns 0 or -errno with a message.
 */
int containers_describe(struct containers *containers, struct error *err);

void containers_destroy(struct containers *containers); /* accepts NULL */

/* Follows the pods of this node, too, if it is one of Kubernetes. Returns 0 or -errno with a
 * message. */
int containers_follow_pods(struct containers *containers, struct error *err);

/* Follows the services of the cluster, too, if an API server is asked. Returns the same. */
int containers_follow_services(struct containers *containers, struct error *err);

/*
 * A request was made of the last event: asks for what is not known of its other end, and will be of
 * the next one.
 */
void containers_meet_peer(struct containers *containers, const struct state_event *event);

/*
 * Stores the answers that came since the last call. To be called before each event, and from time
 * to time while there is none.
 */
void containers_apply(struct containers *containers);

/*
 * Requests descriptions of containers that the event added, and users of those in which it began a
 * program, and waits for them: for the time of --meta-wait, but not while a ring buffer is more
 * than half full, and not if three waits in a row timed out, until the next answer. To be called
 * after state_process().
 */
void containers_follow(struct containers *containers);

void containers_account(const struct containers *containers, struct account_containers *account);

/* The pods of this node during a run: whether they are followed, and by what. */

/*
 * Starts to follow the pods; sets `follower`, which `meta` owns, to NULL if this machine is no node
 * of Kubernetes, or none of which the user wants pods. Returns 0 or -errno with a message.
 */
int container_pods_follow(const struct options *options, struct meta *meta,
			  struct meta_follower **follower, struct error *err);

/*
 * Starts to follow the services of the cluster, and a thread for container_owners_ask(); sets
 * `owners`, which `meta` owns, to NULL if there is no API server to ask.
 */
int container_services_follow(const struct options *options, struct meta *meta,
			      struct meta_follower **owners, struct error *err);

/* Asks for the workload of a pod of another node. Returns whether it is being asked for. */
bool container_owners_ask(struct meta_follower *owners, const struct state_pod *pod);

/* A new container is one of a pod. */
void container_pods_hurry(struct meta_follower *follower);

#endif
