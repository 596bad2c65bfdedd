/* SPDX-License-Identifier: MIT */
/* The types that operators accept, and the functions that compare. */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "sinsp/fields/type_names.h"
#include "sinsp/filter/program.h"
#include "sinsp/filter/regex.h"

#define NUMBER_COMPARE(name, member, op)                                                           \
	static bool name(const struct field_value *value, const struct filter_constant *constant)  \
	{                                                                                          \
		return value->member op constant->value.member;                                    \
	}

NUMBER_COMPARE(signed_equal, i64, ==)
NUMBER_COMPARE(signed_less, i64, <)
NUMBER_COMPARE(signed_less_equal, i64, <=)
NUMBER_COMPARE(signed_greater, i64, >)
NUMBER_COMPARE(signed_greater_equal, i64, >=)
NUMBER_COMPARE(unsigned_equal, u64, ==)
NUMBER_COMPARE(unsigned_less, u64, <)
NUMBER_COMPARE(unsigned_less_equal, u64, <=)
NUMBER_COMPARE(unsigned_greater, u64, >)
NUMBER_COMPARE(unsigned_greater_equal, u64, >=)
NUMBER_COMPARE(double_equal, f64, ==)
NUMBER_COMPARE(double_less, f64, <)
NUMBER_COMPARE(double_less_equal, f64, <=)
NUMBER_COMPARE(double_greater, f64, >)
NUMBER_COMPARE(double_greater_equal, f64, >=)

static bool bytes_equal(const struct field_value *value, const struct filter_constant *constant)
{
	return value->bytes.len == constant->value.bytes.len &&
	       memcmp(value->bytes.data, constant->value.bytes.data, value->bytes.len) == 0;
}

static bool bytes_contain(const struct field_value *value, const struct filter_constant *constant)
{
	return memmem(value->bytes.data, value->bytes.len, constant->value.bytes.data,
		      constant->value.bytes.len) != NULL;
}

static bool bytes_start(const struct field_value *value, const struct filter_constant *constant)
{
	size_t n = constant->value.bytes.len;

	return value->bytes.len >= n &&
	       memcmp(value->bytes.data, constant->value.bytes.data, n) == 0;
}

static bool bytes_end(const struct field_value *value, const struct filter_constant *constant)
{
	size_t n = constant->value.bytes.len;

	return value->bytes.len >= n &&
	       memcmp(value->bytes.data + value->bytes.len - n, constant->value.bytes.data, n) == 0;
}

static int text_order(const struct field_value *value, const struct filter_constant *constant)
{
	return strcmp(value->bytes.data, constant->value.bytes.data);
}

static bool text_less(const struct field_value *value, const struct filter_constant *constant)
{
	return text_order(value, constant) < 0;
}

static bool text_less_equal(const struct field_value *value, const struct filter_constant *constant)
{
	return text_order(value, constant) <= 0;
}

static bool text_greater(const struct field_value *value, const struct filter_constant *constant)
{
	return text_order(value, constant) > 0;
}

static bool text_greater_equal(const struct field_value *value,
			       const struct filter_constant *constant)
{
	return text_order(value, constant) >= 0;
}

static bool text_contains_nocase(const struct field_value *value,
				 const struct filter_constant *constant)
{
	return strcasestr(value->bytes.data, constant->value.bytes.data) != NULL;
}

static bool text_glob(const struct field_value *value, const struct filter_constant *constant)
{
	return fnmatch(constant->value.bytes.data, value->bytes.data, 0) == 0;
}

static bool text_glob_nocase(const struct field_value *value,
			     const struct filter_constant *constant)
{
	return fnmatch(constant->value.bytes.data, value->bytes.data, FNM_CASEFOLD) == 0;
}

static bool text_regex(const struct field_value *value, const struct filter_constant *constant)
{
	return filter_regex_match(constant->regex, value->bytes.data, value->bytes.len);
}

static bool component_matches(const char *name, size_t len, const char *pattern, bool globbed)
{
	char copy[4096];

	if (!globbed || !strpbrk(pattern, "?*["))
		return strlen(pattern) == len && memcmp(name, pattern, len) == 0;
	if (len >= sizeof(copy))
		return false;
	memcpy(copy, name, len);
	copy[len] = '\0';
	return fnmatch(pattern, copy, 0) == 0;
}

/* The components of the constant, each with its NUL, are the first ones of the value. */
static bool path_match(const struct field_value *value, const struct filter_constant *constant)
{
	const char *name = value->bytes.data;
	const char *pattern = constant->value.bytes.data;
	const char *end = pattern + constant->value.bytes.len;

	while (pattern < end) {
		size_t len;

		while (*name == '/')
			name++;
		len = (size_t)(strchrnul(name, '/') - name);
		if (!len || !component_matches(name, len, pattern, constant->globbed))
			return false;
		name += len;
		pattern += strlen(pattern) + 1;
	}
	return true;
}

static bool address_equal(const struct field_value *value, const struct filter_constant *constant)
{
	return value->ip.len == constant->value.ip.len &&
	       memcmp(value->ip.address, constant->value.ip.address, value->ip.len) == 0;
}

static bool net_contains(const struct field_value *value, const struct filter_constant *constant)
{
	const uint8_t *address = value->ip.address, *net = constant->value.ip.address;
	unsigned int bytes = constant->prefix / 8, bits = constant->prefix % 8;

	if (value->ip.len != constant->value.ip.len || memcmp(address, net, bytes) != 0)
		return false;
	return bits == 0 || ((address[bytes] ^ net[bytes]) >> (8 - bits)) == 0;
}

bool filter_compare_type(const struct field_value *value, const struct filter_constant *constant)
{
	return type_names_have(constant->types, value->bytes.data);
}

/* Types that are compared in the same way. */
enum group { NO_GROUP, SIGNED, UNSIGNED, DOUBLE, BOOLEAN, TEXT, BYTES, ADDRESS, NET, GROUPS_COUNT };

static enum group compare_group_of(enum param_type type)
{
	switch (type) {
	case PT_BOOL:
		return BOOLEAN;
	case PT_DOUBLE:
		return DOUBLE;
	case PT_CHARBUF:
	case PT_FSPATH:
	case PT_FSRELPATH:
		return TEXT;
	case PT_BYTEBUF:
		return BYTES;
	case PT_IPADDR:
		return ADDRESS;
	case PT_IPNET:
		return NET;
	case PT_UID:
	case PT_GID:
	case PT_SIGSET:
		return NO_GROUP;
	default:
		if (!param_type_size(type))
			return NO_GROUP;
		return param_type_is_signed(type) ? SIGNED : UNSIGNED;
	}
}

#define NUMBER_OPS(kind)                                                                           \
	{                                                                                          \
		[FILTER_EQ] = kind##_equal, [FILTER_NE] = kind##_equal,                            \
		[FILTER_IN] = kind##_equal, [FILTER_INTERSECTS] = kind##_equal,                    \
		[FILTER_LT] = kind##_less, [FILTER_LE] = kind##_less_equal,                        \
		[FILTER_GT] = kind##_greater, [FILTER_GE] = kind##_greater_equal,                  \
	}

#define EQUAL_OPS(compare)                                                                         \
	[FILTER_EQ] = compare, [FILTER_NE] = compare, [FILTER_IN] = compare,                       \
	[FILTER_INTERSECTS] = compare

static filter_compare *const compares[GROUPS_COUNT][FILTER_OPS_COUNT] = {
	[SIGNED] = NUMBER_OPS(signed),
	[UNSIGNED] = NUMBER_OPS(unsigned),
	[DOUBLE] = NUMBER_OPS(double),
	[BOOLEAN] = {EQUAL_OPS(unsigned_equal)},
	[ADDRESS] = {EQUAL_OPS(address_equal)},
	[NET] = {EQUAL_OPS(net_contains)},
	[BYTES] =
		{
			EQUAL_OPS(bytes_equal),
			[FILTER_CONTAINS] = bytes_contain,
			[FILTER_BCONTAINS] = bytes_contain,
			[FILTER_STARTSWITH] = bytes_start,
			[FILTER_BSTARTSWITH] = bytes_start,
			[FILTER_ENDSWITH] = bytes_end,
		},
	[TEXT] =
		{
			EQUAL_OPS(bytes_equal),
			[FILTER_LT] = text_less,
			[FILTER_LE] = text_less_equal,
			[FILTER_GT] = text_greater,
			[FILTER_GE] = text_greater_equal,
			[FILTER_CONTAINS] = bytes_contain,
			[FILTER_ICONTAINS] = text_contains_nocase,
			[FILTER_STARTSWITH] = bytes_start,
			[FILTER_ENDSWITH] = bytes_end,
			[FILTER_GLOB] = text_glob,
			[FILTER_IGLOB] = text_glob_nocase,
			[FILTER_REGEX] = text_regex,
			[FILTER_PMATCH] = path_match,
		},
};

filter_compare *filter_compare_of(enum param_type type, enum filter_op op)
{
	return compares[compare_group_of(type)][op];
}

int filter_path_normalise(struct filter_text *path, struct arena *arena, bool *globbed)
{
	char *out = arena_alloc(arena, path->len + 2);
	size_t used = 0;

	if (!out)
		return -ENOMEM;
	for (const char *name = path->data; *name;) {
		size_t len;

		name += strspn(name, "/");
		len = strcspn(name, "/");
		if (!len)
			break;
		memcpy(out + used, name, len);
		used += len;
		out[used++] = '\0';
		name += len;
	}
	*globbed = strpbrk(path->data, "?*[") != NULL;
	path->data = out;
	path->len = used;
	return 0;
}
