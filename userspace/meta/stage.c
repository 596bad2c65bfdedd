/* SPDX-License-Identifier: MIT */
/*
 * Stages follow each other: a thread each, whose end is bounded; reading the users of containers.
 */
#include "meta/stage.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "meta/requests.h"
#include "privileges/privileges.h"
#include "util/clock.h"

struct meta_thread {
	pthread_t thread;
	const struct meta_thread_ops *ops;
	void *context; /* owned */
	pthread_mutex_t lock; /* for all below */
	pthread_cond_t changed;
	bool ended; /* nothing uses `context` any more */
	bool abandoned; /* nobody waits for that: the thread frees everything */
};

/* The thread must not use it any more. */
static void thread_free(struct meta_thread *thread)
{
	thread->ops->destroy(thread->context);
	pthread_cond_destroy(&thread->changed);
	pthread_mutex_destroy(&thread->lock);
	free(thread);
}

static void *thread_run(void *argument)
{
	static const struct files_rule none[] = {{0}};
	static const struct files_limits nothing = {.rules = none};
	struct meta_thread *thread = argument;
	bool abandoned;

	if (privileges_enter(thread->ops->role, &nothing, NULL) == 0)
		thread->ops->run(thread->context);
	pthread_mutex_lock(&thread->lock);
	thread->ended = true;
	abandoned = thread->abandoned;
	pthread_cond_signal(&thread->changed);
	pthread_mutex_unlock(&thread->lock);
	if (abandoned)
		thread_free(thread);
	return NULL;
}

int meta_thread_start(const struct meta_thread_ops *ops, void *context, struct meta_thread **result)
{
	struct meta_thread *thread = calloc(1, sizeof(*thread));
	sigset_t all, before;
	int r;

	if (!thread) {
		ops->destroy(context);
		return -ENOMEM;
	}
	thread->ops = ops;
	thread->context = context;
	pthread_mutex_init(&thread->lock, NULL);
	meta_cond_init(&thread->changed);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&thread->thread, NULL, thread_run, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r)
		thread_free(thread);
	else
		*result = thread;
	return -r;
}

void meta_thread_stop(struct meta_thread *thread)
{
	if (thread)
		thread->ops->stop(thread->context);
}

void meta_thread_end(struct meta_thread *thread, uint64_t deadline_ns)
{
	pthread_t id;
	bool ended;

	if (!thread)
		return;
	meta_thread_stop(thread);
	id = thread->thread;
	pthread_mutex_lock(&thread->lock);
	while (!thread->ended && meta_cond_wait(&thread->changed, &thread->lock, deadline_ns) == 0)
		;
	ended = thread->ended;
	thread->abandoned = !ended;
	pthread_mutex_unlock(&thread->lock);
	if (!ended) {
		pthread_detach(id);
		return;
	}
	pthread_join(id, NULL);
	thread_free(thread);
}

/* What the thread has. */
struct reader {
	struct meta_requests *in; /* a reference */
	struct meta_sink *out; /* a reference */
	struct scap_proc *proc; /* owned */
};

static void users_run(void *context)
{
	struct reader *reader = context;
	struct meta_asked *asked;

	while ((asked = meta_requests_take(reader->in))) {
		struct meta_update *answer = asked->answer;

		answer->result =
			state_container_users_read(reader->proc, &asked->users, &answer->users);
		asked->answer = NULL;
		meta_sink_answer(reader->out, answer);
		meta_asked_destroy(asked);
	}
}

static void users_stop(void *context)
{
	meta_requests_close(((struct reader *)context)->in);
}

static void users_destroy(void *context)
{
	struct reader *reader = context;

	scap_proc_close(reader->proc);
	meta_requests_unref(reader->in);
	meta_sink_unref(reader->out);
	free(reader);
}

int meta_users_start(struct meta_requests *in, struct scap_proc *proc, struct meta_sink *out,
		     struct meta_thread **thread)
{
	static const struct meta_thread_ops ops = {ROLE_PROCESSES, users_run, users_stop,
						   users_destroy};
	struct reader *reader = malloc(sizeof(*reader));

	if (!reader) {
		scap_proc_close(proc);
		return -ENOMEM;
	}
	*reader = (struct reader){meta_requests_ref(in), meta_sink_ref(out), proc};
	return meta_thread_start(&ops, reader, thread);
}

enum { NS_PER_MS = 1000000 };

struct stage {
	struct meta_source *source; /* owned */
	struct meta_stage_queues queues; /* a reference of each */
};

/* Asks the source. Returns its result; `info` is NULL if it does not know the container. */
static int stage_describe(struct stage *stage, const struct meta_request *request,
			  struct state_container_info **info, struct error *err)
{
	int r;

	*info = state_container_info_create();
	if (!*info)
		return error_set(err, -ENOMEM, "out of memory");
	(*info)->wants_env = request->with_env;
	r = stage->source->ops->describe(stage->source, request, *info, err);
	if (r < 0) {
		state_container_info_destroy(*info);
		*info = NULL;
	}
	return r;
}

/* What comes after the answer. */
static void stage_post(struct stage *stage, const struct meta_asked *asked,
		       struct state_container_info *info)
{
	struct meta_update *update = meta_update_create(META_CONTAINER, asked->request.id);

	if (update) {
		update->info = info;
		update->is_partial = asked->is_partial;
		update->owner = asked->request.owner;
	} else {
		state_container_info_destroy(info);
	}
	meta_post(stage->queues.out, update);
}

/* Gives the answer, if it was not given; else `info` completes it, or comes after it. */
static void stage_give(struct stage *stage, struct meta_asked *asked,
		       struct state_container_info *info)
{
	struct meta_sink *out = stage->queues.out;
	struct meta_update *update = asked->answer;

	asked->answer = NULL;
	if (update) {
		update->info = info;
		update->is_partial = asked->is_partial;
		update->is_forgeable = asked->is_forgeable;
		meta_count(out, info ? META_DESCRIBED : META_MISSING, 1);
		meta_sink_answer(out, update);
	} else if (info) {
		stage_post(stage, asked, info);
	}
}

/* The source could not read something. The first failure of a request is reported. */
static void stage_take_failure(struct stage *stage, struct meta_asked *asked,
			       const struct error *err)
{
	struct meta_update *update;

	if (asked->failed)
		return;
	asked->failed = true;
	meta_count(stage->queues.out, META_FAILED, 1);
	if (asked->answer) {
		asked->answer->err = *err;
		return;
	}
	update = meta_update_create(META_FAILURE, asked->request.id);
	if (update)
		update->err = *err;
	meta_post(stage->queues.out, update);
}

/* The source described the container, or a part of it. */
static void take_found(struct stage *stage, struct meta_asked *asked,
		       struct state_container_info *info, bool is_partial)
{
	asked->is_partial = is_partial;
	meta_count(stage->queues.out, META_LEFT_OUT, info->texts.left_out);
	/* The answer was that nobody knows it. */
	if (!asked->known && !asked->answer) {
		meta_count(stage->queues.out, META_MISSING, (uint64_t)-1);
		meta_count(stage->queues.out, META_DESCRIBED, 1);
	}
	if (!asked->known)
		meta_sink_count_time(stage->queues.out,
				     clock_ns(CLOCK_MONOTONIC) - asked->begin_ns);
	asked->known = true;
	stage_give(stage, asked, info);
}

/* How long a container that nobody knows is left alone. */
static uint64_t retry_delay_ns(const struct meta_asked *asked)
{
	uint64_t ms = (uint64_t)STAGE_RETRY_FIRST_MS << asked->retries;

	if (asked->retries == STAGE_RETRIES)
		ms = STAGE_MISSING_MS;
	else if (ms > STAGE_RETRY_LAST_MS)
		ms = STAGE_RETRY_LAST_MS;
	return ms * NS_PER_MS;
}

/* Whether it is not known what the source knows. */
static bool has_failed(int code)
{
	return code < 0 && code != -ENOENT && code != -EPERM;
}

/*
 * The last stage, whose result was `code`, is through with the request, which is asked for again or
 * done with.
 */
static void stage_finish(struct stage *stage, struct meta_asked *asked, int code)
{
	stage_give(stage, asked, NULL);
	if (asked->is_partial && !has_failed(code)) {
		asked->is_partial = false;
		stage_post(stage, asked, NULL);
	}
	/* What a user has to say of his container is there before it, or nobody will say it. */
	if ((asked->known && !asked->is_partial) || asked->retries == STAGE_RETRIES ||
	    asked->request.rank == META_OF_USER) {
		meta_asked_destroy(asked);
		return;
	}
	asked->due_ns = clock_ns(CLOCK_MONOTONIC) + retry_delay_ns(asked);
	asked->retries++;
	if (!meta_requests_add_later(stage->queues.first, asked))
		meta_count(stage->queues.out, META_REJECTED, 1);
}

static void stage_run(void *context)
{
	struct stage *stage = context;
	struct meta_asked *asked;

	while ((asked = meta_requests_take(stage->queues.in))) {
		struct error err = {.text = ""};
		struct state_container_info *info;
		int r;

		asked->request.missing_ns = retry_delay_ns(asked);
		r = stage_describe(stage, &asked->request, &info, &err);
		if (err.text[0])
			stage_take_failure(stage, asked, &err);
		if (info)
			take_found(stage, asked, info, r != 0 && stage->queues.next);
		asked->request.is_part_known |= r == META_SOURCE_PART;
		asked->is_forgeable |= r == -EPERM;
		if (r != 0 && stage->queues.next)
			meta_requests_add(stage->queues.next, asked);
		else
			stage_finish(stage, asked, r);
	}
}

static void stage_stop(void *context)
{
	meta_requests_close(((struct stage *)context)->queues.in);
}

static void stage_destroy(void *context)
{
	struct stage *stage = context;

	meta_source_destroy(stage->source);
	meta_requests_unref(stage->queues.in);
	meta_requests_unref(stage->queues.next);
	meta_requests_unref(stage->queues.first);
	meta_sink_unref(stage->queues.out);
	free(stage);
}

int meta_stage_start(struct meta_source *source, const struct meta_stage_queues *queues,
		     struct meta_thread **thread)
{
	static const struct meta_thread_ops ops = {ROLE_METADATA, stage_run, stage_stop,
						   stage_destroy};
	struct stage *stage = calloc(1, sizeof(*stage));

	if (!stage) {
		meta_source_destroy(source);
		return -ENOMEM;
	}
	stage->source = source;
	stage->queues = (struct meta_stage_queues){
		.in = meta_requests_ref(queues->in),
		.next = queues->next ? meta_requests_ref(queues->next) : NULL,
		.first = meta_requests_ref(queues->first),
		.out = meta_sink_ref(queues->out),
	};
	return meta_thread_start(&ops, stage, thread);
}
