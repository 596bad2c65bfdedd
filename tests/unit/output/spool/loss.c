/* SPDX-License-Identifier: MIT */
/* Sums of losses: ranges, times, types. */
#include <stdlib.h>

#include "output/spool/spool.h"
#include "unit.h"

static void widens_a_range(void **state)
{
	struct spool_loss loss = {0};

	spool_loss_merge(&loss, &(struct spool_loss){.from = 9, .to = 9});
	assert_int_equal(loss.from, 0);
	spool_loss_merge(&loss, &(struct spool_loss){10, 20, 11, 100, 200});
	spool_loss_merge(&loss, &(struct spool_loss){5, 15, 2, 150, 300});
	assert_int_equal(loss.from, 5);
	assert_int_equal(loss.to, 20);
	assert_int_equal(loss.count, 13);
	assert_int_equal(loss.first_ns, 100);
	assert_int_equal(loss.last_ns, 300);
}

static void keeps_times_that_are_known(void **state)
{
	struct spool_loss loss = {1, 1, 1, 0, 0};

	spool_loss_merge(&loss, &(struct spool_loss){2, 2, 1, 7, 8});
	spool_loss_merge(&loss, &(struct spool_loss){3, 3, 1, 0, 0});
	assert_int_equal(loss.first_ns, 7);
	assert_int_equal(loss.last_ns, 8);
}

static void counts_types_by_cause(void **state)
{
	struct spool_losses *a = calloc(1, sizeof(*a)), *b = calloc(1, sizeof(*b));

	assert_false(spool_losses_any(a));
	spool_losses_add(a, SPOOL_LOST_LIMIT, 3, 30, 7);
	spool_losses_add(b, SPOOL_LOST_LIMIT, 2, 20, 7);
	spool_losses_add(b, SPOOL_LOST_CORRUPT, 4, 40, 8);
	/* A type that no event has, as of a file that is corrupt. */
	spool_losses_add(b, SPOOL_LOST_CORRUPT, 5, 50, 65535);
	spool_losses_merge(a, b);
	assert_true(spool_losses_any(a));
	assert_int_equal(a->causes[SPOOL_LOST_LIMIT].count, 2);
	assert_int_equal(a->causes[SPOOL_LOST_LIMIT].from, 2);
	assert_int_equal(a->causes[SPOOL_LOST_LIMIT].to, 3);
	assert_int_equal(a->events[SPOOL_LOST_LIMIT][7], 2);
	assert_int_equal(a->causes[SPOOL_LOST_CORRUPT].count, 2);
	assert_int_equal(a->events[SPOOL_LOST_CORRUPT][8], 1);
	assert_int_equal(a->events[SPOOL_LOST_CORRUPT][7], 0);
	free(a);
	free(b);
}

static void has_a_text_for_each_cause(void **state)
{
	for (unsigned int cause = 0; cause < SPOOL_CAUSES; cause++)
		assert_non_null(spool_cause_texts[cause]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(widens_a_range),
	cmocka_unit_test(keeps_times_that_are_known),
	cmocka_unit_test(counts_types_by_cause),
	cmocka_unit_test(has_a_text_for_each_cause),
};

UNIT_GROUP(tests);
