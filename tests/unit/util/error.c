/* SPDX-License-Identifier: MIT */
/* Texts of errors, also those that are too long, and names of results. */
#include <errno.h>
#include <string.h>

#include "unit.h"
#include "util/error.h"

static void test_set(void **state)
{
	struct error err = {.text = "before"};

	assert_int_equal(error_set(&err, -ENOENT, "%s: line %d", "a.yaml", 3), -ENOENT);
	assert_string_equal(err.text, "a.yaml: line 3");
	assert_int_equal(error_set(&err, 0, "%s", ""), 0);
	assert_string_equal(err.text, "");
	assert_int_equal(error_set(NULL, -EINVAL, "nobody reads %d", 1), -EINVAL);
}

static void test_set_cuts(void **state)
{
	struct {
		struct error err;
		char behind;
	} room = {.behind = 'x'};
	char text[sizeof(room.err.text) + 1];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (size_t len = sizeof(text) - 3; len < sizeof(text); len++) {
		size_t kept = len < sizeof(room.err.text) ? len : sizeof(room.err.text) - 1;

		assert_int_equal(error_set(&room.err, -1, "%.*s", (int)len, text), -1);
		assert_int_equal(strlen(room.err.text), kept);
		assert_int_equal(room.behind, 'x');
	}
}

static void test_errno_names(void **state)
{
	static const struct {
		int64_t result;
		const char *name; /* NULL: none */
	} rows[] = {
		{-EPERM, "EPERM"},
		{-ENOENT, "ENOENT"},
		{-EAGAIN, "EAGAIN"},
		{-EHWPOISON, "EHWPOISON"},
		{-511, NULL},
		{-512, "ERESTARTSYS"},
		{-513, "ERESTARTNOINTR"},
		{-514, "ERESTARTNOHAND"},
		{-515, NULL}, /* ENOIOCTLCMD never leaves the kernel */
		{-516, "ERESTART_RESTARTBLOCK"},
		{-4095, NULL},
		{-4096, NULL},
		{-INT64_C(0x100000002), NULL}, /* not that of its low half */
		{INT64_MIN, NULL},
		{INT64_MAX, NULL},
		{ENOENT, NULL},
		{512, NULL},
		{1, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *name = error_errno_name(rows[i].result);

		if (rows[i].name) {
			assert_non_null(name);
			assert_string_equal(name, rows[i].name);
		} else {
			assert_null(name);
		}
	}
	/* A success: glibc's name of 0 is "0". */
	assert_null(error_errno_name(0));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_set),
	cmocka_unit_test(test_set_cuts),
	cmocka_unit_test(test_errno_names),
};

UNIT_GROUP(tests);
