/* SPDX-License-Identifier: MIT */
/* Opening events on this machine, and what their errors mean. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf/open.h"
#include "unit.h"

static const struct perf_event dummy = {
	.attr = {.type = PERF_TYPE_SOFTWARE,
		 .config = PERF_COUNT_SW_DUMMY,
		 .exclude_kernel = 1,
		 .exclude_guest = 1},
};

static bool is_forbidden(int r)
{
	return r == -EACCES || r == -EPERM || r == -ENOSYS;
}

static void opens_what_there_is(void **state)
{
	struct perf_event_attr attr = dummy.attr;
	struct perf_event unknown = dummy;
	int fd = perf_open(&dummy, &attr, 0, -1, -1, 0);

	if (is_forbidden(fd))
		skip();
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	/* What is accepted stays. */
	assert_true(attr.exclude_guest);
	close(fd);
	assert_int_equal(perf_open_try(&dummy), 0);
	unknown.attr.config = 1000;
	assert_int_equal(perf_open_try(&unknown), -ENOENT);
}

/* The PMU of the time stamp counter takes no exclude_guest; G and H of the user stay. */
static void drops_what_is_only_usual(void **state)
{
	struct perf_machine machine;
	struct perf_event_list list = {0};
	struct perf_event_attr attr;
	int fd;

	assert_int_equal(perf_machine_open(&machine, NULL, NULL, NULL), 0);
	if (perf_event_parse("msr/tsc/,msr/tsc/H", &machine, NULL, &list, NULL) != 0) {
		perf_machine_close(&machine);
		skip();
	}
	attr = list.events[0].attr;
	assert_true(attr.exclude_guest);
	fd = perf_open(&list.events[0], &attr, 0, -1, -1, 0);
	if (!is_forbidden(fd)) {
		assert_true(fd >= 0);
		assert_false(attr.exclude_guest);
		close(fd);
		assert_int_equal(perf_open_try(&list.events[1]), -EINVAL);
	}
	perf_event_list_finish(&list);
	perf_machine_close(&machine);
}

static void check_reason(const struct perf_machine *machine, const struct perf_event *event,
			 int error, const char *expected)
{
	struct buf out = {0};

	perf_open_append_reason(machine, event, error, &out);
	buf_append_char(&out, '\0');
	assert_non_null(strstr(out.data, expected));
	buf_finish(&out);
}

static void says_why(void **state)
{
	const struct perf_machine none = {.cores = 0}, some = {.cores = 1};
	const struct perf_event hardware = {.attr.type = PERF_TYPE_HARDWARE},
				breakpoint = {.attr.type = PERF_TYPE_BREAKPOINT},
				probe = {.attr.type = 8, .is_probe = true};
	char paranoid[64];

	check_reason(&none, &hardware, -ENOENT, "shows no counters of its CPUs");
	check_reason(&some, &hardware, -ENOENT, "the CPU does not count this");
	check_reason(&some, &dummy, -ENOENT, "the kernel has no such event");
	check_reason(&some, &breakpoint, -ENOSPC, "all breakpoints of a CPU are taken");
	check_reason(&some, &breakpoint, -EINVAL, "no such breakpoint");
	check_reason(&some, &hardware, ENOSPC, "no room on the PMU");
	check_reason(&some, &probe, -ENOENT, "no such place");
	check_reason(&some, &dummy, -EDOM, strerror(EDOM));
	snprintf(paranoid, sizeof(paranoid), "kernel.perf_event_paranoid is %d",
		 perf_open_paranoid());
	check_reason(&some, &dummy, -EACCES, "needs CAP_PERFMON");
	if (perf_open_paranoid() > -2)
		check_reason(&some, &dummy, -EPERM, paranoid);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(opens_what_there_is),
	cmocka_unit_test(drops_what_is_only_usual),
	cmocka_unit_test(says_why),
};

UNIT_GROUP(tests);
