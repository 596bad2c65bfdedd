/* SPDX-License-Identifier: MIT */
/* The real path of a directory, on the true /proc. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scap/proc.h"

static char base[] = "/tmp/lanner-path-XXXXXX";

static void resolves(void **state)
{
	struct scap_proc *proc;
	char made[64], link[64], real_base[256];
	const char *real;

	assert_non_null(realpath(base, real_base));
	snprintf(made, sizeof(made), "%s/made", base);
	snprintf(link, sizeof(link), "%s/link", base);
	assert_int_equal(mkdir(made, 0700), 0);
	assert_int_equal(symlink("made", link), 0);
	assert_int_equal(scap_proc_open("/proc", &proc, NULL), 0);

	assert_int_equal(scap_proc_real_directory(proc, getpid(), link, &real), 0);
	assert_memory_equal(real, real_base, strlen(real_base));
	assert_string_equal(real + strlen(real_base), "/made");
	assert_int_equal(scap_proc_real_directory(proc, getpid(), "/", &real), 0);
	assert_string_equal(real, "/");
	snprintf(made, sizeof(made), "%s/none", base);
	assert_true(scap_proc_real_directory(proc, getpid(), made, &real) < 0);
	assert_true(scap_proc_real_directory(proc, getpid(), "/etc/passwd", &real) < 0);
	assert_int_equal(scap_proc_real_directory(proc, INT32_MAX, "/", &real), -ESRCH);
	/* It is the reader's own directory there. */
	assert_int_equal(scap_proc_real_directory(proc, getpid(), "/proc/self", &real), -EXDEV);
	assert_int_equal(scap_proc_real_directory(proc, getpid(), "/proc/self/fd", &real), -EXDEV);

	unlink(link);
	snprintf(made, sizeof(made), "%s/made", base);
	rmdir(made);
	scap_proc_close(proc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resolves),
	};
	int r;

	if (!mkdtemp(base))
		return 1;
	r = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(base);
	return r;
}
