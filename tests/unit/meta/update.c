/* SPDX-License-Identifier: MIT */
#include "meta/sink.h"
#include "unit.h"

static void test_copies_the_id(void **state)
{
	char id[] = "1a2b";
	struct meta_update *update = meta_update_create(META_CONTAINER_REMOVED, id);

	assert_non_null(update);
	id[0] = 'x';
	assert_int_equal(update->kind, META_CONTAINER_REMOVED);
	assert_string_equal(update->id, "1a2b");
	assert_string_equal(update->err.text, "");
	update->info = state_container_info_create();
	update->pod = state_pod_info_create();
	meta_update_destroy(update);
}

static void test_none(void **state)
{
	struct meta_update *update = meta_update_create(META_FAILURE, NULL);

	assert_non_null(update);
	assert_null(update->id);
	meta_update_destroy(update);
	meta_update_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_copies_the_id),
	cmocka_unit_test(test_none),
};

UNIT_GROUP(tests);
