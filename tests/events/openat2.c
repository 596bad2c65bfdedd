/* SPDX-License-Identifier: MIT */
/* openat2: what it reads from its struct, every bit of resolve, unreadable structs. */
#include <fcntl.h>
#include <linux/openat2.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/open_flags.h"

static void expect_failed(const struct event *ev, long error, int64_t flags, int64_t mode,
			  int64_t resolve)
{
	expect_i64(ev, openat2__fd, error);
	expect_i64(ev, openat2__flags, flags);
	expect_i64(ev, openat2__mode, mode);
	expect_i64(ev, openat2__resolve, resolve);
	expect_file(ev, openat2, NULL);
}

static void check_paths(void)
{
	const struct path_case *paths = fixture_paths();
	struct open_how how = {.flags = O_RDWR};

	for (int i = 0; i < PATH_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_openat2, AT_FDCWD, paths[i].path, &how, sizeof(how)) ==
			paths[i].error);
		ev = live_next(EVENT_openat2);
		expect_path(ev, openat2__name, &paths[i]);
		expect_i64(ev, openat2__dirfd, AT_FDCWD);
		expect_failed(ev, paths[i].error, file_flags__O_RDWR, 0, 0);
		fixture_expect_base(ev, openat2__base_path, paths[i].shown);
	}
}

/* Combinations that openat2 rejects are shown all the same. */
static void check_flags(void)
{
	for (size_t i = 0; i < OPEN_FLAGS_COUNT; i++) {
		struct open_how how = {.flags = (unsigned int)open_flags[i].native, .mode = 04321};
		long ret = CALL(SYS_openat2, NO_FD, "file", &how, sizeof(how));
		const struct event *ev;

		require(ret == -EBADF || ret == -EINVAL);
		ev = live_next(EVENT_openat2);
		expect_i64(ev, openat2__dirfd, NO_FD);
		expect_string(ev, openat2__name, "file");
		expect_failed(ev, ret, open_flags[i].stored, open_flags[i].has_mode ? 04321 : 0, 0);
		expect_absent(ev, openat2__base_path);
	}
}

static void check_resolve(void)
{
	static const struct {
		uint64_t native;
		int64_t stored;
	} bits[] = {
		{RESOLVE_NO_XDEV, openat2_flags__RESOLVE_NO_XDEV},
		{RESOLVE_NO_MAGICLINKS, openat2_flags__RESOLVE_NO_MAGICLINKS},
		{RESOLVE_NO_SYMLINKS, openat2_flags__RESOLVE_NO_SYMLINKS},
		{RESOLVE_BENEATH, openat2_flags__RESOLVE_BENEATH},
		{RESOLVE_IN_ROOT, openat2_flags__RESOLVE_IN_ROOT},
		{RESOLVE_CACHED, openat2_flags__RESOLVE_CACHED},
		{RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH,
		 openat2_flags__RESOLVE_NO_SYMLINKS | openat2_flags__RESOLVE_BENEATH},
		{1ULL << 40, 0},
	};

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		struct open_how how = {.resolve = bits[i].native};
		long ret = CALL(SYS_openat2, NO_FD, "file", &how, sizeof(how));
		const struct event *ev = live_next(EVENT_openat2);

		require(ret == -EBADF || ret == -EINVAL);
		expect_i64(ev, openat2__dirfd, NO_FD);
		expect_string(ev, openat2__name, "file");
		expect_failed(ev, ret, file_flags__O_RDONLY, 0, bits[i].stored);
		expect_absent(ev, openat2__base_path);
	}
}

/* For RESOLVE_IN_ROOT an absolute name starts from the directory, too. */
static void check_base(uint64_t resolve, int64_t stored, const char *relative)
{
	struct open_how how = {.resolve = resolve};
	const struct event *ev;

	require(CALL(SYS_openat2, AT_FDCWD, "/no/such", &how, sizeof(how)) == -ENOENT);
	ev = live_next(EVENT_openat2);
	expect_i64(ev, openat2__dirfd, AT_FDCWD);
	expect_string(ev, openat2__name, "/no/such");
	expect_failed(ev, -ENOENT, file_flags__O_RDONLY, 0, stored);
	fixture_expect_base(ev, openat2__base_path, relative);
}

static void check_unreadable(const void *how, size_t size, long error)
{
	const struct event *ev;

	require(CALL(SYS_openat2, AT_FDCWD, "file", how, size) == error);
	ev = live_next(EVENT_openat2);
	expect_i64(ev, openat2__dirfd, AT_FDCWD);
	expect_string(ev, openat2__name, "file");
	expect_failed(ev, error, file_flags__O_RDONLY, 0, 0);
	fixture_expect_base(ev, openat2__base_path, "file");
}

LIVE_TEST(openat2)
{
	struct open_how how = {
		.flags = O_CREAT | O_WRONLY | O_CLOEXEC,
		.mode = 0640,
		.resolve = RESOLVE_BENEATH,
	};
	const struct event *ev;
	struct opened opened;
	long fd;

	check_paths();
	check_flags();
	check_resolve();
	check_base(RESOLVE_IN_ROOT, openat2_flags__RESOLVE_IN_ROOT, "no/such");
	check_base(0, 0, NULL);
	check_unreadable(NULL, sizeof(how), -EFAULT);
	check_unreadable(UNREADABLE, sizeof(how), -EFAULT);

	fd = CALL(SYS_openat2, AT_FDCWD, "made", &how, sizeof(how));
	require(fd > 0);
	opened = fixture_opened((int)fd);
	close((int)fd);
	ev = live_next(EVENT_openat2);
	expect_i64(ev, openat2__fd, fd);
	expect_i64(ev, openat2__dirfd, AT_FDCWD);
	expect_string(ev, openat2__name, "made");
	expect_i64(ev, openat2__flags,
		   file_flags__O_CREAT | file_flags__O_WRONLY | file_flags__O_CLOEXEC |
			   file_flags__O_F_CREATED);
	expect_i64(ev, openat2__mode, 0640);
	expect_i64(ev, openat2__resolve, openat2_flags__RESOLVE_BENEATH);
	expect_file(ev, openat2, &opened);
	expect_absent(ev, openat2__base_path);
}
