/* SPDX-License-Identifier: MIT */
/*
 * Names of containers and pods for the profiles that are taken all the time: what the files of
 * runtimes say, those that root alone can write. Nobody is asked.
 */
#ifndef AGENT_CONTINUOUS_CONTAINER_NAMES_H
#define AGENT_CONTINUOUS_CONTAINER_NAMES_H

#include "profile/stacks.h"

struct container_names;

/* host_root: the prefix of all paths; borrowed; NULL: none. NULL if out of memory. */
struct container_names *container_names_create(const char *host_root);
void container_names_destroy(struct container_names *names); /* accepts NULL */

/*
 * What is known of the container with an id, as profiles have it: only that if it has a user behind
 * it. Texts are valid until the next call.
 */
struct stack_container container_names_find(struct container_names *names, const char *id);

/* Names the containers of all processes of a set. Returns 0 or -ENOMEM. */
int container_names_set(struct container_names *names, struct stacks *stacks);

#endif
