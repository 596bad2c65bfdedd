/* SPDX-License-Identifier: MIT */
/* Places of pieces, and tails. */
#include "requests/stream.h"

#include <stdlib.h>
#include <string.h>

#include "requests/requests.h"

enum {
	/*
	 * Sequence numbers wrap around. A piece that starts this little before the last one's end
	 * comes late; any other one is ahead: more than this is never on its way.
	 */
	BEHIND_MAX = 1 << 28,
	TAIL_BYTES_MIN = 64,
};

/* Takes `n` bytes off the beginning of a piece. */
static void cut_piece(struct stream_piece *piece, uint32_t n)
{
	uint32_t known = n < piece->captured ? n : piece->captured;

	if (known)
		piece->data += known;
	piece->captured -= known;
	piece->len -= n;
}

static uint32_t place_at(struct stream *stream, struct stream_piece *piece)
{
	uint32_t ahead = piece->end - piece->len - stream->next;
	uint32_t behind = -ahead;
	bool is_first = stream->is_expected;

	stream->is_expected = false;
	if (is_first && behind <= BEHIND_MAX) {
		/* It was on its way when that was said. */
		stream->next = piece->end;
		return 0;
	}
	if (behind > BEHIND_MAX || behind == 0) {
		stream->next = piece->end;
		return ahead;
	}
	if (behind >= piece->len) {
		cut_piece(piece, piece->len);
		return 0;
	}
	cut_piece(piece, behind);
	stream->next = piece->end;
	return 0;
}

uint32_t stream_place(struct stream *stream, struct stream_piece *piece)
{
	if (!piece->is_placed) {
		stream->next += piece->len;
		return 0;
	}
	if (stream->is_placed)
		return place_at(stream, piece);
	stream->is_placed = true;
	stream->next = piece->end;
	return 0;
}

void stream_expect(struct stream *stream, uint32_t next)
{
	if (stream->is_placed)
		return;
	stream->next = next;
	stream->is_placed = stream->is_expected = true;
}

uint64_t stream_skip(struct stream *stream, uint64_t len)
{
	uint64_t n = stream->skip < len ? stream->skip : len;

	if (stream->skip == PROTOCOL_TO_THE_END)
		return len;
	stream->skip -= n;
	return n;
}

void stream_forget(struct stream *stream)
{
	stream->skip = 0;
	stream->is_searching = stream->is_found = stream->ends_message = false;
	stream->stands = stream->is_open_ended = false;
	memset(stream->state, 0, sizeof(stream->state));
}

static bool grow_tail(struct stream_tail *tail, size_t len, size_t *held)
{
	size_t capacity = tail->capacity ? tail->capacity : TAIL_BYTES_MIN;
	size_t more;
	uint8_t *bytes;

	while (capacity < len)
		capacity *= 2;
	more = capacity - tail->capacity;
	if (more > STREAM_TAILS_MAX - *held)
		return false;
	bytes = realloc(tail->bytes, capacity);
	if (!bytes)
		return false;
	tail->bytes = bytes;
	tail->capacity = (uint32_t)capacity;
	*held += more;
	return true;
}

bool stream_tail_append(struct stream_tail *tail, const uint8_t *data, size_t len, uint64_t ns,
			size_t *held)
{
	size_t all = tail->len + len;

	if (len == 0)
		return true;
	if (all > REQUESTS_TAIL_MAX || (all > tail->capacity && !grow_tail(tail, all, held)))
		return false;
	if (tail->len == 0)
		tail->first_ns = ns;
	memcpy(tail->bytes + tail->len, data, len);
	tail->len = (uint32_t)all;
	return true;
}

void stream_tail_keep(struct stream_tail *tail, size_t rest, uint64_t ns, size_t *held)
{
	if (rest == 0) {
		stream_tail_free(tail, held);
		return;
	}
	if (rest == tail->len)
		return;
	memmove(tail->bytes, tail->bytes + tail->len - rest, rest);
	tail->len = (uint32_t)rest;
	tail->first_ns = ns;
}

void stream_tail_free(struct stream_tail *tail, size_t *held)
{
	free(tail->bytes);
	*held -= tail->capacity;
	*tail = (struct stream_tail){0};
}
