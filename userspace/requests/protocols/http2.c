/* SPDX-License-Identifier: MIT */
/*
 * HTTP/2 (RFC 9113): frame by frame. A request is a stream that a client begins. Headers are
 * decoded as a whole, with all frames that they are in; of the data only lengths matter, and those
 * of the messages of gRPC in it. Settings do not: who uses a larger table for headers says so in
 * them, too. What servers push answers nothing.
 */
#include "requests/protocols/http2.h"

#include <string.h>

#include "event/event.h"
#include "requests/protocols/grpc.h"
#include "util/pool.h"

enum { PRIORITY_BYTES = 5, PROMISED_BYTES = 4, ODD = 1 };

/* One step. */
struct http2_run {
	struct http2 *http;
	struct http2_side *own;
	enum protocol_side side;
	const struct protocol_input *input;
	struct protocol_message *message;
	struct http2_frame frame;
	struct protocol_step step;
};

static void *http2_create(struct protocol_room *room)
{
	/* Tables of headers have a limit; this is small, and each connection has it. */
	struct http2 *http = pool_alloc(room->pool, sizeof(*http));

	if (!http)
		return NULL;
	memset(http, 0, sizeof(*http));
	room->held += sizeof(*http);
	http->room = room;
	for (unsigned int side = 0; side < PROTOCOL_SIDES; side++)
		http->sides[side].hpack.room = room;
	return http;
}

static void http2_destroy(void *kept)
{
	struct http2 *http = kept;

	if (!http)
		return;
	for (unsigned int side = 0; side < PROTOCOL_SIDES; side++)
		hpack_forget(&http->sides[side].hpack);
	http->room->held -= sizeof(*http);
	pool_free(http->room->pool, http, sizeof(*http));
}

static void http2_lose(void *kept, enum protocol_side side)
{
	struct http2 *http = kept;
	struct http2_side *own = &http->sides[side];

	hpack_forget(&own->hpack);
	*own = (struct http2_side){.hpack = own->hpack};
}

static bool http2_stream_of(const void *kept, enum protocol_side side,
			    const struct protocol_input *input, uint64_t *stream)
{
	const struct http2 *http = kept;
	const struct http2_side *own = &http->sides[side];
	struct http2_frame frame = {0};

	if (own->left || own->padding) {
		frame.stream = own->stream;
	} else if (side == PROTOCOL_REQUESTS && http2_begins_preface(input->data, input->len)) {
		if (input->len < HTTP2_PREFACE_BYTES)
			return false;
	} else if (input->len < HTTP2_FRAME_BYTES) {
		return false;
	} else {
		frame = http2_read_frame(input->data);
		if (frame.type > HTTP2_HEADERS && frame.type != HTTP2_RST_STREAM &&
		    frame.type != HTTP2_CONTINUATION)
			frame.stream = 0;
	}
	*stream = frame.stream & ODD ? frame.stream : 0;
	return true;
}

static void lose(struct http2_run *run)
{
	run->step = (struct protocol_step){.action = PROTOCOL_LOST, .wants_all = true};
}

/* Nothing in the payload of a frame matters. */
static void skip_frame(struct http2_run *run, uint32_t bytes)
{
	size_t known = run->input->len - HTTP2_FRAME_BYTES;

	run->step.used = HTTP2_FRAME_BYTES + (bytes < known ? bytes : known);
	run->step.skip = HTTP2_FRAME_BYTES + (uint64_t)bytes - run->step.used;
}

static void skip_payload(struct http2_run *run)
{
	skip_frame(run, run->frame.len);
}

/*
 * Blocks of headers.
 */

/* Where the block in a payload begins, and how long it is. Returns false if it has no room. */
static bool find_block(const struct http2_frame *frame, const uint8_t *payload,
		       struct http_text *block)
{
	size_t before = 0, padding = 0;

	if (frame->flags & HTTP2_PADDED && frame->type != HTTP2_CONTINUATION) {
		padding = payload[0];
		before = 1;
	}
	if (frame->type == HTTP2_HEADERS && frame->flags & HTTP2_WITH_PRIORITY)
		before += PRIORITY_BYTES;
	if (frame->type == HTTP2_PUSH_PROMISE)
		before += PROMISED_BYTES;
	if (before + padding > frame->len)
		return false;
	*block = (struct http_text){payload + before, frame->len - before - padding};
	return true;
}

/* The frames that a block is in. */
struct http2_group {
	size_t bytes; /* of all frames that are known to belong to it */
	size_t frames;
	bool is_whole; /* its last frame is known, */
	bool is_here; /* and all its bytes are */
	bool is_wrong; /* what follows is of no block */
};

static struct http2_group measure_group(const struct http2_run *run)
{
	const uint8_t *data = run->input->data;
	struct http2_frame frame = run->frame;
	struct http2_group group = {0};

	for (;;) {
		group.bytes += HTTP2_FRAME_BYTES + (size_t)frame.len;
		group.frames++;
		group.is_whole = frame.flags & HTTP2_END_HEADERS;
		group.is_here = group.bytes <= run->input->len;
		if (group.is_whole || group.bytes > HTTP2_BLOCK_MAX ||
		    group.bytes + HTTP2_FRAME_BYTES > run->input->len)
			return group;
		frame = http2_read_frame(data + group.bytes);
		group.is_wrong =
			frame.type != HTTP2_CONTINUATION || frame.stream != run->frame.stream;
		if (group.is_wrong)
			return group;
	}
}

/* Puts the parts of a block behind each other. Returns false if a frame has no room for its part.
 */
static bool join_block(const struct http2_run *run, const struct http2_group *group,
		       uint8_t *joined, struct http_text *block)
{
	const uint8_t *at = run->input->data, *end = at + group->bytes;

	*block = (struct http_text){joined, 0};
	while (at < end) {
		struct http2_frame frame = http2_read_frame(at);
		struct http_text part;

		if (!find_block(&frame, at + HTTP2_FRAME_BYTES, &part))
			return false;
		memcpy(joined + block->len, part.data, part.len);
		block->len += part.len;
		at += HTTP2_FRAME_BYTES + (size_t)frame.len;
	}
	return true;
}

static bool decode_joined(struct http2_run *run, const struct http2_group *group)
{
	struct pool *pool = run->http->room->pool;
	uint8_t *joined = pool_alloc(pool, group->bytes);
	struct http_text block;
	bool is_good = true;

	if (joined)
		is_good = join_block(run, group, joined, &block) &&
			  http2_take_block(&run->own->hpack, run->side, run->message, block) == 0;
	else
		http2_leave_out(run->message, 1);
	if (!joined)
		hpack_forget(&run->own->hpack);
	pool_free(pool, joined, group->bytes);
	return is_good;
}

/* Returns false if it is none. */
static bool decode_group(struct http2_run *run, const struct http2_group *group)
{
	struct http_text block;

	if (group->frames > 1)
		return decode_joined(run, group);
	return find_block(&run->frame, run->input->data + HTTP2_FRAME_BYTES, &block) &&
	       http2_take_block(&run->own->hpack, run->side, run->message, block) == 0;
}

/* Headers that are not decoded: what they added to the table is not known. */
static void leave_block_out(struct http2_run *run)
{
	hpack_forget(&run->own->hpack);
	http2_leave_out(run->message, 1);
	run->own->in_block = !(run->frame.flags & HTTP2_END_HEADERS);
	skip_payload(run);
}

/* Returns false if the step is over. */
static bool take_group(struct http2_run *run)
{
	const struct http2_group group = measure_group(run);

	if (group.is_wrong) {
		lose(run);
		return false;
	}
	if (group.bytes > HTTP2_BLOCK_MAX ||
	    (run->input->is_cut && !(group.is_whole && group.is_here))) {
		leave_block_out(run);
		return true;
	}
	if (!group.is_whole || !group.is_here) {
		run->step.action = PROTOCOL_WAITS;
		return false;
	}
	if (!decode_group(run, &group)) {
		lose(run);
		return false;
	}
	run->step.used = group.bytes;
	return true;
}

/* Whether a response has begun: not with 100 Continue and its like. */
static bool begins(struct http2_run *run)
{
	struct protocol_message *message = run->message;

	if (run->side == PROTOCOL_RESPONSES && message->is_aside) {
		message->is_aside = message->has_status = false;
		message->status = 0;
		return false;
	}
	return true;
}

static void end_side(struct http2_run *run)
{
	run->step.ends = true;
	if (run->side == PROTOCOL_RESPONSES)
		http2_end_response(run->message);
}

static void take_headers(struct http2_run *run)
{
	if (!take_group(run))
		return;
	run->step.begins = begins(run);
	if (run->frame.flags & HTTP2_END_STREAM)
		end_side(run);
}

/* Only what it adds to the table matters. */
static void take_promise(struct http2_run *run)
{
	take_group(run);
}

/* Without headers before it, which were not decoded, there is none. */
static void take_continuation(struct http2_run *run)
{
	if (!run->own->in_block) {
		lose(run);
		return;
	}
	run->own->in_block = !(run->frame.flags & HTTP2_END_HEADERS);
	hpack_forget(&run->own->hpack);
	skip_payload(run);
}

/*
 * Data.
 */

/* What is left of a frame, from `at` in the input on. */
static void take_payload(struct http2_run *run, size_t at)
{
	struct http2_side *own = run->own;
	struct protocol_input rest = {run->input->data + at, run->input->len - at,
				      run->input->is_cut};
	uint32_t skip = own->left;

	if (grpc_is_call(run->message) && own->left) {
		size_t taken = grpc_take_data(run->message, run->side, &rest, own->left, &skip);

		at += taken;
		own->left -= (uint32_t)taken;
	} else if (own->left) {
		grpc_lose_count(run->message, run->side);
	}
	own->left -= skip;
	run->step.used = at;
	run->step.skip = skip;
	if (own->left)
		return;
	run->step.skip += own->padding;
	own->padding = 0;
	if (own->ends)
		end_side(run);
}

static void take_data(struct http2_run *run)
{
	struct http2_side *own = run->own;
	size_t at = HTTP2_FRAME_BYTES;
	bool is_padded = run->frame.flags & HTTP2_PADDED;

	if (is_padded && run->input->len == at && !run->input->is_cut) {
		run->step.action = PROTOCOL_WAITS;
		return;
	}
	/* If it is not known how long the padding is, nothing of the payload is. */
	if (is_padded && run->input->len == at)
		grpc_lose_count(run->message, run->side);
	is_padded &= run->input->len > at;
	if (is_padded && run->input->data[at] >= run->frame.len) {
		lose(run);
		return;
	}
	own->stream = run->frame.stream;
	own->ends = run->frame.flags & HTTP2_END_STREAM;
	own->padding = is_padded ? run->input->data[at++] : 0;
	own->left = run->frame.len - own->padding - is_padded;
	take_payload(run, at);
}

/*
 * The ends of streams.
 */

static const char *error_name(uint32_t code)
{
	static const char *const names[] = {
		"NO_ERROR",
		"PROTOCOL_ERROR",
		"INTERNAL_ERROR",
		"FLOW_CONTROL_ERROR",
		"SETTINGS_TIMEOUT",
		"STREAM_CLOSED",
		"FRAME_SIZE_ERROR",
		"REFUSED_STREAM",
		"CANCEL",
		"COMPRESSION_ERROR",
		"CONNECT_ERROR",
		"ENHANCE_YOUR_CALM",
		"INADEQUATE_SECURITY",
		"HTTP_1_1_REQUIRED",
	};

	/* What is not known is this, as RFC 9113 has it. */
	return code < sizeof(names) / sizeof(names[0]) ? names[code] : "INTERNAL_ERROR";
}

static uint32_t number_at(const uint8_t *data)
{
	return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
}

/* Whether the first bytes of the payload are here; else it waits for them, or goes without. */
static bool has_payload(struct http2_run *run, size_t bytes)
{
	if (run->input->len >= HTTP2_FRAME_BYTES + bytes)
		return true;
	if (run->input->is_cut)
		skip_payload(run);
	else
		run->step.action = PROTOCOL_WAITS;
	return false;
}

static void take_reset(struct http2_run *run)
{
	if (!has_payload(run, run->frame.len))
		return;
	run->step.closes = true;
	run->step.error = error_name(number_at(run->input->data + HTTP2_FRAME_BYTES));
	skip_payload(run);
}

/* Requests behind the last one that a server takes are refused: the client may ask again. */
static void take_goaway(struct http2_run *run)
{
	if (!has_payload(run, 8))
		return;
	run->step.refuses = run->side == PROTOCOL_RESPONSES;
	run->step.last = number_at(run->input->data + HTTP2_FRAME_BYTES) & 0x7fffffff;
	run->step.error = error_name(7);
	skip_payload(run);
}

static void (*const takes[HTTP2_TYPES])(struct http2_run *run) = {
	[HTTP2_DATA] = take_data,
	[HTTP2_HEADERS] = take_headers,
	[HTTP2_PRIORITY] = skip_payload,
	[HTTP2_RST_STREAM] = take_reset,
	[HTTP2_SETTINGS] = skip_payload,
	[HTTP2_PUSH_PROMISE] = take_promise,
	[HTTP2_PING] = skip_payload,
	[HTTP2_GOAWAY] = take_goaway,
	[HTTP2_WINDOW_UPDATE] = skip_payload,
	[HTTP2_CONTINUATION] = take_continuation,
};

static void take_frame(struct http2_run *run)
{
	run->frame = http2_read_frame(run->input->data);
	if (!http2_is_valid(&run->frame) ||
	    (run->own->in_block && run->frame.type != HTTP2_CONTINUATION))
		lose(run);
	else if (run->frame.type < HTTP2_TYPES)
		takes[run->frame.type](run);
	else
		skip_payload(run);
}

static struct protocol_step http2_step(void *kept, enum protocol_side side,
				       const struct protocol_input *input,
				       struct protocol_message *message)
{
	struct http2 *http = kept;
	struct http2_run run = {
		.http = http,
		.own = &http->sides[side],
		.side = side,
		.input = input,
		.message = message,
		.step = {.action = PROTOCOL_GOES_ON, .wants_all = true},
	};

	if (run.own->left || run.own->padding)
		take_payload(&run, 0);
	else if (side == PROTOCOL_REQUESTS && http2_begins_preface(input->data, input->len))
		run.step.used = HTTP2_PREFACE_BYTES;
	else
		take_frame(&run);
	return run.step;
}

static const struct protocol_streams streams = {
	.create = http2_create,
	.destroy = http2_destroy,
	.stream_of = http2_stream_of,
	.step = http2_step,
	.lose = http2_lose,
	.end_by_error = grpc_end_by_error,
};

const struct protocol protocol_http2 = {
	.name = "http",
	.number = request_protocols__http,
	.class = PROTOCOL_OF_HTTP,
	.also = UINT32_C(1) << request_protocols__grpc,
	.streams = &streams,
	.recognise = http2_recognise,
	.find = http2_find,
};
