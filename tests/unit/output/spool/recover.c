/* SPDX-License-Identifier: MIT */
/* What a spool is after a stop: of the process, of the machine, with files that are damaged. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "output/spool/spool_impl.h"
#include "spooled.h"
#include "unit.h"
#include "util/clock.h"

static void append_and_send_some(struct spooled *spooled)
{
	struct spool_batch batch;

	spooled_open(spooled);
	for (int i = 0; i < 5; i++)
		spooled_append(spooled, 10);
	assert_true(spooled_read(spooled, &batch));
	spooled_acknowledge(spooled, &batch);
	assert_true(spooled_read(spooled, &batch));
	assert_int_equal(spool_attempt(spooled->spool, 15, NULL), 0);
}

static void goes_on_after_a_kill(void **state)
{
	struct spooled spooled;
	struct spool_stats stats;
	struct spool_batch batch;

	spooled_create(&spooled);
	spooled_die_in(&spooled, append_and_send_some);
	spooled_open(&spooled);
	assert_int_equal(spool_last_number(spooled.spool), 50);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.records, 40);
	assert_false(stats.rebuilt);
	assert_int_equal(stats.lost[SPOOL_LOST_POWER], 0);
	assert_true(spooled_read(&spooled, &batch));
	assert_int_equal(batch.records[0].number, 11);
	assert_null(batch.lost);
	for (size_t i = 0; i < batch.count; i++)
		assert_int_equal(batch.records[i].flags, i < 5 ? RECORD_REDELIVERED : 0);
	spooled.number = 50;
	spooled_append(&spooled, 10);
	spooled_expect(&spooled, 21, 60, false);
	spooled_destroy(&spooled);
}

static void knows_how_the_run_before_ended(void **state)
{
	char path[TREE_PATH_BYTES];
	struct spooled spooled;
	uint64_t opened_ns;

	spooled_create(&spooled);
	opened_ns = clock_ns(CLOCK_REALTIME);
	spooled_open(&spooled);
	assert_false(spool_before(spooled.spool)->was_interrupted);
	spooled_close(&spooled);
	spooled_open(&spooled);
	assert_false(spool_before(spooled.spool)->was_interrupted);
	spooled_close(&spooled);
	spooled_die_in(&spooled, spooled_open);
	spooled_open(&spooled);
	assert_true(spool_before(spooled.spool)->was_interrupted);
	assert_true(spool_before(spooled.spool)->known_ns >= opened_ns);
	spooled_close(&spooled);
	/* What was appended and not stored in the state is known, too: its time is from 1970. */
	spooled_die_in(&spooled, append_and_send_some);
	spooled_open(&spooled);
	assert_true(spool_before(spooled.spool)->was_interrupted);
	assert_int_equal(spool_last_number(spooled.spool), 50);
	assert_int_equal(spool_before(spooled.spool)->known_ns, 50 * 1000000);
	spooled_close(&spooled);
	spooled_file(&spooled, "state", path);
	assert_int_equal(unlink(path), 0);
	spooled_open(&spooled);
	assert_true(spool_before(spooled.spool)->was_interrupted);
	spooled_destroy(&spooled);
}

static void leaves_what_it_could_not_store(void **state)
{
	const struct spool_loss loss = {11, 20, 10, 7, 8};
	struct spool_batch batch;
	struct spooled spooled;

	spooled_create(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, 10);
	spool_lose(spooled.spool, SPOOL_LOST_NO_SPACE, &loss);
	spooled_close(&spooled);
	spooled_open(&spooled);
	assert_false(spool_before(spooled.spool)->was_interrupted);
	assert_int_equal(spool_last_number(spooled.spool), 20);
	assert_true(spooled_read(&spooled, &batch));
	assert_non_null(batch.lost);
	assert_memory_equal(&batch.lost->causes[SPOOL_LOST_NO_SPACE], &loss, sizeof(loss));
	spool_set_incomplete(spooled.spool);
	spooled_close(&spooled);
	spooled_open(&spooled);
	assert_true(spool_before(spooled.spool)->was_interrupted);
	spooled_destroy(&spooled);
}

static void use_a_number_and_die(struct spooled *spooled)
{
	spooled_open(spooled);
	spooled_append(spooled, 3);
	spool_use_numbers(spooled->spool, 8);
}

/* Nor is a number that a drop record says is missing, whatever comes between. */
static void uses_no_number_twice_that_was_dropped(void **state)
{
	struct spooled spooled;

	spooled_create(&spooled);
	spooled_die_in(&spooled, use_a_number_and_die);
	spooled_open(&spooled);
	assert_int_equal(spool_last_number(spooled.spool), 8);
	spooled.number = 8;
	spooled_append(&spooled, 1);
	spooled_expect(&spooled, 1, 3, false);
	spooled_expect(&spooled, 9, 9, false);
	spooled_destroy(&spooled);
}

static void keeps_its_stream(void **state)
{
	char stream[SPOOL_STREAM_BYTES + 1], path[TREE_PATH_BYTES];
	struct spooled spooled, other;

	spooled_create(&spooled);
	spooled_open(&spooled);
	strcpy(stream, spool_stream(spooled.spool));
	assert_int_equal(strlen(stream), SPOOL_STREAM_BYTES);
	assert_int_equal(strspn(stream, "0123456789abcdef"), SPOOL_STREAM_BYTES);
	spooled_append(&spooled, 1);
	spooled_close(&spooled);
	/* Also without a state. */
	spooled_file(&spooled, "state", path);
	assert_int_equal(unlink(path), 0);
	spooled_open(&spooled);
	assert_string_equal(spool_stream(spooled.spool), stream);
	spooled_create(&other);
	spooled_open(&other);
	assert_string_not_equal(spool_stream(other.spool), stream);
	spooled_destroy(&other);
	spooled_destroy(&spooled);
}

/* Without a state nobody knows what was sent. */
static void rebuilds_a_state_that_is_corrupt(void **state)
{
	char path[TREE_PATH_BYTES];
	struct spooled spooled;
	struct spool_stats stats;

	spooled_create(&spooled);
	spooled_die_in(&spooled, append_and_send_some);
	spooled_file(&spooled, "state", path);
	spooled_flip(path, 100);
	spooled_flip(path, SPOOL_SLOT_BYTES + 100);
	spooled_open(&spooled);
	spool_stats(spooled.spool, &stats);
	assert_true(stats.rebuilt);
	assert_int_equal(stats.records, 50);
	assert_int_equal(spool_last_number(spooled.spool), 50);
	spooled_expect(&spooled, 1, 50, true);
	spooled.number = 50;
	spooled_append(&spooled, 1);
	spooled_expect(&spooled, 51, 51, false);
	spooled_close(&spooled);
	spooled_open(&spooled);
	spool_stats(spooled.spool, &stats);
	assert_false(stats.rebuilt);
	spooled_destroy(&spooled);
}

static void cuts_off_a_write_that_did_not_end(void **state)
{
	char path[TREE_PATH_BYTES];
	struct spooled spooled;
	struct spool_stats stats;
	uint64_t bytes;

	spooled_create(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, 10);
	spooled_segment(&spooled, 1, path);
	bytes = spooled_file_bytes(path);
	spooled_append(&spooled, 10);
	spooled_close(&spooled);
	assert_int_equal(truncate(path, (off_t)(bytes + 200)), 0);
	spooled_open(&spooled);
	assert_int_equal(spooled_file_bytes(path), bytes);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.skipped_bytes, 200);
	spooled_expect(&spooled, 1, 10, false);
	spooled_destroy(&spooled);
}

static void removes_a_segment_that_never_had_a_frame(void **state)
{
	char path[TREE_PATH_BYTES];
	struct spool_stats stats;
	struct spooled spooled;

	for (off_t bytes = 0; bytes <= 80; bytes += 40) {
		spooled_create(&spooled);
		spooled_open(&spooled);
		spooled_append(&spooled, 10);
		spooled_close(&spooled);
		spooled_open(&spooled);
		spooled_append(&spooled, 10);
		spooled_segment(&spooled, 11, path);
		spooled_close(&spooled);
		assert_int_equal(truncate(path, bytes), 0);
		spooled_open(&spooled);
		assert_int_not_equal(access(path, F_OK), 0);
		spool_stats(spooled.spool, &stats);
		assert_int_equal(stats.segments, 1);
		spooled_append(&spooled, 10);
		spooled_destroy(&spooled);
	}
}

/* The last segment has a header that is corrupt: its records are lost, and that is said. */
static void goes_on_behind_a_last_segment_that_is_corrupt(void **state)
{
	char path[TREE_PATH_BYTES];
	struct spool_batch batch;
	struct spooled spooled;

	spooled_create(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, 10);
	spooled_segment(&spooled, 1, path);
	spooled_close(&spooled);
	spooled_flip(path, 3);
	spooled_open(&spooled);
	spooled_append(&spooled, 10);
	assert_true(spooled_read(&spooled, &batch));
	assert_int_equal(batch.records[0].number, 11);
	assert_int_equal(batch.lost->causes[SPOOL_LOST_CORRUPT].count, 10);
	spooled_destroy(&spooled);
}

/* No number is used twice, even if neither the state nor the last segment tells which were. */
static void uses_no_number_again(void **state)
{
	char path[TREE_PATH_BYTES], stream[SPOOL_STREAM_BYTES + 1];
	struct spooled spooled;

	for (int without_state = 0; without_state < 2; without_state++) {
		spooled_create(&spooled);
		spooled_open(&spooled);
		spooled_append(&spooled, 10);
		strcpy(stream, spool_stream(spooled.spool));
		spooled_close(&spooled);
		spooled_open(&spooled);
		spooled_append(&spooled, 10);
		spooled_segment(&spooled, 11, path);
		spooled_close(&spooled);
		spooled_flip(path, 3);
		spooled_file(&spooled, "state", path);
		if (without_state)
			assert_int_equal(unlink(path), 0);
		spooled_open(&spooled);
		assert_string_equal(spool_stream(spooled.spool), stream);
		assert_true(spool_last_number(spooled.spool) >= 20);
		spooled_expect(&spooled, 1, 10, without_state);
		spooled.number = spool_last_number(spooled.spool);
		spooled_append(&spooled, 10);
		spooled_expect(&spooled, spooled.number - 9, spooled.number, false);
		spooled_destroy(&spooled);
	}
}

/* Makes the state one of an earlier boot. */
static void change_boot(const struct spooled *spooled)
{
	struct spool_state stored;
	struct spool_slot slot;
	bool corrupt;
	int folder = open(spooled->path, O_RDONLY | O_DIRECTORY);

	assert_int_equal(spool_state_open(&stored, folder, &corrupt), 1);
	slot = stored.slot;
	slot.boot[0]++;
	assert_int_equal(spool_state_store(&stored, &slot, false), 0);
	close(stored.fd);
	close(folder);
}

/* What was not on disk may have been sent, and so may everything else. */
static void counts_what_a_power_failure_may_have_cost(void **state)
{
	char path[TREE_PATH_BYTES];
	struct spool_batch batch;
	struct spool_stats stats;
	struct spooled spooled;
	uint64_t bytes, reserved;

	spooled_create(&spooled);
	spooled_die_in(&spooled, append_and_send_some);
	change_boot(&spooled);
	/* Half of the data did not get to the disk. */
	spooled_segment(&spooled, 1, path);
	bytes = spooled_file_bytes(path);
	assert_int_equal(truncate(path, (off_t)(bytes / 2)), 0);
	spooled_open(&spooled);
	reserved = spool_last_number(spooled.spool);
	assert_true(reserved > 50);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.lost[SPOOL_LOST_POWER], reserved - 20);
	assert_true(spooled_read(&spooled, &batch));
	assert_int_equal(batch.records[0].number, 11);
	assert_int_equal(batch.records[9].flags, RECORD_REDELIVERED);
	assert_int_equal(batch.lost->causes[SPOOL_LOST_POWER].from, 21);
	assert_int_equal(batch.lost->causes[SPOOL_LOST_POWER].to, reserved);
	spooled.number = reserved;
	spooled_append(&spooled, 1);
	spooled_expect(&spooled, reserved + 1, reserved + 1, false);
	spooled_close(&spooled);
	/* An orderly end is none, whatever booted since. */
	change_boot(&spooled);
	spooled_open(&spooled);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.lost[SPOOL_LOST_POWER], 0);
	spooled_destroy(&spooled);
}

static void says_that_a_later_version_wrote_it(void **state)
{
	struct spool_segment_header header;
	char path[TREE_PATH_BYTES];
	struct spooled spooled;
	struct error err;
	int fd;

	spooled_create(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, 10);
	spooled_segment(&spooled, 1, path);
	spooled_close(&spooled);
	fd = open(path, O_RDWR);
	assert_int_equal(spool_segment_read_header(fd, 1, &header), 0);
	header.version = SPOOL_VERSION + 1;
	spool_segment_seal(&header);
	assert_int_equal(spool_file_write(fd, &header, sizeof(header), 0), 0);
	close(fd);
	assert_int_equal(spool_open(&spooled.config, &spooled.spool, &err), -EPROTONOSUPPORT);
	assert_non_null(strstr(err.text, "later version"));
	/* It is left as it is. */
	assert_int_equal(access(path, F_OK), 0);
	spooled_destroy(&spooled);
}

static void removes_at_the_start_what_is_acknowledged(void **state)
{
	char path[TREE_PATH_BYTES];
	struct spooled spooled;

	spooled_create(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, 10);
	spooled_segment(&spooled, 1, path);
	assert_int_equal(spooled_drain(&spooled), 10);
	assert_int_equal(access(path, F_OK), 0);
	spooled_close(&spooled);
	assert_int_not_equal(access(path, F_OK), 0);
	spooled_open(&spooled);
	assert_int_equal(spool_last_number(spooled.spool), 10);
	spooled_append(&spooled, 10);
	spooled_expect(&spooled, 11, 20, false);
	spooled_destroy(&spooled);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(goes_on_after_a_kill),
	cmocka_unit_test(knows_how_the_run_before_ended),
	cmocka_unit_test(leaves_what_it_could_not_store),
	cmocka_unit_test(uses_no_number_twice_that_was_dropped),
	cmocka_unit_test(keeps_its_stream),
	cmocka_unit_test(rebuilds_a_state_that_is_corrupt),
	cmocka_unit_test(cuts_off_a_write_that_did_not_end),
	cmocka_unit_test(removes_a_segment_that_never_had_a_frame),
	cmocka_unit_test(goes_on_behind_a_last_segment_that_is_corrupt),
	cmocka_unit_test(uses_no_number_again),
	cmocka_unit_test(counts_what_a_power_failure_may_have_cost),
	cmocka_unit_test(says_that_a_later_version_wrote_it),
	cmocka_unit_test(removes_at_the_start_what_is_acknowledged),
};

UNIT_GROUP(tests);
