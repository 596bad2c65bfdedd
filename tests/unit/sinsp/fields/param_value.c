/* SPDX-License-Identifier: MIT */
/*
 * Parameters as values: the encoders of JSON write the same unless numbers are large, in events of
 * all families; others write the same forms.
 */
#include "sinsp/fields/param_value.h"
#include "unit.h"
#include "world.h"

static void expect_same(struct drive *world)
{
	struct buf value = {0}, json = {0};
	struct clock utc = {0};
	struct param_values *plain, *exact;

	assert_int_equal(param_values_create(&encoder_json_exact, &exact), 0);
	assert_int_equal(param_values_create(&encoder_json, &plain), 0);
	param_value_append_all(exact, &world->event, &utc, false, &json);
	param_value_append_all(plain, &world->event, &utc, false, &value);
	buf_append_char(&json, '\0');
	buf_append_char(&value, '\0');
	assert_string_equal(value.data, json.data);
	param_values_destroy(exact);
	param_values_destroy(plain);
	buf_finish(&value);
	buf_finish(&json);
}

static void test_files(void **state)
{
	struct drive *world = *state;

	world_openat(world, 3, "a \xff\"", 0x1001 | 0x40000000);
	expect_same(world);
	world_openat(world, -2, "", 0x2 | 0x400 | 0x2000);
	expect_same(world);
	world_read(world, 4);
	expect_same(world);
	world_exit(world);
	expect_same(world);
}

/* Every event with each parameter of fixed size. */
static void test_numbers(void **state)
{
	static const int64_t values[] = {0, 1, 2, 5, 17, 0x1001, INT32_MAX};
	struct drive *world = *state;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!desc || desc->flags & (EF_ENTER | EF_UNSEEN))
			continue;
		for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			world_begin(world, (uint16_t)id, 100);
			for (unsigned int i = 0; i < desc->nparams; i++)
				if (param_type_size(desc->params[i].type))
					frame_put_i64(&world->frame, i, values[v]);
			world_end(world);
			expect_same(world);
		}
	}
}

/* Whether the bytes of JSON are of a type as param_json_type() names it. */
static bool is_of_type(const char *json, const char *type)
{
	if (strcmp(type, "number") == 0)
		return *json == '-' || (*json >= '0' && *json <= '9');
	return strcmp(type, "text") == 0 ? *json == '"' : *json == '[';
}

/* The type of the JSON of each parameter is the same whatever its value is. */
static void expect_type(struct drive *world, const struct event_desc *desc, unsigned int index,
			int64_t number)
{
	const char *type = param_json_type(desc, index);
	struct param_values *values;
	struct clock utc = {0};
	struct buf json = {0};

	assert_int_equal(param_values_create(&encoder_json_exact, &values), 0);
	world_begin(world, desc->id, 100);
	frame_put_i64(&world->frame, index, number);
	world_end(world);
	param_value_append(values, &world->event, index, &utc, &json);
	buf_append_char(&json, '\0');
	if (!is_of_type(json.data, type))
		fail_msg("%s.%s: %s is no %s", desc->name, desc->params[index].name, json.data,
			 type);
	buf_finish(&json);
	param_values_destroy(values);
}

static void test_types(void **state)
{
	static const int64_t values[] = {
		0,	    1,	       5,  17,	      34,	 0x1001,	 INT32_MAX,
		UINT32_MAX, INT64_MAX, -1, INT64_MIN, 1LL << 53, (1LL << 53) + 1};

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!desc || desc->flags & (EF_ENTER | EF_UNSEEN))
			continue;
		for (unsigned int i = 0; i < desc->nparams; i++)
			for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++)
				if (param_type_size(desc->params[i].type))
					expect_type(*state, desc, i, values[v]);
	}
}

static void expect_param(struct drive *world, const struct encoder *encoder, unsigned int index,
			 const char *bytes, size_t len)
{
	struct param_values *values;
	struct clock utc = {0};
	struct buf out = {0};

	assert_int_equal(param_values_create(encoder, &values), 0);
	param_value_append(values, &world->event, index, &utc, &out);
	assert_int_equal(out.len, len);
	assert_memory_equal(out.data, bytes, len);
	param_values_destroy(values);
	buf_finish(&out);
}

/* No user is -1, as in user.loginuid. */
static void test_no_user(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_setuid, 100);
	frame_put_i64(&world->frame, setuid__uid, UINT32_MAX);
	world_end(world);
	expect_param(world, &encoder_json_exact, setuid__uid, "-1", 2);
	expect_param(world, &encoder_otlp_json, setuid__uid, "{\"intValue\":\"-1\"}", 17);
	world_begin(world, EVENT_setuid, 100);
	frame_put_i64(&world->frame, setuid__uid, UINT32_MAX - 1);
	world_end(world);
	expect_param(world, &encoder_json_exact, setuid__uid, "4294967294", 10);
}

static void test_lists(void **state)
{
	static const char args[] = "-n\0a\xff\0";
	struct drive *world = *state;

	world_begin(world, EVENT_execve, 100);
	frame_put_bytes(&world->frame, execve__args, args, sizeof(args) - 1);
	world_end(world);
	expect_same(world);
}

/* A parameter in the encoders of OpenTelemetry. */
#define EXPECT_PARAM(world, index, json, proto)                                                    \
	do {                                                                                       \
		expect_param(world, &encoder_otlp_json, index, json, sizeof(json) - 1);            \
		expect_param(world, &encoder_proto, index, proto, sizeof(proto) - 1);              \
	} while (0)

static void test_forms(void **state)
{
	static const struct fdlist_entry waited = {3, 0x401};
	static const char waited_json[] =
		"{\"arrayValue\":{\"values\":[{\"kvlistValue\":{\"values\":["
		"{\"key\":\"fd\",\"value\":{\"intValue\":\"3\"}},"
		"{\"key\":\"events\",\"value\":{\"arrayValue\":{\"values\":["
		"{\"stringValue\":\"POLLIN\"},{\"stringValue\":\"POLLWRBAND\"}]}}}]}}]}}";
	static const uint8_t cpus[] = {0xf};
	struct drive *world = *state;

	world_openat(world, 3, "/a", 0x1);
	EXPECT_PARAM(world, openat__flags,
		     "{\"arrayValue\":{\"values\":[{\"stringValue\":\"O_RDONLY\"}]}}",
		     "\x0e\x2a\x0c\x0a\x0a\x0a\x08"
		     "O_RDONLY");
	EXPECT_PARAM(world, openat__mode, "{\"stringValue\":\"0755\"}",
		     "\x06\x0a\x04"
		     "0755");
	EXPECT_PARAM(world, openat__dev, "{\"stringValue\":\"0xfd01\"}",
		     "\x08\x0a\x06"
		     "0xfd01");
	world_begin(world, EVENT_poll, 100);
	frame_put_fdlist(&world->frame, poll__fds, &waited, 1);
	world_end(world);
	expect_param(world, &encoder_otlp_json, poll__fds, waited_json, sizeof(waited_json) - 1);
	world_begin(world, EVENT_sched_setaffinity, 100);
	frame_put_bytes(&world->frame, sched_setaffinity__mask, cpus, sizeof(cpus));
	world_end(world);
	EXPECT_PARAM(world, sched_setaffinity__mask, "{\"stringValue\":\"0-3\"}",
		     "\x05\x0a\x03"
		     "0-3");
}

/* What a map of all parameters is made of. */
static void test_entries(void **state)
{
	struct drive *world = *state;
	struct param_values *values;
	struct clock utc = {0};
	struct buf out = {0};

	assert_int_equal(param_values_create(&encoder_proto, &values), 0);
	world_openat(world, 3, "/a", 1);
	param_value_append_entry(values, &world->event, openat__fd, &utc, &out);
	param_value_append(values, &world->event, openat__name, &utc, &out);
	assert_int_equal(out.len, 9 + 5);
	assert_memory_equal(out.data,
			    "\x08\x0a\x02"
			    "fd\x12\x02\x18\x03"
			    "\x04\x0a\x02/a",
			    out.len);
	param_values_destroy(values);
	param_values_destroy(NULL);
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_files),	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_types),	cmocka_unit_test(test_no_user),
	cmocka_unit_test(test_lists),	cmocka_unit_test(test_forms),
	cmocka_unit_test(test_entries),
};

UNIT_GROUP(tests, .setup = world_setup, .teardown = world_teardown);
