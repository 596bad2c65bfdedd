/* SPDX-License-Identifier: MIT */
/* Events made by hand for the state engine. */
#include "drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/core.h"

void drive_create(struct drive *drive, const struct state_config *config)
{
	static const struct state_config defaults;

	drive->ts_ns = 1000000;
	if (state_create(config ? config : &defaults, &drive->state, NULL))
		abort();
}

void drive_destroy(struct drive *drive)
{
	state_destroy(drive->state);
}

int drive_setup(void **state)
{
	struct drive *drive = calloc(1, sizeof(*drive));

	if (!drive)
		return -1;
	drive_create(drive, NULL);
	*state = drive;
	return 0;
}

int drive_setup_process(void **state)
{
	if (drive_setup(state))
		return -1;
	drive_exec(*state, 100, "sh");
	return 0;
}

int drive_teardown(void **state)
{
	drive_destroy(*state);
	free(*state);
	return 0;
}

struct frame *drive_begin(struct drive *drive, uint16_t id, int64_t tid)
{
	frame_begin(&drive->frame, id, drive->ts_ns, tid);
	drive->ts_ns += 1000;
	return &drive->frame;
}

struct state_event *drive_end(struct drive *drive)
{
	struct scap_event raw = frame_end(&drive->frame);

	if (state_process(drive->state, &raw, &drive->event))
		abort();
	return &drive->event;
}

struct state_event *drive_any(struct drive *drive, int64_t tid)
{
	frame_put_i64(drive_begin(drive, EVENT_syscall, tid), syscall__ID, SC_getppid);
	return drive_end(drive);
}

struct state_event *drive_exec(struct drive *drive, int64_t tid, const char *comm)
{
	return drive_exec_below(drive, tid, 1, comm);
}

struct state_event *drive_exec_below(struct drive *drive, int64_t tid, int64_t parent,
				     const char *comm)
{
	struct frame *frame = drive_begin(drive, EVENT_execve, tid);
	char path[64];

	snprintf(path, sizeof(path), "/bin/%s", comm);
	frame_put_i64(frame, execve__res, 0);
	frame_put_i64(frame, execve__tid, tid);
	frame_put_i64(frame, execve__pid, tid);
	frame_put_i64(frame, execve__ptid, parent);
	frame_put_string(frame, execve__exe, comm);
	frame_put_bytes(frame, execve__args, "a\0b", 4);
	frame_put_string(frame, execve__comm, comm);
	frame_put_string(frame, execve__trusted_exepath, path);
	frame_put_string(frame, execve__filename, path);
	return drive_end(drive);
}

struct state_event *drive_clone(struct drive *drive, int64_t tid, int64_t result,
				const struct drive_clone *clone)
{
	struct frame *frame = drive_begin(drive, clone->id ? clone->id : EVENT_clone, tid);

	frame_put_i64(frame, clone__res, result);
	frame_put_i64(frame, clone__tid, tid);
	frame_put_i64(frame, clone__pid, clone->pid);
	frame_put_i64(frame, clone__ptid, clone->ptid);
	frame_put_string(frame, clone__comm, clone->comm);
	frame_put_i64(frame, clone__flags, clone->flags);
	frame_put_i64(frame, clone__vtid, clone->vtid ? clone->vtid : tid);
	frame_put_i64(frame, clone__vpid, clone->vpid ? clone->vpid : clone->pid);
	if (clone->exec_id)
		frame_put_i64(frame, clone__exec_id, (int64_t)clone->exec_id);
	return drive_end(drive);
}

void drive_fork(struct drive *drive, int64_t parent, int64_t child)
{
	const struct state_thread *caller = drive_thread(drive, parent);

	drive_clone(drive, child, 0,
		    &(struct drive_clone){.id = EVENT_fork, .pid = child, .ptid = parent});
	drive_clone(
		drive, parent, child,
		&(struct drive_clone){.id = EVENT_fork, .pid = caller->pid, .ptid = caller->ptid});
}

struct state_event *drive_exit(struct drive *drive, int64_t tid, int64_t reaper)
{
	frame_put_i64(drive_begin(drive, EVENT_procexit, tid), procexit__reaper_tid, reaper);
	return drive_end(drive);
}

struct state_event *drive_open(struct drive *drive, int64_t tid, int64_t result, const char *name,
			       uint32_t flags)
{
	struct frame *frame = drive_begin(drive, EVENT_open, tid);

	frame_put_i64(frame, open__fd, result);
	frame_put_string(frame, open__name, name);
	frame_put_i64(frame, open__flags, flags);
	frame_put_i64(frame, open__dev, 7);
	frame_put_i64(frame, open__ino, 77);
	return drive_end(drive);
}

struct state_event *drive_open_path(struct drive *drive, int64_t tid, int64_t result,
				    const char *name, const char *path)
{
	struct frame *frame = drive_begin(drive, EVENT_open, tid);

	frame_put_i64(frame, open__fd, result);
	frame_put_string(frame, open__name, name);
	frame_put_i64(frame, open__flags, 1);
	frame_put_string(frame, open__path, path);
	return drive_end(drive);
}

struct state_event *drive_openat(struct drive *drive, int64_t tid, int64_t result, int64_t dirfd,
				 const char *name)
{
	struct frame *frame = drive_begin(drive, EVENT_openat, tid);

	frame_put_i64(frame, openat__fd, result);
	frame_put_i64(frame, openat__dirfd, dirfd);
	frame_put_string(frame, openat__name, name);
	frame_put_i64(frame, openat__flags, 1);
	return drive_end(drive);
}

struct state_event *drive_close(struct drive *drive, int64_t tid, int64_t result, int64_t fd)
{
	struct frame *frame = drive_begin(drive, EVENT_close, tid);

	frame_put_i64(frame, close__res, result);
	frame_put_i64(frame, close__fd, fd);
	return drive_end(drive);
}

struct state_event *drive_read(struct drive *drive, int64_t tid, int64_t result, int64_t fd)
{
	struct frame *frame = drive_begin(drive, EVENT_read, tid);

	frame_put_i64(frame, read__res, result);
	frame_put_i64(frame, read__fd, fd);
	return drive_end(drive);
}

struct state_event *drive_chdir(struct drive *drive, int64_t tid, int64_t result, const char *path)
{
	struct frame *frame = drive_begin(drive, EVENT_chdir, tid);

	frame_put_i64(frame, chdir__res, result);
	frame_put_string(frame, chdir__path, path);
	return drive_end(drive);
}

struct state_thread *drive_thread(struct drive *drive, int64_t tid)
{
	struct state_thread *thread = state_thread_get(drive->state, tid);

	if (!thread) {
		fprintf(stderr, "thread %lld is not known\n", (long long)tid);
		abort();
	}
	return thread;
}

const char *drive_name(struct drive *drive, int64_t tid, int64_t num)
{
	struct state_fd *fd = state_fds_find(drive_thread(drive, tid)->fds, num);

	if (!fd) {
		fprintf(stderr, "descriptor %lld is not known\n", (long long)num);
		abort();
	}
	return fd->name;
}

bool drive_has_fd(struct drive *drive, int64_t tid, int64_t fd)
{
	return state_fds_find(drive_thread(drive, tid)->fds, fd);
}
