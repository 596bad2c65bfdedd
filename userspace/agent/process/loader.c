/* SPDX-License-Identifier: MIT */
/*
 * Forks that process before there are threads, and looks from time to time whether it still runs.
 */
#include "agent/process/loader.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "privileges/privileges.h"
#include "scap/live/load.h"
#include "scap/live/loader.h"
#include "util/kernel_fs.h"

static const uint64_t check_ns = 1000000000;

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

static int process_loader_serve(int socket)
{
	struct error err = {""};
	int r;

	r = privileges_begin_helper("agent-loader", &socket, 1);
	if (r)
		error_set(&err, r, "keeping the socket: %s", strerror(-r));
	else
		r = enter_role(&err);
	if (r == 0)
		r = loader_serve(HELPER_FD);
	if (r)
		fprintf(stderr, "agent: the process that loads programs: %s\n",
			err.text[0] ? err.text : strerror(-r));
	return r ? EXIT_FAILURE : EXIT_SUCCESS;
}

int loader_start(struct loader *loader, struct error *err)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return error_set(err, -errno, "cannot make a socket: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		_exit(process_loader_serve(ends[1]));
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
