/* SPDX-License-Identifier: MIT */
/*
 * Which tracepoints of single calls are used, without a kernel: this file stands between the code
 * and tracefs and libbpf's probe.
 */
#include <linux/bpf.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "event/event.h"
#include "scap/live/call_hooks.h"
#include "scap/live/tracepoint.h"
#include "unit.h"

/* What the kernel has. */
static struct {
	const char *missing; /* a call without a tracepoint, or NULL */
	int registers; /* of libbpf's probe */
} kernel;

bool scap_tracepoints_exist(const char *group, const char *prefix, const char *const *names,
			    size_t count)
{
	assert_string_equal(group, "syscalls");
	assert_string_equal(prefix, "sys_exit_");
	for (size_t i = 0; i < count; i++)
		if (kernel.missing && strcmp(names[i], kernel.missing) == 0)
			return false;
	return true;
}

int libbpf_probe_bpf_helper(enum bpf_prog_type type, enum bpf_func_id helper, const void *options)
{
	assert_int_equal(type, BPF_PROG_TYPE_TRACEPOINT);
	assert_int_equal(helper, BPF_FUNC_task_pt_regs);
	return kernel.registers;
}

static int setup(void **state)
{
	kernel.missing = NULL;
	kernel.registers = 1;
	return 0;
}

static bool has(const struct live_call_hooks *hooks, const char *call)
{
	for (unsigned int i = 0; i < hooks->count; i++)
		if (strcmp(hooks->calls[i], call) == 0)
			return true;
	return false;
}

static enum live_hooks used(const struct scap_live_config *config)
{
	struct live_call_hooks hooks;

	live_call_hooks_choose(config, &hooks);
	return hooks.used;
}

static void test_not_asked_for(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_openat] = true}};

	assert_int_equal(used(&config), CALL_HOOKS_ALL);
}

/* Each wanted call, of its event or of the generic one, by the kernel's name. */
static void test_names(void **state)
{
	int sync = syscall_native_number(SC_sync);
	struct scap_live_config config = {
		.call_hooks = CALL_HOOKS_EACH,
		.events = {[EVENT_openat] = true,
			   [EVENT_umount2] = true,
			   [EVENT_syscall] = true,
			   [EVENT_switch] = true},
	};
	struct live_call_hooks hooks;

	config.syscalls[sync] = true;
	live_call_hooks_choose(&config, &hooks);
	assert_int_equal(hooks.used, CALL_HOOKS_EACH);
	assert_int_equal(hooks.count, 6);
	assert_true(has(&hooks, "openat") && has(&hooks, "umount") && has(&hooks, "sync"));
	assert_true(has(&hooks, "sched_get_priority_max")); /* the heartbeat */
	assert_true(has(&hooks, "seccomp") && has(&hooks, "prctl")); /* new filters */
}

static void test_too_many(void **state)
{
	struct scap_live_config config = {.call_hooks = CALL_HOOKS_EACH,
					  .events = {[EVENT_syscall] = true}};
	unsigned int wanted = 0;

	for (unsigned int number = 0; wanted < CALL_HOOKS_MAX - 3; number++)
		wanted += config.syscalls[number] = syscall_code_of_native(number) != SC_unknown;
	assert_int_equal(used(&config), CALL_HOOKS_EACH);
	config.events[EVENT_bpf] = true;
	assert_int_equal(used(&config), CALL_HOOKS_TOO_MANY);
}

static void test_missing(void **state)
{
	struct scap_live_config config = {
		.call_hooks = CALL_HOOKS_EACH,
		.events = {[EVENT_openat] = true, [EVENT_mkdirat] = true}};

	kernel.missing = "mkdirat";
	assert_int_equal(used(&config), CALL_HOOKS_MISSING);
	kernel.missing = "mkdir";
	assert_int_equal(used(&config), CALL_HOOKS_EACH);
	kernel.registers = 0;
	assert_int_equal(used(&config), CALL_HOOKS_MISSING);
	kernel.registers = -1;
	assert_int_equal(used(&config), CALL_HOOKS_MISSING);
}

/* Calls of 32-bit programs alone, and calls without a name, cannot be watched so. */
static void test_others(void **state)
{
	struct scap_live_config config = {.call_hooks = CALL_HOOKS_EACH,
					  .events = {[EVENT_syscall] = true}};

	config.compat_syscalls[1] = true;
	assert_int_equal(used(&config), CALL_HOOKS_ALL);
	config.syscalls[SYSCALL_NR_MAX - 1] = true;
	assert_int_equal(syscall_code_of_native(SYSCALL_NR_MAX - 1), SC_unknown);
	assert_int_equal(used(&config), CALL_HOOKS_MISSING);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_not_asked_for, setup),
	cmocka_unit_test_setup(test_names, setup),
	cmocka_unit_test_setup(test_too_many, setup),
	cmocka_unit_test_setup(test_missing, setup),
	cmocka_unit_test_setup(test_others, setup),
};

UNIT_GROUP(tests);
