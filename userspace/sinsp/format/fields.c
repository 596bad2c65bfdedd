/* SPDX-License-Identifier: MIT */
/* Lists of fields to columns: "default,proc.cwd,evt.arg[1]". */
#include <errno.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "sinsp/format/formatter.h"

struct list_parser {
	struct formatter *formatter;
	const char *text;
	struct filter_error *err;
};

static int add_field(const struct list_parser *p, const char *name, size_t len, size_t position)
{
	return format_add_field(p->formatter, (struct filter_text){name, len}, p->text, position,
				p->err);
}

static const char *const *defaults(const struct formatter *formatter)
{
	static const char *const none[] = {NULL};

	return formatter->events->default_fields ? formatter->events->default_fields : none;
}

static int add_default(const struct list_parser *p, size_t position)
{
	int rc = 0;

	for (const char *const *name = defaults(p->formatter); *name && rc == 0; name++)
		rc = add_field(p, *name, strlen(*name), position);
	return rc;
}

static bool stands_alone(const struct field_desc *desc)
{
	return !(desc->flags & (FIELD_FILTER_ONLY | FIELD_ARG_REQUIRED));
}

static int add_all(const struct list_parser *p, size_t position)
{
	int rc = 0;

	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name && rc == 0; desc++)
			if (stands_alone(desc))
				rc = add_field(p, desc->name, strlen(desc->name), position);
	return rc;
}

static size_t count_all(const struct formatter *formatter)
{
	size_t n = 0;

	for (const char *const *name = defaults(formatter); *name; name++)
		n++;
	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++)
			n++;
	return n;
}

/* Bytes up to the next comma outside brackets and quotes. */
static size_t element_length(const char *text)
{
	bool in_brackets = false;
	char quote = '\0';
	size_t n = 0;

	for (; text[n]; n++) {
		if (quote && text[n] == '\\' && text[n + 1])
			n++;
		else if (quote)
			quote = text[n] == quote ? '\0' : quote;
		else if (in_brackets && (text[n] == '"' || text[n] == '\''))
			quote = text[n];
		else if (text[n] == '[' || text[n] == ']')
			in_brackets = text[n] == '[';
		else if (text[n] == ',' && !in_brackets)
			break;
	}
	return n;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(text, word, len) == 0;
}

static int add_element(const struct list_parser *p, size_t position, size_t len)
{
	const char *text = p->text + position;

	for (; len && *text == ' '; text++, position++)
		len--;
	while (len && text[len - 1] == ' ')
		len--;
	if (len == 0)
		return filter_error_set(p->err, p->text, position,
					"expected a field, 'default' or 'all'");
	if (is_word(text, len, "default"))
		return add_default(p, position);
	if (is_word(text, len, "all"))
		return add_all(p, position);
	return add_field(p, text, len, position);
}

int format_parse_fields(struct formatter *formatter, const char *list, struct filter_error *err)
{
	const struct list_parser parser = {formatter, list, err};
	size_t commas = 0, at = 0;
	int rc;

	for (const char *c = list; *c; c++)
		commas += *c == ',';
	rc = format_reserve(formatter, commas + 1 + count_all(formatter));
	while (rc == 0) {
		size_t len = element_length(list + at);

		rc = add_element(&parser, at, len);
		at += len;
		if (list[at] == '\0')
			break;
		at++;
	}
	return rc;
}
