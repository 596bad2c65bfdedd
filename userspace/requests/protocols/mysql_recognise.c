/* SPDX-License-Identifier: MIT */
/*
 * Whether bytes are of MySQL. Sure are the greeting, errors, rows with their definitions, and
 * statements that begin with a word of SQL; other commands and answers are only likely.
 */
#include <string.h>
#include <strings.h>

#include "requests/protocols/mysql.h"

enum {
	VERSION_BYTES_MAX = 64,
	GREETING_BEHIND_VERSION = 4 + 8, /* a number and the first part of a question */
	CODE_MIN = 1000,
	CODE_MAX = 5000,
	ERROR_STATE_AT = 4,
	STATE_BYTES = 5,
	ERROR_TEXT_MAX = 600,
	OK_BYTES_MIN = 7,
	OK_BYTES_MAX = 1024,
	EOF_BYTES = 5,
	NUMBERS_MAX = 250, /* of one byte */
	ITERATIONS_AT = 6, /* of an execution, with the command: always 1 */
	WORD_MAX = 10,
};

/* Words that statements begin with. */
static const char *const words[] = {
	"alter",   "analyze",	 "begin",    "begin",	  "call",     "check",	"commit",
	"create",  "deallocate", "delete",   "desc",	  "describe", "do",	"drop",
	"execute", "explain",	 "flush",    "grant",	  "handler",  "insert", "kill",
	"load",	   "lock",	 "optimize", "prepare",	  "release",  "rename", "repair",
	"replace", "revoke",	 "rollback", "savepoint", "select",   "set",	"show",
	"start",   "truncate",	 "unlock",   "update",	  "use",      "values", "with",
	"xa",
};

enum { WORDS_COUNT = sizeof(words) / sizeof(words[0]) };

static bool is_one_of(uint8_t c, const char *set)
{
	return c && strchr(set, c);
}

static bool is_letter(uint8_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* The word at the beginning of a text of which more may follow. */
static enum protocol_verdict recognise_word(struct mysql_body text, bool is_whole)
{
	size_t n = 0;

	while (n < text.len && n <= WORD_MAX && is_letter(text.data[n]))
		n++;
	if (n == text.len && !is_whole && n <= WORD_MAX)
		return PROTOCOL_MAYBE;
	for (size_t i = 0; i < WORDS_COUNT; i++)
		if (strlen(words[i]) == n &&
		    strncasecmp(words[i], (const char *)text.data, n) == 0 &&
		    (n == text.len || is_one_of(text.data[n], " \t\r\n(*;\"'`/")))
			return PROTOCOL_YES;
	return PROTOCOL_NO;
}

static enum protocol_verdict recognise_statement(struct mysql_body body, bool is_whole)
{
	struct mysql_body text = body;

	/* Its attributes, if it has any. */
	if (body.len && body.data[0] < ' ' && !is_one_of(body.data[0], "\t\r\n")) {
		if (body.len < 2)
			return is_whole ? PROTOCOL_NO : PROTOCOL_MAYBE;
		if (body.data[1] != 1)
			return PROTOCOL_NO;
		if (body.data[0])
			return PROTOCOL_MAYBE;
		text = mysql_statement_of(body);
	}
	while (text.len && is_one_of(*text.data, " \t\r\n(")) {
		text.data++;
		text.len--;
	}
	if (!text.len)
		return is_whole ? PROTOCOL_NO : PROTOCOL_MAYBE;
	/* A comment. */
	if (is_one_of(*text.data, "/-#"))
		return PROTOCOL_MAYBE;
	return recognise_word(text, is_whole);
}

/* One packet; *size: of its body. */
static enum protocol_verdict recognise_command(const uint8_t *data, size_t len, uint32_t *size)
{
	const struct mysql_command *command;
	struct mysql_body body;

	*size = len < 3 ? MYSQL_PACKET_MAX : mysql_u24(data);
	if (*size == 0 || (len > 3 && data[3]))
		return PROTOCOL_NO;
	if (len <= MYSQL_HEADER_BYTES)
		return PROTOCOL_MAYBE;
	command = mysql_command_of(data[MYSQL_HEADER_BYTES]);
	if (command->kind == MYSQL_NO_COMMAND || *size < command->min ||
	    (command->max && *size > command->max))
		return PROTOCOL_NO;
	body = (struct mysql_body){data + MYSQL_HEADER_BYTES + 1, len - MYSQL_HEADER_BYTES - 1};
	if (body.len > *size - 1)
		body.len = *size - 1;
	if (command->is_text)
		return recognise_statement(body, body.len == *size - 1);
	if (strcmp(command->name, "EXECUTE") == 0 && command->min > ITERATIONS_AT + 3)
		for (size_t i = 0; i < 4 && ITERATIONS_AT + i <= body.len; i++)
			if (body.data[ITERATIONS_AT - 1 + i] != (i == 0))
				return PROTOCOL_NO;
	return PROTOCOL_MAYBE;
}

/* A row of packets. */
static enum protocol_verdict recognise_commands(const uint8_t *data, size_t len)
{
	while (len) {
		uint32_t size;
		enum protocol_verdict verdict = recognise_command(data, len, &size);

		if (verdict != PROTOCOL_MAYBE || len <= MYSQL_HEADER_BYTES + (size_t)size)
			return verdict;
		data += MYSQL_HEADER_BYTES + size;
		len -= MYSQL_HEADER_BYTES + size;
	}
	return PROTOCOL_MAYBE;
}

/* The body begins with a version, which does with a digit. */
static enum protocol_verdict recognise_greeting(struct mysql_body body, uint32_t size)
{
	size_t n = 1;

	while (n < body.len && body.data[n] > ' ' && body.data[n] < 0x7f && n < VERSION_BYTES_MAX)
		n++;
	if (body.len > 1 && !(body.data[1] >= '0' && body.data[1] <= '9'))
		return PROTOCOL_NO;
	if (n == body.len && n < size && n < VERSION_BYTES_MAX)
		return PROTOCOL_MAYBE;
	if (n == body.len || body.data[n] || n + GREETING_BEHIND_VERSION + 1 >= size)
		return PROTOCOL_NO;
	n += GREETING_BEHIND_VERSION + 1;
	if (n >= body.len)
		return PROTOCOL_MAYBE;
	return body.data[n] == 0 ? PROTOCOL_YES : PROTOCOL_NO;
}

static bool is_text(struct mysql_body body, size_t at)
{
	for (; at < body.len; at++)
		if (body.data[at] < ' ' && !is_one_of(body.data[at], "\t\r\n"))
			return false;
	return true;
}

/* A code, a state that has to be there if has_state, and a text. */
static enum protocol_verdict recognise_error(struct mysql_body body, uint32_t size, bool has_state)
{
	uint32_t code;

	if (size > ERROR_TEXT_MAX || size < (has_state ? ERROR_STATE_AT + STATE_BYTES : 4u))
		return PROTOCOL_NO;
	if (body.len < 3)
		return PROTOCOL_MAYBE;
	code = mysql_u16(body.data + 1);
	if (code < CODE_MIN || code >= CODE_MAX || !is_text(body, 3))
		return PROTOCOL_NO;
	if (has_state && body.len > 3 && body.data[3] != '#')
		return PROTOCOL_NO;
	return body.len == size ? PROTOCOL_YES : PROTOCOL_MAYBE;
}

/* How many columns, and behind it the first of their definitions, which says `def`. */
static enum protocol_verdict recognise_rows(const uint8_t *data, size_t len, uint32_t size)
{
	static const uint8_t definition[] = {2, 3, 'd', 'e', 'f'};
	size_t at = MYSQL_HEADER_BYTES + (size_t)size, n;

	if (size > 2 || data[MYSQL_HEADER_BYTES] > NUMBERS_MAX || len == at)
		return size > 2 || data[MYSQL_HEADER_BYTES] > NUMBERS_MAX ? PROTOCOL_NO
									  : PROTOCOL_MAYBE;
	if (size == 2 && len > MYSQL_HEADER_BYTES + 1 && data[MYSQL_HEADER_BYTES + 1] > 1)
		return PROTOCOL_NO;
	if (size == 2 && (len <= MYSQL_HEADER_BYTES + 1 || !data[MYSQL_HEADER_BYTES + 1]))
		return PROTOCOL_MAYBE;
	if (len <= at + 3)
		return PROTOCOL_MAYBE;
	n = len - at - 3;
	if (n >= sizeof(definition))
		return memcmp(data + at + 3, definition, sizeof(definition)) == 0 ? PROTOCOL_YES
										  : PROTOCOL_NO;
	return memcmp(data + at + 3, definition, n) == 0 ? PROTOCOL_MAYBE : PROTOCOL_NO;
}

static enum protocol_verdict recognise_response(const uint8_t *data, size_t len)
{
	uint32_t size = len < 3 ? 1 : mysql_u24(data);
	struct mysql_body body = {data + MYSQL_HEADER_BYTES, len - MYSQL_HEADER_BYTES};

	if (size == 0 || (len > 3 && data[3] > 1))
		return PROTOCOL_NO;
	if (len <= MYSQL_HEADER_BYTES)
		return PROTOCOL_MAYBE;
	if (body.len > size)
		body.len = size;
	if (*body.data == 0xff)
		return recognise_error(body, size, data[3]);
	if (data[3] == 0)
		return *body.data == 0x0a ? recognise_greeting(body, size) : PROTOCOL_NO;
	if (*body.data == 0)
		return size >= OK_BYTES_MIN && size <= OK_BYTES_MAX ? PROTOCOL_MAYBE : PROTOCOL_NO;
	if (*body.data == 0xfe)
		return size == EOF_BYTES ? PROTOCOL_MAYBE : PROTOCOL_NO;
	return recognise_rows(data, len, size);
}

enum protocol_verdict mysql_recognise(enum protocol_side side, const struct protocol_input *input)
{
	if (side == PROTOCOL_REQUESTS)
		return recognise_commands(input->data, input->len);
	return recognise_response(input->data, input->len);
}
