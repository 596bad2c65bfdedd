/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints as perf events. The kernel's tracefs is read, while this file stands between the code
 * and the perf event. Skipped where tracefs cannot be had.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake_syscall.h"
#include "scap/live/tracepoint.h"
#include "unit.h"

enum { FDS_MAX = 64 };

/* What was asked of the kernel, and its answer. */
static struct {
	struct perf_event_attr attr;
	int cpu, pid;
	unsigned int opened;
	int error; /* of opening; 0: it succeeds */
} perf;

static long answer(long number, const long arg[SYSCALL_ARGUMENTS])
{
	if (number != SYS_perf_event_open)
		return real_syscall(number, arg);
	memcpy(&perf.attr, (void *)arg[0], sizeof(perf.attr));
	perf.pid = (int)arg[1];
	perf.cpu = (int)arg[2];
	perf.opened++;
	errno = perf.error;
	return perf.error ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* So many are open: none may be left. */
static unsigned int open_fds(void)
{
	unsigned int count = 0;

	for (int fd = 0; fd < FDS_MAX; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static int setup(void **state)
{
	memset(&perf, 0, sizeof(perf));
	fake_syscall_by(answer);
	return 0;
}

static int open_or_skip(const char *group, const char *name)
{
	int fd = scap_tracepoint_open(group, name);

	if (fd < 0 && perf.opened == 0)
		skip();
	return fd;
}

/* Each has its own number; the event is of the whole machine, and inherited by nobody. */
static void test_numbers(void **state)
{
	static const char *const names[] = {"sys_enter", "sys_exit"};
	uint64_t numbers[2];

	for (size_t i = 0; i < 2; i++) {
		unsigned int before = open_fds();
		int fd = open_or_skip("raw_syscalls", names[i]);

		assert_true(fd >= 0);
		close(fd);
		assert_int_equal(open_fds(), before);
		assert_int_equal(perf.attr.type, PERF_TYPE_TRACEPOINT);
		assert_int_equal(perf.attr.size, sizeof(perf.attr));
		assert_int_equal(perf.pid, -1);
		assert_int_equal(perf.cpu, 0);
		numbers[i] = perf.attr.config;
		assert_true(numbers[i] > 0);
	}
	assert_true(numbers[0] != numbers[1]);
}

static void test_perf_error(void **state)
{
	unsigned int before = open_fds();

	perf.error = EACCES;
	assert_int_equal(open_or_skip("raw_syscalls", "sys_exit"), -EACCES);
	assert_int_equal(open_fds(), before);
}

/* What the kernel does not have is not asked for, whatever its name leads to. */
static void test_no_such_tracepoint(void **state)
{
	static const struct {
		const char *group, *name;
	} cases[] = {
		{"raw_syscalls", "sys_nothing"},
		{"no_such_group", "sys_exit"},
		{"raw_syscalls", ""}, /* the "id" of a group */
		{"", "raw_syscalls"},
	};
	int fd = open_or_skip("raw_syscalls", "sys_exit");
	unsigned int before;

	close(fd);
	before = open_fds();
	perf.opened = 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(scap_tracepoint_open(cases[i].group, cases[i].name), -ENOENT);
		assert_int_equal(open_fds(), before);
	}
	assert_int_equal(perf.opened, 0);
}

static void test_exist(void **state)
{
	static const char *const names[] = {"enter", "exit", "nothing"};
	unsigned int before;

	close(open_or_skip("raw_syscalls", "sys_exit"));
	before = open_fds();
	assert_true(scap_tracepoints_exist("raw_syscalls", "sys_", names, 2));
	assert_false(scap_tracepoints_exist("raw_syscalls", "sys_", names, 3));
	assert_false(scap_tracepoints_exist("raw_syscalls", "", names, 1));
	assert_int_equal(open_fds(), before);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_numbers, setup),
	cmocka_unit_test_setup(test_perf_error, setup),
	cmocka_unit_test_setup(test_no_such_tracepoint, setup),
	cmocka_unit_test_setup(test_exist, setup),
};

UNIT_GROUP(tests);
