/* SPDX-License-Identifier: MIT */
/* Section handlers, without a kernel: this file stands between them and libbpf. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi.h"
#include "lanner.skel.h"
#include "scap/live/handlers.h"
#include "scap/live/programs.h"
#include "scap/live/skeleton.h"

enum { HANDLERS_MAX = 8, FIRST_HANDLER = 100, NOTHING_INSNS = 2, COOKIE = 77 };

/* What libbpf was asked for, and what it answers. */
static struct {
	struct {
		const char *section;
		enum bpf_prog_type type;
		enum bpf_attach_type attach;
	} handlers[HANDLERS_MAX];
	struct libbpf_prog_handler_opts opts; /* of the last one */
	int registered, unregistered;
	int register_max; /* more handlers than these cannot be had */
	const char *no_hook; /* a tracepoint that the kernel does not have */
	int hook_error;
} libbpf;

int libbpf_register_prog_handler(const char *section, enum bpf_prog_type type,
				 enum bpf_attach_type attach,
				 const struct libbpf_prog_handler_opts *opts)
{
	if (libbpf.registered == libbpf.register_max)
		return -ENOMEM;
	libbpf.handlers[libbpf.registered].section = section;
	libbpf.handlers[libbpf.registered].type = type;
	libbpf.handlers[libbpf.registered].attach = attach;
	if (opts)
		libbpf.opts = *opts;
	return FIRST_HANDLER + libbpf.registered++;
}

int libbpf_unregister_prog_handler(int handler)
{
	/* The first one stays. */
	assert_int_equal(handler, FIRST_HANDLER + 1 + libbpf.unregistered++);
	return 0;
}

int bpf_program__set_attach_target(struct bpf_program *program, int fd, const char *hook)
{
	return libbpf.no_hook && strcmp(hook, libbpf.no_hook) == 0 ? libbpf.hook_error : 0;
}

static int setup(void **state)
{
	memset(&libbpf, 0, sizeof(libbpf));
	libbpf.register_max = HANDLERS_MAX;
	return 0;
}

static int never(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	fail();
	return 0;
}

/* The kind of the programs at system calls is the one that will be loaded. */
static void test_kinds(void **state)
{
	static const struct {
		bool classic;
		enum bpf_prog_type type;
		enum bpf_attach_type attach;
	} cases[] = {
		{false, BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP},
		{true, BPF_PROG_TYPE_TRACEPOINT, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct live_handlers handlers;

		setup(state);
		assert_int_equal(live_handlers_begin(&handlers, cases[i].classic, never, COOKIE),
				 0);
		assert_int_equal(libbpf.registered, 1 + LIVE_HANDLERS);
		assert_string_equal(libbpf.handlers[1].section, "tp/raw_syscalls/");
		assert_int_equal(libbpf.handlers[1].type, cases[i].type);
		assert_int_equal(libbpf.handlers[1].attach, cases[i].attach);
		assert_ptr_equal(libbpf.opts.prog_prepare_load_fn, never);
		assert_int_equal(libbpf.opts.cookie, COOKIE);
		live_handlers_end(&handlers);
		assert_int_equal(libbpf.unregistered, LIVE_HANDLERS);
		live_handlers_end(&handlers);
		assert_int_equal(libbpf.unregistered, LIVE_HANDLERS);
	}
}

/* However many could be registered, as many are taken back. */
static void test_cannot_be_had(void **state)
{
	for (int max = 0; max <= LIVE_HANDLERS; max++) {
		struct live_handlers handlers;

		setup(state);
		libbpf.register_max = max;
		assert_int_equal(live_handlers_begin(&handlers, false, never, 0), -ENOMEM);
		live_handlers_end(&handlers);
		assert_int_equal(libbpf.unregistered, max ? max - 1 : 0);
	}
}

/* What described the program does not describe the empty one. */
static void test_empty(void **state)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .func_info_cnt = 3, .line_info_cnt = 4);
	struct lanner *skeleton = live_skeleton_open(NULL);
	struct bpf_program *program;

	assert_non_null(skeleton);
	program = skeleton->progs.fill_openat;
	assert_true(bpf_program__insn_cnt(program) > NOTHING_INSNS);
	assert_int_equal(live_handlers_empty(program, &opts), 0);
	assert_int_equal(bpf_program__insn_cnt(program), NOTHING_INSNS);
	assert_int_equal(opts.func_info_cnt, 0);
	assert_int_equal(opts.line_info_cnt, 0);
	lanner__destroy(skeleton);
}

static void count_missing(void *context, size_t row, int error)
{
	assert_int_equal(error, libbpf.hook_error);
	assert_string_equal(live_programs[row].hook, libbpf.no_hook);
	++*(unsigned int *)context;
}

/* A tracepoint that the kernel lacks is an error, or costs its programs. */
static void test_missing(void **state)
{
	static const struct {
		int error;
		bool asked;
		int code;
		bool counted;
	} cases[] = {
		{0, true, 0, false},
		{0, false, 0, false},
		{-ESRCH, true, 0, true},
		{-ESRCH, false, -ESRCH, false},
		{-ENOMEM, true, -ENOMEM, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lanner *skeleton = live_skeleton_open(NULL);
		unsigned int count = 0;

		setup(state);
		libbpf.no_hook = "sched_switch";
		libbpf.hook_error = cases[i].error;
		assert_non_null(skeleton);
		assert_int_equal(live_handlers_prepare(skeleton->obj,
						       cases[i].asked ? count_missing : NULL,
						       &count),
				 cases[i].code);
		assert_int_equal(count > 0, cases[i].counted);
		assert_int_equal(bpf_program__autoload(skeleton->progs.fill_switch),
				 !cases[i].counted);
		assert_true(bpf_program__autoload(skeleton->progs.fill_openat));
		lanner__destroy(skeleton);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_kinds, setup),
		cmocka_unit_test_setup(test_cannot_be_had, setup),
		cmocka_unit_test_setup(test_empty, setup),
		cmocka_unit_test_setup(test_missing, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
