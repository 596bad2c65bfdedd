/* SPDX-License-Identifier: MIT */
/* Reading: order, waiting, and what is said of records that are corrupt. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "output/spool/spool_impl.h"
#include "patience.h"
#include "spooled.h"
#include "unit.h"
#include "util/clock.h"
#include "util/hash.h"

#define SECOND UINT64_C(1000000000)

enum { EACH = 10, SEGMENT_HEADER = sizeof(struct spool_segment_header) };

/* A spool of four frames, closed. Stores where the frames begin. */
static void create(struct spooled *spooled, uint64_t at[5], char path[TREE_PATH_BYTES])
{
	spooled_create(spooled);
	spooled_open(spooled);
	spooled_segment(spooled, 1, path);
	at[0] = SEGMENT_HEADER;
	for (int i = 0; i < 4; i++) {
		spooled_append(spooled, EACH);
		at[i + 1] = spooled_file_bytes(path);
	}
	spooled_close(spooled);
}

static void check_lost(const struct spool_batch *batch, uint64_t from, uint64_t to)
{
	const struct spool_loss *loss = &batch->lost->causes[SPOOL_LOST_CORRUPT];

	assert_int_equal(loss->from, from);
	assert_int_equal(loss->to, to);
	assert_int_equal(loss->count, to - from + 1);
}

static void reports_frames_that_are_gone(void **state)
{
	struct spooled spooled;
	struct spool_batch batch;
	struct spool_stats stats;
	char path[TREE_PATH_BYTES];
	uint64_t at[5];

	create(&spooled, at, path);
	spooled_flip(path, at[1] + 20);
	spooled_open(&spooled);
	spooled_expect(&spooled, 1, 10, false);
	assert_true(spooled_read(&spooled, &batch));
	assert_int_equal(batch.records[0].number, 21);
	assert_non_null(batch.lost);
	check_lost(&batch, 11, 20);
	assert_false(batch.lost_redelivered);
	/* It is said again until it is reported, */
	assert_true(spooled_read(&spooled, &batch));
	check_lost(&batch, 11, 20);
	assert_int_equal(spool_lost_reported(spooled.spool, NULL), 0);
	spooled_append(&spooled, EACH);
	assert_true(spooled_read(&spooled, &batch));
	assert_null(batch.lost);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.lost[SPOOL_LOST_CORRUPT], EACH);
	assert_int_equal(stats.skipped_bytes, at[2] - at[1]);
	spooled_destroy(&spooled);
}

static void says_again_after_a_restart_what_was_not_reported(void **state)
{
	struct spooled spooled;
	struct spool_batch batch;
	char path[TREE_PATH_BYTES];
	uint64_t at[5];

	create(&spooled, at, path);
	spooled_flip(path, at[0] + 20);
	spooled_open(&spooled);
	assert_true(spooled_read(&spooled, &batch));
	check_lost(&batch, 1, 10);
	assert_int_equal(spool_attempt_lost(spooled.spool, NULL), 0);
	spooled_acknowledge(&spooled, &batch);
	spooled_close(&spooled);
	spooled_open(&spooled);
	assert_true(spooled_read(&spooled, &batch));
	assert_int_equal(batch.records[0].number, 21);
	check_lost(&batch, 1, 10);
	assert_true(batch.lost_redelivered);
	assert_int_equal(spool_lost_reported(spooled.spool, NULL), 0);
	spooled_acknowledge(&spooled, &batch);
	spooled_close(&spooled);
	spooled_open(&spooled);
	assert_true(spooled_read(&spooled, &batch));
	assert_null(batch.lost);
	spooled_destroy(&spooled);
}

static void gives_all_records_but_the_corrupt_one(void **state)
{
	struct spooled spooled;
	struct spool_batch batch;
	char path[TREE_PATH_BYTES];
	uint64_t at[5], offset;

	create(&spooled, at, path);
	/* The bytes of the fourth record of the second frame: before it 11, 12 and 13. */
	offset = at[1] + sizeof(struct spool_frame_header) + EACH * sizeof(struct spool_entry);
	for (uint64_t number = 11; number < 14; number++) {
		char bytes[SPOOLED_RECORD_BYTES];

		offset += spooled_record(number, bytes).len;
	}
	spooled_flip(path, offset + 3);
	spooled_open(&spooled);
	spooled_expect(&spooled, 1, 13, false);
	assert_true(spooled_read(&spooled, &batch));
	assert_int_equal(batch.records[0].number, 15);
	assert_int_equal(batch.count, 6);
	/* Positions go on as if it were there. */
	assert_int_equal(batch.first, 15);
	check_lost(&batch, 14, 14);
	assert_int_equal(batch.lost->events[SPOOL_LOST_CORRUPT][4], 1);
	spooled_expect(&spooled, 21, 40, false);
	spooled_destroy(&spooled);
}

/* The header says how many records are lost with an index that is corrupt. */
static void counts_the_records_of_a_corrupt_frame(void **state)
{
	struct spooled spooled;
	struct spool_batch batch;
	char path[TREE_PATH_BYTES];
	uint64_t at[5];

	create(&spooled, at, path);
	spooled_flip(path, at[1] + sizeof(struct spool_frame_header) + 30);
	spooled_open(&spooled);
	spooled_expect(&spooled, 1, 10, false);
	assert_true(spooled_read(&spooled, &batch));
	check_lost(&batch, 11, 20);
	assert_int_equal(batch.lost->causes[SPOOL_LOST_CORRUPT].first_ns, 11000000);
	assert_int_equal(batch.lost->causes[SPOOL_LOST_CORRUPT].last_ns, 20000000);
	spooled_destroy(&spooled);
}

static void goes_on_with_the_next_segment(void **state)
{
	struct spooled spooled;
	struct spool_batch batch;
	char path[TREE_PATH_BYTES];
	uint64_t at[5];

	create(&spooled, at, path);
	spooled_open(&spooled); /* each run has segments of its own */
	spooled_append(&spooled, EACH);
	spooled_close(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, EACH);
	/* The header of the first one, then the second one as a whole. */
	spooled_flip(path, 9);
	assert_true(spooled_read(&spooled, &batch));
	assert_int_equal(batch.records[0].number, 41);
	check_lost(&batch, 1, 40);
	spooled_expect(&spooled, 51, 60, false);
	spooled_destroy(&spooled);

	create(&spooled, at, path);
	spooled_open(&spooled);
	spooled_append(&spooled, EACH);
	unlink(path);
	assert_true(spooled_read(&spooled, &batch));
	check_lost(&batch, 1, 40);
	spooled_destroy(&spooled);
}

/* Makes the header of a frame say that it has more records, with the right checksum. */
static void claim_records(const char *path, uint64_t at, uint32_t more)
{
	struct spool_segment_header segment;
	struct spool_frame_header frame;
	int fd = open(path, O_RDWR);

	assert_int_equal(spool_file_read(fd, &segment, sizeof(segment), 0), 0);
	assert_int_equal(spool_file_read(fd, &frame, sizeof(frame), at), 0);
	frame.records += more;
	frame.crc = 0;
	frame.crc = hash_crc32c(segment.salt, &frame, sizeof(frame));
	assert_int_equal(spool_file_write(fd, &frame, sizeof(frame), at), 0);
	close(fd);
}

/* A frame that claims records of the next segment, or that nobody appended, is none. */
static void believes_no_frame_beyond_its_segment(void **state)
{
	struct spooled spooled;
	struct spool_batch batch;
	char path[TREE_PATH_BYTES];
	uint64_t at[5];

	for (int segments = 1; segments < 3; segments++) {
		create(&spooled, at, path);
		if (segments > 1) {
			spooled_open(&spooled);
			spooled_append(&spooled, EACH);
			spooled_close(&spooled);
		}
		claim_records(path, at[1], 1000);
		spooled_open(&spooled);
		spooled_expect(&spooled, 1, 10, false);
		assert_true(spooled_read(&spooled, &batch));
		assert_int_equal(batch.records[0].number, 21);
		check_lost(&batch, 11, 20);
		spooled_expect(&spooled, 31, spooled.number, false);
		spooled_append(&spooled, EACH);
		spooled_expect(&spooled, spooled.number - EACH + 1, spooled.number, false);
		spooled_destroy(&spooled);
	}
}

static void *append_later(void *argument)
{
	struct spooled *spooled = argument;

	nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	spooled_append(spooled, 3);
	return NULL;
}

static void *wake_later(void *argument)
{
	struct spooled *spooled = argument;

	nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	spool_wake(spooled->spool);
	return NULL;
}

static void waits_for_records_or_for_a_call(void **state)
{
	struct spool_batch batch;
	struct spooled spooled;
	pthread_t thread;
	uint64_t start;

	spooled_create(&spooled);
	spooled_open(&spooled);
	start = clock_ns(CLOCK_MONOTONIC);
	assert_int_equal(spool_read(spooled.spool, SECOND / 20, &batch, NULL), 0);
	assert_in_range(clock_ns(CLOCK_MONOTONIC) - start, SECOND / 20, PATIENCE_NS);
	assert_int_equal(pthread_create(&thread, NULL, append_later, &spooled), 0);
	assert_int_equal(spool_read(spooled.spool, 10 * PATIENCE_NS, &batch, NULL), 1);
	assert_int_equal(batch.count, 3);
	pthread_join(thread, NULL);
	assert_int_equal(pthread_create(&thread, NULL, wake_later, &spooled), 0);
	assert_int_equal(spool_read(spooled.spool, 10 * PATIENCE_NS, &batch, NULL), 0);
	pthread_join(thread, NULL);
	assert_in_range(clock_ns(CLOCK_MONOTONIC) - start, 0, 2 * PATIENCE_NS);
	/* A call that nobody waited for ends the next wait. */
	spool_wake(spooled.spool);
	assert_int_equal(spool_read(spooled.spool, 10 * PATIENCE_NS, &batch, NULL), 0);
	spooled_destroy(&spooled);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reports_frames_that_are_gone),
	cmocka_unit_test(says_again_after_a_restart_what_was_not_reported),
	cmocka_unit_test(gives_all_records_but_the_corrupt_one),
	cmocka_unit_test(counts_the_records_of_a_corrupt_frame),
	cmocka_unit_test(goes_on_with_the_next_segment),
	cmocka_unit_test(believes_no_frame_beyond_its_segment),
	cmocka_unit_test(waits_for_records_or_for_a_call),
};

UNIT_GROUP(tests);
