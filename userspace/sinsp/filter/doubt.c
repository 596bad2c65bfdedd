/* SPDX-License-Identifier: MIT */
/*
 * Comparisons of texts of which a part is missing: what stands before and behind the missing part
 * decides some of them.
 */
#include "sinsp/filter/doubt.h"

#include <string.h>
#include <strings.h>

#include "sinsp/fields/cut.h"

/* What is known of a value: how it begins and ends, and what stands in it. */
struct known {
	const struct field_value *all;
	struct field_value head, tail; /* with a NUL, as comparisons need it */
};

typedef unsigned int doubt_compare(const struct filter_check *check, const struct known *known,
				   const struct filter_constant *constant);

static unsigned int doubt_answer(bool yes)
{
	return yes ? DOUBT_YES : DOUBT_NO;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool has_head(const struct known *known, const char *text, size_t len)
{
	return memcmp(known->head.bytes.data, text, min_size(known->head.bytes.len, len)) == 0;
}

static bool has_tail(const struct known *known, const char *text, size_t len)
{
	size_t n = min_size(known->tail.bytes.len, len);

	return memcmp(known->tail.bytes.data + known->tail.bytes.len - n, text + len - n, n) == 0;
}

/* The whole is no shorter than what is known of it. */
static unsigned int doubt_equal(const struct filter_check *check, const struct known *known,
				const struct filter_constant *constant)
{
	const char *text = constant->value.bytes.data;
	size_t len = constant->value.bytes.len;

	return len >= known->head.bytes.len + known->tail.bytes.len && has_head(known, text, len) &&
			       has_tail(known, text, len)
		       ? DOUBT_UNKNOWN
		       : DOUBT_NO;
}

static unsigned int doubt_start(const struct filter_check *check, const struct known *known,
				const struct filter_constant *constant)
{
	const char *text = constant->value.bytes.data;
	size_t len = constant->value.bytes.len;

	if (known->head.bytes.len >= len)
		return doubt_answer(check->compare(&known->head, constant));
	return has_head(known, text, len) ? DOUBT_UNKNOWN : DOUBT_NO;
}

static unsigned int doubt_end(const struct filter_check *check, const struct known *known,
			      const struct filter_constant *constant)
{
	const char *text = constant->value.bytes.data;
	size_t len = constant->value.bytes.len;

	if (known->tail.bytes.len >= len)
		return doubt_answer(check->compare(&known->tail, constant));
	return has_tail(known, text, len) ? DOUBT_UNKNOWN : DOUBT_NO;
}

/* What is found only with the mark may not be there. */
static unsigned int doubt_contain(const struct filter_check *check, const struct known *known,
				  const struct filter_constant *constant)
{
	if (check->compare(&known->head, constant) || check->compare(&known->tail, constant))
		return DOUBT_YES;
	return known->all && check->compare(known->all, constant) ? DOUBT_YES : DOUBT_UNKNOWN;
}

/* Whether a text begins with the pattern up to its first wildcard, as far as the text goes. */
static bool doubt_may_begin(const struct field_value *head, const char *pattern)
{
	size_t n = min_size(strcspn(pattern, "*?[\\"), head->bytes.len);

	return strncasecmp(pattern, head->bytes.data, n) == 0;
}

/* The same of its end; a backslash takes the character behind it. */
static bool may_end(const struct field_value *tail, const char *pattern, size_t len)
{
	size_t at = len, n;

	while (at > 0 && !strchr("*?[]\\", pattern[at - 1]))
		at--;
	if (at > 0 && pattern[at - 1] == '\\')
		at++;
	n = at < len ? min_size(len - at, tail->bytes.len) : 0;
	return strncasecmp(pattern + len - n, tail->bytes.data + tail->bytes.len - n, n) == 0;
}

/* Where the pattern ends, or begins, with any text, the rest may be missing. */
static unsigned int doubt_glob(const struct filter_check *check, const struct known *known,
			       const struct filter_constant *constant)
{
	const char *pattern = constant->value.bytes.data;
	size_t len = constant->value.bytes.len;

	if (!doubt_may_begin(&known->head, pattern) || !may_end(&known->tail, pattern, len))
		return DOUBT_NO;
	if (len && pattern[len - 1] == '*' && (len == 1 || pattern[len - 2] != '\\') &&
	    check->compare(&known->head, constant))
		return DOUBT_YES;
	return pattern[0] == '*' && check->compare(&known->tail, constant) ? DOUBT_YES
									   : DOUBT_UNKNOWN;
}

/* Others are unknown. */
static doubt_compare *const compares[FILTER_OPS_COUNT] = {
	[FILTER_EQ] = doubt_equal,	    [FILTER_NE] = doubt_equal,
	[FILTER_IN] = doubt_equal,	    [FILTER_INTERSECTS] = doubt_equal,
	[FILTER_STARTSWITH] = doubt_start,  [FILTER_BSTARTSWITH] = doubt_start,
	[FILTER_ENDSWITH] = doubt_end,	    [FILTER_CONTAINS] = doubt_contain,
	[FILTER_BCONTAINS] = doubt_contain, [FILTER_ICONTAINS] = doubt_contain,
	[FILTER_GLOB] = doubt_glob,	    [FILTER_IGLOB] = doubt_glob,
};

static const char *first_mark(const struct field_value *value)
{
	return memmem(value->bytes.data, value->bytes.len, CUT_MARK, sizeof(CUT_MARK) - 1);
}

/* What is behind the last mark. */
static const char *behind_marks(const char *mark, const char *end)
{
	const char *behind = mark;

	for (; mark;
	     mark = memmem(mark + 1, (size_t)(end - mark - 1), CUT_MARK, sizeof(CUT_MARK) - 1))
		behind = mark + sizeof(CUT_MARK) - 1;
	return behind;
}

/* Copies the beginning with a NUL to the free scratch memory; false if it does not fit. */
static bool copy_head(struct field_scratch *scratch, const struct field_value *value, size_t len,
		      struct field_value *head)
{
	char *copy = scratch->bytes + scratch->used;

	if (len >= sizeof(scratch->bytes) - scratch->used)
		return false;
	memcpy(copy, value->bytes.data, len);
	copy[len] = '\0';
	head->bytes.data = copy;
	head->bytes.len = len;
	return true;
}

/* A text in which no mark is left is one that the missing part does not concern. */
unsigned int filter_doubt_compare(struct filter *filter, const struct filter_check *check,
				  const struct field_value *value,
				  const struct filter_constant *constant, unsigned int cut)
{
	static const struct field_value nothing = {.bytes = {"", 0}};
	const char *mark = first_mark(value), *end = value->bytes.data + value->bytes.len;
	struct known known = {.head = nothing, .tail = nothing};

	if (cut == CUT_SHOWN && !mark)
		return doubt_answer(check->compare(value, constant));
	if (!compares[check->op] || (cut & CUT_WHOLE))
		return DOUBT_UNKNOWN;
	if (cut & CUT_PLACES) {
		known.all = value;
	} else {
		size_t len = mark ? (size_t)(mark - value->bytes.data) : value->bytes.len;

		if (!copy_head(&filter->scratch, value, len, &known.head))
			return DOUBT_UNKNOWN;
		if (!(cut & CUT_END)) {
			known.tail.bytes.data = behind_marks(mark, end);
			known.tail.bytes.len = (size_t)(end - known.tail.bytes.data);
		}
	}
	return compares[check->op](check, &known, constant);
}
