/* SPDX-License-Identifier: MIT */
/*
 * What the thread of an output has to say: whether it delivers, and if not why. The agent asks for
 * it from time to time, and prints it.
 */
#ifndef OUTPUT_DELIVERY_NEWS_H
#define OUTPUT_DELIVERY_NEWS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct news {
	pthread_mutex_t lock;
	bool is_failing, was_failing; /* now; when it was last asked for */
	bool failed; /* since it was last asked for */
	uint64_t
		failed_ns; /* monotonic: when a failure that was over was last reported; 0: never */
	struct error err; /* of the last failure */
};

enum news_kind {
	NEWS_NONE,
	NEWS_FAILS,
	NEWS_WORKS, /* again */
	NEWS_FAILED, /* and works again: at most one a minute */
};

/* Returns 0 or -errno. */
int news_init(struct news *news);
void news_finish(struct news *news);

/* Nothing has failed. */
void news_forget(struct news *news);

/* err: NULL: it works. */
void news_set(struct news *news, const struct error *err);

/* What has changed since the last call; `err` is set if it fails, or failed. */
enum news_kind news_take(struct news *news, uint64_t now_ns, struct error *err);

/* Whether it fails now. */
bool news_is_failing(struct news *news, struct error *err);

#endif
