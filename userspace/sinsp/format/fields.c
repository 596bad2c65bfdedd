/* SPDX-License-Identifier: MIT */
/* Lists of fields to columns: "default,proc.cwd,evt.arg[1]". */
#include <errno.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "sinsp/format/formatter.h"

const char *const format_object_fields[] = {
	"evt.num",   "evt.time", "evt.type",  "evt.cpu",      "evt.res",      "evt.args",
	"proc.name", "proc.pid", "proc.ppid", "proc.exepath", "proc.cmdline", "thread.tid",
	"user.uid",  "fd.num",	 "fd.name",   "evt.marks",    NULL,
};

const char *const format_object_container_fields[] = {
	"container.id", "container.name", "container.image", "k8s.ns.name", "k8s.pod.name", NULL,
};

struct list_parser {
	struct formatter *formatter;
	const char *text;
	bool has_default;
	struct filter_error *err;
};

static int add_field(const struct list_parser *p, const char *name, size_t len, size_t position)
{
	return format_add_field(p->formatter, (struct filter_text){name, len}, p->text, position,
				p->err);
}

/* Adds fields of a list that ends with NULL, or may be NULL. */
static int add_names(const struct list_parser *p, const char *const *names, size_t position)
{
	int rc = 0;

	for (; names && *names && rc == 0; names++)
		rc = add_field(p, *names, strlen(*names), position);
	return rc;
}

static int add_default(struct list_parser *p, size_t position)
{
	p->has_default = true;
	return add_names(p, p->formatter->events->default_fields, position);
}

/* They stand last, so that one test per event suffices. Those that were named are not added. */
static int add_container_columns(const struct list_parser *p)
{
	struct formatter *formatter = p->formatter;
	size_t before = formatter->columns_count;
	int rc = add_names(p, formatter->events->container_fields, 0);

	formatter->container_columns = formatter->columns_count - before;
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

static size_t count_names(const char *const *names)
{
	size_t n = 0;

	while (names && names[n])
		n++;
	return n;
}

/* The most columns that words of a list can add. */
static size_t count_all(const struct formatter *formatter)
{
	size_t n = count_names(formatter->events->default_fields) +
		   count_names(formatter->events->container_fields);

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

static int add_element(struct list_parser *p, size_t position, size_t len)
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
	struct list_parser parser = {.formatter = formatter, .text = list, .err = err};
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
	return rc == 0 && parser.has_default ? add_container_columns(&parser) : rc;
}
