/* SPDX-License-Identifier: MIT */
/* open: paths, every flag, the mode, and what is reported of the opened file. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/open_flags.h"

static void expect_failed(const struct event *ev, long error, int64_t flags, int64_t mode)
{
	expect_i64(ev, open__fd, error);
	expect_i64(ev, open__flags, flags);
	expect_i64(ev, open__mode, mode);
	expect_i64(ev, open__dev, 0);
	expect_i64(ev, open__ino, 0);
	expect_absent(ev, open__name_at_enter);
}

static void check_paths(void)
{
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_open, paths[i].path, O_RDWR, 0666) == paths[i].error);
		ev = live_next(EVENT_open);
		expect_path(ev, open__name, &paths[i]);
		expect_failed(ev, paths[i].error, file_flags__O_RDWR, 0);
		expect_absent(ev, open__path);
		fixture_expect_base(ev, open__base_path, paths[i].shown);
	}
}

static void check_opened(const char *path, int flags, mode_t mode, int64_t stored_flags,
			 int64_t stored_mode)
{
	long fd = CALL(SYS_open, path, flags, mode);
	const struct event *ev;
	struct opened opened;

	require(fd > 0);
	opened = fixture_opened((int)fd);
	close((int)fd);
	ev = live_next(EVENT_open);
	expect_i64(ev, open__fd, fd);
	expect_string(ev, open__name, path);
	expect_i64(ev, open__flags, stored_flags);
	expect_i64(ev, open__mode, stored_mode);
	expect_file(ev, open, &opened);
	expect_absent(ev, open__base_path);
}

static void check_flags(void)
{
	for (size_t i = 0; i < OPEN_FLAGS_COUNT; i++) {
		const struct event *ev;

		require(CALL(SYS_open, "no/such", open_flags[i].native, 07654) == -ENOENT);
		ev = live_next(EVENT_open);
		expect_string(ev, open__name, "no/such");
		expect_failed(ev, -ENOENT, open_flags[i].stored, open_flags[i].has_mode ? 07654 : 0);
		expect_absent(ev, open__path);
		fixture_expect_base(ev, open__base_path, "no/such");
	}
}

/* As descriptor 0 a file is what it is as any other one. */
static void check_descriptor_zero(void)
{
	int kept = dup(0);
	const struct event *ev;
	struct opened opened;

	require(kept > 0 && close(0) == 0);
	require(CALL(SYS_open, "zero", O_CREAT | O_WRONLY, 0600) == 0);
	opened = fixture_opened(0);
	require(dup2(kept, 0) == 0 && close(kept) == 0);
	ev = live_next(EVENT_open);
	expect_i64(ev, open__fd, 0);
	expect_string(ev, open__name, "zero");
	expect_i64(ev, open__flags,
		   file_flags__O_CREAT | file_flags__O_WRONLY | file_flags__O_F_CREATED);
	expect_i64(ev, open__mode, 0600);
	expect_file(ev, open, &opened);
	expect_absent(ev, open__base_path);
}

LIVE_TEST(open)
{
	check_paths();
	check_flags();
	check_descriptor_zero();
	check_opened("made", O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0106640,
		     file_flags__O_CREAT | file_flags__O_EXCL | file_flags__O_RDWR |
			     file_flags__O_CLOEXEC | file_flags__O_F_CREATED,
		     06640);
	check_opened("made", O_CREAT | O_APPEND | O_WRONLY, 0600,
		     file_flags__O_CREAT | file_flags__O_APPEND | file_flags__O_WRONLY, 0600);
	check_opened("made", O_RDONLY, 0600, file_flags__O_RDONLY, 0);
	check_opened(".", O_RDONLY | O_DIRECTORY, 0600,
		     file_flags__O_RDONLY | file_flags__O_DIRECTORY | file_flags__O_TMPFILE, 0600);
	check_opened("/proc/self/status", O_RDONLY | O_NOCTTY, 0, file_flags__O_RDONLY, 0);
}
