/* SPDX-License-Identifier: MIT */
/*
 * The parser at work, shared by its two halves: expr/parse.c joins checks, expr/parse_expr.c
 * reads what checks are made of.
 */
#ifndef SINSP_EXPR_PARSER_H
#define SINSP_EXPR_PARSER_H

#include <string.h>

#include "sinsp/expr/lex.h"
#include "sinsp/expr/tree.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Rules may nest to this depth. How much each counts decides which filters are too deep, and is
 * chosen so that they are the same ones as elsewhere in the world of this language.
 */
enum { DEPTH_MAX = 100, DEPTH_FIELD = 3, DEPTH_CALL = 2 };

struct parser {
	const char *text; /* all of it, ended by NUL */
	const char *at;
	struct arena *arena;
	struct filter_error *err;
	unsigned int depth;
};

static inline size_t parser_position(const struct parser *p)
{
	return (size_t)(p->at - p->text);
}

static inline void parser_skip_blank(struct parser *p)
{
	p->at += filter_lex_blank(p->at);
}

static inline bool parser_starts_with(const struct parser *p, const char *word)
{
	return strncmp(p->at, word, strlen(word)) == 0;
}

/* Reads a word when it stands here. */
static inline bool parser_accept(struct parser *p, const char *word)
{
	if (!parser_starts_with(p, word))
		return false;
	p->at += strlen(word);
	return true;
}

/* Goes `cost` rules deeper; the caller comes up again by parser_leave() unless it fails. */
int parser_enter(struct parser *p, unsigned int cost);

static inline void parser_leave(struct parser *p, unsigned int cost)
{
	p->depth -= cost;
}

/* The length of the current word, for messages. */
int parser_word_len(const struct parser *p);

/* "expected ..., found ..."; nearest: the right word that was probably meant, or NULL. */
int parser_fail_expected(struct parser *p, const char *what, const char *nearest);

/* The same of a word of `n` bytes that stands before "(". */
int parser_fail_call(struct parser *p, size_t n);

#define PARSER_FAIL(p, ...) filter_error_set((p)->err, (p)->text, parser_position(p), __VA_ARGS__)

/* The transformer whose name and "(" stand here, or -1. */
int parser_lex_call(const struct parser *p);

int parser_make_text(struct parser *p, const char *data, size_t len, struct filter_text *text);

/* Each reads one construct and moves after it. Returns 0, -EINVAL with the error set, or -ENOMEM.
 */
int parser_field(struct parser *p, size_t name_len, struct filter_expr **expr);
int parser_call(struct parser *p, int call, struct filter_expr **expr);
int parser_number(struct parser *p, struct filter_expr **expr);
int parser_value(struct parser *p, struct filter_expr **expr);
int parser_list_or_name(struct parser *p, struct filter_expr **expr);

/* A value that the event decides; `expr` is left alone when there is none here. */
int parser_right_field(struct parser *p, struct filter_expr **expr);

#endif
