/* SPDX-License-Identifier: MIT */
/* The map of muted processes, from which the test removes in the place of programs. */
#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "scap/live/maps.h"
#include "unit.h"

enum { PROCESSES = 4 };

static int map;

static int setup(void **state)
{
	map = bpf_map_create(BPF_MAP_TYPE_HASH, "muted", sizeof(uint32_t), sizeof(uint64_t),
			     PROCESSES, NULL);
	return map < 0 && errno != EPERM;
}

static int teardown(void **state)
{
	if (map >= 0)
		close(map);
	return 0;
}

static uint64_t program_of(uint32_t pid)
{
	uint64_t found;

	assert_int_equal(bpf_map_lookup_elem(map, &pid, &found), 0);
	return found;
}

static void test_steps(void **state)
{
	if (map < 0)
		skip();
	assert_int_equal(live_muted_set(map, 7, 99), -ENOENT);
	assert_int_equal(live_muted_propose(map, 7), 0);
	assert_int_equal(program_of(7), 0);
	assert_int_equal(live_muted_propose(map, 7), -EEXIST);
	assert_int_equal(live_muted_set(map, 7, 99), 0);
	assert_int_equal(program_of(7), 99);
	live_muted_remove(map, 7);
	live_muted_remove(map, 7);
	/* What was removed between the steps is not muted. */
	assert_int_equal(live_muted_set(map, 7, 99), -ENOENT);
}

static void test_full(void **state)
{
	if (map < 0)
		skip();
	for (pid_t pid = 1; pid <= PROCESSES; pid++)
		assert_int_equal(live_muted_propose(map, pid), 0);
	assert_int_equal(live_muted_propose(map, PROCESSES + 1), -E2BIG);
	live_muted_remove(map, 1);
	assert_int_equal(live_muted_propose(map, PROCESSES + 1), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_steps, setup, teardown),
	cmocka_unit_test_setup_teardown(test_full, setup, teardown),
};

UNIT_GROUP(tests);
