/* SPDX-License-Identifier: MIT */
/* Values of keys of outputs, by their types. */
#include "output/config.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

struct values {
	char *text;
	struct output_list list;
	uint64_t bytes, count, ns;
	bool flag;
	unsigned int word;
};

static const char *const words[] = {"none", "gzip", "zstd", NULL};
static const struct output_key keys[] = {
	{"text", .value = OUTPUT_TEXT, .offset = offsetof(struct values, text)},
	{"list", .value = OUTPUT_LIST, .offset = offsetof(struct values, list)},
	{"bytes", .value = OUTPUT_BYTES, .offset = offsetof(struct values, bytes),
	 .fallback = "4K"},
	{"count", .value = OUTPUT_COUNT, .offset = offsetof(struct values, count)},
	{"time", .value = OUTPUT_TIME, .offset = offsetof(struct values, ns), .fallback = "250ms"},
	{"flag", .value = OUTPUT_FLAG, .offset = offsetof(struct values, flag)},
	{"word", .value = OUTPUT_WORD, .offset = offsetof(struct values, word), .words = words,
	 .fallback = "gzip"},
	{"token", .value = OUTPUT_COUNT, .offset = offsetof(struct values, count), .secret = true},
	{0},
};

static int set(struct values *values, const char *name, const char *value, struct error *err)
{
	return output_key_set(output_key_find(keys, name), value, values, err);
}

static void test_values(void **state)
{
	struct values values = {0};

	assert_int_equal(output_keys_init(keys, &values), 0);
	assert_int_equal(values.bytes, 4096);
	assert_int_equal(values.ns, 250000000);
	assert_int_equal(values.word, 1);
	assert_int_equal(set(&values, "text", "a", NULL), 0);
	assert_int_equal(set(&values, "text", "b", NULL), 0);
	assert_string_equal(values.text, "b");
	assert_int_equal(set(&values, "list", "x", NULL), 0);
	assert_int_equal(set(&values, "list", "y", NULL), 0);
	assert_int_equal(values.list.count, 2);
	assert_string_equal(values.list.items[1], "y");
	assert_int_equal(set(&values, "count", "0", NULL), 0);
	assert_int_equal(set(&values, "flag", "yes", NULL), 0);
	assert_true(values.flag);
	assert_int_equal(set(&values, "flag", "off", NULL), 0);
	assert_false(values.flag);
	assert_int_equal(set(&values, "word", "zstd", NULL), 0);
	assert_int_equal(values.word, 2);
	output_keys_finish(keys, &values);
}

static void test_rejected_values(void **state)
{
	static const struct {
		const char *name, *value, *message;
	} wrong[] = {
		{"bytes", "4k", "bytes: '4k' is not a number of bytes such as 64K, 8M or 1G"},
		{"count", "-1", "count: '-1' is not a number"},
		{"time", "soon", "time: 'soon' is not a time such as 5, 250ms, 10m or 24h"},
		{"flag", "perhaps", "flag: 'perhaps' is not yes or no"},
		{"word", "rar", "word: 'rar' is not none, gzip or zstd"},
		{"token", "s3cret", "token: 'the value' is not a number"},
	};
	struct values values = {0};
	struct error err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(set(&values, wrong[i].name, wrong[i].value, &err), -EINVAL);
		assert_string_equal(err.text, wrong[i].message);
	}
	assert_null(output_key_find(keys, "texts"));
	assert_null(output_key_find(NULL, "text"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_rejected_values),
};

UNIT_GROUP(tests);
