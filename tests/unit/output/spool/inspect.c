/* SPDX-License-Identifier: MIT */
/* A visit to a spool: what is there, what is damaged, and that nothing of it is changed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/inspect.h"
#include "output/spool/spool_impl.h"
#include "spooled.h"
#include "unit.h"

enum { PROBLEMS_MAX = 8 };

struct seen {
	struct spool_visitor visitor;
	struct spool_summary summary;
	struct spool_problem problems[PROBLEMS_MAX];
	uint64_t problems_count, segments, records, of_segments, positions;
	uint64_t limit; /* of records; 0: none */
};

static void see_segment(void *context, const struct spool_segment_summary *segment)
{
	struct seen *seen = context;

	seen->segments++;
	seen->of_segments += segment->records;
}

static bool see_record(void *context, const struct output_record *record, uint64_t position)
{
	struct seen *seen = context;

	seen->records++;
	seen->positions += position;
	return seen->records != seen->limit;
}

static void see_problem(void *context, const struct spool_problem *problem)
{
	struct seen *seen = context;

	assert_true(seen->problems_count < PROBLEMS_MAX);
	seen->problems[seen->problems_count++] = *problem;
}

static void look(const struct spooled *spooled, struct seen *seen)
{
	struct error err = {0};

	*seen = (struct seen){.limit = seen->limit};
	seen->visitor = (struct spool_visitor){see_segment, see_record, see_problem, seen, true};
	if (spool_inspect(spooled->path, &seen->visitor, &seen->summary, &err))
		fail_msg("%s", err.text);
}

/* Four frames of ten records in each of two segments. */
static void create(struct spooled *spooled)
{
	spooled_create(spooled);
	for (int run = 0; run < 2; run++) {
		spooled_open(spooled);
		for (int i = 0; i < 4; i++)
			spooled_append(spooled, 10);
		spooled_close(spooled);
	}
}

static void sees_everything(void **state)
{
	struct seen seen = {0};
	struct spooled spooled;

	create(&spooled);
	look(&spooled, &seen);
	assert_int_equal(seen.segments, 2);
	assert_int_equal(seen.records, 80);
	assert_int_equal(seen.of_segments, 80);
	assert_int_equal(seen.positions, 80 * 81 / 2);
	assert_int_equal(seen.problems_count, 0);
	assert_true(seen.summary.has_state);
	assert_int_equal(seen.summary.user, 0);
	seen.limit = 15;
	look(&spooled, &seen);
	assert_int_equal(seen.records, 15);
	spooled_destroy(&spooled);
}

static void names_each_kind_of_damage(void **state)
{
	static const enum spool_damage damages[] = {SPOOL_BAD_RECORD, SPOOL_NO_FRAME, SPOOL_MISSING,
						    SPOOL_BAD_FRAME, SPOOL_BAD_HEADER};
	struct spool_frame_header frame;
	char path[TREE_PATH_BYTES];
	struct spool_scan scan;
	struct spooled spooled;
	struct seen seen = {0};
	uint64_t at[4];
	int folder;

	create(&spooled);
	spooled_segment(&spooled, 1, path);
	folder = open(spooled.path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(spool_scan_open(&scan, folder,
					 &(struct spool_segment){1, spooled_file_bytes(path)}),
			 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(spool_scan_next(&scan, &frame), 1);
		at[i] = scan.frame;
	}
	close(scan.fd);
	close(folder);
	spooled_flip(path, at[1] - 1); /* the last record of the first frame */
	spooled_flip(path, at[1]); /* the header of the second one */
	spooled_flip(path, at[3] + sizeof(frame) + 5); /* the index of the fourth one */
	spooled_segment(&spooled, 41, path);
	spooled_flip(path, 0);
	look(&spooled, &seen);
	assert_int_equal(seen.problems_count, 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(seen.problems[i].damage, damages[i]);
	assert_int_equal(seen.problems[0].from, 10);
	assert_int_equal(seen.problems[1].offset, at[1]);
	assert_int_equal(seen.problems[1].bytes, at[2] - at[1]);
	assert_int_equal(seen.problems[2].from, 11);
	assert_int_equal(seen.problems[2].to, 20);
	assert_int_equal(seen.problems[2].records, 10);
	assert_int_equal(seen.problems[3].from, 31);
	assert_int_equal(seen.problems[3].to, 40);
	assert_int_equal(seen.problems[4].segment, 41);
	assert_int_equal(seen.records, 19);
	spooled_destroy(&spooled);
}

/* A write that is under way is no damage, and neither the file nor its user is disturbed. */
static void looks_at_a_spool_in_use(void **state)
{
	char path[TREE_PATH_BYTES];
	struct spooled spooled;
	struct seen seen = {0};

	create(&spooled);
	spooled_open(&spooled);
	spooled_append(&spooled, 10);
	spooled_segment(&spooled, 81, path);
	assert_int_equal(truncate(path, (off_t)spooled_file_bytes(path) + 100), 0);
	look(&spooled, &seen);
	assert_int_equal(seen.problems_count, 0);
	assert_int_equal(seen.records, 90);
	assert_int_equal(seen.summary.user, getpid());
	assert_false(seen.summary.closed);
	spooled_close(&spooled);
	look(&spooled, &seen);
	assert_int_equal(seen.summary.user, 0);
	assert_true(seen.summary.closed);
	assert_int_equal(seen.problems_count, 1);
	spooled_destroy(&spooled);
}

static void says_that_there_is_none(void **state)
{
	struct spool_visitor visitor = {0};
	struct spool_summary summary;
	struct error err;

	assert_int_equal(spool_inspect("/nonexistent", &visitor, &summary, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent"));
	/* A folder of something else is not an empty spool. */
	assert_int_equal(spool_inspect("/etc", &visitor, &summary, &err), -ENODATA);
	assert_string_equal(err.text, "/etc is no spool: it has neither a state nor segments");
}

static void has_a_text_for_each_damage(void **state)
{
	for (unsigned int i = 0; i < SPOOL_DAMAGES; i++)
		assert_non_null(spool_damage_texts[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(sees_everything),
	cmocka_unit_test(names_each_kind_of_damage),
	cmocka_unit_test(looks_at_a_spool_in_use),
	cmocka_unit_test(says_that_there_is_none),
	cmocka_unit_test(has_a_text_for_each_damage),
};

UNIT_GROUP(tests);
