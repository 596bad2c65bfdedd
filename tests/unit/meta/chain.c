/* SPDX-License-Identifier: MIT */
/* Several sources as one. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "meta/chain.h"

/* A source that always gives one result. */
struct fixed {
	struct meta_source source;
	int result;
	const char *name;
};

static int counted_asked, counted_destroyed;

static int describe(struct meta_source *source, const struct meta_request *request,
		    struct sinsp_container_info *info, struct error *err)
{
	struct fixed *fixed = (struct fixed *)source;

	counted_asked++;
	if (fixed->result >= 0 && !info->name)
		info->name = fixed->name;
	return fixed->result < 0 && fixed->result != -ENOENT
		       ? error_set(err, fixed->result, "%s fails", fixed->name)
		       : fixed->result;
}

static void destroy(struct meta_source *source)
{
	counted_destroyed++;
	free(source);
}

static struct meta_source *make(const char *name, int result)
{
	static const struct meta_source_ops ops = {describe, destroy};
	struct fixed *fixed = calloc(1, sizeof(*fixed));

	assert_non_null(fixed);
	fixed->source.ops = &ops;
	fixed->name = name;
	fixed->result = result;
	return &fixed->source;
}

/* Asks three sources. Returns the result, how many were asked, and the name or the message. */
static void assert_answer(const int results[3], int expected, int asked, const char *text)
{
	struct meta_source *sources[] = {make("a", results[0]), make("b", results[1]),
					 make("c", results[2])};
	struct meta_source *chain = meta_chain_create(sources, 3);
	struct sinsp_container_info *info = sinsp_container_info_create();
	struct meta_request request = {.id = "1"};
	struct error err = {0};

	assert_non_null(chain);
	assert_non_null(info);
	counted_asked = counted_destroyed = 0;
	assert_int_equal(chain->ops->describe(chain, &request, info, &err), expected);
	assert_int_equal(counted_asked, asked);
	assert_string_equal(info->name ? info->name : err.text, text);
	sinsp_container_info_destroy(info);
	meta_source_destroy(chain);
	assert_int_equal(counted_destroyed, 3);
}

static void test_first_that_knows(void **state)
{
	assert_answer((int[]){0, 0, 0}, 0, 1, "a");
	assert_answer((int[]){-ENOENT, 0, 0}, 0, 2, "b");
	assert_answer((int[]){-EIO, -ENOENT, 0}, 0, 3, "c");
	assert_answer((int[]){-ENOENT, -ENOENT, -ENOENT}, -ENOENT, 3, "");
}

/* Others may know more than a part. */
static void test_part(void **state)
{
	const int part = META_SOURCE_PART;

	assert_answer((int[]){part, 0, 0}, 0, 2, "a");
	assert_answer((int[]){part, -ENOENT, -EIO}, part, 3, "a");
	assert_answer((int[]){-EIO, part, -ENOENT}, part, 3, "b");
}

static void test_first_failure_counts(void **state)
{
	assert_answer((int[]){-EIO, -EPROTO, -ENOENT}, -EIO, 3, "a fails");
	assert_answer((int[]){-ENOENT, -EPROTO, -EIO}, -EPROTO, 3, "b fails");
}

static void test_missing_source(void **state)
{
	struct meta_source *sources[] = {make("a", 0), NULL, make("c", 0)};

	counted_destroyed = 0;
	assert_null(meta_chain_create(sources, 3));
	assert_int_equal(counted_destroyed, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_that_knows),
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_first_failure_counts),
		cmocka_unit_test(test_missing_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
