/* SPDX-License-Identifier: MIT */
/* Starts and ends the threads; the event thread's side of the queues. */
#include "meta/meta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "meta/sink.h"
#include "meta/stage.h"
#include "util/clock.h"

enum { NS_PER_MS = 1000000, THREADS_MAX = 1 + META_FOLLOWERS_MAX };

struct meta {
	struct meta_sink *sink; /* a reference */
	struct meta_requests *requests; /* a reference */
	struct meta_thread *threads[THREADS_MAX]; /* owned: that for requests, then the followers */
	size_t threads_count;
	uint32_t pending, pending_max;
};

int meta_create(struct meta_source *source, uint32_t requests_max, struct meta **result,
		struct error *err)
{
	struct meta *meta = calloc(1, sizeof(*meta));
	int code;

	if (meta) {
		meta->pending_max = requests_max ? requests_max : META_REQUESTS_MAX;
		meta->sink = meta_sink_create();
		meta->requests = meta_requests_create();
	}
	if (!meta || !meta->sink || !meta->requests) {
		meta_source_destroy(source);
		meta_destroy(meta);
		return error_set(err, -ENOMEM, "out of memory");
	}
	code = meta_stage_start(source, meta->requests, meta->sink, &meta->threads[0]);
	if (code) {
		meta_destroy(meta);
		return error_set(err, code,
				 "starting the thread for descriptions of containers: %s",
				 strerror(-code));
	}
	meta->threads_count = 1;
	*result = meta;
	return 0;
}

/* What the thread of a follower has. */
struct following {
	struct meta_follower *follower; /* owned */
	struct meta_sink *sink; /* a reference */
};

static void following_run(void *context)
{
	struct following *following = context;

	following->follower->ops->run(following->follower, following->sink);
}

static void following_stop(void *context)
{
	struct following *following = context;

	following->follower->ops->stop(following->follower);
}

static void following_destroy(void *context)
{
	struct following *following = context;

	following->follower->ops->destroy(following->follower);
	meta_sink_unref(following->sink);
	free(following);
}

int meta_follow(struct meta *meta, struct meta_follower *follower, struct error *err)
{
	static const struct meta_thread_ops ops = {following_run, following_stop,
						   following_destroy};
	bool has_room = meta->threads_count < THREADS_MAX;
	struct following *following = has_room ? malloc(sizeof(*following)) : NULL;
	int code = has_room ? -ENOMEM : -E2BIG;

	if (following) {
		*following = (struct following){follower, meta_sink_ref(meta->sink)};
		code = meta_thread_start(&ops, following, &meta->threads[meta->threads_count]);
	} else {
		follower->ops->destroy(follower);
	}
	if (code)
		return error_set(err, code, "starting a thread: %s", strerror(-code));
	meta->threads_count++;
	return 0;
}

void meta_destroy(struct meta *meta)
{
	uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)META_END_MS * NS_PER_MS;

	if (!meta)
		return;
	if (meta->sink)
		meta_sink_close(meta->sink);
	for (size_t i = 0; i < meta->threads_count; i++)
		meta_thread_stop(meta->threads[i]);
	for (size_t i = 0; i < meta->threads_count; i++)
		meta_thread_end(meta->threads[i], deadline_ns);
	meta_requests_unref(meta->requests);
	if (meta->sink)
		meta_sink_unref(meta->sink);
	free(meta);
}

int meta_request(struct meta *meta, const struct meta_request *request)
{
	bool has_room = meta->pending < meta->pending_max;
	struct meta_asked *asked = has_room ? meta_asked_create(request) : NULL;

	if (!asked) {
		meta_count(meta->sink, META_REJECTED, 1);
		return has_room ? -ENOMEM : -EAGAIN;
	}
	meta_count(meta->sink, META_REQUESTS, 1);
	meta->pending++;
	meta_requests_add(meta->requests, asked);
	return 0;
}

bool meta_is_ready(const struct meta *meta)
{
	return meta_sink_is_ready(meta->sink);
}

struct meta_update *meta_take(struct meta *meta)
{
	struct meta_update *update = meta_sink_take(meta->sink);

	meta->pending -= update && update->is_answer;
	return update;
}

bool meta_wait(struct meta *meta, uint64_t timeout_ns)
{
	return meta_sink_wait(meta->sink, timeout_ns);
}

uint32_t meta_pending(const struct meta *meta)
{
	return meta->pending;
}

void meta_stats(const struct meta *meta, struct meta_stats *stats)
{
	for (int counter = 0; counter < META_COUNTERS; counter++)
		stats->counts[counter] = meta_sink_counter(meta->sink, counter);
}
