/* SPDX-License-Identifier: MIT */
/* What was attempted is marked, what is acknowledged is never read again. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/spool_impl.h"
#include "spooled.h"
#include "unit.h"

static void create(struct spooled *spooled, uint64_t batches)
{
	spooled_create(spooled);
	spooled_open(spooled);
	for (uint64_t i = 0; i < batches; i++)
		spooled_append(spooled, 10);
}

static void reopen(struct spooled *spooled)
{
	spooled_close(spooled);
	spooled_open(spooled);
}

static void never_reads_again_what_is_acknowledged(void **state)
{
	struct spooled spooled;
	struct spool_stats stats;

	create(&spooled, 4);
	spooled_expect(&spooled, 1, 20, false);
	assert_int_equal(spool_attempt(spooled.spool, 20, NULL), 0);
	assert_int_equal(spool_acknowledge(spooled.spool, 10, NULL), 0);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.acknowledged, 10);
	assert_int_equal(stats.records, 30);
	reopen(&spooled);
	spooled_expect(&spooled, 11, 20, true);
	spooled_expect(&spooled, 21, 40, false);
	/* In the middle of a batch, */
	assert_int_equal(spool_acknowledge(spooled.spool, 33, NULL), 0);
	/* and never back. */
	assert_int_equal(spool_acknowledge(spooled.spool, 12, NULL), 0);
	reopen(&spooled);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.records, 7);
	spooled_expect(&spooled, 34, 40, false);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.redelivered, 0);
	assert_int_equal(stats.oldest_ns, 34000000);
	spooled_destroy(&spooled);
}

/* One that was read before the last batch. */
static void acknowledges_an_earlier_batch(void **state)
{
	struct spooled spooled;
	struct spool_stats stats;

	create(&spooled, 3);
	spooled_expect(&spooled, 1, 20, false);
	assert_int_equal(spool_acknowledge_record(spooled.spool, 5, 5, 6000000, NULL), 0);
	assert_int_equal(spooled.spool->slot.acknowledged_number, 5);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.oldest_ns, 6000000);
	assert_int_equal(spool_acknowledge_record(spooled.spool, 21, 21, 0, NULL), -EINVAL);
	spooled_destroy(&spooled);
}

/* That losses were said before is known after a kill, and that they were not. */
static void knows_whether_losses_were_said(void **state)
{
	const struct spool_loss loss = {.from = 1, .to = 2, .count = 2};
	struct spooled spooled;
	struct error err;
	bool redelivered;

	create(&spooled, 0);
	spool_lose(spooled.spool, SPOOL_LOST_IO, &loss);
	reopen(&spooled);
	assert_non_null(spool_lost(spooled.spool, &redelivered));
	assert_false(redelivered);
	assert_int_equal(spool_attempt_lost(spooled.spool, &err), 0);
	reopen(&spooled);
	assert_non_null(spool_lost(spooled.spool, &redelivered));
	assert_true(redelivered);
	assert_int_equal(spool_lost_reported(spooled.spool, &err), 0);
	reopen(&spooled);
	assert_null(spool_lost(spooled.spool, &redelivered));
	spooled_destroy(&spooled);
}

static void marks_what_was_attempted_and_nothing_else(void **state)
{
	struct spool_batch batch;
	struct spooled spooled;

	create(&spooled, 2);
	spooled_expect(&spooled, 1, 20, false);
	assert_int_equal(spool_attempt(spooled.spool, 14, NULL), 0);
	assert_int_equal(spool_attempt(spooled.spool, 3, NULL), 0);
	reopen(&spooled);
	spooled_expect(&spooled, 1, 10, true);
	assert_true(spooled_read(&spooled, &batch));
	for (size_t i = 0; i < batch.count; i++)
		assert_int_equal(batch.records[i].flags, i < 4 ? RECORD_REDELIVERED : 0);
	spooled_destroy(&spooled);
}

/* What cannot have arrived is not marked: neither records nor what is said of losses. */
static void forgets_an_attempt_that_is_withdrawn(void **state)
{
	const struct spool_loss loss = {.from = 21, .to = 22, .count = 2};
	struct spool_batch batch;
	struct spooled spooled;
	bool redelivered;

	create(&spooled, 2);
	spooled_expect(&spooled, 1, 20, false);
	assert_int_equal(spool_attempt(spooled.spool, 4, NULL), 0);
	assert_int_equal(spool_attempt(spooled.spool, 14, NULL), 0);
	spool_withdraw(spooled.spool);
	/* Nothing is changed by the same attempt, nor by its end. */
	assert_int_equal(spool_attempt(spooled.spool, 4, NULL), 0);
	spool_withdraw(spooled.spool);
	spool_lose(spooled.spool, SPOOL_LOST_IO, &loss);
	assert_int_equal(spool_attempt_lost(spooled.spool, NULL), 0);
	spool_withdraw(spooled.spool);
	reopen(&spooled);
	assert_true(spooled_read(&spooled, &batch));
	for (size_t i = 0; i < batch.count; i++)
		assert_int_equal(batch.records[i].flags, i < 4 ? RECORD_REDELIVERED : 0);
	assert_false(batch.lost_redelivered);
	assert_int_equal(spool_attempt_lost(spooled.spool, NULL), 0);
	assert_int_equal(spool_attempt_lost(spooled.spool, NULL), 0);
	spool_withdraw(spooled.spool);
	reopen(&spooled);
	assert_non_null(spool_lost(spooled.spool, &redelivered));
	assert_true(redelivered);
	spooled_destroy(&spooled);
}

static void knows_the_age_of_what_is_left(void **state)
{
	struct spool_batch batch;
	struct spool_stats stats;
	struct spooled spooled;

	create(&spooled, 2);
	assert_true(spooled_read(&spooled, &batch));
	assert_int_equal(spool_acknowledge(spooled.spool, 4, NULL), 0);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.oldest_ns, 5000000);
	spooled_acknowledge(&spooled, &batch);
	assert_true(spooled_read(&spooled, &batch));
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.oldest_ns, 11000000);
	spooled_acknowledge(&spooled, &batch);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.oldest_ns, 0);
	assert_int_equal(stats.records, 0);
	spooled_append(&spooled, 1);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.oldest_ns, 21000000);
	spooled_destroy(&spooled);
}

static void takes_no_acknowledgement_of_what_was_not_read(void **state)
{
	struct spooled spooled;
	struct error err;

	create(&spooled, 2);
	spooled_expect(&spooled, 1, 10, false);
	assert_int_equal(spool_acknowledge(spooled.spool, 11, &err), -EINVAL);
	assert_non_null(strstr(err.text, "record 11"));
	spooled_destroy(&spooled);
}

/* Nothing may be sent that the next run would send again without a mark. */
static void fails_if_an_attempt_cannot_be_stored(void **state)
{
	struct spooled spooled;
	struct spool_stats stats;
	struct error err;
	int file, full = open("/dev/full", O_RDWR);

	create(&spooled, 2);
	spooled_expect(&spooled, 1, 20, false);
	file = spooled.spool->state.fd;
	spooled.spool->state.fd = full;
	assert_int_equal(spool_attempt(spooled.spool, 10, &err), -ENOSPC);
	assert_non_null(strstr(err.text, spooled.path));
	/* It fails again, and is not taken as done. */
	assert_int_equal(spool_attempt(spooled.spool, 10, &err), -ENOSPC);
	assert_int_equal(spool_acknowledge(spooled.spool, 10, &err), -ENOSPC);
	spooled.spool->state.fd = file;
	assert_int_equal(spool_attempt(spooled.spool, 10, &err), 0);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.failed_stores, 3);
	close(full);
	reopen(&spooled);
	spooled_expect(&spooled, 11, 20, false);
	spooled_destroy(&spooled);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(never_reads_again_what_is_acknowledged),
	cmocka_unit_test(acknowledges_an_earlier_batch),
	cmocka_unit_test(knows_whether_losses_were_said),
	cmocka_unit_test(marks_what_was_attempted_and_nothing_else),
	cmocka_unit_test(forgets_an_attempt_that_is_withdrawn),
	cmocka_unit_test(knows_the_age_of_what_is_left),
	cmocka_unit_test(takes_no_acknowledgement_of_what_was_not_read),
	cmocka_unit_test(fails_if_an_attempt_cannot_be_stored),
};

UNIT_GROUP(tests);
