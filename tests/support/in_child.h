/* SPDX-License-Identifier: MIT */
/* Parts of tests that change the process for good: in a child. */
#ifndef TESTS_IN_CHILD_H
#define TESTS_IN_CHILD_H

/* Runs it in a child process; fails unless it returns 0. Its result is a line number, or IN_CHILD_SKIP. */
enum { IN_CHILD_SKIP = 77 };
void in_child(int (*run)(void *context), void *context);

/* Ends other children so, as _exit() does, and what they ran counts for tests/checks/coverage. */
_Noreturn void in_child_end(int code);

/* For functions that run there: returns the line if a condition does not hold. */
#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return __LINE__;                                                           \
	} while (0)

#endif
