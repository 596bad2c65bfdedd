/* SPDX-License-Identifier: MIT */
/* Texts that are joined from values of several files, and places in these. */
#include <string.h>

#include "rules/defs.h"
#include "unit.h"

enum { FILES = 3 };

/* Each file is one value, written after a few blanks. */
struct fixture {
	struct yaml_file files[FILES];
	struct yaml_node nodes[FILES];
	struct arena arena;
	struct rules_text text;
};

static void begin(struct fixture *fixture, const char *const values[FILES])
{
	*fixture = (struct fixture){0};
	for (size_t i = 0; i < FILES; i++) {
		size_t len = strlen(values[i]);
		char data[64] = "\n\n  ";

		memcpy(data + 4, values[i], len);
		assert_int_equal(yaml_file_copy("a.yaml", data, len + 4, &fixture->files[i], NULL),
				 0);
		fixture->nodes[i] = (struct yaml_node){
			.file = &fixture->files[i],
			.start = 4,
			.end = (uint32_t)len + 4,
			.text = values[i],
			.len = len,
		};
	}
}

static void end(struct fixture *fixture)
{
	arena_finish(&fixture->arena);
	for (size_t i = 0; i < FILES; i++)
		yaml_file_finish(&fixture->files[i]);
}

/* Adds the first `n` values and joins them. */
static void join(struct fixture *fixture, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(
			rules_text_add(&fixture->text, &fixture->arena, &fixture->nodes[i]), 0);
	assert_int_equal(rules_text_join(&fixture->text, &fixture->arena), 0);
	assert_int_equal(strlen(fixture->text.data), fixture->text.len);
}

static void test_join(void **state)
{
	static const struct {
		const char *values[FILES];
		const char *texts[FILES + 1]; /* of so many values */
	} rows[] = {
		{{"one", "two", "three"}, {"", "one", "one two", "one two three"}},
		{{"", "b", "c"}, {"", "", " b", " b c"}},
		{{"a", "", "c"}, {"", "a", "a ", "a  c"}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t n = 0; n <= FILES; n++) {
			struct fixture fixture;

			begin(&fixture, rows[i].values);
			join(&fixture, n);
			assert_string_equal(fixture.text.data, rows[i].texts[n]);
			end(&fixture);
		}
	}
}

/* Each byte is in the file that it comes from; the blank between two is where the first one ends.
 */
static void test_places(void **state)
{
	static const struct {
		size_t at, file, offset;
	} rows[] = {
		{0, 0, 4}, {2, 0, 6}, {3, 0, 7},  {4, 1, 4},  {6, 1, 6},
		{7, 1, 7}, {8, 2, 4}, {12, 2, 8}, {13, 2, 9}, /* the end */
	};
	struct fixture fixture;

	begin(&fixture, (const char *const[]){"one", "two", "three"});
	join(&fixture, FILES);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t offset;

		assert_ptr_equal(rules_text_place(&fixture.text, rows[i].at, &offset),
				 &fixture.files[rows[i].file]);
		assert_int_equal(offset, rows[i].offset);
	}
	end(&fixture);
}

static void test_report(void **state)
{
	struct yaml_report report = {0};
	struct fixture fixture;

	begin(&fixture, (const char *const[]){"one", "two", "three"});
	fixture.files[1].number = 7;
	join(&fixture, FILES);
	rules_text_report(&report, YAML_WARNING, &fixture.text, 5, "number %d", 12);
	assert_int_equal(report.count, 1);
	assert_int_equal(report.counts[YAML_WARNING], 1);
	assert_int_equal(report.messages[0].file, 7);
	assert_string_equal(report.messages[0].text, "a.yaml:3:4: warning: number 12\n"
						     "    two\n"
						     "     ^\n");
	yaml_report_finish(&report);
	end(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_join),
	cmocka_unit_test(test_places),
	cmocka_unit_test(test_report),
};

UNIT_GROUP(tests);
