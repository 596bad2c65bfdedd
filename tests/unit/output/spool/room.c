/* SPDX-License-Identifier: MIT */
/* The limit of a spool: what goes, what is said of it, and what stays. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/spool_impl.h"
#include "spooled.h"
#include "unit.h"

enum { SEGMENT = 32768, LIMIT = SPOOL_LIMIT_MIN, EACH = 20 };

static void create(struct spooled *spooled, enum spool_when_full when_full)
{
	spooled_create(spooled);
	spooled->config.limit_bytes = LIMIT;
	spooled->config.segment_bytes = SEGMENT;
	spooled->config.when_full = when_full;
	spooled_open(spooled);
}

static uint64_t bytes(const struct spooled *spooled)
{
	struct spool_stats stats;

	spool_stats(spooled->spool, &stats);
	assert_true(stats.bytes <= LIMIT);
	return stats.bytes;
}

static uint64_t lost(const struct spooled *spooled, enum spool_cause cause)
{
	struct spool_stats stats;

	spool_stats(spooled->spool, &stats);
	return stats.lost[cause];
}

static uint64_t refused(const struct spooled *spooled, enum spool_cause cause)
{
	struct spool_stats stats;

	spool_stats(spooled->spool, &stats);
	return stats.refused[cause];
}

static void removes_what_is_acknowledged(void **state)
{
	struct spooled spooled;
	struct spool_stats stats;

	create(&spooled, SPOOL_DROP_NEWEST);
	for (int i = 0; i < 300; i++) {
		spooled_append(&spooled, EACH);
		if (i % 10 == 9)
			assert_int_equal(spooled_drain(&spooled), 10 * EACH);
		bytes(&spooled);
	}
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.segments, 1);
	spooled_destroy(&spooled);
}

static void refuses_new_records_at_the_limit(void **state)
{
	struct spooled spooled;
	uint64_t taken = 0;

	create(&spooled, SPOOL_DROP_NEWEST);
	while (spooled_try(&spooled, EACH) == 0)
		taken = spooled.number;
	assert_true(bytes(&spooled) > LIMIT - 3 * SPOOL_BLOCK_BYTES);
	assert_int_equal(spooled_try(&spooled, EACH), -ENOBUFS);
	/* The caller counts what is refused. */
	assert_int_equal(lost(&spooled, SPOOL_LOST_LIMIT), 0);
	assert_int_equal(refused(&spooled, SPOOL_LOST_LIMIT), 2 * EACH);
	/* It goes on as soon as there is room, without a pause. */
	assert_int_equal(spooled_drain(&spooled), taken);
	spooled_append(&spooled, EACH);
	spooled_expect(&spooled, taken + 2 * EACH + 1, taken + 3 * EACH, false);
	spooled_destroy(&spooled);
}

static void drops_the_oldest_and_says_what(void **state)
{
	struct spooled spooled;
	struct spool_batch batch;
	const struct spool_loss *loss;
	uint64_t of_type = 0;

	create(&spooled, SPOOL_DROP_OLDEST);
	for (int i = 0; i < 300; i++) {
		spooled_append(&spooled, EACH);
		bytes(&spooled);
	}
	assert_true(spooled_read(&spooled, &batch));
	assert_non_null(batch.lost);
	loss = &batch.lost->causes[SPOOL_LOST_LIMIT];
	assert_int_equal(loss->from, 1);
	assert_int_equal(loss->to, batch.records[0].number - 1);
	assert_int_equal(loss->count, loss->to);
	assert_int_equal(loss->first_ns, 1000000);
	assert_int_equal(loss->last_ns, 1000000 * loss->to);
	assert_int_equal(lost(&spooled, SPOOL_LOST_LIMIT), loss->count);
	for (uint64_t number = 1; number <= loss->to; number++)
		of_type += number % 10 == 3;
	assert_int_equal(batch.lost->events[SPOOL_LOST_LIMIT][3], of_type);
	assert_int_equal(spool_lost_reported(spooled.spool, NULL), 0);
	spooled_expect(&spooled, batch.records[batch.count - 1].number + 1, spooled.number, false);
	assert_int_equal(lost(&spooled, SPOOL_LOST_CORRUPT), 0);
	spooled_destroy(&spooled);
}

/* What the reader has is not lost, even if its file is gone. */
static void counts_nothing_that_is_delivered(void **state)
{
	struct spooled spooled;
	struct spool_batch batch;
	uint64_t delivered = 0, reported = 0;

	create(&spooled, SPOOL_DROP_OLDEST);
	for (int i = 0; i < 1000; i++) {
		spooled_append(&spooled, EACH);
		if (i % 3)
			continue;
		assert_true(spooled_read(&spooled, &batch));
		if (batch.lost)
			reported += batch.lost->causes[SPOOL_LOST_LIMIT].count;
		spool_lost_reported(spooled.spool, NULL);
		/* The files of what it has go while it has them. */
		for (int more = 0; more < 3 * (i % 20 == 0); more++)
			spooled_append(&spooled, 10 * EACH);
		delivered += batch.count;
		spooled_acknowledge(&spooled, &batch);
	}
	while (spooled_read(&spooled, &batch)) {
		if (batch.lost)
			reported += batch.lost->causes[SPOOL_LOST_LIMIT].count;
		spool_lost_reported(spooled.spool, NULL);
		delivered += batch.count;
	}
	assert_true(reported > 0);
	assert_int_equal(delivered + reported, spooled.number);
	assert_int_equal(lost(&spooled, SPOOL_LOST_LIMIT), reported);
	assert_int_equal(lost(&spooled, SPOOL_LOST_CORRUPT), 0);
	spooled_destroy(&spooled);
}

/*
 * A drop record said how many were missing behind it: if it is dropped, they are said with the
 * records that are, and only these are counted.
 */
static void counts_what_a_dropped_drop_record_stood_for(void **state)
{
	struct spooled spooled;
	struct spool_batch batch;
	struct spool_stats stats;
	uint64_t missing = 0, drops[300 / 7 + 1], records;
	size_t n = 0;

	create(&spooled, SPOOL_DROP_OLDEST);
	for (int i = 0; i < 300; i++) {
		spooled_append(&spooled, EACH);
		if (i % 7 == 0) {
			struct output_record drop = {.bytes = "drop",
						     .len = 4,
						     .number = spooled.number,
						     .flags = RECORD_IS_DROP};

			assert_int_equal(spool_append(spooled.spool, &drop, 1, NULL), 0);
			spooled.number += 100;
			spool_stats(spooled.spool, &stats);
			drops[n++] = stats.last;
		}
	}
	assert_true(spooled_read(&spooled, &batch));
	missing = batch.records[0].number;
	missing -= batch.records[0].flags & RECORD_IS_DROP ? 0 : 1;
	assert_int_equal(batch.lost->causes[SPOOL_LOST_LIMIT].count, missing);
	records = batch.first - 1;
	while (n)
		records -= drops[--n] < batch.first;
	assert_int_equal(lost(&spooled, SPOOL_LOST_LIMIT), records);
	spooled_destroy(&spooled);
}

/* Drop records of earlier runs, which count as a backlog, are no losses. */
static void counts_old_drop_records_apart(void **state)
{
	struct output_record drop = {.bytes = "drop", .len = 4, .flags = RECORD_IS_DROP};
	struct spooled spooled;
	struct spool_stats stats;

	create(&spooled, SPOOL_DROP_OLDEST);
	assert_int_equal(spool_append(spooled.spool, &drop, 1, NULL), 0);
	spooled_append(&spooled, EACH);
	spooled_close(&spooled);
	spooled_open(&spooled);
	for (int i = 0; i < 300; i++)
		spooled_append(&spooled, EACH);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.lost_old_drops, 1);
	assert_int_equal(stats.lost[SPOOL_LOST_LIMIT] + 1 + stats.records, stats.last);
	spooled_destroy(&spooled);
}

/* Read, and not delivered when the run ends: in memory alone since its file went. */
static void counts_what_is_left_without_a_file(void **state)
{
	struct spooled spooled;
	struct spool_batch batch;

	create(&spooled, SPOOL_DROP_OLDEST);
	spooled_append(&spooled, EACH);
	assert_true(spooled_read(&spooled, &batch));
	spool_leave(spooled.spool, batch.first, batch.records, batch.count);
	assert_int_equal(lost(&spooled, SPOOL_LOST_LIMIT), 0);
	while (spooled.spool->segments.items[0].first == 1)
		spooled_append(&spooled, EACH);
	assert_int_equal(lost(&spooled, SPOOL_LOST_LIMIT),
			 spooled.spool->segments.items[0].first - 1 - EACH);
	spool_leave(spooled.spool, batch.first, batch.records, batch.count);
	assert_int_equal(lost(&spooled, SPOOL_LOST_LIMIT),
			 spooled.spool->segments.items[0].first - 1);
	spooled_close(&spooled);
	spooled_open(&spooled);
	assert_true(spooled_read(&spooled, &batch));
	assert_int_equal(batch.lost->causes[SPOOL_LOST_LIMIT].from, 1);
	assert_int_equal(lost(&spooled, SPOOL_LOST_CORRUPT), 0);
	spooled_destroy(&spooled);
}

/* So is what was read behind it, and what its frame has behind a record that is corrupt. */
static void counts_all_that_was_read(void **state)
{
	struct spooled spooled;
	struct spool_batch batch;
	char path[TREE_PATH_BYTES];
	uint64_t offset = sizeof(struct spool_segment_header) + sizeof(struct spool_frame_header) +
			  EACH * sizeof(struct spool_entry);

	for (int taken = 0; taken < 3; taken++) {
		create(&spooled, SPOOL_DROP_OLDEST);
		spooled_append(&spooled, EACH);
		spooled_append(&spooled, EACH);
		if (taken == 2) {
			spooled_segment(&spooled, 1, path);
			spooled_flip(path, offset + 3);
		} else {
			assert_true(spooled_read(&spooled, &batch));
			assert_int_equal(batch.first, 1);
		}
		assert_true(spooled_read(&spooled, &batch));
		while (spooled.spool->segments.items[0].first == 1)
			spooled_append(&spooled, EACH);
		if (taken == 1)
			spool_leave(spooled.spool, batch.first, batch.records, batch.count);
		else
			spool_leave(spooled.spool, 0, NULL, 0);
		/* Of the first batch the caller said that it was delivered, or lost with it. */
		assert_int_equal(lost(&spooled, SPOOL_LOST_LIMIT) +
					 lost(&spooled, SPOOL_LOST_CORRUPT) +
					 (taken < 2 ? EACH : 0),
				 spooled.spool->segments.items[0].first - 1);
		spooled_destroy(&spooled);
	}
}

/* Those that were read, and whose file went, were counted by who read them. */
static void counts_old_drop_records_once(void **state)
{
	struct output_record drop = {.bytes = "drop", .len = 4, .flags = RECORD_IS_DROP};
	struct spool_stats before, after;
	struct spooled spooled;
	struct spool_batch batch;

	create(&spooled, SPOOL_DROP_OLDEST);
	assert_int_equal(spool_append(spooled.spool, &drop, 1, NULL), 0);
	spooled_close(&spooled);
	spooled_open(&spooled);
	assert_true(spooled_read(&spooled, &batch));
	while (spooled.spool->segments.items[0].first == 1)
		spooled_append(&spooled, EACH);
	spool_stats(spooled.spool, &before);
	spool_leave(spooled.spool, batch.first, batch.records, batch.count);
	spool_stats(spooled.spool, &after);
	assert_int_equal(after.lost_old_drops, before.lost_old_drops);
	assert_int_equal(after.lost[SPOOL_LOST_LIMIT], before.lost[SPOOL_LOST_LIMIT]);
	spooled_destroy(&spooled);
}

static void refuses_a_batch_that_never_fits(void **state)
{
	struct spooled spooled;

	create(&spooled, SPOOL_DROP_OLDEST);
	assert_int_equal(spooled_try(&spooled, SPOOLED_RECORDS_MAX), -ENOBUFS);
	spooled_append(&spooled, EACH);
	spooled_destroy(&spooled);
}

static void says_after_a_restart_what_was_dropped(void **state)
{
	struct spooled spooled;
	struct spool_batch batch;
	const struct spool_loss *loss;

	create(&spooled, SPOOL_DROP_OLDEST);
	for (int i = 0; i < 300; i++)
		spooled_append(&spooled, EACH);
	spooled_close(&spooled);
	spooled_open(&spooled);
	assert_true(spooled_read(&spooled, &batch));
	loss = &batch.lost->causes[SPOOL_LOST_LIMIT];
	assert_int_equal(loss->to, batch.records[0].number - 1);
	assert_int_equal(loss->count, loss->to);
	assert_int_equal(batch.lost->causes[SPOOL_LOST_CORRUPT].count, 0);
	spooled_destroy(&spooled);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(removes_what_is_acknowledged),
	cmocka_unit_test(refuses_new_records_at_the_limit),
	cmocka_unit_test(drops_the_oldest_and_says_what),
	cmocka_unit_test(counts_nothing_that_is_delivered),
	cmocka_unit_test(counts_what_a_dropped_drop_record_stood_for),
	cmocka_unit_test(counts_old_drop_records_apart),
	cmocka_unit_test(counts_what_is_left_without_a_file),
	cmocka_unit_test(counts_all_that_was_read),
	cmocka_unit_test(counts_old_drop_records_once),
	cmocka_unit_test(refuses_a_batch_that_never_fits),
	cmocka_unit_test(says_after_a_restart_what_was_dropped),
};

UNIT_GROUP(tests);
