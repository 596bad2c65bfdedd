/* SPDX-License-Identifier: MIT */
/*
 * Units of time and size. A quantity is parsed as an exact fraction; the only rounding is one that
 * does not change the result of the operator.
 */
#include "sinsp/filter/operand.h"

#include <errno.h>
#include <string.h>

#include "util/count.h"

enum dimension { NO_DIMENSION, TIME, SIZE };

#define TIME_WORDS "ns, us, ms, s, m, h, d"
#define SIZE_WORDS "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB"

const char filter_unit_words[] = TIME_WORDS " for times, " SIZE_WORDS " for sizes";

static const char *const words_of[] = {
	[TIME] = "a time (" TIME_WORDS ")",
	[SIZE] = "a size (" SIZE_WORDS ")",
};

#define NS 1ull
#define SECOND (1000000000 * NS)

/* "K" without "B" or "iB" is not one of them: it is ambiguous, 1000 or 1024. */
static const struct unit {
	const char *word;
	enum dimension dimension;
	uint64_t scale;
} units[] = {
	{"ns", TIME, NS},
	{"us", TIME, 1000 * NS},
	{"ms", TIME, 1000000 * NS},
	{"s", TIME, SECOND},
	{"m", TIME, 60 * SECOND},
	{"h", TIME, 60 * 60 * SECOND},
	{"d", TIME, 24 * 60 * 60 * SECOND},
	{"B", SIZE, 1},
	{"kB", SIZE, 1000},
	{"KB", SIZE, 1000},
	{"MB", SIZE, 1000000},
	{"GB", SIZE, 1000000000},
	{"TB", SIZE, 1000000000000},
	{"KiB", SIZE, 1ull << 10},
	{"MiB", SIZE, 1ull << 20},
	{"GiB", SIZE, 1ull << 30},
	{"TiB", SIZE, 1ull << 40},
};

/* The units of fields. */
static const struct {
	enum dimension dimension;
	uint64_t scale;
	const char *plural;
} counted[] = {
	[FIELD_UNIT_NS] = {TIME, NS, "nanoseconds"},
	[FIELD_UNIT_MS] = {TIME, 1000000 * NS, "milliseconds"},
	[FIELD_UNIT_S] = {TIME, SECOND, "seconds"},
	[FIELD_UNIT_BYTES] = {SIZE, 1, "bytes"},
	[FIELD_UNIT_KIB] = {SIZE, 1ull << 10, "KiB"},
};

static const struct unit *find_unit(const char *word, size_t len)
{
	for (size_t i = 0; i < COUNT(units); i++)
		if (strlen(units[i].word) == len && memcmp(units[i].word, word, len) == 0)
			return &units[i];
	return NULL;
}

bool filter_unit_is_known(const char *word, size_t len)
{
	return find_unit(word, len) != NULL;
}

static size_t unit_digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* The word after the number, or NULL if the text is something else. */
static const char *word_of(const char *text)
{
	text += *text == '+' || *text == '-';
	if (!unit_digits(text))
		return NULL;
	text += unit_digits(text);
	if (*text == '.' && unit_digits(text + 1))
		text += 1 + unit_digits(text + 1);
	return (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ? text : NULL;
}

bool filter_quantity_is(const char *text)
{
	return word_of(text) != NULL;
}

/* A number that is not negative: top / bottom. */
struct fraction {
	unsigned __int128 top, bottom;
};

static bool multiply(unsigned __int128 *number, uint64_t factor)
{
	return !__builtin_mul_overflow(*number, factor, number);
}

/* Reads digits with an optional point; false if there are too many of them. */
static bool unit_read_fraction(const char *text, struct fraction *fraction)
{
	bool behind_point = false;

	*fraction = (struct fraction){0, 1};
	for (; *text == '.' || unit_digits(text); text++) {
		if (*text == '.') {
			behind_point = true;
			continue;
		}
		if (!multiply(&fraction->top, 10) ||
		    __builtin_add_overflow(fraction->top, (unsigned int)(*text - '0'),
					   &fraction->top) ||
		    (behind_point && !multiply(&fraction->bottom, 10)))
			return false;
	}
	return true;
}

/* Rounds to the nearest integer that compares in the same way with every value. */
static unsigned __int128 round_for(enum filter_op op, bool negative,
				   const struct fraction *fraction)
{
	bool to_greater = op == FILTER_LT || op == FILTER_GE;
	unsigned __int128 whole = fraction->top / fraction->bottom;

	return whole + (fraction->top % fraction->bottom && to_greater != negative);
}

static bool is_ordering(enum filter_op op)
{
	return op == FILTER_LT || op == FILTER_LE || op == FILTER_GT || op == FILTER_GE;
}

/* The greatest distance from 0 that the field can hold. */
static uint64_t limit_of(const struct filter_measure *measure, bool negative)
{
	uint64_t all = UINT64_MAX >> (64 - 8 * measure->bytes);

	if (!measure->is_signed)
		return negative ? 0 : all;
	return all / 2 + negative;
}

static int fail_unit(const char *text, const char *word, const struct filter_measure *measure,
		     struct error *err)
{
	const char *right = words_of[counted[measure->unit].dimension];

	if (!find_unit(word, strlen(word)) && !right)
		return error_set(err, -EINVAL, "'%.60s' is not a whole number", text);
	if (!right)
		return error_set(err, -EINVAL, "'%.60s' has a unit, but this is a plain number",
				 text);
	if (!find_unit(word, strlen(word)))
		return error_set(err, -EINVAL, "'%.60s': '%.20s' is not a unit; this is %s", text,
				 word, right);
	return error_set(err, -EINVAL, "'%.60s' has the wrong unit: this is %s", text, right);
}

int filter_quantity_read(const char *text, const struct filter_measure *measure, enum filter_op op,
			 struct field_value *value, struct error *err)
{
	const char *word = word_of(text), *plural = counted[measure->unit].plural;
	const struct unit *unit = find_unit(word, strlen(word));
	bool negative = *text == '-', fits;
	struct fraction fraction;
	unsigned __int128 whole;

	if (!unit || unit->dimension != counted[measure->unit].dimension)
		return fail_unit(text, word, measure, err);
	fits = unit_read_fraction(text + (negative || *text == '+'), &fraction) &&
	       multiply(&fraction.top, unit->scale) &&
	       multiply(&fraction.bottom, counted[measure->unit].scale);
	if (!fits)
		return error_set(err, -EINVAL, "'%.60s' has too many digits", text);
	if (!is_ordering(op) && fraction.top % fraction.bottom)
		return error_set(err, -EINVAL,
				 "'%.60s' is not a whole number of %s, so nothing can be equal to "
				 "it",
				 text, plural);
	whole = round_for(op, negative, &fraction);
	if (whole > limit_of(measure, negative))
		return error_set(err, -EINVAL,
				 "'%.60s' is %s than this can be: a number of %s in %u bits", text,
				 negative ? "less" : "more", plural, 8 * measure->bytes);
	value->i64 = negative ? (int64_t) - (uint64_t)whole : (int64_t)whole;
	return 0;
}
