/* SPDX-License-Identifier: MIT */
/*
 * Which kind of program the kernel wants, without one: this file stands between the code and
 * libbpf, and in place of the tracepoints.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "abi.h"
#include "fake_syscall.h"
#include "lanner.skel.h"
#include "scap/live/kind.h"
#include "scap/live/skeleton.h"
#include "scap/live/tracepoint.h"

/* What the kernel can do, and what it was asked for. */
static struct {
	bool sleeps; /* programs at tracepoints may sleep */
	int tracepoint_error; /* 0: there are tracepoints */
	int fd; /* the last that was opened for the code */
	const char *hook;
	struct bpf_link *link; /* of attaching; NULL: it fails */
	bool traced, at_perf_event;
} kernel;

static int open_fd(void)
{
	return kernel.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

long fake_syscall(long number, const long arg[SYSCALL_ARGUMENTS])
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

int bpf_program__set_attach_target(struct bpf_program *program, int fd, const char *hook)
{
	kernel.hook = hook;
	return 0;
}

struct bpf_link *bpf_program__attach_trace(const struct bpf_program *program)
{
	kernel.traced = true;
	return kernel.link;
}

struct bpf_link *bpf_program__attach_perf_event(const struct bpf_program *program, int fd)
{
	assert_int_equal(fd, kernel.fd);
	kernel.at_perf_event = true;
	return kernel.link;
}

static int setup(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.fd = -1;
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

static void test_make_raw(void **state)
{
	struct lanner *skeleton = live_skeleton_open(NULL);
	struct bpf_program *program;

	assert_non_null(skeleton);
	program = bpf_object__next_program(skeleton->obj, NULL);
	assert_int_equal(bpf_program__set_type(program, BPF_PROG_TYPE_TRACEPOINT), 0);
	assert_int_equal(live_kind_make_raw(program, "sys_exit"), 0);
	assert_int_equal(bpf_program__type(program), BPF_PROG_TYPE_TRACING);
	assert_int_equal(bpf_program__expected_attach_type(program), BPF_TRACE_RAW_TP);
	assert_string_equal(kernel.hook, "sys_exit");
	lanner__destroy(skeleton);
}

static void test_attach_raw(void **state)
{
	kernel.link = (struct bpf_link *)&kernel;
	assert_ptr_equal(live_kind_attach(NULL, "sys_enter", false), kernel.link);
	assert_true(kernel.traced);
	assert_false(kernel.at_perf_event);
	assert_int_equal(kernel.fd, -1);
}

/* The link owns the tracepoint; without one it is closed. */
static void test_attach_classic(void **state)
{
	kernel.link = (struct bpf_link *)&kernel;
	assert_ptr_equal(live_kind_attach(NULL, "sys_enter", true), kernel.link);
	assert_false(kernel.traced);
	assert_string_equal(kernel.hook, "sys_enter");
	assert_true(is_open(kernel.fd));
	close(kernel.fd);
	kernel.link = NULL;
	assert_null(live_kind_attach(NULL, "sys_exit", true));
	assert_string_equal(kernel.hook, "sys_exit");
	assert_false(is_open(kernel.fd));
	kernel.tracepoint_error = -ENOENT;
	kernel.at_perf_event = false;
	errno = 0;
	assert_null(live_kind_attach(NULL, "sys_exit", true));
	assert_int_equal(errno, ENOENT);
	assert_false(kernel.at_perf_event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_choice, setup),
		cmocka_unit_test_setup(test_make_raw, setup),
		cmocka_unit_test_setup(test_attach_raw, setup),
		cmocka_unit_test_setup(test_attach_classic, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
