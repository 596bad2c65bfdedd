/* SPDX-License-Identifier: MIT */
/* Shared by the readers of the configuration file: kinds of nodes, variables, messages. */
#include "agent/config/reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Errors about nodes of a configuration, and the list of its settings. */

int config_reject(struct config_reader *reader, const struct yaml_node *node, const char *format,
		  ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	yaml_report_add(reader->report, YAML_ERROR, node->file, node->start, "%s", text);
	return -EINVAL;
}

const char *config_kind_name(const struct yaml_node *node)
{
	static const char *const names[] = {[YAML_SCALAR] = "a text",
					    [YAML_SEQUENCE] = "a sequence",
					    [YAML_MAPPING] = "a mapping"};

	return yaml_is_null(node) ? "nothing" : names[node->kind];
}

int config_add_setting(struct config_reader *reader, const struct setting *setting)
{
	if (reader->settings->count == CONFIG_SETTINGS_MAX)
		return config_reject(reader, setting->key, "more than %d values in all",
				     CONFIG_SETTINGS_MAX);
	return settings_add(reader->settings, setting);
}

/* Replaces references to environment variables. */

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

struct reference {
	char name[256];
	const char *fallback; /* what follows ":-"; NULL: none */
	size_t fallback_len;
	size_t len; /* from "${" to "}" */
};

__attribute__((format(printf, 4, 5))) static int reject(struct yaml_report *report,
							const struct yaml_node *node,
							const char *at, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	yaml_report_add(report, YAML_ERROR, node->file,
			yaml_tree_offset(node, (size_t)(at - node->text)), "%s", text);
	return -EINVAL;
}

/* Reads "${NAME}" or "${NAME:-TEXT}" at `at`. Returns 0, or -EINVAL with an error. */
static int read_reference(const struct yaml_node *node, const char *at, struct yaml_report *report,
			  struct reference *reference)
{
	const char *name = at + 2, *end = strchr(name, '}');
	size_t len = strspn(name, LETTERS "0123456789");

	if (!end)
		return reject(report, node, at, "'${' lacks its '}' ('$$' is a dollar sign)");
	if (len == 0 || !strchr(LETTERS, name[0]) || len >= sizeof(reference->name))
		return reject(report, node, at,
			      "expected the name of a variable, as in ${NAME} or ${NAME:-TEXT} "
			      "('$$' is a dollar sign)");
	if (name[len] != '}' && strncmp(name + len, ":-", 2) != 0)
		return reject(report, node, name + len,
			      "expected '}' or ':-' after the name of a variable");
	memcpy(reference->name, name, len);
	reference->name[len] = '\0';
	reference->fallback = name[len] == '}' ? NULL : name + len + 2;
	reference->fallback_len = reference->fallback ? (size_t)(end - reference->fallback) : 0;
	reference->len = (size_t)(end + 1 - at);
	return 0;
}

static int append_variable(const struct yaml_node *node, const char *at, struct yaml_report *report,
			   size_t *len, struct buf *out)
{
	struct reference reference;
	int r = read_reference(node, at, report, &reference);
	const char *value;

	if (r)
		return r;
	*len = reference.len;
	value = getenv(reference.name);
	if (reference.fallback && !(value && *value))
		buf_append(out, reference.fallback, reference.fallback_len);
	else if (value)
		buf_append_string(out, value);
	else
		return reject(report, node, at,
			      "the environment variable %.60s is not set; ${%.60s:-TEXT} has a "
			      "default",
			      reference.name, reference.name);
	return 0;
}

int config_expand(const struct yaml_node *node, size_t *left, struct yaml_report *report,
		  struct buf *out)
{
	const char *at = node->text, *end = node->text + node->len;
	int r = 0;

	buf_clear(out);
	while (r == 0 && at < end && out->len <= *left) {
		const char *dollar = memchr(at, '$', (size_t)(end - at));
		size_t len = 1;

		buf_append(out, at, (size_t)((dollar ? dollar : end) - at));
		if (!dollar)
			break;
		if (dollar[1] == '{')
			r = append_variable(node, dollar, report, &len, out);
		else
			buf_append_char(out, '$');
		if (dollar[1] == '$')
			len = 2;
		at = dollar + len;
	}
	if (r)
		return r;
	if (out->len > *left)
		return reject(report, node, node->text,
			      "the values of the configuration are longer than %d MiB together",
			      CONFIG_EXPANDED_BYTES_MAX >> 20);
	*left -= out->len;
	buf_append_char(out, '\0');
	return out->failed ? -ENOMEM : 0;
}
