/* SPDX-License-Identifier: MIT */
/* execveat: calls that fail; those that succeed are an execve, and nothing else. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>

#include "harness/execing.h"
#include "harness/fixture.h"
#include "harness/live.h"

static char *const argv[] = {"zero", "one", NULL};
static char *const envp[] = {"A=1", NULL};

static int directory; /* what the paths start from */

static void call(const struct execing *execing)
{
	CALL(SYS_execveat, directory, execing->path, execing->argv, execing->envp,
		AT_EMPTY_PATH);
}

/* The kernel itself makes the name of what is run through a descriptor. */
static void check(int dirfd, const char *path, const char *name, const char *exe_path,
		  uint32_t exe_flags)
{
	char filename[64];
	struct execing execing = {
		.call = call,
		.path = path,
		.argv = argv,
		.envp = envp,
		.exe_flags = exe_flags,
		.exe_path = exe_path,
		.filename = filename,
	};

	if (dirfd == AT_FDCWD)
		snprintf(filename, sizeof(filename), "%s", path);
	else
		snprintf(filename, sizeof(filename), "/dev/fd/%d%s", dirfd, name);
	directory = dirfd;
	execing_check(&execing);
}

/* A program that has no name in any file system. */
static void check_memfd(int program)
{
	int fd = memfd_create("lanner-program", 0);
	struct stat status;

	require(fd >= 0 && fstat(program, &status) == 0);
	require(sendfile(fd, program, &(off_t){0}, (size_t)status.st_size) == status.st_size);
	check(fd, "", "", "memfd:lanner-program",
	      execve_flags__EXE_WRITABLE | execve_flags__EXE_FROM_MEMFD);
	close(fd);
}

static void expect_name(const struct event *ev, int dirfd, const char *name)
{
	expect_i64(ev, execveat__dirfd, dirfd);
	expect_string(ev, execveat__pathname, name);
	expect_absent(ev, execveat__pathname_at_enter);
}

static void check_failed(char *const *arguments, char *const *environment,
			 const struct failed_exec *failed)
{
	const struct event *ev;
	struct process before;

	process_read(getpid(), getpid(), &before);
	require(CALL(SYS_execveat, AT_FDCWD, "no/such", arguments, environment, 0) == failed->ret);
	ev = live_next(EVENT_execveat);
	execing_expect_failed(ev, failed, &before);
	expect_name(ev, AT_FDCWD, "no/such");
}

static void check_failed_descriptor(void)
{
	struct failed_exec failed = {"zero", "one", "A=1", 4, 4, -EBADF};
	const struct event *ev;
	struct process before;

	process_read(getpid(), getpid(), &before);
	require(CALL(SYS_execveat, NO_FD, "", argv, envp, AT_EMPTY_PATH) == -EBADF);
	ev = live_next(EVENT_execveat);
	execing_expect_failed(ev, &failed, &before);
	expect_name(ev, NO_FD, "");
	expect_no_event(EVENT_execve, getpid());
}

LIVE_TEST(execveat)
{
	int here = open(".", O_PATH | O_DIRECTORY), program;

	execing_check_failed(check_failed);
	check_failed_descriptor();
	execing_copy("program", 0755);
	program = open("program", O_RDONLY);
	require(here >= 0 && program >= 0);
	check(AT_FDCWD, "./program", NULL, NULL, execve_flags__EXE_WRITABLE);
	check(here, "program", "/program", NULL, execve_flags__EXE_WRITABLE);
	check(program, "", "", NULL, execve_flags__EXE_WRITABLE);
	check_memfd(program);
	close(program);
	close(here);
}
