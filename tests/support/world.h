/* SPDX-License-Identifier: MIT */
/*
 * A small world for tests of fields and formatters, in the fixture of drive.h: threads with known
 * parts, events that change no state, and checks of a field's value as text.
 */
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include "drive.h"

/* 2026-11-21T11:36:01.123456789Z */
#define WORLD_TIME_NS UINT64_C(1795260961123456789)

/* A main thread: `args` are `args_len` bytes, each argument with its NUL; likewise `env`. */
struct world_process {
	int64_t pid, ptid;
	const char *comm, *exe, *exepath;
	const char *args;
	size_t args_len;
	const char *env;
	size_t env_len;
	const char *cwd;
};
struct state_thread *world_process(struct drive *world, const struct world_process *process);

/*
 * Fixtures for cmocka, with a struct drive as the state. The first makes the machine "box" with
 * process 100, "cat" in /home/user, and a getuid event of it that is not counted. The other does it
 * with a process of the test's choice; names of users, groups and hosts are those of the files in
 * the folder `etc`, or root alone if that is NULL.
 */
int world_setup(void **state);
int world_setup_process(void **state, const struct world_process *process, const char *etc);
int world_teardown(void **state);

/* Another thread of a process, sharing everything with its main one. */
struct state_thread *world_thread(struct drive *world, const struct state_thread *leader,
				  int64_t tid);

/* An open descriptor. */
struct state_fd *world_fd(const struct state_thread *thread, int64_t num, enum scap_fd_type type,
			  const char *name);

/* Makes descriptor 3 of the event's thread, and of the event, a TCP client from port 40000 to 443.
 */
/* The ends of a descriptor, to be changed. */
union state_ends *world_ends(struct drive *world, struct state_fd *fd);

struct state_fd *world_connection(struct drive *world, const char *source, const char *dest);

/* Begins an event at WORLD_TIME_NS; its parameters go to the frame. */
void world_begin(struct drive *world, uint16_t id, int64_t tid);

/* Ends it without applying it: it has its thread, but no descriptor. */
struct state_event *world_end(struct drive *world);

/*
 * Whole events of process 100: an openat below its directory with mode 0755, and if it succeeds of
 * inode 1048576 of device 0xfd01; a read of descriptor 3, with the bytes "ab\0\xff" if the result
 * is above 0; its exit, killed by signal 9.
 */
void world_openat(struct drive *world, int64_t result, const char *name, uint32_t flags);
void world_read(struct drive *world, int64_t result);
void world_exit(struct drive *world);

/* A read of 0 bytes from descriptor 3, of which this is known; NULL: nothing. */
void world_read_from(struct drive *world, struct state_fd *fd);

/* Its thread, which must be known, to be changed. */
struct state_thread *world_self(struct drive *world);

/* Gives it a descriptor. */
void world_set_fd(struct drive *world, int64_t num, struct state_fd *fd);

/* Check the text of a field, or that it has no value, or the whole line of JSON for one field. */
void world_expect(struct drive *world, const char *field, const char *text);
void world_expect_none(struct drive *world, const char *field);
void world_expect_json(struct drive *world, const char *field, const char *json);

#endif
