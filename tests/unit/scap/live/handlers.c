/* SPDX-License-Identifier: MIT */
/* Section handlers, without a kernel: this file stands between them and libbpf. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi.h"
#include "lanner.skel.h"
#include "scap/live/handlers.h"
#include "scap/live/skeleton.h"
#include "unit.h"

enum { HANDLERS_MAX = 16, FIRST_HANDLER = 100, NOTHING_INSNS = 2, COOKIE = 77, FIRST_TYPE = 5000 };

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
} libbpf;

/* What the kernel has of types. */
static struct {
	const char *missing; /* but for this one; NULL: it has all */
	int error; /* its description cannot be read */
} kernel;

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

/* In place of the one that reads the kernel's description. */
int live_kernel_types_find(const char *path, struct live_kernel_type *types, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool is_missing = kernel.missing && strcmp(types[i].name, kernel.missing) == 0;

		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(types[k].name, types[i].name);
		types[i].id = is_missing ? 0 : (uint32_t)(FIRST_TYPE + i);
	}
	return kernel.error;
}

static uint32_t id_of(const struct live_handlers *handlers, const char *name)
{
	for (size_t i = 0; i < handlers->types_count; i++)
		if (strcmp(handlers->types[i].name, name) == 0)
			return handlers->types[i].id;
	return 0;
}

static int setup(void **state)
{
	memset(&libbpf, 0, sizeof(libbpf));
	memset(&kernel, 0, sizeof(kernel));
	libbpf.register_max = HANDLERS_MAX;
	return 0;
}

static int never(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	fail();
	return 0;
}

/* libbpf knows programs by types for which it does not read the kernel's description. */
static void test_kinds(void **state)
{
	static const struct {
		bool classic;
		enum bpf_prog_type type;
	} cases[] = {
		{false, BPF_PROG_TYPE_RAW_TRACEPOINT},
		{true, BPF_PROG_TYPE_TRACEPOINT},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct live_handlers handlers;

		setup(state);
		assert_int_equal(live_handlers_begin(&handlers, cases[i].classic, never, COOKIE),
				 0);
		assert_int_equal(libbpf.registered, 1 + LIVE_HANDLERS);
		assert_string_equal(libbpf.handlers[1].section, "tp/raw_syscalls/");
		assert_int_equal(libbpf.handlers[1].type, cases[i].type);
		for (int k = 1; k <= LIVE_HANDLERS; k++) {
			assert_int_equal(libbpf.handlers[k].attach != 0,
					 libbpf.handlers[k].type == BPF_PROG_TYPE_CGROUP_SOCK_ADDR);
			assert_int_not_equal(libbpf.handlers[k].type, BPF_PROG_TYPE_TRACING);
		}
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

static void count_missing(void *context, const struct bpf_program *program)
{
	assert_string_equal(bpf_program__section_name(program), "tp_btf/sched_switch");
	++*(unsigned int *)context;
}

/* A tracepoint that the kernel lacks is an error, or costs its programs. */
static void test_missing(void **state)
{
	static const struct {
		const char *missing;
		int error;
		bool asked;
		int code;
		bool counted;
	} cases[] = {
		{NULL, 0, true, 0, false},
		{NULL, 0, false, 0, false},
		{"bpf_rdonly_cast", 0, false, 0, false},
		{"btf_trace_sched_switch", 0, true, 0, true},
		{"btf_trace_sched_switch", 0, false, -ESRCH, false},
		{NULL, -EBADMSG, true, -EBADMSG, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lanner *skeleton = live_skeleton_open(NULL);
		struct live_handlers handlers;
		unsigned int count = 0;

		setup(state);
		kernel.missing = cases[i].missing;
		kernel.error = cases[i].error;
		assert_non_null(skeleton);
		assert_int_equal(live_handlers_begin(&handlers, false, never, 0), 0);
		assert_int_equal(live_handlers_prepare(&handlers, skeleton->obj,
						       cases[i].asked ? count_missing : NULL,
						       &count),
				 cases[i].code);
		assert_int_equal(count > 0, cases[i].counted);
		assert_int_equal(bpf_program__autoload(skeleton->progs.fill_switch),
				 !cases[i].counted);
		assert_true(bpf_program__autoload(skeleton->progs.fill_openat));
		live_handlers_end(&handlers);
		lanner__destroy(skeleton);
	}
}

/* How many calls there are of a function of the kernel, by its number, or its constant. */
static unsigned int count_calls(const struct bpf_insn *insns, size_t count, uint8_t source,
				uint32_t number)
{
	unsigned int found = 0;

	for (size_t i = 0; i < count; i++)
		found += insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].src_reg == source &&
			 (uint32_t)insns[i].imm == number;
	return found;
}

/* What the kernel gets: its own type, and its own numbers of what is called. */
static void expect_resolved(const struct live_handlers *handlers, const struct bpf_program *program,
			    enum bpf_prog_type type, const char *target,
			    enum bpf_attach_type attach)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .func_info_cnt = 3, .fd_array = &(int){7});
	size_t count = bpf_program__insn_cnt(program);
	unsigned int calls = count_calls(bpf_program__insns(program), count, 0, KERNEL_CAST);
	uint32_t cast = id_of(handlers, "bpf_rdonly_cast");
	struct live_prepared prepared;

	assert_int_equal(live_handlers_resolve(handlers, program, &opts, &prepared), 0);
	assert_int_equal(prepared.type, type);
	assert_int_equal(prepared.opts.expected_attach_type, attach);
	assert_int_equal(prepared.opts.attach_btf_id, target ? id_of(handlers, target) : 0);
	assert_int_equal(prepared.opts.func_info_cnt, 3);
	assert_null(prepared.opts.fd_array);
	assert_int_equal(prepared.insns_count, count);
	/* Where the kernel has none, they stay, in code that is not reached. */
	assert_int_equal(count_calls(prepared.insns, count, 0, KERNEL_CAST), cast ? 0 : calls);
	assert_int_equal(count_calls(prepared.insns, count, BPF_PSEUDO_KFUNC_CALL, cast),
			 cast ? calls : 0);
	free(prepared.insns);
}

static void test_resolve(void **state)
{
	static const char *const missing[] = {NULL, "bpf_rdonly_cast"};

	for (size_t i = 0; i < 4; i++) {
		struct lanner *skeleton = live_skeleton_open(NULL);
		struct live_handlers handlers;
		bool classic = i / 2;

		setup(state);
		kernel.missing = missing[i % 2];
		assert_non_null(skeleton);
		/* libbpf's handlers are not those of the test, so that it knows other types. */
		bpf_program__set_type(skeleton->progs.fill_openat, BPF_PROG_TYPE_TRACEPOINT);
		assert_true(count_calls(bpf_program__insns(skeleton->progs.fill_openat),
					bpf_program__insn_cnt(skeleton->progs.fill_openat), 0,
					KERNEL_CAST) > 0);
		assert_int_equal(live_handlers_begin(&handlers, classic, never, 0), 0);
		assert_int_equal(live_handlers_prepare(&handlers, skeleton->obj, NULL, NULL), 0);
		expect_resolved(&handlers, skeleton->progs.fill_openat,
				classic ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_TRACING,
				classic ? NULL : "btf_trace_sys_exit",
				classic ? 0 : BPF_TRACE_RAW_TP);
		expect_resolved(&handlers, skeleton->progs.fill_switch, BPF_PROG_TYPE_TRACING,
				"btf_trace_sched_switch", BPF_TRACE_RAW_TP);
		expect_resolved(&handlers, skeleton->progs.threads, BPF_PROG_TYPE_TRACING,
				"bpf_iter_task", BPF_TRACE_ITER);
		expect_resolved(&handlers, skeleton->progs.enter_openat, BPF_PROG_TYPE_TRACEPOINT,
				NULL, 0);
		expect_resolved(&handlers, skeleton->progs.cgroup_roots,
				BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, 0);
		live_handlers_end(&handlers);
		lanner__destroy(skeleton);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_kinds, setup),
	cmocka_unit_test_setup(test_cannot_be_had, setup),
	cmocka_unit_test_setup(test_empty, setup),
	cmocka_unit_test_setup(test_missing, setup),
	cmocka_unit_test_setup(test_resolve, setup),
};

UNIT_GROUP(tests);
