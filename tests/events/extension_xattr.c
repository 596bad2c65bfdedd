/* SPDX-License-Identifier: MIT */
/*
 * Extended attributes. The calls of a kind differ in how they name the file; each is made with
 * values that are short, long, unreadable, and as queries of the size.
 */
#include <fcntl.h>
#include <string.h>

#include "harness/calls.h"

enum { ALL_BITS = -1, VALUE_BYTES = 100 };

#define NAME "trusted.lanner"

struct xattr_args_now {
	uint64_t value;
	uint32_t size, flags;
};

/* How a call names its file. */
enum target { BY_PATH, BY_FD, BY_DIRFD };

struct form {
	enum target target;
	unsigned int event;
	long number;
};

/* The file as the first argument of the calls that have one, and what the event shows of it. */
struct file {
	long fd;
	const char *path, *shown;
};

static unsigned int expect_target(const struct event *ev, const struct form *form,
				  const struct file *file)
{
	if (form->target == BY_FD) {
		expect_i64(ev, fgetxattr__fd, file->fd);
		return fgetxattr__name;
	}
	if (form->target == BY_PATH) {
		expect_string(ev, getxattr__path, file->shown);
		return getxattr__name;
	}
	expect_i64(ev, getxattrat__dirfd, file->fd);
	expect_string(ev, getxattrat__path, file->shown);
	expect_i64(ev, getxattrat__at_flags, AT_SYMLINK_NOFOLLOW);
	return getxattrat__at_flags + 1;
}

static long first_argument(const struct form *form, const struct file *file)
{
	return form->target == BY_FD ? file->fd : (long)file->path;
}

static size_t shown_bytes(long n)
{
	return n > LIVE_SNAPLEN ? LIVE_SNAPLEN : n > 0 ? (size_t)n : 0;
}

static void check_set(const struct form *form, const struct file *file, const char *name,
		      const char *shown_name, const char *value, long size, long flags)
{
	struct xattr_args_now args = {(uint64_t)value, (uint32_t)size, (uint32_t)flags};
	bool readable = value && (void *)value != UNREADABLE;
	const struct event *ev;
	unsigned int at;
	long ret;

	if (form->target == BY_DIRFD)
		ret = CALL(form->number, file->fd, file->path, AT_SYMLINK_NOFOLLOW, name, &args,
			   sizeof(args));
	else
		ret = CALL(form->number, first_argument(form, file), name, value, size, flags);
	ev = next_with_result(form->event, ret);
	at = expect_target(ev, form, file);
	if (form->target == BY_DIRFD)
		expect_i64(ev, at++, sizeof(args));
	expect_string(ev, at++, shown_name);
	expect_bytes(ev, at++, value, readable ? shown_bytes(size) : 0);
	expect_i64(ev, at++, size);
	expect_i64(ev, at++, (uint32_t)flags);
}

static void test_set(const struct form *form)
{
	const struct path_case *paths = fixture_paths();
	struct file file = {AT_FDCWD, "file", "file"}, none = {NO_FD, "none", "none"};
	const char *value = fixture_pattern(VALUE_BYTES);

	fixture_file("file", 1);
	if (form->target == BY_FD)
		file.fd = open("file", O_RDONLY);
	check_set(form, &file, NAME, NAME, value, 5, setxattr_flags__XATTR_CREATE);
	check_set(form, &file, NAME, NAME, value, 7, setxattr_flags__XATTR_CREATE);
	check_set(form, &file, NAME, NAME, value, VALUE_BYTES, setxattr_flags__XATTR_REPLACE);
	check_set(form, &file, NAME, NAME, NULL, 0, 0);
	check_set(form, &file, NAME, NAME, UNREADABLE, 9, ALL_BITS);
	check_set(form, &none, "bad", "bad", value, 1, 0);
	for (int i = 0; i < PATH_CASES; i++) {
		struct file path = {AT_FDCWD, paths[i].path, paths[i].shown};

		check_set(form, &path, NAME, NAME, value, 1, 0);
		check_set(form, &file, paths[i].path, paths[i].shown, value, 1, 0);
	}
	if (form->target == BY_FD)
		close((int)file.fd);
}

static void check_get(const struct form *form, const struct file *file, const char *name,
		      char *value, long size)
{
	struct xattr_args_now args = {(uint64_t)value, (uint32_t)size, 0};
	const struct event *ev;
	unsigned int at;
	long ret;

	if (form->target == BY_DIRFD)
		ret = CALL(form->number, file->fd, file->path, AT_SYMLINK_NOFOLLOW, name, &args,
			   sizeof(args));
	else
		ret = CALL(form->number, first_argument(form, file), name, value, size);
	ev = next_with_result(form->event, ret);
	at = expect_target(ev, form, file);
	if (form->target == BY_DIRFD)
		expect_i64(ev, at++, sizeof(args));
	expect_string(ev, at++, name);
	expect_bytes(ev, at++, value, size ? shown_bytes(ret) : 0);
	expect_i64(ev, at++, size);
	if (form->target == BY_DIRFD)
		expect_i64(ev, at++, 0);
}

static void test_get(const struct form *form)
{
	struct file file = {AT_FDCWD, "file", "file"}, none = {NO_FD, "none", "none"};
	char value[VALUE_BYTES];

	fixture_file("file", 1);
	if (form->target == BY_FD)
		file.fd = open("file", O_RDONLY);
	CALL(SYS_setxattr, "file", NAME, fixture_pattern(VALUE_BYTES), 5, 0);
	check_get(form, &file, NAME, value, sizeof(value));
	check_get(form, &file, NAME, NULL, 0);
	check_get(form, &file, NAME, value, 2);
	check_get(form, &file, NAME, UNREADABLE, 50);
	CALL(SYS_setxattr, "file", NAME, fixture_pattern(VALUE_BYTES), VALUE_BYTES, 0);
	check_get(form, &file, NAME, value, sizeof(value));
	check_get(form, &file, "trusted.none", value, sizeof(value));
	check_get(form, &none, NAME, value, sizeof(value));
	if (form->target == BY_FD)
		close((int)file.fd);
}

static void check_list(const struct form *form, const struct file *file, char *list, long size)
{
	const struct event *ev;
	unsigned int at;
	long ret;

	if (form->target == BY_DIRFD)
		ret = CALL(form->number, file->fd, file->path, AT_SYMLINK_NOFOLLOW, list, size);
	else
		ret = CALL(form->number, first_argument(form, file), list, size);
	ev = next_with_result(form->event, ret);
	at = expect_target(ev, form, file);
	expect_bytes(ev, at++, list, size ? shown_bytes(ret) : 0);
	expect_i64(ev, at++, size);
}

static void test_list(const struct form *form)
{
	static const char *const names[] = {
		"trusted.a", "trusted.longer",
		"trusted.so-long-that-all-of-them-together-are-more-than-what-is-kept-of-a-buffer"};
	struct file file = {AT_FDCWD, "file", "file"}, none = {NO_FD, "none", "none"};
	char list[512];

	fixture_file("file", 1);
	if (form->target == BY_FD)
		file.fd = open("file", O_RDONLY);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CALL(SYS_setxattr, "file", names[i], "1", 1, 0);
		check_list(form, &file, list, sizeof(list));
	}
	check_list(form, &file, NULL, 0);
	check_list(form, &file, list, 3);
	check_list(form, &file, UNREADABLE, 50);
	check_list(form, &none, list, sizeof(list));
	if (form->target == BY_FD)
		close((int)file.fd);
}

static void check_remove(const struct form *form, const struct file *file, const char *name,
			 const char *shown_name)
{
	const struct event *ev;
	unsigned int at;
	long ret;

	if (form->target == BY_DIRFD)
		ret = CALL(form->number, file->fd, file->path, AT_SYMLINK_NOFOLLOW, name);
	else
		ret = CALL(form->number, first_argument(form, file), name);
	ev = next_with_result(form->event, ret);
	at = expect_target(ev, form, file);
	expect_string(ev, at++, shown_name);
}

static void test_remove(const struct form *form)
{
	const struct path_case *paths = fixture_paths();
	struct file file = {AT_FDCWD, "file", "file"}, none = {NO_FD, "none", "none"};

	fixture_file("file", 1);
	if (form->target == BY_FD)
		file.fd = open("file", O_RDONLY);
	CALL(SYS_setxattr, "file", NAME, "1", 1, 0);
	check_remove(form, &file, NAME, NAME);
	check_remove(form, &file, NAME, NAME);
	check_remove(form, &none, NAME, NAME);
	for (int i = 0; i < PATH_CASES; i++) {
		struct file path = {AT_FDCWD, paths[i].path, paths[i].shown};

		check_remove(form, &path, NAME, NAME);
		check_remove(form, &file, paths[i].path, paths[i].shown);
	}
	if (form->target == BY_FD)
		close((int)file.fd);
}

#define XATTR_TEST(name, kind, target)                                                             \
	LIVE_TEST(name)                                                                            \
	{                                                                                          \
		test_##kind(&(struct form){target, EVENT_##name, NR(name)});                       \
	}

XATTR_TEST(setxattr, set, BY_PATH)
XATTR_TEST(lsetxattr, set, BY_PATH)
XATTR_TEST(fsetxattr, set, BY_FD)
XATTR_TEST(setxattrat, set, BY_DIRFD)
XATTR_TEST(getxattr, get, BY_PATH)
XATTR_TEST(lgetxattr, get, BY_PATH)
XATTR_TEST(fgetxattr, get, BY_FD)
XATTR_TEST(getxattrat, get, BY_DIRFD)
XATTR_TEST(listxattr, list, BY_PATH)
XATTR_TEST(llistxattr, list, BY_PATH)
XATTR_TEST(flistxattr, list, BY_FD)
XATTR_TEST(listxattrat, list, BY_DIRFD)
XATTR_TEST(removexattr, remove, BY_PATH)
XATTR_TEST(lremovexattr, remove, BY_PATH)
XATTR_TEST(fremovexattr, remove, BY_FD)
XATTR_TEST(removexattrat, remove, BY_DIRFD)
