/* SPDX-License-Identifier: MIT */
/* Checks of `agent doctor`, on a machine of a few files or on the real one. */
#ifndef DOCTORED_TEST_H
#define DOCTORED_TEST_H

#include "agent/commands/doctor.h"
#include "tree.h"

typedef enum doctor_status doctor_run_check(const struct doctor *doctor, struct buf *found);

/* Setup and teardown of a test: *state is a struct tree, empty. */
int doctored_setup(void **state);
int doctored_teardown(void **state);

/*
 * Runs a check with the files below `tree` (NULL: those of this machine) and the options of a
 * command line. Fails unless it has that status and `words` are in what it found.
 */
void doctored_expect(const struct tree *tree, const char *line, doctor_run_check *check,
		     enum doctor_status status, const char *words);

/* The same in a child process, which calls prepare() before; skips the test if that fails. */
void doctored_expect_child(int (*prepare)(void), doctor_run_check *check, enum doctor_status status,
			   const char *words);

#endif
