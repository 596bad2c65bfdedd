/* SPDX-License-Identifier: MIT */
/* A slot for each thread id by its remainder: threads that share one get new numbers in turns. */
#include "sinsp/fields/thread_key.h"

#include <stdlib.h>
#include <string.h>

/* Member by member: a key need not be in memory to be compared. */
static bool is_same(const struct thread_key *a, const struct thread_key *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->ppid == b->ppid &&
	       a->program == b->program && a->uid == b->uid &&
	       memcmp(a->comm, b->comm, sizeof(a->comm)) == 0;
}

static struct thread_key key_of(const struct sinsp_event *event)
{
	const struct sinsp_thread *thread = event->thread;
	struct thread_key key = {
		.tid = event->ev.tid,
		.pid = thread->pid,
		.ppid = event_parent_pid(event, thread),
		.program = thread->program->id,
		.uid = thread->uid,
	};

	memcpy(key.comm, thread->comm, sizeof(key.comm));
	return key;
}

uint64_t thread_revision(struct thread_revisions *revisions, const struct sinsp_event *event)
{
	struct thread_revision *slot;
	struct thread_key key;

	if (!event->thread)
		return 0;
	if (!revisions->slots)
		revisions->slots = calloc(THREAD_REVISIONS_SLOTS, sizeof(*slot));
	if (!revisions->slots)
		return 0;
	key = key_of(event);
	slot = &revisions->slots[(uint64_t)key.tid % THREAD_REVISIONS_SLOTS];
	if (!slot->number || !is_same(&slot->key, &key))
		*slot = (struct thread_revision){key, ++revisions->last};
	return slot->number;
}

void thread_revisions_finish(struct thread_revisions *revisions)
{
	free(revisions->slots);
	*revisions = (struct thread_revisions){0};
}
