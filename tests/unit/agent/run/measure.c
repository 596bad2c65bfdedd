/* SPDX-License-Identifier: MIT */
/* Whether the kernel measures programs, with and without the right to ask for it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/run/budget.h"
#include "in_child.h"
#include "unit.h"

enum { NOBODY = 65534 };

static void test_asked_for(void **state)
{
	struct error err = {""};
	int fd = -2;

	if (budget_measure("/none", &fd, &err))
		skip(); /* no right to do so */
	assert_true(fd >= 0);
	close(fd);
}

static int without_rights(void *context)
{
	char path[] = "/tmp/test_measure_XXXXXX";
	struct error err = {""};
	int file, fd = -2;

	if (geteuid() == 0)
		EXPECT(setuid(NOBODY) == 0);
	EXPECT(budget_measure("/none", &fd, &err) < 0);
	EXPECT(fd == -2);
	EXPECT(strstr(err.text, "CAP_SYS_ADMIN") && strstr(err.text, "kernel.bpf_stats_enabled"));
	file = mkstemp(path);
	EXPECT(file >= 0 && write(file, "0\n", 2) == 2);
	EXPECT(budget_measure(path, &fd, &err) < 0 && fd == -2);
	EXPECT(pwrite(file, "1\n", 2, 0) == 2);
	EXPECT(budget_measure(path, &fd, &err) == 0 && fd == -1);
	unlink(path);
	close(file);
	return 0;
}

static void test_without_rights(void **state)
{
	in_child(without_rights, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_asked_for),
	cmocka_unit_test(test_without_rights),
};

UNIT_GROUP(tests);
