/* SPDX-License-Identifier: MIT */
/* Constants outside the closed set of a field's values: errors, or warnings where others accept them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sinsp/filter/filter.h"
#include "unit.h"

struct warnings {
	char text[256];
	unsigned int column, count;
};

static void note(void *context, const struct filter_error *warning)
{
	struct warnings *warnings = context;

	snprintf(warnings->text, sizeof(warnings->text), "%s", warning->text);
	warnings->column = warning->column;
	warnings->count++;
}

static int compile(const char *text, struct warnings *warnings, struct filter_error *err)
{
	const struct filter_options options = {.warn = note, .warn_context = warnings};
	struct filter *filter;
	int rc;

	*warnings = (struct warnings){0};
	rc = filter_create(text, &options, &filter, err);
	if (rc == 0)
		filter_destroy(filter);
	return rc;
}

static void test_errors(void **state)
{
	static const struct {
		const char *filter;
		unsigned int column;
		const char *text;
	} cases[] = {
		{"evt.category=fiel", 14, "evt.category is never 'fiel'; did you mean 'file'?"},
		{"evt.category = banana", 16, "evt.category is never 'banana'"},
		{"evt.category in (net, fil)", 23,
		 "evt.category is never 'fil'; did you mean 'file'?"},
		{"evt.category != 'FILE'", 17,
		 "evt.category is never 'FILE'; did you mean 'file'?"},
		{"evt.res=ENOENTT", 9, "evt.res is never 'ENOENTT'; did you mean 'ENOENT'?"},
		{"evt.res in (SUCCES)", 13, "evt.res is never 'SUCCES'; did you mean 'SUCCESS'?"},
		{"evt.res = enoent", 11, "evt.res is never 'enoent'; did you mean 'ENOENT'?"},
		{"evt.num=1 or evt.family=prozess", 25,
		 "evt.family is never 'prozess'; did you mean 'process'?"},
		{"evt.io_dir=writ", 12, "evt.io_dir is never 'writ'; did you mean 'write'?"},
		{"fd.type=ipv5", 9, "fd.type is never 'ipv5'; did you mean 'ipv4'?"},
		{"fd.types intersects (fille)", 22,
		 "fd.types is never 'fille'; did you mean 'file'?"},
		{"fd.l4proto=tpc", 12, "fd.l4proto is never 'tpc'; did you mean 'tcp'?"},
		{"fd.sockfamily=unxi", 15, "fd.sockfamily is never 'unxi'; did you mean 'unix'?"},
		{"proc.stdin.type=pip", 17,
		 "proc.stdin.type is never 'pip'; did you mean 'pipe'?"},
		{"container.type=dokcer", 16,
		 "container.type is never 'dokcer'; did you mean 'docker'?"},
		{"evt.asynctype=containr", 15,
		 "evt.asynctype is never 'containr'; did you mean 'container'?"},
		{"evt.source=sycall", 12, "evt.source is never 'sycall'; did you mean 'syscall'?"},
		{"syslog.severity.str=crti", 21,
		 "syslog.severity.str is never 'crti'; did you mean 'crit'?"},
		{"syslog.facility.str=mayl", 21,
		 "syslog.facility.str is never 'mayl'; did you mean 'mail'?"},
		{"syscall.type=opena", 14, "unknown event type 'opena'; did you mean 'open'?"},
		{"evt.type contains opena", 19, "unknown event type 'opena'; did you mean 'open'?"},
	};
	struct filter_error err;
	struct warnings warnings;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (compile(cases[i].filter, &warnings, &err) != -EINVAL)
			fail_msg("%s is accepted", cases[i].filter);
		assert_string_equal(err.text, cases[i].text);
		assert_int_equal(err.column, cases[i].column);
		assert_int_equal(warnings.count, 0);
	}
}

/* Filters of the .scap world that can be true of nothing. */
static void test_warnings(void **state)
{
	static const struct {
		const char *filter;
		unsigned int column;
		const char *text;
	} cases[] = {
		{"evt.res = cat", 11, "evt.res is never 'cat'"},
		{"evt.dir != ''", 12, "evt.dir is never ''"},
		{"evt.dir=x", 9, "evt.dir is never 'x'"},
		{"fd.typechar in (f, q)", 20, "fd.typechar is never 'q'"},
		{"fd.type = banana", 11, "fd.type is never 'banana'"},
		{"fd.l4proto = /etc/passwd", 14, "fd.l4proto is never '/etc/passwd'"},
		{"syscall.type = qqqqqqqq", 16, "syscall.type is never 'qqqqqqqq'"},
	};
	struct filter_error err;
	struct warnings warnings;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(compile(cases[i].filter, &warnings, &err), 0);
		assert_int_equal(warnings.count, 1);
		assert_string_equal(warnings.text, cases[i].text);
		assert_int_equal(warnings.column, cases[i].column);
	}
}

/* Values that there are, and operators that take a part of a value. */
static void test_accepted(void **state)
{
	static const char *const filters[] = {
		"evt.category in (file, net, ipc, IPC, unknown, processing)",
		"evt.category contains fiel",
		"evt.category startswith fil",
		"evt.category = val(evt.family)",
		"toupper(evt.category) = FILE",
		"evt.res in (SUCCESS, ENOENT, EAGAIN, ERESTARTSYS, -600)",
		"evt.res glob ENO*",
		"evt.dir = < or evt.dir = >",
		"fd.type in (file, directory, ipv4, ipv6, unix, pipe, event, signalfd, eventpoll)",
		"fd.type in (inotify, timerfd, netlink, bpf, userfaultfd, io_uring, memfd, pidfd)",
		"fd.type = '<NA>'",
		"fd.typechar in (f, 4, 6, u, p, e, s, l, i, t, n, b, r, m, P, X, o, ?)",
		"fd.types[0] = pipe and fd.types in (file, pipe)",
		"container.type in (docker, podman, cri-o, libvirt-lxc, rkt, host)",
		"evt.type = '' and syscall.type = ''",
		"evt.family = ''",
	};
	struct filter_error err;
	struct warnings warnings;

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		if (compile(filters[i], &warnings, &err))
			fail_msg("%s: %s", filters[i], err.text);
		if (warnings.count)
			fail_msg("%s: %s", filters[i], warnings.text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_errors),
	cmocka_unit_test(test_warnings),
	cmocka_unit_test(test_accepted),
};

UNIT_GROUP(tests);
