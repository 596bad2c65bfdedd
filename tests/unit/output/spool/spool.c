/* SPDX-License-Identifier: MIT */
/* Opening a spool: who may, what it needs, and what it makes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/spool/spool_impl.h"
#include "spooled.h"
#include "unit.h"

static void makes_files_for_nobody_else(void **state)
{
	static const char *const names[] = {"state", "lock", "00000000000000000001.spool"};
	char path[TREE_PATH_BYTES];
	struct spooled spooled;
	struct stat status;

	spooled_create(&spooled);
	umask(0);
	spooled_open(&spooled);
	spooled_append(&spooled, 1);
	assert_int_equal(stat(spooled.path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	for (size_t i = 0; i < 3; i++) {
		spooled_file(&spooled, names[i], path);
		assert_int_equal(stat(path, &status), 0);
		assert_int_equal(status.st_mode & 0777, 0600);
	}
	spooled_destroy(&spooled);
}

static void is_for_one_at_a_time(void **state)
{
	struct spooled spooled;
	struct spool *second;
	struct error err;

	spooled_create(&spooled);
	spooled_open(&spooled);
	assert_int_equal(spool_open(&spooled.config, &second, &err), -EBUSY);
	assert_non_null(strstr(err.text, spooled.path));
	spooled_close(&spooled);
	spooled_open(&spooled);
	spooled_destroy(&spooled);
}

static void says_what_is_wrong_with_its_place(void **state)
{
	struct spooled spooled;
	struct error err;

	spooled_create(&spooled);
	spooled.config.limit_bytes = SPOOL_LIMIT_MIN - 1;
	assert_int_equal(spool_open(&spooled.config, &spooled.spool, &err), -EINVAL);
	assert_non_null(strstr(err.text, "256 KiB"));
	spooled.config.limit_bytes = SPOOL_LIMIT_MIN;
	spooled.config.path = "/proc/spool";
	assert_int_equal(spool_open(&spooled.config, &spooled.spool, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/proc/spool"));
	spooled_destroy(&spooled);
}

static void chooses_segments_that_fit_the_limit(void **state)
{
	struct spooled spooled;

	spooled_create(&spooled);
	spooled.config.limit_bytes = 1 << 20;
	spooled_open(&spooled);
	assert_int_equal(spooled.spool->config.segment_bytes, (1 << 20) / 8);
	spooled_close(&spooled);
	spooled.config.limit_bytes = SPOOL_LIMIT_MIN;
	spooled_open(&spooled);
	assert_int_equal(spooled.spool->config.segment_bytes, 64 << 10);
	spooled_close(&spooled);
	spooled.config.limit_bytes = UINT64_C(1) << 40;
	spooled_open(&spooled);
	assert_true(spooled.spool->config.segment_bytes <= 16 << 20);
	spooled_destroy(&spooled);
}

static void closes_what_was_never_opened(void **state)
{
	spool_close(NULL);
}

/* An end and a start are the same for a large backlog: only the last segment is looked at. */
static void starts_without_reading_the_backlog(void **state)
{
	char path[TREE_PATH_BYTES];
	struct spooled spooled;
	struct spool_stats stats;

	spooled_create(&spooled);
	spooled.config.limit_bytes = 4 << 20;
	spooled.config.segment_bytes = 32768;
	spooled_open(&spooled);
	for (int i = 0; i < 500; i++)
		spooled_append(&spooled, 30);
	spooled_segment(&spooled, spooled.spool->segments.items[5].first, path);
	spool_stats(spooled.spool, &stats);
	assert_in_range(stats.segments, 20, 200);
	spooled_close(&spooled);
	/* Whatever is in the middle is not even looked at. */
	spooled_flip(path, 1);
	spooled_open(&spooled);
	spool_stats(spooled.spool, &stats);
	assert_int_equal(stats.records, 500 * 30);
	assert_int_equal(stats.skipped_bytes, 0);
	spooled_destroy(&spooled);
}

static void says_whether_it_may_open_later(void **state)
{
	assert_true(spool_may_open_later(-EBUSY));
	assert_true(spool_may_open_later(-ENOSPC));
	assert_true(spool_may_open_later(-EROFS));
	assert_true(spool_may_open_later(-ENOENT));
	assert_false(spool_may_open_later(-ENOTDIR));
	assert_false(spool_may_open_later(-EPERM));
	assert_false(spool_may_open_later(-EPROTONOSUPPORT));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(says_whether_it_may_open_later),
	cmocka_unit_test(makes_files_for_nobody_else),
	cmocka_unit_test(is_for_one_at_a_time),
	cmocka_unit_test(says_what_is_wrong_with_its_place),
	cmocka_unit_test(chooses_segments_that_fit_the_limit),
	cmocka_unit_test(closes_what_was_never_opened),
	cmocka_unit_test(starts_without_reading_the_backlog),
};

UNIT_GROUP(tests);
