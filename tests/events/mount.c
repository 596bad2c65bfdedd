/* SPDX-License-Identifier: MIT */
/* mount, umount2, chroot: strings of all kinds and every flag; in a child those that succeed. */
#include <sched.h>
#include <sys/mount.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { MAGIC = 0xc0ed0000, FLAG_BITS = 32 };

/* One after the other by one process that sees its mounts alone. */
static const struct attempt {
	const char *dev, *dir, *type;
	long flags, ret;
	uint32_t shown;
} attempts[] = {
	{NULL, "/", NULL, MS_REC | MS_PRIVATE, 0, mount_flags__REC | mount_flags__PRIVATE},
	{"none", "point", "tmpfs", MS_NOSUID | MS_NODEV, 0,
	 mount_flags__NOSUID | mount_flags__NODEV},
	{"other", "point", "tmpfs", MAGIC | MS_RDONLY, 0, mount_flags__RDONLY},
	{"x", "point", NULL, MS_REMOUNT | MS_NOEXEC, 0, mount_flags__REMOUNT | mount_flags__NOEXEC},
	{"none", "point", "nosuchfs", 0, -ENODEV, 0},
	{"none", "no/such", "tmpfs", 0, -ENOENT, 0},
	{"none", NULL, "proc", MS_RDONLY, -EFAULT, mount_flags__RDONLY},
};

enum { ATTEMPTS = sizeof(attempts) / sizeof(attempts[0]) };

static int attempt_mounts(void *arg)
{
	int wrong = unshare(CLONE_NEWNS) != 0;

	for (int i = 0; i < ATTEMPTS && !wrong; i++)
		wrong += CALL(SYS_mount, attempts[i].dev, attempts[i].dir, attempts[i].type,
			      attempts[i].flags, NULL) != attempts[i].ret;
	return wrong;
}

static void check_mounts(void)
{
	pid_t pid = fixture_child(attempt_mounts, NULL);

	require(fixture_wait(pid) == 0);
	for (int i = 0; i < ATTEMPTS; i++)
		expect_params(live_next_of(EVENT_mount, pid), NUMBER(attempts[i].ret),
			      TEXT(attempts[i].dev), TEXT(attempts[i].dir), TEXT(attempts[i].type),
			      NUMBER(attempts[i].shown));
}

/* For the device and the type the errors differ from those for a path. */
static void check_strings(const struct path_case *string)
{
	long ret = CALL(SYS_mount, string->path, "no/such", "type", 0L, NULL);

	require(ret < 0);
	expect_params(live_next(EVENT_mount), NUMBER(ret), TEXT(string->shown), TEXT("no/such"),
		      TEXT("type"), NUMBER(0));
	expect_call(mount, string->error, CALL(SYS_mount, "dev", string->path, "type", 0L, NULL),
		    TEXT("dev"), TEXT(string->shown), TEXT("type"), NUMBER(0));
	ret = CALL(SYS_mount, "dev", "no/such", string->path, 0L, NULL);
	require(ret < 0);
	expect_params(live_next(EVENT_mount), NUMBER(ret), TEXT("dev"), TEXT("no/such"),
		      TEXT(string->shown), NUMBER(0));
}

static void check_flags(long flags, int64_t shown)
{
	expect_call(mount, -ENOENT, CALL(SYS_mount, "dev", "no/such", "type", flags, NULL),
		    TEXT("dev"), TEXT("no/such"), TEXT("type"), NUMBER(shown));
}

LIVE_TEST(mount)
{
	const struct path_case *strings = fixture_paths();

	require(mkdir("point", 0755) == 0);
	check_mounts();
	for (int i = 0; i < PATH_CASES; i++)
		check_strings(&strings[i]);
	for (int bit = 0; bit < FLAG_BITS; bit++)
		check_flags(1L << bit, 1L << bit);
	check_flags(0xffffffff, 0xffffffff);
	check_flags(0x1234500000000 | MS_BIND, mount_flags__BIND);
	check_flags(MAGIC | 0xffff, 0xffff);
}

static int unmount_twice(void *arg)
{
	return unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount("none", "point", "tmpfs", 0, NULL) ||
	       CALL(SYS_umount2, "point", MNT_DETACH | UMOUNT_NOFOLLOW) != 0 ||
	       CALL(SYS_umount2, "point", 0L) != -EINVAL;
}

static void check_umount2(long flags, int64_t shown, long ret)
{
	expect_call(umount2, ret, CALL(SYS_umount2, "no/such", flags), TEXT("no/such"),
		    NUMBER(shown));
}

LIVE_TEST(umount2)
{
	const struct path_case *paths = fixture_paths();
	pid_t pid;

	require(mkdir("point", 0755) == 0);
	pid = fixture_child(unmount_twice, NULL);
	require(fixture_wait(pid) == 0);
	expect_params(live_next_of(EVENT_umount2, pid), NUMBER(0), TEXT("point"),
		      NUMBER(umount_flags__DETACH | umount_flags__NOFOLLOW));
	expect_params(live_next_of(EVENT_umount2, pid), NUMBER(-EINVAL), TEXT("point"), NUMBER(0));
	for (int i = 0; i < PATH_CASES; i++)
		expect_call(umount2, paths[i].error, CALL(SYS_umount2, paths[i].path, 0L),
			    TEXT(paths[i].shown), NUMBER(0));
	check_umount2(MNT_FORCE, umount_flags__FORCE, -ENOENT);
	check_umount2(MNT_DETACH, umount_flags__DETACH, -ENOENT);
	check_umount2(MNT_EXPIRE, umount_flags__EXPIRE, -ENOENT);
	check_umount2(UMOUNT_NOFOLLOW, umount_flags__NOFOLLOW, -ENOENT);
	check_umount2(0x10, 0, -EINVAL);
	check_umount2(-1, 0xf, -EINVAL);
}

/* Into a directory as root, and as somebody who may not. */
static int change_root(void *arg)
{
	return CALL(SYS_chroot, "below") != 0 || CALL(SYS_setuid, 1234L) != 0 ||
	       CALL(SYS_chroot, "/") != -EPERM;
}

LIVE_TEST(chroot)
{
	const struct path_case *paths = fixture_paths();
	pid_t pid;

	fixture_file("file", 1);
	require(mkdir("below", 0755) == 0);
	pid = fixture_child(change_root, NULL);
	require(fixture_wait(pid) == 0);
	expect_params(live_next_of(EVENT_chroot, pid), NUMBER(0), TEXT("below"));
	expect_params(live_next_of(EVENT_chroot, pid), NUMBER(-EPERM), TEXT("/"));
	for (int i = 0; i < PATH_CASES; i++)
		expect_call(chroot, paths[i].error, CALL(SYS_chroot, paths[i].path),
			    TEXT(paths[i].shown));
	expect_call(chroot, -ENOTDIR, CALL(SYS_chroot, "file"), TEXT("file"));
}
