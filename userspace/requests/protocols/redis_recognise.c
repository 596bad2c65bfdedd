/* SPDX-License-Identifier: MIT */
/* Whether bytes are RESP, and where a message begins behind a gap. */
#include <string.h>

#include "requests/protocols/redis_resp.h"

enum { LONG_COMMAND = 512 };

/* What follows the number of arguments: values, as far as they are there. */
static enum protocol_verdict recognise_arguments(const uint8_t *data, size_t len, int64_t count)
{
	for (; count > 0; count--) {
		int64_t value = 0;
		size_t size = 0;
		enum redis_number found;

		if (len && data[0] != '$')
			return PROTOCOL_NO;
		found = redis_read_number(data, len, &size, &value);
		if (found != REDIS_FOUND)
			return found == REDIS_WRONG ? PROTOCOL_NO : PROTOCOL_MAYBE;
		if (value < 0 || (uint64_t)value > REDIS_VALUE_BYTES_MAX)
			return PROTOCOL_NO;
		if ((uint64_t)value + 2 > len - size)
			return PROTOCOL_MAYBE;
		data += size + (size_t)value + 2;
		if (data[-2] != '\r' || data[-1] != '\n')
			return PROTOCOL_NO;
		len -= size + (size_t)value + 2;
	}
	return PROTOCOL_YES;
}

/*
 * An array of values, of which the first is a command. Replies can look like that, as those of
 * subscribing do at their beginning, so that only a whole one is sure, or one that is cut off
 * behind its name: those replies are shorter.
 */
static enum protocol_verdict recognise_command(const uint8_t *data, size_t len, bool is_cut)
{
	enum protocol_verdict verdict;
	int64_t count = 0, name = 0;
	size_t size = 0, more = 0;
	enum redis_number found = redis_read_number(data, len, &size, &count);

	if (found != REDIS_FOUND)
		return found == REDIS_WRONG ? PROTOCOL_NO : PROTOCOL_MAYBE;
	if (count < 1 || count > REDIS_ARGUMENTS_MAX)
		return PROTOCOL_NO;
	if (len > size && data[size] != '$')
		return PROTOCOL_NO;
	found = redis_read_number(data + size, len - size, &more, &name);
	if (found != REDIS_FOUND)
		return found == REDIS_WRONG ? PROTOCOL_NO : PROTOCOL_MAYBE;
	if (name < 1 || name >= MESSAGE_METHOD_BYTES)
		return PROTOCOL_NO;
	if ((uint64_t)name > len - size - more)
		return redis_is_typed(data + size + more, len - size - more) ? PROTOCOL_MAYBE
									     : PROTOCOL_NO;
	if (!redis_is_command(data + size + more, (size_t)name))
		return PROTOCOL_NO;
	verdict = recognise_arguments(data + size, len - size, count);
	return verdict == PROTOCOL_MAYBE && (is_cut || len >= LONG_COMMAND) ? PROTOCOL_YES
									    : verdict;
}

/* Lines of other protocols begin with these words, too. */
static bool is_ambiguous(const uint8_t *data, size_t len)
{
	struct redis_text word = {data, len};

	return redis_is_word(word, "QUIT") || redis_is_word(word, "AUTH");
}

/* A command as a plain line: memcached, NATS and mail have such too, so that it is never sure. */
static enum protocol_verdict recognise_typed(const uint8_t *data, size_t len)
{
	const uint8_t *end = memchr(data, '\n', len);
	size_t n = end ? (size_t)(end - data) : len, name = 0;

	n -= n && data[n - 1] == '\r';
	while (name < n && redis_is_name_byte(data[name]))
		name++;
	if (name == n && !end)
		return n < MESSAGE_METHOD_BYTES && n ? PROTOCOL_SHORT : PROTOCOL_NO;
	if (!redis_is_typed(data, n) || !redis_is_command(data, name) || is_ambiguous(data, name))
		return PROTOCOL_NO;
	return name == n || data[name] == ' ' ? PROTOCOL_MAYBE : PROTOCOL_NO;
}

static enum protocol_verdict recognise_request(const struct protocol_input *input)
{
	return input->data[0] == '*' ? recognise_command(input->data, input->len, input->is_cut)
				     : recognise_typed(input->data, input->len);
}

/* Beginnings of lines that servers send without an error. */
static enum protocol_verdict recognise_line(const uint8_t *data, size_t len)
{
	static const char *const lines[] = {
		"+OK\r\n",   "+PONG\r\n",   "+QUEUED\r\n",  "+RESET\r\n",   "+NOKEY\r\n",
		"+none\r\n", "+string\r\n", "+list\r\n",    "+set\r\n",	    "+zset\r\n",
		"+hash\r\n", "+stream\r\n", "+Background ", "+FULLRESYNC ", "+CONTINUE"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		size_t n = strlen(lines[i]);

		if (memcmp(data, lines[i], len < n ? len : n) == 0)
			return PROTOCOL_MAYBE;
	}
	return PROTOCOL_NO;
}

/* -WORD and a text, which NATS quotes. */
static enum protocol_verdict recognise_error(const uint8_t *data, size_t len)
{
	size_t n = 1;

	while (n < len && data[n] >= 'A' && data[n] <= 'Z')
		n++;
	if (n == len)
		return PROTOCOL_MAYBE;
	if (n < 3 || data[n] != ' ')
		return PROTOCOL_NO;
	return len > n + 1 && data[n + 1] == '\'' ? PROTOCOL_NO : PROTOCOL_MAYBE;
}

/* What begins with a number: values have that length, aggregates go on with an element. */
static enum protocol_verdict recognise_number(const uint8_t *data, size_t len)
{
	bool is_value = data[0] == '$' || data[0] == '=' || data[0] == '!';
	bool is_aggregate = !is_value && data[0] != ':';
	int64_t number = 0;
	size_t size = 0;
	enum redis_number found = redis_read_number(data, len, &size, &number);
	size_t left = len - size;

	if (found != REDIS_FOUND)
		return found == REDIS_WRONG ? PROTOCOL_NO : PROTOCOL_MAYBE;
	if (is_aggregate && number > 0 && left)
		return redis_is_type(data[size]) ? PROTOCOL_MAYBE : PROTOCOL_NO;
	if (is_value && number >= 0 && (uint64_t)number < left && data[size + number] != '\r')
		return PROTOCOL_NO;
	return PROTOCOL_MAYBE;
}

/* Never sure: other protocols have lines like these. */
static enum protocol_verdict recognise_response(const uint8_t *data, size_t len)
{
	static const char numbered[] = ":$=!*~>%|";

	if (data[0] == '+')
		return recognise_line(data, len);
	if (data[0] == '-')
		return recognise_error(data, len);
	return memchr(numbered, data[0], sizeof(numbered) - 1) ? recognise_number(data, len)
							       : PROTOCOL_NO;
}

enum protocol_verdict redis_recognise(enum protocol_side side, const struct protocol_input *input)
{
	return side == PROTOCOL_REQUESTS ? recognise_request(input)
					 : recognise_response(input->data, input->len);
}

/*
 * Where a read begins, there may be what looks like a message; farther on, only a whole command is
 * believed, as values can hold anything.
 */
size_t redis_find(enum protocol_side side, const struct protocol_input *input)
{
	const uint8_t *at = input->data, *end = input->data + input->len;

	if (side == PROTOCOL_RESPONSES)
		return recognise_response(at, input->len) == PROTOCOL_NO ? input->len : 0;
	if (*at == '*' && recognise_command(at, input->len, false) != PROTOCOL_NO)
		return 0;
	while ((at = memmem(at, (size_t)(end - at), "\r\n*", 3))) {
		at += 2;
		if (recognise_command(at, (size_t)(end - at), false) == PROTOCOL_YES)
			return (size_t)(at - input->data);
	}
	return input->len;
}
