/* SPDX-License-Identifier: MIT */
/* Short files: their first bytes, and numbers. */
#include <errno.h>
#include <string.h>

#include "agent/commands/doctor.h"
#include "doctored.h"
#include "unit.h"

static void test_text(void **state)
{
	const struct tree *tree = *state;
	const struct doctor doctor = {.root = tree->path};
	char text[DOCTOR_TEXT_BYTES], long_text[2 * DOCTOR_TEXT_BYTES];

	assert_int_equal(doctor_read(&doctor, "/missing", text), -ENOENT);
	assert_string_equal(text, "");
	tree_write(tree, "a", "x\ny\n");
	assert_int_equal(doctor_read(&doctor, "/a", text), 0);
	assert_string_equal(text, "x\ny");
	memset(long_text, 'z', sizeof(long_text));
	tree_write_bytes(tree, "long", long_text, sizeof(long_text));
	assert_int_equal(doctor_read(&doctor, "/long", text), 0);
	assert_int_equal(strlen(text), DOCTOR_TEXT_BYTES - 1);
	assert_int_equal(doctor_read(&doctor, "", text), -EISDIR);
}

static void test_number(void **state)
{
	static const char *const wrong[] = {"", "x", "1x", "99999999999999999999"};
	const struct tree *tree = *state;
	const struct doctor doctor = {.root = tree->path};
	long number = 7;

	assert_int_equal(doctor_read_number(&doctor, "/n", &number), -ENOENT);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		tree_write(tree, "n", wrong[i]);
		assert_int_equal(doctor_read_number(&doctor, "/n", &number), -EINVAL);
	}
	assert_int_equal(number, 7);
	tree_write(tree, "n", "-3\n");
	assert_int_equal(doctor_read_number(&doctor, "/n", &number), 0);
	assert_int_equal(number, -3);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_text, doctored_setup, doctored_teardown),
	cmocka_unit_test_setup_teardown(test_number, doctored_setup, doctored_teardown),
};

UNIT_GROUP(tests);
