/* SPDX-License-Identifier: MIT */
/* The memory of the ring buffers on machines of all sizes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "scap/live/memory.h"

#define GIB (1ULL << 30)
#define MIB (1U << 20)

static void test_sizes(void **state)
{
	static const struct {
		uint32_t cpus;
		uint64_t machine;
		uint32_t ring;
	} rows[] = {
		{1, 4 * GIB, 4 * MIB},	    {2, 4 * GIB, 4 * MIB},     {32, 64 * GIB, 4 * MIB},
		{33, 64 * GIB, 2 * MIB},    {64, 256 * GIB, 2 * MIB},  {128, 512 * GIB, MIB},
		{256, 1024 * GIB, MIB / 2}, {8, GIB / 2, 2 * MIB},     {2, GIB / 8, 2 * MIB},
		{4096, 4096 * GIB, MIB / 8}, {64, GIB / 4, MIB / 8},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(scap_ring_bytes(rows[i].cpus, rows[i].machine), rows[i].ring);
}

/* All together stay below the bounds, a ring is a power of two, and more CPUs have no larger ones. */
static void test_bounds(void **state)
{
	for (uint64_t machine = GIB / 4; machine <= 1024 * GIB; machine *= 2) {
		uint32_t last = SCAP_RING_BYTES;

		for (uint32_t cpus = 1; cpus <= 8192; cpus++) {
			uint32_t ring = scap_ring_bytes(cpus, machine);

			assert_int_equal(ring & (ring - 1), 0);
			assert_in_range(ring, SCAP_RING_BYTES_MIN, last);
			if (ring > SCAP_RING_BYTES_MIN) {
				assert_true((uint64_t)ring * cpus <= SCAP_RINGS_BYTES);
				assert_true((uint64_t)ring * cpus <= machine / SCAP_RINGS_SHARE);
			}
			last = ring;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
