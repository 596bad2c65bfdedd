/* SPDX-License-Identifier: MIT */
/* The state that is stored is that in memory, with all losses that are not reported. */
#include "output/spool/spool_impl.h"
#include "spooled.h"
#include "unit.h"

static void stores_losses_whether_they_are_given_out_or_not(void **state)
{
	const struct spool_slot_loss *stored;
	struct spooled spooled;

	spooled_create(&spooled);
	spooled_open(&spooled);
	spool_losses_add(&spooled.spool->losses, SPOOL_LOST_CORRUPT, 7, 70, 1);
	spool_losses_add(&spooled.spool->given, SPOOL_LOST_CORRUPT, 4, 40, 1);
	spooled.spool->slot.appended = 10;
	assert_int_equal(spool_store_state(spooled.spool, false), 0);
	stored = &spooled.spool->state.slot.losses[SPOOL_LOST_CORRUPT];
	assert_int_equal(stored->from, 4);
	assert_int_equal(stored->to, 7);
	assert_int_equal(stored->count, 2);
	assert_int_equal(stored->first_ns, 40);
	assert_int_equal(stored->last_ns, 70);
	assert_int_equal(spooled.spool->state.slot.appended, 10);
	/* The same again, and not added to what was stored before. */
	assert_int_equal(spool_store_state(spooled.spool, true), 0);
	assert_int_equal(spooled.spool->state.slot.losses[SPOOL_LOST_CORRUPT].count, 2);
	spooled_destroy(&spooled);
}

static void knows_where_segments_end(void **state)
{
	struct spooled spooled;

	spooled_create(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, 10);
	assert_int_equal(spool_segment_last(spooled.spool, 0), 10);
	spooled_close(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, 3);
	assert_int_equal(spool_segment_last(spooled.spool, 0), 10);
	assert_int_equal(spool_segment_last(spooled.spool, 1), 13);
	spooled_destroy(&spooled);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(stores_losses_whether_they_are_given_out_or_not),
	cmocka_unit_test(knows_where_segments_end),
};

UNIT_GROUP(tests);
