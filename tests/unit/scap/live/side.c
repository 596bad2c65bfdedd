/* SPDX-License-Identifier: MIT */
/*
 * Loading programs side by side, on the running kernel; this file stands between libbpf and it, and
 * refuses what a test wants. Skipped where programs may not be loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi.h"
#include "fake_syscall.h"
#include "lanner.skel.h"
#include "scap/live/call_hooks.h"
#include "scap/live/load.h"
#include "scap/live/skeleton.h"
#include "unit.h"

enum { NOTHING_INSNS = 2, THREADS = 2, WAIT_MS = 60000, FDS_MAX = 1024 };

/* At system calls, at a tracepoint, on entry of a call: each section that is handled. */
static const char *const wanted[] = {"fill_openat",   "fill_mkdirat", "fill_close",
				     "fill_read",     "fill_execve",  "exec_success",
				     "fill_procexit", "enter_openat", "dispatch_sys_exit"};

enum { WANTED = sizeof(wanted) / sizeof(*wanted) };

static struct {
	const char *refused; /* that program; NULL: none */
	const char *says; /* why; NULL: nothing */
	bool meets; /* the first programs wait for each other: one in each thread */
	atomic_uint programs, inside, inside_max;
	atomic_bool of_other_thread;
	pthread_t caller;
} kernel;

/* Until another thread is here, too; but not without an end. */
static void wait_for_another(void)
{
	for (int ms = 0; ms < WAIT_MS && kernel.inside_max < THREADS; ms++)
		usleep(1000);
}

/* Also when it is asked again, for the reason. */
static long refuse(const union bpf_attr *attr)
{
	if (kernel.says && attr->log_buf)
		snprintf((char *)attr->log_buf, attr->log_size, "%s", kernel.says);
	errno = EINVAL;
	return -1;
}

static long load_program(long number, const long arg[SYSCALL_ARGUMENTS])
{
	const union bpf_attr *attr = (const union bpf_attr *)arg[1];
	unsigned int inside = ++kernel.inside, before = kernel.inside_max;
	long r = -1;

	while (inside > before &&
	       !atomic_compare_exchange_weak(&kernel.inside_max, &before, inside))
		;
	kernel.programs++;
	if (!pthread_equal(pthread_self(), kernel.caller))
		kernel.of_other_thread = true;
	if (kernel.meets)
		wait_for_another();
	if (kernel.refused && strncmp(kernel.refused, attr->prog_name, BPF_OBJ_NAME_LEN - 1) == 0)
		r = refuse(attr);
	else
		r = real_syscall(number, arg);
	kernel.inside--;
	return r;
}

static long answer(long number, const long arg[SYSCALL_ARGUMENTS])
{
	const union bpf_attr *attr = (const union bpf_attr *)arg[1];

	if (number == SYS_bpf && arg[0] == BPF_PROG_LOAD && attr->insn_cnt > NOTHING_INSNS)
		for (size_t i = 0; i < WANTED; i++)
			if (strncmp(wanted[i], attr->prog_name, BPF_OBJ_NAME_LEN - 1) == 0)
				return load_program(number, arg);
	return real_syscall(number, arg);
}

static int setup(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.caller = pthread_self();
	fake_syscall_by(answer);
	return 0;
}

static bool is_wanted(const struct bpf_program *program)
{
	for (size_t i = 0; i < WANTED; i++)
		if (strcmp(wanted[i], bpf_program__name(program)) == 0)
			return true;
	return false;
}

/* Opened, with the programs that are wanted. */
static struct lanner *open_wanted(void)
{
	struct lanner *skeleton = live_skeleton_open(NULL);
	struct bpf_program *program;

	assert_non_null(skeleton);
	bpf_object__for_each_program(program, skeleton->obj)
		bpf_program__set_autoload(program, is_wanted(program));
	return skeleton;
}

/* What is loaded is the programs: each has its name, and more than nothing to do. */
static void expect_programs(const struct lanner *skeleton, bool classic)
{
	for (size_t i = 0; i < WANTED; i++) {
		struct bpf_program *program =
			bpf_object__find_program_by_name(skeleton->obj, wanted[i]);
		struct bpf_prog_info info = {0};
		uint32_t bytes = sizeof(info);

		assert_non_null(program);
		assert_int_equal(bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes),
				 0);
		assert_int_equal(strncmp(info.name, wanted[i], BPF_OBJ_NAME_LEN - 1), 0);
		/* As the kernel is to run it, not as libbpf knows it. */
		if (strncmp(wanted[i], "enter_", 6) == 0 ||
		    (classic && strncmp(wanted[i], "fill_", 5) == 0))
			assert_int_equal(info.type, BPF_PROG_TYPE_TRACEPOINT);
		else if (!classic)
			assert_int_equal(info.type, BPF_PROG_TYPE_TRACING);
		assert_true(info.xlated_prog_len > NOTHING_INSNS * sizeof(struct bpf_insn));
		/* Their functions and lines are described. */
		assert_true(info.btf_id && info.nr_func_info && info.nr_line_info);
		assert_true(info.nr_map_ids > 0);
	}
}

static int open_fds(void)
{
	int count = 0;

	for (int fd = 0; fd < FDS_MAX; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void load(unsigned int threads, int expected)
{
	bool classic = live_kind_is_classic();
	struct live_side *side = NULL;
	struct lanner *skeleton;
	int before = open_fds(), r;

	assert_int_equal(live_side_create(classic, threads, &side), 0);
	skeleton = open_wanted();
	r = live_side_load(side, skeleton->skeleton);
	assert_int_equal(live_side_log(side)[0] != '\0', r == -EINVAL && kernel.says);
	live_side_destroy(side);
	if (r != expected && r == -EPERM)
		skip();
	assert_int_equal(r, expected);
	if (r == 0) {
		assert_int_equal(kernel.programs, WANTED);
		expect_programs(skeleton, classic);
	}
	lanner__destroy(skeleton);
	/* No descriptor is left, of no program. */
	assert_int_equal(open_fds(), before);
}

/* The threads load at the same time, and the caller when libbpf is ready. */
static void test_threads(void **state)
{
	kernel.meets = true;
	load(THREADS, 0);
	assert_true(kernel.of_other_thread);
	assert_true(kernel.inside_max >= THREADS);
}

/* Where no thread can be had, the caller loads all. */
static void test_alone(void **state)
{
	load(0, 0);
	assert_false(kernel.of_other_thread);
	assert_int_equal(kernel.inside_max, 1);
}

/* One is enough, and those that come after it are not tried. */
static void test_refused(void **state)
{
	static const unsigned int threads[] = {0, 1, THREADS};

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		setup(state);
		kernel.refused = "fill_openat";
		kernel.says = i ? "invalid access\nprocessed 7 insns\n" : NULL;
		load(threads[i], -EINVAL);
		/* Also a second time for the reason. */
		assert_in_range(kernel.programs, 1, WANTED + 1);
	}
	/* A load after that is not affected. */
	setup(state);
	load(THREADS, 0);
}

/* An error of libbpf, before it comes to the programs: nothing hangs. */
static void test_libbpf_fails(void **state)
{
	struct live_side *side = NULL;
	struct lanner *skeleton;

	assert_int_equal(live_side_create(live_kind_is_classic(), THREADS, &side), 0);
	skeleton = open_wanted();
	assert_int_equal(bpf_map__set_value_size(skeleton->maps.rings, 3), 0);
	assert_true(live_side_load(side, skeleton->skeleton) < 0);
	assert_int_equal(kernel.programs, 0);
	live_side_destroy(side);
	lanner__destroy(skeleton);
	live_side_destroy(NULL);
}

static void test_count(void **state)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	assert_in_range(live_side_threads(), 0, LIVE_SIDE_THREADS_MAX);
	assert_true(live_side_threads() < cpus);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_threads, setup),
	cmocka_unit_test_setup(test_alone, setup),
	cmocka_unit_test_setup(test_refused, setup),
	cmocka_unit_test_setup(test_libbpf_fails, setup),
	cmocka_unit_test_setup(test_count, setup),
};

UNIT_GROUP(tests, .unfilled = true);
