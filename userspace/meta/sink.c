/* SPDX-License-Identifier: MIT */
/* The queue of updates between the threads of meta.h and the event thread. */
#include "meta/sink.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "meta/requests.h"
#include "util/clock.h"
#include "util/waker.h"

struct meta_update *meta_update_create(enum meta_kind kind, const char *id)
{
	struct meta_update *update = calloc(1, sizeof(*update));

	if (!update)
		return NULL;
	update->kind = kind;
	update->id = id ? strdup(id) : NULL;
	if (!id || update->id)
		return update;
	free(update);
	return NULL;
}

void meta_update_destroy(struct meta_update *update)
{
	if (!update)
		return;
	state_container_info_destroy(update->info);
	state_pod_info_destroy(update->pod);
	state_service_info_destroy(update->service);
	state_container_users_destroy(update->users);
	free(update->id);
	free(update);
}

enum { NS_PER_US = 1000 };

struct meta_sink {
	atomic_uint refs;
	atomic_bool ready; /* there are updates */
	atomic_uint_fast64_t counters[META_COUNTERS];
	atomic_uint_fast64_t times[META_TIMES];
	pthread_mutex_t lock; /* for all below */
	pthread_cond_t filled, emptied;
	struct meta_update *first, *last;
	uint32_t pushed; /* of these */
	bool closed;
	const struct waker *waker; /* borrowed until `closed`; NULL: none */
};

struct meta_sink *meta_sink_create(void)
{
	struct meta_sink *sink = calloc(1, sizeof(*sink));

	if (!sink)
		return NULL;
	atomic_init(&sink->refs, 1);
	pthread_mutex_init(&sink->lock, NULL);
	meta_cond_init(&sink->filled);
	meta_cond_init(&sink->emptied);
	return sink;
}

struct meta_sink *meta_sink_ref(struct meta_sink *sink)
{
	atomic_fetch_add(&sink->refs, 1);
	return sink;
}

void meta_sink_unref(struct meta_sink *sink)
{
	struct meta_update *update;

	if (atomic_fetch_sub(&sink->refs, 1) > 1)
		return;
	while ((update = meta_sink_take(sink)))
		meta_update_destroy(update);
	pthread_cond_destroy(&sink->filled);
	pthread_cond_destroy(&sink->emptied);
	pthread_mutex_destroy(&sink->lock);
	free(sink);
}

void meta_sink_set_waker(struct meta_sink *sink, const struct waker *waker)
{
	sink->waker = waker;
}

void meta_sink_close(struct meta_sink *sink)
{
	pthread_mutex_lock(&sink->lock);
	sink->closed = true;
	pthread_cond_broadcast(&sink->emptied);
	pthread_mutex_unlock(&sink->lock);
}

void meta_count(struct meta_sink *sink, enum meta_counter counter, uint64_t more)
{
	atomic_fetch_add_explicit(&sink->counters[counter], more, memory_order_relaxed);
}

uint64_t meta_sink_counter(struct meta_sink *sink, enum meta_counter counter)
{
	return atomic_load_explicit(&sink->counters[counter], memory_order_relaxed);
}

void meta_sink_count_time(struct meta_sink *sink, uint64_t ns)
{
	unsigned int power = 0;

	while (power < META_TIMES - 1 && ns / NS_PER_US >= UINT64_C(1) << power)
		power++;
	atomic_fetch_add_explicit(&sink->times[power], 1, memory_order_relaxed);
}

uint64_t meta_sink_time(struct meta_sink *sink, unsigned int power)
{
	return atomic_load_explicit(&sink->times[power], memory_order_relaxed);
}

static void sink_append(struct meta_sink *sink, struct meta_update *update)
{
	update->next = NULL;
	*(sink->last ? &sink->last->next : &sink->first) = update;
	sink->last = update;
	sink->pushed += !update->is_answer;
	atomic_store(&sink->ready, true);
	pthread_cond_signal(&sink->filled);
	if (!sink->closed)
		waker_wake(sink->waker);
}

void meta_sink_answer(struct meta_sink *sink, struct meta_update *answer)
{
	answer->is_answer = true;
	pthread_mutex_lock(&sink->lock);
	sink_append(sink, answer);
	pthread_mutex_unlock(&sink->lock);
}

int meta_post(struct meta_sink *sink, struct meta_update *update)
{
	bool closed;

	if (!update) {
		meta_count(sink, META_PUSHES_LOST, 1);
		return -ENOMEM;
	}
	update->is_answer = false;
	pthread_mutex_lock(&sink->lock);
	while (!sink->closed && sink->pushed >= META_SINK_PUSHED_MAX)
		pthread_cond_wait(&sink->emptied, &sink->lock);
	closed = sink->closed;
	if (!closed)
		sink_append(sink, update);
	pthread_mutex_unlock(&sink->lock);
	if (closed) {
		meta_update_destroy(update);
		return -ECANCELED;
	}
	meta_count(sink, META_PUSHED, 1);
	return 0;
}

bool meta_sink_is_ready(const struct meta_sink *sink)
{
	return atomic_load_explicit(&sink->ready, memory_order_relaxed);
}

struct meta_update *meta_sink_take(struct meta_sink *sink)
{
	struct meta_update *update;

	pthread_mutex_lock(&sink->lock);
	update = sink->first;
	if (update) {
		sink->first = update->next;
		if (!sink->first)
			sink->last = NULL;
		if (!update->is_answer) {
			sink->pushed--;
			pthread_cond_signal(&sink->emptied);
		}
	}
	atomic_store(&sink->ready, sink->first != NULL);
	pthread_mutex_unlock(&sink->lock);
	return update;
}

bool meta_sink_wait(struct meta_sink *sink, uint64_t timeout_ns)
{
	uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + timeout_ns;
	bool found;

	pthread_mutex_lock(&sink->lock);
	while (!sink->first && meta_cond_wait(&sink->filled, &sink->lock, deadline_ns) == 0)
		;
	found = sink->first != NULL;
	pthread_mutex_unlock(&sink->lock);
	return found;
}
