/* SPDX-License-Identifier: MIT */
/* The warnings of a live capture. */
#include <errno.h>

#include "agent/input/live_open.h"
#include "event/event.h"

#include "fake_live.h"
#include "unit.h"

static struct scap_live live;
static struct options options;
static struct live_lacks lacks;

static int setup(void **state)
{
	fake_live_init(&live);
	options = (struct options){0};
	lacks = (struct live_lacks){0};
	return 0;
}

static int teardown(void **state)
{
	scap_source_destroy(scap_live_source(&live));
	return 0;
}

static void expect(const char *lines)
{
	struct buf text = {0};

	live_warnings_append(&live, &lacks, &options, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, lines);
	buf_finish(&text);
}

static void test_nothing(void **state)
{
	expect("");
	options.verbose = true;
	expect("");
}

static void test_programs(void **state)
{
	live.rejected[0] = EVENT_chdir;
	live.rejected[1] = EVENT_close;
	live.enter_error = -ENOENT;
	expect("agent: this kernel rejects the program for chdir: such events are missing "
	       "(-v shows why)\n"
	       "agent: this kernel rejects the program for close: such events are missing "
	       "(-v shows why)\n"
	       "agent: calls are not watched at their enter (No such file or directory): an "
	       "argument that is changed during a call that fails is not marked; mount tracefs "
	       "on /sys/kernel/tracing (-v shows programs that the kernel rejects)\n");
	live.rejected[0] = 0;
	live.enter_error = 0;
	live.sends_error = -EPERM;
	expect("agent: it is not noted where datagrams go (Operation not permitted): their "
	       "destinations are what the sender's memory has after the call; mount the control "
	       "groups (version 2) of the machine on /sys/fs/cgroup, add CAP_NET_ADMIN\n");
}

static void test_answers(void **state)
{
	struct buf text = {0};

	live.filters_error = -EXDEV;
	expect("");
	live.filters_error = -E2BIG;
	expect("agent: the seccomp filters that were there before are not all known (Argument list "
	       "too long): calls that they answer in place of the kernel are not marked; start "
	       "those "
	       "programs anew after the agent (-v shows programs that the kernel rejects)\n");
	live_answers_append(&live, &text);
	assert_int_equal(text.len, 0);
	live.answers_error = -EPERM;
	live_answers_append(&live, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(
		text.data,
		"agent: calls that a seccomp filter or a tracer answers in place of the "
		"kernel are not told from others (Operation not permitted): they are not "
		"marked; restart the agent, with CAP_BPF and CAP_PERFMON\n");
	buf_finish(&text);
}

/* A filter for operations of rings, where none is seen. */
static void test_uring(void **state)
{
	live.uring = LIVE_URING_UNSEEN;
	expect("");
	lacks.uring = true;
	expect("agent: operations of io_uring: none is seen: the kernel tells none, or rejects a "
	       "program: evt.is_uring is true of no event, evt.via and fd.slot have no value\n");
	live.uring = LIVE_URING_SQE;
	expect("");
	assert_string_equal(live_uring_text(&live),
			    "operations are seen at io_uring_submit_sqe, io_uring_complete");
	live.uring = LIVE_URING_NUMBERS;
	expect("agent: operations of io_uring: all are io_uring_op: the kernel tells no arguments "
	       "of them: evt.is_uring is true of these alone, fd.slot has no value\n");
	live.uring = LIVE_URING_UNNEEDED;
	expect("");
}

/* Only -v shows that a capture costs more than it was asked to. */
static void test_hooks(void **state)
{
	options.call_hooks = CALL_HOOKS_EACH;
	live.call_hooks = CALL_HOOKS_TOO_MANY;
	expect("");
	options.verbose = true;
	live.call_hooks = CALL_HOOKS_EACH;
	expect("");
	live.call_hooks = CALL_HOOKS_TOO_MANY;
	expect("agent: hooks: tracepoints of all system calls, as more than 32 are wanted\n");
}

static void test_groups(void **state)
{
	lacks.groups = true;
	expect("");
	options.verbose = true;
	expect("agent: the kernel does not filter by control groups: the agent does not see all "
	       "of their folders; mount /sys/fs/cgroup of the machine\n");
}

static void test_iterators(void **state)
{
	lacks.iterator_errors[SCAP_LIVE_THREADS] = -EOPNOTSUPP;
	expect("");
	options.verbose = true;
	expect("agent: threads were read from /proc, which takes longer than by an iterator: the "
	       "kernel has none, or rejects its program\n");
}

static void test_roots(void **state)
{
	live.cgroup_roots_code = -EACCES;
	expect("agent: the place of the agent's own control group is not known (Permission "
	       "denied): programs that ran before it have no container if they are in that group "
	       "or below it; give it the cgroup namespace of the host\n");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
	cmocka_unit_test_setup_teardown(test_programs, setup, teardown),
	cmocka_unit_test_setup_teardown(test_answers, setup, teardown),
	cmocka_unit_test_setup_teardown(test_uring, setup, teardown),
	cmocka_unit_test_setup_teardown(test_hooks, setup, teardown),
	cmocka_unit_test_setup_teardown(test_groups, setup, teardown),
	cmocka_unit_test_setup_teardown(test_iterators, setup, teardown),
	cmocka_unit_test_setup_teardown(test_roots, setup, teardown),
};

UNIT_GROUP(tests);
