/* SPDX-License-Identifier: MIT */
/* Names of reasons, from types that this test makes. */
#include <string.h>

#include <bpf/btf.h>

#include "scap/live/reasons.h"
#include "unit.h"

static char names[REASONS_MAX][REASON_BYTES_MAX];

static struct btf *types_with(const char *type, const char *const words[], const int64_t values[],
			      size_t count)
{
	struct btf *types = btf__new_empty();

	assert_non_null(types);
	assert_true(btf__add_enum(types, type, 4) > 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(btf__add_enum_value(types, words[i], values[i]), 0);
	return types;
}

static void test_drops(void **state)
{
	static const char *const words[] = {
		"SKB_NOT_DROPPED_YET",	"SKB_DROP_REASON_NO_SOCKET",
		"SKB_DROP_REASON_LAST", "SKB_DROP_REASON_BEYOND",
		"SKB_DROP_REASON_MAX",	"SKB_DROP_REASON_NAME_THAT_IS_LONGER_THAN_ALL_OTHERS_ARE"};
	static const int64_t values[] = {0, 3, DROP_REASONS_MAX - 1, DROP_REASONS_MAX, 7, 8};
	struct btf *types = types_with("skb_drop_reason", words, values, 6);

	memset(names, 0, sizeof(names));
	live_reasons_read(types, names);
	assert_string_equal(names[0], "");
	assert_string_equal(names[3], "NO_SOCKET");
	assert_string_equal(names[DROP_REASONS_MAX - 1], "LAST");
	assert_string_equal(names[DROP_REASONS_MAX], "");
	assert_string_equal(names[7], "");
	assert_int_equal(strlen(names[8]), REASON_BYTES_MAX - 1);
	btf__free(types);
}

static void test_resets(void **state)
{
	static const char *const words[] = {"SK_RST_REASON_NOT_SPECIFIED",
					    "SK_RST_REASON_NO_SOCKET"};
	static const int64_t values[] = {0, 1};
	struct btf *types = types_with("sk_rst_reason", words, values, 2);

	memset(names, 0, sizeof(names));
	live_reasons_read(types, names);
	assert_string_equal(names[DROP_REASONS_MAX], "NOT_SPECIFIED");
	assert_string_equal(names[DROP_REASONS_MAX + 1], "NO_SOCKET");
	assert_string_equal(names[1], "");
	btf__free(types);
}

/* A kernel that has none. */
static void test_none(void **state)
{
	struct btf *types = btf__new_empty();

	assert_non_null(types);
	memset(names, 0, sizeof(names));
	live_reasons_read(types, names);
	for (size_t i = 0; i < REASONS_MAX; i++)
		assert_string_equal(names[i], "");
	btf__free(types);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_drops),
	cmocka_unit_test(test_resets),
	cmocka_unit_test(test_none),
};

UNIT_GROUP(tests);
