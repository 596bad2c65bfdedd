/* SPDX-License-Identifier: MIT */
/*
 * The kernel compares the first and the last bytes of a path. A text that spans two facts is a
 * conjunction; of several constants, which are a disjunction, each has one test.
 */
#include "sinsp/filter/path_test.h"

#include <string.h>

enum { FACT_BYTES = 16 };

/* A comparison of a path with a text. */
struct path_text {
	const char *text;
	size_t len; /* the NUL of a whole path excluded */
	bool is_whole, is_end;
};

static bool is_path_op(enum filter_op op)
{
	return op == FILTER_EQ || op == FILTER_NE || op == FILTER_IN || op == FILTER_STARTSWITH ||
	       op == FILTER_ENDSWITH;
}

static bool take_text(enum filter_op op, const struct field_value *value, struct path_text *path)
{
	*path = (struct path_text){
		.text = value->bytes.data,
		.len = value->bytes.len,
		.is_end = op == FILTER_ENDSWITH,
		.is_whole = op != FILTER_ENDSWITH && op != FILTER_STARTSWITH,
	};
	return path->len && !memchr(path->text, '\0', path->len);
}

/* Adds the test of a part of the text; it is placed at `at` of the fact. */
static void add_part(struct kernel_tests *tests, enum kernel_fact fact, const char *text,
		     size_t len, size_t compared, size_t at, bool negated)
{
	struct kernel_test *test = &tests->list[tests->count++];

	*test = (struct kernel_test){
		.check = {.fact = (uint8_t)fact, .op = KERNEL_EQUAL},
		.negated = negated,
	};
	memcpy((char *)test->check.value + at, text, len);
	memset((char *)test->check.mask + at, 0xff, compared);
}

static size_t at_most(size_t len)
{
	return len < FACT_BYTES ? len : FACT_BYTES;
}

static void add_end(struct kernel_tests *tests, const struct path_text *path, bool negated)
{
	size_t len = at_most(path->len);

	add_part(tests, KERNEL_PATH_END, path->text + path->len - len, len, len, FACT_BYTES - len,
		 negated);
}

/* The begin; the NUL of a whole path is compared if it is within the fact. */
static void add_begin(struct kernel_tests *tests, const struct path_text *path, bool negated)
{
	add_part(tests, KERNEL_PATH, path->text, at_most(path->len),
		 at_most(path->len + path->is_whole), 0, negated);
}

/* The bytes behind those of add_begin(). */
static void add_next(struct kernel_tests *tests, const struct path_text *path, bool negated)
{
	size_t left = path->len - FACT_BYTES;

	add_part(tests, KERNEL_PATH_2, path->text + FACT_BYTES, at_most(left),
		 at_most(left + path->is_whole), 0, negated);
}

/* Whether one test says all. */
static bool is_short(const struct path_text *path)
{
	return path->len + path->is_whole <= FACT_BYTES;
}

/* The conjunction is the opposite of a disjunction of opposites. Returns whether it is exact. */
static bool add_all(struct kernel_tests *tests, const struct path_text *path)
{
	tests->negated = !tests->negated;
	if (path->is_end) {
		add_end(tests, path, true);
		return path->len <= FACT_BYTES;
	}
	add_begin(tests, path, true);
	if (is_short(path))
		return true;
	add_next(tests, path, true);
	if (path->len + path->is_whole <= 2 * FACT_BYTES)
		return true;
	if (path->is_whole)
		add_end(tests, path, true);
	return false;
}

/* One test. The ends of long paths differ more than their begins. */
static bool add_one(struct kernel_tests *tests, const struct path_text *path)
{
	if (path->is_end || (path->is_whole && !is_short(path)))
		add_end(tests, path, false);
	else
		add_begin(tests, path, false);
	return path->is_end ? path->len <= FACT_BYTES : is_short(path);
}

bool path_tests_make(const struct filter_check *check, bool negated, struct kernel_tests *tests)
{
	bool exact = true;

	if (!is_path_op(check->op))
		return false;
	tests->negated = check->negated;
	tests->count = 0;
	for (uint32_t i = 0; i < check->nconstants; i++) {
		struct path_text path;

		if (!take_text(check->op, &check->constants[i].value, &path))
			return false;
		exact &= check->nconstants == 1 ? add_all(tests, &path) : add_one(tests, &path);
	}
	return exact || negated == check->negated;
}
