/* SPDX-License-Identifier: MIT */
/* Accounts of captures that followed each other: every counter, and nothing that is so now. */
#include <string.h>

#include "scap/live/live.h"
#include "unit.h"

static void test_every_counter_is_added(void **state)
{
	static struct scap_live_stats past, stats, wanted;

	memset(&past, 1, sizeof(past));
	memset(&stats, 1, sizeof(stats));
	memset(&wanted, 2, sizeof(wanted));
	wanted.ring_bytes = stats.ring_bytes;
	wanted.ring_bytes_max = stats.ring_bytes_max;
	wanted.backward_bytes = stats.backward_bytes;
	wanted.cpus = stats.cpus;
	scap_live_stats_add(&stats, &past);
	/* The last member has padding after it, which the sums leave alone. */
	assert_memory_equal(&stats, &wanted,
			    offsetof(struct scap_live_stats, cpus) + sizeof(stats.cpus));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_counter_is_added),
};

UNIT_GROUP(tests);
