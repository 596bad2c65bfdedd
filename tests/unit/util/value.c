/* SPDX-License-Identifier: MIT */
/* Numbers of options: what is one, its limits, and what nearly is one. */
#include <errno.h>

#include "unit.h"
#include "util/value.h"

static void test_numbers(void **state)
{
	static const char *const wrong[] = {"",	 "-1", "+1",  " 1",   "1 ",
					    "x", "1x", "1.5", "0x10", "18446744073709551616"};
	uint64_t value = 7;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(value_read_u64(wrong[i], &value), -EINVAL);
	assert_int_equal(value_read_u64("0", &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(value_read_u64("18446744073709551615", &value), 0);
	assert_true(value == UINT64_MAX);
}

static void test_counts(void **state)
{
	uint64_t count = 7;

	assert_int_equal(value_read_count("0", 5, &count), -EINVAL);
	assert_int_equal(value_read_count("6", 5, &count), -EINVAL);
	assert_int_equal(value_read_count("x", 5, &count), -EINVAL);
	assert_int_equal(count, 7);
	assert_int_equal(value_read_count("5", 5, &count), 0);
	assert_int_equal(count, 5);
	assert_int_equal(value_read_count("1", 5, &count), 0);
	assert_int_equal(count, 1);
}

static void test_seconds(void **state)
{
	static const char *const wrong[] = {"",	  "0", "-1", "nan", "inf",  "1e10", "1e-10",
					    "1x", "s", " 1", "+1",  "0x10", "1 "};
	uint64_t ns;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(value_read_seconds(wrong[i], &ns), -EINVAL);
	assert_int_equal(value_read_seconds("0.25", &ns), 0);
	assert_int_equal(ns, 250000000);
	assert_int_equal(value_read_seconds(".5", &ns), 0);
	assert_int_equal(ns, 500000000);
	assert_int_equal(value_read_seconds("1h", &ns), 0);
	assert_true(ns == UINT64_C(3600000000000));
	assert_int_equal(value_read_seconds("0ms", &ns), -EINVAL);
	assert_int_equal(value_read_seconds(".", &ns), -EINVAL);
	assert_int_equal(value_read_seconds("1e9", &ns), 0);
	assert_true(ns == UINT64_C(1000000000000000000));
}

static void test_percent(void **state)
{
	static const char *const wrong[] = {"", "0", "-1", "x", "5%", "100.1", "nan", "inf", "0x5"};
	double percent;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(value_read_percent(wrong[i], &percent), -EINVAL);
	assert_int_equal(value_read_percent("100", &percent), 0);
	assert_true(percent == 100);
	assert_int_equal(value_read_percent("0.5", &percent), 0);
	assert_true(percent == 0.5);
}

static void test_bytes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} right[] = {
		{"0", 0},	 {"65536", 65536}, {"64K", 65536},
		{"8M", 8 << 20}, {"1G", 1 << 30},  {"1073741824", 1 << 30},
	};
	static const char *const wrong[] = {"",
					    "x",
					    "K",
					    "-4096",
					    "4Q",
					    "4KB",
					    "4k",
					    "1073741825",
					    "99999999999999999999",
					    "18446744073709551615K"};
	uint64_t bytes;

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		assert_int_equal(value_read_bytes(right[i].text, 1 << 30, &bytes), 0);
		assert_int_equal(bytes, right[i].bytes);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(value_read_bytes(wrong[i], 1 << 30, &bytes), -EINVAL);
}

static void test_times(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} right[] = {
		{"0", 0},
		{"5", 5000000000},
		{"0.5", 500000000},
		{"250ms", 250000000},
		{"1.5s", 1500000000},
		{"10m", 600000000000},
		{"24h", 86400000000000},
		{"7d", 604800000000000},
	};
	static const char *const wrong[] = {"",	    "s",   "-1",  "1x",	   "1 s",
					    "0x10", "inf", "nan", "1e300", "999999999999d"};
	uint64_t ns;

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		assert_int_equal(value_read_time(right[i].text, &ns), 0);
		assert_int_equal(ns, right[i].ns);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(value_read_time(wrong[i], &ns), -EINVAL);
}

static void test_ports(void **state)
{
	static const char *const wrong[] = {"",	  "0", "65536", "x", "-1", "99999999999999999999",
					    "80x"};
	uint16_t port;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_null(value_read_port(wrong[i], '\0', &port));
	assert_string_equal(value_read_port("65535", '\0', &port), "");
	assert_int_equal(port, 65535);
	assert_string_equal(value_read_port("80-90", '-', &port), "90");
	assert_int_equal(port, 80);
	assert_null(value_read_port("80", '-', &port));
}

static void test_pids(void **state)
{
	static const char *const wrong[] = {"",	       "0",  "-1", "x",
					    "4194305", ",1", "1x", "99999999999999999999"};
	pid_t pid;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_null(value_read_pid(wrong[i], &pid));
	assert_string_equal(value_read_pid("4194304", &pid), "");
	assert_int_equal(pid, 4194304);
	assert_string_equal(value_read_pid("17,18", &pid), ",18");
	assert_int_equal(pid, 17);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers), cmocka_unit_test(test_counts),
	cmocka_unit_test(test_seconds), cmocka_unit_test(test_percent),
	cmocka_unit_test(test_bytes),	cmocka_unit_test(test_times),
	cmocka_unit_test(test_ports),	cmocka_unit_test(test_pids),
};

UNIT_GROUP(tests);
