/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions: from RE2's POSIX syntax to PCRE2's, whose code is compiled; where it gives
 * up, an automaton without backtracking.
 */
#include "sinsp/filter/regex.h"

#include <string.h>

#include "util/utf8.h"

/*
 * From RE2's POSIX syntax to PCRE2's. Common syntax is copied; what PCRE2 interprets differently is
 * written out: x+? is an optional x+ here, `^` and `$` can be repeated, and a character may be any
 * code point.
 */

enum { GROUPS_MAX = 255, REPEAT_MAX = 1000 };

struct translator {
	const char *at, *end;
	struct buf *out;
	size_t groups[GROUPS_MAX]; /* start of each open group in `out` */
	unsigned int ngroups;
	size_t atom; /* start of the last repeatable item in `out` */
	bool repeatable; /* there is such an item */
	bool repeated; /* it ends with a repetition */
};

static bool is_alnum(uint32_t c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static int regex_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void put_char(struct translator *t, uint32_t c)
{
	if (is_alnum(c))
		buf_append_char(t->out, (char)c);
	else
		buf_printf(t->out, "\\x{%x}", c);
}

static void begin_atom(struct translator *t)
{
	t->atom = t->out->len;
	t->repeatable = true;
	t->repeated = false;
}

static void read_octal(struct translator *t, uint32_t *c)
{
	for (int i = 0; i < 3 && t->at < t->end && *t->at >= '0' && *t->at <= '7'; i++)
		*c = *c * 8 + (uint32_t)(*t->at++ - '0');
}

/* "\x41" or "\x{1F600}"; `x` has been read. */
static const char *read_hex(struct translator *t, uint32_t *c)
{
	bool braced = t->at < t->end && *t->at == '{';
	int digits = 0;

	t->at += braced;
	while (t->at < t->end && regex_hex_digit(*t->at) >= 0 && digits < (braced ? 8 : 2)) {
		*c = *c * 16 + (uint32_t)regex_hex_digit(*t->at++);
		digits++;
	}
	if (braced && (t->at == t->end || *t->at++ != '}'))
		return "invalid escape sequence";
	return digits < (braced ? 1 : 2) || *c > 0x10ffff ? "invalid escape sequence" : NULL;
}

/* The character after a backslash. Classes and anchors have no escapes here. */
static const char *read_escape(struct translator *t, uint32_t *c)
{
	static const char from[] = "nrtafv", to[] = "\n\r\t\a\f\v";
	const char *found;
	char e;

	if (t->at == t->end)
		return "trailing backslash";
	e = *t->at;
	*c = 0;
	if (e == '0' ||
	    (e >= '1' && e <= '7' && t->at + 1 < t->end && t->at[1] >= '0' && t->at[1] <= '7')) {
		read_octal(t, c);
		return NULL;
	}
	t->at++;
	if (e == 'x')
		return read_hex(t, c);
	found = strchr(from, e);
	if (found)
		*c = (unsigned char)to[found - from];
	else if (!is_alnum((unsigned char)e) && (unsigned char)e < 0x80)
		*c = (unsigned char)e;
	else
		return "invalid escape sequence (only characters can be escaped; for classes write "
		       "[[:digit:]] or [[:space:]])";
	return NULL;
}

static const char *read_char(struct translator *t, uint32_t *c)
{
	size_t n;

	if (*t->at == '\\') {
		t->at++;
		return read_escape(t, c);
	}
	n = utf8_decode(t->at, (size_t)(t->end - t->at), c);
	t->at += n;
	return n ? NULL : "invalid UTF-8";
}

/* "[:alpha:]" or "[:^alpha:]" inside a class; false if there is none here. */
static bool copy_named_class(struct translator *t)
{
	const char *close = memmem(t->at, (size_t)(t->end - t->at), ":]", 2);

	if (t->end - t->at < 2 || t->at[1] != ':' || !close)
		return false;
	buf_append(t->out, t->at, (size_t)(close + 2 - t->at));
	t->at = close + 2;
	return true;
}

/* A character of a class, or a range of them. */
static const char *copy_range(struct translator *t)
{
	uint32_t low, high;
	const char *wrong = read_char(t, &low);

	if (wrong)
		return wrong;
	put_char(t, low);
	if (t->end - t->at < 2 || t->at[0] != '-' || t->at[1] == ']')
		return NULL;
	t->at++;
	wrong = read_char(t, &high);
	if (wrong)
		return wrong;
	if (high < low)
		return "invalid range in a class";
	buf_append_char(t->out, '-');
	put_char(t, high);
	return NULL;
}

/* A class, its "[" included. */
static const char *copy_class(struct translator *t)
{
	bool first = true;

	begin_atom(t);
	buf_append_char(t->out, *t->at++);
	if (t->at < t->end && *t->at == '^')
		buf_append_char(t->out, *t->at++);
	for (; t->at < t->end && (first || *t->at != ']'); first = false) {
		const char *wrong;

		if (*t->at == '-' && !first && t->end - t->at > 1 && t->at[1] != ']')
			return "invalid range in a class";
		if (*t->at == '[' && copy_named_class(t))
			continue;
		wrong = copy_range(t);
		if (wrong)
			return wrong;
	}
	if (t->at == t->end)
		return "missing ]";
	buf_append_char(t->out, *t->at++);
	return NULL;
}

/*
 * Reads a count; one above the limit stays above it. Returns the position after the digits, NULL if
 * there are none.
 */
static const char *regex_read_count(const char *at, const char *end, unsigned int *count)
{
	const char *start = at;

	for (*count = 0; at < end && *at >= '0' && *at <= '9'; at++)
		*count = *count > REPEAT_MAX ? *count : *count * 10 + (unsigned int)(*at - '0');
	return at == start ? NULL : at;
}

/* The length of "{n}", "{n,}" or "{n,m}" here, or 0: then the brace is an ordinary character. */
static size_t lex_repeat(const struct translator *t, bool *valid)
{
	unsigned int low, high;
	const char *at = regex_read_count(t->at + 1, t->end, &low);

	if (!at || at == t->end)
		return 0;
	high = low;
	if (*at == ',') {
		const char *behind = regex_read_count(at + 1, t->end, &high);

		if (!behind)
			high = low;
		at = behind ? behind : at + 1;
	}
	if (at == t->end || *at != '}')
		return 0;
	*valid = low <= high && high <= REPEAT_MAX;
	return (size_t)(at + 1 - t->at);
}

/* Encloses the last atom in a group, so that it can be repeated (again). */
static void wrap_atom(struct translator *t)
{
	static const char open[] = "(?:";
	const size_t n = sizeof(open) - 1;
	struct buf *out = t->out;

	if (!buf_reserve(out, n + 1))
		return;
	memmove(out->data + t->atom + n, out->data + t->atom, out->len - t->atom);
	memcpy(out->data + t->atom, open, n);
	out->len += n;
	buf_append_char(out, ')');
}

static const char *copy_repeat(struct translator *t, size_t n)
{
	if (!t->repeatable)
		return "nothing to repeat";
	if (t->repeated)
		wrap_atom(t);
	buf_append(t->out, t->at, n);
	t->at += n;
	t->repeated = true;
	return NULL;
}

static const char *open_group(struct translator *t)
{
	if (t->ngroups == GROUPS_MAX)
		return "too many groups";
	t->groups[t->ngroups++] = t->out->len;
	t->at++;
	t->repeatable = false;
	BUF_LITERAL(t->out, "(?:");
	return NULL;
}

static const char *close_group(struct translator *t)
{
	if (t->ngroups == 0)
		return "unexpected )";
	t->at++;
	buf_append_char(t->out, ')');
	t->atom = t->groups[--t->ngroups];
	t->repeatable = true;
	t->repeated = false;
	return NULL;
}

static const char *copy_char(struct translator *t)
{
	uint32_t c;
	const char *wrong = read_char(t, &c);

	if (wrong)
		return wrong;
	begin_atom(t);
	put_char(t, c);
	return NULL;
}

static const char *copy_one(struct translator *t)
{
	bool valid = true;
	size_t n;

	switch (*t->at) {
	case '(':
		return open_group(t);
	case ')':
		return close_group(t);
	case '|':
		t->repeatable = false;
		buf_append_char(t->out, *t->at++);
		return NULL;
	case '*':
	case '+':
	case '?':
		return copy_repeat(t, 1);
	case '{':
		n = lex_repeat(t, &valid);
		if (!valid)
			return "invalid repetition count";
		return n ? copy_repeat(t, n) : copy_char(t);
	case '[':
		return copy_class(t);
	case '^':
	case '$':
		begin_atom(t);
		buf_printf(t->out, "(?:%c)", *t->at++);
		return NULL;
	case '.':
		begin_atom(t);
		buf_append_char(t->out, *t->at++);
		return NULL;
	default:
		return copy_char(t);
	}
}

const char *filter_regex_translate(const struct filter_text *pattern, struct buf *out)
{
	struct translator t = {
		.at = pattern->data, .end = pattern->data + pattern->len, .out = out};

	while (t.at < t.end) {
		const char *wrong = copy_one(&t);

		if (wrong)
			return wrong;
	}
	return t.ngroups ? "missing )" : NULL;
}

/*
 * Regular expressions by PCRE2, whose code is compiled; where it gives up, by an automaton without
 * backtracking, so that no value can make a check slow or wrong.
 */

#define PCRE2_CODE_UNIT_WIDTH 8

#include <errno.h>
#include <pcre2.h>
#include <stdlib.h>

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
	int r = automaton_create(pattern, automaton);

	if (r != -E2BIG)
		return r;
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
	int r = -ENOMEM;

	if (!made)
		return -ENOMEM;
	wrong = filter_regex_translate(&expr->text, &pattern);
	if (wrong) {
		r = BINDER_FAIL(binder, expr->position, "invalid regular expression: %s", wrong);
		goto out;
	}
	if (pattern.failed)
		goto out;
	r = compile_code(binder, expr->position, &pattern, &made->code);
	if (r)
		goto out;
	r = compile_automaton(binder, expr->position, &pattern, &made->automaton);
	if (r)
		goto out;
	r = -ENOMEM;
	made->data = pcre2_match_data_create(1, NULL);
	made->context = pcre2_match_context_create(NULL);
	if (!made->data || !made->context)
		goto out;
	pcre2_set_match_limit(made->context, MATCH_LIMIT);
	pcre2_jit_compile(made->code, PCRE2_JIT_COMPLETE); /* optional: only for speed */
	made->next = binder->filter->regexes;
	binder->filter->regexes = made;
	*regex = made;
	r = 0;
out:
	if (r)
		regex_destroy(made);
	buf_finish(&pattern);
	return r;
}

/* It gives up at its limits, and does not look at bytes that are not UTF-8. */
bool filter_regex_match(struct filter_regex *regex, const char *text, size_t len)
{
	int r = pcre2_match(regex->code, (PCRE2_SPTR)text, len, 0, 0, regex->data, regex->context);

	if (r >= 0 || r == PCRE2_ERROR_NOMATCH)
		return r >= 0;
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
