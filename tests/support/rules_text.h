/* SPDX-License-Identifier: MIT */
/* Rules files as texts: what comes of them, and what is said about them. */
#ifndef RULES_TEXT_TEST_H
#define RULES_TEXT_TEST_H

#include "rules/rules.h"

/* A rule with a condition; more of its keys may follow. */
#define NAMED_RULE(name, condition)                                                                \
	"- rule: " name "\n  desc: d\n  condition: " condition "\n  output: out\n  priority: info\n"

/* The lines of a rule but its condition; the condition begins in line 2, column 14. */
#define RULE(condition)                                                                            \
	"- rule: r\n  condition: " condition "\n  desc: d\n  output: out\n  priority: info\n"

/* A text of `n` times what `append` adds; the caller frees it. */
char *repeat(size_t n, void (*append)(struct buf *out, size_t i));

/* A text that was loaded; a second one can be its successor. */
struct loaded {
	int code;
	struct rules *rules; /* NULL if there are errors */
	struct rules_counts counts;
	struct yaml_report report;
};

/* Loads texts as files a.yaml, b.yaml, ... Ends with NULL. */
void load_texts(struct loaded *loaded, const char *const *texts);

/* The same of one text. */
void load_text(struct loaded *loaded, const char *text);

/* The same, which must be right: no errors and no warnings. */
void load_right(struct loaded *loaded, const char *text);

void unload(struct loaded *loaded);

/* The rule of that name, which must be there. */
const struct rule *loaded_rule(const struct loaded *loaded, const char *name);

/* Fails unless the condition of a rule, printed, is that. */
void expect_condition(const struct loaded *loaded, const char *rule, const char *condition);

/*
 * Fails unless a text gives exactly these messages down to warnings: each "LINE:COLUMN SEVERITY
 * TEXT" where TEXT is a part of the message. Ends with NULL.
 */
void expect_messages(const char *text, const char *const *messages);

/* Frees the text, which must be wrong; a message about it must contain `what`. */
void expect_limit(char *text, const char *what);

#define EXPECT(text, ...) expect_messages(text, (const char *const[]){__VA_ARGS__, NULL})

#endif
