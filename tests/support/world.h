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
struct sinsp_thread *world_process(struct drive *world, const struct world_process *process);

/* Another thread of a process, sharing everything with its main one. */
struct sinsp_thread *world_thread(struct drive *world, const struct sinsp_thread *leader, int64_t tid);

/* An open descriptor. */
struct sinsp_fd *world_fd(const struct sinsp_thread *thread, int64_t num, enum scap_fd_type type,
			  const char *name);

/* Begins an event at WORLD_TIME_NS; its parameters go to the frame. */
void world_begin(struct drive *world, uint16_t id, int64_t tid);

/* Ends it without applying it: it has its thread, but no descriptor. */
struct sinsp_event *world_end(struct drive *world);

/* Its thread, which must be known, to be changed. */
struct sinsp_thread *world_self(struct drive *world);

/* Gives it a descriptor. */
void world_set_fd(struct drive *world, int64_t num, struct sinsp_fd *fd);

/* Check the text of a field, or that it has no value, or the whole line of JSON for one field. */
void world_expect(struct drive *world, const char *field, const char *text);
void world_expect_none(struct drive *world, const char *field);
void world_expect_json(struct drive *world, const char *field, const char *json);

#endif
