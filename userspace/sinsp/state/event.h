/* SPDX-License-Identifier: MIT */
/*
 * The interface of fields and formatters: an applied event with its thread and its descriptor, and
 * related data of the engine. All of it is const: nothing here reads /proc or changes the tables of
 * threads and descriptors. Only names of users and hosts are read from their files, at first use,
 * and cached.
 */
#ifndef SINSP_STATE_EVENT_H
#define SINSP_STATE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "sinsp/state/thread.h"
#include "sinsp/state/containers/users.h"

struct state;

struct state_event {
	struct event ev;
	uint64_t num; /* 1 for the first */
	int64_t clock_step_ns; /* as in struct scap_event */
	uint64_t first_ts_ns; /* time of the first event that is not hidden, else its own */
	const struct state *state;
	const struct state_thread *thread; /* NULL if unknown */
	const struct state_fd *fd; /* NULL: none, or unknown */
	/* The table of fd_num: that of the thread or of a ring of io_uring; NULL: unknown. */
	const struct state_fds *fds;
	bool has_fd; /* the event is about a descriptor: fd_num is set */
	bool fd_named; /* the event gave or changed the name of its descriptor */
	int64_t fd_num;
	/*
	 * Of a call that made a descriptor: the inode of the file that had its number, if that had
	 * no other one. So it is closed: its close comes later, or was not seen. 0: none is known.
	 */
	uint64_t replaced_ino;
	/*
	 * Sockets that nobody has any more of whom is known, by the end of a process, an exec or a
	 * close_range, by number; if state_tell_gone(). Those that were read from /proc are not
	 * among them, nor any beyond 16,384.
	 */
	const struct state_gone *gone;
	uint32_t gone_count;
	/* It passed because a part that is missing decides: see filter_is_unknown(). */
	bool filter_unknown;
	bool was_unknown; /* the same, of any of the filters that it passed */
};

/* Notes the answer of a filter that the event passed. Returns what the event had. */
static inline bool state_event_note_answer(struct state_event *event, bool unknown)
{
	bool before = event->filter_unknown;

	event->filter_unknown = unknown;
	event->was_unknown |= unknown;
	return before;
}

/* Whether an operation of io_uring did what the event's call does. */
static inline bool state_event_is_uring(const struct state_event *event)
{
	return event->ev.uring.ring != 0;
}

/* Whether evt.marks has a value; few events are marked. */
static inline bool state_event_is_marked(const struct state_event *event)
{
	const struct frame_marks *marks = &event->ev.marks;

	return (marks->truncated | marks->contested | marks->is_faked) || event->filter_unknown;
}

/*
 * Converts a time of the event or of its thread to the event's wall clock; 0 (unknown) stays 0. For
 * output as a time since 1970; durations are computed from unconverted times.
 */
static inline uint64_t state_wall_ns(const struct state_event *event, uint64_t ns)
{
	return ns ? ns + (uint64_t)event->clock_step_ns : 0;
}

/* The thread of an id in the table, or NULL. */
const struct state_thread *state_thread_find(const struct state *state, int64_t tid);

/* The main thread of the thread's process, or NULL if it is unknown. */
const struct state_thread *state_thread_main(const struct state *state,
					     const struct state_thread *thread);

/* The main thread of the parent process, or NULL. */
const struct state_thread *state_thread_parent(const struct state *state,
					       const struct state_thread *thread);

/*
 * Joins a path of an event to its base directory, and normalises it: the current directory for
 * FSPATH, the base descriptor for FSRELPATH. Returns the length written to `out` (NUL-terminated,
 * truncated to `size`), or 0 if the parameter is absent. An unknown base gives "<UNKNOWN>" with the
 * path after it.
 */
size_t state_event_path(const struct state_event *event, unsigned int param, char *out,
			size_t size);

/* The entry of a user id, and names of ids; NULL if the machine's tables have none. */
const struct state_user *state_user(const struct state *state, uint32_t uid);
const char *state_user_name(const struct state *state, uint32_t uid);
const char *state_group_name(const struct state *state, uint32_t gid);

/*
 * The entry of a user id, and names of ids, as the event's thread has them: of its container, if
 * that has users of its own; NULL also as long as that is not known.
 */
const struct state_user *state_event_user(const struct state_event *event, uint32_t uid);
const char *state_event_user_name(const struct state_event *event, uint32_t uid);
const char *state_event_group_name(const struct state_event *event, uint32_t gid);

/* The name of an IP address in this machine's table of hosts, or NULL: see names_hosts_name(). */
const char *state_host_name(const struct state *state, const uint8_t *address, size_t len);

/* A number that differs for each boot of each machine. */
uint64_t state_boot(const struct state *state);

/* The name of the machine that events come from. */
const char *state_hostname(const struct state *state);

/* Of a switch: how long the previous thread was on the CPU; 0 if its start was not seen. */
uint64_t state_run_ns(const struct state_event *event);

/* Of a switch: how long the previous thread was off CPUs before that run; 0 if it was not seen. */
uint64_t state_off_ns(const struct state_event *event);

/* Of a call that removed a file: how long after that was made; 0: it is not known. */
uint64_t state_file_age_ns(const struct state_event *event);

#endif
