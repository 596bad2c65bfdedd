/* SPDX-License-Identifier: MIT */
/* One thread out of files made up by the test: odd, corrupt and missing content. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi.h"
#include "proc_tree.h"
#include "unit.h"

static struct scap_thread read_thread(struct proc_tree *tree)
{
	struct scap_thread thread;

	assert_int_equal(scap_proc_thread(tree->proc, 70, &thread), 0);
	return thread;
}

static void test_numbers(void **state)
{
	struct scap_thread thread = read_thread(*state);

	assert_string_equal(thread.comm, "x");
	assert_int_equal(thread.pid, 70);
	assert_int_equal(thread.ptid, 1);
	assert_int_equal(thread.pgid, 70);
	assert_int_equal(thread.sid, 60);
	assert_int_equal(thread.tty, 34816);
	assert_int_equal(thread.faults_minor, 11);
	assert_int_equal(thread.faults_major, 33);
	assert_int_equal(thread.uid, 1000);
	assert_int_equal(thread.gid, 1001);
	assert_int_equal(thread.vpid, 7);
	assert_int_equal(thread.vtid, 8);
	assert_int_equal(thread.vpgid, 9);
	assert_int_equal(thread.vm_size_kib, 4000);
	assert_int_equal(thread.vm_rss_kib, 300);
	assert_int_equal(thread.vm_swap_kib, 20);
	assert_int_equal(thread.caps_inheritable, 1);
	assert_int_equal(thread.caps_permitted, 0xff);
	assert_int_equal(thread.caps_effective, 0x1ffffffffff);
}

/* All that may be missing, for a kernel thread, for lack of rights, or because it is gone. */
static void test_only_stat_and_status(void **state)
{
	struct scap_thread thread = read_thread(*state);

	assert_string_equal(thread.exe, "");
	assert_string_equal(thread.exepath, "");
	assert_string_equal(thread.cwd, "");
	assert_string_equal(thread.root, "/");
	assert_string_equal(thread.args, "");
	assert_int_equal(thread.args_len, 0);
	assert_int_equal(thread.env_len, 0);
	assert_int_equal(thread.cgroups_len, 0);
	assert_int_equal(thread.loginuid, UINT32_MAX);
	assert_int_equal(thread.fd_limit, -1);
}

static void test_names(void **state)
{
	static const struct {
		const char *stat, *comm;
	} cases[] = {
		{"70 (a b) " PROC_TREE_STAT, "a b"},
		{"70 () " PROC_TREE_STAT, ""},
		{"70 (a) S 1 (b) " PROC_TREE_STAT, "a) S 1 (b"},
		{"70 ()))((() " PROC_TREE_STAT, ")))((("},
		{"70 (a\nTgid:\t1\n) " PROC_TREE_STAT, "a\nTgid:\t1\n"},
		{"70 (kworker/u8:10-events_unbound) " PROC_TREE_STAT, "kworker/u8:10-e"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		proc_tree_put(*state, "stat", cases[i].stat);
		assert_string_equal(read_thread(*state).comm, cases[i].comm);
	}
}

/* The number before it has no room for a sign. */
static void test_where_the_stack_begins(void **state)
{
	static const char begin[] = "70 (x) S 1 2 60 34816 70 0 11 22 33 44 1 2 3 4 20 0 1 0 500 ";
	static const struct {
		const char *end;
		uint64_t start_stack;
	} cases[] = {
		{"1 2 18446744073709551615 4 5 140721234567890 7 8\n", 140721234567890},
		{"1 2 18446744073709551615 4 5 0 7 8\n", 0},
		{"1 2 18446744073709551615 4 5\n", 0},
		{"1 2 3 4 5 x\n", 0},
		{"1 2 3 4 5 99999999999999999999\n", 0},
		{"", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char stat[256];

		snprintf(stat, sizeof(stat), "%s%s", begin, cases[i].end);
		proc_tree_put(*state, "stat", stat);
		assert_true(read_thread(*state).exec_id == exec_id_of(500, cases[i].start_stack));
	}
}

static void test_corrupt_stat(void **state)
{
	static const char *const texts[] = {
		"",
		"70",
		"70 (",
		"70 )(",
		"70 (x",
		"70 x)",
		"70 (x)",
		"70 (x) S",
		"70 (x) S 1 2 3\n",
		"70 (x) S 1 a 60 34816 70 4194560 11 22 33 44 1 2 3 4 20 0 1 0 500\n",
		"70 (x) S 1 99999999999999999999 60 34816 70 0 11 22 33 44 1 2 3 4 20 0 1 0 500\n",
		"\n\n\n",
		")(",
	};
	struct proc_tree *tree = *state;
	struct scap_thread thread;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		proc_tree_put(tree, "stat", texts[i]);
		assert_int_equal(scap_proc_thread(tree->proc, 70, &thread), -EBADMSG);
		/* A walk skips it. */
		assert_int_equal(scap_proc_rewind(tree->proc), 0);
		assert_int_equal(scap_proc_next(tree->proc, &thread), 0);
	}
}

static void test_corrupt_status(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"Tgid:\t70\n",
		"Pid:\t70\n",
		"Tgid:\t\nPid:\t\n",
		"Tgid:\tx\nPid:\t70\n",
		"Tgid:\t-70\nPid:\t70\n",
		"Tgid:\t99999999999999999999999\nPid:\t70\n",
	};
	struct proc_tree *tree = *state;
	struct scap_thread thread;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		proc_tree_put(tree, "status", texts[i]);
		assert_int_equal(scap_proc_thread(tree->proc, 70, &thread), -EBADMSG);
	}
	proc_tree_put(tree, "status", "Pid:\t70\nTgid:\t70\nUid:\t0\nGid:\nNSpid:\nCapEff:\tzz\nVmRSS:");
	thread = read_thread(tree);
	assert_int_equal(thread.uid, 0);
	assert_int_equal(thread.vtid, 70);
	assert_int_equal(thread.caps_effective, 0);
}

static void test_strings(void **state)
{
	char large[10000];
	struct scap_thread thread;

	proc_tree_put_bytes(*state, "cmdline", "prog\0one\0\0two\0", 14);
	proc_tree_put_bytes(*state, "environ", "A=1\0B", 5);
	thread = read_thread(*state);
	assert_string_equal(thread.exe, "prog");
	assert_int_equal(thread.args_len, 9);
	assert_memory_equal(thread.args, "one\0\0two\0", 9);
	assert_int_equal(thread.env_len, 6);
	assert_memory_equal(thread.env, "A=1\0B\0", 6);

	proc_tree_put(*state, "cmdline", "title without end");
	thread = read_thread(*state);
	assert_string_equal(thread.exe, "title without end");
	assert_int_equal(thread.args_len, 0);

	memset(large, 'x', sizeof(large));
	proc_tree_put_bytes(*state, "cmdline", large, sizeof(large));
	large[1] = '\0';
	proc_tree_put_bytes(*state, "environ", large, sizeof(large));
	thread = read_thread(*state);
	assert_int_equal(strlen(thread.exe), 4095);
	assert_int_equal(thread.args_len, 0);
	assert_int_equal(thread.env_len, 4096);
	assert_int_equal(thread.env[4095], '\0');
	assert_string_equal(thread.exe + 4092, "...");
	assert_string_equal(thread.env + 4092, "...");
	/* As much as is kept is whole. */
	large[4095] = '\0';
	proc_tree_put_bytes(*state, "environ", large, 4096);
	thread = read_thread(*state);
	assert_int_equal(thread.env_len, 4096);
	assert_string_equal(thread.env + 4092, "xxx");
}

static void test_links(void **state)
{
	struct scap_thread thread;
	const char *cwd;

	proc_tree_put_link(*state, "exe", "/usr/bin/gone (deleted)");
	proc_tree_put_link(*state, "cwd", "/home/gone (deleted)");
	proc_tree_put_link(*state, "root", "/srv/jail");
	thread = read_thread(*state);
	assert_string_equal(thread.exepath, "/usr/bin/gone");
	assert_string_equal(thread.cwd, "/home/gone");
	assert_string_equal(thread.root, "/srv/jail");
	assert_int_equal(scap_proc_cwd(((struct proc_tree *)*state)->proc, 70, &cwd), 0);
	assert_string_equal(cwd, "/home/gone");
	proc_tree_put_link(*state, "exe", " (deleted)");
	assert_string_equal(read_thread(*state).exepath, " (deleted)");
}

static void expect_cgroups(void **state, const char *file, const char *expected, size_t len)
{
	struct scap_thread thread;

	proc_tree_put(*state, "cgroup", file);
	thread = read_thread(*state);
	assert_int_equal(thread.cgroups_len, len);
	assert_memory_equal(thread.cgroups, expected, len);
}
#define EXPECT_CGROUPS(file, expected) expect_cgroups(state, file, expected, sizeof(expected) - 1)

static void test_cgroups(void **state)
{
	EXPECT_CGROUPS("4:memory:/m/1\n3:blkio:/b\n2:cpu,cpuacct:/c\n1:name=systemd:/s\n0::/u\n",
		       "cpuset=/u\0cpu=/c\0cpuacct=/c\0io=/b\0memory=/m/1\0");
	EXPECT_CGROUPS("0::/a/b:c\n",
		       "cpuset=/a/b:c\0cpu=/a/b:c\0cpuacct=/a/b:c\0io=/a/b:c\0memory=/a/b:c\0");
	EXPECT_CGROUPS("2:cpuset:/x\n", "cpuset=/x\0");
	EXPECT_CGROUPS("2:cpusets,xcpu,mem:/x\n", "");
	EXPECT_CGROUPS("", "");
	EXPECT_CGROUPS("x\n:\n1\n1:\n1:cpu\n::\n", "");
}

static void test_limits_and_loginuid(void **state)
{
	struct scap_thread thread;

	proc_tree_put(*state, "limits",
	    "Limit  Soft  Hard  Units\nMax open files            1024     4096  files\n");
	proc_tree_put(*state, "loginuid", "1000");
	thread = read_thread(*state);
	assert_int_equal(thread.fd_limit, 1024);
	assert_int_equal(thread.loginuid, 1000);
	proc_tree_put(*state, "limits", "Max open files            unlimited     unlimited  files\n");
	proc_tree_put(*state, "loginuid", "4294967295");
	thread = read_thread(*state);
	assert_int_equal(thread.fd_limit, -1);
	assert_int_equal(thread.loginuid, UINT32_MAX);
	proc_tree_put(*state, "limits", "Max open files");
	proc_tree_put(*state, "loginuid", "");
	thread = read_thread(*state);
	assert_int_equal(thread.fd_limit, -1);
	assert_int_equal(thread.loginuid, UINT32_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, proc_tree_setup, proc_tree_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_numbers),	 TEST(test_only_stat_and_status),
	TEST(test_names),	 TEST(test_where_the_stack_begins),
	TEST(test_corrupt_stat), TEST(test_corrupt_status),
	TEST(test_strings),	 TEST(test_links),
	TEST(test_cgroups),	 TEST(test_limits_and_loginuid),
};

UNIT_GROUP(tests);
