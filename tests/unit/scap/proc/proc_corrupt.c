/* SPDX-License-Identifier: MIT */
/* The /proc reader on trees made up by the test: odd, corrupt and missing content. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "proc_tree.h"
#include "unit.h"

static void test_walk_passes_over_others(void **state)
{
	static const char *const names[] = {"self", "0x46", "70x",
					    "-70",  "71",   "99999999999999999999"};
	struct proc_tree *tree = *state;
	struct scap_thread thread;
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", tree->root, names[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_int_equal(scap_proc_next(tree->proc, &thread), 0);
	assert_int_equal(scap_proc_rewind(tree->proc), 0);
	assert_int_equal(scap_proc_next(tree->proc, &thread), 1);
	assert_int_equal(thread.tid, 70);
	assert_int_equal(scap_proc_next(tree->proc, &thread), 0);
}

/* A walk that cannot go on does not end as if all had been seen. */
static void test_walk_without_descriptors(void **state)
{
	struct proc_tree *tree = *state;
	struct scap_thread thread;
	struct rlimit limit, none;

	assert_int_equal(scap_proc_rewind(tree->proc), 0);
	getrlimit(RLIMIT_NOFILE, &limit);
	none = (struct rlimit){0, limit.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	assert_int_equal(scap_proc_next(tree->proc, &thread), -EMFILE);
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Cuts and flips of good files: whatever comes out, nothing may be read outside (ASan). */
static void test_random_bytes(void **state)
{
	static const char good[] = "70 (x) " PROC_TREE_STAT;
	static const char tcp[] =
		PROC_TREE_TCP_HEADINGS "   0: 0100A8C0:0016 0200A8C0:C000 01 0:0 00:0 0 0 0 77 1 2 3\n"
			     "   1: 0100A8C0:0016 0200A8C0:C000 01 0:0 00:0 0 0 0 78 1 2 3\n";
	struct proc_tree *tree = *state;
	struct scap_thread thread;
	struct scap_fd fd;
	char text[sizeof(tcp) + sizeof(PROC_TREE_STATUS) + sizeof(good)];

	srandom(1);
	proc_tree_put_link(tree, "fd/3", "socket:[77]");
	for (int i = 0; i < 1000; i++) {
		static const struct {
			const char *name, *text;
			size_t len;
		} files[] = {
			{"stat", good, sizeof(good) - 1},
			{"status", PROC_TREE_STATUS, sizeof(PROC_TREE_STATUS) - 1},
			{"net/tcp", tcp, sizeof(tcp) - 1},
			{"net/unix", tcp, sizeof(tcp) - 1},
			{"cgroup", "4:memory:/m/1\n0::/\n", 19},
		};
		size_t file = (size_t)i % (sizeof(files) / sizeof(*files));
		size_t len = (size_t)random() % (files[file].len + 1);

		memcpy(text, files[file].text, len);
		for (int flips = (int)(random() % 4); flips > 0 && len; flips--)
			text[(size_t)random() % len] = (char)random();
		proc_tree_put_bytes(tree, files[file].name, text, len);
		scap_proc_rewind(tree->proc);
		while (scap_proc_next(tree->proc, &thread) == 1)
			;
		scap_proc_fd(tree->proc, 70, 3, &fd);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, proc_tree_setup, proc_tree_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_walk_passes_over_others),
	TEST(test_walk_without_descriptors),
	TEST(test_random_bytes),
};

UNIT_GROUP(tests, .slow = true);
