/* SPDX-License-Identifier: MIT */
/* Starts and ends the threads; the event thread's side of the queues. */
#include "meta/meta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "meta/sink.h"
#include "meta/stage.h"
#include "util/clock.h"

enum { NS_PER_MS = 1000000, THREADS_MAX = META_STAGES_MAX + META_FOLLOWERS_MAX + 1 };

/* Of a user's requests without an answer that was taken. */
struct share {
	uint32_t owner, count; /* 0: not in use */
};

struct meta {
	struct meta_sink *sink; /* a reference */
	struct meta_requests *requests[META_STAGES_MAX]; /* a reference of each stage's */
	struct meta_requests *users; /* a reference; NULL: nobody reads users */
	struct meta_thread *threads[THREADS_MAX]; /* owned */
	size_t threads_count, stages_count, followers_count;
	uint32_t pending[META_RANKS], pending_users, pending_max;
	struct share shares[META_OF_USERS_MAX];
};

/* The queues of the next stages. Returns 0 or -ENOMEM. */
static int create_queues(struct meta *meta, size_t count)
{
	for (size_t i = meta->stages_count; i < meta->stages_count + count; i++) {
		if (!meta->requests[i])
			meta->requests[i] = meta_requests_create();
		if (!meta->requests[i])
			return -ENOMEM;
	}
	return 0;
}

/* Starts the next stage. Owns the source from here on. Returns 0 or -errno. */
static int start_stage(struct meta *meta, struct meta_source *source)
{
	size_t number = meta->stages_count;
	const struct meta_stage_queues queues = {
		.in = meta->requests[number],
		.next = number + 1 < META_STAGES_MAX ? meta->requests[number + 1] : NULL,
		.first = meta->requests[0],
		.out = meta->sink,
	};
	int r = meta_stage_start(source, &queues, &meta->threads[meta->threads_count]);

	meta->stages_count += r == 0;
	meta->threads_count += r == 0;
	return r;
}

static int thread_error(int code, struct error *err)
{
	return error_set(err, code, "starting the threads for descriptions of containers: %s",
			 strerror(-code));
}

int meta_add_stages(struct meta *meta, struct meta_source *const *stages, size_t count,
		    struct error *err)
{
	bool has_room = meta->stages_count + count <= META_STAGES_MAX;
	int r = has_room ? create_queues(meta, count) : -E2BIG;

	for (size_t i = 0; i < count; i++) {
		if (r == 0)
			r = start_stage(meta, stages[i]);
		else
			meta_source_destroy(stages[i]);
	}
	return r ? thread_error(r, err) : 0;
}

int meta_create(struct meta_source *const *stages, size_t count, uint32_t requests_max,
		struct meta **result, struct error *err)
{
	struct meta *meta = calloc(1, sizeof(*meta));
	int r = -ENOMEM;

	if (meta)
		meta->sink = meta_sink_create();
	if (meta && meta->sink) {
		meta->pending_max = requests_max ? requests_max : META_REQUESTS_MAX;
		r = meta_add_stages(meta, stages, count, err);
	} else {
		for (size_t i = 0; i < count; i++)
			meta_source_destroy(stages[i]);
		thread_error(r, err);
	}
	if (r)
		meta_destroy(meta);
	else
		*result = meta;
	return r;
}

void meta_set_waker(struct meta *meta, const struct waker *waker)
{
	meta_sink_set_waker(meta->sink, waker);
}

int meta_read_users(struct meta *meta, struct scap_proc *proc, struct error *err)
{
	int r = -ENOMEM;

	meta->users = meta_requests_create();
	if (meta->users)
		r = meta_users_start(meta->users, proc, meta->sink,
				     &meta->threads[meta->threads_count]);
	else
		scap_proc_close(proc);
	meta->threads_count += r == 0;
	return r ? error_set(err, r, "starting the thread for users of containers: %s",
			     strerror(-r))
		 : 0;
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
	static const struct meta_thread_ops ops = {ROLE_METADATA, following_run, following_stop,
						   following_destroy};
	struct meta_thread **thread = &meta->threads[meta->threads_count];
	bool has_room = meta->followers_count < META_FOLLOWERS_MAX;
	struct following *following = has_room ? malloc(sizeof(*following)) : NULL;
	int r = has_room ? -ENOMEM : -E2BIG;

	if (following) {
		*following = (struct following){follower, meta_sink_ref(meta->sink)};
		r = meta_thread_start(&ops, following, thread);
	} else {
		follower->ops->destroy(follower);
	}
	if (r)
		return error_set(err, r, "starting a thread: %s", strerror(-r));
	meta->followers_count++;
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
	meta_requests_unref(meta->users);
	for (size_t i = 0; i < META_STAGES_MAX; i++)
		meta_requests_unref(meta->requests[i]);
	if (meta->sink)
		meta_sink_unref(meta->sink);
	free(meta);
}

/* The share of a user, or one that is not in use; NULL: there is none. */
static struct share *find_share(struct meta *meta, uint32_t owner)
{
	struct share *unused = NULL;

	for (size_t i = 0; i < META_OF_USERS_MAX; i++) {
		if (meta->shares[i].count && meta->shares[i].owner == owner)
			return &meta->shares[i];
		if (!meta->shares[i].count)
			unused = &meta->shares[i];
	}
	return unused;
}

/* Only runtimes may fill the queue: nobody else can keep their containers out. */
static bool has_room(struct meta *meta, const struct meta_request *request)
{
	uint32_t max = meta->pending_max;
	const struct share *share;

	if (request->rank == META_OF_RUNTIME)
		return meta->pending[META_OF_RUNTIME] < max;
	if (request->rank == META_OF_ROOT)
		return meta->pending[META_OF_ROOT] < (max + 3) / 4;
	share = find_share(meta, request->owner);
	return meta->pending[META_OF_USER] < META_OF_USERS_MAX && share &&
	       share->count < META_OF_USER_MAX;
}

/* A request was made, or its answer taken. */
static void count_pending(struct meta *meta, enum meta_rank rank, uint32_t owner, uint32_t more)
{
	struct share *share = rank == META_OF_USER ? find_share(meta, owner) : NULL;

	meta->pending[rank] += more;
	if (share) {
		share->owner = owner;
		share->count += more;
	}
}

int meta_request(struct meta *meta, const struct meta_request *request)
{
	bool may = has_room(meta, request);
	struct meta_asked *asked = may ? meta_asked_create(request) : NULL;

	if (!asked) {
		meta_count(meta->sink, META_REJECTED, 1);
		return may ? -ENOMEM : -EAGAIN;
	}
	meta_count(meta->sink, META_REQUESTS, 1);
	count_pending(meta, request->rank, request->owner, 1);
	meta_requests_add(meta->requests[0], asked);
	return 0;
}

int meta_request_users(struct meta *meta, const struct state_users_wanted *wanted)
{
	bool has_room = meta->users && meta->pending_users < meta->pending_max;
	struct meta_asked *asked = has_room ? meta_asked_create_users(wanted) : NULL;

	if (!asked) {
		meta_count(meta->sink, META_USERS_REJECTED, 1);
		return has_room ? -ENOMEM : -EAGAIN;
	}
	meta->pending_users++;
	meta_requests_add(meta->users, asked);
	return 0;
}

bool meta_is_ready(const struct meta *meta)
{
	return meta_sink_is_ready(meta->sink);
}

struct meta_update *meta_take(struct meta *meta)
{
	struct meta_update *update = meta_sink_take(meta->sink);

	if (update && update->is_answer && update->kind == META_USERS)
		meta->pending_users--;
	else if (update && update->is_answer)
		count_pending(meta, update->rank, update->owner, -1u);
	return update;
}

bool meta_wait(struct meta *meta, uint64_t timeout_ns)
{
	return meta_sink_wait(meta->sink, timeout_ns);
}

uint32_t meta_pending(const struct meta *meta)
{
	uint32_t of_root = meta->pending[META_OF_ROOT];

	return meta->pending[META_OF_RUNTIME] + (of_root <= META_AWAITED_MAX ? of_root : 0);
}

uint32_t meta_pending_users(const struct meta *meta)
{
	return meta->pending_users;
}

void meta_stats(const struct meta *meta, struct meta_stats *stats)
{
	for (int counter = 0; counter < META_COUNTERS; counter++)
		stats->counts[counter] = meta_sink_counter(meta->sink, counter);
	for (unsigned int power = 0; power < META_TIMES; power++)
		stats->times[power] = meta_sink_time(meta->sink, power);
}
