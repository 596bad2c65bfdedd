/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions by PCRE2, whose code is compiled; where it gives up, by an automaton without
 * backtracking, so that no value can make a check slow or wrong.
 */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "sinsp/filter/regex.h"

#include <errno.h>
#include <pcre2.h>
#include <stdlib.h>

#include "sinsp/filter/automaton.h"

enum { MATCH_LIMIT = 50000 };

struct filter_regex {
	struct filter_regex *next;
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	struct automaton *automaton;
};

static void regex_destroy(struct filter_regex *regex)
{
	pcre2_code_free(regex->code);
	pcre2_match_data_free(regex->data);
	pcre2_match_context_free(regex->context);
	automaton_destroy(regex->automaton);
	free(regex);
}

static int compile_code(struct filter_binder *binder, size_t position, const struct buf *pattern,
			pcre2_code **code)
{
	const uint32_t options = PCRE2_UTF | PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX |
				 PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_NEVER_BACKSLASH_C;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	PCRE2_UCHAR message[128];
	PCRE2_SIZE offset;
	int error;

	if (!context)
		return -ENOMEM;
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	*code = pcre2_compile((PCRE2_SPTR)(pattern->len ? pattern->data : ""), pattern->len,
			      options, &error, &offset, context);
	pcre2_compile_context_free(context);
	if (*code)
		return 0;
	pcre2_get_error_message(error, message, sizeof(message));
	return BINDER_FAIL(binder, position, "invalid regular expression: %s", (char *)message);
}

static int compile_automaton(struct filter_binder *binder, size_t position,
			     const struct buf *pattern, struct automaton **automaton)
{
	int rc = automaton_create(pattern, automaton);

	if (rc != -E2BIG)
		return rc;
	return BINDER_FAIL(binder, position,
			   "invalid regular expression: its repetitions make it larger than %d "
			   "characters",
			   AUTOMATON_STATES_MAX);
}

int filter_regex_compile(struct filter_binder *binder, const struct filter_expr *expr,
			 struct filter_regex **regex)
{
	struct filter_regex *made = calloc(1, sizeof(*made));
	struct buf pattern = {0};
	const char *wrong;
	int rc = -ENOMEM;

	if (!made)
		return -ENOMEM;
	wrong = filter_regex_translate(&expr->text, &pattern);
	if (wrong) {
		rc = BINDER_FAIL(binder, expr->position, "invalid regular expression: %s", wrong);
		goto out;
	}
	if (pattern.failed)
		goto out;
	rc = compile_code(binder, expr->position, &pattern, &made->code);
	if (rc)
		goto out;
	rc = compile_automaton(binder, expr->position, &pattern, &made->automaton);
	if (rc)
		goto out;
	rc = -ENOMEM;
	made->data = pcre2_match_data_create(1, NULL);
	made->context = pcre2_match_context_create(NULL);
	if (!made->data || !made->context)
		goto out;
	pcre2_set_match_limit(made->context, MATCH_LIMIT);
	pcre2_jit_compile(made->code, PCRE2_JIT_COMPLETE); /* optional: only for speed */
	made->next = binder->filter->regexes;
	binder->filter->regexes = made;
	*regex = made;
	rc = 0;
out:
	if (rc)
		regex_destroy(made);
	buf_finish(&pattern);
	return rc;
}

/* It gives up at its limits, and does not look at bytes that are not UTF-8. */
bool filter_regex_match(struct filter_regex *regex, const char *text, size_t len)
{
	int rc = pcre2_match(regex->code, (PCRE2_SPTR)text, len, 0, 0, regex->data, regex->context);

	if (rc >= 0 || rc == PCRE2_ERROR_NOMATCH)
		return rc >= 0;
	return automaton_match(regex->automaton, text, len);
}

void filter_regex_free(struct filter_regex *regexes)
{
	while (regexes) {
		struct filter_regex *next = regexes->next;

		regex_destroy(regexes);
		regexes = next;
	}
}
