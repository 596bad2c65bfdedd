/* SPDX-License-Identifier: MIT */
/* Limits of control groups, of both versions, and what follows from them. */
#include "agent/process/memory.h"

#include "tree.h"
#include "unit.h"

#define MIB (UINT64_C(1) << 20)

static int setup(void **state)
{
	static struct tree tree;

	tree_create(&tree);
	*state = &tree;
	return 0;
}

static int teardown(void **state)
{
	tree_destroy(*state);
	return 0;
}

static uint64_t read_limit(const struct tree *tree)
{
	return memory_limit_of_groups(tree->path);
}

static void is_the_least_of_all_above(void **state)
{
	const struct tree *tree = *state;

	assert_true(read_limit(tree) == UINT64_MAX);
	tree_write(tree, "proc/self/cgroup", "0::/a/b\n");
	assert_true(read_limit(tree) == UINT64_MAX);
	tree_write(tree, "sys/fs/cgroup/a/b/memory.max", "max\n");
	assert_true(read_limit(tree) == UINT64_MAX);
	tree_write(tree, "sys/fs/cgroup/a/memory.max", "268435456\n");
	assert_true(read_limit(tree) == 256 * MIB);
	tree_write(tree, "sys/fs/cgroup/a/b/memory.max", "134217728\n");
	assert_true(read_limit(tree) == 128 * MIB);
	/* In a namespace of control groups the own one looks like the topmost. */
	tree_write(tree, "proc/self/cgroup", "0::/\n");
	assert_true(read_limit(tree) == UINT64_MAX);
	tree_write(tree, "sys/fs/cgroup/memory.max", "67108864\n");
	assert_true(read_limit(tree) == 64 * MIB);
}

static void is_that_of_version_1_if_it_has_memory(void **state)
{
	const struct tree *tree = *state;

	tree_write(tree, "proc/self/cgroup", "7:cpu:/c\n5:memory:/m\n0::/a\n");
	tree_write(tree, "sys/fs/cgroup/a/memory.max", "1\n");
	tree_write(tree, "sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712\n");
	assert_true(read_limit(tree) == UINT64_MAX);
	tree_write(tree, "sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");
	assert_true(read_limit(tree) == 256 * MIB);
}

static void is_chosen(void **state)
{
	const uint64_t machine = 8192 * MIB;

	assert_true(memory_limit_choose(0, UINT64_MAX, machine) == 512 * MIB);
	assert_true(memory_limit_choose(0, UINT64_MAX, 1024 * machine) == 1024 * MIB);
	assert_true(memory_limit_choose(0, 256 * MIB, machine) == 256 * MIB);
	assert_true(memory_limit_choose(0, MIB, machine) == 32 * MIB);
	assert_true(memory_limit_choose(100 * MIB, 256 * MIB, machine) == 100 * MIB);
	assert_true(memory_limit_of_state(100 * MIB, true) == 50 * MIB);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(is_the_least_of_all_above, setup, teardown),
	cmocka_unit_test_setup_teardown(is_that_of_version_1_if_it_has_memory, setup, teardown),
	cmocka_unit_test(is_chosen),
};

UNIT_GROUP(tests);
