/* SPDX-License-Identifier: MIT */
/*
 * Trying programs one by one, without a kernel: this file stands between the probe and libbpf, and
 * calls its handler as a load would.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi.h"
#include "fake_syscall.h"
#include "lanner.skel.h"
#include "scap/live/load.h"
#include "scap/live/programs.h"
#include "scap/live/skeleton.h"
#include "unit.h"

enum {
	FIRST_HANDLER = 100,
	NOTHING_INSNS = 2,
	TRIAL_INSNS_MAX = 50,
};

/* What libbpf and the kernel were asked for, and what they answer. */
static struct {
	struct libbpf_prog_handler_opts opts; /* of the last handler */
	int registered;
	int load_error; /* of programs; 0: they are loaded */
	const char *load_log; /* what the verifier says of them */
	unsigned int log_level;
	int loaded_fd;
	unsigned int tried;
	const char *no_type; /* that the kernel does not have */
	int types_error;
} libbpf;

static int open_fd(void)
{
	return libbpf.loaded_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int libbpf_register_prog_handler(const char *section, enum bpf_prog_type type,
				 enum bpf_attach_type attach,
				 const struct libbpf_prog_handler_opts *opts)
{
	if (opts)
		libbpf.opts = *opts;
	return FIRST_HANDLER + libbpf.registered++;
}

int libbpf_unregister_prog_handler(int handler)
{
	return 0;
}

static long answer(long number, const long arg[SYSCALL_ARGUMENTS])
{
	const union bpf_attr *attr = (const union bpf_attr *)arg[1];

	/* libbpf itself tries what the kernel can do, with programs of few instructions. */
	if (number == SYS_bpf && arg[0] == BPF_PROG_LOAD && attr->insn_cnt > TRIAL_INSNS_MAX) {
		libbpf.tried++;
		libbpf.log_level = attr->log_level;
		if (libbpf.load_log && attr->log_buf)
			snprintf((char *)attr->log_buf, attr->log_size, "%s", libbpf.load_log);
		errno = -libbpf.load_error;
		return libbpf.load_error ? -1 : open_fd();
	}
	return real_syscall(number, arg);
}

/* In place of the one that reads the kernel's description. */
int live_kernel_types_find(const char *path, struct live_kernel_type *types, size_t count)
{
	for (size_t i = 0; i < count; i++)
		types[i].id = !libbpf.no_type || strcmp(types[i].name, libbpf.no_type) != 0;
	return libbpf.types_error;
}

static int setup(void **state)
{
	memset(&libbpf, 0, sizeof(libbpf));
	fake_syscall_by(answer);
	return 0;
}

static size_t row_of(const char *name)
{
	size_t row = 0;

	while (strcmp(live_programs[row].name, name) != 0)
		assert_true(++row < live_programs_count);
	return row;
}

static size_t count_rejected(const struct live_probe *probe)
{
	size_t count = 0;

	for (size_t i = 0; i < live_programs_count; i++)
		count += probe->rejected[i];
	return count;
}

/* Whatever the kernel says of it, libbpf gets a program that it will not reject; but for errors
 * that are not the program's fault. */
static void test_programs(void **state)
{
	static const struct {
		int error, code;
		bool rejected, replaced;
	} cases[] = {
		{0, 0, false, true},
		{-EINVAL, 0, true, true},
		{-EACCES, 0, true, true},
		{-E2BIG, 0, true, true},
		{-EPERM, -EPERM, false, false},
		{-ENOMEM, -ENOMEM, false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		LIBBPF_OPTS(bpf_prog_load_opts, opts, .func_info_cnt = 3, .line_info_cnt = 4);
		struct lanner *skeleton = live_skeleton_open(NULL);
		struct bpf_program *program;
		struct live_probe probe = {0};
		size_t row = row_of("fill_openat");

		setup(state);
		libbpf.load_error = cases[i].error;
		assert_non_null(skeleton);
		program = bpf_object__find_program_by_name(skeleton->obj, "fill_openat");
		assert_int_equal(live_probe_begin(&probe, false), 0);
		assert_int_equal(
			libbpf.opts.prog_prepare_load_fn(program, &opts, libbpf.opts.cookie),
			cases[i].code);
		assert_int_equal(libbpf.tried, 1);
		assert_int_equal(probe.rejected[row], cases[i].rejected);
		assert_int_equal(count_rejected(&probe), cases[i].rejected);
		assert_int_equal(bpf_program__insn_cnt(program) == NOTHING_INSNS,
				 cases[i].replaced);
		/* What described the program does not describe the other one. */
		assert_int_equal(opts.func_info_cnt, cases[i].replaced ? 0 : 3);
		assert_int_equal(opts.line_info_cnt, cases[i].replaced ? 0 : 4);
		/* The one that was tried is gone. */
		if (cases[i].error == 0)
			assert_int_equal(fcntl(libbpf.loaded_fd, F_GETFD), -1);
		lanner__destroy(skeleton);
		live_probe_end(&probe);
	}
}

struct report {
	unsigned int count;
	size_t row;
	int error;
	char log[64];
};

static void keep_report(void *context, size_t row, int error, const char *log)
{
	struct report *report = context;

	report->count++;
	report->row = row;
	report->error = error;
	snprintf(report->log, sizeof(report->log), "%s", log);
}

/* Who asks for reports gets one of each program, with the verifier's log, from the same load. */
static void test_reports(void **state)
{
	static const int errors[] = {0, -EINVAL, -EPERM};

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		LIBBPF_OPTS(bpf_prog_load_opts, opts);
		struct lanner *skeleton = live_skeleton_open(NULL);
		struct report report = {0};
		struct live_probe probe = {.report = keep_report, .context = &report};

		setup(state);
		libbpf.load_error = errors[i];
		libbpf.load_log = "processed 7 insns\n";
		assert_non_null(skeleton);
		assert_int_equal(live_probe_begin(&probe, false), 0);
		libbpf.opts.prog_prepare_load_fn(
			bpf_object__find_program_by_name(skeleton->obj, "fill_openat"), &opts,
			libbpf.opts.cookie);
		assert_int_equal(libbpf.tried, 1);
		assert_int_equal(libbpf.log_level, 4);
		assert_int_equal(report.count, 1);
		assert_int_equal(report.row, row_of("fill_openat"));
		assert_int_equal(report.error, errors[i]);
		assert_string_equal(report.log, libbpf.load_log);
		/* The log is gone when libbpf loads the other program. */
		assert_null(opts.log_buf);
		lanner__destroy(skeleton);
		live_probe_end(&probe);
	}
}

/* A tracepoint that the kernel lacks rejects its programs before the load. */
static void test_hooks(void **state)
{
	static const struct {
		const char *no_type;
		int error, code;
		bool rejected;
	} cases[] = {{NULL, 0, 0, false},
		     {"btf_trace_sched_process_exit", 0, 0, true},
		     {NULL, -EBADMSG, -EBADMSG, false}};
	const char *hook = live_programs[row_of("fill_procexit")].hook;

	assert_string_equal(hook, "sched_process_exit");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lanner *skeleton = live_skeleton_open(NULL);
		struct report report = {0};
		struct live_probe probe = {.report = keep_report, .context = &report};

		setup(state);
		libbpf.no_type = cases[i].no_type;
		libbpf.types_error = cases[i].error;
		assert_non_null(skeleton);
		assert_int_equal(live_probe_begin(&probe, false), 0);
		assert_int_equal(live_probe_prepare(&probe, skeleton->obj), cases[i].code);
		for (size_t row = 0; row < live_programs_count; row++) {
			struct bpf_program *program = bpf_object__find_program_by_name(
				skeleton->obj, live_programs[row].name);
			bool rejected = cases[i].rejected && live_programs[row].hook &&
					strcmp(live_programs[row].hook, hook) == 0;

			assert_int_equal(probe.rejected[row], rejected);
			assert_int_equal(bpf_program__autoload(program), !rejected);
		}
		assert_int_equal(report.count > 0, cases[i].rejected);
		assert_int_equal(report.error, cases[i].rejected ? -ESRCH : 0);
		lanner__destroy(skeleton);
		live_probe_end(&probe);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_programs, setup),
	cmocka_unit_test_setup(test_reports, setup),
	cmocka_unit_test_setup(test_hooks, setup),
};

UNIT_GROUP(tests);
