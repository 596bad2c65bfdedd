/* SPDX-License-Identifier: MIT */
/* A process that keeps two descriptors, which change places. */
#include "privileges/privileges.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* The first is a pipe, the second a folder; nothing else is open. */
static int check(const int *fds)
{
	char byte = 'x';

	if (privileges_begin_helper("helper", fds, 2))
		return 1;
	if (write(HELPER_FD, &byte, 1) != 1 || faccessat(HELPER_FD + 1, "self", F_OK, 0))
		return 2;
	return fcntl(HELPER_FD + 2, F_GETFD) >= 0 ? 3 : 0;
}

static void test_descriptors(void **state)
{
	int ends[2], folder, status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	folder = open("/proc", O_RDONLY | O_DIRECTORY);
	pid = fork();
	if (pid == 0) {
		dup2(folder, HELPER_FD + 5);
		dup2(ends[1], HELPER_FD + 1);
		dup2(HELPER_FD + 5, HELPER_FD);
		_exit(check((int[]){HELPER_FD + 1, HELPER_FD}));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
	close(folder);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_descriptors),
};

UNIT_GROUP(tests);
