/* SPDX-License-Identifier: MIT */
/*
 * init_module, finit_module, delete_module: calls that cannot succeed, since modules affect the
 * whole machine. The error depends on whether the kernel has modules at all.
 */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { SHOWN_BYTES_MAX = 61280, LARGE_BYTES = 65536 };

static void check_init(const char *image, size_t size, struct expected shown)
{
	long ret = CALL(SYS_init_module, image, size, "opt=1");

	require(ret < 0);
	expect_params(live_next(EVENT_init_module), NUMBER(ret), shown, NUMBER((int64_t)size),
		      TEXT("opt=1"));
}

LIVE_TEST(init_module)
{
	const char *image = fixture_pattern(LARGE_BYTES);
	const struct path_case *strings = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++) {
		long ret = CALL(SYS_init_module, "image", 5L, strings[i].path);

		require(ret < 0);
		expect_params(live_next(EVENT_init_module), NUMBER(ret), BYTES("image", 5),
			      NUMBER(5), TEXT(strings[i].shown));
	}
	check_init(image, LIVE_SNAPLEN + 1, BYTES(image, LIVE_SNAPLEN + 1));
	check_init(image, SHOWN_BYTES_MAX, BYTES(image, SHOWN_BYTES_MAX));
	check_init(image, LARGE_BYTES, BYTES(image, SHOWN_BYTES_MAX));
	check_init(image, 0, ABSENT);
	check_init(NULL, 10, ABSENT);
	check_init(UNREADABLE, -1, ABSENT);
}

static void check_finit(long fd, const char *arguments, long flags, int64_t shown)
{
	long ret = CALL(SYS_finit_module, fd, arguments, flags);

	require(ret < 0);
	expect_params(live_next(EVENT_finit_module), NUMBER(ret), NUMBER((int)fd), TEXT(arguments),
		      NUMBER(shown));
}

LIVE_TEST(finit_module)
{
	const struct path_case *strings = fixture_paths();
	int null = open("/dev/null", O_RDONLY);

	require(null > 0);
	for (int i = 0; i < PATH_CASES; i++) {
		long ret = CALL(SYS_finit_module, NO_FD, strings[i].path, 0L);

		require(ret < 0);
		expect_params(live_next(EVENT_finit_module), NUMBER(ret), NUMBER(NO_FD),
			      TEXT(strings[i].shown), NUMBER(0));
	}
	check_finit(null, "a=1", 0, 0);
	check_finit(NO_FD, "", 1, finit_module_flags__MODULE_INIT_IGNORE_MODVERSIONS);
	check_finit(NO_FD, "", 2, finit_module_flags__MODULE_INIT_IGNORE_VERMAGIC);
	check_finit(NO_FD, "", 4, finit_module_flags__MODULE_INIT_COMPRESSED_FILE);
	check_finit(0x100000000L + NO_FD, "", 8, 0);
	check_finit(-1, "", -1, 7);
	close(null);
}

static void check_delete(const char *name, const char *shown, long flags, int64_t shown_flags)
{
	long ret = CALL(SYS_delete_module, name, flags);

	require(ret < 0);
	expect_params(live_next(EVENT_delete_module), NUMBER(ret), TEXT(shown),
		      NUMBER(shown_flags));
}

LIVE_TEST(delete_module)
{
	const struct path_case *names = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++)
		check_delete(names[i].path, names[i].shown, 0, 0);
	check_delete("no_such", "no_such", O_NONBLOCK, delete_module_flags__O_NONBLOCK);
	check_delete("no_such", "no_such", O_TRUNC, delete_module_flags__O_TRUNC);
	check_delete("no_such", "no_such", -1,
		     delete_module_flags__O_NONBLOCK | delete_module_flags__O_TRUNC);
	check_delete("no_such", "no_such", ~(long)(O_NONBLOCK | O_TRUNC), 0);
}
