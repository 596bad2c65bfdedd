/* SPDX-License-Identifier: MIT */
/* Functions by what they took: those that call themselves once, what waited as its own time. */
#include "profile/formats/top.h"

#include <string.h>

#include "unit.h"

static void expect_top(const char *folded, size_t rows, enum flame_unit unit, const char *expected)
{
	struct buf out = {0};
	struct flame flame;

	assert_int_equal(flame_init(&flame), 0);
	flame.unit = unit;
	assert_int_equal(flame_add_folded(&flame, FLAME_NOW, folded, strlen(folded), NULL), 0);
	assert_int_equal(flame_complete(&flame), 0);
	assert_int_equal(top_write(&flame, rows, 0, &out), 0);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
	flame_finish(&flame);
}

static void adds_up_by_function(void **state)
{
	expect_top("p;main;f;g 5\n"
		   "p;main;f;g;f 3\n"
		   "p;main 1\n"
		   "q;main;k_[k] 1\n",
		   10, FLAME_SAMPLES,
		   "        SELF                  TOTAL           FUNCTION\n"
		   "           5  50.00 %             8  80.00 %  g\n"
		   "           3  30.00 %             8  80.00 %  f\n"
		   "           1  10.00 %            10 100.00 %  main\n"
		   "           1  10.00 %             1  10.00 %  k_[k]\n");
}

static void shows_as_many_as_it_may(void **state)
{
	expect_top("p;a 3\np;b 2\np;c 1\n", 1, FLAME_SAMPLES,
		   "        SELF                  TOTAL           FUNCTION\n"
		   "           3  50.00 %             3  50.00 %  a\n");
}

static void what_waits_is_the_function(void **state)
{
	expect_top("p;a;b;[disk];[woken by];w 3000000\n"
		   "p;a;c 1000000\n",
		   10, FLAME_NS,
		   "     SELF ms               TOTAL ms           FUNCTION\n"
		   "       3.000  75.00 %         3.000  75.00 %  b\n"
		   "       1.000  25.00 %         1.000  25.00 %  c\n"
		   "       0.000   0.00 %         4.000 100.00 %  a\n");
}

/* Whoever names a process, or a function of a program, changes no row of another one. */
static void knows_functions_from_what_has_their_name(void **state)
{
	expect_top("hot;hot 2\nhot;other 8\n", 10, FLAME_SAMPLES,
		   "        SELF                  TOTAL           FUNCTION\n"
		   "           8  80.00 %             8  80.00 %  other\n"
		   "           2  20.00 %             2  20.00 %  hot\n");
	expect_top("p;read;read_[k] 6\np;read 4\n", 10, FLAME_SAMPLES,
		   "        SELF                  TOTAL           FUNCTION\n"
		   "           6  60.00 %             6  60.00 %  read_[k]\n"
		   "           4  40.00 %            10 100.00 %  read\n");
}

static void masks_names(void **state)
{
	expect_top("p;a\x1b[31m 3\n", 10, FLAME_SAMPLES,
		   "        SELF                  TOTAL           FUNCTION\n"
		   "           3 100.00 %             3 100.00 %  a.[31m\n");
}

static void cuts_lines_to_the_terminal(void **state)
{
	static const char folded[] = "p;some_long_name 3\n";
	struct buf out = {0};
	struct flame flame;

	assert_int_equal(flame_init(&flame), 0);
	assert_int_equal(flame_add_folded(&flame, FLAME_NOW, folded, strlen(folded), NULL), 0);
	assert_int_equal(flame_complete(&flame), 0);
	assert_int_equal(top_write(&flame, 10, 56, &out), 0);
	buf_append_char(&out, '\0');
	assert_string_equal(strchr(out.data, '\n') + 1,
			    "           3 100.00 %             3 100.00 %  some_long…\n");
	buf_finish(&out);
	flame_finish(&flame);
}

/* What was added, what takes less, what is gone. */
static void compares_two_profiles(void **state)
{
	static const char now[] = "p;a 6\np;b 4\n", before[] = "p;a 2\np;b 6\np;gone 2\n";
	struct buf out = {0};
	struct flame flame;

	assert_int_equal(flame_init(&flame), 0);
	assert_int_equal(flame_add_folded(&flame, FLAME_NOW, now, strlen(now), NULL), 0);
	assert_int_equal(flame_add_folded(&flame, FLAME_BEFORE, before, strlen(before), NULL), 0);
	assert_int_equal(flame_complete(&flame), 0);
	assert_int_equal(top_write(&flame, 10, 0, &out), 0);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data,
			    "        SELF                  TOTAL              CHANGE  FUNCTION\n"
			    "           6  60.00 %             6  60.00 %   +40.00 %  a\n"
			    "           0   0.00 %             0   0.00 %   -20.00 %  gone\n"
			    "           4  40.00 %             4  40.00 %   -20.00 %  b\n");
	buf_finish(&out);
	flame_finish(&flame);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(adds_up_by_function),
	cmocka_unit_test(shows_as_many_as_it_may),
	cmocka_unit_test(what_waits_is_the_function),
	cmocka_unit_test(masks_names),
	cmocka_unit_test(knows_functions_from_what_has_their_name),
	cmocka_unit_test(cuts_lines_to_the_terminal),
	cmocka_unit_test(compares_two_profiles),
};

UNIT_GROUP(tests);
