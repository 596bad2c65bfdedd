/* SPDX-License-Identifier: MIT */
/* Control groups from /proc: in which hierarchy they are, and relative to what. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proc_tree.h"
#include "unit.h"

static void set_roots(struct proc_tree *tree, const char *roots, size_t len)
{
	struct buf text = {0};

	buf_append(&text, roots, len);
	assert_int_equal(scap_proc_set_cgroup_roots(tree->proc, &text), 0);
	buf_finish(&text);
}

/* The groups of the thread, with '\n' in place of NUL. */
static const char *groups_of(struct proc_tree *tree)
{
	static char text[1024];
	struct scap_thread thread;

	assert_int_equal(scap_proc_thread(tree->proc, 70, &thread), 0);
	assert_in_range(thread.cgroups_len, 0, sizeof(text) - 1);
	for (size_t i = 0; i < thread.cgroups_len; i++)
		text[i] = thread.cgroups[i] ? thread.cgroups[i] : '\n';
	text[thread.cgroups_len] = '\0';
	return text;
}

/* Of one subsystem alone, whose path the kernel shows relative to a root. */
static void test_relative_paths(void **state)
{
	static const struct {
		const char *root, *shown, *path;
	} cases[] = {
		/* Without a namespace of its own, nothing is relative. */
		{"", "/", "/"},
		{"", "/docker/a", "/docker/a"},
		{"memory=/", "/", "/"},
		{"memory=/", "/docker/a", "/docker/a"},
		/* Its own group, and those below it. */
		{"memory=/docker/a", "/", "/docker/a"},
		{"memory=/docker/a", "/init.scope", "/docker/a/init.scope"},
		/* Others beside it, and above it. */
		{"memory=/docker/a", "/../b", "/docker/b"},
		{"memory=/docker/a", "/..", "/docker"},
		{"memory=/docker/a", "/../..", "/"},
		{"memory=/docker/a", "/../../kubepods/podx/c", "/kubepods/podx/c"},
		{"memory=/kubepods/podx/a", "/../../pody/c", "/kubepods/pody/c"},
		{"memory=/kubepods/podx/a", "/../c (deleted)", "/kubepods/podx/c (deleted)"},
		/* Names that only begin like the way up. */
		{"memory=/docker/a", "/..b", "/docker/a/..b"},
		{"memory=/docker/a", "/b/..", "/docker/a/b/.."},
		/* Of a root that is not known only the way down is certain. */
		{"", "/../../kubepods/podx/c", "/kubepods/podx/c"},
		{"memory=/a", "/../../../b", "/b"},
		{"cpu=/docker/a", "/../b", "/b"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[128], expected[128];

		snprintf(text, sizeof(text), "5:memory:%s\n", cases[i].shown);
		snprintf(expected, sizeof(expected), "memory=%s\n", cases[i].path);
		proc_tree_put(*state, "cgroup", text);
		set_roots(*state, cases[i].root, strlen(cases[i].root) + !!cases[i].root[0]);
		assert_string_equal(groups_of(*state), expected);
	}
}

/* Each hierarchy has a root of its own. */
static void test_hierarchies(void **state)
{
	static const char roots[] = "cpuset=/a\0cpu=/b\0cpuacct=/b\0io=/c/d\0memory=/c/e";

	proc_tree_put(*state, "cgroup",
		      "7:cpu,cpuacct:/../x\n6:cpuset:/y\n5:name=systemd:/../s\n0::/../z\n");
	set_roots(*state, roots, sizeof(roots));
	assert_string_equal(groups_of(*state),
			    "cpuset=/a/y\ncpu=/x\ncpuacct=/x\nio=/c/z\nmemory=/c/z\n");
}

/* Those of a process by its directory; there are none if it has no such file. */
static void test_of_a_process(void **state)
{
	struct proc_tree *tree = *state;
	const struct buf *groups;
	int process = openat(scap_proc_dir(tree->proc), "70/task/70", O_PATH | O_CLOEXEC);

	assert_true(process >= 0);
	assert_int_equal(scap_proc_cgroups(tree->proc, process, &groups), 0);
	assert_int_equal(groups->len, 0);
	proc_tree_put(tree, "cgroup", "5:memory:/../b\n");
	set_roots(tree, "memory=/docker/a", sizeof("memory=/docker/a"));
	assert_int_equal(scap_proc_cgroups(tree->proc, process, &groups), 0);
	assert_string_equal(groups->data, "memory=/docker/b");
	assert_int_equal(groups->len, sizeof("memory=/docker/b"));
	close(process);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, proc_tree_setup, proc_tree_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_relative_paths),
	TEST(test_hierarchies),
	TEST(test_of_a_process),
};

UNIT_GROUP(tests);
