/* SPDX-License-Identifier: MIT */
/* Texts of messages, from bytes of their protocols. Used by the files of this folder alone. */
#ifndef REQUESTS_PROTOCOLS_TEXT_H
#define REQUESTS_PROTOCOLS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Makes `to`, of `room` bytes, the text of these bytes, or the beginning of it that fits. `from`
 * may be NULL if there are none. */
static inline void protocol_text_put(char *to, size_t room, const void *from, size_t len)
{
	if (len >= room)
		len = room - 1;
	if (len)
		memcpy(to, from, len);
	to[len] = '\0';
}

/* ASCII only, whatever the locale is. */
static inline char protocol_text_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* A part of a line, which is not terminated. */
struct protocol_text {
	const uint8_t *data;
	size_t len;
};

/* Takes the next word off a line; of length 0: there is none. Words are apart by blanks and tabs.
 */
static inline struct protocol_text protocol_text_word(struct protocol_text *line)
{
	struct protocol_text word;

	while (line->len && (*line->data == ' ' || *line->data == '\t')) {
		line->data++;
		line->len--;
	}
	word = *line;
	for (word.len = 0; word.len < line->len; word.len++)
		if (word.data[word.len] == ' ' || word.data[word.len] == '\t')
			break;
	line->data += word.len;
	line->len -= word.len;
	return word;
}

/* Whether it is that word, in the same case. */
static inline bool protocol_text_is(struct protocol_text text, const char *word)
{
	return text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

/* Its value; -1: it is no number of decimal digits up to UINT32_MAX. */
static inline int64_t protocol_text_number(struct protocol_text text)
{
	int64_t number = 0;

	if (text.len == 0 || text.len > 10)
		return -1;
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return -1;
		number = number * 10 + (text.data[i] - '0');
	}
	return number <= UINT32_MAX ? number : -1;
}

enum protocol_line { LINE_WHOLE, LINE_WAITS, LINE_IS_CUT };

/*
 * The line that `data` begins with, without what ends it, and in *used its bytes with that. If no
 * end is there: LINE_WAITS for more, or LINE_IS_CUT if there will be none, or not within `max`
 * bytes: then *line is what is there of it.
 */
static inline enum protocol_line protocol_text_line(const uint8_t *data, size_t len, bool is_cut,
						    size_t max, struct protocol_text *line,
						    size_t *used)
{
	size_t known = len < max ? len : max;
	const uint8_t *end = (const uint8_t *)memchr(data, '\n', known);

	if (!end && known < max && !is_cut)
		return LINE_WAITS;
	*line = (struct protocol_text){data, end ? (size_t)(end - data) : known};
	*used = line->len + (end != NULL);
	line->len -= end && line->len && data[line->len - 1] == '\r';
	return end ? LINE_WHOLE : LINE_IS_CUT;
}

#endif
