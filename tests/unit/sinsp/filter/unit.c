/* SPDX-License-Identifier: MIT */
/* Constants with units and hexadecimal ones: exact answers, and errors that say what is right. */
#include <stdio.h>

#include "fake_fields.h"
#include "filtered.h"
#include "unit.h"

/* The value of a field, and the expressions that are true and false of it, ended by NULL. */
static void check(const char *field, int64_t value, const char *const *true_of,
		  const char *const *false_of)
{
	char text[128];

	fake_clear();
	fake_add_i64(field, value);
	for (; *true_of; true_of++) {
		snprintf(text, sizeof(text), "%s %s", field, *true_of);
		if (!filtered(NULL, text))
			fail_msg("'%s' should be true of %lld", text, (long long)value);
	}
	for (; *false_of; false_of++) {
		snprintf(text, sizeof(text), "%s %s", field, *false_of);
		if (filtered(NULL, text))
			fail_msg("'%s' should be false of %lld", text, (long long)value);
	}
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_times(void **state)
{
	check("time.ns", 1500000,
	      TEXTS("= 1.5ms", "== 1500us", "= '1500000ns'", "> 1ms", ">1.4ms", "<2ms", "<= 1.5ms",
		    ">= 0.0015s", "in (1s, 1.5ms)", "intersects (1.500ms)", "< 1m", "< 1h", "< 1d",
		    "> 1.4999999ms", "!= 1s", "= anyof (1s, 1.5ms)", "< 0.5h and time.ns > 1ms",
		    "< 2ms or(time.ns exists)", "= +1.5ms"),
	      TEXTS("> 1.5ms", "< 1.5ms", "= 1ms", "> 1s", "!= 1.5ms", "in (1s, 2s)"));
	check("time.ns", 86400000000000, TEXTS("= 1d", "= 24h", "= 1440m", "= 86400s"),
	      TEXTS("< 1d"));
}

/* Between two numbers of the field, the answer is that of the exact quantity. */
static void test_between(void **state)
{
	check("time.s", 1, TEXTS("< 1500ms", "<= 1500ms", "= 1000ms", "> 999999999ns", "< 1.1s"),
	      TEXTS("> 1500ms", ">= 1500ms", "> 1s"));
	check("time.s", 2, TEXTS("> 1500ms", ">= 1500ms", "> 1.999999999s", "= 2s"),
	      TEXTS("< 1500ms", "<= 1500ms", "<= 1999ms"));
	check("size.kib", 976, TEXTS("< 1MB", "<= 1MB"), TEXTS("> 1MB", ">= 1MB"));
	check("size.kib", 977, TEXTS("> 1MB", ">= 1MB"), TEXTS("< 1MB", "<= 1MB"));
	check("size.i64", -1, TEXTS("> -1.5B", ">= -1.5B", "= -1B", "< 0.5B", "< -0.5B"),
	      TEXTS("< -1.5B", "<= -1.5B", "> -0.5B", ">= -0.5B"));
	check("size.i64", -2, TEXTS("< -1.5B", "<= -1.5B"), TEXTS("> -1.5B", ">= -1.5B"));
}

static void test_sizes(void **state)
{
	check("size.u32", 65536,
	      TEXTS("= 64KiB", "= 65536B", "= 0.0625MiB", "> 65kB", "> 65KB", "< 66kB", "< 1GiB",
		    "< 4GB", "< 0.003TiB"),
	      TEXTS("= 64kB", "> 64KiB", "> 1MB"));
	check("size.kib", 1048576, TEXTS("= 1GiB", "> 1GB", "= 1048576", "< 1TB", "= 1024MiB"),
	      TEXTS("!= 1GiB", "< 1GiB"));
	check("size.i64", -4096, TEXTS("= -4KiB", "< 0B", "> -1MiB"), TEXTS("> -4KiB"));
}

static void test_lengths(void **state)
{
	fake_clear();
	fake_add_text("text.a", "abcd");
	assert_true(filtered(NULL, "len(text.a) < 1kB"));
	assert_true(filtered(NULL, "len(text.a) = 4B"));
	assert_false(filtered(NULL, "len(text.a) > 1KiB"));
}

static void test_within(void **state)
{
	check("near.ns", 2000000000, TEXTS("= 2s", "= 2000", "= 2000ms", "= 1h"),
	      TEXTS("= 1999ms", "= 1s"));
}

static void test_hexadecimal(void **state)
{
	check("num.u16", 0x1f0, TEXTS("= 0x1f0", "= 0X1F0", "> 0x1ef", "in (1, 0x1F0)", "< 0x1f1"),
	      TEXTS("= 0x1f", "!= 0x01f0", "> 0x1f0"));
	check("num.i8", -1, TEXTS("= 0xff", "< 0x7f", "> 0x80"), TEXTS("= 0x7f"));
	check("num.u64", -1, TEXTS("= 0xffffffffffffffff", "= 0x0ffffffffffffffff"),
	      TEXTS("= 0xf"));
	check("num.port", 80, TEXTS("= 0x50", "in (0x16, 0x50)"),
	      TEXTS("= 80 and num.port = 0x51"));
}

static void test_errors(void **state)
{
	filtered_expect_error("time.ns > 5sec", 12, "unknown unit 'sec'; there are ns, us, ms, s");
	filtered_expect_error("time.ns > 5K", 12, "unknown unit 'K'");
	filtered_expect_error("time.ns > 5mand num.u16 = 1", 12, "unknown unit 'mand'");
	filtered_expect_error("time.ns = 5K", 11, "'K' is not a unit; this is a time (ns, us,");
	filtered_expect_error("size.u32 = 5k", 12, "'k' is not a unit; this is a size (B, kB,");
	filtered_expect_error("size.u32 > 5ms", 12, "the wrong unit: this is a size (B, kB,");
	filtered_expect_error("time.ns in (1s, 5MiB)", 17, "the wrong unit: this is a time");
	filtered_expect_error("num.u16 > 5ms", 11, "has a unit, but this is a plain number");
	filtered_expect_error("num.u16 = 5apples", 11, "not a whole number");
	filtered_expect_error("len(list.text) > 1kB", 18, "plain number");
	filtered_expect_error("time.ns = 0.5ns", 11, "not a whole number of nanoseconds");
	filtered_expect_error("time.s = 1500ms", 10, "not a whole number of seconds");
	filtered_expect_error("time.s in (1s, 1ms)", 16, "not a whole number of seconds");
	filtered_expect_error("size.kib != 1MB", 13, "not a whole number of KiB");
	filtered_expect_error("size.u32 > 4GiB", 12,
			      "is more than this can be: a number of bytes in 32 bits");
	filtered_expect_error("size.i64 < -8388608TiB and size.i64 > 8388608TiB", 39,
			      "is more than this");
	filtered_expect_error("time.ns > -1ms", 11, "is less than this can be");
	filtered_expect_error("time.ns > 99999999999999999999999d", 11, "is more than this can be");
	filtered_expect_error("time.ns > 99999999999999999999999999999999999999d", 11,
			      "too many digits");
	/* 2 to the power of 128. */
	filtered_expect_error("time.ns > 340282366920938463463374607431768211456ns", 11,
			      "too many digits");
	filtered_expect_error("time.ns > 0.0000000000000000000000000000000000000001ms", 11,
			      "too many digits");
	filtered_expect_error("time.ns = 1e+3ms", 11, "is not a unit");
	filtered_expect_error("time.ns = '1 ms'", 11, "not a whole number");
	filtered_expect_error("time.ns > 1.5", 11, "not a whole number");
	filtered_expect_error("bool.a = 1s", 10, "'true' or 'false'");
	filtered_expect_error("num.u16 > 0x10000", 11, "does not fit: this is a number of 16 bits");
	filtered_expect_error("num.double > 1ms", 14, "not a whole number");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_times),  cmocka_unit_test(test_between),
	cmocka_unit_test(test_sizes),  cmocka_unit_test(test_lengths),
	cmocka_unit_test(test_within), cmocka_unit_test(test_hexadecimal),
	cmocka_unit_test(test_errors),
};

UNIT_GROUP(tests);
