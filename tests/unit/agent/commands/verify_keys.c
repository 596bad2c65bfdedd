/* SPDX-License-Identifier: MIT */
/* Keys of all schemas. */
#include "agent/commands/verify.h"

#include "sinsp/sinsp.h"
#include "unit.h"

static void test_all_schemas(void **state)
{
	struct verify_keys keys[VERIFY_SCHEMAS_MAX] = {0};
	size_t count = 0;

	assert_int_equal(verify_keys_make(keys, &count), 0);
	/* All but Falco's, whose names are those of the first. */
	assert_ptr_equal(schema_get((unsigned int)count), &schema_falco);
	assert_null(schema_get((unsigned int)count + 1));
	assert_string_equal(keys[0].names[KEY_NUM], "evt.num");
	assert_string_equal(keys[0].names[KEY_CAUSE], "drop.cause");
	for (size_t i = 1; i < count; i++)
		assert_string_not_equal(keys[i].names[KEY_NUM], "evt.num");
	verify_keys_finish(keys);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_schemas)};

UNIT_GROUP(tests);
