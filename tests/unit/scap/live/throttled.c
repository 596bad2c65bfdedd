/* SPDX-License-Identifier: MIT */
/* Who was over a limit, from a map of the kernel that the test fills. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "scap/live/maps.h"
#include "unit.h"

enum { ENTRIES = 1000, LIST_MAX = 3 };

static int map;

static int setup(void **state)
{
	map = bpf_map_create(BPF_MAP_TYPE_LRU_HASH, "rates", sizeof(struct rate_key),
			     sizeof(struct rate), 4 * ENTRIES, NULL);
	return map < 0 && errno != EPERM;
}

static int teardown(void **state)
{
	if (map >= 0)
		close(map);
	return 0;
}

static void put(uint64_t id, enum rate_kind kind, uint64_t lost)
{
	const struct rate_key key = {.id = id, .kind = kind};
	struct rate rate = {.used = 7, .lost = lost, .pid = id + 1};

	snprintf(rate.name, sizeof(rate.name), "name%d", (int)id);
	assert_int_equal(bpf_map_update_elem(map, &key, &rate, BPF_ANY), 0);
}

static void expect(const struct scap_live_throttled *one, enum rate_kind kind, int id,
		   uint64_t lost)
{
	char name[16];

	snprintf(name, sizeof(name), "name%d", id);
	assert_int_equal(one->kind, kind);
	assert_int_equal(one->pid, id + 1);
	assert_string_equal(one->name, name);
	assert_true(one->lost == lost);
}

static void test_none(void **state)
{
	struct scap_live_throttled list[LIST_MAX];

	assert_int_equal(live_throttled_read(-1, list, 0, LIST_MAX), 0);
	if (map < 0)
		skip();
	assert_int_equal(live_throttled_read(map, list, 0, LIST_MAX), 0);
	/* Within its limit. */
	put(1, RATE_OF_PROCESS, 0);
	assert_int_equal(live_throttled_read(map, list, 0, LIST_MAX), 0);
}

static void test_largest_first(void **state)
{
	struct scap_live_throttled list[LIST_MAX];

	if (map < 0)
		skip();
	put(1, RATE_OF_PROCESS, 10);
	put(1, RATE_OF_CGROUP, 30);
	assert_int_equal(live_throttled_read(map, list, 0, LIST_MAX), 2);
	expect(&list[0], RATE_OF_CGROUP, 1, 30);
	expect(&list[1], RATE_OF_PROCESS, 1, 10);
	for (unsigned int id = 2; id < ENTRIES; id++)
		put(id, RATE_OF_PROCESS, 100 + (id * 7) % ENTRIES);
	assert_int_equal(live_throttled_read(map, list, 0, LIST_MAX), LIST_MAX);
	for (int i = 0; i < LIST_MAX; i++)
		assert_true(list[i].lost == 100 + ENTRIES - 1 - (uint64_t)i);
	assert_int_equal(live_throttled_read(map, list, 0, 1), 1);
	assert_true(list[0].lost == 100 + ENTRIES - 1);
	/* In a list of another map. */
	list[0] = (struct scap_live_throttled){.lost = 100 + ENTRIES};
	assert_int_equal(live_throttled_read(map, list, 1, 2), 2);
	assert_true(list[0].lost == 100 + ENTRIES && list[1].lost == 100 + ENTRIES - 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_none, setup, teardown),
	cmocka_unit_test_setup_teardown(test_largest_first, setup, teardown),
};

UNIT_GROUP(tests);
