/* SPDX-License-Identifier: MIT */
/*
 * Which bytes are HTTP/2. A client that begins says so; what is older is known by its frames: the
 * first one of a piece, and those behind it, must be such as programs send.
 */
#include "requests/protocols/http2.h"

#include <string.h>

enum {
	FRAMES_SURE = 3, /* so many in a row are no chance */
	FRAME_LEN_USUAL = 16384, /* longer ones must be agreed on */
	PRIORITY_BYTES = 5,
	/* Bytes that a find looks at for where a frame begins. */
	FIND_MAX = 64 * 1024,
};

enum stream_kind { STREAM_NONE, STREAM_SOME, STREAM_ANY };

/* What frames of a type are like. */
static const struct http2_row {
	uint32_t min, max, multiple; /* of the length */
	uint8_t flags; /* that mean something */
	uint8_t stream; /* enum stream_kind */
} rows[HTTP2_TYPES] = {
	[HTTP2_DATA] = {0, UINT32_MAX, 1, HTTP2_END_STREAM | HTTP2_PADDED, STREAM_SOME},
	[HTTP2_HEADERS] = {1, UINT32_MAX, 1,
			   HTTP2_END_STREAM | HTTP2_END_HEADERS | HTTP2_PADDED |
				   HTTP2_WITH_PRIORITY,
			   STREAM_SOME},
	[HTTP2_PRIORITY] = {5, 5, 1, 0, STREAM_SOME},
	[HTTP2_RST_STREAM] = {4, 4, 1, 0, STREAM_SOME},
	[HTTP2_SETTINGS] = {0, UINT32_MAX, 6, HTTP2_END_STREAM, STREAM_NONE},
	[HTTP2_PUSH_PROMISE] = {5, UINT32_MAX, 1, HTTP2_END_HEADERS | HTTP2_PADDED, STREAM_SOME},
	[HTTP2_PING] = {8, 8, 1, HTTP2_END_STREAM, STREAM_NONE},
	[HTTP2_GOAWAY] = {8, UINT32_MAX, 1, 0, STREAM_NONE},
	[HTTP2_WINDOW_UPDATE] = {4, 4, 1, 0, STREAM_ANY},
	[HTTP2_CONTINUATION] = {0, UINT32_MAX, 1, HTTP2_END_HEADERS, STREAM_SOME},
};

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

_Static_assert(sizeof(preface) - 1 == HTTP2_PREFACE_BYTES, "the preface");

struct http2_frame http2_read_frame(const uint8_t *data)
{
	return (struct http2_frame){
		.len = (uint32_t)data[0] << 16 | (uint32_t)data[1] << 8 | data[2],
		.type = data[3],
		.flags = data[4],
		.is_reserved = data[5] & 0x80,
		.stream = (uint32_t)(data[5] & 0x7f) << 24 | (uint32_t)data[6] << 16 |
			  (uint32_t)data[7] << 8 | data[8],
	};
}

bool http2_begins_preface(const uint8_t *data, size_t len)
{
	return memcmp(data, preface, len < HTTP2_PREFACE_BYTES ? len : HTTP2_PREFACE_BYTES) == 0;
}

bool http2_is_valid(const struct http2_frame *frame)
{
	const struct http2_row *row;

	/* Extensions have types of their own, and what they like. */
	if (frame->type >= HTTP2_TYPES)
		return true;
	row = &rows[frame->type];
	if (row->stream != STREAM_ANY && (row->stream == STREAM_NONE) != (frame->stream == 0))
		return false;
	return frame->len >= row->min && frame->len <= row->max && frame->len % row->multiple == 0;
}

/* Whether a side sends such frames, as far as programs are known. */
static bool is_usual(const struct http2_frame *frame, enum protocol_side side)
{
	bool is_push = frame->type == HTTP2_PUSH_PROMISE;

	if (frame->type >= HTTP2_TYPES || frame->is_reserved || !http2_is_valid(frame) ||
	    frame->len > FRAME_LEN_USUAL || frame->flags & ~rows[frame->type].flags)
		return false;
	if (frame->type == HTTP2_SETTINGS && frame->flags && frame->len)
		return false;
	if (frame->type == HTTP2_CONTINUATION && !frame->len)
		return false;
	/* Clients begin streams with odd numbers; what servers begin is rare. */
	return (frame->stream == 0 || frame->stream & 1) && !(is_push && side == PROTOCOL_REQUESTS);
}

/* Whether `len` bytes, fewer than a frame has at least, may begin a usual one. */
static bool may_be_usual(const uint8_t *data, size_t len)
{
	if (data[0] || (len > 1 && data[1] > FRAME_LEN_USUAL >> 8))
		return false;
	if (len > 3 && data[3] >= HTTP2_TYPES)
		return false;
	if (len > 4 && data[4] & ~rows[data[3]].flags)
		return false;
	return len <= 5 || !(data[5] & 0x80);
}

/*
 * Headers begin with those that only requests have, or only responses; which these are, the static
 * table says. PROTOCOL_SIDES: it does not.
 */
static enum protocol_side side_of_field(uint8_t first)
{
	enum { STATUS = 8, STATUS_LAST = 14 };
	uint8_t index = first & 0x0f;

	if (first & 0x80)
		index = first & 0x7f;
	else if (first & 0x40)
		index = first & 0x3f;
	else if (first & 0x20)
		return PROTOCOL_SIDES;
	if (index && index < STATUS)
		return PROTOCOL_REQUESTS;
	return index >= STATUS && index <= STATUS_LAST ? PROTOCOL_RESPONSES : PROTOCOL_SIDES;
}

/* The bytes of a payload up to the first field of its headers, with its first byte; 0: it has none.
 */
static size_t bytes_to_field(const struct http2_frame *frame)
{
	size_t before = (frame->flags & HTTP2_PADDED ? 1 : 0) +
			(frame->flags & HTTP2_WITH_PRIORITY ? PRIORITY_BYTES : 0);

	return frame->type == HTTP2_HEADERS && before < frame->len ? before + 1 : 0;
}

static bool is_of_other_side(uint8_t field, enum protocol_side side)
{
	enum protocol_side known = side_of_field(field);

	return known != PROTOCOL_SIDES && known != side;
}

/*
 * Counts the usual frames from these bytes on, up to FRAMES_SURE. Returns false if there is what is
 * none. *is_even: the last one ends where the bytes do.
 */
static bool count_frames(enum protocol_side side, const uint8_t *data, size_t len,
			 unsigned int *count, bool *is_even)
{
	*is_even = false;
	for (*count = 0; *count < FRAMES_SURE; (*count)++) {
		struct http2_frame frame;
		size_t all, field;

		if (len < HTTP2_FRAME_BYTES)
			return len == 0 || may_be_usual(data, len);
		frame = http2_read_frame(data);
		if (!is_usual(&frame, side))
			return false;
		field = bytes_to_field(&frame);
		if (HTTP2_FRAME_BYTES + field > len)
			return true;
		if (field && is_of_other_side(data[HTTP2_FRAME_BYTES + field - 1], side))
			return false;
		all = HTTP2_FRAME_BYTES + (size_t)frame.len;
		*is_even = all == len;
		if (all >= len) {
			++*count;
			return true;
		}
		data += all;
		len -= all;
	}
	return true;
}

enum protocol_verdict http2_recognise(enum protocol_side side, const struct protocol_input *input)
{
	unsigned int count;
	bool is_even;

	if (side == PROTOCOL_REQUESTS && http2_begins_preface(input->data, input->len))
		return input->len < HTTP2_PREFACE_BYTES ? PROTOCOL_MAYBE : PROTOCOL_YES;
	if (!count_frames(side, input->data, input->len, &count, &is_even))
		return PROTOCOL_NO;
	return count == FRAMES_SURE ? PROTOCOL_YES : PROTOCOL_MAYBE;
}

/*
 * Calls begin where frames do, as a rule; farther on, what looks like one frame may be in the data
 * of another one, so that two must follow each other, or one end where the bytes do.
 */
size_t http2_find(enum protocol_side side, const struct protocol_input *input)
{
	size_t most = input->len < FIND_MAX ? input->len : FIND_MAX;

	if (side == PROTOCOL_REQUESTS && http2_begins_preface(input->data, input->len))
		return 0;
	for (size_t at = 0; at + HTTP2_FRAME_BYTES <= most; at++) {
		unsigned int count;
		bool is_even;

		if (count_frames(side, input->data + at, input->len - at, &count, &is_even) &&
		    (count > 1 || at == 0 || is_even))
			return at;
	}
	return input->len;
}
