/* SPDX-License-Identifier: MIT */
/*
 * What the thread of an output has to say: whether it delivers, and if not why. The agent asks for
 * it from time to time, and prints it.
 */
#ifndef OUTPUT_DELIVERY_DELIVERY_STATUS_H
#define OUTPUT_DELIVERY_DELIVERY_STATUS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct delivery_status {
	pthread_mutex_t lock;
	bool is_failing, was_failing; /* now; when it was last asked for */
	bool failed; /* since it was last asked for */
	uint64_t
		failed_ns; /* monotonic: when a failure that was over was last reported; 0: never */
	struct error err; /* of the last failure */
};

enum delivery_status_kind {
	DELIVERY_STATUS_NONE,
	DELIVERY_STATUS_FAILS,
	DELIVERY_STATUS_WORKS, /* again */
	DELIVERY_STATUS_FAILED, /* and works again: at most one a minute */
};

/* Returns 0 or -errno. */
int delivery_status_init(struct delivery_status *status);
void delivery_status_finish(struct delivery_status *status);

/* Nothing has failed. */
void delivery_status_forget(struct delivery_status *status);

/* err: NULL: it works. */
void delivery_status_set(struct delivery_status *status, const struct error *err);

/* What has changed since the last call; `err` is set if it fails, or failed. */
enum delivery_status_kind delivery_status_take(struct delivery_status *status, uint64_t now_ns,
					       struct error *err);

/* Whether it fails now. */
bool delivery_status_is_failing(struct delivery_status *status, struct error *err);

#endif
