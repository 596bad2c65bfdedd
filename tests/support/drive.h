/* SPDX-License-Identifier: MIT */
/*
 * Drives the state engine with events made by hand: a line for each event, then checks of what the
 * event has got and of what the tables hold. Anything that fails on the way aborts the test.
 */
#ifndef TESTS_DRIVE_H
#define TESTS_DRIVE_H

#include "frame.h"
#include "sinsp/state/engine.h"

struct drive {
	struct state *state;
	uint64_t ts_ns; /* of the next event; grows by 1,000 with each */
	struct frame frame;
	struct state_event event;
};

/* `config` may be NULL: nothing is looked up, default limits. */
void drive_create(struct drive *drive, const struct state_config *config);
void drive_destroy(struct drive *drive);

/*
 * Fixtures for cmocka, with a struct drive as the state: with nothing in it, or with process 100,
 * "sh", as drive_exec() makes it.
 */
int drive_setup(void **state);
int drive_setup_process(void **state);
int drive_teardown(void **state);

/* Begins an event; its parameters go to drive->frame. */
struct frame *drive_begin(struct drive *drive, uint16_t id, int64_t tid);

/* Applies it. */
struct state_event *drive_end(struct drive *drive);

/* An event without further parameters: a system call without an event of its own. */
struct state_event *drive_any(struct drive *drive, int64_t tid);

/*
 * A thread of its own process, as an exec shows it: "/bin/<comm>", arguments "a", "b"; its parent
 * is process 1 or the one given.
 */
struct state_event *drive_exec(struct drive *drive, int64_t tid, const char *comm);
struct state_event *drive_exec_below(struct drive *drive, int64_t tid, int64_t parent,
				     const char *comm);

/* What clone events say beside the caller. */
struct drive_clone {
	uint16_t id; /* EVENT_clone when 0 */
	uint32_t flags; /* clone_flags */
	int64_t pid, ptid;
	int64_t vtid, vpid; /* those of the initial namespace when 0 */
	const char *comm;
	uint64_t exec_id; /* absent when 0 */
};

/* The event of a caller with its result, or of a new thread when `result` is 0. */
struct state_event *drive_clone(struct drive *drive, int64_t tid, int64_t result,
				const struct drive_clone *clone);

/* A process `child` forked from `parent`: both events, the child's first. */
void drive_fork(struct drive *drive, int64_t parent, int64_t child);

struct state_event *drive_exit(struct drive *drive, int64_t tid, int64_t reaper);

/* Calls by name, with the parameters that matter and the result first. */
struct state_event *drive_open(struct drive *drive, int64_t tid, int64_t result, const char *name,
			       uint32_t flags);
/* Opened as `name`; the kernel reports `path`. */
struct state_event *drive_open_path(struct drive *drive, int64_t tid, int64_t result,
				    const char *name, const char *path);
struct state_event *drive_openat(struct drive *drive, int64_t tid, int64_t result, int64_t dirfd,
				 const char *name);
struct state_event *drive_close(struct drive *drive, int64_t tid, int64_t result, int64_t fd);
struct state_event *drive_read(struct drive *drive, int64_t tid, int64_t result, int64_t fd);
struct state_event *drive_chdir(struct drive *drive, int64_t tid, int64_t result, const char *path);

/* The thread or the name of a descriptor, which must be there. */
struct state_thread *drive_thread(struct drive *drive, int64_t tid);
const char *drive_name(struct drive *drive, int64_t tid, int64_t fd);

/* Whether a descriptor is in the table of a thread. */
bool drive_has_fd(struct drive *drive, int64_t tid, int64_t fd);

#endif
