/* SPDX-License-Identifier: MIT */
/* Frames of a protocol that is made for this: a length, a letter, and what it says. */
#include "unit.h"
#include "spoken_rows.h"

#include "requests/protocols/framed.h"

enum { LIMIT = 6 };

/* One byte of length, of what is behind it. */
static uint64_t test_length(enum protocol_side side, const uint8_t *data, size_t len)
{
	if (data[0] == 'x')
		return FRAMED_WRONG;
	return len < 2 ? FRAMED_WAITS : 2 + (uint64_t)(data[1] - '0');
}

static unsigned int take(struct framed_frame *frame)
{
	static const unsigned int kinds[128] = {
		['n'] = 0,
		['m'] = FRAMED_MESSAGE,
		['b'] = FRAMED_BEGINS,
		['e'] = FRAMED_ENDS,
		['l'] = FRAMED_MESSAGE | FRAMED_LEAVES,
		['o'] = FRAMED_LOST,
		['B'] = FRAMED_BEFORE,
	};
	uint8_t *is_open = frame->state, letter;

	letter = bytes_be(&frame->bytes, 1) & 127;
	if (frame->side == PROTOCOL_RESPONSES && letter != 'n') {
		frame->message->has_status = true;
		frame->message->status = frame->request ? (int32_t)frame->request->note : -1;
		return 0;
	}
	bytes_take(&frame->bytes, 1);
	/* Only what is open ends, and only behind it another one begins. */
	if ((kinds[letter] & (FRAMED_MESSAGE | FRAMED_BEFORE)) &&
	    *is_open != !(kinds[letter] & FRAMED_BEGINS))
		letter = 'n';
	if (kinds[letter] & FRAMED_BEGINS)
		bytes_text(&frame->bytes, bytes_left(&frame->bytes), frame->message->target,
			   MESSAGE_TARGET_BYTES);
	if (kinds[letter])
		*is_open = letter == 'b';
	return kinds[letter];
}

static bool begin(const uint8_t *head, struct protocol_message *message)
{
	message->has_key = true;
	message->key = head[2];
	return head[0] == 'r';
}

static const struct framed framed = {
	.bytes_max = LIMIT, .length = test_length, .take = take, .head_bytes = 3, .begin = begin};

static struct protocol_step step(enum protocol_side side, void *state,
				 const struct protocol_input *input,
				 struct protocol_message *message,
				 const struct protocol_message *request)
{
	return framed_step(&framed, side, state, input, message, request);
}

static const struct protocol protocol = {.name = "framed", .step = step};

static const struct protocol_message asked[] = {{.note = 7}, {.note = 8}};

static const struct spoken_row rows[] = {
	{"messages", PROTOCOL_REQUESTS, "m3abcm0m1a", " abc 5\n  2\n a 3\nwhole\n"},
	{"a long one", PROTOCOL_REQUESTS, "m9abcdefghim1a", " abcd 11\n a 3\nwhole\n"},
	{"none", PROTOCOL_REQUESTS, "n3abcn0", "whole\n"},
	{"several frames", PROTOCOL_REQUESTS, "b1an2bce1zm0", " a 10\n  2\nwhole\n"},
	{"ended before", PROTOCOL_REQUESTS, "b1aB1zm0", " a 3\n  2\nwhole\n"},
	{"another protocol", PROTOCOL_REQUESTS, "m1al0", " a 3\n  2\nleaves\n"},
	{"no frame", PROTOCOL_REQUESTS, "m1ax", " a 3\nlost\n"},
	{"no frame after all", PROTOCOL_REQUESTS, "m1ao1a", " a 3\nlost\n"},
	{"not all", PROTOCOL_REQUESTS, "m3ab", "waits\n", .looks_ahead = true},
	{"a key first", PROTOCOL_RESPONSES, "r3abcr1ar9abcdefghi",
	 "7 key=61 5\n- key=61 3\n-1 key=61 11\nwhole\n", asked, 2},
	{"a key, and nothing", PROTOCOL_RESPONSES, "n3abcr3a", "inside\n", asked, 2},
};

static void test_frames(void **state)
{
	spoken_expect(&protocol, rows, sizeof(rows) / sizeof(rows[0]));
	spoken_expect_flips(&protocol, rows, 5);
}

/* What is missing is 0 and empty, also behind what is missing. */
static void test_bytes(void **state)
{
	static const uint8_t data[] = {1, 2, 3, 4, 0x85, 1, 'a', 7, 'b', 0xff, 0xff, 0xff, 0xff};
	struct bytes bytes = bytes_begin(data, sizeof(data));
	char text[4];

	assert_int_equal(bytes_be(&bytes, 2), 0x102);
	assert_int_equal(bytes_le(&bytes, 2), 0x403);
	assert_int_equal(bytes_varint(&bytes), 0x85);
	bytes_text(&bytes, 3, text, sizeof(text));
	assert_string_equal(text, "a?b");
	assert_false(bytes.is_short);
	assert_int_equal(bytes_varint(&bytes), 0);
	assert_true(bytes.is_short);
	assert_int_equal(bytes_left(&bytes), 0);
	assert_int_equal(bytes_be(&bytes, 1), 0);
	bytes = bytes_begin(data, 3);
	assert_int_equal(bytes_le(&bytes, 4), 0);
	assert_true(bytes.is_short);
	bytes = bytes_begin(data + 6, 3);
	bytes_text(&bytes, 5, text, sizeof(text));
	assert_string_equal(text, "a?b");
	assert_true(bytes.is_short);
	assert_null(bytes_take(&bytes, 0));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_frames),
	cmocka_unit_test(test_bytes),
};

UNIT_GROUP(tests);
