/* SPDX-License-Identifier: MIT */
/* How values of each type are compared, and what paths are for `pmatch`. */
#include <arpa/inet.h>
#include <string.h>

#include "sinsp/filter/program.h"
#include "unit.h"

static bool compares(enum param_type type, enum filter_op op, struct field_value value,
		     struct filter_constant constant)
{
	filter_compare *compare = filter_compare_of(type, op);

	assert_non_null(compare);
	return compare(&value, &constant);
}

/* What the orders and equality say of a value that is less, equal or greater. */
static void expect_order(enum param_type type, struct field_value value, struct field_value other,
			 int order)
{
	const struct filter_constant constant = {.value = other};

	assert_int_equal(compares(type, FILTER_EQ, value, constant), order == 0);
	assert_int_equal(compares(type, FILTER_IN, value, constant), order == 0);
	assert_int_equal(compares(type, FILTER_INTERSECTS, value, constant), order == 0);
	/* Who asks for != inverts it. */
	assert_int_equal(compares(type, FILTER_NE, value, constant), order == 0);
	assert_int_equal(compares(type, FILTER_LT, value, constant), order < 0);
	assert_int_equal(compares(type, FILTER_LE, value, constant), order <= 0);
	assert_int_equal(compares(type, FILTER_GT, value, constant), order > 0);
	assert_int_equal(compares(type, FILTER_GE, value, constant), order >= 0);
}

#define I64(number)                                                                                \
	(struct field_value)                                                                       \
	{                                                                                          \
		.i64 = number                                                                      \
	}
#define U64(number)                                                                                \
	(struct field_value)                                                                       \
	{                                                                                          \
		.u64 = number                                                                      \
	}
#define F64(number)                                                                                \
	(struct field_value)                                                                       \
	{                                                                                          \
		.f64 = number                                                                      \
	}

static void test_numbers(void **state)
{
	expect_order(PT_INT64, I64(-1), I64(0), -1);
	expect_order(PT_INT64, I64(-1), I64(-1), 0);
	expect_order(PT_INT8, I64(5), I64(-100), 1);
	expect_order(PT_INT64, I64(INT64_MIN), I64(INT64_MAX), -1);
	expect_order(PT_UINT64, U64(UINT64_MAX), U64(0), 1);
	expect_order(PT_UINT64, U64(1ull << 63), U64((1ull << 63) - 1), 1);
	expect_order(PT_PORT, U64(80), U64(80), 0);
	expect_order(PT_FLAGS32, U64(1), U64(2), -1);
	expect_order(PT_DOUBLE, F64(-1.5), F64(1.25), -1);
	expect_order(PT_DOUBLE, F64(0.5), F64(0.5), 0);
	expect_order(PT_DOUBLE, F64(2), F64(1), 1);
}

static struct field_value bytes(const char *data, size_t len)
{
	return (struct field_value){.bytes = {data, len}};
}

#define BYTES(text) bytes(text, sizeof(text) - 1)

static void test_order_of_texts(void **state)
{
	expect_order(PT_CHARBUF, BYTES("abc"), BYTES("abd"), -1);
	expect_order(PT_CHARBUF, BYTES("abc"), BYTES("abc"), 0);
	expect_order(PT_FSPATH, BYTES("b"), BYTES("abc"), 1);
	expect_order(PT_FSRELPATH, BYTES(""), BYTES("a"), -1);
	expect_order(PT_CHARBUF, BYTES("ab"), BYTES("abc"), -1);
	/* Bytes, not characters of the locale. */
	expect_order(PT_CHARBUF, BYTES("\xc3\xa9"), BYTES("z"), 1);
	expect_order(PT_CHARBUF, BYTES("Z"), BYTES("a"), -1);
}

/* One value and one constant for an operator that takes texts or buffers. */
static bool holds(enum param_type type, enum filter_op op, struct field_value value,
		  struct field_value constant)
{
	return compares(type, op, value, (struct filter_constant){.value = constant});
}

static void test_parts_of_bytes(void **state)
{
	static const enum param_type types[] = {PT_CHARBUF, PT_BYTEBUF};

	for (size_t i = 0; i < 2; i++) {
		enum param_type type = types[i];

		assert_true(holds(type, FILTER_CONTAINS, BYTES("abc"), BYTES("b")));
		assert_true(holds(type, FILTER_CONTAINS, BYTES("abc"), BYTES("")));
		assert_true(holds(type, FILTER_CONTAINS, BYTES("abc"), BYTES("abc")));
		assert_false(holds(type, FILTER_CONTAINS, BYTES("abc"), BYTES("abcd")));
		assert_false(holds(type, FILTER_CONTAINS, BYTES("abc"), BYTES("B")));
		assert_true(holds(type, FILTER_STARTSWITH, BYTES("abc"), BYTES("ab")));
		assert_true(holds(type, FILTER_STARTSWITH, BYTES("abc"), BYTES("abc")));
		assert_false(holds(type, FILTER_STARTSWITH, BYTES("abc"), BYTES("abcd")));
		assert_false(holds(type, FILTER_STARTSWITH, BYTES("abc"), BYTES("bc")));
		assert_true(holds(type, FILTER_ENDSWITH, BYTES("abc"), BYTES("bc")));
		assert_true(holds(type, FILTER_ENDSWITH, BYTES("abc"), BYTES("")));
		assert_true(holds(type, FILTER_ENDSWITH, BYTES("abc"), BYTES("abc")));
		assert_false(holds(type, FILTER_ENDSWITH, BYTES("abc"), BYTES("ab")));
		assert_false(holds(type, FILTER_ENDSWITH, BYTES("abc"), BYTES("xabc")));
	}
	/* The length ends a value, whatever stands around it. */
	assert_false(holds(PT_BYTEBUF, FILTER_STARTSWITH, bytes("abcd", 3), BYTES("abcd")));
	assert_false(holds(PT_BYTEBUF, FILTER_ENDSWITH, bytes(&"xabc"[1], 3), BYTES("xabc")));
	assert_false(holds(PT_BYTEBUF, FILTER_CONTAINS, bytes("abcd", 3), BYTES("d")));
	/* Buffers may have NUL bytes. */
	assert_true(holds(PT_BYTEBUF, FILTER_EQ, BYTES("a\0b"), BYTES("a\0b")));
	assert_false(holds(PT_BYTEBUF, FILTER_EQ, BYTES("a\0b"), BYTES("a\0c")));
	assert_false(holds(PT_BYTEBUF, FILTER_EQ, BYTES("a\0b"), BYTES("a")));
	assert_true(holds(PT_BYTEBUF, FILTER_BCONTAINS, BYTES("xa\0b"), BYTES("\0b")));
	assert_true(holds(PT_BYTEBUF, FILTER_BSTARTSWITH, BYTES("a\0b"), BYTES("a\0")));
	assert_false(holds(PT_BYTEBUF, FILTER_BSTARTSWITH, BYTES("a\0b"), BYTES("a\0c")));
}

static void test_patterns(void **state)
{
	assert_true(holds(PT_CHARBUF, FILTER_ICONTAINS, BYTES("aBc"), BYTES("bC")));
	assert_false(holds(PT_CHARBUF, FILTER_ICONTAINS, BYTES("aBc"), BYTES("cb")));
	assert_true(holds(PT_CHARBUF, FILTER_GLOB, BYTES("/a/b.so"), BYTES("/*.so")));
	assert_true(holds(PT_CHARBUF, FILTER_GLOB, BYTES(".a"), BYTES("?a")));
	assert_true(holds(PT_CHARBUF, FILTER_GLOB, BYTES("b"), BYTES("[a-c]")));
	assert_false(holds(PT_CHARBUF, FILTER_GLOB, BYTES("A"), BYTES("a")));
	assert_false(holds(PT_CHARBUF, FILTER_GLOB, BYTES("ab"), BYTES("a")));
	assert_true(holds(PT_CHARBUF, FILTER_IGLOB, BYTES("ABC"), BYTES("a*c")));
	assert_false(holds(PT_CHARBUF, FILTER_IGLOB, BYTES("ABD"), BYTES("a*c")));
}

static bool path_matches(const char *path, const char *pattern)
{
	struct filter_text text = {pattern, strlen(pattern)};
	struct filter_constant constant = {0};
	struct arena arena = {0};
	bool result;

	assert_int_equal(filter_path_normalise(&text, &arena, &constant.globbed), 0);
	constant.value.bytes.data = text.data;
	constant.value.bytes.len = text.len;
	result = compares(PT_FSPATH, FILTER_PMATCH, bytes(path, strlen(path)), constant);
	arena_finish(&arena);
	return result;
}

static void test_paths(void **state)
{
	static char longest[4097];

	assert_true(path_matches("/etc", "/etc"));
	assert_true(path_matches("/etc/passwd", "/etc"));
	assert_true(path_matches("//etc///passwd", "/etc/passwd/"));
	assert_true(path_matches("etc/x", "/etc"));
	assert_true(path_matches("/anything", "/"));
	assert_true(path_matches("", ""));
	assert_false(path_matches("/etcetera", "/etc"));
	assert_false(path_matches("/et", "/etc"));
	assert_false(path_matches("/etc", "/etc/passwd"));
	assert_false(path_matches("", "/etc"));
	assert_true(path_matches("/usr/lib/x", "/usr/l?b"));
	assert_true(path_matches("/usr/lib/x", "/*/lib"));
	assert_false(path_matches("/usr/local/lib", "/usr/*/x"));
	/* A wildcard is a component, and goes no further. */
	assert_false(path_matches("/usr/", "/usr/*"));
	assert_false(path_matches("/usr/lib/x", "/*/x"));
	assert_false(path_matches("/usr/lib", "/usr/[a-c]*"));
	/* A component as long as this matches its own name, and no pattern. */
	memset(longest, 'a', 4096);
	assert_true(path_matches(longest, longest));
	assert_false(path_matches(longest, "a*"));
	longest[4095] = '\0';
	assert_true(path_matches(longest, "a*"));
}

static void expect_normal(const char *path, const char *wanted, size_t len, bool globbed)
{
	struct filter_text text = {path, strlen(path)};
	struct arena arena = {0};
	bool found = !globbed;

	assert_int_equal(filter_path_normalise(&text, &arena, &found), 0);
	assert_int_equal(text.len, len);
	assert_memory_equal(text.data, wanted, len);
	assert_int_equal(found, globbed);
	arena_finish(&arena);
}

static void test_normal_paths(void **state)
{
	expect_normal("", "", 0, false);
	expect_normal("///", "", 0, false);
	expect_normal("/usr//lib/", "usr\0lib", 8, false);
	expect_normal("a", "a", 2, false);
	expect_normal("/usr/*", "usr\0*", 6, true);
	expect_normal("/a?", "a?", 3, true);
	expect_normal("/[a]", "[a]", 4, true);
}

static bool address_holds(enum param_type type, const char *address, const char *other,
			  uint8_t prefix)
{
	struct filter_constant constant = {.prefix = prefix};
	struct field_value value = {0};

	value.ip.len = strchr(address, '.') ? 4 : 16;
	constant.value.ip.len = strchr(other, '.') ? 4 : 16;
	inet_pton(value.ip.len == 4 ? AF_INET : AF_INET6, address, value.ip.address);
	inet_pton(constant.value.ip.len == 4 ? AF_INET : AF_INET6, other,
		  constant.value.ip.address);
	return compares(type, FILTER_EQ, value, constant);
}

static void test_addresses(void **state)
{
	assert_true(address_holds(PT_IPADDR, "10.0.0.1", "10.0.0.1", 0));
	assert_false(address_holds(PT_IPADDR, "10.0.0.1", "10.0.0.2", 0));
	assert_true(address_holds(PT_IPADDR, "fe80::1", "fe80::1", 0));
	assert_false(address_holds(PT_IPADDR, "fe80::1", "fe80::2", 0));
	assert_false(address_holds(PT_IPADDR, "0.0.0.0", "::", 0));
	assert_false(address_holds(PT_IPADDR, "::", "0.0.0.0", 0));
}

static void test_networks(void **state)
{
	assert_true(address_holds(PT_IPNET, "10.1.2.3", "10.0.0.0", 8));
	assert_false(address_holds(PT_IPNET, "11.1.2.3", "10.0.0.0", 8));
	assert_true(address_holds(PT_IPNET, "10.127.0.1", "10.0.0.0", 9));
	assert_false(address_holds(PT_IPNET, "10.128.0.1", "10.0.0.0", 9));
	assert_true(address_holds(PT_IPNET, "10.0.0.1", "10.0.0.1", 32));
	assert_false(address_holds(PT_IPNET, "10.0.0.0", "10.0.0.1", 32));
	assert_true(address_holds(PT_IPNET, "10.0.0.0", "10.0.0.1", 31));
	assert_true(address_holds(PT_IPNET, "1.2.3.4", "0.0.0.0", 0));
	assert_false(address_holds(PT_IPNET, "::1", "0.0.0.0", 0));
	assert_true(address_holds(PT_IPNET, "febf::1", "fe80::", 10));
	assert_false(address_holds(PT_IPNET, "fec0::1", "fe80::", 10));
	assert_true(address_holds(PT_IPNET, "::1", "::1", 128));
	assert_false(address_holds(PT_IPNET, "::1", "::2", 127));
}

/* What is not compared has no function. */
static void test_no_comparison(void **state)
{
	static const enum param_type incomparable[] = {
		PT_UID, PT_GID,		 PT_SIGSET, PT_SOCKADDR,   PT_SOCKTUPLE,  PT_FDLIST,
		PT_DYN, PT_CHARBUFARRAY, PT_BITSET, PT_UINT32LIST, PT_UINT64LIST,
	};

	for (enum filter_op op = 0; op < FILTER_OPS_COUNT; op++)
		for (size_t i = 0; i < sizeof(incomparable) / sizeof(incomparable[0]); i++)
			assert_null(filter_compare_of(incomparable[i], op));
	assert_null(filter_compare_of(PT_INT64, FILTER_CONTAINS));
	assert_null(filter_compare_of(PT_INT64, FILTER_GLOB));
	assert_null(filter_compare_of(PT_BOOL, FILTER_LT));
	assert_null(filter_compare_of(PT_IPADDR, FILTER_GE));
	assert_null(filter_compare_of(PT_IPNET, FILTER_STARTSWITH));
	assert_null(filter_compare_of(PT_BYTEBUF, FILTER_LT));
	assert_null(filter_compare_of(PT_BYTEBUF, FILTER_REGEX));
	assert_null(filter_compare_of(PT_CHARBUF, FILTER_BCONTAINS));
	assert_null(filter_compare_of(PT_CHARBUF, FILTER_EXISTS));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),	       cmocka_unit_test(test_order_of_texts),
	cmocka_unit_test(test_parts_of_bytes), cmocka_unit_test(test_patterns),
	cmocka_unit_test(test_paths),	       cmocka_unit_test(test_normal_paths),
	cmocka_unit_test(test_addresses),      cmocka_unit_test(test_networks),
	cmocka_unit_test(test_no_comparison),
};

UNIT_GROUP(tests);
