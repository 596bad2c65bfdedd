/* SPDX-License-Identifier: MIT */
/* What fields are about: closed sets of values, units of numbers, examples. */
#include <stdio.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "util/count.h"
#include "util/nearest.h"

/* Closed sets of values: whether a text is in one, and the word that was probably intended. */

enum { WORD_BYTES = 64 };

struct search {
	const char *text;
	bool found;
};

static void words_compare(void *context, const char *word)
{
	struct search *search = context;

	search->found |= strcmp(word, search->text) == 0;
}

static bool words_is_number(const char *text)
{
	text += *text == '-';
	return *text && text[strspn(text, "0123456789")] == '\0';
}

bool field_words_have(const struct field_words *words, const char *text)
{
	struct search search = {text, words->numbers && words_is_number(text)};

	words->each(words_compare, &search);
	return search.found;
}

struct offer {
	struct nearest nearest;
	char *best;
};

static void offer(void *context, const char *word)
{
	struct offer *to = context;

	nearest_offer(&to->nearest, word);
	if (to->nearest.word != word)
		return;
	snprintf(to->best, WORD_BYTES, "%s", word);
	to->nearest.word = to->best;
}

bool field_words_nearest(const struct field_words *words, const char *text, char word[WORD_BYTES])
{
	size_t len = strlen(text);
	struct offer to = {.best = word};

	nearest_init(&to.nearest, text, len);
	words->each(offer, &to);
	/* A word at the distance of the whole length has no letter in common. */
	return to.nearest.word && to.nearest.distance < len;
}

/* The unit of a field's numbers: by its row, its type, or the name of its parameter. */

/* The event table has no units, but integers with these names are sizes. */
static const struct {
	const char *name;
	enum field_unit unit;
} params[] = {
	{"aio_nbytes", FIELD_UNIT_BYTES},   {"aio_offset", FIELD_UNIT_BYTES},
	{"bufsize", FIELD_UNIT_BYTES},	    {"cmdline_len", FIELD_UNIT_BYTES},
	{"handle_bytes", FIELD_UNIT_BYTES}, {"len", FIELD_UNIT_BYTES},
	{"length", FIELD_UNIT_BYTES},	    {"msg_len", FIELD_UNIT_BYTES},
	{"nbytes", FIELD_UNIT_BYTES},	    {"new_size", FIELD_UNIT_BYTES},
	{"offin", FIELD_UNIT_BYTES},	    {"offout", FIELD_UNIT_BYTES},
	{"offset", FIELD_UNIT_BYTES},	    {"old_size", FIELD_UNIT_BYTES},
	{"optlen", FIELD_UNIT_BYTES},	    {"pos", FIELD_UNIT_BYTES},
	{"res", FIELD_UNIT_BYTES},	    {"size", FIELD_UNIT_BYTES},
	{"stx_size", FIELD_UNIT_BYTES},	    {"vm_rss", FIELD_UNIT_KIB},
	{"vm_size", FIELD_UNIT_KIB},	    {"vm_swap", FIELD_UNIT_KIB},
};

static enum field_unit unit_of_param(const char *name)
{
	for (size_t i = 0; i < COUNT(params); i++)
		if (strcmp(params[i].name, name) == 0)
			return params[i].unit;
	return FIELD_UNIT_NONE;
}

enum field_unit field_unit(const struct field_ref *ref)
{
	if (ref->desc->unit)
		return ref->desc->unit;
	if (ref->desc->flags & FIELD_WITHIN_MS)
		return FIELD_UNIT_MS;
	if (ref->type == PT_RELTIME || ref->type == PT_ABSTIME)
		return FIELD_UNIT_NS;
	return ref->desc->type == PT_DYN ? unit_of_param(ref->name) : FIELD_UNIT_NONE;
}

/*
 * Examples of filters, for `agent fields`. Rows have an example of their own where the type does
 * not suffice.
 */

static const char *const arguments[] = {
	[FIELD_ARG_INDEX] = "[1]",	 [FIELD_ARG_KEY] = "[app]",
	[FIELD_ARG_LABEL] = "[app]",	 [FIELD_ARG_KEY_OR_INDEX] = "[1]",
	[FIELD_ARG_NUMBER] = "[1]",	 [FIELD_ARG_PARAM] = ".res",
	[FIELD_ARG_PARAM_NAME] = ".res", [FIELD_ARG_EVENT] = ".openat",
	[FIELD_ARG_WORD] = ".cpu",
};

static const char *comparison(const struct field_desc *desc)
{
	if (desc->moment)
		return ">1700000000000000000";
	switch (desc->type) {
	case PT_BOOL:
		return "=true";
	case PT_PORT:
		return "=443";
	case PT_IPADDR:
		return "=127.0.0.1";
	case PT_IPNET:
		return "=10.0.0.0/8";
	case PT_RELTIME:
	case PT_ABSTIME:
		return ">1s";
	default:
		return param_type_size(desc->type) ? ">100" : " exists";
	}
}

void field_append_example(const struct field_desc *desc, struct buf *out)
{
	buf_append_string(out, desc->name);
	if (desc->example) {
		buf_append_string(out, desc->example);
		return;
	}
	if (desc->flags & FIELD_ARG_REQUIRED)
		buf_append_string(out, arguments[desc->arg]);
	buf_append_string(out, comparison(desc));
}
