/* SPDX-License-Identifier: MIT */
/*
 * A small world for tests of fields and formatters: threads with known parts, events made by hand,
 * and checks of a field's value as text. No event changes the state here.
 */
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include "frame.h"
#include "sinsp/state/engine.h"

/* 2026-11-21T11:36:01.123456789Z */
#define WORLD_TIME_NS UINT64_C(1795260961123456789)

struct world {
	struct sinsp *sinsp;
	struct frame frame;
	struct sinsp_event event;
};

/* Aborts when something fails, as all functions here do. */
void world_create(struct world *world);
void world_destroy(struct world *world);

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
struct sinsp_thread *world_process(struct world *world, const struct world_process *process);

/* Another thread of a process, sharing everything with its main one. */
struct sinsp_thread *world_thread(struct world *world, const struct sinsp_thread *leader, int64_t tid);

/* An open descriptor. */
struct sinsp_fd *world_fd(const struct sinsp_thread *thread, int64_t num, enum scap_fd_type type,
			  const char *name);

/* Begins an event at WORLD_TIME_NS; parameters go to world->frame. */
void world_begin(struct world *world, uint16_t id, int64_t tid);

/* Ends it: world->event has its thread, but no descriptor. */
struct sinsp_event *world_end(struct world *world);

/* Its thread, which must be known, to be changed. */
struct sinsp_thread *world_self(struct world *world);

/* Gives it a descriptor. */
void world_set_fd(struct world *world, int64_t num, struct sinsp_fd *fd);

/* Check the text of a field, or that it has no value, or the whole line of JSON for one field. */
void world_expect(struct world *world, const char *field, const char *text);
void world_expect_none(struct world *world, const char *field);
void world_expect_json(struct world *world, const char *field, const char *json);

#endif
