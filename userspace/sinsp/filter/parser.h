/* SPDX-License-Identifier: MIT */
/*
 * The state of the parser, shared by its two halves: parse.c parses combinations of checks,
 * parse_expr.c the parts of a check.
 */
#ifndef SINSP_FILTER_PARSER_H
#define SINSP_FILTER_PARSER_H

#include <string.h>

#include "sinsp/filter/lex.h"
#include "sinsp/filter/tree.h"
#include "util/count.h"

/*
 * The maximum nesting depth of grammar rules, and the cost of some. The costs are chosen so that
 * the same filters are too deep as in other implementations of this language.
 */
enum { DEPTH_MAX = 100, DEPTH_FIELD = 3, DEPTH_CALL = 2 };

struct parser {
	const char *text; /* the whole text, NUL-terminated */
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

/* Consumes a word if it is the next one. */
static inline bool parser_accept(struct parser *p, const char *word)
{
	if (!parser_starts_with(p, word))
		return false;
	p->at += strlen(word);
	return true;
}

/* Increases the depth by `cost`; on success the caller must call parser_leave(). */
int parser_enter(struct parser *p, unsigned int cost);

static inline void parser_leave(struct parser *p, unsigned int cost)
{
	p->depth -= cost;
}

/* The length of the current word, for messages. */
int parser_word_len(const struct parser *p);

/* "expected ..., found ..."; nearest: the valid word that was probably intended, or NULL. */
int parser_fail_expected(struct parser *p, const char *what, const char *nearest);

/* "expected ..., found ..." for a word of `n` bytes before "(". */
int parser_fail_call(struct parser *p, size_t n);

#define PARSER_FAIL(p, ...) filter_error_set((p)->err, (p)->text, parser_position(p), __VA_ARGS__)

/* The transformer whose name and "(" come next, or -1. */
int parser_lex_call(const struct parser *p);

int parser_make_text(struct parser *p, const char *data, size_t len, struct filter_text *text);

/*
 * Each parses one construct and moves past it. Returns 0, -EINVAL with the error set, or -ENOMEM.
 */
int parser_field(struct parser *p, size_t name_len, struct filter_expr **expr);
int parser_call(struct parser *p, int call, struct filter_expr **expr);
int parser_number(struct parser *p, struct filter_expr **expr);
int parser_value(struct parser *p, struct filter_expr **expr);
int parser_list_or_name(struct parser *p, struct filter_expr **expr);

/* A value taken from the event; `expr` is unchanged if there is none here. */
int parser_right_field(struct parser *p, struct filter_expr **expr);

#endif
