/* SPDX-License-Identifier: MIT */
/*
 * `agent -- COMMAND`: a process that waits until the capture runs, then becomes the command. Its
 * children, its user and its files are those that it would have without the agent.
 */
#ifndef AGENT_RUN_CHILD_H
#define AGENT_RUN_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

struct child {
	pid_t pid;
	int gate; /* closed: the child may not go on and ends; -1: it went on */
	int failure; /* gives an errno if the command cannot be executed, else nothing */
	const char *name; /* borrowed: argv[0] */
	bool exited;
	int status; /* as of waitpid(), when it has exited */
};

/*
 * Looks for the command as a shell does, and starts the process that waits. To be called before
 * signal handlers are installed: the command has what the agent was started with. `argv` is
 * borrowed. Returns 0 or -errno with a message; release with child_finish() if it is 0.
 */
int child_start(char **argv, struct child *child, struct error *err);

/* What a shell's exit code is for a command that could not be executed: 127 or 126. */
int child_exit_code_of_error(int code);

/* Lets the process become the command. */
void child_go(struct child *child);

/* Whether it may be the command by now. */
static inline bool child_went(const struct child *child)
{
	return child->gate < 0;
}

/* Whether the command has exited. */
bool child_has_exited(struct child *child);

/*
 * Waits for the command to exit. If it still runs it gets SIGTERM, and SIGKILL when a signal or the
 * alarm after one comes here meanwhile. Returns its exit code, 128 and the number of the signal
 * that ended it, or that of an error with a message in `err`: it could not be executed.
 */
int child_end(struct child *child, struct error *err);

/* Ends a process that still waits for child_go(). */
void child_finish(struct child *child);

#endif
