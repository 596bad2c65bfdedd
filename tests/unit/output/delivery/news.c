/* SPDX-License-Identifier: MIT */
/* Changes are told once. */
#include "output/delivery/news.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)

static void test_changes(void **state)
{
	struct error err = {""}, wrong;
	struct news news;

	error_set(&wrong, -1, "no route");
	assert_int_equal(news_init(&news), 0);
	assert_int_equal(news_take(&news, SECOND, &err), NEWS_NONE);
	news_set(&news, NULL);
	assert_int_equal(news_take(&news, SECOND, &err), NEWS_NONE);
	news_set(&news, &wrong);
	news_set(&news, &wrong);
	assert_true(news_is_failing(&news, &err));
	assert_int_equal(news_take(&news, SECOND, &err), NEWS_FAILS);
	assert_string_equal(err.text, "no route");
	assert_int_equal(news_take(&news, SECOND, &err), NEWS_NONE);
	news_set(&news, NULL);
	assert_false(news_is_failing(&news, &err));
	assert_int_equal(news_take(&news, SECOND, &err), NEWS_WORKS);
	news_finish(&news);
}

/* What was over before anybody asked: once a minute. */
static void test_moments(void **state)
{
	struct error err = {""}, wrong;
	struct news news;
	int told = 0;

	error_set(&wrong, -1, "reset");
	assert_int_equal(news_init(&news), 0);
	for (int second = 1; second <= 121; second++) {
		enum news_kind kind;

		news_set(&news, &wrong);
		news_set(&news, NULL);
		kind = news_take(&news, SECOND * second, &err);
		told += kind == NEWS_FAILED;
		assert_int_equal(kind, second % 60 == 1 ? NEWS_FAILED : NEWS_NONE);
	}
	assert_int_equal(told, 3);
	assert_string_equal(err.text, "reset");
	assert_int_equal(news_take(&news, SECOND * 1000, &err), NEWS_NONE);
	news_finish(&news);
}

/* What a server says is no line of the log, and does not control a terminal. */
static void test_control_characters(void **state)
{
	struct error err = {""}, wrong;
	struct news news;

	error_set(&wrong, -1, "refused: no\nagent: all is well \033[2J");
	assert_int_equal(news_init(&news), 0);
	news_set(&news, &wrong);
	assert_int_equal(news_take(&news, SECOND, &err), NEWS_FAILS);
	assert_string_equal(err.text, "refused: no.agent: all is well .[2J");
	news_finish(&news);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes),
					  cmocka_unit_test(test_moments),
					  cmocka_unit_test(test_control_characters)};

UNIT_GROUP(tests);
