/* SPDX-License-Identifier: MIT */
/* What is asked of /proc: unknown threads and descriptors, once each. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "driven_machine.h"
#include "sinsp/state/core.h"
#include "sinsp/state/fds.h"
#include "sinsp/state/engine.h"
#include "unit.h"
#include "util/clock.h"

static void asks_once_for_a_thread(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	assert_string_equal(drive_any(drive, 50)->thread->comm, "client");
	assert_string_equal(drive_name(drive, 50, 3), "/etc/hosts");
	drive_any(drive, 50);
	assert_int_equal(machine->proc.asked_threads, 1);
	assert_int_equal(driven_machine_stats(machine).thread_lookups, 1);
	assert_int_equal(driven_machine_stats(machine).thread_lookups_failed, 0);
}

static void asks_once_without_answer(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	for (int i = 0; i < 5; i++)
		assert_null(drive_any(drive, 777)->thread);
	assert_int_equal(machine->proc.asked_threads, 1);
	assert_int_equal(driven_machine_stats(machine).thread_lookups, 1);
	assert_int_equal(driven_machine_stats(machine).thread_lookups_failed, 1);
	assert_int_equal(driven_machine_stats(machine).threads, 0);
	assert_null(state_thread_find(drive->state, 777));
	/* Until the id is heard of. */
	drive_exec(drive, 777, "cat");
	assert_string_equal(drive_any(drive, 777)->thread->comm, "cat");
	assert_int_equal(machine->proc.asked_threads, 1);
	/* Or until its thread ends: then the id may become another's. */
	assert_null(drive_any(drive, 778)->thread);
	drive_exit(drive, 778, 0);
	drive_any(drive, 778);
	assert_int_equal(machine->proc.asked_threads, 3);
}

static void brings_the_main_thread_with_another(void **state)
{
	struct driven_machine *machine = *state;
	const struct state_thread *thread = drive_any(&machine->drive, 51)->thread, *main;

	assert_string_equal(thread->comm, "worker");
	main = state_thread_main(machine->drive.state, thread);
	assert_string_equal(main->comm, "client");
	assert_ptr_equal(thread->fds, main->fds);
	assert_int_equal(main->nthreads, 2);
	assert_int_equal(driven_machine_stats(machine).thread_lookups, 2);
}

/* As long as events are missing, nobody needs it; then another file may have the number. */
static void asks_after_a_gap(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	state_seed(drive->state, NULL, NULL);
	state_begin_gap(drive->state, 50);
	assert_null(drive_read(drive, 50, 1, 3)->fd);
	assert_null(drive_read(drive, 50, 1, 99)->fd);
	assert_int_equal(machine->proc.asked_fds, 0);
	state_end_gap(drive->state, 50, 1, 0);
	assert_string_equal(drive_read(drive, 50, 1, 3)->fd->name, "/etc/hosts");
	drive_read(drive, 50, 1, 99);
	assert_int_equal(machine->proc.asked_fds, 2);
}

static void asks_once_for_a_descriptor(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	state_seed(drive->state, NULL, NULL);
	drive_close(drive, 50, 0, 3);
	assert_string_equal(drive_read(drive, 50, 1, 3)->fd->name, "/etc/hosts");
	assert_int_equal(machine->proc.asked_fds, 1);
	for (int i = 0; i < 5; i++)
		assert_null(drive_read(drive, 50, 1, 99)->fd);
	assert_int_equal(machine->proc.asked_fds, 2);
	assert_int_equal(driven_machine_stats(machine).fd_lookups, 2);
	assert_int_equal(driven_machine_stats(machine).fd_lookups_failed, 1);
	/* A descriptor that never was, and numbers that are none. */
	drive_read(drive, 50, -EBADF, 98);
	drive_read(drive, 50, -EBADF, -1);
	drive_read(drive, 50, 0, -100);
	drive_read(drive, 50, 0, INT64_MAX);
	assert_int_equal(machine->proc.asked_fds, 2);
	/* Closed again, it may be asked for again. */
	drive_open(drive, 50, 99, "/99", 0);
	drive_close(drive, 50, 0, 99);
	drive_read(drive, 50, 1, 99);
	assert_int_equal(machine->proc.asked_fds, 3);
}

/* A read of a descriptor that is that file by the kernel. */
static const struct state_fd *read_as(struct drive *drive, int64_t num, struct frame_file file)
{
	struct frame *frame = drive_begin(drive, EVENT_read, 50);

	frame->file = file;
	frame_put_i64(frame, read__res, 1);
	frame_put_i64(frame, read__fd, num);
	return drive_end(drive)->fd;
}

static const struct state_fd *read_file(struct drive *drive, int64_t num, uint64_t ino,
					uint32_t mount)
{
	return read_as(drive, num, (struct frame_file){ino, 0x801, mount});
}

/* Of events after all that has been read. */
static uint64_t later_ns(void)
{
	return clock_ns(CLOCK_REALTIME) + UINT64_C(3600000000000);
}

/* /proc is asked late: its name counts only if it is of the file that was read. */
static void takes_no_name_of_another_file(void **state)
{
	static const struct scap_fd fds[] = {
		{.num = 3, .type = SCAP_FD_FILE, .name = "/etc/hosts", .ino = 7, .mount = 30},
		{.num = 4, .type = SCAP_FD_FILE, .name = "/old", .ino = 8, .dev = 0x801},
	};
	static const struct fake_thread threads[] = {
		{.tid = 50, .pid = 50, .comm = "client", .fds = fds, .nfds = 2}};
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	machine->proc.threads = threads;
	machine->proc.count = 1;
	drive_any(drive, 50);
	drive->ts_ns = later_ns();
	/* What the scan found is another file now, of another mount or inode. */
	assert_string_equal(read_file(drive, 3, 7, 30)->name, "/etc/hosts");
	assert_int_equal(machine->proc.asked_fds, 0);
	assert_string_equal(read_file(drive, 3, 9, 30)->name, "");
	assert_int_equal(driven_machine_stats(machine).names_unsure, 1);
	assert_int_equal(state_fd_ino(read_file(drive, 3, 9, 30)), 9);
	assert_int_equal(machine->proc.asked_fds, 1);
	assert_string_equal(read_file(drive, 3, 7, 30)->name, "/etc/hosts");
	drive_close(drive, 50, 0, 3);
	assert_string_equal(read_file(drive, 3, 7, 31)->name, "");
	assert_int_equal(driven_machine_stats(machine).names_unsure, 2);
	/* Without mounts devices are compared. */
	drive_close(drive, 50, 0, 4);
	assert_string_equal(read_file(drive, 4, 8, 30)->name, "/old");
	/* What an event opened is replaced by nothing that /proc does not have. */
	drive_open(drive, 50, 9, "/opened", 0);
	assert_string_equal(read_as(drive, 9, (struct frame_file){77, 7, 30})->name, "/opened");
	assert_null(read_as(drive, 9, (struct frame_file){78, 7, 30}));
}

/* An event about what had the number before takes no name, and does not replace what has it now. */
static void keeps_what_was_read_after_the_event(void **state)
{
	static const struct scap_fd fds[] = {
		{.num = 3, .type = SCAP_FD_FILE, .name = "/etc/hosts", .ino = 7, .mount = 30},
	};
	static const struct fake_thread threads[] = {
		{.tid = 50, .pid = 50, .comm = "client", .fds = fds, .nfds = 1}};
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	machine->proc.threads = threads;
	machine->proc.count = 1;
	drive_any(drive, 50);
	assert_null(read_file(drive, 3, 9, 30));
	assert_int_equal(driven_machine_stats(machine).names_unsure, 1);
	assert_int_equal(machine->proc.asked_fds, 0);
	drive->ts_ns = later_ns();
	assert_string_equal(read_file(drive, 3, 7, 30)->name, "/etc/hosts");
	assert_int_equal(machine->proc.asked_fds, 0);
}

/* A close at whose end the number is that file. Returns the descriptor that it closed. */
static const struct state_fd *close_as(struct drive *drive, int64_t num, struct frame_file file)
{
	struct frame *frame = drive_begin(drive, EVENT_close, 50);

	frame->file = file;
	frame_put_i64(frame, close__res, 0);
	frame_put_i64(frame, close__fd, num);
	return drive_end(drive)->fd;
}

/* Another thread may get the number before the close ends: its event may come first. */
static void keeps_what_got_the_number_meanwhile(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	drive_open(drive, 50, 9, "/first", 0);
	drive_open(drive, 50, 9, "/second", 0);
	assert_null(close_as(drive, 9, (struct frame_file){77, 7, 30}));
	assert_string_equal(read_as(drive, 9, (struct frame_file){77, 7, 30})->name, "/second");
	/* Its event may come second, too. */
	assert_string_equal(close_as(drive, 9, (struct frame_file){78, 7, 30})->name, "/second");
	drive_any(drive, 50);
	assert_null(state_fds_find(state_thread_find(drive->state, 50)->fds, 9));
}

/* Generic calls make descriptors that no event shows, at the same numbers again and again. */
static void asks_again_after_a_close(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	unsigned int asked = 0;

	state_seed(drive->state, NULL, NULL);
	for (int i = 0; i < 3; i++) {
		assert_null(drive_read(drive, 50, 1, 90)->fd);
		assert_null(drive_read(drive, 50, 1, 90)->fd);
		assert_int_equal(machine->proc.asked_fds, ++asked);
		/* The close itself comes too late to ask, and shows that the number is free. */
		assert_null(drive_close(drive, 50, i == 1 ? -EIO : 0, 90)->fd);
		assert_int_equal(machine->proc.asked_fds, asked);
	}
	drive_close(drive, 50, 0, 91);
	assert_int_equal(machine->proc.asked_fds, asked);
	drive_read(drive, 50, 1, 90);
	drive_close(drive, 50, -EBADF, 90);
	drive_read(drive, 50, 1, 90);
	assert_int_equal(machine->proc.asked_fds, asked + 1);
	drive_exec(drive, 50, "cat");
	drive_read(drive, 50, 1, 90);
	assert_int_equal(machine->proc.asked_fds, asked + 2);
}

static void asks_only_for_what_was_open(void **state)
{
	static const int64_t failures[] = {-EINVAL, -EBADF, -EFAULT, -ESPIPE, -EISDIR, -EPERM};
	static const int64_t going_on[] = {-EAGAIN, -EINPROGRESS, 0, 1};
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	state_seed(drive->state, NULL, NULL);
	for (size_t i = 0; i < sizeof(failures) / sizeof(*failures); i++)
		drive_read(drive, 50, failures[i], 1000);
	assert_int_equal(machine->proc.asked_fds, 0);
	for (size_t i = 0; i < sizeof(going_on) / sizeof(*going_on); i++)
		drive_read(drive, 50, going_on[i], 1000 + (int64_t)i);
	assert_int_equal(machine->proc.asked_fds, 4);
}

/* With a seccomp filter calls return what the filter wants, on whatever descriptors. */
static void bounds_looks_and_memory(void **state)
{
	enum { CALLS = 100000, PER_SPAN = 1000 };
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct state_stats stats;
	size_t held;

	state_seed(drive->state, NULL, NULL);
	drive_read(drive, 50, 0, 10000);
	held = drive->state->pool.held;
	for (int64_t i = 0; i < CALLS; i++)
		drive_read(drive, 50, 0, 20000 + i * 32);
	stats = driven_machine_stats(machine);
	assert_int_equal(drive->state->pool.held, held);
	assert_int_equal(stats.fd_lookups, machine->proc.asked_fds);
	assert_int_equal(stats.fd_lookups + stats.fd_lookups_rejected, CALLS + 1);
	/* The calls took a tenth of a second, which is one span, or parts of two. */
	assert_in_range(stats.fd_lookups, 100, 2 * PER_SPAN);
	/* Later it asks again, and still finds what there is. */
	drive->ts_ns += 1000000000;
	drive_close(drive, 50, 0, 3);
	assert_string_equal(drive_read(drive, 50, 1, 3)->fd->name, "/etc/hosts");
}

/* Events that wait would be later still: a tenth is looked up until those that come are new. */
static void bounds_looks_of_late_events(void **state)
{
	enum { CALLS = 5000, PER_SPAN = 500 };
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	uint64_t before, max;

	state_seed(drive->state, NULL, NULL);
	for (int late = 0; late < 2; late++) {
		drive->ts_ns += 1000000000;
		drive_read(drive, 50, 0, 10000 + late);
		/* Events of drives are of another year. */
		state_check_lateness(drive->state, late);
		before = machine->proc.asked_fds;
		for (int64_t i = 0; i < CALLS; i++)
			drive_read(drive, 50, 0, 20000 + (CALLS * late + i) * 32);
		/* They took less than a span, of which the one before has a part. */
		max = late ? PER_SPAN / 10 : PER_SPAN;
		assert_in_range(machine->proc.asked_fds - before, max - 1, max);
	}
}

/* Threads by the thousand of which nothing is known: they are gone, or have much to read. */
static void bounds_threads(void **state)
{
	enum { THREADS = 5000, FDS = 100, GONE_MAX = 500, FOUND_MAX = GONE_MAX / 10 };
	static struct fake_thread threads[THREADS];
	static struct scap_fd fds[FDS];
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct state_stats stats;

	for (int i = 0; i < FDS; i++)
		fds[i] = (struct scap_fd){.num = i, .type = SCAP_FD_FILE, .name = "/a"};
	for (int i = 0; i < THREADS; i++)
		threads[i] = (struct fake_thread){
			.tid = 10000 + i, .pid = 10000 + i, .comm = "a", .fds = fds, .nfds = FDS};
	for (int found = 0; found < 2; found++) {
		unsigned int max = found ? FOUND_MAX : GONE_MAX;

		machine->proc.threads = threads;
		machine->proc.count = found ? THREADS : 0;
		for (int i = 0; i < THREADS; i++)
			drive_any(drive, 10000 + (1 - found) * THREADS + i);
		stats = driven_machine_stats(machine);
		assert_int_equal(stats.thread_lookups, machine->proc.asked_threads);
		assert_int_equal(stats.thread_lookups + stats.thread_lookups_rejected,
				 (found + 1) * THREADS);
		/* They took a twentieth of a second, which is one span or parts of two. */
		assert_in_range(stats.thread_lookups, max, 2 * max + found * 2 * GONE_MAX);
		assert_in_range(stats.fds, found ? GONE_MAX : 0, 2 * GONE_MAX);
		drive->ts_ns += 1000000000;
	}
	/* Who was rejected is found later. */
	assert_string_equal(drive_any(drive, 10000 + THREADS - 1)->thread->comm, "a");
}

static struct state_event *enter_namespace(struct drive *drive, int64_t fd, int64_t result)
{
	struct frame *frame = drive_begin(drive, EVENT_setns, 50);

	frame_put_i64(frame, setns__res, result);
	frame_put_i64(frame, setns__fd, fd);
	frame_put_i64(frame, setns__nstype, 0);
	return drive_end(drive);
}

/*
 * Who changes its directory all the time and lets the kernel not say where it leads: by a path
 * that is resolved, one that could not be read, a descriptor, and a namespace of an unknown kind.
 */
static void bounds_directories(void **state)
{
	enum { CALLS = 5000, PER_SPAN = 500, WAYS = 4 };
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct state_stats stats;
	struct frame *frame;

	state_seed(drive->state, NULL, NULL);
	drive_open(drive, 50, 8, "/some", 0);
	drive_open(drive, 50, 9, "/run/ns/some", 0);
	strcpy(machine->proc.directory, "/real");
	for (int way = 0; way < WAYS; way++) {
		machine->proc.asked_directories = 0;
		drive->state->stats.directory_lookups_rejected = 0;
		for (int i = 0; i < CALLS; i++) {
			if (way < 2)
				drive_chdir(drive, 50, 0, way ? "/link" : NULL);
			if (way == 2) {
				frame = drive_begin(drive, EVENT_fchdir, 50);
				frame_put_i64(frame, fchdir__res, 0);
				frame_put_i64(frame, fchdir__fd, 8);
				drive_end(drive);
			}
			if (way == 3)
				enter_namespace(drive, 9, 0);
		}
		stats = driven_machine_stats(machine);
		/* They took a twentieth of a second, which is one span or parts of two. */
		assert_in_range(machine->proc.asked_directories, PER_SPAN, 2 * PER_SPAN);
		assert_int_equal(machine->proc.asked_directories + stats.directory_lookups_rejected,
				 CALLS);
		/* Neither where it was nor what the caller says is where it is. */
		assert_string_equal(drive_thread(drive, 50)->fs->cwd, "");
		assert_int_equal(stats.fd_lookups_rejected, 0);
		drive->ts_ns += 1000000000;
		drive_chdir(drive, 50, 0, "x");
		assert_string_equal(drive_thread(drive, 50)->fs->cwd, "/real/");
		drive->ts_ns += 1000000000;
	}
}

static void asks_for_what_the_events_do_not_say(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	state_seed(drive->state, NULL, NULL);
	drive_close(drive, 50, 0, 3);
	/* A name that could not be read, a base that is not known. */
	drive_open(drive, 50, 3, NULL, 0);
	assert_string_equal(drive->event.fd->name, "/etc/hosts");
	/* No call that opens a file makes a socket: its number is another one's by now. */
	drive_close(drive, 50, 0, 4);
	drive_open(drive, 50, 4, NULL, 0);
	assert_null(drive->event.fd);
	drive_close(drive, 50, 0, 6);
	drive_openat(drive, 50, 20, 6, "x");
	assert_string_equal(drive->event.fd->name, "/run/u/x");
	drive_openat(drive, 50, -EBADF, 97, "x");
	assert_int_equal(machine->proc.asked_fds, 3);
}

static void follows_links_of_directories(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	state_seed(drive->state, NULL, NULL);
	drive_chdir(drive, 50, -ENOENT, "/gone");
	assert_int_equal(machine->proc.asked_directories, 0);
	drive_chdir(drive, 50, 0, "sub/./x");
	assert_string_equal(drive_thread(drive, 50)->fs->cwd, "/home/c/sub/x/");
	strcpy(machine->proc.directory, "/real");
	drive_chdir(drive, 50, 0, "link");
	assert_string_equal(drive_thread(drive, 51)->fs->cwd, "/real/");
	drive_chdir(drive, 50, 0, NULL);
	assert_string_equal(drive_thread(drive, 50)->fs->cwd, "/real/");
	assert_int_equal(machine->proc.asked_directories, 3);
}

static void completes_a_child_from_its_parent_in_proc(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	drive_clone(drive, 900, 0, &(struct drive_clone){.pid = 900, .ptid = 50, .comm = "kid"});
	assert_string_equal(drive_name(drive, 900, 3), "/etc/hosts");
	assert_string_equal(drive_thread(drive, 900)->program->exepath, "/bin/known");
	assert_string_equal(drive_thread(drive, 900)->comm, "kid");
	assert_int_equal(driven_machine_stats(machine).thread_lookups, 1);
	/* The parent is not known: the child itself is. */
	drive_clone(drive, 60, 0, &(struct drive_clone){.pid = 60, .ptid = 888, .comm = "new"});
	assert_string_equal(drive_name(drive, 60, 3), "0.0.0.0:80");
	/* Nor is this child. */
	drive_clone(drive, 901, 0,
		    &(struct drive_clone){.pid = 901, .ptid = 889, .comm = "orphan"});
	assert_string_equal(drive_thread(drive, 901)->comm, "orphan");
}

static void what_proc_says_is_newer_than_events_before_it(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	state_seed(drive->state, NULL, NULL);
	drive_clone(drive, 50, 0, &(struct drive_clone){.pid = 50, .ptid = 60, .comm = "before"});
	assert_string_equal(drive_thread(drive, 50)->comm, "client");
	assert_string_equal(drive_name(drive, 50, 3), "/etc/hosts");
	/* A child that was gone when the tables were filled. */
	drive_clone(drive, 60, 950, &(struct drive_clone){.pid = 60, .ptid = 1, .comm = "server"});
	assert_null(state_thread_find(drive->state, 950));
	drive->ts_ns = UINT64_MAX / 2;
	drive_clone(drive, 60, 950, &(struct drive_clone){.pid = 60, .ptid = 1, .comm = "server"});
	assert_non_null(state_thread_find(drive->state, 950));
	drive_clone(drive, 50, 0, &(struct drive_clone){.pid = 50, .ptid = 60, .comm = "after"});
	assert_string_equal(drive_thread(drive, 50)->comm, "after");
}

static void copy(struct drive *drive, int64_t from, int64_t to)
{
	struct frame *frame = drive_begin(drive, EVENT_dup2, 50);

	frame_put_i64(frame, dup2__res, to);
	frame_put_i64(frame, dup2__oldfd, from);
	frame_put_i64(frame, dup2__newfd, to);
	drive_end(drive);
}

/* What was read of a process is of later than an event that copied a descriptor. */
static void copies_nothing_of_later(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	static char other[64];

	state_seed(drive->state, NULL, NULL);
	snprintf(other, sizeof(other), "%s", drive_name(drive, 50, 6));
	assert_string_not_equal(other, "/etc/hosts");
	/* 3 was another file then, which 6 is now. */
	copy(drive, 3, 6);
	assert_string_equal(drive_name(drive, 50, 6), other);
	copy(drive, 3, 90);
	assert_false(drive_has_fd(drive, 50, 90));
	/* What an event opened is known. */
	drive_open(drive, 50, 91, "/opened", 0);
	copy(drive, 91, 6);
	assert_string_equal(drive_name(drive, 50, 6), "/opened");
	copy(drive, 3, 6);
	assert_false(drive_has_fd(drive, 50, 6));
	drive->ts_ns = UINT64_MAX / 2;
	copy(drive, 3, 6);
	assert_string_equal(drive_name(drive, 50, 6), "/etc/hosts");
}

/* The clock was set back by an hour since events are timed: what is older is so by their times. */
static void what_proc_says_is_newer_after_a_step(void **state)
{
	const uint64_t hour_ns = 3600000000000;
	const uint64_t now_ns = clock_ns(CLOCK_REALTIME);
	struct driven_machine *machine = *state;
	struct drive drive;

	drive_create(&drive, &(struct state_config){.proc = &machine->proc,
						    .boot_ns = clock_boot_offset_ns() + hour_ns});
	state_seed(drive.state, NULL, NULL);
	drive.ts_ns = now_ns + hour_ns / 2;
	drive_clone(&drive, 50, 0, &(struct drive_clone){.pid = 50, .ptid = 60, .comm = "before"});
	assert_string_equal(drive_thread(&drive, 50)->comm, "client");
	drive_clone(&drive, 60, 950, &(struct drive_clone){.pid = 60, .ptid = 1, .comm = "server"});
	assert_null(state_thread_find(drive.state, 950));
	drive.ts_ns = now_ns + 2 * hour_ns;
	drive_clone(&drive, 50, 0, &(struct drive_clone){.pid = 50, .ptid = 60, .comm = "after"});
	assert_string_equal(drive_thread(&drive, 50)->comm, "after");
	drive_destroy(&drive);
}

/* A message of a unix socket that brings descriptors. */
static void receive(struct drive *drive, const int32_t *nums, size_t n, int32_t type)
{
	struct {
		struct {
			uint64_t len;
			int32_t level, type;
		} head;
		int32_t nums[8];
	} messages[2] = {
		{{16 + 2 * sizeof(int32_t), SOL_SOCKET, SCM_CREDENTIALS}, {4, 4}},
		{{16 + n * sizeof(int32_t), SOL_SOCKET, type}, {0}},
	};
	uint8_t control[sizeof(messages)];
	struct frame *frame = drive_begin(drive, EVENT_recvmsg, 50);

	memcpy(messages[1].nums, nums, n * sizeof(*nums));
	memcpy(control, &messages[0], 24);
	memcpy(control + 24, &messages[1], 16 + n * sizeof(*nums));
	frame_put_i64(frame, recvmsg__res, 1);
	frame_put_i64(frame, recvmsg__fd, 6);
	frame_put_bytes(frame, recvmsg__msgcontrol, control, 24 + 16 + n * sizeof(*nums));
	drive_end(drive);
}

/* The kernel says which file the first one is; /proc is asked for the others. */
static void knows_the_first_received_descriptor(void **state)
{
	struct {
		uint64_t len;
		int32_t level, type, nums[2];
	} rights = {24, SOL_SOCKET, SCM_RIGHTS, {20, 21}};
	const uint64_t words[] = {20, 7, 0x801, 30, S_IFDIR | 0755};
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct frame *frame;

	state_seed(drive->state, NULL, NULL);
	frame = drive_begin(drive, EVENT_recvmsg, 50);
	frame_put_i64(frame, recvmsg__res, 1);
	frame_put_i64(frame, recvmsg__fd, 6);
	frame_put_bytes(frame, recvmsg__msgcontrol, &rights, sizeof(rights));
	frame_put_bytes(frame, recvmsg__received, words, sizeof(words));
	frame_put_string(frame, recvmsg__received_path, "/secret");
	drive_end(drive);
	assert_int_equal(machine->proc.asked_fds, 1);
	assert_string_equal(drive_name(drive, 50, 20), "/secret");
	assert_int_equal(read_file(drive, 20, 7, 30)->type, SCAP_FD_DIRECTORY);
	assert_null(read_file(drive, 20, 8, 30));
}

/* Of a namespace that is bound to a file the kind is unknown. */
static void asks_where_a_namespace_leads(void **state)
{
	static const struct {
		const char *name, *cwd;
		int64_t result;
	} cases[] = {
		{"/run/ns/some", "/home/c/", -EPERM},
		{"/run/ns/some", "/inside/", 0},
		{"/proc/1/ns/mnt", "/", 0},
	};
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	state_seed(drive->state, NULL, NULL);
	strcpy(machine->proc.directory, "/inside");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		drive_open(drive, 50, 9, cases[i].name, 0);
		enter_namespace(drive, 9, cases[i].result);
		assert_string_equal(drive_thread(drive, 50)->fs->cwd, cases[i].cwd);
	}
	assert_int_equal(machine->proc.asked_directories, 1);
}

static void asks_for_received_descriptors(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	state_seed(drive->state, NULL, NULL);
	drive_open(drive, 50, 3, "/old", 0);
	drive_open(drive, 50, 4, "/other", 0);
	drive_open(drive, 50, 90, "/stale", 0);
	receive(drive, (const int32_t[]){3, 90, -1}, 3, SCM_CREDENTIALS);
	assert_string_equal(drive_name(drive, 50, 3), "/old");
	receive(drive, (const int32_t[]){3, 90, -1}, 3, SCM_RIGHTS);
	assert_string_equal(drive_name(drive, 50, 3), "/etc/hosts");
	assert_true(state_fds_cloexec(drive_thread(drive, 50)->fds, 3));
	assert_false(drive_has_fd(drive, 50, 90));
	assert_string_equal(drive_name(drive, 50, 4), "/other");
	/* The very number of the socket: somebody else closed it meanwhile. */
	receive(drive, (const int32_t[]){6}, 1, SCM_RIGHTS);
	assert_ptr_equal(drive->event.fd, state_fds_find(drive_thread(drive, 50)->fds, 6));
}

/* To a 32-bit receiver: heads of 12 bytes, messages at multiples of four. */
static void understands_32_bit_messages(void **state)
{
	static const uint32_t messages[] = {
		13, SOL_SOCKET, SCM_CREDENTIALS, 4, /* one byte, padded */
		16, SOL_SOCKET, SCM_RIGHTS,	 3,
	};
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct frame *frame;

	state_seed(drive->state, NULL, NULL);
	drive_open(drive, 50, 3, "/old", 0);
	drive_open(drive, 50, 4, "/other", 0);
	frame = drive_begin(drive, EVENT_recvmsg, 50);
	frame_put_i64(frame, recvmsg__res, 1);
	frame_put_i64(frame, recvmsg__fd, 6);
	frame_put_bytes(frame, recvmsg__msgcontrol, messages, sizeof(messages));
	drive_end(drive);
	assert_string_equal(drive_name(drive, 50, 3), "/etc/hosts");
	assert_string_equal(drive_name(drive, 50, 4), "/other");
}

/* Control messages whose lengths are wrong. */
static void passes_over_corrupt_messages(void **state)
{
	static const uint64_t lengths[] = {0, 15, 21, 1000, UINT64_MAX, UINT64_MAX - 7, 19};
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	state_seed(drive->state, NULL, NULL);
	drive_open(drive, 50, 3, "/old", 0);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct frame *frame = drive_begin(drive, EVENT_recvmsg, 50);
		uint8_t control[20] = {0};
		int32_t words[] = {SOL_SOCKET, SCM_RIGHTS, 3};

		memcpy(control, &lengths[i], sizeof(lengths[i]));
		memcpy(control + 8, words, sizeof(words));
		frame_put_i64(frame, recvmsg__res, 1);
		frame_put_i64(frame, recvmsg__fd, 6);
		frame_put_bytes(frame, recvmsg__msgcontrol, control, sizeof(control));
		drive_end(drive);
		assert_string_equal(drive_name(drive, 50, 3), "/old");
	}
}

static struct state_event *take_fd(struct drive *drive, int64_t result, int64_t pidfd, int64_t fd)
{
	struct frame *frame = drive_begin(drive, EVENT_pidfd_getfd, 50);

	frame_put_i64(frame, pidfd_getfd__fd, result);
	frame_put_i64(frame, pidfd_getfd__pid_fd, pidfd);
	frame_put_i64(frame, pidfd_getfd__target_fd, fd);
	return drive_end(drive);
}

static void takes_descriptors_of_processes(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct frame *frame;

	state_seed(drive->state, NULL, NULL);
	frame = drive_begin(drive, EVENT_pidfd_open, 50);
	frame_put_i64(frame, pidfd_open__fd, 9);
	frame_put_i64(frame, pidfd_open__pid, 60);
	drive_end(drive);
	assert_string_equal(take_fd(drive, 10, 9, 3)->fd->name, "0.0.0.0:80");
	assert_ptr_equal(drive->event.fd, state_fds_find(drive_thread(drive, 60)->fds, 3));
	assert_true(state_fds_cloexec(drive_thread(drive, 50)->fds, 10));
	assert_int_equal(driven_machine_stats(machine).fd_lookups, 0);
	/* Whose it is, is not known; /proc knows what the caller has got. */
	drive_open(drive, 50, 3, "/old", 0);
	assert_string_equal(take_fd(drive, 3, 77, 3)->fd->name, "/etc/hosts");
	assert_null(take_fd(drive, -EBADF, 9, 3)->fd);
}

static const struct CMUnitTest tests[] = {
#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, driven_machine_setup, driven_machine_teardown)
	TEST(asks_once_for_a_thread),
	TEST(asks_once_without_answer),
	TEST(brings_the_main_thread_with_another),
	TEST(asks_after_a_gap),
	TEST(asks_once_for_a_descriptor),
	TEST(takes_no_name_of_another_file),
	TEST(keeps_what_was_read_after_the_event),
	TEST(keeps_what_got_the_number_meanwhile),
	TEST(asks_again_after_a_close),
	TEST(asks_only_for_what_was_open),
	TEST(bounds_looks_and_memory),
	TEST(bounds_looks_of_late_events),
	TEST(bounds_threads),
	TEST(bounds_directories),
	TEST(asks_for_what_the_events_do_not_say),
	TEST(follows_links_of_directories),
	TEST(asks_where_a_namespace_leads),
	TEST(asks_for_received_descriptors),
	TEST(knows_the_first_received_descriptor),
	TEST(understands_32_bit_messages),
	TEST(passes_over_corrupt_messages),
	TEST(takes_descriptors_of_processes),
	TEST(completes_a_child_from_its_parent_in_proc),
	TEST(what_proc_says_is_newer_than_events_before_it),
	TEST(copies_nothing_of_later),
	TEST(what_proc_says_is_newer_after_a_step),
};

UNIT_GROUP(tests);
