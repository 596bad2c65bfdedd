/* SPDX-License-Identifier: MIT */
/*
 * Texts of a thread and its program, lists of strings, and numbers that stand for all that such
 * fields depend on.
 */
#ifndef SINSP_FIELDS_THREAD_TEXT_H
#define SINSP_FIELDS_THREAD_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "sinsp/fields/field.h"
#include "sinsp/state/event.h"
#include "sinsp/state/thread.h"

/*
 * What fields with FIELD_OF_THREAD depend on, and numbers that stand for it: outputs write the
 * values of these fields once for each number, and copy the bytes for later events.
 */

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

/* Whether more than the id of the thread is known. */
static inline bool thread_event_is_known(const struct state_event *event)
{
	return event->thread && event->thread->pid >= 0;
}

/* The id of the parent of a thread of the event; it may be known even if the parent is not. */
static inline int64_t thread_event_parent_pid(const struct state_event *event,
					      const struct state_thread *thread)
{
	const struct state_thread *parent = state_thread_parent(event->state, thread);

	return parent ? parent->pid : thread->ptid;
}

/*
 * Events with the same number have the same values of all fields with FIELD_OF_THREAD, as long as
 * all events are of one engine. 0: there is no such number.
 */
uint64_t thread_revision(struct thread_revisions *revisions, const struct state_event *event);

/* It is empty afterwards. */
void thread_revisions_finish(struct thread_revisions *revisions);

/*
 * Texts of a thread and its program, among them lists of strings as the kernel and captures store
 * arguments.
 */

/* Lists of NUL-terminated strings, as the kernel and captures store arguments and the like. */

/* Appends the strings with blanks between them. */
void thread_strings_append(struct buf *text, const char *strings, size_t len);

/* The string at an index, borrowed; an empty one if there are fewer. */
struct field_value thread_strings_at(const char *strings, size_t len, int32_t index);

/* Finds "NAME=VALUE"; the value is borrowed. Returns false if no string has that name. */
bool thread_strings_find(const char *strings, size_t len, const char *name,
			 struct field_value *value);

/* The texts of any thread, for the fields of the event's thread and of its relatives. */

/* Writes one value, like a getter: returns 1, or NO_VALUE. */
typedef int thread_giver(const struct state_thread *thread, struct field_scratch *scratch,
			 struct field_value *value);

thread_giver thread_give_name, thread_give_exe, thread_give_exepath, thread_give_args,
	thread_give_env;

/* The name and the arguments; the first word of the command line and the arguments. */
thread_giver thread_give_cmdline, thread_give_exeline;

/* The argument at an index; an empty one if there are fewer. */
int thread_give_argument(const struct state_thread *thread, int32_t index,
			 struct field_scratch *scratch, struct field_value *value);

/* The value of an environment variable; an empty one if it is not set. */
int thread_give_variable(const struct state_thread *thread, const char *name,
			 struct field_scratch *scratch, struct field_value *value);

#endif
