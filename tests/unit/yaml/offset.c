/* SPDX-License-Identifier: MIT */
/* Places of a condition in the file, in each of the forms that YAML has for a text. */
#include <string.h>

#include "rules_text.h"
#include "unit.h"
#include "yaml/tree.h"

static void test_places_in_conditions(void **state)
{
	/* Plain, over several lines. */
	EXPECT(RULE("evt.num=1 and fd.nosuch=1"), "2:28 error unknown field 'fd.nosuch'");
	EXPECT(RULE("evt.num=1\n    and\n      fd.nosuch=1"), "4:7 error fd.nosuch");
	EXPECT(RULE("evt.num=1 and # comment\n"), "2:27 error found the end");
	EXPECT(RULE("evt.num=1 and"), "2:27 error found the end");
	/* Quoted, with escapes. */
	EXPECT(RULE("'proc.name=\"it''s\" and fd.nosuch=1'"), "2:37 error fd.nosuch");
	EXPECT(RULE("\"proc.name=\\\"\\x41\\u00e4\\tb\\\" and\\n  fd.nosuch=1\""),
	       "2:50 error fd.nosuch");
	EXPECT(RULE("\"evt.num=1 \\\n    and fd.nosuch=1\""), "3:9 error fd.nosuch");
	/* Blocks: folded, literal, with indentation and comments. */
	EXPECT(RULE(">\n    evt.num=1 and\n    fd.nosuch=1"), "4:5 error fd.nosuch");
	EXPECT(RULE("> # comment\n\n    evt.num=1 and\n\n\n      fd.nosuch=1"),
	       "7:7 error fd.nosuch");
	EXPECT(RULE("|-\n    evt.num=1\n    and fd.nosuch=1\n"), "4:9 error fd.nosuch");
	EXPECT(RULE(">2+\n      evt.num=1 and\n    fd.nosuch=1\n"), "4:5 error fd.nosuch");
	EXPECT(RULE(">\n    evt.num=1 and"), "3:18 error found the end");
	/* Anchors, tags, characters of several bytes, ends of lines. */
	EXPECT(RULE("&a evt.num=1 and fd.nosuch=1"), "2:31 error fd.nosuch");
	EXPECT(RULE("!!str evt.num=1 and fd.nosuch=1"), "2:34 error fd.nosuch");
	EXPECT(RULE("proc.name=\xc3\xa4\xe2\x82\xac and fd.nosuch=1"), "2:31 error fd.nosuch");
	EXPECT("# \xf0\x9f\x90\x8d\r\n" RULE("|\r\n    evt.num=1\r\n    and fd.nosuch=1\r\n"),
	       "5:9 error fd.nosuch");
}

/* Bytes of the value of a scalar, which is the whole file, and where they are in the file. */
static void test_offsets(void **state)
{
	static const struct {
		const char *text, *value;
		size_t at, offset;
	} rows[] = {
		{"abc", "abc", 0, 0},
		{"abc", "abc", 2, 2},
		{"abc", "abc", 3, 3}, /* behind the last byte */
		{"a\n  b", "a b", 2, 4},
		{"a\n  b", "a b", 1, 1}, /* white space is where what precedes it ends */
		{"a\n\n  b", "a\nb", 2, 5},
		{"''", "", 0, 1},
		{"'a'", "a", 1, 2},
		{"'''b'", "'b", 1, 3},
		{"\"\\x41b\"", "Ab", 1, 5},
		{"\"\\u00e4b\"",
		 "\xc3\xa4"
		 "b",
		 2, 7},
		{"\"\\u20acb\"",
		 "\xe2\x82\xac"
		 "b",
		 3, 7},
		{"\"\\U0001f40db\"",
		 "\xf0\x9f\x90\x8d"
		 "b",
		 4, 11},
		{"\"\\Nb\"",
		 "\xc2\x85"
		 "b",
		 2, 3},
		{"\"\\Lb\"",
		 "\xe2\x80\xa8"
		 "b",
		 3, 3},
		{"\"\\x20\\tb\"", " \tb", 2, 7},
		{"\"a\\\n b\"", "ab", 1, 5},
		{"&x !!str 'a'", "a", 0, 10},
		{"|\n a\n b\n", "a\nb\n", 2, 6},
		{">-\n a\n b", "a b", 2, 7},
		{"[a]", "", 0, 0}, /* no scalar */
		{"[a]", "", 9, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct yaml_report report = {0};
		struct arena arena = {0};
		struct yaml_link *roots;
		struct yaml_file file;
		size_t offset;

		assert_int_equal(
			yaml_file_copy("a.yaml", rows[i].text, strlen(rows[i].text), &file, NULL),
			0);
		assert_int_equal(yaml_tree_read(&file, &arena, &report, &roots), 0);
		assert_string_equal(roots->value->text, rows[i].value);
		offset = yaml_tree_offset(roots->value, rows[i].at);
		if (offset != rows[i].offset)
			fail_msg("%s: byte %zu at %zu", rows[i].text, rows[i].at, offset);
		yaml_report_finish(&report);
		arena_finish(&arena);
		yaml_file_finish(&file);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_places_in_conditions),
	cmocka_unit_test(test_offsets),
};

UNIT_GROUP(tests);
