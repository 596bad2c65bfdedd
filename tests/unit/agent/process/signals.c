/* SPDX-License-Identifier: MIT */
/*
 * What signals do: each case is a process of its own, because handlers and counts last as long as
 * the process.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/process/signals.h"
#include "in_child.h"
#include "patience.h"
#include "unit.h"
#include "util/waker.h"

static bool forced; /* by the reload that was taken last */

enum { CASE_SECONDS = 20, MS = 1000000 };

#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition))                                                                  \
			_exit(__LINE__ % 200 + 1);                                                 \
	} while (0)

/* Runs a case in a session without a terminal; it fails with a number that the line gives. */
static void in_process(void (*run)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		setsid();
		signal(SIGHUP, SIG_DFL); /* the tests may run under nohup */
		/* A case that hangs is killed: SIGALRM may be handled. */
		setrlimit(RLIMIT_CPU, &(struct rlimit){CASE_SECONDS, CASE_SECONDS});
		run();
		in_child_end(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		fail_msg("ended by signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status))
		fail_msg("failed at a line that is %d modulo 200", WEXITSTATUS(status) - 1);
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * MS}, NULL);
}

static void count_all(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM};

	REQUIRE(signals_init(false, NULL) == 0);
	REQUIRE(signals_count() == 0);
	for (int i = 0; i < 5; i++) {
		raise(numbers[i]);
		REQUIRE(signals_count() == i + 1);
	}
	REQUIRE(!signals_take_reload(&forced));
}

static void test_signals_are_counted(void **state)
{
	in_process(count_all);
}

/* Whoever is about to wait does not miss one that came just before. */
static void wake(void)
{
	struct pollfd poll_fd = {.events = POLLIN};
	struct waker *waker;

	REQUIRE(signals_init(true, NULL) == 0 && waker_create(&waker) == 0);
	poll_fd.fd = waker_fd(waker);
	signals_set_waker(waker);
	raise(SIGHUP);
	REQUIRE(poll(&poll_fd, 1, 0) == 1);
	waker_rest(waker);
	raise(SIGTERM);
	REQUIRE(poll(&poll_fd, 1, 0) == 1);
	waker_rest(waker);
	signals_set_waker(NULL);
	raise(SIGTERM);
	REQUIRE(poll(&poll_fd, 1, 0) == 0);
}

static void test_signals_wake(void **state)
{
	in_process(wake);
}

/* Far more signals than a small counter holds. */
static void count_many(void)
{
	REQUIRE(signals_init(false, NULL) == 0);
	for (int i = 0; i < 1000; i++)
		raise(SIGTERM);
	REQUIRE(signals_count() > 2);
}

static void test_many_signals(void **state)
{
	in_process(count_many);
}

/* Signals that the parent blocked arrive. */
static void unblock(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	raise(SIGTERM);
	REQUIRE(signals_init(false, NULL) == 0);
	REQUIRE(signals_count() == 1);
}

static void test_blocked_signals(void **state)
{
	in_process(unblock);
}

/* As nohup does. */
static void ignore_hangup(void)
{
	signal(SIGHUP, SIG_IGN);
	REQUIRE(signals_init(true, NULL) == 0);
	raise(SIGHUP);
	REQUIRE(signals_count() == 0 && !signals_take_reload(&forced));
}

static void test_ignored_hangup(void **state)
{
	in_process(ignore_hangup);
}

/* A request is taken once; several before that are one. */
static void reload(void)
{
	REQUIRE(signals_init(true, NULL) == 0);
	REQUIRE(!signals_take_reload(&forced));
	raise(SIGHUP);
	raise(SIGHUP);
	REQUIRE(signals_count() == 0);
	REQUIRE(signals_take_reload(&forced) && !forced);
	REQUIRE(!signals_take_reload(&forced));
	sigqueue(getpid(), SIGHUP, (union sigval){.sival_int = SIGNALS_FORCED});
	REQUIRE(signals_take_reload(&forced) && forced);
	sigqueue(getpid(), SIGHUP, (union sigval){.sival_int = SIGNALS_FORCED + 1});
	REQUIRE(signals_take_reload(&forced) && !forced);
	raise(SIGTERM);
	REQUIRE(signals_count() == 1 && !signals_take_reload(&forced));
}

static void test_reload(void **state)
{
	in_process(reload);
}

/* A system call that blocks returns, with the alarm of -M. */
static void end_after(void)
{
	uint64_t after_ns = 20 * MS;
	int ends[2], before;
	char byte;

	REQUIRE(signals_init(false, NULL) == 0);
	REQUIRE(pipe(ends) == 0);
	/* On a slow machine it may come before read() waits, which then only the next one ends. */
	do {
		before = signals_count();
		signals_end_after(after_ns);
		REQUIRE(read(ends[0], &byte, 1) == -1 && errno == EINTR);
		after_ns *= 2;
	} while (signals_count() != before + 1 && after_ns < PATIENCE_NS);
	REQUIRE(signals_count() == before + 1);
}

/* 0 ns is soon, not never. */
static void end_at_once(void)
{
	REQUIRE(signals_init(false, NULL) == 0);
	signals_end_after(0);
	REQUIRE(waited_until(signals_count() > 0));
	REQUIRE(signals_count() == 1);
}

static void test_end_after(void **state)
{
	in_process(end_after);
	in_process(end_at_once);
}

/* After a signal the next one comes by itself, for a reader that never reads. */
static void lose_patience(void)
{
	REQUIRE(signals_init(false, NULL) == 0);
	raise(SIGTERM);
	REQUIRE(signals_count() == 1);
	REQUIRE(waited_until(signals_count() != 1));
	REQUIRE(signals_count() == 2);
}

static void test_patience(void **state)
{
	in_process(lose_patience);
}

/* A write beyond the size limit of files fails instead of killing the agent. */
static void fill_file(void)
{
	char name[] = "/tmp/lanner-signals-XXXXXX";
	int fd = mkstemp(name);

	REQUIRE(fd >= 0 && unlink(name) == 0);
	REQUIRE(signals_init(false, NULL) == 0);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){1, 1});
	REQUIRE(write(fd, "ab", 2) == 1);
	REQUIRE(write(fd, "c", 1) == -1 && errno == EFBIG);
	REQUIRE(signals_count() == 0);
}

static void test_size_limit(void **state)
{
	in_process(fill_file);
}

/* What a process sends to the agent goes to the command, and does not end the agent. */
static void pass_on(void)
{
	int status;
	pid_t command = fork();

	REQUIRE(command >= 0);
	if (command == 0) {
		pause_ms(10 * PATIENCE_MS);
		_exit(0);
	}
	REQUIRE(signals_init(false, NULL) == 0);
	REQUIRE(signals_pass_on(command, NULL) == 0);
	kill(getpid(), SIGINT);
	REQUIRE(signals_count() == 0);
	while (waitpid(command, &status, 0) < 0 && errno == EINTR)
		;
	REQUIRE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	raise(SIGTERM);
	REQUIRE(signals_count() == 1);
}

static void test_command(void **state)
{
	in_process(pass_on);
}

/* Only a signal that ends the agent ends the wait. */
static void wait_for_signal(void)
{
	pid_t killer, parent = getpid();

	REQUIRE(signals_init(true, NULL) == 0);
	killer = fork();
	REQUIRE(killer >= 0);
	if (killer == 0) {
		kill(parent, SIGHUP);
		pause_ms(100);
		kill(parent, SIGTERM);
		_exit(0);
	}
	signals_wait();
	REQUIRE(signals_count() == 1);
	REQUIRE(signals_take_reload(&forced));
}

static void test_wait(void **state)
{
	in_process(wait_for_signal);
}

/* Many before it is looked are one; it ends nothing, also where it was blocked. */
static void ask_dump(void)
{
	sigset_t dump;

	sigemptyset(&dump);
	sigaddset(&dump, SIGUSR2);
	REQUIRE(sigprocmask(SIG_BLOCK, &dump, NULL) == 0);
	REQUIRE(signals_dump(NULL) == 0);
	REQUIRE(!signals_take_dump());
	raise(SIGUSR2);
	raise(SIGUSR2);
	REQUIRE(signals_take_dump());
	REQUIRE(!signals_take_dump());
	REQUIRE(signals_count() == 0);
}

static void test_dump(void **state)
{
	in_process(ask_dump);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_signals_are_counted),
	cmocka_unit_test(test_signals_wake),
	cmocka_unit_test(test_many_signals),
	cmocka_unit_test(test_blocked_signals),
	cmocka_unit_test(test_ignored_hangup),
	cmocka_unit_test(test_reload),
	cmocka_unit_test(test_end_after),
	cmocka_unit_test(test_patience),
	cmocka_unit_test(test_size_limit),
	cmocka_unit_test(test_command),
	cmocka_unit_test(test_dump),
	cmocka_unit_test(test_wait),
};

UNIT_GROUP(tests);
