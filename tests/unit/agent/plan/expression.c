/* SPDX-License-Identifier: MIT */
/* Errors of expressions as messages of the agent. */
#include <errno.h>
#include <string.h>

#include "agent/plan/printer.h"
#include "unit.h"

static void test_place_is_marked(void **state)
{
	struct filter_error wrong = {0};
	struct filter *filter = NULL;
	struct error err = {""};
	int code = filter_create("evt.type=open and nosuch=1", &(struct filter_options){0}, &filter,
				 &wrong);

	assert_int_equal(code, -EINVAL);
	assert_int_equal(
		plan_expression_error("-p: ", "evt.type=open and nosuch=1", &wrong, code, &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "-p: line 1, column 19: "));
	assert_non_null(strstr(err.text, "  evt.type=open and nosuch=1\n                    ^"));
	assert_int_not_equal(err.text[strlen(err.text) - 1], '\n');
}

static void test_memory(void **state)
{
	struct filter_error wrong = {0};
	struct error err = {""};

	assert_int_equal(plan_expression_error("-p: ", "x", &wrong, -ENOMEM, &err), -ENOMEM);
	assert_string_equal(err.text, "-p: out of memory");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_place_is_marked),
	cmocka_unit_test(test_memory),
};

UNIT_GROUP(tests);
