/* SPDX-License-Identifier: MIT */
/* A handler that counts. System calls are not restarted, so that a blocked write returns EINTR. */
#include "agent/process/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "util/count.h"
#include "util/waker.h"

/* State that handlers access. */
static volatile sig_atomic_t received, received_from_user, reload_asked, reload_forced, dump_asked,
	had_terminal;
static pid_t command; /* set before the handler that reads it is installed */
static const struct waker *volatile waker; /* borrowed; NULL: nobody is woken */

static void count_signal(int number)
{
	if (received < SCHAR_MAX)
		received = received + 1;
	if (number != SIGALRM && received_from_user < SCHAR_MAX)
		received_from_user = received_from_user + 1;
	/* Also interrupts a wait for a reader that begins later. */
	alarm(SIGNALS_PATIENCE_S);
	waker_wake(waker);
}

static bool has_terminal(void)
{
	int r = errno, fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	errno = r;
	return fd >= 0;
}

/* If the terminal closes, its session loses it before SIGHUP is sent. */
static void handle_hangup(int number, siginfo_t *info, void *context)
{
	if (had_terminal && !has_terminal()) {
		count_signal(number);
		return;
	}
	if (info->si_code == SI_QUEUE && info->si_value.sival_int == SIGNALS_FORCED)
		reload_forced = true;
	reload_asked = true;
	waker_wake(waker);
}

static void ask_dump(int number)
{
	dump_asked = true;
	waker_wake(waker);
}

static void pass_on(int number, siginfo_t *info, void *context)
{
	int r = errno;

	if (info->si_code != SI_KERNEL)
		kill(command, number);
	errno = r;
}

/* The signal only interrupts system calls. */
static void wake_up(int number)
{
	waker_wake(waker);
}

static bool is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int signals_init(bool reloads, struct error *err)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM};
	struct sigaction action = {.sa_handler = count_signal};
	struct sigaction hangup = {.sa_sigaction = handle_hangup, .sa_flags = SA_SIGINFO};
	sigset_t all;

	had_terminal = has_terminal();
	/* If a file reaches its size limit, write() fails instead. */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&all);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		if (numbers[i] == SIGHUP && is_ignored(SIGHUP))
			continue;
		sigaddset(&all, numbers[i]);
		if (sigaction(numbers[i], reloads && numbers[i] == SIGHUP ? &hangup : &action,
			      NULL))
			return error_set(err, -errno, "cannot handle signals: %s", strerror(errno));
	}
	/* The parent may have blocked them. */
	if (sigprocmask(SIG_UNBLOCK, &all, NULL))
		return error_set(err, -errno, "cannot unblock signals: %s", strerror(errno));
	return 0;
}

int signals_dump(struct error *err)
{
	struct sigaction action = {.sa_handler = ask_dump};
	sigset_t dump;

	sigemptyset(&dump);
	sigaddset(&dump, SIGUSR2);
	/* The parent may have blocked it. */
	if (sigaction(SIGUSR2, &action, NULL) || sigprocmask(SIG_UNBLOCK, &dump, NULL))
		return error_set(err, -errno, "cannot handle signals: %s", strerror(errno));
	return 0;
}

bool signals_take_dump(void)
{
	/* What arrives between the two is another request. */
	if (!dump_asked)
		return false;
	dump_asked = false;
	return true;
}

void signals_set_waker(const struct waker *next)
{
	waker = next;
}

int signals_pass_on(pid_t pid, struct error *err)
{
	static const int passed[] = {SIGINT, SIGQUIT};
	struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
	struct sigaction woken = {.sa_handler = wake_up, .sa_flags = SA_NOCLDSTOP};

	command = pid;
	for (size_t i = 0; i < COUNT(passed); i++)
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

/* A signal just before the sleep is seen after it. */
void signals_wait(void)
{
	const struct timespec second = {.tv_sec = 1};

	while (received == 0)
		nanosleep(&second, NULL);
}

bool signals_are_insistent(void)
{
	return received_from_user > 1;
}

bool signals_take_reload(bool *forced)
{
	/* A signal between these lines is served by the reload that follows. */
	if (!reload_asked)
		return false;
	reload_asked = false;
	*forced = false;
	if (reload_forced) {
		reload_forced = false;
		*forced = true;
	}
	return true;
}
