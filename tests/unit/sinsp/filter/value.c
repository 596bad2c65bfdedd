/* SPDX-License-Identifier: MIT */
/* Constants as values of the type of the field: the value, or what is wrong with the text. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_fields.h"
#include "sinsp/filter/program.h"
#include "unit.h"

/* A constant that was bound for an operator on the left side, and the memory of both. */
struct bound {
	struct filter *filter;
	struct filter_error err;
	struct filter_constant constant;
	int code;
};

/* The constant is `len` bytes, followed by a NUL. To be released by filter_destroy(). */
static struct bound bind_bytes(const char *left, enum filter_op op, const char *bytes, size_t len)
{
	struct bound bound = {.filter = calloc(1, sizeof(*bound.filter))};
	struct filter_binder binder = {.filter = bound.filter, .text = left, .err = &bound.err};
	struct operand_binder operands = {&bound.filter->arena, &bound.filter->refs, left,
					  &bound.err};
	const struct filter_expr expr = {.position = 1, .text = {bytes, len}};
	struct filter_operand operand = {0};
	struct filter_expr *parsed;
	size_t end;

	assert_int_equal(filter_parse_operand(left, 0, &bound.filter->arena, &parsed, &end, NULL),
			 0);
	assert_int_equal(operand_bind(&operands, parsed, 0, &operand), 0);
	bound.code = filter_bind_constant(&binder, &operand, op, &expr, &bound.constant);
	return bound;
}

static struct bound bind_text(const char *left, enum filter_op op, const char *text)
{
	return bind_bytes(left, op, text, strlen(text));
}

static void expect_number(const char *left, const char *text, int64_t number)
{
	struct bound bound = bind_text(left, FILTER_EQ, text);

	if (bound.code)
		fail_msg("%s = '%s': %s", left, text, bound.err.text);
	if (bound.constant.value.i64 != number)
		fail_msg("%s = '%s' is %lld", left, text, (long long)bound.constant.value.i64);
	filter_destroy(bound.filter);
}

static void expect_error_of(const char *left, enum filter_op op, const char *text, const char *says)
{
	struct bound bound = bind_text(left, op, text);

	if (bound.code != -EINVAL)
		fail_msg("%s and '%s' should be rejected", left, text);
	if (bound.err.position != 1 || !strstr(bound.err.text, says))
		fail_msg("%s and '%s': %zu: %s", left, text, bound.err.position, bound.err.text);
	filter_destroy(bound.filter);
}

static void expect_error(const char *left, const char *text, const char *says)
{
	expect_error_of(left, FILTER_EQ, text, says);
}

static void test_numbers(void **state)
{
	static const char *const wrong[] = {"",	   "0x",  "1.5",  "5 ",	  "abc", "1e+5", "-",
					    "- 1", "5x1", "-0x1", "0x1g", "+",	 "--1",	 "0xg"};

	expect_number("num.i64", "0", 0);
	expect_number("num.i64", "-1", -1);
	expect_number("num.i64", "+7", 7);
	expect_number("num.i64", " \t\n\v\f\r5", 5);
	expect_number("num.i64", "007", 7);
	expect_number("num.i64", "9223372036854775807", INT64_MAX);
	expect_number("num.i64", "99999999999999999999", INT64_MAX);
	expect_number("num.u64", "18446744073709551615", -1);
	expect_number("num.u64", "-1", -1);
	/* As a variable of that type would have it. */
	expect_number("num.i8", "127", 127);
	expect_number("num.i8", "128", -128);
	expect_number("num.i8", "300", 44);
	expect_number("type.UINT8", "300", 44);
	expect_number("type.UINT8", "-1", 255);
	expect_number("type.UINT16", "65536", 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		expect_error("num.i64", wrong[i], "is not a whole number");
	expect_error("type.FLAGS32", "O_RDWR", "evt.arg.NAME has names of flags");
}

static void test_hexadecimal(void **state)
{
	expect_number("num.i64", "0x10", 16);
	expect_number("num.i64", "0XfF", 255);
	expect_number("num.i64", "0xffffffffffffffff", -1);
	expect_number("num.u64", "0x0000000000000000ff", 255);
	/* The bits, whatever the sign. */
	expect_number("num.i8", "0xff", -1);
	expect_number("type.UINT8", "0xff", 255);
	expect_error("num.i8", "0x100", "'0x100' does not fit: this is a number of 8 bits");
	expect_error("num.u64", "0x10000000000000000", "does not fit: this is a number of 64 bits");
	expect_error("num.port", "0x10050", "a number of 16 bits");
	expect_error("num.i8", " 0x1", "not a whole number");
}

static void test_quantities(void **state)
{
	expect_number("time.ns", "1.5ms", 1500000);
	expect_number("size.u32", "2KiB", 2048);
	expect_number("size.kib", "1MiB", 1024);
	expect_number("len(text.a)", "1kB", 1000);
	expect_error("num.u64", "5ms", "has a unit, but this is a plain number");
	expect_error("len(list.text)", "1kB", "plain number");
	expect_error("time.ns", "1KiB", "wrong unit");
}

static void test_doubles(void **state)
{
	struct bound bound = bind_text("num.double", FILTER_LT, "-4");

	assert_int_equal(bound.code, 0);
	assert_true(bound.constant.value.f64 == -4.0);
	filter_destroy(bound.filter);
	expect_error("num.double", "1.5", "not a whole number");
	expect_error("num.double", "x", "not a whole number");
}

static void test_booleans(void **state)
{
	static const char *const wrong[] = {"1", "yes", "True", "", "tru", "truefalse"};

	expect_number("bool.a", "true", 1);
	expect_number("bool.a", "false", 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		expect_error("bool.a", wrong[i], "is not 'true' or 'false'");
}

static void test_ports(void **state)
{
	expect_number("num.port", "80", 80);
	expect_number("num.port", "http", 80);
	expect_number("num.port", "0x50", 80);
	expect_number("num.port", "", 0);
	expect_number("num.port", "70000", 70000 - 65536);
	expect_number("num.port", "2147483647", 65535);
	expect_error("num.port", "2147483648", "not a port number");
	expect_error("num.port", "99999999999999999999", "not a port number");
	expect_error("num.port", "-1", "a port number or the name of a service");
	expect_error("num.port", "1.5", "a port number or the name of a service");
	expect_error("num.port", "nosuchport", "the name of a service");
}

static void expect_address(const char *left, const char *text, const char *address, uint8_t prefix)
{
	struct bound bound = bind_text(left, FILTER_EQ, text);
	int family = strchr(address, '.') ? AF_INET : AF_INET6;
	uint8_t wanted[16];

	assert_int_equal(bound.code, 0);
	inet_pton(family, address, wanted);
	assert_int_equal(bound.constant.value.ip.len, family == AF_INET ? 4 : 16);
	assert_memory_equal(bound.constant.value.ip.address, wanted, bound.constant.value.ip.len);
	assert_int_equal(bound.constant.prefix, prefix);
	filter_destroy(bound.filter);
}

static void test_addresses(void **state)
{
	static const char *const wrong[] = {"1.2.3",	 "256.1.1.1", "localhost", "::ffff:1.2.3.4",
					    "1.2.3.4/8", "",	      "1",	   "fe80::1%eth0"};

	expect_address("ip.a", "1.2.3.4", "1.2.3.4", 0);
	expect_address("ip.a", "::1", "::1", 0);
	expect_address("ip.a", "fe80::1", "fe80::1", 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		expect_error("ip.a", wrong[i], "is not an IP address");
}

static void test_networks(void **state)
{
	static const char *const wrong[] = {"10.0.0.0/33", "fe80::/0",	 "fe80::/129",
					    "10.0.0.0/",   "10.0.0.0/x", "10.0.0.0/8x",
					    "10.0.0.0/-1", "10.0.0.0/ 8"};

	expect_address("net.a", "10.0.0.0/8", "10.0.0.0", 8);
	expect_address("net.a", "0.0.0.0/0", "0.0.0.0", 0);
	expect_address("net.a", "1.2.3.4/32", "1.2.3.4", 32);
	expect_address("net.a", "fe80::/10", "fe80::", 10);
	expect_address("net.a", "::/1", "::", 1);
	expect_address("net.a", "::/128", "::", 128);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		expect_error("net.a", wrong[i], "a network: its number of bits is wrong");
	expect_error("net.a", "10/8", "a network: its address is wrong");
	expect_error("net.a", "/8", "a network: its address is wrong");
	expect_error("net.a", "10.0.0.0", "an address, '/' and a number of bits");
	expect_error("net.a", "localhost", "an address, '/' and a number of bits");
	expect_error("net.a", "1.2.3.4.5.6.7.8.9.0.1.2.3.4.5.6.7.8.9.0.1.2.3.4/8",
		     "an address, '/' and a number of bits");
}

static void expect_bytes(const char *left, enum filter_op op, const char *text, const char *wanted,
			 size_t len)
{
	struct bound bound = bind_text(left, op, text);

	assert_int_equal(bound.code, 0);
	assert_int_equal(bound.constant.value.bytes.len, len);
	assert_memory_equal(bound.constant.value.bytes.data, wanted, len);
	filter_destroy(bound.filter);
}

static void test_texts(void **state)
{
	struct bound bound;

	expect_bytes("text.a", FILTER_EQ, "x y", "x y", 3);
	expect_bytes("text.a", FILTER_EQ, "", "", 0);
	expect_bytes("path.a", FILTER_STARTSWITH, "/usr/", "/usr/", 5);
	expect_bytes("path.a", FILTER_PMATCH, "//usr/lib/", "usr\0lib", 8);
	bound = bind_bytes("bytes.a", FILTER_EQ, "a\0b", 3);
	assert_int_equal(bound.code, 0);
	assert_int_equal(bound.constant.value.bytes.len, 3);
	filter_destroy(bound.filter);
	bound = bind_bytes("text.a", FILTER_EQ, "a\0b", 3);
	assert_int_equal(bound.code, -EINVAL);
	assert_string_equal(bound.err.text, "the value has a NUL byte");
	filter_destroy(bound.filter);
	expect_error_of("text.a", FILTER_REGEX, "(", "missing )");
}

static void test_hexadecimal_bytes(void **state)
{
	expect_bytes("bytes.a", FILTER_BCONTAINS, "00fFA1", "\0\xff\xa1", 3);
	expect_bytes("bytes.a", FILTER_BSTARTSWITH, "", "", 0);
	expect_error_of("bytes.a", FILTER_BCONTAINS, "0", "an even number of hexadecimal digits");
	expect_error_of("bytes.a", FILTER_BCONTAINS, "00f", "an even number");
	expect_error_of("bytes.a", FILTER_BCONTAINS, "0x", "a row of hexadecimal digits");
	expect_error_of("bytes.a", FILTER_BSTARTSWITH, "GG", "a row of hexadecimal digits");
}

static void test_wildcards(void **state)
{
	struct bound bound = bind_text("path.a", FILTER_PMATCH, "/usr/*");

	assert_true(bound.constant.globbed);
	filter_destroy(bound.filter);
	bound = bind_text("path.a", FILTER_PMATCH, "/usr");
	assert_false(bound.constant.globbed);
	filter_destroy(bound.filter);
}

static void test_long_constants(void **state)
{
	static const char *const fields[] = {"text.a", "num.i8", "bytes.a"};
	char text[257];

	memset(text, '0', 256);
	for (size_t i = 0; i < 3; i++) {
		struct bound bound =
			bind_bytes(fields[i], FILTER_EQ, (text[255] = '\0', text), 255);

		assert_int_equal(bound.code, 0);
		filter_destroy(bound.filter);
		text[255] = '0';
		text[256] = '\0';
		expect_error(fields[i], text, "too long: 256 bytes, at most 255 are allowed");
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),	   cmocka_unit_test(test_hexadecimal),
	cmocka_unit_test(test_quantities), cmocka_unit_test(test_doubles),
	cmocka_unit_test(test_booleans),   cmocka_unit_test(test_ports),
	cmocka_unit_test(test_addresses),  cmocka_unit_test(test_networks),
	cmocka_unit_test(test_texts),	   cmocka_unit_test(test_hexadecimal_bytes),
	cmocka_unit_test(test_wildcards),  cmocka_unit_test(test_long_constants),
};

UNIT_GROUP(tests);
