/* SPDX-License-Identifier: MIT */
/*
 * What the tests of execve and execveat have in common. A new program is stopped before its first
 * instruction, where /proc still says what the event has to.
 */
#ifndef TESTS_EXECING_H
#define TESTS_EXECING_H

#include <stdint.h>
#include <sys/types.h>

#include "harness/process.h"

struct execing {
	/* In the child: what goes before, or NULL. */
	void (*prepare)(void *arg);
	void *arg;

	/* In the child: the call; or NULL for execve(path, argv, envp). */
	void (*call)(const struct execing *execing);
	const char *path;
	char *const *argv, *const *envp;

	uint64_t clone_flags; /* the child's */

	/* What the event has to show beside what /proc says. */
	uint32_t exe_flags;
	const char *exe_path; /* NULL: what /proc/PID/exe says */
	const char *filename; /* NULL: the path */
};

/* Makes the child, compares its event in full, and ends it. */
void execing_check(const struct execing *execing);

/* The same, and gives what /proc said. */
void execing_check_process(const struct execing *execing, struct process *process);

/* What the event of a call that failed has to show of its vectors. */
struct failed_exec {
	const char *exe, *args, *env;
	size_t args_len, env_len;
	long ret;
	bool are_cut; /* args and env: there is more */
};

/* Compares all but the filename of an execve; `before`: this process before the call. */
void execing_expect_failed(const struct event *ev, const struct failed_exec *failed,
			   const struct process *before);

/* Calls with vectors of all kinds and a path that does not exist. */
void execing_check_failed(void (*check)(char *const *argv, char *const *envp,
					const struct failed_exec *failed));

/* Copies this program to a file of that mode. */
void execing_copy(const char *path, mode_t mode);

#endif
