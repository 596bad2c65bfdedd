/* SPDX-License-Identifier: MIT */
/*
 * Keys of control groups, with other file systems in place of hierarchies: their folders begin with
 * inode 1, too. unit/scap/live/cgroup_roots compares keys with those of the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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
	code = scap_cgroup_keys_create(path, keys);
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

static void test_missing(void **state)
{
	struct scap_cgroup_keys *keys;

	assert_int_equal(create("", &keys), -ENOENT);
	assert_int_equal(create(OWN, &keys), -ENOENT);
	assert_int_equal(create(PART, &keys), -ENOENT);
	assert_int_equal(scap_cgroup_keys_create("/missing/mounts", &keys), -ENOENT);
	scap_cgroup_keys_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_unified),
	cmocka_unit_test(test_own),
	cmocka_unit_test(test_missing),
};

UNIT_GROUP(tests);
