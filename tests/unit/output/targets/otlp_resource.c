/* SPDX-License-Identifier: MIT */
/* Attributes by their rank: found out, of the environment, of the user. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/targets/otlp.h"
#include "unit.h"

static const struct output_list none;

static int setup(void **state)
{
	unsetenv("OTEL_RESOURCE_ATTRIBUTES");
	unsetenv("OTEL_SERVICE_NAME");
	unsetenv("NODE_NAME");
	return 0;
}

static const char *value_of(const struct otlp_resource *resource, const char *name)
{
	for (size_t i = 0; i < resource->count; i++)
		if (strcmp(resource->attributes[i].name, name) == 0)
			return resource->attributes[i].value;
	return NULL;
}

static void test_found_out(void **state)
{
	struct otlp_resource resource;

	assert_int_equal(otlp_resource_init(&resource, "n", &none, NULL), 0);
	assert_string_equal(value_of(&resource, "service.name"), "lanner");
	assert_non_null(value_of(&resource, "service.version"));
	assert_string_equal(value_of(&resource, "host.name"), "n");
	assert_string_equal(value_of(&resource, "os.type"), "linux");
	assert_null(value_of(&resource, "k8s.node.name"));
	otlp_resource_finish(&resource);
}

static void test_ranks(void **state)
{
	char *items[] = {(char *)"c=mine", (char *)"d="};
	struct output_list given = {items, 2};
	struct otlp_resource resource;

	setenv("OTEL_RESOURCE_ATTRIBUTES",
	       "a=1%2C2, b=x%,wrong,=v,c=theirs,service.name=s,host.name=h", 1);
	setenv("NODE_NAME", "node", 1);
	assert_int_equal(otlp_resource_init(&resource, "n", &given, NULL), 0);
	assert_string_equal(value_of(&resource, "a"), "1,2");
	assert_string_equal(value_of(&resource, "b"), "x%");
	assert_string_equal(value_of(&resource, "c"), "mine");
	assert_string_equal(value_of(&resource, "d"), "");
	assert_string_equal(value_of(&resource, "service.name"), "s");
	assert_string_equal(value_of(&resource, "host.name"), "h");
	assert_string_equal(value_of(&resource, "k8s.node.name"), "node");
	assert_null(value_of(&resource, "wrong"));
	otlp_resource_finish(&resource);
	setenv("OTEL_SERVICE_NAME", "better", 1);
	assert_int_equal(otlp_resource_init(&resource, "n", &given, NULL), 0);
	assert_string_equal(value_of(&resource, "service.name"), "better");
	otlp_resource_finish(&resource);
}

static void test_forms(void **state)
{
	static const char proto[] = "\x0a\x08\x0a\x01k\x12\x03\x0a\x01v\x0a\x0a\x0a\x01"
				    "b\x12\x05\x0a\x03\xef\xbf\xbd";
	struct otlp_attribute pairs[] = {{(char *)"k", (char *)"v"}, {(char *)"b", (char *)"\xff"}};
	struct otlp_resource resource = {.count = 2};
	struct buf out = {0};

	memcpy(resource.attributes, pairs, sizeof(pairs));
	otlp_resource_append_json(&resource, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data,
			    "{\"attributes\":[{\"key\":\"k\",\"value\":{\"stringValue\":\"v\"}},"
			    "{\"key\":\"b\",\"value\":{\"stringValue\":\"\xef\xbf\xbd\"}}]}");
	buf_clear(&out);
	otlp_resource_append_proto(&resource, &out);
	assert_int_equal(out.len, sizeof(proto) - 1);
	assert_memory_equal(out.data, proto, out.len);
	buf_finish(&out);
}

static void test_too_many(void **state)
{
	char names[OTLP_ATTRIBUTES_MAX][16], *items[OTLP_ATTRIBUTES_MAX];
	struct output_list given = {items, OTLP_ATTRIBUTES_MAX};
	struct otlp_resource resource;
	struct error err;

	for (int i = 0; i < OTLP_ATTRIBUTES_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "a%d=b", i);
		items[i] = names[i];
	}
	assert_int_equal(otlp_resource_init(&resource, "n", &given, &err), -EINVAL);
	assert_non_null(strstr(err.text, "64 attributes"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_found_out, setup),
	cmocka_unit_test_setup(test_ranks, setup),
	cmocka_unit_test_setup(test_forms, setup),
	cmocka_unit_test_setup(test_too_many, setup),
};

UNIT_GROUP(tests);
