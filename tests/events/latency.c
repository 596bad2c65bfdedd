/* SPDX-License-Identifier: MIT */
/* The latency of calls, compared with clocks around them; calls without known latency. */
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "harness/fixture.h"
#include "harness/gate.h"
#include "harness/int80.h"
#include "harness/live.h"
#include "harness/process.h"
#include "patience.h"
#include "util/clock.h"

enum {
	SLEEP_NS = 50000000,
	/*
	 * The clocks of BPF programs and of user space are stepped at different times, by some ns.
	 */
	CLOCK_TOLERANCE_NS = 1000,
	THREADS = 8, /* more than there are CPUs */
	CALLS = 200, /* of each thread, of both kinds */
	STORM_SLEEP_NS_MAX = 100000,
	STORM_SPIN_MAX = 20000,
	MARKED_FD = -1000, /* and below */
	REJECTED_FD = NO_FD + 1,
	REJECTED_STATUS = 5,
	NR32_CLOSE = 6,
	NR32_SOCKETCALL = 102,
	NR32_NANOSLEEP = 162,
	SOCKETCALL_LISTEN = 4,
};

#define expect_latency(ev, low, high) latency_expect(__LINE__, ev, low, high)

static void latency_expect(int line, const struct event *ev, uint64_t low, uint64_t high)
{
	if (ev->latency_ns + CLOCK_TOLERANCE_NS < low || ev->latency_ns > high + CLOCK_TOLERANCE_NS)
		live_fail(__FILE__, line, "%s took %llu ns, not from %llu to %llu", ev->desc->name,
			  (unsigned long long)ev->latency_ns, (unsigned long long)low,
			  (unsigned long long)high);
	expect_true(ev->latency_ns > 0);
}

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

/* The event of a call that this thread has made since then. */
static void check_own(unsigned int id, uint64_t begin_ns, uint64_t low)
{
	uint64_t took_ns = now_ns() - begin_ns;

	expect_latency(live_next_whole(id, gettid()), low, took_ns);
}

static void check_calls(void)
{
	const struct timespec interval = {.tv_nsec = SLEEP_NS};
	uint64_t begin_ns = now_ns();

	require(CALL(SYS_nanosleep, &interval, NULL) == 0);
	check_own(EVENT_nanosleep, begin_ns, SLEEP_NS);
	begin_ns = now_ns();
	require(CALL(SYS_close, NO_FD) == -EBADF);
	check_own(EVENT_close, begin_ns, 0);
}

/* Who is about to wait, and for nothing else, sleeps in the call that waits. */
static void wait_until_asleep(pid_t pid)
{
	static struct process process;
	uint64_t begin_ns = now_ns();

	do {
		usleep(1000);
		require(now_ns() - begin_ns < PATIENCE_NS);
		process_read(pid, pid, &process);
	} while (process.state != 'S');
}

static int write_late(void *fds)
{
	const struct timespec interval = {.tv_nsec = SLEEP_NS};

	wait_until_asleep(getppid());
	nanosleep(&interval, NULL);
	return write(((int *)fds)[1], "late", 4) == 4 ? 0 : 1;
}

/* The reader waits for another process. The child's side of a clone has no entry. */
static void check_waiting(void)
{
	uint64_t begin_ns, read_begin_ns;
	char bytes[4];
	int fds[2];
	pid_t pid;

	require(pipe(fds) == 0);
	begin_ns = now_ns();
	pid = fixture_child(write_late, fds);
	read_begin_ns = now_ns();
	require(CALL(SYS_read, fds[0], bytes, sizeof(bytes)) == 4);
	check_own(EVENT_read, read_begin_ns, SLEEP_NS);
	check_own(EVENT_clone, begin_ns, 0);
	expect_true(live_next_whole(EVENT_clone, pid)->latency_ns == LATENCY_UNKNOWN);
	require(fixture_wait(pid) == 0);
	close(fds[0]);
	close(fds[1]);
}

static void *exec_true(void *unused)
{
	execl("/bin/true", "true", NULL);
	_exit(1);
}

/* Its thread gets the id of the first one by its exec. */
static int exec_in_thread(void *unused)
{
	pthread_t id;

	if (pthread_create(&id, NULL, exec_true, NULL) == 0)
		pause();
	return 1;
}

static int exec_at_once(void *unused)
{
	execl("/there/is/no/such/program", "none", NULL);
	exec_true(NULL);
	return 1;
}

static void check_exec(void)
{
	uint64_t begin_ns = now_ns(), took_ns;
	pid_t in_thread = fixture_child(exec_in_thread, NULL);
	pid_t at_once = fixture_child(exec_at_once, NULL);

	require(fixture_wait(in_thread) == 0 && fixture_wait(at_once) == 0);
	took_ns = now_ns() - begin_ns;
	expect_latency(live_next_whole(EVENT_execve, in_thread), 0, took_ns);
	expect_latency(live_next_whole(EVENT_execve, at_once), 0, took_ns);
	expect_latency(live_next_whole(EVENT_execve, at_once), 0, took_ns);
}

static void ignore(int signal)
{
}

/* Makes seccomp reject a call with that first argument, before the tracepoint on entry. */
static bool reject(uint32_t number, uint32_t argument)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argument, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(program) / sizeof(program[0]), program};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static int close_rejected(void *unused)
{
	signal(SIGUSR1, ignore);
	if (!reject(SYS_close, REJECTED_FD) || CALL(SYS_close, NO_FD) != -EBADF ||
	    CALL(SYS_close, REJECTED_FD) != -EPERM)
		return 1;
	raise(SIGUSR1);
	return CALL(SYS_close, REJECTED_FD) == -EPERM ? 0 : 1;
}

/* They get neither the entry time of the previous call nor that of a call without exit. */
static void check_rejected(void)
{
	uint64_t begin_ns = now_ns();
	pid_t pid = fixture_child(close_rejected, NULL);

	require(fixture_wait(pid) == 0);
	expect_latency(live_next_whole(EVENT_close, pid), 0, now_ns() - begin_ns);
	for (int i = 0; i < 2; i++)
		expect_true(live_next_whole(EVENT_close, pid)->latency_ns == LATENCY_UNKNOWN);
}

static int end_at_once(void *unused)
{
	return 0;
}

static long clone_with_id(const pid_t *tid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uint64_t)tid, .set_tid_size = 1};

	return CALL(SYS_clone3, &args, sizeof(args));
}

/* The call that ended a process is not taken for one of the next with its id, which began
 * elsewhere. */
static void check_id_used_again(void)
{
	pid_t pid = fixture_child(end_at_once, NULL);
	long again;

	require(fixture_wait(pid) == 0);
	again = clone_with_id(&pid);
	if (again == 0)
		_exit(0);
	require(again == pid && fixture_wait(pid) == 0);
	live_next_whole(EVENT_clone, pid);
	expect_true(live_next_whole(CHILD_EVENT_AT_FORK ? EVENT_clone : EVENT_clone3, pid)
			    ->latency_ns == LATENCY_UNKNOWN);
}

/* The exit of a process, and a call of its successor with the same id that seccomp rejects. */
static int end_rejected(void *shared)
{
	pid_t pid = fixture_child(end_at_once, NULL);
	long again = -1;

	if (fixture_wait(pid) == 0 && reject(SYS_exit_group, REJECTED_STATUS))
		again = clone_with_id(&pid);
	if (again == 0) {
		CALL(SYS_exit_group, REJECTED_STATUS);
		_exit(0);
	}
	*(pid_t *)shared = pid;
	return again == pid && fixture_wait(pid) == 0 ? 0 : 1;
}

static void check_end_rejected(void)
{
	pid_t *id = fixture_shared(sizeof(*id));
	const struct event *ev;

	require(fixture_wait(fixture_child(end_rejected, id)) == 0);
	ev = live_next_with(EVENT_exit_group, *id, exit_group__status, REJECTED_STATUS);
	expect_i64(ev, exit_group__status, REJECTED_STATUS);
	expect_true(ev->latency_ns == LATENCY_UNKNOWN);
}

static int wait_at_gate(void *gate)
{
	gate_wait(gate);
	return 0;
}

/* Two calls in progress that have one place for their times: the first loses its own. */
static void check_shared_place(void)
{
	uint64_t begin_ns, untimed = live_untimed();
	struct gate gate;
	pid_t first, second;
	long made;

	gate_init(&gate);
	first = fixture_child(wait_at_gate, &gate);
	gate_expect(&gate, 1);
	wait_until_asleep(first);
	second = first + ENTER_TIMES;
	begin_ns = now_ns();
	made = clone_with_id(&second);
	if (made == 0)
		_exit(CALL(SYS_close, NO_FD) == -EBADF ? 0 : 1);
	/* Many kernels have no ids that are so high. */
	require(made == second || made == -EINVAL);
	if (made == second) {
		require(fixture_wait(second) == 0);
		expect_latency(live_next_whole(EVENT_close, second), 0, now_ns() - begin_ns);
	}
	gate_open(&gate, 1);
	require(fixture_wait(first) == 0);
	expect_true((live_next_whole(EVENT_read, first)->latency_ns == LATENCY_UNKNOWN) ==
		    (made == second));
	expect_true(live_untimed() > untimed || made != second);
	gate_finish(&gate);
}

/* Calls of 32-bit programs; the last stands for several others. */
static void check_32_bit(void)
{
#ifdef __x86_64__
	const uint32_t interval[] = {0, SLEEP_NS}, arguments[] = {NO_FD, 5};
	void *low_interval = fixture_low(interval, sizeof(interval));
	void *low_arguments = fixture_low(arguments, sizeof(arguments));
	uint64_t begin_ns;

	live_skip();
	begin_ns = now_ns();
	require(int80_call(NR32_NANOSLEEP, (long)low_interval, 0, 0, 0, 0, 0) == 0);
	check_own(EVENT_nanosleep, begin_ns, SLEEP_NS);
	begin_ns = now_ns();
	require(int80_call(NR32_CLOSE, NO_FD, 0, 0, 0, 0, 0) == -EBADF);
	check_own(EVENT_close, begin_ns, 0);
	begin_ns = now_ns();
	require(int80_call(NR32_SOCKETCALL, SOCKETCALL_LISTEN, (long)low_arguments, 0, 0, 0, 0) ==
		-EBADF);
	check_own(EVENT_listen, begin_ns, 0);
#endif
}

LIVE_TEST(latency)
{
	check_calls();
	check_waiting();
	check_exec();
	check_rejected();
	check_id_used_again();
	check_end_rejected();
	check_shared_place();
	check_32_bit();
}

/* A thread that makes calls, and what it measured around them. */
struct caller {
	pthread_t id;
	pid_t tid;
	uint64_t slept_ns[CALLS], sleep_took_ns[CALLS], close_took_ns[CALLS];
};

static void *make_calls(void *arg)
{
	struct caller *caller = arg;
	unsigned int seed = (unsigned int)gettid();

	caller->tid = gettid();
	for (int i = 0; i < CALLS; i++) {
		struct timespec interval = {.tv_nsec = rand_r(&seed) % STORM_SLEEP_NS_MAX};
		uint64_t begin_ns;

		for (volatile int spin = rand_r(&seed) % STORM_SPIN_MAX; spin > 0; spin--)
			;
		begin_ns = now_ns();
		CALL(SYS_close, MARKED_FD - i);
		caller->close_took_ns[i] = now_ns() - begin_ns;
		begin_ns = now_ns();
		CALL(SYS_nanosleep, &interval, NULL);
		caller->sleep_took_ns[i] = now_ns() - begin_ns;
		caller->slept_ns[i] = (uint64_t)interval.tv_nsec;
	}
	return NULL;
}

static void check_caller(const struct caller *caller)
{
	for (int i = 0; i < CALLS; i++) {
		const struct event *ev = live_next_whole(EVENT_close, caller->tid);

		require(event_param_i64(ev, close__fd) == MARKED_FD - i);
		expect_latency(ev, 0, caller->close_took_ns[i]);
		expect_latency(live_next_whole(EVENT_nanosleep, caller->tid), caller->slept_ns[i],
			       caller->sleep_took_ns[i]);
	}
}

/* Threads that take the CPUs from each other at any place: no time is that of another call. */
LIVE_TEST(latency_storm)
{
	static struct caller callers[THREADS];

	for (int i = 0; i < THREADS; i++)
		require(pthread_create(&callers[i].id, NULL, make_calls, &callers[i]) == 0);
	for (int i = 0; i < THREADS; i++)
		require(pthread_join(callers[i].id, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		check_caller(&callers[i]);
}
