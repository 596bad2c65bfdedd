/* SPDX-License-Identifier: MIT */
/* Events that came by io_uring: evt.via and its like, and registered files in place of descriptors.
 */
#include "sinsp/state/fds.h"
#include "unit.h"
#include "world.h"

enum { RING = 3 << SLOT_FD_RING_BITS | 5, SLOT = 12 };

static void make_read(struct drive *world, bool is_uring, int64_t num)
{
	world_begin(world, EVENT_read, 100);
	frame_put_i64(&world->frame, read__res, 0);
	frame_put_i64(&world->frame, read__fd, num);
	if (is_uring)
		world->frame.uring.ring = RING;
	world_end(world);
}

static void test_call(void **state)
{
	struct drive *world = *state;

	make_read(world, false, 3);
	world_set_fd(world, 3, NULL);
	world_expect(world, "evt.is_uring", "false");
	world_expect_none(world, "evt.via");
	world_expect_none(world, "fd.slot");
	world_expect(world, "fd.num", "3");
}

static void test_descriptor(void **state)
{
	struct drive *world = *state;

	make_read(world, true, 3);
	world_set_fd(world, 3, NULL);
	world_expect(world, "evt.is_uring", "true");
	world_expect(world, "evt.via", "io_uring");
	world_expect_json(world, "evt.via", "{\"evt.via\":\"io_uring\"}");
	world_expect(world, "evt.arg.fd", "3");
	world_expect(world, "fd.num", "3");
	world_expect_none(world, "fd.slot");
}

/* Programs have no number of a descriptor; filters have one that no descriptor has. */
static void test_registered_file(void **state)
{
	const int64_t num = slot_fd_of(RING, SLOT);
	struct drive *world = *state;
	struct state_fd *fd;

	assert_true(num == (1 << 30) + (5 << 20) + SLOT);
	make_read(world, true, num);
	fd = world_fd(world->event.thread, num, SCAP_FD_FILE, "/etc/shadow");
	world_set_fd(world, num, fd);
	world_expect(world, "fd.slot", "12");
	world_expect_json(world, "fd.slot", "{\"fd.slot\":12}");
	world_expect(world, "fd.name", "/etc/shadow");
	world_expect(world, "fd.num", "1078984716");
	world_expect_json(world, "fd.num", "{}");
	world_expect(world, "evt.args", "res=0 data=NULL fd=uring[12](<f>/etc/shadow) size=<NA>");
	world_expect(world, "evt.rawarg.fd", "1078984716");
}

/* The ends of the numbers that stand for slots. */
static void test_numbers(void **state)
{
	static const uint32_t slots[] = {0, 1, (1 << SLOT_FD_SLOT_BITS) - 1};

	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++)
		for (uint64_t ring = 0; ring < 1025; ring += 511) {
			assert_true(is_slot_fd(slot_fd_of(ring, slots[i])));
			assert_int_equal(slot_of_fd(slot_fd_of(ring, slots[i])), slots[i]);
		}
	assert_false(is_slot_fd((1 << 30) - 1));
	assert_false(is_slot_fd(-1));
	assert_false(is_slot_fd(INT64_C(1) << 31));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_call, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_descriptor, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_registered_file, world_setup, world_teardown),
	cmocka_unit_test(test_numbers),
};

UNIT_GROUP(tests);
