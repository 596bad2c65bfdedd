/* SPDX-License-Identifier: MIT */
/* Categories and types of the Elastic Common Schema. */
#include <string.h>

#include "event/event.h"
#include "sinsp/format/schema.h"
#include "unit.h"

/* What the schema allows for each category ("expected event types"). */
static const struct {
	const char *category, *types;
} allowed[] = {
	{"api", " access admin allowed change creation deletion denied end info start user "},
	{"configuration", " access change creation deletion info "},
	{"driver", " change end info start "},
	{"file", " access change creation deletion info "},
	{"host", " access change end info start "},
	{"network", " access allowed connection denied end info protocol start "},
	{"process", " access change end info start "},
};

static void check(const struct event_desc *desc)
{
	const char *category = schema_ecs_category(desc->id), *type = schema_ecs_type(desc->id);
	char word[32] = " ";

	strcat(strcat(word, type), " ");
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if (strcmp(allowed[i].category, category) == 0) {
			if (!strstr(allowed[i].types, word))
				fail_msg("%s: %s does not allow %s", desc->name, category, type);
			return;
		}
	fail_msg("%s: %s is no category", desc->name, category);
}

static void test_all_events(void **state)
{
	unsigned int seen = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		if (!event_desc_get(id))
			continue;
		check(event_desc_get(id));
		seen++;
	}
	assert_true(seen > 400);
}

static void test_some(void **state)
{
	assert_string_equal(schema_ecs_category(EVENT_execve), "process");
	assert_string_equal(schema_ecs_type(EVENT_execve), "start");
	assert_string_equal(schema_ecs_category(EVENT_unlinkat), "file");
	assert_string_equal(schema_ecs_type(EVENT_unlinkat), "deletion");
	assert_string_equal(schema_ecs_category(EVENT_connect), "network");
	assert_string_equal(schema_ecs_type(EVENT_connect), "start");
	assert_string_equal(schema_ecs_category(EVENT_futex), "api");
	assert_string_equal(schema_ecs_type(EVENT_futex), "info");
	assert_string_equal(schema_ecs_category(EVENT_ID_MAX), "api");
	assert_string_equal(schema_ecs_type(EVENT_ID_MAX), "info");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all_events),
	cmocka_unit_test(test_some),
};

UNIT_GROUP(tests);
