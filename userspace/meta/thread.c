/* SPDX-License-Identifier: MIT */
#include "meta/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "meta/monotonic.h"
#include "privileges/privileges.h"

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

static void *run(void *argument)
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
	int code;

	if (!thread) {
		ops->destroy(context);
		return -ENOMEM;
	}
	thread->ops = ops;
	thread->context = context;
	pthread_mutex_init(&thread->lock, NULL);
	monotonic_cond_init(&thread->changed);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	code = pthread_create(&thread->thread, NULL, run, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code)
		thread_free(thread);
	else
		*result = thread;
	return -code;
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
	while (!thread->ended && monotonic_wait(&thread->changed, &thread->lock, deadline_ns) == 0)
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
