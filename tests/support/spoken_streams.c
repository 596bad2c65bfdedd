/* SPDX-License-Identifier: MIT */
/* Plays the connection: a message for each stream, for as long as it is open. */
#include "spoken_streams.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/pool.h"

enum { STREAMS = 64, ROOM = 1 << 20 };

struct spoken_stream {
	uint64_t number; /* 0: free */
	uint64_t len;
	struct protocol_message message;
};

/* How far it is. */
struct speaking_streams {
	const struct spoken *spoken;
	const struct protocol_streams *streams;
	void *kept;
	const uint8_t *bytes;
	size_t len, at, known; /* all, taken, given */
	uint64_t skip;
	bool skip_ends; /* the last byte of those ends the message */
	uint64_t current;
	struct spoken_stream *open; /* STREAMS */
	struct protocol_message nowhere;
	struct buf *out;
	const char *end; /* how it ended; NULL: it goes on */
	const char *broken; /* promise */
};

static struct spoken_stream *find(struct speaking_streams *speaking, uint64_t number)
{
	for (size_t i = 0; i < STREAMS; i++)
		if (speaking->open[i].number == number)
			return &speaking->open[i];
	return NULL;
}

static void put_text(struct buf *out, const char *name, const char *text)
{
	if (text[0])
		buf_printf(out, " %s%s", name, text);
}

static void put_stream(struct speaking_streams *speaking, const struct spoken_stream *stream)
{
	const struct protocol_message *message = &stream->message;
	struct buf *out = speaking->out;

	buf_printf(out, "%" PRIu64, stream->number);
	put_text(out, "", message->method);
	put_text(out, "", message->target);
	put_text(out, "host=", message->host);
	if (message->has_status)
		buf_printf(out, " status=%d", message->status);
	put_text(out, "error=", message->error);
	if (message->has_counts[speaking->spoken->side])
		buf_printf(out, " count=%" PRIu32, message->counts[speaking->spoken->side]);
	if (message->undecoded)
		buf_printf(out, " undecoded=%" PRIu32, message->undecoded);
	buf_printf(out, " %" PRIu64 "\n", stream->len);
}

static void end_stream(struct speaking_streams *speaking)
{
	struct spoken_stream *stream = speaking->current ? find(speaking, speaking->current) : NULL;

	if (!stream)
		return;
	put_stream(speaking, stream);
	stream->number = 0;
}

static bool has_open_text(const struct protocol_message *message)
{
	return !memchr(message->method, 0, sizeof(message->method)) ||
	       !memchr(message->target, 0, sizeof(message->target)) ||
	       !memchr(message->host, 0, sizeof(message->host)) ||
	       !memchr(message->trace_id, 0, sizeof(message->trace_id)) ||
	       !memchr(message->version, 0, sizeof(message->version)) ||
	       !memchr(message->error, 0, sizeof(message->error));
}

static const char *broken_promise(const struct protocol_step *step,
				  const struct protocol_input *input,
				  const struct protocol_message *message)
{
	if (step->used > input->len)
		return "more used than there was";
	if (step->action == PROTOCOL_WAITS && (step->used || step->skip || step->begins))
		return "waits and takes";
	if (step->action == PROTOCOL_WAITS && input->is_cut)
		return "waits for what will not come";
	if (step->action == PROTOCOL_GOES_ON && !step->used && !step->skip)
		return "goes on without taking";
	if (step->refuses && !step->error)
		return "refuses without a reason";
	return has_open_text(message) ? "text without end" : NULL;
}

static void take_step(struct speaking_streams *speaking, const struct protocol_step *step,
		      struct spoken_stream *stream)
{
	if (stream && step->begins && !stream->number)
		*stream = (struct spoken_stream){speaking->current, 0, speaking->nowhere};
	speaking->at += step->used;
	speaking->skip = step->skip;
	speaking->skip_ends = step->ends && step->skip;
	if (stream && stream->number)
		stream->len += step->used;
	if (step->closes || step->refuses)
		buf_printf(speaking->out, "%" PRIu64 " %s %" PRIu64 "\n", speaking->current,
			   step->error ? step->error : "closed", step->refuses ? step->last : 0);
	if ((step->ends && !step->skip) || step->closes)
		end_stream(speaking);
	if (step->action == PROTOCOL_LOST || step->action == PROTOCOL_LEAVES)
		speaking->end = step->action == PROTOCOL_LOST ? "lost" : "leaves";
}

static void drop_skipped(struct speaking_streams *speaking)
{
	size_t left = speaking->known - speaking->at;
	size_t n = speaking->skip < left ? (size_t)speaking->skip : left;
	struct spoken_stream *stream = speaking->current ? find(speaking, speaking->current) : NULL;

	if (!n)
		return;
	speaking->at += n;
	speaking->skip -= n;
	if (stream)
		stream->len += n;
	if (!speaking->skip && speaking->skip_ends)
		end_stream(speaking);
}

/* Returns false if it waits. */
static bool take_some(struct speaking_streams *speaking)
{
	const struct spoken *spoken = speaking->spoken;
	struct protocol_input input = {.len = speaking->known - speaking->at};
	struct spoken_stream *stream = NULL;
	struct protocol_message *message = &speaking->nowhere;
	/* A block of its own, so that a read past its end is detected. */
	uint8_t *copy = malloc(input.len);
	struct protocol_step step = {.action = PROTOCOL_WAITS};

	if (!copy)
		abort();
	memcpy(copy, speaking->bytes + speaking->at, input.len);
	input.data = copy;
	input.is_cut = spoken->is_cut && speaking->known == speaking->len;
	memset(message, 0, sizeof(*message));
	if (speaking->streams->stream_of(speaking->kept, spoken->side, &input,
					 &speaking->current)) {
		stream = speaking->current ? find(speaking, speaking->current) : NULL;
		message = stream ? &stream->message : message;
		step = speaking->streams->step(speaking->kept, spoken->side, &input, message);
		speaking->broken = broken_promise(&step, &input, message);
		if (!stream && speaking->current)
			stream = find(speaking, 0);
	}
	free(copy);
	if (speaking->broken || step.action == PROTOCOL_WAITS)
		return false;
	take_step(speaking, &step, stream);
	return true;
}

static const char *end_of(const struct speaking_streams *speaking)
{
	if (speaking->end)
		return speaking->end;
	if (speaking->skip)
		return "skips";
	return speaking->at < speaking->len ? "waits" : "whole";
}

const char *spoken_streams_text(const struct spoken *spoken, const void *bytes, size_t len,
				struct buf *out)
{
	struct pool pool = {0};
	struct protocol_room room = {.pool = &pool, .max = ROOM};
	struct speaking_streams speaking = {.spoken = spoken,
					    .streams = spoken->protocol->streams,
					    .bytes = bytes,
					    .len = len,
					    .out = out};
	size_t piece = spoken->first;

	speaking.kept = speaking.streams->create(&room);
	speaking.open = calloc(STREAMS, sizeof(*speaking.open));
	if (!speaking.kept || !speaking.open)
		abort();
	while (speaking.known < len && !speaking.end && !speaking.broken) {
		piece = !piece || piece > len - speaking.known ? len - speaking.known : piece;
		speaking.known += piece;
		piece = spoken->piece;
		drop_skipped(&speaking);
		while (speaking.at < speaking.known && !speaking.end && take_some(&speaking))
			drop_skipped(&speaking);
	}
	buf_printf(out, "%s\n", end_of(&speaking));
	speaking.streams->destroy(speaking.kept);
	if (room.held)
		speaking.broken = "memory is kept";
	free(speaking.open);
	protocol_room_finish(&room);
	pool_finish(&pool);
	return speaking.broken;
}
