/* SPDX-License-Identifier: MIT */
/* Times of files: whole seconds, microseconds, nanoseconds; none, now, omitted, and no times. */
#include <fcntl.h>
#include <sys/time.h>
#include <utime.h>

#include "harness/calls.h"

#define NS 1000000000L
#define NO_TIME (-1) /* as an expectation: absent; no time shown is negative */

static void expect_time(const struct event *ev, unsigned int param, int64_t ns)
{
	if (ns == NO_TIME)
		expect_absent(ev, param);
	else
		expect_i64(ev, param, ns);
}

static void check_utime(const char *path, const char *shown, const struct utimbuf *times,
			int64_t actime, int64_t modtime)
{
	const struct event *ev = next_with_result(EVENT_utime, CALL(SYS_utime, path, times));

	expect_string(ev, utime__filename, shown);
	expect_time(ev, utime__actime, actime);
	expect_time(ev, utime__modtime, modtime);
}

LIVE_TEST(utime)
{
	const struct path_case *paths = fixture_paths();
	struct utimbuf times = {1000, 2000}, early = {-1, 3};

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++)
		check_utime(paths[i].path, paths[i].shown, &times, 1000 * NS, 2000 * NS);
	check_utime("file", "file", &times, 1000 * NS, 2000 * NS);
	check_utime("file", "file", &early, NO_TIME, 3 * NS);
	check_utime("file", "file", NULL, NO_TIME, NO_TIME);
	check_utime("file", "file", UNREADABLE, NO_TIME, NO_TIME);
}

/* The same by utimes and futimesat. */
static void check_utimes(const char *path, const char *shown, const struct timeval *times,
			 int64_t atime, int64_t mtime)
{
	const struct event *ev = next_with_result(EVENT_utimes, CALL(SYS_utimes, path, times));

	expect_string(ev, utimes__filename, shown);
	expect_time(ev, utimes__atime, atime);
	expect_time(ev, utimes__mtime, mtime);
}

static void check_futimesat(long dirfd, const char *path, const char *shown,
			    const struct timeval *times, int64_t atime, int64_t mtime)
{
	const struct event *ev =
		next_with_result(EVENT_futimesat, CALL(SYS_futimesat, dirfd, path, times));

	expect_i64(ev, futimesat__dirfd, dirfd);
	expect_string(ev, futimesat__pathname, shown);
	expect_time(ev, futimesat__atime, atime);
	expect_time(ev, futimesat__mtime, mtime);
}

static const struct timeval both[2] = {{1, 2}, {3, 999999}}, bad[2] = {{1, 1000000}, {4, 5}};

LIVE_TEST(utimes)
{
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++)
		check_utimes(paths[i].path, paths[i].shown, both, 1000002000, 3999999000);
	check_utimes("file", "file", both, 1000002000, 3999999000);
	check_utimes("file", "file", bad, NO_TIME, 4000005000);
	check_utimes("file", "file", NULL, NO_TIME, NO_TIME);
	check_utimes("file", "file", UNREADABLE, NO_TIME, NO_TIME);
}

LIVE_TEST(futimesat)
{
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++)
		check_futimesat(AT_FDCWD, paths[i].path, paths[i].shown, both, 1000002000,
				3999999000);
	check_futimesat(AT_FDCWD, "file", "file", both, 1000002000, 3999999000);
	check_futimesat(NO_FD, "file", "file", bad, NO_TIME, 4000005000);
	check_futimesat(-1, "file", "file", NULL, NO_TIME, NO_TIME);
	check_futimesat(-1, "file", "file", UNREADABLE, NO_TIME, NO_TIME);
}

static const struct event *check_utimensat(long dirfd, const char *path, const char *shown,
					   const struct timespec *times, long flags)
{
	const struct event *ev =
		next_with_result(EVENT_utimensat, CALL(SYS_utimensat, dirfd, path, times, flags));

	expect_i64(ev, utimensat__dirfd, dirfd);
	expect_string(ev, utimensat__path, shown);
	expect_i64(ev, utimensat__flags, (uint32_t)flags);
	return ev;
}

LIVE_TEST(utimensat)
{
	static const struct timespec exact[2] = {{1, 2}, {1L << 33, 999999999}},
				     special[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
	const struct path_case *paths = fixture_paths();
	const struct event *ev;

	require(utime_nsec__UTIME_NOW == UTIME_NOW && utime_nsec__UTIME_OMIT == UTIME_OMIT);
	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++) {
		ev = check_utimensat(AT_FDCWD, paths[i].path, paths[i].shown, exact, 0);
		expect_numbers(ev, utimensat__atime, 1000000002, (1L << 33) * NS + 999999999, 2,
			       999999999);
	}
	ev = check_utimensat(NO_FD, "file", "file", exact, -1);
	expect_numbers(ev, utimensat__atime, 1000000002, (1L << 33) * NS + 999999999, 2, 999999999);
	ev = check_utimensat(AT_FDCWD, "file", "file", special, AT_SYMLINK_NOFOLLOW);
	expect_absents(ev, utimensat__atime, utimensat__mtime);
	expect_numbers(ev, utimensat__atime_nsec, UTIME_NOW, UTIME_OMIT);
	ev = check_utimensat(AT_FDCWD, "file", "file", NULL, 0);
	expect_absents(ev, utimensat__atime, utimensat__mtime_nsec);
	ev = check_utimensat(AT_FDCWD, "file", "file", UNREADABLE, 0);
	expect_absents(ev, utimensat__atime, utimensat__mtime_nsec);
}
