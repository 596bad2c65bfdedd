/* SPDX-License-Identifier: MIT */
/* Records of threads: taken as /proc would show them, and malformed ones rejected. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi.h"
#include "iter_thread.h"
#include "scap/live/iter.h"
#include "unit.h"

static const struct iter_thread one = {
	.flags = ITER_THREAD_OWN_CGROUPS,
	.tid = 701,
	.pid = 700,
	.vtid = 7,
	.uid = 33,
	.gid = 44,
	.loginuid = 55,
	.start_ns = 123 * TICK_NS + TICK_NS - 1,
	.faults_minor = 1,
	.faults_major = 2,
	.caps_permitted = 3,
	.caps_effective = 4,
	.caps_inheritable = 5,
	.comm = "worker",
};
static const struct iter_thread end = {.flags = ITER_THREAD_END};

/* The first thread of a process, and what it executes. */
struct first {
	struct iter_thread thread;
	struct iter_program program;
	char path[8];
};

static const struct first first = {
	.thread = {.flags = ITER_THREAD_FIRST, .tid = 700, .pid = 700},
	.program = {.exec_id = 1,
		    .ino = 2,
		    .ctime_ns = 3,
		    .mtime_ns = 4,
		    .flags = 5,
		    .path_bytes = sizeof("/bin/sh")},
	.path = "/bin/sh",
};

struct fixture {
	struct scap_proc *proc;
	struct scap_threads *threads;
};

static int setup(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){0};
	*state = &fixture;
	return scap_proc_open("/proc", &fixture.proc, NULL);
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	scap_threads_destroy(fixture->threads);
	scap_proc_close(fixture->proc);
	return 0;
}

static void begin(struct fixture *fixture, const void *bytes, size_t len)
{
	int fd = memfd_create("records", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	scap_threads_destroy(fixture->threads);
	assert_int_equal(scap_threads_create(fd, fixture->proc, &fixture->threads), 0);
}

static void test_taken(void **state)
{
	struct iter_thread records[3] = {one, one, end};
	struct fixture *fixture = *state;
	struct scap_other_thread found;

	records[1].flags = 0;
	records[1].vtid = 0;
	memset(records[1].comm, 'x', sizeof(records[1].comm));
	begin(fixture, records, sizeof(records));
	assert_int_equal(scap_threads_next(fixture->threads, &found), 1);
	assert_true(found.tid == 701 && found.pid == 700 && found.vtid == 7);
	assert_true(found.uid == 33 && found.gid == 44 && found.loginuid == 55);
	assert_true(found.faults_minor == 1 && found.faults_major == 2);
	assert_true(found.caps_permitted == 3 && found.caps_effective == 4 &&
		    found.caps_inheritable == 5);
	assert_true(found.start_ns == scap_proc_start_ns(fixture->proc, 123));
	assert_true(found.own_cgroups);
	assert_string_equal(found.comm, "worker");
	assert_int_equal(scap_threads_next(fixture->threads, &found), 1);
	assert_int_equal(found.vtid, 701);
	assert_false(found.own_cgroups);
	assert_string_equal(found.comm, "xxxxxxxxxxxxxxx");
	assert_int_equal(scap_threads_next(fixture->threads, &found), 0);
	assert_int_equal(scap_threads_next(fixture->threads, &found), 0);
}

static void test_programs(void **state)
{
	struct {
		struct first first;
		struct iter_thread thread;
		struct iter_program without_path;
		struct iter_thread one, end;
	} records = {first, first.thread, first.program, one, end};
	struct fixture *fixture = *state;
	struct scap_other_thread found;

	records.without_path.path_bytes = 0;
	begin(fixture, &records, sizeof(records));
	assert_int_equal(scap_threads_next(fixture->threads, &found), 1);
	assert_true(found.is_first && found.tid == 700 && found.pid == 700);
	assert_true(found.exec_id == 1 && found.exe_ino == 2 && found.exe_ctime_ns == 3 &&
		    found.exe_mtime_ns == 4 && found.exe_flags == 5);
	assert_string_equal(found.exepath, "/bin/sh");
	assert_int_equal(scap_threads_next(fixture->threads, &found), 1);
	assert_string_equal(found.exepath, "");
	assert_int_equal(scap_threads_next(fixture->threads, &found), 1);
	assert_false(found.is_first);
	assert_int_equal(scap_threads_next(fixture->threads, &found), 0);
}

static void expect_malformed(struct fixture *fixture, const struct iter_thread *record)
{
	struct scap_other_thread found;

	begin(fixture, record, sizeof(*record));
	assert_int_equal(scap_threads_next(fixture->threads, &found), -EBADMSG);
}

static void test_malformed(void **state)
{
	struct fixture *fixture = *state;
	struct iter_thread record;

#define EXPECT_MALFORMED(member, value)                                                            \
	do {                                                                                       \
		record = one;                                                                      \
		record.member = (value);                                                           \
		expect_malformed(fixture, &record);                                                \
	} while (0)
	EXPECT_MALFORMED(flags, 8);
	EXPECT_MALFORMED(flags, ITER_THREAD_FIRST);
	EXPECT_MALFORMED(flags, ITER_THREAD_END);
	EXPECT_MALFORMED(tid, 0);
	EXPECT_MALFORMED(pid, 0);
	EXPECT_MALFORMED(tid, UINT32_C(1) << 31);
	EXPECT_MALFORMED(pid, UINT32_MAX);
}

/* Who renames what the path is of can tear it: it is unknown then, and the walk goes on. */
static void test_torn_path(void **state)
{
	struct fixture *fixture = *state;
	struct scap_other_thread found;
	struct first record = first;

	record.path[1] = '\0';
	begin(fixture, &record, sizeof(record));
	assert_int_equal(scap_threads_next(fixture->threads, &found), 1);
	assert_true(found.is_first && found.exec_id == record.program.exec_id);
	assert_string_equal(found.exepath, "");
}

static void test_malformed_program(void **state)
{
	struct fixture *fixture = *state;
	struct scap_other_thread found;

	for (int i = 0; i < 3; i++) {
		struct first record = first;
		size_t bytes = sizeof(record);

		record.program.path_bytes -= i == 0; /* no NUL at its end */
		if (i == 1)
			record.program.path_bytes = ITER_PATH_BYTES_MAX + 1;
		if (i == 2)
			bytes--;
		begin(fixture, &record, bytes);
		assert_int_equal(scap_threads_next(fixture->threads, &found), -EBADMSG);
	}
	begin(fixture, &first, sizeof(first.thread) + 1);
	assert_int_equal(scap_threads_next(fixture->threads, &found), -EBADMSG);
	begin(fixture, &first, sizeof(first.thread));
	assert_int_equal(scap_threads_next(fixture->threads, &found), -EBADMSG);
}

/* A walk that was cut short must not pass for a machine with fewer threads. */
static void test_without_end(void **state)
{
	const struct iter_thread after[2] = {end, one};
	struct fixture *fixture = *state;
	struct scap_other_thread found;

	begin(fixture, &one, 0);
	assert_int_equal(scap_threads_next(fixture->threads, &found), -EBADMSG);
	begin(fixture, &one, sizeof(one));
	assert_int_equal(scap_threads_next(fixture->threads, &found), 1);
	assert_int_equal(scap_threads_next(fixture->threads, &found), -EBADMSG);
	begin(fixture, &one, sizeof(one) - 1);
	assert_int_equal(scap_threads_next(fixture->threads, &found), -EBADMSG);
	begin(fixture, after, sizeof(after));
	assert_int_equal(scap_threads_next(fixture->threads, &found), 0);
	assert_int_equal(scap_threads_next(fixture->threads, &found), -EBADMSG);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_taken, setup, teardown),
	cmocka_unit_test_setup_teardown(test_programs, setup, teardown),
	cmocka_unit_test_setup_teardown(test_malformed, setup, teardown),
	cmocka_unit_test_setup_teardown(test_torn_path, setup, teardown),
	cmocka_unit_test_setup_teardown(test_malformed_program, setup, teardown),
	cmocka_unit_test_setup_teardown(test_without_end, setup, teardown),
};

UNIT_GROUP(tests);
