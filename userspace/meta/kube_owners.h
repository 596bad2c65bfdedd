/* SPDX-License-Identifier: MIT */
/*
 * Workloads of pods on other nodes: a thread that asks the API server for the metadata of single
 * pods, as the event thread wants them. Requests are few: those beyond a rate wait, those beyond a
 * queue are rejected and counted.
 */
#ifndef META_KUBE_OWNERS_H
#define META_KUBE_OWNERS_H

#include "meta/kube_config.h"
#include "meta/sink.h"

enum {
	KUBE_OWNERS_QUEUE = 64, /* pods that wait */
	KUBE_OWNERS_BURST = 30, /* requests in a row, if there were none for long; */
	KUBE_OWNERS_EACH_S = 2, /* then one each time */
};

/* A pod; its texts are borrowed. */
struct kube_pod_name {
	const char *uid, *ns, *name;
};

/*
 * The configuration is copied, the texts it refers to are not. Updates are of META_POD_OWNER.
 * Returns 0, or -errno with a message.
 */
int kube_owners_create(const struct kube_config *config, struct meta_follower **follower,
		       struct error *err);

/*
 * From any thread, without a wait: asks for a pod. Returns 0; -EINVAL: no pod can have such names;
 * -EAGAIN: too many wait.
 */
int kube_owners_ask(struct meta_follower *follower, const struct kube_pod_name *pod);

#endif
