/* SPDX-License-Identifier: MIT */
/* The pods of this node during a run: whether they are followed, and by what. */
#ifndef AGENT_RUN_PODS_H
#define AGENT_RUN_PODS_H

#include "agent/options/options.h"
#include "meta/meta.h"

/*
 * Starts to follow the pods; sets `follower`, which `meta` owns, to NULL if this machine is no node
 * of Kubernetes, or none of which the user wants pods. Returns 0 or -errno with a message.
 */
int pods_follow(const struct options *options, struct meta *meta, struct meta_follower **follower,
		struct error *err);

/* A new container is one of a pod. */
void pods_hurry(struct meta_follower *follower);

#endif
