/* SPDX-License-Identifier: MIT */
#include "meta/users.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A request, and the update that answers it, so that no answer lacks memory. */
struct asked {
	struct asked *next;
	struct meta_update *answer; /* owned; it has the id */
	char *path; /* owned */
	int64_t pid;
};

struct meta_users {
	atomic_uint refs;
	pthread_mutex_t lock; /* for all below */
	pthread_cond_t changed;
	struct asked *first, *last;
	bool closed;
};

/* What the thread has. */
struct reader {
	struct meta_users *users; /* a reference */
	struct meta_sink *out; /* a reference */
	struct scap_proc *proc; /* owned */
};

static void asked_destroy(struct asked *asked)
{
	meta_update_destroy(asked->answer);
	free(asked->path);
	free(asked);
}

static struct asked *asked_create(const struct sinsp_users_wanted *wanted)
{
	struct asked *asked = calloc(1, sizeof(*asked));

	if (!asked)
		return NULL;
	asked->pid = wanted->pid;
	asked->answer = meta_update_create(META_USERS, wanted->id);
	asked->path = wanted->path ? strdup(wanted->path) : NULL;
	if (asked->answer && (asked->path || !wanted->path))
		return asked;
	asked_destroy(asked);
	return NULL;
}

struct meta_users *meta_users_create(void)
{
	struct meta_users *users = calloc(1, sizeof(*users));

	if (!users)
		return NULL;
	atomic_init(&users->refs, 1);
	pthread_mutex_init(&users->lock, NULL);
	pthread_cond_init(&users->changed, NULL);
	return users;
}

void meta_users_unref(struct meta_users *users)
{
	if (!users || atomic_fetch_sub(&users->refs, 1) > 1)
		return;
	while (users->first) {
		struct asked *asked = users->first;

		users->first = asked->next;
		asked_destroy(asked);
	}
	pthread_cond_destroy(&users->changed);
	pthread_mutex_destroy(&users->lock);
	free(users);
}

int meta_users_add(struct meta_users *users, const struct sinsp_users_wanted *wanted)
{
	struct asked *asked = asked_create(wanted);

	if (!asked)
		return -ENOMEM;
	pthread_mutex_lock(&users->lock);
	*(users->first ? &users->last->next : &users->first) = asked;
	users->last = asked;
	pthread_cond_signal(&users->changed);
	pthread_mutex_unlock(&users->lock);
	return 0;
}

/* Waits for the next request; NULL: the queue is closed. */
static struct asked *take(struct meta_users *users)
{
	struct asked *asked = NULL;

	pthread_mutex_lock(&users->lock);
	while (!users->closed && !users->first)
		pthread_cond_wait(&users->changed, &users->lock);
	if (!users->closed) {
		asked = users->first;
		users->first = asked->next;
	}
	pthread_mutex_unlock(&users->lock);
	return asked;
}

static void run(void *context)
{
	struct reader *reader = context;
	struct asked *asked;

	while ((asked = take(reader->users))) {
		struct meta_update *answer = asked->answer;
		const struct sinsp_users_wanted wanted = {answer->id, asked->path, asked->pid};

		answer->result = sinsp_container_users_read(reader->proc, &wanted, &answer->users);
		asked->answer = NULL;
		meta_sink_answer(reader->out, answer);
		asked_destroy(asked);
	}
}

static void stop(void *context)
{
	struct meta_users *users = ((struct reader *)context)->users;

	pthread_mutex_lock(&users->lock);
	users->closed = true;
	pthread_cond_signal(&users->changed);
	pthread_mutex_unlock(&users->lock);
}

static void destroy(void *context)
{
	struct reader *reader = context;

	scap_proc_close(reader->proc);
	meta_users_unref(reader->users);
	meta_sink_unref(reader->out);
	free(reader);
}

int meta_users_start(struct meta_users *users, struct scap_proc *proc, struct meta_sink *out,
		     struct meta_thread **thread)
{
	static const struct meta_thread_ops ops = {run, stop, destroy};
	struct reader *reader = malloc(sizeof(*reader));

	if (!reader) {
		scap_proc_close(proc);
		return -ENOMEM;
	}
	*reader = (struct reader){.out = meta_sink_ref(out), .proc = proc};
	reader->users = users;
	atomic_fetch_add(&users->refs, 1);
	return meta_thread_start(&ops, reader, thread);
}
