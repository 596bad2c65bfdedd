/* SPDX-License-Identifier: MIT */
/* getopt(): options as a program with these options would find them. */
#include <stdlib.h>
#include <string.h>

#include "fake_fields.h"
#include "filtered.h"
#include "sinsp/filter/operand.h"
#include "unit.h"

static void set_words(const char *const *words)
{
	fake_clear();
	for (; *words; words++)
		fake_add_text("list.text", *words);
}

#define WORDS(...) set_words((const char *const[]){__VA_ARGS__, NULL})

static void test_all_options(void **state)
{
	WORDS("-x", "-vf", "out", "--long", "-oname", "-qz", "-f", "two", "rest", "-x");
	TRUE("join(' ', getopt(list.text, 'xvf:o:z')) = 'x v f out o name ? z f two'",
	     "join(' ', getopt(list.text, ':xvf:o:z')) = 'x v f out o name ? z f two'",
	     "join(' ', getopt(list.text, 'x')) = 'x ? ?'");
}

static void test_one_option(void **state)
{
	WORDS("-x", "-vf", "out", "--long", "-oname", "-qz", "-f", "two", "rest", "-x");
	TRUE("getopt(list.text, 'xvf:o:z')[f] = two", "getopt(list.text, 'xvf:o:z')[x] = x",
	     "getopt(list.text, 'xvf:o:z')['o'] = name", "getopt(list.text, 'xvf:o:z')['?'] = '?'");
	FALSE("getopt(list.text, 'xvf:o:z')[q] exists", "getopt(list.text, 'xvf:o')[o] = name");
}

static void test_end_of_options(void **state)
{
	WORDS("");
	TRUE("join(' ', getopt(('-a', '--', '-b'), 'ab')) = a",
	     "join(' ', getopt(('-a', '-', '-b'), 'ab')) = a",
	     "join(' ', getopt(('-a', 'w', '-b'), 'ab')) = a",
	     "join(' ', getopt(('-a', '', '-b'), 'ab')) = a",
	     "join(' ', getopt(('-a', '--b', '-b'), 'ab')) = 'a b'");
}

static void test_values(void **state)
{
	WORDS("");
	TRUE("getopt(('-a', '-b'), 'a:')[a] = -b", "getopt(('-a', '--'), 'a:')[a] = --",
	     "join(',', getopt(('-a', '--', '-b'), 'a:b')) = 'a,--,b'",
	     "join(',', getopt(('-ba', 'x', '-b'), 'a:b')) = 'b,a,x,b'",
	     "join(',', getopt(('-ab', 'x', '-b'), 'a:b')) = 'a,b'",
	     "join(',', getopt(('-f', '1', '-f2'), 'f:')) = 'f,1,f,2'",
	     "getopt(('-f', '1', '-f2'), 'f:')[f] = 2");
	/* Missing at the end. */
	TRUE("join(',', getopt(('-a'), 'a:')) = 'a,'", "getopt(('-a'), 'a:')[a] = ''",
	     "getopt(('-a', ''), 'a:')[a] = ''");
	/* ':' is never an option itself. */
	TRUE("join(',', getopt(('-:'), 'a:')) = '?'", "join(',', getopt(('-:'), '::')) = '?'");
}

/* A list of nothing is a list; without a list or options there is none. */
static void test_nothing(void **state)
{
	fake_clear();
	TRUE("len(getopt((), 'a')) = 0", "len(getopt(('x'), 'a')) = 0",
	     "len(getopt(('-a'), '')) = 1");
	FALSE("getopt((), 'a')[a] exists", "getopt(list.text, 'a') exists",
	      "getopt(list.text, 'a')[a] exists", "getopt(('-a'), text.a) exists",
	      "getopt(('-a'), text.a)[a] exists");
}

static void test_most(void **state)
{
	char word[2 * FIELD_VALUES_MAX + 2] = "-";

	memset(word + 1, 'a', 2 * FIELD_VALUES_MAX);
	WORDS(word);
	TRUE("len(getopt(list.text, 'a')) = 64", "getopt(list.text, 'a')[a] = a");
	assert_int_equal(FIELD_VALUES_MAX, 64);
}

/* Letters are texts in scratch memory: what has no room there is empty. */
static void test_full_scratch(void **state)
{
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct filter_register *regs = calloc(3, sizeof(*regs));
	const struct filter_step step = {.nargs = 2};

	regs[0].count = 1;
	regs[0].values[0].bytes.data = "-ab";
	regs[0].values[0].bytes.len = 3;
	regs[1].count = 1;
	regs[1].values[0].bytes.data = "ab";
	regs[1].values[0].bytes.len = 2;
	scratch->used = sizeof(scratch->bytes) - 3;
	filter_step_getopt(&step, regs, scratch);
	assert_int_equal(regs[0].count, 2);
	assert_string_equal(regs[0].values[0].bytes.data, "a");
	assert_int_equal(regs[0].values[0].bytes.len, 1);
	assert_string_equal(regs[0].values[1].bytes.data, "");
	assert_int_equal(regs[0].values[1].bytes.len, 0);
	assert_int_equal(scratch->used, sizeof(scratch->bytes) - 1);
	free(regs);
	free(scratch);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all_options),    cmocka_unit_test(test_one_option),
	cmocka_unit_test(test_end_of_options), cmocka_unit_test(test_values),
	cmocka_unit_test(test_nothing),	       cmocka_unit_test(test_most),
	cmocka_unit_test(test_full_scratch),
};

UNIT_GROUP(tests);
