/* SPDX-License-Identifier: MIT */
/* The message is read back: its samples, by their stacks, have the names and attributes of theirs.
 */
#include "profile/formats/otlp_profiles.h"

#include <string.h>

#include "profiled.h"
#include "unit.h"

struct message {
	const uint8_t *at, *end;
};

struct field {
	uint32_t number;
	uint64_t value; /* of a varint, or fixed */
	struct message bytes;
};

static uint64_t otlp_varint(struct message *message)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		assert_true(message->at < message->end);
		value |= (uint64_t)(*message->at & 0x7f) << shift;
		if (!(*message->at++ & 0x80))
			break;
	}
	return value;
}

static bool otlp_field(struct message *message, struct field *field)
{
	uint64_t tag, len;

	if (message->at == message->end)
		return false;
	tag = otlp_varint(message);
	*field = (struct field){.number = (uint32_t)(tag >> 3)};
	if ((tag & 7) == 0) {
		field->value = otlp_varint(message);
		return true;
	}
	len = (tag & 7) == 1 ? 8 : otlp_varint(message);
	assert_true((tag & 7) <= 2 && len <= (size_t)(message->end - message->at));
	if ((tag & 7) == 1)
		memcpy(&field->value, message->at, sizeof(field->value));
	field->bytes = (struct message){message->at, message->at + len};
	message->at += len;
	return true;
}

/* The nth field of a number; the test fails if there is none. */
static struct field nth(struct message message, uint32_t number, size_t n)
{
	struct field field;

	while (otlp_field(&message, &field))
		if (field.number == number && n-- == 0)
			return field;
	fail_msg("no field %u", number);
	return field;
}

static struct message inner(struct message message, uint32_t number, size_t n)
{
	return nth(message, number, n).bytes;
}

static size_t count_of(struct message message, uint32_t number)
{
	struct field field;
	size_t n = 0;

	while (otlp_field(&message, &field))
		n += field.number == number;
	return n;
}

static void expect_bytes(struct message bytes, const char *text)
{
	assert_int_equal(bytes.end - bytes.at, strlen(text));
	assert_memory_equal(bytes.at, text, strlen(text));
}

static void expect_text(struct message dictionary, uint64_t index, const char *text)
{
	expect_bytes(inner(dictionary, 5, index), text);
}

static uint64_t packed(struct message list, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i <= n; i++)
		value = otlp_varint(&list);
	return value;
}

/* The name of the nth frame of a sample. */
static void expect_frame(struct message dictionary, struct message sample, size_t n,
			 const char *name)
{
	struct message stack = inner(dictionary, 7, nth(sample, 1, 0).value);
	struct message location = inner(dictionary, 2, packed(inner(stack, 1, 0), n));
	struct message line = inner(location, 3, 0);
	struct message function = inner(dictionary, 3, nth(line, 1, 0).value);

	expect_text(dictionary, nth(function, 1, 0).value, name);
}

/* The nth attribute of a sample: its text, or its number. */
static void expect_attribute(struct message dictionary, struct message sample, size_t n,
			     const char *key, const char *text, uint64_t number)
{
	struct message row = inner(dictionary, 6, packed(inner(sample, 2, 0), n));

	expect_text(dictionary, nth(row, 1, 0).value, key);
	if (text)
		expect_bytes(inner(inner(row, 2, 0), 1, 0), text);
	else
		assert_int_equal(nth(inner(row, 2, 0), 3, 0).value, number);
}

static struct message write_all(const struct stacks *stacks, struct buf *out)
{
	const struct otlp_profiles_resource resource = {.container = {"abc", .pod = "pod-1"},
							.host = "node"};
	struct profile_names names;

	profiled_name(stacks, &names);
	assert_int_equal(otlp_profiles_write(stacks, &names, &resource, out), 0);
	names_finish(&names);
	return (struct message){(uint8_t *)out->data, (uint8_t *)out->data + out->len};
}

static void writes_samples(void **state)
{
	struct message all, dictionary, profile, sample, resource, scope, type;
	struct stacks stacks;
	struct buf out = {0};

	profiled_create(&stacks);
	stacks.begin_ns = 5;
	stacks.duration_ns = 6;
	stacks.period_ns = 1000;
	profiled_add(&stacks, 0, (const uint64_t[]){16, 0}, (const uint64_t[]){32, 48, 0}, 3);
	profiled_add(&stacks, 1, (const uint64_t[]){0}, (const uint64_t[]){32, 0}, 1);
	all = write_all(&stacks, &out);
	dictionary = inner(all, 2, 0);
	resource = inner(inner(all, 1, 0), 1, 0);
	expect_bytes(inner(inner(resource, 1, 0), 1, 0), "container.id");
	expect_bytes(inner(inner(inner(resource, 1, 0), 2, 0), 1, 0), "abc");
	expect_bytes(inner(inner(resource, 1, 1), 1, 0), "k8s.pod.name");
	expect_bytes(inner(inner(resource, 1, 2), 1, 0), "host.name");
	scope = inner(inner(all, 1, 0), 2, 0);
	assert_int_equal(count_of(scope, 2), 1);
	profile = inner(scope, 2, 0);
	type = inner(profile, 1, 0);
	expect_text(dictionary, nth(type, 1, 0).value, "cpu");
	expect_text(dictionary, nth(type, 2, 0).value, "nanoseconds");
	assert_int_equal(nth(profile, 3, 0).value, 5);
	assert_int_equal(nth(profile, 4, 0).value, 6);
	assert_int_equal(nth(profile, 6, 0).value, 1000);
	assert_int_equal(count_of(profile, 2), 2);
	sample = inner(profile, 2, 0);
	assert_int_equal(packed(inner(sample, 4, 0), 0), 3000);
	expect_frame(dictionary, sample, 0, "k16");
	expect_frame(dictionary, sample, 1, "f32");
	expect_frame(dictionary, sample, 2, "f48");
	expect_attribute(dictionary, sample, 0, "process.executable.name", "one", 0);
	expect_attribute(dictionary, sample, 1, "process.pid", NULL, 10);
	sample = inner(profile, 2, 1);
	assert_int_equal(packed(inner(sample, 4, 0), 0), 1000);
	expect_frame(dictionary, sample, 0, "f32");
	expect_attribute(dictionary, sample, 4, "container.id", "0123456789ab", 0);
	expect_attribute(dictionary, sample, 5, "container.name", "box", 0);
	expect_attribute(dictionary, sample, 6, "container.image.name", "image:1", 0);
	expect_attribute(dictionary, sample, 7, "k8s.pod.name", "pod-1", 0);
	expect_attribute(dictionary, sample, 8, "k8s.namespace.name", "space", 0);
	expect_attribute(dictionary, sample, 0, "process.executable.name", "two;x", 0);
	/* The first row of each table stands for none. */
	assert_int_equal(count_of(inner(dictionary, 1, 0), 1), 0);
	expect_text(dictionary, 0, "");
	assert_int_equal(count_of(inner(dictionary, 6, 0), 1), 0);
	buf_finish(&out);
	stacks_finish(&stacks);
}

static void divides_by_type(void **state)
{
	struct message all, scope, dictionary, sample;
	struct stacks stacks;
	struct stack_row row;
	struct buf out = {0};

	profiled_create(&stacks);
	profiled_add(&stacks, 0, (const uint64_t[]){0}, (const uint64_t[]){32, 0}, 3);
	row = profiled_row(&stacks, 1, (const uint64_t[]){0}, (const uint64_t[]){48, 0}, 77);
	row.kind = STACK_OFF_CPU;
	row.reason = STACK_DISK;
	row.user.lack = STACK_TOO_DEEP;
	assert_int_equal(stacks_add_row(&stacks, &row), 0);
	all = write_all(&stacks, &out);
	dictionary = inner(all, 2, 0);
	scope = inner(inner(all, 1, 0), 2, 0);
	assert_int_equal(count_of(scope, 2), 2);
	assert_int_equal(count_of(inner(scope, 2, 0), 2), 1);
	expect_text(dictionary, nth(inner(inner(scope, 2, 1), 1, 0), 1, 0).value, "off_cpu");
	sample = inner(inner(scope, 2, 1), 2, 0);
	assert_int_equal(packed(inner(sample, 4, 0), 0), 77);
	expect_frame(dictionary, sample, 0, "f48");
	expect_attribute(dictionary, sample, 9, "lanner.wait.reason", "disk", 0);
	expect_attribute(dictionary, sample, 10, "lanner.stack.incomplete",
			 stack_lack_text(STACK_TOO_DEEP), 0);
	buf_finish(&out);
	stacks_finish(&stacks);
}

/*
 * The messages as profiles.proto of OpenTelemetry has them since version 1.9, in development: these
 * numbers were compared with a table of them in another writer, and with decoders.
 */
enum { VARINT, FIXED64, BYTES };

static const struct proto_field {
	const char *message;
	uint32_t number;
	uint8_t wire;
	const char *inner; /* NULL: it is no message */
} proto_fields[] = {
	{"ProfilesData", 1, BYTES, "ResourceProfiles"},
	{"ProfilesData", 2, BYTES, "ProfilesDictionary"},
	{"ResourceProfiles", 1, BYTES, "Resource"},
	{"ResourceProfiles", 2, BYTES, "ScopeProfiles"},
	{"Resource", 1, BYTES, "KeyValue"},
	{"KeyValue", 1, BYTES, NULL}, /* key */
	{"KeyValue", 2, BYTES, "AnyValue"},
	{"AnyValue", 1, BYTES, NULL}, /* string_value */
	{"AnyValue", 3, VARINT, NULL}, /* int_value */
	{"ScopeProfiles", 1, BYTES, "InstrumentationScope"},
	{"ScopeProfiles", 2, BYTES, "Profile"},
	{"InstrumentationScope", 1, BYTES, NULL}, /* name */
	{"InstrumentationScope", 2, BYTES, NULL}, /* version */
	{"Profile", 1, BYTES, "ValueType"}, /* sample_type */
	{"Profile", 2, BYTES, "Sample"},
	{"Profile", 3, FIXED64, NULL}, /* time_unix_nano */
	{"Profile", 4, VARINT, NULL}, /* duration_nano */
	{"Profile", 5, BYTES, "ValueType"}, /* period_type */
	{"Profile", 6, VARINT, NULL}, /* period */
	{"Profile", 7, BYTES, NULL}, /* profile_id */
	{"ValueType", 1, VARINT, NULL}, /* type_strindex */
	{"ValueType", 2, VARINT, NULL}, /* unit_strindex */
	{"Sample", 1, VARINT, NULL}, /* stack_index */
	{"Sample", 2, BYTES, NULL}, /* attribute_indices */
	{"Sample", 4, BYTES, NULL}, /* values */
	{"ProfilesDictionary", 1, BYTES, "Mapping"},
	{"ProfilesDictionary", 2, BYTES, "Location"},
	{"ProfilesDictionary", 3, BYTES, "Function"},
	{"ProfilesDictionary", 4, BYTES, "Link"},
	{"ProfilesDictionary", 5, BYTES, NULL}, /* string_table */
	{"ProfilesDictionary", 6, BYTES, "KeyValueAndUnit"},
	{"ProfilesDictionary", 7, BYTES, "Stack"},
	{"Mapping", 1, VARINT, NULL}, /* memory_start */
	{"Mapping", 2, VARINT, NULL}, /* memory_limit */
	{"Mapping", 4, VARINT, NULL}, /* filename_strindex */
	{"Mapping", 5, BYTES, NULL}, /* attribute_indices */
	{"Location", 1, VARINT, NULL}, /* mapping_index */
	{"Location", 2, VARINT, NULL}, /* address */
	{"Location", 3, BYTES, "Line"},
	{"Location", 4, BYTES, NULL}, /* attribute_indices */
	{"Line", 1, VARINT, NULL}, /* function_index */
	{"Function", 1, VARINT, NULL}, /* name_strindex */
	{"Function", 2, VARINT, NULL}, /* system_name_strindex */
	{"KeyValueAndUnit", 1, VARINT, NULL}, /* key_strindex */
	{"KeyValueAndUnit", 2, BYTES, "AnyValue"},
	{"Stack", 1, BYTES, NULL}, /* location_indices */
};

enum { PROTO_FIELDS = sizeof(proto_fields) / sizeof(*proto_fields) };

static const struct proto_field *proto_field_of(const char *message, uint32_t number)
{
	for (size_t i = 0; i < PROTO_FIELDS; i++)
		if (strcmp(proto_fields[i].message, message) == 0 &&
		    proto_fields[i].number == number)
			return &proto_fields[i];
	fail_msg("%s has no field %u that is written", message, number);
	return NULL;
}

/* Checks all fields of a message, and counts them by row. */
static void expect_message(struct message message, const char *name, size_t seen[PROTO_FIELDS])
{
	while (message.at < message.end) {
		struct message tag = message;
		const uint8_t wire = (uint8_t)(otlp_varint(&tag) & 7);
		const struct proto_field *row;
		struct field field;

		assert_true(otlp_field(&message, &field));
		row = proto_field_of(name, field.number);
		if (row->wire != wire)
			fail_msg("%s: field %u has wire type %u", name, field.number, wire);
		seen[row - proto_fields]++;
		if (row->inner)
			expect_message(field.bytes, row->inner, seen);
	}
}

static void has_the_numbers_of_the_protocol(void **state)
{
	const struct stack_file file = {.path = "/lib", .fd = -1, .build_id_bytes = 2};
	size_t seen[PROTO_FIELDS] = {0};
	struct stacks stacks;
	struct message all;
	struct buf out = {0};
	uint32_t index;

	profiled_create(&stacks);
	stacks.begin_ns = 5;
	stacks.duration_ns = 6;
	stacks.period_ns = 1000;
	assert_int_equal(stacks_add_file(&stacks, &file, &index), 0);
	profiled_add(&stacks, 0, (const uint64_t[]){16, 0}, (const uint64_t[]){32, 48, 0}, 3);
	all = write_all(&stacks, &out);
	expect_message(all, "ProfilesData", seen);
	for (size_t i = 0; i < PROTO_FIELDS; i++)
		if (!seen[i])
			fail_msg("%s: no field %u was written", proto_fields[i].message,
				 proto_fields[i].number);
	buf_finish(&out);
	stacks_finish(&stacks);
}

/* A location has a line for each function, the innermost first. */
static void has_lines_of_what_is_inlined(void **state)
{
	static const char *const expected[] = {"inner", "outer", "f32"};
	const struct otlp_profiles_resource resource = {.host = "node"};
	struct message dictionary, location;
	struct profile_names names;
	struct buf out = {0};
	struct stacks stacks;

	profiled_create(&stacks);
	profiled_add(&stacks, 0, NULL, (const uint64_t[]){32, 0}, 3);
	profiled_name(&stacks, &names);
	profiled_inline(&names, 32);
	assert_int_equal(otlp_profiles_write(&stacks, &names, &resource, &out), 0);
	names_finish(&names);
	stacks_finish(&stacks);
	dictionary =
		inner((struct message){(uint8_t *)out.data, (uint8_t *)out.data + out.len}, 2, 0);
	/* The first one stands for none. */
	location = inner(dictionary, 2, 1);
	assert_int_equal(count_of(location, 3), 3);
	for (size_t i = 0; i < 3; i++) {
		struct message line = inner(location, 3, i);
		struct message function = inner(dictionary, 3, nth(line, 1, 0).value);

		expect_text(dictionary, nth(function, 1, 0).value, expected[i]);
	}
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(writes_samples),
	cmocka_unit_test(divides_by_type),
	cmocka_unit_test(has_the_numbers_of_the_protocol),
	cmocka_unit_test(has_lines_of_what_is_inlined),
};

UNIT_GROUP(tests);
