/* SPDX-License-Identifier: MIT */
/* The value of --profile. */
#include "agent/options/continuous.h"

#include <errno.h>

#include "unit.h"

static void test_values(void **state)
{
	struct continuous_options options = {0};
	struct arena memory = {0};

	assert_false(continuous_is_on(&options));
	assert_int_equal(options_read_continuous("folder=/a\\,b\\\\c,endpoint=http://c:4318,"
						 "interval=2m,frequency=99,off-cpu=true,keep=5M,"
						 "keep-time=2h",
						 &memory, &options),
			 0);
	assert_true(continuous_is_on(&options));
	assert_string_equal(options.folder, "/a,b\\c");
	assert_string_equal(options.endpoint, "http://c:4318");
	assert_int_equal(options.interval_ns, UINT64_C(120000000000));
	assert_int_equal(options.frequency_hz, 99);
	assert_true(options.off_cpu);
	assert_int_equal(options.keep_bytes, 5 << 20);
	assert_int_equal(options.keep_ns, UINT64_C(7200000000000));
	assert_int_equal(options_read_continuous("folder=/a,keep=2000000", &memory, &options), 0);
	assert_int_equal(options.keep_bytes, 2000000);
	/* What is not given has its default, not what was given before. */
	assert_int_equal(options_read_continuous("endpoint=https://c", &memory, &options), 0);
	assert_null(options.folder);
	assert_int_equal(options.interval_ns, UINT64_C(60000000000));
	assert_int_equal(options.frequency_hz, 19);
	assert_false(options.off_cpu);
	assert_int_equal(options.keep_bytes, 1 << 30);
	arena_finish(&memory);
}

static void test_rejected(void **state)
{
	static const char *const texts[] = {
		"",
		"folder",
		"folder=",
		"folder=relative",
		"interval=60s",
		"folder=/a,interval=0.5",
		"folder=/a,interval=2h",
		"folder=/a,frequency=1001",
		"folder=/a,frequency=0",
		"folder=/a,off-cpu=maybe",
		"folder=/a,keep=x",
		"folder=/a,keep=0",
		"folder=/a,keep=1023K",
		"folder=/a,keep=1048577G",
		"folder=/a,keep=17179869184G",
		"folder=/a,keep-time=0",
		"folder=/a,unknown=1",
		"folder=/a,,keep=1M",
		"endpoint=c:4318",
		"endpoint=http://",
		"endpoint=http://[::1",
		"endpoint=http://c:99999/",
		"endpoint=http://user:password@c:1/",
		"a-name-that-is-longer-than-all-of-the-names=1",
	};
	struct continuous_options options = {0};
	struct arena memory = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (options_read_continuous(texts[i], &memory, &options) != -EINVAL)
			fail_msg("accepted: %s", texts[i]);
		assert_false(continuous_is_on(&options));
	}
	arena_finish(&memory);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_rejected),
};

UNIT_GROUP(tests);
