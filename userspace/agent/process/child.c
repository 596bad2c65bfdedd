/* SPDX-License-Identifier: MIT */
/*
 * Search, fork, a socket as the gate before exec, a pipe for its errors, and waiting for the exit.
 */
#include "agent/process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/process/signals.h"

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127, EXIT_SIGNAL = 128 };

int child_exit_code_of_error(int code)
{
	return code == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* Returns 0, or -errno if a path cannot be executed. */
static int check_executable(const char *path)
{
	struct stat found;

	if (stat(path, &found))
		return -errno;
	if (S_ISDIR(found.st_mode))
		return -EISDIR;
	return access(path, X_OK) ? -errno : 0;
}

/* Joins an element of PATH and a name; an empty element is the current directory. */
static int child_join(const char *folder, size_t len, const char *name, char path[PATH_MAX])
{
	int n = len ? snprintf(path, PATH_MAX, "%.*s/%s", (int)len, folder, name)
		    : snprintf(path, PATH_MAX, "./%s", name);

	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* If only files that cannot be executed are found, their error is returned. */
static int search(const char *name, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	int result = -ENOENT;

	if (!folders)
		folders = "/bin:/usr/bin";
	for (;;) {
		size_t len = strcspn(folders, ":");
		int r = child_join(folders, len, name, path);

		if (r == 0)
			r = check_executable(path);
		if (r == 0)
			return 0;
		if (r == -EACCES)
			result = r;
		if (!folders[len])
			return result;
		folders += len + 1;
	}
}

static int child_find(const char *name, char path[PATH_MAX])
{
	size_t len = strlen(name);

	if (!strchr(name, '/'))
		return *name ? search(name, path) : -ENOENT;
	if (len >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(path, name, len + 1);
	return check_executable(path);
}

static int child_fail(const char *name, int code, struct error *err)
{
	if (code == -ENOENT && !strchr(name, '/'))
		return error_set(err, code, "%s: command not found", name);
	return error_set(err, code, "cannot execute %s: %s", name, strerror(-code));
}

/* Runs in the new process. If the socket closes without a byte, the agent has exited. */
static void become(const char *path, char **argv, int gate, int failure)
{
	char byte;
	int r;

	if (read(gate, &byte, 1) != 1)
		_exit(EXIT_NOT_FOUND);
	execvp(path, argv);
	r = errno;
	if (write(failure, &r, sizeof(r)) < 0)
		_exit(EXIT_NOT_EXECUTABLE);
	_exit(child_exit_code_of_error(-r));
}

static void close_both(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static int fork_child(const char *path, char **argv, const int gate[2], const int failure[2],
		      struct child *child)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		/* With this copy the gate would never close. */
		close(gate[1]);
		become(path, argv, gate[0], failure[1]);
	}
	close(gate[0]);
	close(failure[1]);
	*child =
		(struct child){.pid = pid, .gate = gate[1], .failure = failure[0], .name = argv[0]};
	return 0;
}

int child_start(char **argv, struct child *child, struct error *err)
{
	char path[PATH_MAX];
	int gate[2], failure[2], r = child_find(argv[0], path);

	if (r)
		return child_fail(argv[0], r, err);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate))
		return error_set(err, -errno, "cannot make a socket: %s", strerror(errno));
	if (pipe2(failure, O_CLOEXEC)) {
		r = -errno;
		close_both(gate);
		return error_set(err, r, "cannot make a pipe: %s", strerror(-r));
	}
	r = fork_child(path, argv, gate, failure, child);
	if (r == 0)
		return 0;
	close_both(gate);
	close_both(failure);
	return error_set(err, r, "cannot start a process: %s", strerror(-r));
}

void child_go(struct child *child)
{
	/* A child that was killed does not read; its exit is noticed later. */
	(void)send(child->gate, "", 1, MSG_NOSIGNAL);
	close(child->gate);
	child->gate = -1;
}

/* Waits, and stores the exit status. */
static bool child_wait_for(struct child *child, int flags)
{
	if (!child->exited)
		child->exited = waitpid(child->pid, &child->status, flags) == child->pid;
	return child->exited;
}

bool child_has_exited(struct child *child)
{
	return child_wait_for(child, WNOHANG);
}

static int exit_code_of(const struct child *child)
{
	return WIFSIGNALED(child->status) ? EXIT_SIGNAL + WTERMSIG(child->status)
					  : WEXITSTATUS(child->status);
}

int child_end(struct child *child, struct error *err)
{
	int signals = signals_count(), r;

	if (!child_wait_for(child, WNOHANG)) {
		kill(child->pid, SIGTERM);
		/* A stopped process must continue to receive it. */
		kill(child->pid, SIGCONT);
	}
	while (!child_wait_for(child, 0))
		if (signals_count() > signals)
			kill(child->pid, SIGKILL);
	if (read(child->failure, &r, sizeof(r)) != sizeof(r))
		return exit_code_of(child);
	child_fail(child->name, -r, err);
	return child_exit_code_of_error(-r);
}

void child_finish(struct child *child)
{
	if (child->gate >= 0)
		close(child->gate);
	while (!child_wait_for(child, 0))
		continue;
	close(child->failure);
}
