/* SPDX-License-Identifier: MIT */
/*
 * Keys of control groups, with other file systems in place of hierarchies: their folders begin with
 * inode 1, too. unit/scap/live/cgroup_roots compares keys with those of the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi.h"
#include "scap/proc/cgroup_keys.h"
#include "unit.h"

#define UNIFIED "a /proc cgroup2 rw,nosuid 0 0\n"
#define OWN "b /sys cgroup rw,cpu,cpuacct 0 0\n"
#define PART "c /proc/sys cgroup2 rw 0 0\n"

static int create(const char *mounts, struct scap_cgroup_keys **keys)
{
	char path[] = "/tmp/lanner-mounts-XXXXXX";
	int fd = mkstemp(path), code;

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "%s", mounts) >= 0);
	close(fd);
	code = scap_cgroup_keys_create(path, "", keys);
	unlink(path);
	return code;
}

static uint64_t inode(const char *path)
{
	struct stat file;

	assert_int_equal(stat(path, &file), 0);
	return file.st_ino;
}

#define KEY(keys, text, key) scap_cgroup_keys_make(keys, text, sizeof(text), key)

static void test_unified(void **state)
{
	struct scap_cgroup_keys *keys;
	uint64_t key;

	assert_int_equal(create(PART UNIFIED, &keys), 0);
	assert_int_equal(scap_cgroup_keys_hierarchies(keys), 1 << CGROUPS);
	assert_int_equal(KEY(keys, "cpuset=/sys\0memory=/sys", &key), 0);
	assert_int_equal(key, cgroup_key_add(0, inode("/proc/sys")));
	assert_int_equal(KEY(keys, "cpu=/\0cpuset=/", &key), 0);
	assert_int_equal(key, cgroup_key_add(0, 1));
	assert_int_equal(KEY(keys, "cpu=/sys", &key), -ENOENT);
	assert_int_equal(KEY(keys, "cpuset=/missing", &key), -ENOENT);
	assert_int_equal(KEY(keys, "cpuset=sys", &key), -ENOENT);
	assert_int_equal(KEY(keys, "cpuset=/cpuinfo/x", &key), -ENOENT);
	assert_int_equal(scap_cgroup_keys_make(keys, "cpuset=/sys", 11, &key), -ENOENT);
	assert_int_equal(scap_cgroup_keys_make(keys, "", 0, &key), -ENOENT);
	scap_cgroup_keys_destroy(keys);
}

/* One subsystem of each hierarchy makes the key. */
static void test_own(void **state)
{
	struct scap_cgroup_keys *keys;
	uint64_t key;

	assert_int_equal(create(UNIFIED OWN, &keys), 0);
	assert_int_equal(scap_cgroup_keys_hierarchies(keys), 1 << CGROUP_CPU | 1 << CGROUPS);
	assert_int_equal(KEY(keys, "cpuset=/sys\0cpu=/kernel\0cpuacct=/no", &key), 0);
	assert_int_equal(
		key, cgroup_key_add(cgroup_key_add(0, inode("/sys/kernel")), inode("/proc/sys")));
	assert_int_equal(KEY(keys, "cpuset=/sys\0cpuacct=/kernel", &key), -ENOENT);
	scap_cgroup_keys_destroy(keys);
}

#define OWNER(keys, text, owner) scap_cgroup_keys_owner(keys, text, sizeof(text) - 1, owner)

/* Who can make groups there: in /proc folders have the owner of their process. */
static void test_owner(void **state)
{
	struct scap_cgroup_keys *keys;
	char path[64];
	uint32_t owner = 7;
	pid_t child;

	assert_int_equal(create(UNIFIED OWN, &keys), 0);
	assert_int_equal(OWNER(keys, "memory=/sys/kernel", &owner), 0);
	assert_int_equal(owner, 0);
	assert_int_equal(OWNER(keys, "cpu=", &owner), 0);
	assert_int_equal(OWNER(keys, "cpu=/kernel", &owner), 0);
	assert_int_equal(OWNER(keys, "cpu=/none", &owner), -ENOENT);
	assert_int_equal(OWNER(keys, "memory=/version/x", &owner), -ENOENT);
	assert_int_equal(OWNER(keys, "none=/sys", &owner), -ENOENT);
	assert_int_equal(OWNER(keys, "/sys", &owner), -ENOENT);
	child = fork();
	if (child == 0) {
		/* A process that may be dumped is its user's. */
		if (setuid(65534) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0)
			pause();
		_exit(1);
	}
	snprintf(path, sizeof(path), "memory=/%d/task", child);
	for (int i = 0; i < 5000 && owner != 65534; i++) {
		assert_int_equal(scap_cgroup_keys_owner(keys, path, strlen(path), &owner), 0);
		usleep(1000);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(owner, getuid() == 0 ? 65534 : getuid());
	scap_cgroup_keys_destroy(keys);
}

/* Of folders that all may write nobody knows who made what is in them. */
static void test_owner_is_anybody(void **state)
{
	struct scap_cgroup_keys *keys;
	uint32_t owner = 7;

	if (access("/dev/shm", F_OK))
		skip();
	assert_int_equal(create("a /dev/shm cgroup2 rw 0 0\n", &keys), 0);
	assert_int_equal(OWNER(keys, "memory=/", &owner), 0);
	assert_int_equal(owner, SCAP_CGROUP_ANYBODY);
	scap_cgroup_keys_destroy(keys);
}

static void test_missing(void **state)
{
	struct scap_cgroup_keys *keys;

	assert_int_equal(create("", &keys), -ENOENT);
	assert_int_equal(create(OWN, &keys), -ENOENT);
	assert_int_equal(create(PART, &keys), -ENOENT);
	assert_int_equal(scap_cgroup_keys_create("/missing/mounts", "", &keys), -ENOENT);
	scap_cgroup_keys_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_unified), cmocka_unit_test(test_own),
	cmocka_unit_test(test_owner),	cmocka_unit_test(test_owner_is_anybody),
	cmocka_unit_test(test_missing),
};

UNIT_GROUP(tests);
