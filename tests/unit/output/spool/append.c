/* SPDX-License-Identifier: MIT */
/* Batches that are appended: what is taken, what is refused, and why. */
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "output/spool/spool_impl.h"
#include "patience.h"
#include "spooled.h"
#include "unit.h"

static void appends_batches_of_any_size(void **state)
{
	struct spooled spooled;
	struct spool_stats stats;

	spooled_create(&spooled);
	spooled.config.limit_bytes = 8 << 20;
	spooled.config.level = 1;
	spooled_open(&spooled);
	spooled_append(&spooled, 1);
	spooled_append(&spooled, SPOOLED_RECORDS_MAX);
	spooled_append(&spooled, 3);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.appended, SPOOLED_RECORDS_MAX + 4);
	assert_int_equal(stats.records, SPOOLED_RECORDS_MAX + 4);
	assert_int_equal(stats.oldest_ns, 1000000);
	assert_int_equal(spool_last_number(spooled.spool), SPOOLED_RECORDS_MAX + 4);
	spooled_expect(&spooled, 1, SPOOLED_RECORDS_MAX + 4, false);
	spooled_destroy(&spooled);
}

static void refuses_numbers_that_go_back(void **state)
{
	struct spooled spooled;

	spooled_create(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, 10);
	spooled.number = 5;
	assert_int_equal(spooled_try(&spooled, 1), -EINVAL);
	/* A drop record has the number of the one before it. */
	spooled.number = 9;
	spooled_append(&spooled, 1);
	spooled_destroy(&spooled);
}

static void keeps_trying_after_a_second(void **state)
{
	struct spooled spooled;
	struct spool_stats stats;

	spooled_create(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, 10);
	/* A descriptor that cannot be written stands for a disk that cannot. */
	close(spooled.spool->writer.file);
	spooled.spool->writer.file = open("/dev/full", O_WRONLY);
	assert_int_equal(spooled_try(&spooled, 10), -ENOSPC);
	assert_int_equal(spooled_try(&spooled, 10), -ENOSPC);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.refused[SPOOL_LOST_NO_SPACE], 20);
	assert_int_equal(stats.failed_writes, 1);
	nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
	spooled_append(&spooled, 10);
	spooled_expect(&spooled, 1, 10, false);
	spooled_expect(&spooled, 31, 40, false);
	spooled_destroy(&spooled);
}

static void says_the_cause_of_each_error(void **state)
{
	assert_int_equal(spool_cause(-ENOSPC), SPOOL_LOST_NO_SPACE);
	assert_int_equal(spool_cause(-EDQUOT), SPOOL_LOST_NO_SPACE);
	assert_int_equal(spool_cause(-EIO), SPOOL_LOST_IO);
	assert_int_equal(spool_cause(-EROFS), SPOOL_LOST_IO);
	assert_int_equal(spool_cause(-ENOBUFS), SPOOL_LOST_LIMIT);
}

static void syncs_when_it_is_due(void **state)
{
	struct spooled spooled;

	spooled_create(&spooled);
	spooled.config.sync_ns = 60 * PATIENCE_NS;
	spooled_open(&spooled);
	spooled_append(&spooled, 1);
	spooled_append(&spooled, 1);
	assert_true(spooled.spool->writer.unsynced);
	assert_int_equal(spool_sync(spooled.spool), 0);
	assert_true(spooled.spool->writer.unsynced);
	spooled.spool->writer.synced_ns -= spooled.config.sync_ns;
	assert_int_equal(spool_sync(spooled.spool), 0);
	assert_false(spooled.spool->writer.unsynced);
	/* The state on disk knows it, too. */
	assert_int_equal(spooled.spool->state.slot.appended, 2);
	spooled_destroy(&spooled);
}

/* Numbers that may be sent before they are on disk are reserved there. */
static void reserves_numbers_before_they_are_used(void **state)
{
	struct spooled spooled;

	spooled_create(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, 5);
	assert_true(spooled.spool->state.slot.reserved > 5);
	spooled.number = spooled.spool->state.slot.reserved;
	spooled_append(&spooled, 5);
	assert_true(spooled.spool->state.slot.reserved > spooled.number);
	spooled_destroy(&spooled);
	/* If each batch is synced, none needs to be. */
	spooled_create(&spooled);
	spooled.config.sync_ns = 0;
	spooled_open(&spooled);
	spooled_append(&spooled, 5);
	assert_int_equal(spooled.spool->slot.reserved, 0);
	spooled_destroy(&spooled);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(appends_batches_of_any_size),
	cmocka_unit_test(refuses_numbers_that_go_back),
	cmocka_unit_test(keeps_trying_after_a_second),
	cmocka_unit_test(says_the_cause_of_each_error),
	cmocka_unit_test(syncs_when_it_is_due),
	cmocka_unit_test(reserves_numbers_before_they_are_used),
};

UNIT_GROUP(tests);
