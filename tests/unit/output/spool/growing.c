/* SPDX-License-Identifier: MIT */
/* The segment that grows: when another one begins, and what a failed write leaves. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "output/spool/spool_impl.h"
#include "spooled.h"
#include "unit.h"

enum { SEGMENT = 65536 };

static void begins_another_segment_at_its_size(void **state)
{
	struct spool_stats stats;
	struct spooled spooled;
	uint64_t bytes = 0;

	spooled_create(&spooled);
	spooled.config.segment_bytes = SEGMENT;
	spooled_open(&spooled);
	for (int i = 0; i < 60; i++)
		spooled_append(&spooled, 30);
	spool_stats(spooled.spool, &stats);
	assert_in_range(stats.segments, 3, 10);
	for (size_t i = 0; i < stats.segments; i++) {
		const struct spool_segment *segment = &spooled.spool->segments.items[i];
		char path[TREE_PATH_BYTES];

		spooled_segment(&spooled, segment->first, path);
		assert_int_equal(spooled_file_bytes(path), segment->bytes);
		assert_true(segment->bytes < SEGMENT + 10000);
		assert_true(i + 1 == stats.segments || segment->bytes >= SEGMENT);
		bytes += spool_bytes_on_disk(segment->bytes);
	}
	/* And the blocks of the state and the lock. */
	assert_int_equal(stats.bytes, bytes + 2 * SPOOL_BLOCK_BYTES);
	spooled_expect(&spooled, 1, 60 * 30, false);
	spooled_destroy(&spooled);
}

static void set_file_limit(rlim_t bytes)
{
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY}), 0);
}

/* A write that stops in the middle is undone, and the file goes on behind it. */
static void cuts_back_what_was_not_written_whole(void **state)
{
	struct spooled spooled;
	char path[TREE_PATH_BYTES];
	uint64_t before;

	signal(SIGXFSZ, SIG_IGN);
	spooled_create(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, 30);
	spooled_segment(&spooled, 1, path);
	before = spooled_file_bytes(path);
	set_file_limit(before + 1000);
	assert_int_equal(spooled_try(&spooled, 30), -EFBIG);
	assert_int_equal(spooled_file_bytes(path), before);
	set_file_limit(RLIM_INFINITY);
	spooled.spool->writer.retry_ns = 0;
	spooled_append(&spooled, 30);
	spooled_expect(&spooled, 1, 30, false);
	spooled_expect(&spooled, 61, 90, false);
	spooled_destroy(&spooled);
}

static void leaves_nothing_of_a_segment_that_cannot_begin(void **state)
{
	struct spool_segments segments;
	struct spooled spooled;

	spooled_create(&spooled);
	spooled_open(&spooled);
	set_file_limit(40);
	assert_int_equal(spooled_try(&spooled, 1), -EFBIG);
	set_file_limit(RLIM_INFINITY);
	assert_int_equal(spool_folder_list(spooled.spool->folder, &segments), 0);
	assert_int_equal(segments.count, 0);
	free(segments.items);
	spooled.spool->writer.retry_ns = 0;
	spooled_append(&spooled, 1);
	spooled_expect(&spooled, 2, 2, false);
	spooled_destroy(&spooled);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(begins_another_segment_at_its_size),
	cmocka_unit_test(cuts_back_what_was_not_written_whole),
	cmocka_unit_test(leaves_nothing_of_a_segment_that_cannot_begin),
};

UNIT_GROUP(tests);
