/* SPDX-License-Identifier: MIT */
/*
 * Workloads of pods on other nodes, by the uids of the pods: which were asked for, as somebody
 * talks with them, and what the API said. The owner of a pod stays the same: an answer is not asked
 * for again, and those that are not used for longest give way.
 */
#ifndef SINSP_STATE_CONTAINERS_WORKLOADS_H
#define SINSP_STATE_CONTAINERS_WORKLOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinsp/state/containers/pods.h"
#include "util/pool.h"

enum {
	WORKLOADS_MAX = 4096, /* pods */
	WORKLOADS_TEXT_BYTES_MAX = 254, /* of a name, with a NUL: longer ones are left out */
	WORKLOADS_AGAIN_S = 60, /* a pod without an answer is asked for again */
};

struct workload_entry;

/* A zeroed struct is empty. */
struct workloads {
	struct pool *pool; /* of the texts; to be set */
	struct workload_entry *entries; /* owned; NULL: nobody asked yet */
	uint64_t uses; /* so far */
};

void workloads_finish(struct workloads *workloads);

/* The workload of the pod with that uid; NULL: not known. Valid until the table changes. */
const struct state_workload *workloads_find(const struct workloads *workloads, const char *uid);

/*
 * Somebody talks with a pod. Returns whether it is to be asked for now: it is not known, and was
 * not asked for lately. now_ns: of the events' clock. A uid that is too long cannot be asked for.
 */
bool workloads_want(struct workloads *workloads, const char *uid, uint64_t now_ns);

/* What the API says; without a kind or a name: nothing. Does nothing if nobody wants it any more.
 */
void workloads_set(struct workloads *workloads, const char *uid,
		   const struct state_workload *workload);

#endif
