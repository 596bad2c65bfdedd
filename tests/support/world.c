/* SPDX-License-Identifier: MIT */
/* Threads and events made by hand, and checks through formatters of one field. */
#include "world.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/format/formatter.h"
#include "sinsp/state/core.h"
#include "sinsp/state/program.h"

static void *must(void *pointer)
{
	if (!pointer)
		abort();
	return pointer;
}

struct state_thread *world_process(struct drive *world, const struct world_process *process)
{
	struct pool *pool = &world->state->pool;
	struct state_thread *thread =
		must(state_thread_add(world->state, process->pid, process->pid));
	struct state_program program = {
		.exe = process->exe ? process->exe : "",
		.exepath = process->exepath ? process->exepath : "",
		.args = process->args ? process->args : "",
		.args_len = process->args_len,
		.env = process->env ? process->env : "",
		.env_len = process->env_len,
	};

	state_threads_set_parent(&world->state->threads, thread, process->ptid);
	snprintf(thread->comm, sizeof(thread->comm), "%s", process->comm);
	thread->uid = thread->gid = 0;
	state_program_unref(pool, thread->program);
	thread->program = must(state_program_create(pool, &program));
	if (process->cwd) {
		state_fs_unref(pool, thread->fs);
		thread->fs = must(state_fs_create(pool, process->cwd, strlen(process->cwd)));
	}
	return thread;
}

int world_setup(void **state)
{
	static const struct world_process cat = {
		.pid = 100, .ptid = 1, .comm = "cat", .cwd = "/home/user"};

	return world_setup_process(state, &cat, NULL);
}

/* The only user, whatever the machine of the test has. */
static void add_root(struct names *names)
{
	const struct state_user root = {.name = "root", .home = "/root", .shell = "/bin/sh"};

	names_forget_users(names);
	if (state_users_add(&names->users, &root))
		abort();
}

int world_setup_process(void **state, const struct world_process *process, const char *etc)
{
	const struct state_config config = {
		.hostname = "box", .etc = etc ? etc : "/nonexistent", .boot_id = "1"};
	struct drive *world = must(calloc(1, sizeof(*world)));

	drive_create(world, &config);
	if (!etc)
		add_root(world->state->names);
	world_process(world, process);
	world_begin(world, EVENT_getuid, process->pid);
	world_end(world);
	world->event.num = 0;
	*state = world;
	return 0;
}

int world_teardown(void **state)
{
	return drive_teardown(state);
}

struct state_thread *world_thread(struct drive *world, const struct state_thread *leader,
				  int64_t tid)
{
	struct state_thread *thread = must(state_thread_add(world->state, tid, leader->pid));

	state_share(world->state, thread, leader, clone_flags__CLONE_FS | clone_flags__CLONE_FILES);
	state_threads_set_parent(&world->state->threads, thread, leader->ptid);
	memcpy(thread->comm, leader->comm, sizeof(thread->comm));
	return thread;
}

struct state_fd *world_fd(const struct state_thread *thread, int64_t num, enum scap_fd_type type,
			  const char *name)
{
	struct state_fd *fd = must(state_fds_open(thread->fds, num, name, strlen(name)));

	fd->type = type;
	return fd;
}

union state_ends *world_ends(struct drive *world, struct state_fd *fd)
{
	union state_ends *ends = state_fd_make_ends(&world->state->fd_store, fd);

	assert_non_null(ends);
	return ends;
}

struct state_fd *world_connection(struct drive *world, const char *source, const char *dest)
{
	struct state_fd *fd = world_fd(world->event.thread, 3, SCAP_FD_IPV4, "a->b");
	union state_ends *ends = world_ends(world, fd);

	fd->l4 = SCAP_L4_TCP;
	fd->role = STATE_ROLE_CLIENT;
	assert_int_equal(inet_pton(AF_INET, source, ends->source.address), 1);
	assert_int_equal(inet_pton(AF_INET, dest, ends->dest.address), 1);
	ends->source.port = 40000;
	ends->dest.port = 443;
	world_set_fd(world, 3, fd);
	return fd;
}

void world_begin(struct drive *world, uint16_t id, int64_t tid)
{
	frame_begin(&world->frame, id, WORLD_TIME_NS, tid);
}

struct state_event *world_end(struct drive *world)
{
	struct scap_event raw = frame_end(&world->frame);

	world->event = (struct state_event){
		.num = world->event.num + 1,
		.first_ts_ns = WORLD_TIME_NS - 5000000007,
		.state = world->state,
		.fd_num = -1,
	};
	if (event_decode(raw.frame, raw.len, 3, &world->event.ev))
		abort();
	world->event.thread = state_thread_find(world->state, world->event.ev.tid);
	return &world->event;
}

void world_openat(struct drive *world, int64_t result, const char *name, uint32_t flags)
{
	world_begin(world, EVENT_openat, 100);
	frame_put_i64(&world->frame, openat__fd, result);
	frame_put_i64(&world->frame, openat__dirfd, -100);
	frame_put_string(&world->frame, openat__name, name);
	frame_put_i64(&world->frame, openat__flags, flags);
	frame_put_i64(&world->frame, openat__mode, 0755);
	if (result >= 0) {
		frame_put_i64(&world->frame, openat__dev, 0xfd01);
		frame_put_i64(&world->frame, openat__ino, 1 << 20);
	}
	world_end(world);
}

void world_exit(struct drive *world)
{
	world_begin(world, EVENT_procexit, 100);
	frame_put_i64(&world->frame, procexit__status, 9);
	frame_put_i64(&world->frame, procexit__sig, 9);
	world_end(world);
}

void world_read(struct drive *world, int64_t result)
{
	world_begin(world, EVENT_read, 100);
	frame_put_i64(&world->frame, read__res, result);
	frame_put_bytes(&world->frame, read__data, "ab\0\xff", result > 0 ? 4 : 0);
	frame_put_i64(&world->frame, read__fd, 3);
	frame_put_i64(&world->frame, read__size, 4096);
	world_end(world);
}

void world_read_from(struct drive *world, struct state_fd *fd)
{
	world_read(world, 0);
	world_set_fd(world, 3, fd);
}

struct state_thread *world_self(struct drive *world)
{
	return must(state_thread_get(world->state, world->event.ev.tid));
}

void world_set_fd(struct drive *world, int64_t num, struct state_fd *fd)
{
	world->event.has_fd = true;
	world->event.fd_num = num;
	world->event.fd = fd;
}

/* The line of a formatter with that field alone; the caller finishes the buffer. */
static struct buf line_of(struct drive *world, const struct output_format *output,
			  const char *field)
{
	struct formatter *formatter = NULL;
	struct error err;
	struct buf line = {0};

	if (formatter_create(output, &field, 1, &formatter, &err))
		fail_msg("%s", err.text);
	formatter_write(formatter, &world->event, &line);
	formatter_destroy(formatter);
	assert_true(line.len > 0 && line.data[line.len - 1] == '\n');
	line.data[line.len - 1] = '\0';
	return line;
}

void world_expect(struct drive *world, const char *field, const char *text)
{
	struct buf line = line_of(world, &format_text, field);

	if (strcmp(line.data, text) != 0)
		fail_msg("%s is '%s', not '%s'", field, line.data, text);
	buf_finish(&line);
}

void world_expect_none(struct drive *world, const char *field)
{
	struct buf line = line_of(world, &format_json, field);

	if (strcmp(line.data, "{}") != 0)
		fail_msg("%s has a value: %s", field, line.data);
	buf_finish(&line);
}

void world_expect_json(struct drive *world, const char *field, const char *json)
{
	struct buf line = line_of(world, &format_json, field);

	if (strcmp(line.data, json) != 0)
		fail_msg("%s is %s, not %s", field, line.data, json);
	buf_finish(&line);
}
