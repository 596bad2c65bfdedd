/* SPDX-License-Identifier: MIT */
/* Texts of rules files, made of rules and of repeated parts. */
#ifndef RULE_TEXT_TEST_H
#define RULE_TEXT_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules_text.h"

/* A rule with a condition; more of its keys may follow. */
#define NAMED_RULE(name, condition)                                                                \
	"- rule: " name "\n  desc: d\n  condition: " condition "\n  output: out\n  priority: info\n"

/* The lines of a rule but its condition; the condition begins in line 2, column 14. */
#define RULE(condition)                                                                            \
	"- rule: r\n  condition: " condition "\n  desc: d\n  output: out\n  priority: info\n"

/* A text of `n` times what `append` adds. */
static inline char *repeat(size_t n, void (*append)(struct buf *out, size_t i))
{
	struct buf out = {0};

	for (size_t i = 0; i < n; i++)
		append(&out, i);
	buf_append_char(&out, '\0');
	assert_false(out.failed);
	return out.data;
}

/* Takes the text; a message about it must contain `what`. */
static inline void expect_limit(char *text, const char *what)
{
	struct loaded loaded;

	load_text(&loaded, text);
	assert_int_equal(loaded.code, -EINVAL);
	assert_true(loaded.report.count > 0);
	for (size_t i = 0; i < loaded.report.count; i++)
		if (strstr(loaded.report.messages[i].text, what))
			what = "";
	assert_string_equal(what, "");
	unload(&loaded);
	free(text);
}

#endif
