/* SPDX-License-Identifier: MIT */
/* link, linkat, symlink, symlinkat: both paths, each of all kinds, where they start from, flags. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

LIVE_TEST(link)
{
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++) {
		expect_call(link, paths[i].error, CALL(SYS_link, paths[i].path, "new"),
			    TEXT(paths[i].shown), TEXT("new"));
		expect_call(link, paths[i].error, CALL(SYS_link, "file", paths[i].path),
			    TEXT("file"), TEXT(paths[i].shown));
	}
	expect_call(link, 0, CALL(SYS_link, "file", "./new"), TEXT("file"), TEXT("./new"));
	expect_call(link, -EEXIST, CALL(SYS_link, "file", "new"), TEXT("file"), TEXT("new"));
}

static void check_linkat(long from_fd, const char *from, long to_fd, const char *to, long flags,
			 int64_t shown, long ret)
{
	expect_call(linkat, ret, CALL(SYS_linkat, from_fd, from, to_fd, to, flags), NUMBER(from_fd),
		    TEXT(from), NUMBER(to_fd), TEXT(to), NUMBER(shown));
}

LIVE_TEST(linkat)
{
	int directory = open(".", O_PATH | O_DIRECTORY);
	const struct path_case *paths = fixture_paths();
	int file;

	fixture_file("file", 1);
	file = open("file", O_RDONLY);
	require(directory > 0 && file > 0);
	for (int i = 0; i < PATH_CASES; i++) {
		expect_call(linkat, paths[i].error,
			    CALL(SYS_linkat, directory, paths[i].path, AT_FDCWD, "new", 0L),
			    NUMBER(directory), TEXT(paths[i].shown), NUMBER(AT_FDCWD), TEXT("new"),
			    NUMBER(0));
		expect_call(linkat, paths[i].error,
			    CALL(SYS_linkat, AT_FDCWD, "file", directory, paths[i].path, 0L),
			    NUMBER(AT_FDCWD), TEXT("file"), NUMBER(directory), TEXT(paths[i].shown),
			    NUMBER(0));
	}
	check_linkat(directory, "file", AT_FDCWD, "one", 0, 0, 0);
	check_linkat(AT_FDCWD, "file", directory, "two", AT_SYMLINK_FOLLOW,
		     linkat_flags__AT_SYMLINK_FOLLOW, 0);
	check_linkat(file, "", directory, "three", AT_EMPTY_PATH, linkat_flags__AT_EMPTY_PATH, 0);
	check_linkat(NO_FD, "file", -1, "four", 0, 0, -EBADF);
	check_linkat(AT_FDCWD, "file", AT_FDCWD, "five", -1,
		     linkat_flags__AT_SYMLINK_FOLLOW | linkat_flags__AT_EMPTY_PATH, -EINVAL);
	close(directory);
	close(file);
}

/* A link whose own place does not exist: only then each target gives the error of its kind. */
LIVE_TEST(symlink)
{
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++) {
		expect_call(symlink, paths[i].error, CALL(SYS_symlink, paths[i].path, "no/such"),
			    TEXT(paths[i].shown), TEXT("no/such"));
		expect_call(symlink, paths[i].error, CALL(SYS_symlink, "target", paths[i].path),
			    TEXT("target"), TEXT(paths[i].shown));
	}
	expect_call(symlink, 0, CALL(SYS_symlink, "../target", "new"), TEXT("../target"),
		    TEXT("new"));
	expect_call(symlink, -EEXIST, CALL(SYS_symlink, "x", "new"), TEXT("x"), TEXT("new"));
}

LIVE_TEST(symlinkat)
{
	int directory = open(".", O_PATH | O_DIRECTORY);
	const struct path_case *paths = fixture_paths();

	require(directory > 0);
	for (int i = 0; i < PATH_CASES; i++) {
		expect_call(symlinkat, paths[i].error,
			    CALL(SYS_symlinkat, paths[i].path, directory, "no/such"),
			    TEXT(paths[i].shown), NUMBER(directory), TEXT("no/such"));
		expect_call(symlinkat, paths[i].error,
			    CALL(SYS_symlinkat, "target", AT_FDCWD, paths[i].path), TEXT("target"),
			    NUMBER(AT_FDCWD), TEXT(paths[i].shown));
	}
	expect_call(symlinkat, 0, CALL(SYS_symlinkat, "target", directory, "new"), TEXT("target"),
		    NUMBER(directory), TEXT("new"));
	expect_call(symlinkat, -EBADF, CALL(SYS_symlinkat, "target", NO_FD, "other"),
		    TEXT("target"), NUMBER(NO_FD), TEXT("other"));
	close(directory);
}
