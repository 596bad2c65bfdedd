/* SPDX-License-Identifier: MIT */
/* openat: paths, descriptors they start from, flags, O_TMPFILE, the layers of an overlay. */
#include <fcntl.h>
#include <limits.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/open_flags.h"

enum { SHORT_NAME = 41, NAME_STEP = 107 /* to NAME_MAX */ };

static void expect_failed(const struct event *ev, long error, int64_t dirfd, int64_t flags,
			  int64_t mode)
{
	expect_i64(ev, openat__fd, error);
	expect_i64(ev, openat__dirfd, dirfd);
	expect_i64(ev, openat__flags, flags);
	expect_i64(ev, openat__mode, mode);
	expect_file(ev, openat, NULL);
}

static void check_paths(void)
{
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_openat, AT_FDCWD, paths[i].path, O_WRONLY, 0) == paths[i].error);
		ev = live_next(EVENT_openat);
		expect_path(ev, openat__name, &paths[i]);
		expect_failed(ev, paths[i].error, AT_FDCWD, file_flags__O_WRONLY, 0);
		fixture_expect_base(ev, openat__base_path, paths[i].shown);
	}
}

static void check_base(int dirfd, const char *name, long error, const char *base)
{
	const struct event *ev;

	live_skip();
	require(CALL(SYS_openat, dirfd, name, O_RDONLY) == error);
	ev = live_next(EVENT_openat);
	expect_string(ev, openat__name, name);
	expect_failed(ev, error, dirfd, file_flags__O_RDONLY, 0);
	expect_string(ev, openat__base_path, base);
}

/* Where a call that fails starts from: the current directory, or that of a descriptor. */
static void check_bases(int directory)
{
	int sub = open("sub", O_PATH | O_DIRECTORY), pipes[2];
	struct opened opened = fixture_opened(sub);

	require(pipe(pipes) == 0);
	check_base(sub, "none", -ENOENT, opened.path);
	check_base(sub, "../none", -ENOENT, opened.path);
	check_base(sub, "/none", -ENOENT, NULL);
	check_base(sub, "", -ENOENT, NULL);
	check_base(-1, "none", -EBADF, NULL);
	/* A pipe is in no directory tree. */
	check_base(pipes[0], "none", -ENOTDIR, NULL);
	/* Directories that were removed keep their path. */
	require(fchdir(sub) == 0 && rmdir("../sub") == 0);
	check_base(AT_FDCWD, "none", -ENOENT, opened.path);
	require(fchdir(directory) == 0 && close(sub) == 0);
	require(close(pipes[0]) == 0 && close(pipes[1]) == 0);
	live_skip();
}

static void check_flags(void)
{
	for (size_t i = 0; i < OPEN_FLAGS_COUNT; i++) {
		const struct event *ev;

		require(CALL(SYS_openat, NO_FD, "file", open_flags[i].native, 01234) == -EBADF);
		ev = live_next(EVENT_openat);
		expect_string(ev, openat__name, "file");
		expect_failed(ev, -EBADF, NO_FD, open_flags[i].stored,
			      open_flags[i].has_mode ? 01234 : 0);
		expect_absent(ev, openat__base_path);
	}
}

static void expect_opened(const struct event *ev, long fd, long dirfd, const char *name,
			  int64_t flags, int64_t mode, const struct opened *opened)
{
	expect_i64(ev, openat__fd, fd);
	expect_i64(ev, openat__dirfd, dirfd);
	expect_string(ev, openat__name, name);
	expect_i64(ev, openat__flags, flags);
	expect_i64(ev, openat__mode, mode);
	expect_file(ev, openat, opened);
	expect_absent(ev, openat__base_path);
}

static void check_opened(int dirfd, const char *name, int flags, mode_t mode, int64_t stored_flags,
			 int64_t stored_mode)
{
	long fd = CALL(SYS_openat, dirfd, name, flags, mode);
	struct opened opened;

	require(fd > 0);
	opened = fixture_opened((int)fd);
	close((int)fd);
	expect_opened(live_next(EVENT_openat), fd, dirfd, name, stored_flags, stored_mode, &opened);
}

/* Names of all lengths up to some words: the kernel's path of each, in a folder and in "/". */
static void check_names(void)
{
	char name[NAME_MAX + 1];

	for (size_t len = 1; len <= NAME_MAX; len = len < SHORT_NAME ? len + 1 : len + NAME_STEP) {
		for (size_t i = 0; i < len; i++)
			name[i] = (char)('a' + (i + len) % 26);
		name[len] = '\0';
		check_opened(AT_FDCWD, name, O_CREAT | O_RDWR, 0600,
			     file_flags__O_CREAT | file_flags__O_RDWR | file_flags__O_F_CREATED,
			     0600);
		require(unlink(name) == 0);
		if (symlink("/", name) == 0)
			check_opened(AT_FDCWD, name, O_RDONLY, 0, file_flags__O_RDONLY, 0);
		require(unlink(name) == 0);
	}
}

/* The files of an overlay, and what is stored of the layer that each comes from. */
static const struct {
	const char *name;
	int flags;
	int64_t stored;
} layers[] = {
	{"over/all/below", O_RDONLY, file_flags__O_RDONLY | file_flags__FD_LOWER_LAYER},
	{"over/all/above", O_RDONLY, file_flags__O_RDONLY | file_flags__FD_UPPER_LAYER},
	{"over/all/new", O_WRONLY | O_CREAT,
	 file_flags__O_WRONLY | file_flags__O_CREAT | file_flags__O_F_CREATED |
		 file_flags__FD_UPPER_LAYER},
};

enum { LAYERS_COUNT = sizeof(layers) / sizeof(layers[0]) };

struct layer_result {
	int fd;
	struct opened opened;
};

static int open_layers(void *arg)
{
	struct layer_result *results = arg;

	fixture_overlay();
	require(CALL(SYS_openat, NO_FD, "begin", O_RDONLY) == -EBADF);
	for (int i = 0; i < LAYERS_COUNT; i++) {
		results[i].fd = (int)CALL(SYS_openat, AT_FDCWD, layers[i].name, layers[i].flags,
					  0644);
		require(results[i].fd > 0);
		results[i].opened = fixture_opened(results[i].fd);
	}
	return 0;
}

static void check_layers(void)
{
	struct layer_result *results = fixture_shared(LAYERS_COUNT * sizeof(*results));
	pid_t child = fixture_child(open_layers, results);
	const struct event *ev;

	require(fixture_wait(child) == 0);
	live_skip_to(EVENT_openat, child, openat__dirfd, NO_FD);
	for (int i = 0; i < LAYERS_COUNT; i++) {
		ev = live_next_of(EVENT_openat, child);
		expect_opened(ev, results[i].fd, AT_FDCWD, layers[i].name, layers[i].stored,
			      layers[i].flags & O_CREAT ? 0644 : 0, &results[i].opened);
	}
}

LIVE_TEST(openat)
{
	int directory = open(".", O_PATH | O_DIRECTORY);
	const struct event *ev;

	require(directory > 0 && mkdir("sub", 0755) == 0);
	live_skip();
	check_paths();
	check_flags();
	check_opened(AT_FDCWD, "made", O_CREAT | O_RDWR, 0107777,
		     file_flags__O_CREAT | file_flags__O_RDWR | file_flags__O_F_CREATED, 07777);
	check_opened(directory, "made", O_RDONLY | O_CLOEXEC, 0644,
		     file_flags__O_RDONLY | file_flags__O_CLOEXEC, 0);
	check_opened(directory, "sub", O_TMPFILE | O_RDWR, 0600,
		     file_flags__O_RDWR | file_flags__O_DIRECTORY | file_flags__O_TMPFILE, 0600);
	check_opened(AT_FDCWD, "/dev/null", O_PATH, 0, file_flags__O_RDONLY, 0);

	/* Descriptors are 32 bits wide, whatever the register holds above them. */
	require(CALL(SYS_openat, 0x100000000L + NO_FD, "made", O_RDONLY, 0) == -EBADF);
	ev = live_next(EVENT_openat);
	expect_string(ev, openat__name, "made");
	expect_failed(ev, -EBADF, NO_FD, file_flags__O_RDONLY, 0);
	expect_absent(ev, openat__base_path);
	check_names();
	check_bases(directory);
	check_layers();
}
