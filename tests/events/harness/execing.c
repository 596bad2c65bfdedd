/* SPDX-License-Identifier: MIT */
/* What the tests of execve and execveat have in common. */
#include "harness/execing.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/wait.h>

#include "harness/fixture.h"
#include "harness/live.h"

_Static_assert((int)execve__env == (int)execveat__env && (int)execve__gid == (int)execveat__gid,
	       "the same parameters but for the filename");

enum { END_BYTES = 1024 /* of strings that are too long: what an event has of their end */ };

static void expect_truncated(const struct event *ev, unsigned int param, bool is_truncated)
{
	expect_true((ev->marks.truncated >> param & 1) == is_truncated);
}

/*
 * Strings one after the other, and what an event holds of them; the last byte is a NUL. Of long
 * ones the beginning, which ends with "...", and the end.
 */
static void expect_cut(const struct event *ev, unsigned int param, const char *strings, size_t len,
		       size_t limit)
{
	size_t kept = len < limit ? len : limit;
	char cut[STRING_BYTES_MAX];

	memcpy(cut, strings, kept);
	if (len > limit && limit > 2 * END_BYTES) {
		memcpy(cut + limit - END_BYTES - 4, "...", 4);
		memcpy(cut + limit - END_BYTES, strings + len - END_BYTES, END_BYTES);
	}
	if (kept)
		cut[kept - 1] = '\0';
	expect_bytes(ev, param, cut, kept);
	expect_truncated(ev, param, len > limit);
}

/* The first argument, of which only the beginning is there if it is too long. */
static void expect_exe(const struct event *ev, const char *exe, size_t len)
{
	char cut[STRING_BYTES_MAX];

	memcpy(cut, exe, sizeof(cut));
	cut[sizeof(cut) - 1] = '\0';
	expect_bytes(ev, execve__exe, cut, sizeof(cut));
	expect_truncated(ev, execve__exe, true);
	expect_true(len >= sizeof(cut));
}

static uint64_t time_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

/* What both a call that failed and the new program have, from tty to gid. */
static void expect_rest(const struct event *ev, const struct process *process, uint32_t exe_flags,
			const char *exe_path)
{
	char link[64], path[PATH_MAX] = "";
	struct stat status;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)process->pid);
	require(stat(link, &status) == 0 && readlink(link, path, sizeof(path) - 1) > 0);
	expect_i64(ev, execve__tty, process->tty);
	expect_i64(ev, execve__vpgid, process->vpgid);
	expect_i64(ev, execve__loginuid, process->loginuid);
	expect_i64(ev, execve__flags, exe_flags);
	expect_i64(ev, execve__cap_inheritable, (int64_t)process->cap_inheritable);
	expect_i64(ev, execve__cap_permitted, (int64_t)process->cap_permitted);
	expect_i64(ev, execve__cap_effective, (int64_t)process->cap_effective);
	expect_i64(ev, execve__exe_ino, (int64_t)status.st_ino);
	expect_i64(ev, execve__exe_ino_ctime, (int64_t)time_ns(&status.st_ctim));
	expect_i64(ev, execve__exe_ino_mtime, (int64_t)time_ns(&status.st_mtim));
	expect_i64(ev, execve__uid, process->euid);
	expect_string(ev, execve__trusted_exepath, exe_path ? exe_path : path);
	expect_i64(ev, execve__pgid, process->pgid);
	expect_i64(ev, execve__gid, process->egid);
}

static void expect_success(const struct event *ev, const struct execing *execing,
			   const struct process *process)
{
	size_t exe_len = strlen(process->cmdline) + 1;

	expect_i64(ev, execve__res, 0);
	if (exe_len >= STRING_BYTES_MAX) {
		expect_exe(ev, process->cmdline, exe_len);
		expect_absent(ev, execve__args);
	} else {
		expect_string(ev, execve__exe, process->cmdline);
		expect_cut(ev, execve__args, process->cmdline + exe_len,
			   process->cmdline_len - exe_len, STRING_BYTES_MAX - exe_len);
	}
	process_expect(ev, process, process);
	expect_cut(ev, execve__env, process->environment, process->environment_len,
		   STRING_BYTES_MAX);
	expect_rest(ev, process, execing->exe_flags, execing->exe_path);
	expect_string(ev, execve__filename, execing->filename ? execing->filename : execing->path);
	expect_absent(ev, execve__filename_at_enter);
}

static _Noreturn void run_child(const struct execing *execing)
{
	if (execing->prepare)
		execing->prepare(execing->arg);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) {
		if (execing->call)
			execing->call(execing);
		else
			CALL(SYS_execve, execing->path, execing->argv, execing->envp);
	}
	_exit(1);
}

void execing_check_process(const struct execing *execing, struct process *process)
{
	pid_t pid = (pid_t)CALL(SYS_clone, execing->clone_flags | SIGCHLD, NULL, NULL, NULL, 0);
	int status;

	if (pid == 0)
		run_child(execing);
	require(pid > 0 && waitpid(pid, &status, __WALL) == pid);
	require(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	process_read(pid, pid, process);
	expect_success(live_next_of(EVENT_execve, pid), execing, process);
	expect_no_event(EVENT_execve, pid);
	expect_no_event(EVENT_execveat, pid);
	require(kill(pid, SIGKILL) == 0);
	do
		status = fixture_wait(pid);
	while (!WIFSIGNALED(status));
}

void execing_check(const struct execing *execing)
{
	struct process process;

	execing_check_process(execing, &process);
}

void execing_expect_failed(const struct event *ev, const struct failed_exec *failed,
			   const struct process *before)
{
	struct process now;

	process_read(getpid(), getpid(), &now);
	expect_i64(ev, execve__res, failed->ret);
	if (failed->exe)
		expect_string(ev, execve__exe, failed->exe);
	else
		expect_absent(ev, execve__exe);
	expect_bytes(ev, execve__args, failed->args, failed->args_len);
	process_expect(ev, before, &now);
	expect_bytes(ev, execve__env, failed->env, failed->env_len);
	expect_truncated(ev, execve__args, failed->are_cut);
	expect_truncated(ev, execve__env, failed->are_cut);
	expect_rest(ev, &now, execve_flags__EXE_WRITABLE, NULL);
}

/* Writes `count` strings, each of `len` times `c` and its NUL, and cuts them at `limit` bytes. */
static size_t strings(char *out, size_t count, size_t len, char c, size_t limit)
{
	size_t bytes = count * (len + 1);

	memset(out, c, bytes);
	for (size_t i = 1; i <= count; i++)
		out[i * (len + 1) - 1] = '\0';
	if (bytes > limit)
		bytes = limit;
	out[bytes - 1] = '\0';
	return bytes;
}

/* More strings than are read of a vector that failed: 16 with argv[0]. */
static void check_many(void (*check)(char *const *argv, char *const *envp,
				     const struct failed_exec *failed))
{
	enum { COUNT = 20, READ = 16 };
	char *many[COUNT + 1] = {0}, shown[64];
	size_t len = strings(shown, READ, 2, 'm', sizeof(shown));

	for (int i = 0; i < COUNT; i++)
		many[i] = (char *)"mm";
	check(many, many, &(struct failed_exec){"mm", shown, shown, len - 3, len, -ENOENT, true});
	many[READ] = NULL;
	check(many, many, &(struct failed_exec){"mm", shown, shown, len - 3, len, -ENOENT, false});
}

/* Strings that are longer together than what an event holds, or alone. */
static void check_long(void (*check)(char *const *argv, char *const *envp,
				     const struct failed_exec *failed))
{
	static char half[3001], whole[5001], cut[STRING_BYTES_MAX];
	static char args[2 * sizeof(half)], env[2 * sizeof(half)];
	char *const argv[] = {(char *)"zero", half, half, (char *)"last", NULL};
	char *const whole_argv[] = {whole, half, NULL}, *const whole_envp[] = {whole, half, NULL};
	size_t args_len = strings(args, 2, sizeof(half) - 1, 'h', STRING_BYTES_MAX - 5);
	size_t env_len = strings(env, 2, sizeof(half) - 1, 'h', STRING_BYTES_MAX);

	strings(half, 1, sizeof(half) - 1, 'h', sizeof(half));
	strings(whole, 1, sizeof(whole) - 1, 'w', sizeof(whole));
	strings(cut, 1, sizeof(cut) - 1, 'w', sizeof(cut));
	check(argv, argv + 1,
	      &(struct failed_exec){"zero", args, env, args_len, env_len, -ENOENT, true});
	check(whole_argv, whole_envp,
	      &(struct failed_exec){cut, NULL, cut, 0, sizeof(cut), -ENOENT, true});
}

void execing_check_failed(void (*check)(char *const *argv, char *const *envp,
					const struct failed_exec *failed))
{
	char *const none[] = {NULL}, *const *unreadable = UNREADABLE;
	long ret = CALL(SYS_execve, "no/such", unreadable, unreadable);

	/* Kernels before 6.8 look at the vectors before the file. */
	require(ret == -ENOENT || ret == -EFAULT);
	live_skip();
	check(NULL, NULL, &(struct failed_exec){"", NULL, NULL, 0, 0, -ENOENT, false});
	check(none, none, &(struct failed_exec){"", NULL, NULL, 0, 0, -ENOENT, false});
	check(unreadable, unreadable, &(struct failed_exec){NULL, NULL, NULL, 0, 0, ret, false});
	check_many(check);
	check_long(check);
}

void execing_copy(const char *path, mode_t mode)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	struct stat status;

	require(from >= 0 && to >= 0 && fstat(from, &status) == 0);
	require(sendfile(to, from, NULL, (size_t)status.st_size) == status.st_size);
	require(fchmod(to, mode) == 0);
	close(from);
	close(to);
}
