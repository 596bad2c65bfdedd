/* SPDX-License-Identifier: MIT */
/* Lists of settings: copies of values, the last of an option, comparison. */
#include "agent/options/settings.h"
#include "unit.h"

static void add(struct settings *settings, const char *name, enum option_given given,
		const char *value)
{
	struct setting setting = {.given = given, .value = value};

	assert_non_null(option_find(name, &setting.place));
	assert_int_equal(settings_add(settings, &setting), 0);
}

static unsigned int place_of(const char *name)
{
	unsigned int place = 0;

	assert_non_null(option_find(name, &place));
	return place;
}

static void test_values(void **state)
{
	struct settings settings = {0};
	char value[] = "first";

	add(&settings, "rules", GIVEN_NAME, value);
	value[0] = 'x';
	add(&settings, "rules", GIVEN_NAME, "second");
	add(&settings, "self", GIVEN_NAME, NULL);
	assert_string_equal(settings.list[0].value, "first");
	assert_string_equal(settings_find(&settings, place_of("rules"))->value, "second");
	assert_null(settings_find(&settings, place_of("self"))->value);
	assert_string_equal(settings_get(&settings, place_of("rules"), 0)->value, "first");
	assert_string_equal(settings_get(&settings, place_of("rules"), 1)->value, "second");
	assert_null(settings_get(&settings, place_of("rules"), 2));
	assert_null(settings_get(&settings, place_of("snaplen"), 0));
	assert_null(settings_find(&settings, place_of("snaplen")));
	settings_remove(&settings, settings_get(&settings, place_of("rules"), 0));
	assert_int_equal(settings.count, 2);
	assert_string_equal(settings.list[0].value, "second");
	settings_finish(&settings);
	assert_int_equal(settings.count, 0);
}

static void test_same(void **state)
{
	struct settings a = {0}, b = {0};
	unsigned int rules = place_of("rules"), self = place_of("self");

	assert_true(settings_are_same(&a, &b, rules));
	add(&a, "rules", GIVEN_NAME, "r");
	assert_false(settings_are_same(&a, &b, rules));
	add(&b, "self", GIVEN_NAME, NULL);
	add(&b, "rules", GIVEN_LETTER, "r");
	assert_true(settings_are_same(&a, &b, rules));
	assert_false(settings_are_same(&a, &b, self));
	add(&a, "rules", GIVEN_NAME, "s");
	assert_false(settings_are_same(&a, &b, rules));
	add(&b, "rules", GIVEN_NAME, "t");
	assert_false(settings_are_same(&a, &b, rules));
	settings_finish(&a);
	settings_finish(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_same),
};

UNIT_GROUP(tests);
