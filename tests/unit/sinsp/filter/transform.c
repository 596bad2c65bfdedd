/* SPDX-License-Identifier: MIT */
/* What transformers give. */
#include <string.h>

#include "fake_fields.h"
#include "filtered.h"
#include "unit.h"

static void test_case_and_names(void **state)
{
	fake_clear();
	fake_add_text("text.a", "/Usr/BIN/\xc3\x84 z");
	fake_add_text("text.b", "/usr/bin/");
	fake_add_text("list.text", "/a/B");
	fake_add_text("list.text", "C");
	TRUE("tolower(text.a) = '/usr/bin/\xc3\x84 z'", "toupper(text.a) = '/USR/BIN/\xc3\x84 Z'",
	     "basename(text.a) = '\xc3\x84 z'", "basename(text.b) = ''", "basename('x') = x",
	     "tolower(list.text) in (/a/b, c)", "basename(list.text) in (B, C)",
	     "tolower(basename(list.text)) in (b, c)", "len(basename(text.b)) = 0",
	     "len(text.b) = 9", "len(list.text) = 2", "tolower(text.a) != toupper(text.a)");
	FALSE("tolower(text.none) exists", "len(text.none) exists", "toupper(text.b) = /usr/bin/");
}

static void test_b64(void **state)
{
	fake_clear();
	fake_add_bytes("bytes.a", "AAEC/+8=", 8);
	TRUE("b64('aGVsbG8=') = hello", "b64('aGVsbG8') = hello", "b64('aGVsbA==') = hell",
	     "b64('aGVsbA') = hell", "b64('') = ''", "b64('aGVs') = hel", "b64('YQBi') = a",
	     "b64(bytes.a) = '\\x00\\x01\\x02\\xff\\xef'", "len(b64(bytes.a)) = 5");
	FALSE("b64('a') exists", "b64('a!bc') exists", "b64('aGVsbG8==') exists",
	      "b64('aGVs=') exists", "b64('====') exists", "b64('a GVs') exists");
}

/* Without a value of what they take there is none, and paths are texts. */
static void test_absent_and_paths(void **state)
{
	fake_clear();
	FALSE("tolower(text.a) exists", "toupper(text.a) != x", "basename(text.a) = ''",
	      "b64(text.a) exists", "b64(bytes.a) != x", "len(text.a) = 0", "len(bytes.a) >= 0",
	      "len(path.a) exists", "concat('x', text.a) exists", "join(',', list.text) exists",
	      "join(text.a, ('x')) exists", "join(',', ('x', num.i64)) exists",
	      "getopt(list.text, 'a') exists", "getopt(list.text, 'a')[a] != x",
	      "getopt(('-a'), text.a) exists", "tolower(list.text) exists",
	      "tolower(list.text) in (x)", "text.b = tolower(text.a)", "text.b != tolower(text.a)");
	TRUE("len(list.text) = 0", "not tolower(text.a) != x");
	fake_set_empty("list.text");
	TRUE("tolower(list.text) in (x)", "basename(list.text) exists", "join(',', list.text) = ''",
	     "len(getopt(list.text, 'a')) = 0");
	FALSE("toupper(list.text) intersects (x)", "getopt(list.text, 'a')[a] exists");
	fake_add_text("path.a", "/Usr/Bin/");
	fake_add_text("type.FSRELPATH", "../A.So");
	TRUE("tolower(path.a) = /usr/bin/", "toupper(type.FSRELPATH) = ../A.SO",
	     "basename(path.a) = ''", "basename(type.FSRELPATH) = A.So", "len(path.a) = 9",
	     "tolower(basename(type.FSRELPATH)) = a.so", "tolower(path.a) pmatch (/usr)",
	     "toupper(path.a) startswith /USR", "len(tolower(basename(path.a))) = 0");
}

static void test_joining(void **state)
{
	fake_clear();
	fake_add_text("text.a", "a");
	fake_add_text("list.text", "x");
	fake_add_text("list.text", "y");
	fake_add_i64("num.i64", -3);
	fake_add_u64("num.u64", UINT64_MAX);
	fake_add_u64("bool.a", 1);
	TRUE("concat(text.a, 'b', 0x1F, text.a) = ab0x1Fa", "join(',', list.text) = 'x,y'",
	     "join('', list.text) = xy",
	     "join(', ', (text.a, list.text, 'z', 5)) = 'a, x, y, z, 5'",
	     "join(text.a, (1, 2, 3)) = 1a2a3", "join(',', ()) = ''", "len(()) = 0",
	     "join(',', (num.i64, num.u64, bool.a)) = '-3,18446744073709551615,true'",
	     "len((list.text, list.text, text.a)) = 5", "join(',', (list.text)) = 'x,y'",
	     "join('-', (concat(text.a, 'x'), toupper(text.a), join('', list.text))) = ax-A-xy",
	     "concat(join(',', (1, 2)), join(',', (3, 4))) = '1,23,4'", "len((text.none)) = 0");
	FALSE("concat(text.a, text.none) exists", "join(text.none, list.text) exists",
	      "join(',', (text.a, text.none)) exists", "join(',', list.other) exists");
}

/* Texts that fill the scratch memory of a filter are no value, and nothing is overrun. */
static void test_full_scratch(void **state)
{
	static char big[FIELD_SCRATCH_BYTES / 3];

	memset(big, 'A', sizeof(big) - 1);
	fake_clear();
	fake_add_text("text.a", big);
	TRUE("len(tolower(text.a)) > 5", "len(concat(text.a, text.a)) > 5");
	FALSE("concat(text.a, text.a, text.a, text.a) exists",
	      "concat(tolower(text.a), tolower(text.a)) exists");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_case_and_names),	 cmocka_unit_test(test_b64),
	cmocka_unit_test(test_absent_and_paths), cmocka_unit_test(test_joining),
	cmocka_unit_test(test_full_scratch),
};

UNIT_GROUP(tests);
