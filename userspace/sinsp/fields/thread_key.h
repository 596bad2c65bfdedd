/* SPDX-License-Identifier: MIT */
/*
 * What fields with FIELD_OF_THREAD depend on, and numbers that stand for it: outputs write the
 * values of these fields once for each number, and copy the bytes for later events.
 */
#ifndef SINSP_FIELDS_THREAD_KEY_H
#define SINSP_FIELDS_THREAD_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "sinsp/state/event.h"
#include "sinsp/state/thread.h"

struct thread_key {
	int64_t tid; /* of the event */
	int64_t pid, ppid;
	uint64_t program; /* its id */
	uint64_t uid;
	char comm[16];
};

enum { THREAD_REVISIONS_SLOTS = 1024 };

/* The newest key of each slot, and its number. All zero: empty. */
struct thread_revisions {
	struct thread_revision {
		struct thread_key key;
		uint64_t number; /* 0: unused */
	} * slots; /* owned; NULL before the first one */
	uint64_t last;
};

/* The id of the parent of a thread of the event; it may be known even if the parent is not. */
static inline int64_t event_parent_pid(const struct sinsp_event *event,
				       const struct sinsp_thread *thread)
{
	const struct sinsp_thread *parent = sinsp_thread_parent(event->sinsp, thread);

	return parent ? parent->pid : thread->ptid;
}

/*
 * Events with the same number have the same values of all fields with FIELD_OF_THREAD, as long as
 * all events are of one engine. 0: there is no such number.
 */
uint64_t thread_revision(struct thread_revisions *revisions, const struct sinsp_event *event);

/* It is empty afterwards. */
void thread_revisions_finish(struct thread_revisions *revisions);

#endif
