/* SPDX-License-Identifier: MIT */
/* What the tests of clone, clone3 and fork have in common: both sides of the call. */
#include "harness/spawning.h"

#include <signal.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/process.h"

/* What the kernel calls a flag, and what events do; 0: not held. */
static const struct {
	uint64_t native;
	uint32_t stored;
} clone_bits[] = {
	{0x80, 0}, /* no flag but part of the signal */
	{CLONE_VM, clone_flags__CLONE_VM},
	{CLONE_FS, clone_flags__CLONE_FS},
	{CLONE_FILES, clone_flags__CLONE_FILES},
	{0x1000, 0}, /* CLONE_PIDFD */
	{CLONE_PTRACE, clone_flags__CLONE_PTRACE},
	{CLONE_VFORK, clone_flags__CLONE_VFORK},
	{CLONE_PARENT, clone_flags__CLONE_PARENT},
	{CLONE_THREAD, clone_flags__CLONE_THREAD},
	{CLONE_NEWNS, clone_flags__CLONE_NEWNS},
	{CLONE_SYSVSEM, clone_flags__CLONE_SYSVSEM},
	{CLONE_SETTLS, clone_flags__CLONE_SETTLS},
	{CLONE_PARENT_SETTID, clone_flags__CLONE_PARENT_SETTID},
	{CLONE_CHILD_CLEARTID, clone_flags__CLONE_CHILD_CLEARTID},
	{CLONE_DETACHED, 0},
	{CLONE_UNTRACED, clone_flags__CLONE_UNTRACED},
	{CLONE_CHILD_SETTID, clone_flags__CLONE_CHILD_SETTID},
	{CLONE_NEWCGROUP, clone_flags__CLONE_NEWCGROUP},
	{CLONE_NEWUTS, clone_flags__CLONE_NEWUTS},
	{CLONE_NEWIPC, clone_flags__CLONE_NEWIPC},
	{CLONE_NEWUSER, clone_flags__CLONE_NEWUSER},
	{CLONE_NEWPID, clone_flags__CLONE_NEWPID},
	{CLONE_NEWNET, clone_flags__CLONE_NEWNET},
	{CLONE_IO, clone_flags__CLONE_IO},
	{1ULL << 40, 0}, /* clone3 alone has more than 32 bits */
};

void spawning_check_flags(const struct spawning *spawning)
{
	for (size_t i = 0; i < sizeof(clone_bits) / sizeof(clone_bits[0]); i++) {
		/* One of the two asks for another flag, so that the call fails. */
		bool is_memory = clone_bits[i].native == CLONE_VM;
		uint64_t native = clone_bits[i].native | (is_memory ? CLONE_THREAD : CLONE_SIGHAND);
		uint32_t stored = clone_bits[i].stored | (is_memory ? clone_flags__CLONE_THREAD :
								       clone_flags__CLONE_SIGHAND);
		struct process before, after;
		const struct event *ev;

		process_read(getpid(), getpid(), &before);
		require(spawning->call(native) == -EINVAL);
		process_read(getpid(), getpid(), &after);
		ev = live_next(spawning->event);
		expect_absent(ev, clone__exe);
		expect_absent(ev, clone__args);
		process_expect(ev, &before, &after);
		process_expect_clone(ev, -EINVAL, stored, &after);
		expect_i64(ev, clone__pidns_init_start_ts, 0);
	}
}

/* The parent's side of a call that returned `res`. */
static void expect_parent(unsigned int event, int64_t res, uint32_t flags,
			  const struct process *before, const struct process *parent)
{
	const struct event *ev = live_next_of(event, parent->tid);

	process_expect_args(ev, parent);
	process_expect(ev, before, parent);
	process_expect_clone(ev, res, flags, parent);
	expect_i64(ev, clone__pidns_init_start_ts, 0);
}

/* What the child's side shows of the call's flags, when it is made out from the child alone. */
static uint32_t flags_at_fork(uint32_t flags)
{
	uint32_t shown = clone_flags__CLONE_FILES | clone_flags__CLONE_CHILD_IN_PIDNS;

	if (flags & clone_flags__CLONE_THREAD)
		shown |= clone_flags__CLONE_THREAD | clone_flags__CLONE_SIGHAND |
			 clone_flags__CLONE_VM;
	return flags & shown;
}

/* The child's side; `first`: the first process of its pid namespace. */
static void expect_child(unsigned int event, uint32_t flags, const struct process *child,
			 const struct process *first)
{
	const struct event *ev =
		live_next_of(CHILD_EVENT_AT_FORK ? EVENT_clone : event, child->tid);

	if (CHILD_EVENT_AT_FORK)
		flags = flags_at_fork(flags);
	process_expect_args(ev, child);
	process_expect(ev, NULL, child);
	process_expect_clone(ev, 0, flags, child);
	process_expect_pidns_start(ev, first);
}

void spawning_check(const struct spawning *spawning, uint64_t native, uint32_t stored)
{
	bool has_namespace = native & CLONE_NEWPID;
	struct process before, parent, child, init;
	struct gate gate;
	long pid;

	gate_init(&gate);
	process_read(getpid(), getpid(), &before);
	pid = spawning->call(native);
	if (pid == 0) {
		gate_wait(&gate);
		_exit(0);
	}
	process_read(getpid(), getpid(), &parent);
	require(pid > 0);
	gate_expect(&gate, 1);
	process_read((pid_t)pid, (pid_t)pid, &child);
	process_read(1, 1, &init);
	expect_parent(spawning->event, pid, stored, &before, &parent);
	expect_child(spawning->event,
		     stored | (has_namespace ? clone_flags__CLONE_CHILD_IN_PIDNS : 0), &child,
		     has_namespace ? &child : &init);
	expect_true(!has_namespace || (child.vtid == 1 && child.tid == pid));
	gate_open(&gate, 1);
	require(fixture_wait((pid_t)pid) == 0);
	gate_finish(&gate);
}

struct nested {
	const struct spawning *spawning;
	struct gate gate;
	bool unshares;
	long *result; /* shared */
};

/* Makes a child of its own; both wait. */
static int spawn_again(void *arg)
{
	struct nested *nested = arg;
	long pid;

	require(!nested->unshares || unshare(CLONE_NEWPID) == 0);
	pid = nested->spawning->call(0);
	if (pid == 0) {
		gate_wait(&nested->gate);
		_exit(0);
	}
	*nested->result = pid;
	gate_wait(&nested->gate);
	return pid > 0 && fixture_wait((pid_t)pid) == 0 ? 0 : 1;
}

static void check_nested(struct nested *nested, pid_t pid)
{
	const uint32_t flags = clone_flags__CLONE_CHILD_IN_PIDNS;
	struct process parent, child;

	gate_expect(&nested->gate, 2);
	/* The first event of that process is its own beginning. */
	if (nested->spawning->event == EVENT_clone)
		live_skip_to(EVENT_clone, pid, clone__res, 0);
	process_read(pid, pid, &parent);
	process_read(process_child(pid), process_child(pid), &child);
	expect_parent(nested->spawning->event, *nested->result, flags, NULL, &parent);
	expect_child(nested->spawning->event, flags, &child, nested->unshares ? &child : &parent);
	expect_true(child.vtid == (nested->unshares ? 1 : 2));
	gate_open(&nested->gate, 2);
	require(fixture_wait(pid) == 0);
	gate_finish(&nested->gate);
}

void spawning_check_namespaces(const struct spawning *spawning)
{
	struct nested nested = {.spawning = spawning, .result = fixture_shared(sizeof(long))};
	pid_t pid;

	gate_init(&nested.gate);
	pid = (pid_t)CALL(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, 0);
	if (pid == 0)
		_exit(spawn_again(&nested));
	require(pid > 0);
	check_nested(&nested, pid);

	gate_init(&nested.gate);
	nested.unshares = true;
	pid = (pid_t)CALL(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
	if (pid == 0)
		_exit(spawn_again(&nested));
	require(pid > 0);
	check_nested(&nested, pid);
	live_skip(); /* the test's own side of it */
}

void spawning_expect_thread(unsigned int event, const struct gate *gate, pid_t tid, uint32_t flags)
{
	struct process caller, thread, init;

	gate_expect(gate, 1);
	process_read(getpid(), getpid(), &caller);
	process_read(getpid(), tid, &thread);
	process_read(1, 1, &init);
	require(tid > 0 && tid != getpid());
	expect_parent(event, tid, flags, NULL, &caller);
	expect_child(event, flags, &thread, &init);
	gate_open(gate, 1);
}
