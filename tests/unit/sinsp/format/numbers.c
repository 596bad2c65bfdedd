/* SPDX-License-Identifier: MIT */
/* Every field that stands alone has a number of its own, beyond those of the message itself. */
#include <string.h>

#include "sinsp/fields/field.h"
#include "sinsp/format/json.h"
#include "sinsp/format/schema.h"
#include "unit.h"

enum { NUMBER_MAX = 1024 };

static void test_all_fields(void **state)
{
	static bool used[NUMBER_MAX];

	for (const struct field_desc *const *table = field_tables; *table; table++) {
		for (const struct field_desc *desc = *table; desc->name; desc++) {
			uint32_t number = schema_number(desc->name);

			if (desc->flags & (FIELD_FILTER_ONLY | FIELD_ARG_REQUIRED)) {
				assert_int_equal(number, 0);
				continue;
			}
			if (number == 0)
				fail_msg("%s has no number: run proto/update_schema", desc->name);
			assert_in_range(number, 16, NUMBER_MAX - 1);
			assert_false(used[number]);
			used[number] = true;
		}
	}
}

/* What was released stays. */
static void test_some(void **state)
{
	assert_int_equal(schema_number("evt.num"), 16);
	assert_int_equal(schema_number("evt.type"), 19);
	assert_int_equal(schema_number("evt.args"), EVENT_NUMBER_ARGS);
	assert_int_equal(schema_number("evt.info"), EVENT_NUMBER_INFO);
	assert_int_equal(schema_number("syslog.message"), 319);
	assert_int_equal(schema_number("evt.nu"), 0);
}

/* Those that are objects in JSON are maps. */
static void test_maps(void **state)
{
	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++) {
			uint32_t number = schema_number(desc->name);
			bool is_map = strcmp(format_json_form(desc), "arguments") == 0;

			if (number)
				assert_int_equal(number == EVENT_NUMBER_ARGS ||
							 number == EVENT_NUMBER_INFO,
						 is_map);
		}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all_fields),
	cmocka_unit_test(test_some),
	cmocka_unit_test(test_maps),
};

UNIT_GROUP(tests);
