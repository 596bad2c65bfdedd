/* SPDX-License-Identifier: MIT */
/* Whole against in pieces; recognition of each beginning against that of the whole. */
#include "speak.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "spoken.h"
#include "spoken_streams.h"

enum { HEADER = 3, SIDE = 1, CUT = 2, REQUESTS = 64 };

static void speak(const struct spoken *spoken, const uint8_t *data, size_t size, struct buf *text)
{
	const char *broken = spoken->protocol->streams
				     ? spoken_streams_text(spoken, data, size, text)
				     : spoken_text(spoken, data, size, text);

	REQUIRE(!broken, "%s", broken);
	buf_append_char(text, '\0');
	REQUIRE(!text->failed, "memory");
}

static void check_pieces(struct spoken *spoken, const uint8_t *header, const uint8_t *data,
			 size_t size)
{
	struct buf whole = {0}, pieces = {0};

	speak(spoken, data, size, &whole);
	spoken->first = header[1];
	spoken->piece = header[2];
	speak(spoken, data, size, &pieces);
	/* Where a value ends at the cut, only the one that sees both says what stands. */
	REQUIRE(spoken->is_cut || strcmp(whole.data, pieces.data) == 0, "%s not %s", pieces.data,
		whole.data);
	buf_finish(&whole);
	buf_finish(&pieces);
}

/* Recognises a block of its own, so that a read past its end is detected. */
static enum protocol_verdict recognise(const struct spoken *spoken, const uint8_t *data, size_t len,
				       bool is_cut)
{
	char *copy = malloc(len);
	struct protocol_input input = {(const uint8_t *)copy, len, is_cut};
	enum protocol_verdict verdict;

	REQUIRE(copy, "memory");
	memcpy(copy, data, len);
	REQUIRE(spoken->protocol->find(spoken->side, &input) <= len, "found behind the end");
	verdict = spoken->protocol->recognise(spoken->side, &input);
	free(copy);
	return verdict;
}

static void check_recognition(const struct spoken *spoken, const uint8_t *data, size_t size)
{
	enum protocol_verdict last = recognise(spoken, data, size, spoken->is_cut);

	for (size_t len = 1; len < size && len < 64; len++) {
		/* More of them come. */
		enum protocol_verdict verdict = recognise(spoken, data, len, false);

		REQUIRE(verdict == PROTOCOL_SHORT || verdict == PROTOCOL_MAYBE || verdict == last,
			"%d of %zu bytes, then %d", verdict, len, last);
	}
}

void fuzz_speak(const struct protocol *protocol, const uint8_t *data, size_t size)
{
	static const struct protocol_message requests[REQUESTS] = {{.method = "HEAD"},
								   {.method = "GET"}};
	struct spoken spoken = {
		.protocol = protocol, .requests = requests, .requests_count = REQUESTS};

	if (size <= HEADER)
		return;
	spoken.side = data[0] & SIDE ? PROTOCOL_RESPONSES : PROTOCOL_REQUESTS;
	spoken.is_cut = data[0] & CUT;
	check_recognition(&spoken, data + HEADER, size - HEADER);
	check_pieces(&spoken, data, data + HEADER, size - HEADER);
}
