/* SPDX-License-Identifier: MIT */
/* Lists of requests by rank behind a lock: new ones go before those that are asked again. */
#include "meta/requests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"

struct meta_requests {
	atomic_uint refs;
	pthread_mutex_t lock; /* for all below */
	pthread_cond_t changed;
	struct meta_asked *first[META_RANKS], *last[META_RANKS];
	struct meta_asked *later; /* the one that is due first, and so on */
	uint32_t later_counts[META_RANKS];
	bool closed;
};

struct meta_asked *meta_asked_create(const struct meta_request *request)
{
	struct meta_asked *asked = calloc(1, sizeof(*asked));

	if (!asked)
		return NULL;
	asked->begin_ns = clock_ns(CLOCK_MONOTONIC);
	asked->answer = meta_update_create(META_CONTAINER, request->id);
	asked->request = (struct meta_request){.id = strdup(request->id),
					       .type = request->type,
					       .owner = request->owner,
					       .rank = request->rank,
					       .with_env = request->with_env};
	if (request->bundle)
		asked->request.bundle = strdup(request->bundle);
	if (asked->answer) {
		asked->answer->owner = request->owner;
		asked->answer->rank = request->rank;
	}
	if (asked->answer && asked->request.id && (asked->request.bundle || !request->bundle))
		return asked;
	meta_asked_destroy(asked);
	return NULL;
}

struct meta_asked *meta_asked_create_users(const struct state_users_wanted *wanted)
{
	struct meta_asked *asked = calloc(1, sizeof(*asked));

	if (!asked)
		return NULL;
	asked->answer = meta_update_create(META_USERS, wanted->id);
	asked->users = (struct state_users_wanted){
		.id = strdup(wanted->id), .owner = wanted->owner, .pid = wanted->pid};
	if (wanted->path)
		asked->users.path = strdup(wanted->path);
	if (asked->answer)
		asked->answer->owner = wanted->owner;
	if (asked->answer && asked->users.id && (asked->users.path || !wanted->path))
		return asked;
	meta_asked_destroy(asked);
	return NULL;
}

void meta_asked_destroy(struct meta_asked *asked)
{
	if (!asked)
		return;
	meta_update_destroy(asked->answer);
	free((char *)asked->request.id);
	free((char *)asked->request.bundle);
	free((char *)asked->users.id);
	free((char *)asked->users.path);
	free(asked);
}

struct meta_requests *meta_requests_create(void)
{
	struct meta_requests *requests = calloc(1, sizeof(*requests));

	if (!requests)
		return NULL;
	atomic_init(&requests->refs, 1);
	pthread_mutex_init(&requests->lock, NULL);
	meta_cond_init(&requests->changed);
	return requests;
}

struct meta_requests *meta_requests_ref(struct meta_requests *requests)
{
	atomic_fetch_add(&requests->refs, 1);
	return requests;
}

static void destroy_all(struct meta_asked *asked)
{
	while (asked) {
		struct meta_asked *next = asked->next;

		meta_asked_destroy(asked);
		asked = next;
	}
}

void meta_requests_unref(struct meta_requests *requests)
{
	if (!requests || atomic_fetch_sub(&requests->refs, 1) > 1)
		return;
	for (int rank = 0; rank < META_RANKS; rank++)
		destroy_all(requests->first[rank]);
	destroy_all(requests->later);
	pthread_cond_destroy(&requests->changed);
	pthread_mutex_destroy(&requests->lock);
	free(requests);
}

void meta_requests_add(struct meta_requests *requests, struct meta_asked *asked)
{
	enum meta_rank rank = asked->request.rank;
	bool closed;

	asked->next = NULL;
	pthread_mutex_lock(&requests->lock);
	closed = requests->closed;
	if (!closed) {
		*(requests->last[rank] ? &requests->last[rank]->next : &requests->first[rank]) =
			asked;
		requests->last[rank] = asked;
		pthread_cond_signal(&requests->changed);
	}
	pthread_mutex_unlock(&requests->lock);
	if (closed)
		meta_asked_destroy(asked);
}

bool meta_requests_add_later(struct meta_requests *requests, struct meta_asked *asked)
{
	uint32_t *count = &requests->later_counts[asked->request.rank];
	struct meta_asked **link = &requests->later;
	bool closed, has_room;

	pthread_mutex_lock(&requests->lock);
	closed = requests->closed;
	has_room = *count < META_REQUESTS_LATER_MAX;
	if (has_room && !closed) {
		while (*link && (*link)->due_ns <= asked->due_ns)
			link = &(*link)->next;
		asked->next = *link;
		*link = asked;
		++*count;
		pthread_cond_signal(&requests->changed);
	}
	pthread_mutex_unlock(&requests->lock);
	if (closed || !has_room)
		meta_asked_destroy(asked);
	return closed || has_room;
}

/* The next one of a rank, or NULL. */
static struct meta_asked *find_new(struct meta_requests *requests, enum meta_rank rank)
{
	struct meta_asked *asked = requests->first[rank];

	if (asked)
		requests->first[rank] = asked->next;
	if (!requests->first[rank])
		requests->last[rank] = NULL;
	return asked;
}

/*
 * The next one that may be taken now, or NULL: by rank; new ones go before those that are asked
 * again.
 */
static struct meta_asked *find_next(struct meta_requests *requests)
{
	struct meta_asked *asked = NULL;

	for (int rank = 0; !asked && rank < META_RANKS; rank++)
		asked = find_new(requests, rank);
	if (asked)
		return asked;
	asked = requests->later;
	if (!asked || asked->due_ns > clock_ns(CLOCK_MONOTONIC))
		return NULL;
	requests->later = asked->next;
	requests->later_counts[asked->request.rank]--;
	return asked;
}

struct meta_asked *meta_requests_take(struct meta_requests *requests)
{
	struct meta_asked *asked = NULL;

	pthread_mutex_lock(&requests->lock);
	while (!requests->closed && !(asked = find_next(requests))) {
		if (requests->later)
			meta_cond_wait(&requests->changed, &requests->lock,
				       requests->later->due_ns);
		else
			pthread_cond_wait(&requests->changed, &requests->lock);
	}
	pthread_mutex_unlock(&requests->lock);
	return asked;
}

void meta_requests_close(struct meta_requests *requests)
{
	pthread_mutex_lock(&requests->lock);
	requests->closed = true;
	pthread_cond_broadcast(&requests->changed);
	pthread_mutex_unlock(&requests->lock);
}
