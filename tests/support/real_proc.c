/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <unistd.h>

#include "real_proc.h"

int real_proc_open(void **state)
{
	struct scap_proc *proc;
	int r = scap_proc_open("/proc", &proc, NULL);

	*state = proc;
	return r;
}

int real_proc_close(void **state)
{
	scap_proc_close(*state);
	return 0;
}

struct scap_fd real_proc_fd(void **state, int num)
{
	struct scap_fd fd;

	assert_true(num >= 0);
	assert_int_equal(scap_proc_fd(*state, getpid(), num, &fd), 0);
	assert_int_equal(fd.num, num);
	return fd;
}

void real_proc_expect(void **state, int num, enum scap_fd_type type)
{
	struct scap_fd fd = real_proc_fd(state, num);

	assert_int_equal(fd.type, type);
	assert_non_null(fd.name);
	close(num);
}
