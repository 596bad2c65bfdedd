/* SPDX-License-Identifier: MIT */
/* Messages between agents: what was written is read, and nothing else is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "takeover/message.h"
#include "unit.h"

enum { HEADER = sizeof(struct takeover_header), KIND_AT = 4, LENGTH_AT = 8, FIELD_HEAD = 6 };

/* All that a message can have. */
static void make(struct takeover_message *message)
{
	struct takeover_output *output;

	*message = (struct takeover_message){
		.kind = TAKEOVER_REACHED,
		.protocol = TAKEOVER_PROTOCOL,
		.pid = 4711,
		.text = strdup("1.2.3"),
		.boundary_ns = UINT64_MAX,
		.patience_ns = 5,
		.seen = 100,
		.delivered = 90,
		.filtered = 7,
		.lost = 2,
		.corrupt = 1,
	};
	output = takeover_add_output(message);
	*output = (struct takeover_output){
		.identity = strdup("file:/x\nformat=json"),
		.stream = "0123456789abcdef",
		.number = 9,
		.formatted = 8,
		.backlog = 7,
		.delivered = 6,
		.dropped = 5,
		.undelivered = 4,
	};
	output = takeover_add_output(message);
	*output = (struct takeover_output){.identity = strdup("stdout:"),
					    .stream = "ffffffffffffffff"};
	message->events = calloc(2, sizeof(*message->events));
	message->events[0] = (struct boundary_seen){1, UINT64_MAX};
	message->events[1] = (struct boundary_seen){2, 0};
	message->events_count = 2;
}

static void encode(struct buf *bytes)
{
	struct takeover_message message;

	make(&message);
	takeover_encode(&message, bytes);
	assert_false(bytes->failed);
	takeover_message_finish(&message);
}

static void test_there_and_back(void **state)
{
	struct takeover_message message, wanted;
	struct buf bytes = {0};

	encode(&bytes);
	make(&wanted);
	assert_int_equal(takeover_measure(bytes.data, bytes.len, NULL), bytes.len);
	assert_int_equal(takeover_decode(bytes.data, bytes.len, &message, NULL), 0);
	assert_int_equal(message.kind, wanted.kind);
	assert_int_equal(message.protocol, wanted.protocol);
	assert_int_equal(message.pid, wanted.pid);
	assert_string_equal(message.text, wanted.text);
	assert_true(message.boundary_ns == wanted.boundary_ns);
	assert_int_equal(message.patience_ns, wanted.patience_ns);
	assert_int_equal(message.seen, wanted.seen);
	assert_int_equal(message.delivered, wanted.delivered);
	assert_int_equal(message.filtered, wanted.filtered);
	assert_int_equal(message.lost, wanted.lost);
	assert_int_equal(message.corrupt, wanted.corrupt);
	assert_int_equal(message.events_count, wanted.events_count);
	assert_memory_equal(message.events, wanted.events, 2 * sizeof(*wanted.events));
	assert_int_equal(message.outputs_count, 2);
	assert_string_equal(message.outputs[0].identity, wanted.outputs[0].identity);
	assert_string_equal(message.outputs[0].stream, wanted.outputs[0].stream);
	assert_int_equal(message.outputs[0].number, 9);
	assert_int_equal(message.outputs[0].formatted, 8);
	assert_int_equal(message.outputs[0].backlog, 7);
	assert_int_equal(message.outputs[0].delivered, 6);
	assert_int_equal(message.outputs[0].dropped, 5);
	assert_int_equal(message.outputs[0].undelivered, 4);
	assert_string_equal(message.outputs[1].stream, "ffffffffffffffff");
	takeover_message_finish(&message);
	takeover_message_finish(&wanted);
	buf_finish(&bytes);
}

static void test_more_is_needed(void **state)
{
	struct buf bytes = {0};

	encode(&bytes);
	for (size_t len = 0; len < bytes.len; len++)
		assert_int_equal(takeover_measure(bytes.data, len, NULL), 0);
	buf_finish(&bytes);
}

/* A message of a kind with these bytes as fields is rejected. */
static void expect_rejected(uint32_t kind, const void *fields, size_t len)
{
	struct takeover_message message;
	struct error err = {""};
	struct buf bytes = {0};
	uint32_t header[] = {0x314f544c, kind, (uint32_t)len};

	buf_append(&bytes, header, sizeof(header));
	buf_append(&bytes, fields, len);
	assert_int_equal(takeover_measure(bytes.data, bytes.len, NULL), bytes.len);
	assert_int_equal(takeover_decode(bytes.data, bytes.len, &message, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "malformed"));
	takeover_message_finish(&message);
	buf_finish(&bytes);
}

#define REJECTED(fields) expect_rejected(TAKEOVER_HELLO, fields, sizeof(fields) - 1)

static void test_headers(void **state)
{
	const uint32_t foreign[] = {0x20544547, 1, 0}, large[] = {0x314f544c, 1, UINT32_MAX};

	assert_int_equal(takeover_measure(foreign, sizeof(foreign), NULL), -EBADMSG);
	assert_int_equal(takeover_measure(large, sizeof(large), NULL), -EBADMSG);
	expect_rejected(0, "", 0);
	expect_rejected(TAKEOVER_KINDS, "", 0);
	expect_rejected(UINT32_MAX, "", 0);
}

static void test_wrong_fields(void **state)
{
	REJECTED("\1\0\10\0\0"); /* no whole head */
	REJECTED("\1\0\10\0\0\0\1\2\3"); /* longer than the message */
	REJECTED("\1\0\377\377\377\377\1\2\3\4\5\6\7\10");
	REJECTED("\1\0\4\0\0\0\1\2\3\4"); /* a number of 4 bytes */
	REJECTED("\3\0\3\0\0\0a\0b"); /* a text with a NUL */
	REJECTED("\3\0\1\0\0\0a\3\0\1\0\0\0b"); /* two texts */
	REJECTED("\13\0\10\0\0\0\1\2\3\4\5\6\7\10"); /* half an event */
	REJECTED("\12\0\0\0\0\0"); /* an output without identity and stream */
	REJECTED("\12\0\7\0\0\0\1\0\1\0\0\0x"); /* without stream */
	REJECTED("\12\0\7\0\0\0\1\0\2\0\0\0x"); /* a field beyond the output */
	REJECTED("\12\0\11\0\0\0\2\0\3\0\0\0abc"); /* a short stream */
	REJECTED(
		"\12\0\35\0\0\0\1\0\1\0\0\0x\2\0\20\0\0\0ABCDEFABCDEFABCD"); /* not of hex digits */
}

static void test_a_text_that_is_too_long(void **state)
{
	char *field = calloc(1, FIELD_HEAD + TAKEOVER_TEXT_MAX + 1);
	const uint32_t len = TAKEOVER_TEXT_MAX + 1;

	field[0] = 3;
	memcpy(field + 2, &len, sizeof(len));
	memset(field + FIELD_HEAD, 'x', len);
	expect_rejected(TAKEOVER_HELLO, field, FIELD_HEAD + len);
	free(field);
}

static void test_too_many_outputs(void **state)
{
	static const char output[] = "\12\0\35\0\0\0\1\0\1\0\0\0x\2\0\20\0\0\0abcdefabcdefabcd";
	struct buf fields = {0};

	for (int i = 0; i <= TAKEOVER_OUTPUTS_MAX; i++)
		buf_append(&fields, output, sizeof(output) - 1);
	expect_rejected(TAKEOVER_REACHED, fields.data, fields.len);
	buf_finish(&fields);
}

static void test_too_many_events(void **state)
{
	const uint32_t len = (BOUNDARY_SEEN_MAX + 1) * 16;
	char *field = calloc(1, FIELD_HEAD + len);

	field[0] = 11;
	memcpy(field + 2, &len, sizeof(len));
	expect_rejected(TAKEOVER_REACHED, field, FIELD_HEAD + len);
	free(field);
}

/* A later version may say more. */
static void test_unknown_fields_are_skipped(void **state)
{
	static const char bytes[] = "LTO1\1\0\0\0\27\0\0\0\377\377\3\0\0\0abc"
				    "\2\0\10\0\0\0\7\0\0\0\0\0\0";
	struct takeover_message message;

	assert_int_equal(takeover_measure(bytes, sizeof(bytes), NULL), sizeof(bytes));
	assert_int_equal(takeover_decode(bytes, sizeof(bytes), &message, NULL), 0);
	assert_int_equal(message.pid, 7);
	takeover_message_finish(&message);
}

/* Whatever is changed or cut off: an answer, and no access beyond (sanitizers see that). */
static void test_damage(void **state)
{
	struct buf bytes = {0};
	unsigned int accepted = 0;

	encode(&bytes);
	for (size_t at = HEADER; at < bytes.len; at++) {
		for (int bit = 0; bit < 8; bit++) {
			struct takeover_message message;

			bytes.data[at] ^= (char)(1 << bit);
			accepted += takeover_decode(bytes.data, bytes.len, &message, NULL) == 0;
			takeover_message_finish(&message);
			bytes.data[at] ^= (char)(1 << bit);
		}
	}
	assert_true(accepted);
	for (size_t len = HEADER; len < bytes.len; len++) {
		struct takeover_message message;
		char *part = malloc(len);

		memcpy(part, bytes.data, len);
		takeover_decode(part, len, &message, NULL);
		takeover_message_finish(&message);
		free(part);
	}
	buf_finish(&bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_there_and_back),
	cmocka_unit_test(test_more_is_needed),
	cmocka_unit_test(test_headers),
	cmocka_unit_test(test_wrong_fields),
	cmocka_unit_test(test_a_text_that_is_too_long),
	cmocka_unit_test(test_too_many_outputs),
	cmocka_unit_test(test_too_many_events),
	cmocka_unit_test(test_unknown_fields_are_skipped),
	cmocka_unit_test(test_damage),
};

UNIT_GROUP(tests);
