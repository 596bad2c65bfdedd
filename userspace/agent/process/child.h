/* SPDX-License-Identifier: MIT */
/*
 * `agent -- COMMAND`: a process that waits until the capture runs, then becomes the command, with
 * the user, the children and the open files that it would have without the agent.
 */
#ifndef AGENT_PROCESS_CHILD_H
#define AGENT_PROCESS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

struct child {
	pid_t pid;
	int gate; /* closing it ends the child; -1: the child was released */
	int failure; /* receives an errno if the command cannot be executed, else nothing */
	const char *name; /* borrowed: argv[0] */
	bool exited;
	int status; /* as of waitpid(), if `exited` */
};

/*
 * Searches the command like a shell, and starts the process that waits. Call this before signal
 * handlers are installed: the command inherits the dispositions that the agent was started with.
 * `argv` is borrowed. Returns 0 or -errno with a message; after 0 call child_finish().
 */
int child_start(char **argv, struct child *child, struct error *err);

/* The exit code of a shell for a command that could not be executed: 127 or 126. */
int child_exit_code_of_error(int code);

/* Lets the process become the command. */
void child_go(struct child *child);

/* Whether the process was released to become the command. */
static inline bool child_went(const struct child *child)
{
	return child->gate < 0;
}

/* Whether the command has exited. */
bool child_has_exited(struct child *child);

/*
 * Waits for the command to exit. If it still runs, sends SIGTERM, and SIGKILL if the agent receives
 * a signal or the alarm after one. Returns its exit code, 128 plus the number of the signal that
 * ended it, or, with a message in `err`, the code for a command that could not be executed.
 */
int child_end(struct child *child, struct error *err);

/* Ends a process that still waits for child_go(). */
void child_finish(struct child *child);

#endif
