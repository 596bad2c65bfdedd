/* SPDX-License-Identifier: MIT */
#include "agent/process/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "privileges/privileges.h"
#include "scap/live/object.h"
#include "scap/loader/server.h"
#include "util/kernel_fs.h"

enum { FIRST_FD = STDERR_FILENO + 1, FDS_MAX = 1024 /* closed one by one before Linux 5.9 */ };

static const uint64_t check_ns = 1000000000;

/* Signals of a terminal and of a service manager are for the agent: this process ends with it. */
static void ignore_signals(void)
{
	static const int signals[] = {SIGHUP,  SIGINT,	SIGQUIT, SIGTERM,
				      SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_IGN);
}

/* Keeps only standard error, and the socket as the next one. Returns 0 or -errno. */
static int keep_socket(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		return -errno;
	if (socket != FIRST_FD && dup2(socket, FIRST_FD) < 0)
		return -errno;
	if (syscall(SYS_close_range, FIRST_FD + 1, ~0U, 0) < 0)
		for (int fd = FIRST_FD + 1; fd < FDS_MAX; fd++)
			close(fd);
	return 0;
}

/* A descriptor keeps tracefs mounted where nobody else has; the rule is about that mount. */
static int enter_role(struct error *err)
{
	char tracefs[64] = "/sys/kernel/tracing";
	const struct files_rule rules[] = {
		{LIVE_BTF_PATH, .writes = false},
		{"/sys/devices/system/cpu", .writes = false},
		{"/proc/version_signature", .writes = false},
		{tracefs, .writes = false},
		{0},
	};
	int fd = kernel_fs_open("tracefs", tracefs, "events");

	if (fd >= 0)
		snprintf(tracefs, sizeof(tracefs), "/proc/self/fd/%d", fd);
	return privileges_enter(ROLE_LOADER, &(struct files_limits){.rules = rules, .reads = true},
				err);
}

static int serve(int socket)
{
	struct error err = {""};
	int code;

	ignore_signals();
	prctl(PR_SET_NAME, "agent-loader");
	code = keep_socket(socket);
	if (code)
		error_set(&err, code, "keeping the socket: %s", strerror(-code));
	else
		code = enter_role(&err);
	if (code == 0)
		code = loader_serve(FIRST_FD);
	if (code)
		fprintf(stderr, "agent: the process that loads programs: %s\n",
			err.text[0] ? err.text : strerror(-code));
	return code ? EXIT_FAILURE : EXIT_SUCCESS;
}

int loader_start(struct loader *loader, struct error *err)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return error_set(err, -errno, "cannot make a socket: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		_exit(serve(ends[1]));
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return error_set(err, -errno, "cannot start a process: %s", strerror(errno));
	}
	*loader = (struct loader){.pid = pid};
	loader_client_init(&loader->client, ends[0]);
	return 0;
}

bool loader_runs(struct loader *loader, uint64_t now_ns)
{
	siginfo_t end = {0};

	if (loader->ended || now_ns < loader->check_due_ns)
		return !loader->ended;
	loader->check_due_ns = now_ns + check_ns;
	/*
	 * What is left of it stays: no other process gets its number, whose events the programs
	 * leave out.
	 */
	loader->ended = waitid(P_PID, (id_t)loader->pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
			end.si_pid;
	return !loader->ended;
}

void loader_finish(struct loader *loader)
{
	if (!loader->pid)
		return;
	loader_client_finish(&loader->client);
	/* It may be loading, or be stopped. */
	kill(loader->pid, SIGKILL);
	while (waitpid(loader->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	*loader = (struct loader){0};
}
