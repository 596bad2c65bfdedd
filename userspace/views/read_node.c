/* SPDX-License-Identifier: MIT */
/* Mappings by tables of their keys; words; texts with arguments. */
#include "views/read.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "util/nearest.h"

static const char *const form_names[] = {
	[VIEWS_A_TEXT] = "a text",
	[VIEWS_A_NUMBER] = "a number",
	[VIEWS_A_FLAG] = "true or false",
	[VIEWS_A_SEQUENCE] = "a sequence",
};

static bool has_form(const struct yaml_node *node, enum views_form form)
{
	bool flag;

	if (form == VIEWS_A_SEQUENCE)
		return node->kind == YAML_SEQUENCE;
	if (!yaml_is_scalar(node) || !node->len)
		return false;
	if (form == VIEWS_A_FLAG)
		return yaml_bool_read(node->text, &flag);
	return form != VIEWS_A_NUMBER || strspn(node->text, "0123456789.") == node->len;
}

static const struct views_row *find_row(const struct views_row *rows, size_t count,
					const struct yaml_node *key)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].name, key->text) == 0)
			return &rows[i];
	return NULL;
}

static void report_unknown(struct views_reading *reading, const struct yaml_node *key,
			   const struct views_row *rows, size_t count, const char *what)
{
	struct nearest nearest;

	nearest_init(&nearest, key->text, key->len);
	for (size_t i = 0; i < count; i++)
		nearest_offer(&nearest, rows[i].name);
	if (nearest.word)
		VIEWS_REPORT(reading, key, "%s has no key '%.60s'; did you mean '%s'?", what,
			     key->text, nearest.word);
	else
		VIEWS_REPORT(reading, key, "%s has no key '%.60s'", what, key->text);
}

/* The value of a key, or NULL; a second one is reported. */
static const struct yaml_node *find_value(struct views_reading *reading,
					  const struct yaml_node *node, const char *name)
{
	const struct yaml_node *found = NULL;

	for (const struct yaml_link *link = node->first; link; link = link->next) {
		if (strcmp(link->key->text, name) != 0)
			continue;
		if (found)
			VIEWS_REPORT(reading, link->key, "'%s' is given twice", name);
		found = link->value;
	}
	return found;
}

static int read_row(struct views_reading *reading, const struct yaml_node *node,
		    const struct views_row *row, const char *what, void *to)
{
	const struct yaml_node *value = find_value(reading, node, row->name);

	if (value && !has_form(value, row->form)) {
		VIEWS_REPORT(reading, value, "'%s': expected %s", row->name, form_names[row->form]);
		return 0;
	}
	if (value)
		return row->read(reading, value, to);
	if (row->required)
		VIEWS_REPORT(reading, node, "%s needs a key '%s'", what, row->name);
	return 0;
}

int views_read_mapping(struct views_reading *reading, const struct yaml_node *node,
		       const struct views_row *rows, size_t count, const char *what, void *to)
{
	int r = 0;

	if (node->kind != YAML_MAPPING) {
		VIEWS_REPORT(reading, node, "%s is a mapping of keys", what);
		return 0;
	}
	for (const struct yaml_link *link = node->first; link; link = link->next)
		if (!find_row(rows, count, link->key))
			report_unknown(reading, link->key, rows, count, what);
	for (size_t i = 0; i < count && r == 0; i++)
		r = read_row(reading, node, &rows[i], what, to);
	return r;
}

int views_read_word(struct views_reading *reading, const struct yaml_node *node,
		    const char *const *words, size_t count, const char *what)
{
	struct nearest nearest;

	nearest_init(&nearest, node->text, node->len);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(words[i], node->text) == 0)
			return (int)i;
		nearest_offer(&nearest, words[i]);
	}
	if (nearest.word)
		VIEWS_REPORT(reading, node, "unknown %s '%.60s'; did you mean '%s'?", what,
			     node->text, nearest.word);
	else
		VIEWS_REPORT(reading, node, "unknown %s '%.60s'", what, node->text);
	return -1;
}

/* Arguments. */

static const char arg_begin[] = "${";

enum { ARG_BEGIN_LEN = sizeof(arg_begin) - 1 };

bool views_read_has_args(const struct yaml_node *node)
{
	return strstr(node->text, arg_begin) != NULL;
}

/* Words of filters that need no quotes. */
static bool is_plain_word(const char *word)
{
	for (const char *at = word; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("._:/-", *at))
			return false;
	return *word;
}

static void append_word(struct buf *out, const char *word, bool quoted)
{
	if (!quoted || is_plain_word(word)) {
		buf_append_string(out, word);
		return;
	}
	buf_append_char(out, '"');
	for (const char *at = word; *at; at++) {
		if (*at == '"' || *at == '\\')
			buf_append_char(out, '\\');
		buf_append_char(out, *at);
	}
	buf_append_char(out, '"');
}

/*
 * The word for the name at `at`, of `len` bytes; NULL, reported, if there is none. *own: it is a
 * text of the file, which is put in as it is.
 */
static const char *find_given(struct views_reading *reading, const struct yaml_node *node,
			      const char *at, size_t len, bool *own)
{
	const struct views_view *view = reading->view;
	struct nearest nearest;

	nearest_init(&nearest, at, len);
	for (unsigned int i = 0; i < view->args_count; i++) {
		const char *name = view->args[i].name;

		*own = view->args[i].words != NULL;
		if (strlen(name) == len && memcmp(name, at, len) == 0)
			return reading->given[i];
		nearest_offer(&nearest, name);
	}
	if (nearest.word)
		VIEWS_REPORT(reading, node, "unknown argument '%.*s'; did you mean '%s'?",
			     (int)(len < 60 ? len : 60), at, nearest.word);
	else
		VIEWS_REPORT(reading, node, "unknown argument '%.*s'", (int)(len < 60 ? len : 60),
			     at);
	return NULL;
}

/* Whether a place of a filter is within a text in quotes. */
static bool is_in_quotes(const char *text, const char *place)
{
	while (text < place) {
		size_t len = filter_lex_quoted(text);

		if (len > (size_t)(place - text))
			return true;
		text += len ? len : 1;
	}
	return false;
}

/* Returns false if an error was reported. */
static bool put_args(struct views_reading *reading, const struct yaml_node *node, bool quoted,
		     struct buf *out)
{
	const char *at = node->text, *begin;

	while ((begin = strstr(at, arg_begin))) {
		const char *name = begin + ARG_BEGIN_LEN, *end = strchr(name, '}'), *word;
		bool own = false;

		if (!end) {
			VIEWS_REPORT(reading, node, "'${' without '}'");
			return false;
		}
		/* Quotes in the word would end the text. */
		if (quoted && is_in_quotes(node->text, begin)) {
			VIEWS_REPORT(reading, node,
				     "'${' within quotes: an argument has its own if need be");
			return false;
		}
		word = find_given(reading, node, name, (size_t)(end - name), &own);
		if (!word)
			return false;
		buf_append(out, at, (size_t)(begin - at));
		append_word(out, word, quoted && !own);
		at = end + 1;
	}
	buf_append_string(out, at);
	return true;
}

const char *views_read_text(struct views_reading *reading, const struct yaml_node *node,
			    bool quoted)
{
	struct buf text = {0};
	const char *kept = NULL;

	if (put_args(reading, node, quoted, &text)) {
		if (!text.failed)
			kept = arena_text(&reading->view->arena, text.data ? text.data : "",
					  text.len);
		if (!kept)
			reading->report->failed = true;
	}
	buf_finish(&text);
	return kept;
}
