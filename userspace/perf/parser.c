/* SPDX-License-Identifier: MIT */
/* Words and messages of the parser of events. */
#include "perf/parser.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 4, 0))) static int parser_reject(struct perf_parser *parser,
							       const char *at, bool is_of_machine,
							       const char *format, va_list args)
{
	char memory[sizeof(parser->err->text)];
	struct buf out = buf_fixed(memory, sizeof(memory) - 1);
	struct perf_parse_wrong *wrong = parser->options.wrong;
	char message[sizeof(wrong->text)] = "";

	vsnprintf(message, sizeof(message), format, args);
	if (wrong) {
		wrong->position = (size_t)(at - parser->text);
		memcpy(wrong->text, message, sizeof(message));
		wrong->is_of_machine = is_of_machine;
	}
	buf_printf(&out, "event, column %zu: %s\n", (size_t)(at - parser->text) + 1, message);
	error_append_excerpt(parser->text, strlen(parser->text), (size_t)(at - parser->text), &out);
	while (out.len && out.data[out.len - 1] == '\n')
		out.len--;
	out.data[out.len] = '\0';
	return error_set(parser->err, -EINVAL, "%s", out.data);
}

int perf_parser_fail(struct perf_parser *parser, const char *at, const char *format, ...)
{
	va_list args;
	int r;

	va_start(args, format);
	r = parser_reject(parser, at, false, format, args);
	va_end(args);
	return r;
}

int perf_parser_lacks(struct perf_parser *parser, const char *at, const char *format, ...)
{
	va_list args;
	int r;

	va_start(args, format);
	r = parser_reject(parser, at, true, format, args);
	va_end(args);
	return r;
}

void perf_guess_init(struct perf_guess *guess, struct perf_word word)
{
	nearest_init(&guess->nearest, word.at, word.len);
	guess->word[0] = '\0';
}

void perf_guess_offer(struct perf_guess *guess, const char *candidate)
{
	const char *before = guess->nearest.word;

	nearest_offer(&guess->nearest, candidate);
	if (guess->nearest.word == before)
		return;
	snprintf(guess->word, sizeof(guess->word), "%s", candidate);
	guess->nearest.word = guess->word;
}

const char *perf_guess_text(const struct perf_guess *guess, char text[96])
{
	text[0] = '\0';
	if (guess->word[0])
		snprintf(text, 96, "; did you mean '%s'?", guess->word);
	return text;
}

static bool is_name_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_-.*?[]!@", c));
}

struct perf_word perf_parser_word(const struct perf_parser *parser, const char *more)
{
	struct perf_word word = {parser->at, 0};

	while (word.at[word.len] &&
	       (is_name_character(word.at[word.len]) || strchr(more, word.at[word.len])))
		word.len++;
	return word;
}

bool perf_word_is(struct perf_word word, const char *text)
{
	return strncmp(text, word.at, word.len) == 0 && text[word.len] == '\0';
}

bool perf_word_number(struct perf_word word, uint64_t *number)
{
	const char *digits = "0123456789abcdef";
	unsigned int base = word.len > 2 && strncasecmp(word.at, "0x", 2) == 0 ? 16 : 10;
	uint64_t value = 0;

	if (word.len == 0)
		return false;
	for (size_t i = base == 16 ? 2 : 0; i < word.len; i++) {
		char c = word.at[i] >= 'A' && word.at[i] <= 'F' ? (char)(word.at[i] + 32)
								: word.at[i];
		const char *digit = c ? memchr(digits, c, base) : NULL;

		if (!digit || __builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(digit - digits), &value))
			return false;
	}
	*number = value;
	return true;
}

const char *perf_parser_keep(struct perf_parser *parser, const char *text, size_t len)
{
	return arena_text(&parser->list->arena, text, len);
}
