/* SPDX-License-Identifier: MIT */
/* One of a few words: its place, and the message about one that is none of them. */
#include <errno.h>

#include "agent/options/row.h"
#include "unit.h"

static const char *animal(unsigned int i)
{
	static const char *const words[] = {"cat", "horse", "hen"};

	return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL;
}

static const char *only(unsigned int i)
{
	return i == 0 ? "all" : NULL;
}

static void test_find(void **state)
{
	unsigned int place = 9;

	assert_int_equal(option_words_find(animal, "Cat", &place), -EINVAL);
	assert_int_equal(option_words_find(animal, "", &place), -EINVAL);
	assert_int_equal(option_words_find(animal, "ca", &place), -EINVAL);
	assert_int_equal(place, 9);
	assert_int_equal(option_words_find(animal, "hen", &place), 0);
	assert_int_equal(place, 2);
	assert_int_equal(option_words_find(animal, "cat", &place), 0);
	assert_int_equal(place, 0);
}

static void expect_message(option_words *words, const char *text, const char *message)
{
	struct error err = {""};

	assert_int_equal(option_words_reject("--pet", words, NULL, text, &err), -EINVAL);
	assert_string_equal(err.text, message);
	assert_int_equal(option_words_reject("--pet", words, NULL, text, NULL), -EINVAL);
}

static void test_message(void **state)
{
	expect_message(animal, "hores",
		       "--pet: expected cat, horse or hen, not 'hores' (did you mean 'horse'?)");
	expect_message(animal, "CAT",
		       "--pet: expected cat, horse or hen, not 'CAT' (did you mean 'cat'?)");
	expect_message(animal, "elephant", "--pet: expected cat, horse or hen, not 'elephant'");
	expect_message(only, "none", "--pet: expected all, not 'none'");
}

static const char *otherwise(const char *text)
{
	return text[0] == '/' ? "a file: -w" : NULL;
}

/* Only what is near to no word may be something else. */
static void test_otherwise(void **state)
{
	static const char *const cases[][2] = {
		{"hores", "--pet: expected cat, horse or hen, not 'hores' (did you mean 'horse'?)"},
		{"/elephant", "--pet: expected cat, horse or hen, not '/elephant'; a file: -w"},
		{"elephant", "--pet: expected cat, horse or hen, not 'elephant'"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {""};

		option_words_reject("--pet", animal, otherwise, cases[i][0], &err);
		assert_string_equal(err.text, cases[i][1]);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_find),
	cmocka_unit_test(test_message),
	cmocka_unit_test(test_otherwise),
};

UNIT_GROUP(tests);
