/* SPDX-License-Identifier: MIT */
#include "in_child.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of gcov, where that is linked: _exit() does not write the counters. */
extern void __gcov_dump(void) __attribute__((weak));

void in_child_end(int code)
{
	if (__gcov_dump)
		__gcov_dump();
	_exit(code);
}

void in_child(int (*run)(void *context), void *context)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		int result = run(context);

		if (result && result != IN_CHILD_SKIP)
			fprintf(stderr, "line %d: errno %d (%s)\n", result, errno, strerror(errno));
		in_child_end(result == 0 || result == IN_CHILD_SKIP ? result : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == IN_CHILD_SKIP)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}
