/* SPDX-License-Identifier: MIT */
#include "privileges/helper_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FDS_MAX = 1024 /* closed one by one before Linux 5.9 */ };

static void ignore_signals(void)
{
	static const int signals[] = {SIGHUP,  SIGINT,	SIGQUIT, SIGTERM,
				      SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_IGN);
}

/* All are copied first: a place may be that of another one. */
static int move(const int *fds, size_t count)
{
	int first = HELPER_FD + (int)count, copies[HELPER_FDS_MAX];

	for (size_t i = 0; i < count; i++) {
		copies[i] = fcntl(fds[i], F_DUPFD, first);
		if (copies[i] < 0)
			return -errno;
	}
	for (size_t i = 0; i < count; i++)
		if (dup2(copies[i], HELPER_FD + (int)i) < 0)
			return -errno;
	if (syscall(SYS_close_range, first, ~0U, 0) < 0)
		for (int fd = first; fd < FDS_MAX; fd++)
			close(fd);
	return 0;
}

int helper_process_begin(const char *name, const int *fds, size_t count)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	ignore_signals();
	prctl(PR_SET_NAME, name);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		return -errno;
	return move(fds, count);
}
