/* SPDX-License-Identifier: MIT */
/* The message is read back field by field: types, samples, labels, places, texts. */
#include "profile/formats/pprof.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "profiled.h"
#include "unit.h"

/* A reader of protobuf. */
struct field {
	uint32_t number;
	uint64_t value; /* of a varint */
	const uint8_t *bytes; /* NULL: it is a varint */
	size_t len;
};

struct message {
	const uint8_t *at, *end;
};

static uint64_t read_varint(struct message *message)
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

static bool read_field(struct message *message, struct field *field)
{
	uint64_t tag;

	if (message->at == message->end)
		return false;
	tag = read_varint(message);
	*field = (struct field){.number = (uint32_t)(tag >> 3)};
	if ((tag & 7) == 0) {
		field->value = read_varint(message);
		return true;
	}
	assert_int_equal(tag & 7, 2);
	field->len = read_varint(message);
	assert_true(field->len <= (size_t)(message->end - message->at));
	field->bytes = message->at;
	message->at += field->len;
	return true;
}

static struct message message_of(const struct field *field)
{
	return (struct message){field->bytes, field->bytes + field->len};
}

/* The nth field with a number; the test fails if there is none. */
static struct field nth(struct message message, uint32_t number, size_t n)
{
	struct field field;

	while (read_field(&message, &field))
		if (field.number == number && n-- == 0)
			return field;
	fail_msg("no field %u", number);
	return field;
}

static size_t count_of(struct message message, uint32_t number)
{
	struct field field;
	size_t n = 0;

	while (read_field(&message, &field))
		n += field.number == number;
	return n;
}

static uint64_t number_in(const struct field *field, uint32_t number)
{
	struct message message = message_of(field);
	struct field found;

	while (read_field(&message, &found))
		if (found.number == number)
			return found.value;
	return 0;
}

static bool is_text(struct message all, uint64_t index, const char *text)
{
	const struct field field = nth(all, 6, index);

	return field.len == strlen(text) && memcmp(field.bytes, text, field.len) == 0;
}

static void expect_text(struct message all, uint64_t index, const char *text)
{
	if (!is_text(all, index, text))
		fail_msg("text %d is not '%s'", (int)index, text);
}

static struct message unpack(const struct buf *out)
{
	enum { PLAIN_BYTES = 1 << 16 };
	static uint8_t plain[PLAIN_BYTES];
	z_stream stream = {.next_in = (Bytef *)out->data,
			   .avail_in = (uInt)out->len,
			   .next_out = plain,
			   .avail_out = sizeof(plain)};

	assert_int_equal(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	inflateEnd(&stream);
	return (struct message){plain, plain + stream.total_out};
}

static struct message write_all(const struct stacks *stacks)
{
	struct buf out = {0};
	struct message message;
	struct profile_names names;

	profiled_name(stacks, &names);
	assert_int_equal(pprof_write(stacks, &names, &out), 0);
	message = unpack(&out);
	buf_finish(&out);
	names_finish(&names);
	return message;
}

static void expect_type(struct message all, size_t n, const char *name, const char *unit)
{
	const struct field type = nth(all, 1, n);

	expect_text(all, number_in(&type, 1), name);
	expect_text(all, number_in(&type, 2), unit);
}

static void expect_values(struct message all, size_t sample, const uint64_t *values, size_t count)
{
	const struct field field = nth(all, 2, sample);
	const struct field packed = nth(message_of(&field), 2, 0);
	struct message message = message_of(&packed);

	for (size_t i = 0; i < count; i++)
		assert_int_equal(read_varint(&message), values[i]);
	assert_true(message.at == message.end);
}

/* The name of the nth frame of a sample; NULL: as it is in the file. */
static void expect_frame(struct message all, size_t sample, size_t n, const char *name,
			 const char *system_name)
{
	const struct field field = nth(all, 2, sample);
	const struct field packed = nth(message_of(&field), 1, 0);
	struct message ids = message_of(&packed);
	struct field location, line, function;
	uint64_t id = read_varint(&ids);

	while (n--)
		id = read_varint(&ids);
	location = nth(all, 4, id - 1);
	assert_int_equal(number_in(&location, 1), id);
	line = nth(message_of(&location), 4, 0);
	function = nth(all, 5, number_in(&line, 1) - 1);
	assert_int_equal(number_in(&function, 1), number_in(&line, 1));
	expect_text(all, number_in(&function, 2), name);
	expect_text(all, number_in(&function, 3), system_name);
}

static void expect_label(struct message all, size_t sample, const char *key, const char *text,
			 uint64_t number)
{
	const struct field field = nth(all, 2, sample);
	struct message message = message_of(&field);
	struct field label;

	while (read_field(&message, &label)) {
		if (label.number != 3 || !is_text(all, number_in(&label, 1), key))
			continue;
		if (text)
			expect_text(all, number_in(&label, 2), text);
		assert_int_equal(number_in(&label, 3), number);
		return;
	}
	fail_msg("no label %s", key);
}

static void has_samples_of_cpu(void **state)
{
	struct stacks stacks;
	struct message all;

	profiled_create(&stacks);
	profiled_add(&stacks, 0, (const uint64_t[]){9, 0}, (const uint64_t[]){2, 1, 0}, 5);
	profiled_add(&stacks, 1, NULL, (const uint64_t[]){1, 0}, 300);
	all = write_all(&stacks);
	expect_text(all, 0, "");
	assert_int_equal(count_of(all, 1), 2);
	expect_type(all, 0, "samples", "count");
	expect_type(all, 1, "cpu", "nanoseconds");
	assert_int_equal(count_of(all, 2), 2);
	expect_values(all, 0, (const uint64_t[]){5, 50000000}, 2);
	expect_values(all, 1, (const uint64_t[]){300, 3000000000}, 2);
	expect_frame(all, 0, 0, "k9", "k9");
	expect_frame(all, 0, 1, "f2", "_Zf2");
	expect_frame(all, 0, 2, "f1", "_Zf1");
	expect_frame(all, 1, 0, "f1", "_Zf1");
	expect_label(all, 0, "process", "one", 0);
	expect_label(all, 0, "pid", NULL, 10);
	expect_label(all, 1, "tid", NULL, 11);
	expect_label(all, 1, "container", "box", 0);
	expect_label(all, 1, "container_id", "0123456789ab", 0);
	expect_label(all, 1, "image", "image:1", 0);
	expect_label(all, 1, "pod", "pod-1", 0);
	expect_label(all, 1, "namespace", "space", 0);
	assert_int_equal(nth(all, 9, 0).value, stacks.begin_ns);
	assert_int_equal(nth(all, 10, 0).value, stacks.duration_ns);
	assert_int_equal(nth(all, 12, 0).value, stacks.period_ns);
	stacks_finish(&stacks);
}

/* Places of a file are in its own range; those of no file are in none. */
static void has_files_and_places(void **state)
{
	struct stacks stacks;
	struct message all;
	struct field mapping, location;

	profiled_create(&stacks);
	profiled_add(&stacks, 0, (const uint64_t[]){9, 0}, (const uint64_t[]){0x20, 0}, 5);
	all = write_all(&stacks);
	assert_int_equal(count_of(all, 3), 3);
	mapping = nth(all, 3, 2);
	expect_text(all, number_in(&mapping, 5), "[kernel.kallsyms]");
	mapping = nth(all, 3, 0);
	expect_text(all, number_in(&mapping, 5), "/bin/one");
	expect_text(all, number_in(&mapping, 6), "ab01");
	assert_int_equal(number_in(&mapping, 1), PROFILED_FILE + 1);
	for (size_t i = 0; i < 2; i++) {
		location = nth(all, 4, i);
		if (number_in(&location, 2) == PROFILED_FILE + 1)
			assert_int_equal(number_in(&location, 3) - number_in(&mapping, 2), 0x20);
		else
			assert_int_equal(number_in(&location, 3), 9);
	}
	stacks_finish(&stacks);
}

/* A place has a line for each function, the innermost first. */
static void has_lines_of_what_is_inlined(void **state)
{
	static const char *const expected[] = {"inner", "outer", "f32"};
	struct field location, line, function;
	struct profile_names names;
	struct buf out = {0};
	struct stacks stacks;
	struct message all;

	profiled_create(&stacks);
	profiled_add(&stacks, 0, NULL, (const uint64_t[]){32, 0}, 3);
	profiled_name(&stacks, &names);
	profiled_inline(&names, 32);
	assert_int_equal(pprof_write_plain(&stacks, &names, &out), 0);
	names_finish(&names);
	stacks_finish(&stacks);
	all = (struct message){(uint8_t *)out.data, (uint8_t *)out.data + out.len};
	location = nth(all, 4, 0);
	assert_int_equal(count_of(message_of(&location), 4), 3);
	for (size_t i = 0; i < 3; i++) {
		line = nth(message_of(&location), 4, i);
		function = nth(all, 5, number_in(&line, 1) - 1);
		expect_text(all, number_in(&function, 2), expected[i]);
	}
	buf_finish(&out);
}

static void has_time_off_cpu_beside_it(void **state)
{
	struct stacks stacks;
	struct stack_row row;
	struct message all;

	profiled_create(&stacks);
	profiled_add(&stacks, 0, NULL, (const uint64_t[]){1, 0}, 5);
	row = profiled_row(&stacks, 0, NULL, (const uint64_t[]){1, 0}, 777);
	row.kind = STACK_OFF_CPU;
	row.reason = STACK_LOCK;
	row.times = 3;
	row.user.lack = STACK_TOO_DEEP;
	assert_int_equal(stacks_add_row(&stacks, &row), 0);
	all = write_all(&stacks);
	assert_int_equal(count_of(all, 1), 4);
	expect_type(all, 2, "switches", "count");
	expect_type(all, 3, "off_cpu", "nanoseconds");
	expect_values(all, 0, (const uint64_t[]){5, 50000000, 0, 0}, 4);
	expect_values(all, 1, (const uint64_t[]){0, 0, 3, 777}, 4);
	expect_label(all, 1, "reason", "lock", 0);
	expect_label(all, 1, "incomplete", stack_lack_text(STACK_TOO_DEEP), 0);
	stacks_finish(&stacks);
}

static void counts_events_that_are_no_time(void **state)
{
	struct stacks stacks;
	struct message all;
	struct stack_row row;

	profiled_create(&stacks);
	stacks.period_ns = 0;
	stacks.event = "page-faults";
	stacks.lost[STACKS_LOST_ROWS] = 7;
	row = profiled_row(&stacks, 0, NULL, (const uint64_t[]){1, 0}, 500);
	row.times = 5;
	assert_int_equal(stacks_add_row(&stacks, &row), 0);
	all = write_all(&stacks);
	expect_type(all, 1, "page-faults", "count");
	expect_values(all, 0, (const uint64_t[]){5, 500}, 2);
	assert_int_equal(count_of(all, 11), 0);
	assert_int_equal(count_of(all, 13), 1);
	stacks_finish(&stacks);
}

static void is_valid_without_samples(void **state)
{
	struct stacks stacks;
	struct message all;

	profiled_create(&stacks);
	all = write_all(&stacks);
	assert_int_equal(count_of(all, 2), 0);
	expect_type(all, 0, "samples", "count");
	stacks_finish(&stacks);
}

/* What is compressed is what is written plain. */
static void is_the_plain_one_compressed(void **state)
{
	struct stacks stacks;
	struct buf plain = {0};
	struct message all;
	struct profile_names names;

	profiled_create(&stacks);
	profiled_add(&stacks, 0, NULL, (const uint64_t[]){1, 0}, 5);
	all = write_all(&stacks);
	profiled_name(&stacks, &names);
	assert_int_equal(pprof_write_plain(&stacks, &names, &plain), 0);
	assert_int_equal(plain.len, all.end - all.at);
	assert_memory_equal(plain.data, all.at, plain.len);
	buf_finish(&plain);
	names_finish(&names);
	stacks_finish(&stacks);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(has_samples_of_cpu),
	cmocka_unit_test(has_files_and_places),
	cmocka_unit_test(has_lines_of_what_is_inlined),
	cmocka_unit_test(has_time_off_cpu_beside_it),
	cmocka_unit_test(counts_events_that_are_no_time),
	cmocka_unit_test(is_valid_without_samples),
	cmocka_unit_test(is_the_plain_one_compressed),
};

UNIT_GROUP(tests);
