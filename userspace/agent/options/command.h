/* SPDX-License-Identifier: MIT */
/* How commands end: the exit codes of the agent, and messages on stderr. */
#ifndef AGENT_OPTIONS_COMMAND_H
#define AGENT_OPTIONS_COMMAND_H

#include <stdio.h>
#include <stdlib.h>

#include "util/buf.h"
#include "util/error.h"

/* In addition to EXIT_SUCCESS and EXIT_FAILURE: wrong command line. */
enum { EXIT_USAGE = 2 };

/* Prints the error and returns the exit code. */
static inline int command_fail(int exit_code, const struct error *err)
{
	fprintf(stderr, "agent: %s\n", err->text);
	return exit_code;
}

/* Prints whole lines, and frees them. */
static inline void command_print_messages(struct buf *messages)
{
	if (messages->len)
		fwrite(messages->data, 1, messages->len, stderr);
	buf_finish(messages);
}

/* The exit code of a command that ends after output to standard output. */
static inline int command_finish_output(void)
{
	return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
