/* SPDX-License-Identifier: MIT */
/* The thread, and the queues of requests and answers. */
#include "meta/meta.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"

enum { NS_PER_S = 1000000000, NS_PER_MS = 1000000 };

/* A request, then its answer. */
struct item {
	struct item *next;
	struct meta_request request; /* its texts are owned */
	struct meta_answer answer;
};

struct queue {
	struct item *first, *last;
};

struct meta {
	pthread_t thread;
	pthread_mutex_t lock; /* for all below, except `ready` */
	pthread_cond_t changed; /* monotonic clock */
	struct meta_source *source; /* used by the thread alone */
	struct queue requests, answers;
	uint32_t pending, pending_max;
	struct meta_stats stats;
	bool ending; /* the thread should end */
	bool ended; /* it did: nothing uses `source` any more */
	bool abandoned; /* nobody waits for that: the thread frees everything */
	atomic_bool ready; /* there are answers */
};

static void queue_add(struct queue *queue, struct item *item)
{
	item->next = NULL;
	if (queue->last)
		queue->last->next = item;
	else
		queue->first = item;
	queue->last = item;
}

static struct item *queue_take(struct queue *queue)
{
	struct item *item = queue->first;

	if (!item)
		return NULL;
	queue->first = item->next;
	if (!queue->first)
		queue->last = NULL;
	return item;
}

void meta_answer_finish(struct meta_answer *answer)
{
	sinsp_container_info_destroy(answer->info);
	free(answer->id);
	*answer = (struct meta_answer){0};
}

/* Accepts NULL. */
static void item_destroy(struct item *item)
{
	if (!item)
		return;
	meta_answer_finish(&item->answer);
	free((char *)item->request.bundle);
	free(item);
}

static struct item *item_create(const struct meta_request *request)
{
	struct item *item = calloc(1, sizeof(*item));

	if (!item)
		return NULL;
	item->answer.id = strdup(request->id);
	item->request = (struct meta_request){.id = item->answer.id, .type = request->type};
	if (request->bundle)
		item->request.bundle = strdup(request->bundle);
	if (item->answer.id && (item->request.bundle || !request->bundle))
		return item;
	item_destroy(item);
	return NULL;
}

static void queue_clear(struct queue *queue)
{
	struct item *item;

	while ((item = queue_take(queue)))
		item_destroy(item);
}

/* No thread may use it any more. */
static void free_all(struct meta *meta)
{
	queue_clear(&meta->requests);
	queue_clear(&meta->answers);
	meta_source_destroy(meta->source);
	pthread_cond_destroy(&meta->changed);
	pthread_mutex_destroy(&meta->lock);
	free(meta);
}

/* Asks the source, without the lock. */
static void describe(struct meta *meta, struct item *item)
{
	struct sinsp_container_info *info = sinsp_container_info_create();
	int code;

	if (!info) {
		error_set(&item->answer.err, -ENOMEM, "out of memory");
		return;
	}
	code = meta->source->ops->describe(meta->source, &item->request, info, &item->answer.err);
	if (code == 0)
		item->answer.info = info;
	else
		sinsp_container_info_destroy(info);
}

static void count(struct meta_stats *stats, const struct meta_answer *answer)
{
	if (answer->info) {
		stats->described++;
		stats->left_out += answer->info->texts.left_out;
	} else {
		stats->missing++;
	}
	stats->failed += answer->err.text[0] != '\0';
}

static void *run(void *context)
{
	struct meta *meta = context;
	struct item *item;
	bool abandoned;

	pthread_mutex_lock(&meta->lock);
	while (!meta->ending) {
		item = queue_take(&meta->requests);
		if (!item) {
			pthread_cond_wait(&meta->changed, &meta->lock);
			continue;
		}
		pthread_mutex_unlock(&meta->lock);
		describe(meta, item);
		pthread_mutex_lock(&meta->lock);
		count(&meta->stats, &item->answer);
		queue_add(&meta->answers, item);
		atomic_store(&meta->ready, true);
		pthread_cond_broadcast(&meta->changed);
	}
	meta->ended = true;
	abandoned = meta->abandoned;
	pthread_cond_broadcast(&meta->changed);
	pthread_mutex_unlock(&meta->lock);
	if (abandoned)
		free_all(meta);
	return NULL;
}

static void init_locks(struct meta *meta)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&meta->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&meta->lock, NULL);
}

/* Blocks signals in the new thread: the main thread handles them. */
static int start_thread(struct meta *meta)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	code = pthread_create(&meta->thread, NULL, run, meta);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -code;
}

int meta_create(struct meta_source *source, uint32_t requests_max, struct meta **meta,
		struct error *err)
{
	struct meta *made = calloc(1, sizeof(*made));
	int code;

	if (!made) {
		meta_source_destroy(source);
		return error_set(err, -ENOMEM, "out of memory");
	}
	made->source = source;
	made->pending_max = requests_max ? requests_max : META_REQUESTS_MAX;
	init_locks(made);
	code = start_thread(made);
	if (code) {
		free_all(made);
		return error_set(err, code,
				 "starting the thread for descriptions of containers: %s",
				 strerror(-code));
	}
	*meta = made;
	return 0;
}

static struct timespec deadline_after(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + ns;

	return (struct timespec){.tv_sec = (time_t)(end / NS_PER_S),
				 .tv_nsec = (long)(end % NS_PER_S)};
}

void meta_destroy(struct meta *meta)
{
	struct timespec deadline = deadline_after((uint64_t)META_END_MS * NS_PER_MS);
	pthread_t thread;
	bool ended;

	if (!meta)
		return;
	thread = meta->thread;
	pthread_mutex_lock(&meta->lock);
	meta->ending = true;
	pthread_cond_broadcast(&meta->changed);
	while (!meta->ended && pthread_cond_timedwait(&meta->changed, &meta->lock, &deadline) == 0)
		;
	ended = meta->ended;
	meta->abandoned = !ended;
	pthread_mutex_unlock(&meta->lock);
	if (!ended) {
		pthread_detach(thread);
		return;
	}
	pthread_join(thread, NULL);
	free_all(meta);
}

int meta_request(struct meta *meta, const struct meta_request *request)
{
	struct item *item = item_create(request);
	int code = item ? 0 : -ENOMEM;

	pthread_mutex_lock(&meta->lock);
	if (item && meta->pending >= meta->pending_max)
		code = -EAGAIN;
	if (code == 0) {
		meta->pending++;
		meta->stats.requests++;
		queue_add(&meta->requests, item);
		pthread_cond_broadcast(&meta->changed);
	} else {
		meta->stats.rejected++;
	}
	pthread_mutex_unlock(&meta->lock);
	if (code)
		item_destroy(item);
	return code;
}

bool meta_is_ready(const struct meta *meta)
{
	return atomic_load_explicit(&meta->ready, memory_order_relaxed);
}

bool meta_take(struct meta *meta, struct meta_answer *answer)
{
	struct item *item;

	pthread_mutex_lock(&meta->lock);
	item = queue_take(&meta->answers);
	atomic_store(&meta->ready, meta->answers.first != NULL);
	if (item)
		meta->pending--;
	pthread_mutex_unlock(&meta->lock);
	if (!item)
		return false;
	*answer = item->answer;
	item->answer = (struct meta_answer){0};
	item_destroy(item);
	return true;
}

bool meta_wait(struct meta *meta, uint64_t timeout_ns)
{
	struct timespec deadline = deadline_after(timeout_ns);
	bool found;

	pthread_mutex_lock(&meta->lock);
	while (!meta->answers.first &&
	       pthread_cond_timedwait(&meta->changed, &meta->lock, &deadline) == 0)
		;
	found = meta->answers.first != NULL;
	pthread_mutex_unlock(&meta->lock);
	return found;
}

uint32_t meta_pending(const struct meta *meta)
{
	/* Only the caller's thread changes it. */
	return meta->pending;
}

void meta_stats(struct meta *meta, struct meta_stats *stats)
{
	pthread_mutex_lock(&meta->lock);
	*stats = meta->stats;
	pthread_mutex_unlock(&meta->lock);
}
