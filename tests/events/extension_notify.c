/* SPDX-License-Identifier: MIT */
/* Watching files: inotify and fanotify. */
#include <fcntl.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>

#include "harness/calls.h"

enum { ALL_BITS = -1 };

static void check_add_watch(long fd, const char *path, const char *shown, long mask)
{
	const struct event *ev = next_with_result(EVENT_inotify_add_watch,
						  CALL(SYS_inotify_add_watch, fd, path, mask));

	expect_i64(ev, inotify_add_watch__fd, fd);
	expect_string(ev, inotify_add_watch__path, shown);
	expect_i64(ev, inotify_add_watch__mask, (uint32_t)mask);
}

LIVE_TEST(inotify_add_watch)
{
	const struct path_case *paths = fixture_paths();
	int fd = inotify_init1(0);

	for (int i = 0; i < PATH_CASES; i++)
		check_add_watch(fd, paths[i].path, paths[i].shown, IN_CREATE);
	check_add_watch(fd, ".", ".", IN_ALL_EVENTS | IN_ONLYDIR);
	check_add_watch(fd, ".", ".", 0);
	check_add_watch(NO_FD, ".", ".", ALL_BITS);
	close(fd);
}

LIVE_TEST(inotify_rm_watch)
{
	int fd = inotify_init1(0), wd = inotify_add_watch(fd, ".", IN_CREATE);
	long cases[][2] = {{fd, wd}, {fd, wd}, {NO_FD, -5}};

	require(wd > 0);
	for (int i = 0; i < 3; i++) {
		const struct event *ev =
			next_with_result(EVENT_inotify_rm_watch,
					 CALL(SYS_inotify_rm_watch, cases[i][0], cases[i][1]));

		expect_numbers(ev, inotify_rm_watch__fd, cases[i][0], cases[i][1]);
	}
	close(fd);
}

static long check_fanotify_init(long flags, long file, int64_t shown)
{
	long ret = CALL(SYS_fanotify_init, flags, file);
	const struct event *ev = next_with_result(EVENT_fanotify_init, ret);

	expect_numbers(ev, fanotify_init__flags, (uint32_t)flags, shown);
	return ret;
}

LIVE_TEST(fanotify_init)
{
	long fd = check_fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDWR | O_CLOEXEC,
				      file_flags__O_RDWR | file_flags__O_CLOEXEC);

	require(fd == -EPERM || fd == -ENOSYS || fd == -EINVAL || close((int)fd) == 0);
	check_fanotify_init(ALL_BITS, O_WRONLY, file_flags__O_WRONLY);
	check_fanotify_init(FAN_CLASS_NOTIF, 3, file_flags__O_RDONLY);
}

static void check_fanotify_mark(long fd, long flags, uint64_t mask, long dirfd, const char *path,
				const char *shown)
{
	long ret = CALL(SYS_fanotify_mark, fd, flags, mask, dirfd, path);
	const struct event *ev = next_with_result(EVENT_fanotify_mark, ret);

	expect_numbers(ev, fanotify_mark__fanotify_fd, fd, (uint32_t)flags, (int64_t)mask, dirfd);
	expect_string(ev, fanotify_mark__path, shown);
}

LIVE_TEST(fanotify_mark)
{
	const struct path_case *paths = fixture_paths();
	int fd = fanotify_init(FAN_CLASS_NOTIF, O_RDONLY);

	for (int i = 0; i < PATH_CASES; i++)
		check_fanotify_mark(fd, FAN_MARK_ADD, FAN_OPEN, AT_FDCWD, paths[i].path,
				    paths[i].shown);
	check_fanotify_mark(fd, FAN_MARK_ADD | FAN_MARK_ONLYDIR, FAN_OPEN | FAN_ONDIR, AT_FDCWD,
			    ".", ".");
	check_fanotify_mark(fd, FAN_MARK_FLUSH, 0, -1, NULL, NULL);
	check_fanotify_mark(NO_FD, ALL_BITS, 0xffffffff00000001, NO_FD, "x", "x");
	close(fd);
}
