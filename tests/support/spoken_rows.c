/* SPDX-License-Identifier: MIT */
/* Each way to cut the bytes of a row is one spoken_text(). */
#include "unit.h"
#include "spoken_rows.h"

#include <stdlib.h>
#include <string.h>

static struct spoken spoken_of(const struct protocol *protocol, const struct spoken_row *row)
{
	return (struct spoken){.protocol = protocol,
			       .side = row->side,
			       .requests = row->requests,
			       .requests_count = row->requests_count};
}

static size_t length_of(const struct spoken_row *row)
{
	return row->len ? row->len : strlen(row->bytes);
}

static void expect_text(const struct spoken *spoken, const struct spoken_row *row)
{
	struct buf text = {0};

	assert_null(spoken_text(spoken, row->bytes, length_of(row), &text));
	buf_append_char(&text, '\0');
	if (strcmp(text.data, row->text) != 0)
		print_error("%s: pieces of %zu, %zu\n", row->what, spoken->first, spoken->piece);
	assert_string_equal(text.data, row->text);
	buf_finish(&text);
}

static void expect_pieces(const struct protocol *protocol, const struct spoken_row *row)
{
	static const size_t sizes[] = {1, 2, 3, 7};
	struct spoken spoken = spoken_of(protocol, row);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		spoken.first = spoken.piece = sizes[i];
		expect_text(&spoken, row);
	}
	spoken.piece = 0;
	for (spoken.first = 0; spoken.first < length_of(row); spoken.first++)
		expect_text(&spoken, row);
}

/* The bytes of a text without so many lines at its end. */
static size_t lines_length(const struct buf *text, unsigned int fewer)
{
	size_t len = text->len;

	for (; len && fewer; fewer--)
		for (len--; len && text->data[len - 1] != '\n';)
			len--;
	return len;
}

static bool ends_with(const struct buf *text, const char *line)
{
	size_t len = strlen(line);

	return text->len >= len && memcmp(text->data + text->len - len, line, len) == 0;
}

/* The length that stands at the end of a line. */
static unsigned long long length_in(const char *line)
{
	const char *number = line + strcspn(line, "\n");

	while (number > line && number[-1] != ' ')
		number--;
	return strtoull(number, NULL, 10);
}

/*
 * Behind the first `len` bytes nothing is known. What was said before stands; the last message may
 * lack what was cut off, and has another length only if the place is lost.
 */
static void expect_prefix(const struct protocol *protocol, const struct spoken_row *row, size_t len)
{
	struct spoken spoken = spoken_of(protocol, row);
	struct buf text = {0};
	bool is_lost, is_skipping, is_good;
	const char *broken;
	size_t same;

	spoken.is_cut = true;
	broken = spoken_text(&spoken, row->bytes, len, &text);
	is_lost = ends_with(&text, "lost\n");
	buf_append_char(&text, '\0');
	text.len--;
	is_skipping = ends_with(&text, "skips\n") && strcmp(text.data, "skips\n") != 0;
	same = lines_length(&text, is_lost || is_skipping ? 2 : 1);
	is_good = !broken && strncmp(text.data, row->text, same) == 0 &&
		  (!is_skipping || length_in(text.data + same) == length_in(row->text + same));
	if (!is_good)
		fail_msg("%s: nothing known behind %zu: %s%s", row->what, len, text.data,
			 broken ? broken : "");
	buf_finish(&text);
}

void spoken_expect(const struct protocol *protocol, const struct spoken_row *rows, size_t count)
{
	for (const struct spoken_row *row = rows; row < rows + count; row++) {
		struct spoken whole = spoken_of(protocol, row);

		expect_text(&whole, row);
		if (row->looks_ahead)
			continue;
		expect_pieces(protocol, row);
		for (size_t len = 1; len <= length_of(row); len++)
			expect_prefix(protocol, row, len);
	}
}

static void expect_flips(const struct protocol *protocol, const struct spoken_row *row)
{
	static const char changes[] = {1, 32, (char)128, (char)255};
	struct spoken spoken = spoken_of(protocol, row);
	size_t len = length_of(row);
	char *bytes = malloc(len);
	const char *broken;
	struct buf text = {0};

	assert_non_null(bytes);
	memcpy(bytes, row->bytes, len);
	for (size_t i = 0; i < len * sizeof(changes); i++) {
		bytes[i / sizeof(changes)] ^= changes[i % sizeof(changes)];
		spoken.is_cut = i & 1;
		buf_clear(&text);
		broken = spoken_text(&spoken, bytes, len, &text);
		if (broken)
			fail_msg("%s: byte %zu changed: %s", row->what, i / sizeof(changes),
				 broken);
		bytes[i / sizeof(changes)] ^= changes[i % sizeof(changes)];
	}
	buf_finish(&text);
	free(bytes);
}

void spoken_expect_flips(const struct protocol *protocol, const struct spoken_row *rows,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect_flips(protocol, &rows[i]);
}

enum protocol_verdict spoken_verdict(const struct protocol *protocol, enum protocol_side side,
				     const char *bytes, size_t len)
{
	struct protocol_input input = {(const uint8_t *)bytes, len, false};

	return protocol->recognise(side, &input);
}

void spoken_expect_recognised(const struct protocol *protocol, const struct spoken_row *row,
			      enum protocol_verdict verdict)
{
	enum protocol_side other =
		row->side == PROTOCOL_REQUESTS ? PROTOCOL_RESPONSES : PROTOCOL_REQUESTS;

	assert_int_equal(spoken_verdict(protocol, row->side, row->bytes, length_of(row)), verdict);
	assert_int_equal(spoken_verdict(protocol, other, row->bytes, length_of(row)), PROTOCOL_NO);
}

void spoken_expect_verdicts(const struct protocol *protocol, const struct spoken_sample *samples,
			    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (spoken_verdict(protocol, samples[i].side, samples[i].bytes, samples[i].len) !=
		    samples[i].verdict)
			fail_msg("row %zu, \"%s\": not %d", i, samples[i].bytes,
				 samples[i].verdict);
}

static void expect_found(const struct protocol *protocol, const struct spoken_sample *sample,
			 size_t expected)
{
	struct protocol_input input = {(const uint8_t *)sample->bytes, sample->len, false};
	size_t at = protocol->find(sample->side, &input);

	if (at != expected)
		fail_msg("\"%s\": at %zu, not %zu", sample->bytes, at, expected);
}

void spoken_expect_found(const struct protocol *protocol, const struct spoken_sample *samples,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect_found(protocol, &samples[i], samples[i].at);
}

void spoken_expect_found_at_once(const struct protocol *protocol,
				 const struct spoken_sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect_found(protocol, &samples[i],
			     samples[i].verdict == PROTOCOL_NO ? samples[i].len : 0);
}
