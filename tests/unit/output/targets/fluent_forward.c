/* SPDX-License-Identifier: MIT */
/* Messages of the forward protocol, decoded again. */
#include "output/targets/fluent.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

enum { RECORDS = 3, TEXT_MAX = 1024 };

static uint8_t results[RECORDS];
static struct output_record records[RECORDS];
static struct output_batch batch = {.records = records, .count = RECORDS, .results = results};

static void fill(const char *first, const char *second, const char *third)
{
	const char *const lines[] = {first, second, third};

	for (size_t i = 0; i < RECORDS; i++) {
		records[i] = (struct output_record){.bytes = lines[i],
						    .len = (uint32_t)strlen(lines[i]),
						    .ts_ns = 1700000000000000005 + i};
		results[i] = OUTPUT_RETRY;
	}
}

/* The text of an object, as msgpack-c prints it. */
static void expect(const msgpack_object *object, const char *expected)
{
	char text[TEXT_MAX];

	msgpack_object_print_buffer(text, sizeof(text), *object);
	assert_string_equal(text, expected);
}

/* Decodes one entry after the other. */
static void expect_entries(const msgpack_object_bin *bin, const char *const *expected)
{
	msgpack_unpacked entry;
	size_t at = 0;

	msgpack_unpacked_init(&entry);
	for (; *expected; expected++) {
		assert_int_equal(msgpack_unpack_next(&entry, bin->ptr, bin->size, &at),
				 MSGPACK_UNPACK_SUCCESS);
		assert_int_equal(entry.data.via.array.size, 2);
		assert_int_equal(entry.data.via.array.ptr[0].type, MSGPACK_OBJECT_EXT);
		assert_int_equal(entry.data.via.array.ptr[0].via.ext.type, 0);
		assert_int_equal(entry.data.via.array.ptr[0].via.ext.size, 8);
		expect(&entry.data.via.array.ptr[1], *expected);
	}
	assert_int_equal(at, bin->size);
	msgpack_unpacked_destroy(&entry);
}

static void test_entries(void **state)
{
	const char *const expected[] = {"{\"a\"=>1, \"b\"=>[true, nil, -2.500000]}",
					"{\"c\"=>{\"d\"=>\"x\"}}", "{}", NULL};
	const char time[] = {0x65, 0x53, (char)0xf1, 0, 0, 0, 0, 5};
	struct buf out = {0};
	msgpack_unpacked message;
	const msgpack_object *parts;
	size_t at = 0;

	fill("{\"a\":1,\"b\":[true,null,-2.5]}\n", "{\"c\":{\"d\":\"x\"}}", "{}\n");
	assert_int_equal(fluent_pack(&batch, "a.tag", "0123", &out), 0);
	msgpack_unpacked_init(&message);
	assert_int_equal(msgpack_unpack_next(&message, out.data, out.len, &at),
			 MSGPACK_UNPACK_SUCCESS);
	assert_int_equal(at, out.len);
	parts = message.data.via.array.ptr;
	assert_int_equal(message.data.via.array.size, 3);
	expect(&parts[0], "\"a.tag\"");
	expect(&parts[2], "{\"chunk\"=>\"0123\", \"size\"=>3}");
	expect_entries(&parts[1].via.bin, expected);
	/* 1700000000 s and 5 ns. */
	assert_non_null(memmem(parts[1].via.bin.ptr, parts[1].via.bin.size, time, sizeof(time)));
	msgpack_unpacked_destroy(&message);
	buf_finish(&out);
}

static void test_records_that_are_left_out(void **state)
{
	const char *const expected[] = {"{\"a\"=>1}", NULL};
	struct buf out = {0};
	msgpack_unpacked message;
	size_t at = 0;

	fill("{\"a\":1}\n", "[1]\n", "{\"b\":2}\n");
	results[2] = OUTPUT_DELIVERED;
	assert_int_equal(fluent_pack(&batch, "t", "0", &out), 0);
	assert_int_equal(results[0], OUTPUT_RETRY);
	assert_int_equal(results[1], OUTPUT_REJECTED);
	msgpack_unpacked_init(&message);
	assert_int_equal(msgpack_unpack_next(&message, out.data, out.len, &at),
			 MSGPACK_UNPACK_SUCCESS);
	expect_entries(&message.data.via.array.ptr[1].via.bin, expected);
	msgpack_unpacked_destroy(&message);
	fill("x\n", "", "1\n");
	assert_int_equal(fluent_pack(&batch, "t", "0", &out), -ENODATA);
	buf_finish(&out);
}

static void test_chunks_differ(void **state)
{
	char a[FORWARD_CHUNK_BYTES], b[FORWARD_CHUNK_BYTES];

	assert_int_equal(fluent_new_chunk(a), 0);
	assert_int_equal(fluent_new_chunk(b), 0);
	assert_int_equal(strlen(a), FORWARD_CHUNK_BYTES - 1);
	assert_string_not_equal(a, b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_entries),
	cmocka_unit_test(test_records_that_are_left_out),
	cmocka_unit_test(test_chunks_differ),
};

UNIT_GROUP(tests);
