/* SPDX-License-Identifier: MIT */
/* signaldeliver: signals with a handler, signals that end a process, and who sent them. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "harness/fixture.h"
#include "harness/gate.h"
#include "harness/live.h"

enum { NOT_KNOWN = -1 };

static void expect_delivery(int64_t tid, int signal, int64_t sender)
{
	const struct event *ev = live_next_of(EVENT_signaldeliver, tid);

	if (sender == NOT_KNOWN)
		expect_absent(ev, signaldeliver__spid);
	else
		expect_i64(ev, signaldeliver__spid, sender);
	expect_i64(ev, signaldeliver__dpid, tid);
	expect_i64(ev, signaldeliver__sig, signal);
}

static void do_nothing(int signal)
{
}

static void handle(int signal)
{
	struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};

	require(sigaction(signal, &action, NULL) == 0);
}

static void unhandle(int signal)
{
	struct sigaction action = {.sa_handler = SIG_DFL};

	require(sigaction(signal, &action, NULL) == 0);
}

/* Only some signals have a sender. */
static void check_own(void)
{
	static const struct {
		int signal;
		bool has_sender;
	} cases[] = {
		{SIGHUP, true},	  {SIGINT, true},   {SIGQUIT, true},  {SIGTERM, true},
		{SIGTSTP, true},  {SIGUSR1, false}, {SIGALRM, false}, {SIGCHLD, true},
		{SIGWINCH, false}, {32, true},	    {64, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int signal = cases[i].signal;

		/* The C library keeps the first real-time signals to itself. */
		signal = signal == 32 ? SIGRTMIN : signal;
		handle(signal);
		require(kill(getpid(), signal) == 0);
		expect_delivery(getpid(), signal, cases[i].has_sender ? getpid() : 0);
		require(tgkill(getpid(), getpid(), signal) == 0);
		expect_delivery(getpid(), signal, cases[i].has_sender ? getpid() : 0);
		unhandle(signal);
	}
}

static int send_to_parent(void *arg)
{
	union sigval value = {.sival_int = 7};

	return sigqueue(getppid(), *(int *)arg, value);
}

static void check_from_child(void)
{
	int signals[] = {SIGTERM, SIGRTMIN + 3};

	for (int i = 0; i < 2; i++) {
		pid_t child;

		handle(signals[i]);
		child = fixture_child(send_to_parent, &signals[i]);
		require(fixture_wait(child) == 0);
		expect_delivery(getpid(), signals[i], child);
		unhandle(signals[i]);
	}
}

static int end_at_once(void *arg)
{
	return 0;
}

static void check_child_ended(void)
{
	pid_t child;

	handle(SIGCHLD);
	child = fixture_child(end_at_once, NULL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	expect_delivery(getpid(), SIGCHLD, child);
	unhandle(SIGCHLD);
}

/* A timer has no pid: what stands in its place is the number of the timer. */
static void check_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
	struct itimerspec soon = {.it_value.tv_nsec = 1000};
	sigset_t blocked, before;
	timer_t unused, timer;

	handle(SIGRTMIN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGRTMIN);
	require(sigprocmask(SIG_BLOCK, &blocked, &before) == 0);
	require(timer_create(CLOCK_MONOTONIC, &event, &unused) == 0);
	require(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	require(timer_settime(timer, 0, &soon, NULL) == 0);
	sigsuspend(&before);
	expect_delivery(getpid(), SIGRTMIN, 0);
	require(timer_delete(timer) == 0 && timer_delete(unused) == 0);
	require(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
	unhandle(SIGRTMIN);
}

struct end {
	int signal;
	bool by_thread;	/* sent to the one thread */
	bool has_sender;
};

static int end_oneself(void *arg)
{
	const struct end *end = arg;

	if (end->by_thread)
		tgkill(getpid(), getpid(), end->signal);
	else
		kill(getpid(), end->signal);
	return 0;
}

/* The kernel turns them into SIGKILL, and the event back again. */
static void check_fatal(void)
{
	static const struct end ends[] = {
		{SIGTERM, false, true}, {SIGTERM, true, true},	 {SIGHUP, false, true},
		{SIGUSR1, false, false}, {SIGPIPE, true, false}, {SIGABRT, false, false},
		{64, false, true},
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		pid_t child = fixture_child(end_oneself, (void *)&ends[i]);
		int status = fixture_wait(child);

		require(WIFSIGNALED(status) && WTERMSIG(status) == ends[i].signal);
		expect_delivery(child, ends[i].signal, ends[i].has_sender ? child : 0);
	}
}

static int wait_for_end(void *arg)
{
	gate_wait(arg);
	return 0;
}

/* The kernel does not record the sender of a SIGKILL. */
static void check_killed(struct gate *gate)
{
	static const struct {
		int signal;
		int64_t sender; /* 0: the test */
	} ends[] = {{SIGKILL, NOT_KNOWN}, {SIGTERM, 0}, {SIGQUIT, 0}};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		pid_t child = fixture_child(wait_for_end, gate);

		gate_expect(gate, 1);
		require(kill(child, ends[i].signal) == 0);
		require(WTERMSIG(fixture_wait(child)) == ends[i].signal);
		expect_delivery(child, ends[i].signal, ends[i].sender ?: getpid());
	}
}

struct team {
	struct gate gate;
	int signal; /* 0: the process ends by itself */
	pid_t other;
};

static void *stay(void *arg)
{
	struct team *team = arg;

	team->other = gettid();
	gate_wait(&team->gate);
	return NULL;
}

static int end_team(void *arg)
{
	struct team *team = arg;
	pthread_t thread;

	if (pthread_create(&thread, NULL, stay, team))
		return 1;
	gate_wait(&team->gate);
	if (team->signal)
		kill(getpid(), team->signal);
	_exit(0);
}

/* What ends the process reaches both threads; an exit kills the other one alone. */
static void check_team(struct team *team)
{
	pid_t pid = fixture_child(end_team, team);

	gate_expect(&team->gate, 2);
	/* Only the main thread may go on: the other one still waits when it ends. */
	kill(pid, team->signal ? team->signal : SIGKILL);
	fixture_wait(pid);
	if (team->signal) {
		expect_delivery(pid, team->signal, getpid());
		expect_delivery(team->other, team->signal, getpid());
	} else {
		expect_delivery(pid, SIGKILL, NOT_KNOWN);
		expect_delivery(team->other, SIGKILL, NOT_KNOWN);
	}
}

static int crash(void *arg)
{
	*(volatile char *)arg = 1;
	return 0;
}

static void check_crash(void)
{
	pid_t child = fixture_child(crash, UNREADABLE);

	require(WTERMSIG(fixture_wait(child)) == SIGSEGV);
	expect_delivery(child, SIGSEGV, 0);
}

LIVE_TEST(signaldeliver)
{
	struct team *team = fixture_shared(sizeof(*team));

	check_own();
	check_from_child();
	check_child_ended();
	check_timer();
	check_fatal();
	check_crash();
	gate_init(&team->gate);
	check_killed(&team->gate);
	check_team(team);
	team->signal = SIGTERM;
	check_team(team);
	gate_finish(&team->gate);
}
