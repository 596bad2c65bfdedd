/* SPDX-License-Identifier: MIT */
/*
 * Which kind of program the kernel wants, without one: this file stands between the code and
 * libbpf, and in place of the tracepoints.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake_syscall.h"
#include "scap/live/call_hooks.h"
#include "scap/live/tracepoint.h"
#include "unit.h"

/* What the kernel can do, and what it was asked for. */
static struct {
	bool sleeps; /* programs at tracepoints may sleep */
	int tracepoint_error; /* 0: there are tracepoints */
	int fd; /* the last that was opened for the code */
	const char *hook;
} kernel;

static int open_fd(void)
{
	return kernel.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static long answer(long number, const long arg[SYSCALL_ARGUMENTS])
{
	const union bpf_attr *attr = (const union bpf_attr *)arg[1];

	if (number == SYS_bpf && arg[0] == BPF_PROG_LOAD && attr->prog_flags & BPF_F_SLEEPABLE) {
		assert_int_equal(attr->prog_type, BPF_PROG_TYPE_TRACEPOINT);
		errno = EINVAL;
		return kernel.sleeps ? open_fd() : -1;
	}
	return real_syscall(number, arg);
}

int scap_tracepoint_open(const char *group, const char *name)
{
	assert_string_equal(group, "raw_syscalls");
	kernel.hook = name;
	return kernel.tracepoint_error ? kernel.tracepoint_error : open_fd();
}

static int setup(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.fd = -1;
	fake_syscall_by(answer);
	return 0;
}

/* Classic ones are needed where raw ones are skipped, and can be had where there are tracepoints.
 */
static void test_choice(void **state)
{
	static const struct {
		bool sleeps;
		int tracepoint_error;
		bool skipped, classic;
	} cases[] = {
		{false, 0, false, false},     {false, -ENOENT, false, false}, {true, 0, true, true},
		{true, -ENOENT, true, false}, {true, -EPERM, true, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		setup(state);
		kernel.sleeps = cases[i].sleeps;
		kernel.tracepoint_error = cases[i].tracepoint_error;
		assert_int_equal(live_kind_raw_is_skipped(), cases[i].skipped);
		assert_false(is_open(kernel.fd));
		assert_int_equal(live_kind_is_classic(), cases[i].classic);
		assert_false(is_open(kernel.fd));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_choice, setup),
};

UNIT_GROUP(tests);
