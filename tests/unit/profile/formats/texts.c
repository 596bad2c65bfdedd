/* SPDX-License-Identifier: MIT */
/* The same text has the same number, however many there are. */
#include "profile/formats/texts.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static void numbers_each_text_once(void **state)
{
	enum { COUNT = 5000 };
	struct texts texts;
	uint32_t number, other;
	char text[16];

	assert_int_equal(texts_init(&texts), 0);
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < COUNT; i++) {
			snprintf(text, sizeof(text), "%u", i);
			assert_int_equal(texts_add(&texts, text, strlen(text), &number), 0);
			assert_int_equal(number, i);
		}
	assert_int_equal(texts.count, COUNT);
	assert_string_equal(texts_at(&texts, 17), "17");
	/* One that begins another one. */
	assert_int_equal(texts_add(&texts, "abc", 2, &number), 0);
	assert_int_equal(texts_add(&texts, "abc", 3, &other), 0);
	assert_int_equal(number, COUNT);
	assert_int_equal(other, COUNT + 1);
	assert_int_equal(texts_add(&texts, "", 0, &number), 0);
	assert_string_equal(texts_at(&texts, number), "");
	texts_finish(&texts);
	assert_int_equal(texts.count, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(numbers_each_text_once),
};

UNIT_GROUP(tests);
