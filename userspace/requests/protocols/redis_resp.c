/* SPDX-License-Identifier: MIT */
/* The tokens of RESP: numbers, values, names. */
#include "requests/protocols/redis_resp.h"

#include <string.h>
#include <strings.h>

#include "requests/protocols/text.h"

enum { NUMBER_BYTES_MAX = 24 }; /* with what ends it */

void redis_lose(struct redis_run *run)
{
	run->step.action = PROTOCOL_LOST;
	run->is_over = true;
}

bool redis_stay(struct redis_run *run, enum redis_number found)
{
	if (found == REDIS_WRONG)
		redis_lose(run);
	return found == REDIS_WRONG;
}

enum redis_number redis_read_number(const uint8_t *data, size_t len, size_t *size, int64_t *number)
{
	bool is_negative = len > 1 && data[1] == '-';
	size_t first = is_negative ? 2 : 1, n = first;
	int64_t value = 0;

	while (n < len && n < NUMBER_BYTES_MAX - 2 && data[n] >= '0' && data[n] <= '9' &&
	       value < INT64_MAX / 20)
		value = value * 10 + data[n++] - '0';
	if (n >= len)
		return REDIS_WAITING;
	if (n == first || data[n] != '\r' || (n + 1 < len && data[n + 1] != '\n'))
		return REDIS_WRONG;
	if (n + 1 == len)
		return REDIS_WAITING;
	*size = n + 2;
	*number = is_negative ? -1 : value;
	return REDIS_FOUND;
}

void redis_pass_value(struct redis_run *run, uint64_t len)
{
	uint64_t size = len + 2, left = redis_bytes_left(run);

	if (size <= left) {
		run->at += size;
		return;
	}
	run->step.skip = size - left;
	run->at = run->end;
	run->is_over = true;
}

bool redis_is_name_byte(uint8_t c)
{
	c = (uint8_t)protocol_text_upper((char)c);
	return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

void redis_put_name(char *to, size_t room, struct redis_text text)
{
	to[0] = '\0';
	if (!text.len || text.len >= room)
		return;
	for (size_t i = 0; i < text.len; i++)
		if (!redis_is_name_byte(text.data[i]))
			return;
	for (size_t i = 0; i < text.len; i++)
		to[i] = protocol_text_upper((char)text.data[i]);
	to[text.len] = '\0';
}

bool redis_is_word(struct redis_text text, const char *word)
{
	return text.len == strlen(word) &&
	       strncasecmp((const char *)text.data, word, text.len) == 0;
}
