/* SPDX-License-Identifier: MIT */
/*
 * One pass over the text, a token at a time, as PostgreSQL or MySQL reads it. A backslash escapes
 * in PostgreSQL only in strings with E in front of them, in MySQL in all: where settings that are
 * not the default since 2010 have it the other way, what stands behind \' in a string may be taken
 * for SQL. A name in double quotes is a literal in MySQL, though ANSI_QUOTES makes it a name.
 */
#include "requests/protocols/sql.h"

#include <stdbool.h>
#include <string.h>

#include "requests/protocols/text.h"

/* Where it is in the statement, and what was written. */
struct sql {
	const uint8_t *at, *end;
	char *to;
	size_t len, room;
	enum sql_dialect dialect;
	bool is_in_version; /* of MySQL: inside a comment that it executes */
};

static bool is_mysql(const struct sql *sql)
{
	return sql->dialect == SQL_MYSQL;
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_word_byte(uint8_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || is_digit(c) || c == '_' ||
	       c >= 0x80;
}

static void put_bytes(struct sql *sql, const void *bytes, size_t len)
{
	if (len > sql->room - 1 - sql->len)
		len = sql->room - 1 - sql->len;
	memcpy(sql->to + sql->len, bytes, len);
	sql->len += len;
}

static bool ends_with(const struct sql *sql, const char *text)
{
	size_t len = strlen(text);

	return sql->len >= len && memcmp(sql->to + sql->len - len, text, len) == 0;
}

/* A literal; those behind another one in a list are that one. */
static void put_literal(struct sql *sql)
{
	if (ends_with(sql, "?, "))
		sql->len -= 2;
	else if (ends_with(sql, "?,"))
		sql->len -= 1;
	else
		put_bytes(sql, "?", 1);
}

static void put_blank(struct sql *sql)
{
	if (sql->len && sql->to[sql->len - 1] != ' ')
		put_bytes(sql, " ", 1);
}

/* Goes behind a text that ends with `quote`, of which two are one inside. */
static void pass_quoted(struct sql *sql, uint8_t quote, bool has_escapes)
{
	for (sql->at++; sql->at < sql->end; sql->at++) {
		if (has_escapes && *sql->at == '\\') {
			sql->at++;
			continue;
		}
		if (*sql->at != quote)
			continue;
		if (sql->at + 1 == sql->end || sql->at[1] != quote)
			break;
		sql->at++;
	}
	sql->at = sql->at < sql->end ? sql->at + 1 : sql->end;
}

static void pass_line(struct sql *sql)
{
	const uint8_t *line = memchr(sql->at, '\n', (size_t)(sql->end - sql->at));

	sql->at = line ? line : sql->end;
}

/* The length of the mark of a comment that MySQL or MariaDB executes; 0: it is none. */
static size_t version_mark(const struct sql *sql)
{
	const uint8_t *at = sql->at + 2;

	if (at < sql->end && *at == 'M')
		at++;
	if (!is_mysql(sql) || at >= sql->end || *at != '!')
		return 0;
	for (at++; at < sql->end && is_digit(*at);)
		at++;
	return (size_t)(at - sql->at);
}

/* Comments of this kind nest in PostgreSQL. */
static void pass_comment(struct sql *sql)
{
	size_t mark = version_mark(sql);
	unsigned int depth = 0;

	if (mark) {
		sql->at += mark;
		sql->is_in_version = true;
		return;
	}
	do {
		if (sql->end - sql->at < 2) {
			sql->at = sql->end;
			return;
		}
		if (memcmp(sql->at, "/*", 2) == 0 && !(depth && is_mysql(sql))) {
			depth++;
			sql->at += 2;
		} else if (memcmp(sql->at, "*/", 2) == 0) {
			depth--;
			sql->at += 2;
		} else {
			sql->at++;
		}
	} while (depth);
}

/* The length of what opens a quotation: $$, $tag$; 0: it is none. */
static size_t dollar_tag(const struct sql *sql)
{
	const uint8_t *at = sql->at + 1;

	if (at < sql->end && is_digit(*at))
		return 0;
	while (at < sql->end && is_word_byte(*at))
		at++;
	return at < sql->end && *at == '$' ? (size_t)(at + 1 - sql->at) : 0;
}

/* $1, or a quotation. */
static void take_dollar(struct sql *sql)
{
	size_t tag = dollar_tag(sql);
	const uint8_t *from = sql->at + tag, *close;

	if (!tag) {
		const uint8_t *begin = sql->at++;

		while (sql->at < sql->end && is_digit(*sql->at))
			sql->at++;
		put_bytes(sql, begin, (size_t)(sql->at - begin));
		return;
	}
	close = memmem(from, (size_t)(sql->end - from), sql->at, tag);
	sql->at = close ? close + tag : sql->end;
	put_literal(sql);
}

static void take_number(struct sql *sql)
{
	while (sql->at < sql->end &&
	       (is_word_byte(*sql->at) || *sql->at == '.' ||
		((*sql->at == '-' || *sql->at == '+') && (sql->at[-1] | 0x20) == 'e')))
		sql->at++;
	put_literal(sql);
}

/* A word, or the letters in front of a string: E'', B'', X'', N''. */
static void take_word(struct sql *sql)
{
	const uint8_t *begin = sql->at;
	size_t len;

	while (sql->at < sql->end && (is_word_byte(*sql->at) || *sql->at == '$'))
		sql->at++;
	len = (size_t)(sql->at - begin);
	if (len == 1 && sql->at < sql->end && *sql->at == '\'' && strchr("EeBbXxNn", *begin)) {
		pass_quoted(sql, '\'', is_mysql(sql) || (*begin | 0x20) == 'e');
		put_literal(sql);
		return;
	}
	put_bytes(sql, begin, len);
}

static void take_identifier(struct sql *sql)
{
	const uint8_t *begin = sql->at;

	pass_quoted(sql, *begin, false);
	put_bytes(sql, begin, (size_t)(sql->at - begin));
}

static void take_string(struct sql *sql)
{
	pass_quoted(sql, *sql->at, is_mysql(sql));
	put_literal(sql);
}

/* A comment up to the end of its line: in MySQL -- has a blank behind it, and # begins one, too. */
static bool begins_line(const struct sql *sql)
{
	size_t left = (size_t)(sql->end - sql->at);

	if (is_mysql(sql) && *sql->at == '#')
		return true;
	return left > 1 && memcmp(sql->at, "--", 2) == 0 &&
	       (!is_mysql(sql) || left == 2 || is_blank(sql->at[2]));
}

/* What only MySQL has. Returns false if it is none of that. */
static bool take_mysql_token(struct sql *sql)
{
	uint8_t c = *sql->at;

	if (c == '`') {
		take_identifier(sql);
	} else if (c == '"') {
		take_string(sql);
	} else if (c == '?') {
		/* A parameter of a prepared statement. */
		sql->at++;
		put_literal(sql);
	} else if (c == '$') {
		take_word(sql);
	} else if (sql->is_in_version && sql->end - sql->at > 1 && memcmp(sql->at, "*/", 2) == 0) {
		sql->at += 2;
		sql->is_in_version = false;
	} else {
		return false;
	}
	return true;
}

static void take_token(struct sql *sql)
{
	uint8_t c = *sql->at, next = sql->at + 1 < sql->end ? sql->at[1] : 0;

	if (is_blank(c)) {
		put_blank(sql);
		sql->at++;
	} else if (begins_line(sql)) {
		pass_line(sql);
	} else if (c == '/' && next == '*') {
		pass_comment(sql);
	} else if (c == '\'') {
		take_string(sql);
	} else if (is_mysql(sql) && take_mysql_token(sql)) {
		return;
	} else if (c == '"') {
		take_identifier(sql);
	} else if (c == '$') {
		take_dollar(sql);
	} else if (is_digit(c) || (c == '.' && is_digit(next))) {
		take_number(sql);
	} else if (is_word_byte(c)) {
		take_word(sql);
	} else {
		put_bytes(sql, sql->at++, 1);
	}
}

/* The letters at the beginning, in upper case. */
static void put_verb(struct protocol_message *message, const char *statement)
{
	size_t n = 0;

	while (n < MESSAGE_METHOD_BYTES - 1 && protocol_text_upper(statement[n]) >= 'A' &&
	       protocol_text_upper(statement[n]) <= 'Z') {
		message->method[n] = protocol_text_upper(statement[n]);
		n++;
	}
	message->method[n] = '\0';
}

void protocol_sql_put(struct protocol_message *message, enum sql_dialect dialect,
		      const uint8_t *text, size_t len)
{
	struct sql sql = {.at = text,
			  .end = text + len,
			  .to = message->target,
			  .room = MESSAGE_TARGET_BYTES,
			  .dialect = dialect};

	while (sql.at < sql.end && sql.len + 1 < sql.room)
		take_token(&sql);
	while (sql.len && (sql.to[sql.len - 1] == ' ' || sql.to[sql.len - 1] == ';'))
		sql.len--;
	sql.to[sql.len] = '\0';
	put_verb(message, sql.to + strspn(sql.to, "( "));
}
