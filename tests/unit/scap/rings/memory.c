/* SPDX-License-Identifier: MIT */
/* The memory of ring buffers and slots on machines of all sizes. */
#include "abi.h"
#include "scap/rings/memory.h"
#include "unit.h"

#define GIB (1ULL << 30)
#define MIB (1U << 20)

static struct scap_memory divide(uint32_t cpus, uint64_t machine, uint64_t all)
{
	const struct scap_hardware hardware = {.cpus = cpus, .online = cpus, .bytes = machine};

	return scap_memory_divide(&hardware, all);
}

static uint64_t slots_bytes(uint32_t cpus)
{
	return (uint64_t)cpus * SCRATCH_SLOTS_PER_CPU * sizeof(struct scratch_slot);
}

static void test_sizes(void **state)
{
	static const struct {
		uint32_t cpus;
		uint64_t machine, all;
		uint32_t ring;
	} rows[] = {
		{1, 4 * GIB, 0, 4 * MIB},	{2, 4 * GIB, 0, 4 * MIB},
		{8, 64 * GIB, 0, 2 * MIB},	{16, 64 * GIB, 0, MIB},
		{64, 256 * GIB, 0, MIB / 8},	{2, GIB / 2, 0, 2 * MIB},
		{2, GIB / 8, 0, MIB / 2},	{4096, 4096 * GIB, 0, MIB / 8},
		{128, 512 * GIB, GIB, 2 * MIB}, {2, 4 * GIB, 2 * MIB, MIB / 8},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(divide(rows[i].cpus, rows[i].machine, rows[i].all).ring_bytes,
				 rows[i].ring);
}

/*
 * At the start all buffers take at most what they may, and leave as much as the rings take for
 * those that grow; a ring is a power of two, and more CPUs have no larger ones.
 */
static void test_bounds(void **state)
{
	for (uint64_t machine = GIB / 4; machine <= 1024 * GIB; machine *= 2) {
		uint32_t last = SCAP_RING_BYTES;

		for (uint32_t cpus = 1; cpus <= 8192; cpus += UNIT_STEP) {
			struct scap_memory memory = divide(cpus, machine, 0);
			uint64_t rings = (uint64_t)memory.ring_bytes * cpus;

			assert_int_equal(memory.ring_bytes & (memory.ring_bytes - 1), 0);
			assert_in_range(memory.ring_bytes, SCAP_RING_BYTES_MIN, last);
			if (memory.rings_bytes) {
				uint64_t all = memory.rings_bytes + slots_bytes(cpus);

				assert_true(all <= SCAP_BUFFERS_BYTES);
				assert_true(all <= machine / SCAP_BUFFERS_SHARE);
			}
			if (memory.ring_bytes > SCAP_RING_BYTES_MIN)
				assert_true(2 * rings <= memory.rings_bytes);
			last = memory.ring_bytes;
		}
	}
}

/* A CPU that is not online has slots, and no ring. */
static void test_offline(void **state)
{
	const struct scap_hardware half = {.cpus = 64, .online = 2, .bytes = 64 * GIB};
	struct scap_memory memory = scap_memory_divide(&half, 0);

	assert_int_equal(memory.rings_bytes, SCAP_BUFFERS_BYTES - slots_bytes(64));
	assert_int_equal(memory.ring_bytes, 4 * MIB);
}

/* The larger ring has room beside the one that it replaces. */
static void test_grown(void **state)
{
	assert_int_equal(scap_ring_grown(MIB, 2 * MIB, 4 * MIB), 2 * MIB);
	assert_int_equal(scap_ring_grown(MIB, 2 * MIB, 4 * MIB - 1), 0);
	assert_int_equal(scap_ring_grown(MIB, 2 * MIB, 0), 0);
	assert_int_equal(scap_ring_grown(SCAP_RING_BYTES_MAX, 2 * MIB, GIB), 0);
}

/* All that rings may have, as a power of two, up to a limit. */
static void test_at_once(void **state)
{
	struct scap_hardware machine = {.cpus = 2, .online = 2, .bytes = 64 * GIB};
	struct scap_memory memory = scap_memory_divide_at_once(&machine, 0);

	assert_int_equal(memory.ring_bytes, 16 * MIB);
	assert_int_equal(memory.rings_bytes, 0);
	assert_int_equal(scap_memory_divide_at_once(&machine, GIB).ring_bytes,
			 SCAP_RING_BYTES_AT_ONCE);
	machine.online = machine.cpus = 8;
	assert_int_equal(scap_memory_divide_at_once(&machine, 0).ring_bytes, 4 * MIB);
	machine.online = machine.cpus = 4096;
	assert_int_equal(scap_memory_divide_at_once(&machine, 0).ring_bytes, SCAP_RING_BYTES_MIN);
}

/* All of it in equal parts, each a power of two. */
static void test_flight(void **state)
{
	struct scap_hardware machine = {.cpus = 4, .online = 2, .bytes = 64 * GIB};

	assert_int_equal(scap_memory_flight(&machine, 0, MIB), 32 * MIB);
	assert_int_equal(scap_memory_flight(&machine, 64 * MIB, MIB), 32 * MIB);
	assert_int_equal(scap_memory_flight(&machine, 64 * MIB - 1, MIB), 16 * MIB);
	assert_int_equal(scap_memory_flight(&machine, 1, MIB), MIB);
	assert_int_equal(scap_memory_flight(&machine, 64 * GIB, MIB), SCAP_FLIGHT_BYTES_MAX);
	machine.bytes = GIB;
	assert_int_equal(scap_memory_flight(&machine, 0, MIB), 16 * MIB);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sizes),	cmocka_unit_test(test_bounds),
	cmocka_unit_test(test_offline), cmocka_unit_test(test_grown),
	cmocka_unit_test(test_at_once), cmocka_unit_test(test_flight),
};

UNIT_GROUP(tests);
