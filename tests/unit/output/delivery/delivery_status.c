/* SPDX-License-Identifier: MIT */
/* Changes are told once. */
#include "output/delivery/account.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)

static void test_changes(void **state)
{
	struct error err = {""}, wrong;
	struct delivery_status status;

	error_set(&wrong, -1, "no route");
	assert_int_equal(delivery_status_init(&status), 0);
	assert_int_equal(delivery_status_take(&status, SECOND, &err), DELIVERY_STATUS_NONE);
	delivery_status_set(&status, NULL);
	assert_int_equal(delivery_status_take(&status, SECOND, &err), DELIVERY_STATUS_NONE);
	delivery_status_set(&status, &wrong);
	delivery_status_set(&status, &wrong);
	assert_true(delivery_status_is_failing(&status, &err));
	assert_int_equal(delivery_status_take(&status, SECOND, &err), DELIVERY_STATUS_FAILS);
	assert_string_equal(err.text, "no route");
	assert_int_equal(delivery_status_take(&status, SECOND, &err), DELIVERY_STATUS_NONE);
	delivery_status_set(&status, NULL);
	assert_false(delivery_status_is_failing(&status, &err));
	assert_int_equal(delivery_status_take(&status, SECOND, &err), DELIVERY_STATUS_WORKS);
	delivery_status_finish(&status);
}

/* What was over before anybody asked: once a minute. */
static void test_moments(void **state)
{
	struct error err = {""}, wrong;
	struct delivery_status status;
	int told = 0;

	error_set(&wrong, -1, "reset");
	assert_int_equal(delivery_status_init(&status), 0);
	for (int second = 1; second <= 121; second++) {
		enum delivery_status_kind kind;

		delivery_status_set(&status, &wrong);
		delivery_status_set(&status, NULL);
		kind = delivery_status_take(&status, SECOND * second, &err);
		told += kind == DELIVERY_STATUS_FAILED;
		assert_int_equal(kind, second % 60 == 1 ? DELIVERY_STATUS_FAILED : DELIVERY_STATUS_NONE);
	}
	assert_int_equal(told, 3);
	assert_string_equal(err.text, "reset");
	assert_int_equal(delivery_status_take(&status, SECOND * 1000, &err), DELIVERY_STATUS_NONE);
	delivery_status_finish(&status);
}

/* What a server says is no line of the log, and does not control a terminal. */
static void test_control_characters(void **state)
{
	struct error err = {""}, wrong;
	struct delivery_status status;

	error_set(&wrong, -1, "refused: no\nagent: all is well \033[2J");
	assert_int_equal(delivery_status_init(&status), 0);
	delivery_status_set(&status, &wrong);
	assert_int_equal(delivery_status_take(&status, SECOND, &err), DELIVERY_STATUS_FAILS);
	assert_string_equal(err.text, "refused: no.agent: all is well .[2J");
	delivery_status_finish(&status);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes),
					  cmocka_unit_test(test_moments),
					  cmocka_unit_test(test_control_characters)};

UNIT_GROUP(tests);
