/* SPDX-License-Identifier: MIT */
/* A handler that counts. System calls are not restarted, so that a blocked write sees it too. */
#include "agent/run/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* All that handlers can reach. */
static volatile sig_atomic_t received, reload_asked, had_terminal;
static pid_t command; /* set before there is a handler that reads it */

static void count_signal(int number)
{
	if (received < SCHAR_MAX)
		received = received + 1;
	/* Whoever begins to wait for a reader only later has to be interrupted, too. */
	alarm(SIGNALS_PATIENCE_S);
}

static bool has_terminal(void)
{
	int code = errno, fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	errno = code;
	return fd >= 0;
}

/* A terminal that goes is taken from its session before anybody is told. */
static void handle_hangup(int number)
{
	if (had_terminal && !has_terminal())
		count_signal(number);
	else
		reload_asked = true;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
	int code = errno;

	if (info->si_code != SI_KERNEL)
		kill(command, number);
	errno = code;
}

/* That it came is all. */
static void wake_up(int number)
{
}

static bool is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int signals_init(bool reloads, struct error *err)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM};
	struct sigaction action = {.sa_handler = NULL};
	sigset_t all;

	had_terminal = has_terminal();
	/* A file that may not grow is an error of the write. */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&all);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i] == SIGHUP && is_ignored(SIGHUP))
			continue;
		sigaddset(&all, numbers[i]);
		action.sa_handler =
			reloads && numbers[i] == SIGHUP ? handle_hangup : count_signal;
		if (sigaction(numbers[i], &action, NULL))
			return error_set(err, -errno, "cannot handle signals: %s",
					 strerror(errno));
	}
	/* Whoever started the agent may have blocked them. */
	if (sigprocmask(SIG_UNBLOCK, &all, NULL))
		return error_set(err, -errno, "cannot unblock signals: %s", strerror(errno));
	return 0;
}

int signals_pass_on(pid_t pid, struct error *err)
{
	static const int passed[] = {SIGINT, SIGQUIT};
	struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
	struct sigaction woken = {.sa_handler = wake_up, .sa_flags = SA_NOCLDSTOP};

	command = pid;
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		if (sigaction(passed[i], &action, NULL))
			return error_set(err, -errno, "cannot handle signals: %s", strerror(errno));
	if (sigaction(SIGCHLD, &woken, NULL))
		return error_set(err, -errno, "cannot handle signals: %s", strerror(errno));
	return 0;
}

void signals_end_after(uint64_t ns)
{
	uint64_t us = ns / 1000 + 1; /* 0 would mean never */
	struct itimerval timer = {.it_value = {.tv_sec = (time_t)(us / 1000000),
					       .tv_usec = (suseconds_t)(us % 1000000)}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

int signals_count(void)
{
	return received;
}

bool signals_take_reload(void)
{
	/* One that comes between these two is served by what is about to be read. */
	if (!reload_asked)
		return false;
	reload_asked = false;
	return true;
}
