/* SPDX-License-Identifier: MIT */
/* The forms of parameters, and names of flags. */
#include "sinsp/fields/param_form.h"
#include "unit.h"

static void expect(enum event_id id, unsigned int index, enum param_kind form, bool has_set)
{
	const struct param_flag *set;

	assert_int_equal(param_form_of(event_desc_get(id), index, &set), form);
	assert_int_equal(set != NULL, has_set);
}

static void test_forms(void **state)
{
	expect(EVENT_openat, openat__fd, PARAM_SIGNED, false);
	expect(EVENT_openat, openat__name, PARAM_PATH, false);
	expect(EVENT_openat, openat__flags, PARAM_FILE_FLAGS, true);
	expect(EVENT_openat, openat__mode, PARAM_OCTAL, false);
	expect(EVENT_openat, openat__dev, PARAM_HEX, false);
	expect(EVENT_openat, openat__ino, PARAM_UNSIGNED, false);
	expect(EVENT_socket, socket__domain, PARAM_ENUM, true);
	expect(EVENT_read, read__data, PARAM_BYTES, false);
	expect(EVENT_execve, execve__args, PARAM_LIST, false);
	expect(EVENT_connect, connect__tuple, PARAM_SOCKTUPLE, false);
	expect(EVENT_poll, poll__fds, PARAM_FD_LIST, true);
	expect(EVENT_kill, kill__sig, PARAM_SIGNAL, false);
}

/* Every parameter has a form that its writers know. */
static void test_all(void **state)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		for (unsigned int i = 0; desc && i < desc->nparams; i++) {
			const struct param_flag *set;
			enum param_kind form = param_form_of(desc, i, &set);

			assert_in_range(form, PARAM_SIGNED, PARAM_FORMS_COUNT - 1);
		}
	}
}

static void test_flags(void **state)
{
	static const struct param_flag names[] = {{"RW", 3}, {"R", 1}, {"ZERO", 0}, {"X", 8}, {0}};
	const struct param_flag *set = names;
	uint64_t value = 1 | 8 | 16;

	assert_string_equal(param_next_flag(&set, &value), "R");
	assert_string_equal(param_next_flag(&set, &value), "X");
	assert_null(param_next_flag(&set, &value));
	assert_int_equal(value, 16);
	set = NULL;
	assert_null(param_next_flag(&set, &value));
}

static void test_enumerations(void **state)
{
	static const struct param_flag names[] = {{"OLD", 1}, {"NEW", 1}, {"TWO", 2}, {0}};

	assert_string_equal(param_enum_name(names, 1), "NEW");
	assert_string_equal(param_enum_name(names, 2), "TWO");
	assert_null(param_enum_name(names, 3));
	assert_null(param_enum_name(NULL, 1));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_forms),
	cmocka_unit_test(test_all),
	cmocka_unit_test(test_flags),
	cmocka_unit_test(test_enumerations),
};

UNIT_GROUP(tests);
