/* SPDX-License-Identifier: MIT */
/* Values of keys: texts, flags, sequences. */
#include <errno.h>
#include <stdio.h>

#include "agent/config/expand.h"
#include "agent/config/reader.h"
#include "agent/options/apply.h"

/* Writes the value of a scalar to reader->value; others are rejected with what is expected. */
static int read_text(struct config_reader *reader, const struct yaml_node *key,
		     const struct yaml_node *node, const char *expected)
{
	if (!yaml_is_scalar(node))
		return config_reject(reader, node, "%s: expected %s, not %s", key->text, expected,
				     config_kind_name(node));
	return config_expand(node, &reader->left, reader->report, &reader->value);
}

/* Adds what reader->value has, if the option accepts it; `node` is where it came from. */
static int add_value(struct config_reader *reader, struct setting *setting,
		     const struct yaml_node *node)
{
	const struct option_row *row = option_row(setting->place);
	struct error err = {""};
	int code;

	setting->value = reader->value.data;
	setting->node = node;
	/* The message has the text of the file: a variable may be a secret. */
	code = option_check_value(row, setting->value, setting->key->text, node->text, &err);
	if (code == -EINVAL)
		return config_reject(reader, node, "%s", err.text);
	return code ? code : config_add_setting(reader, setting);
}

/* A flag that is false is its opposite if there is one: "follow: false" is --no-follow. */
static int read_flag(struct config_reader *reader, struct setting *setting,
		     const struct yaml_node *node)
{
	static const char expected[] = "true or false";
	int code = read_text(reader, setting->key, node, expected);
	const struct option_row *row;
	char name[OPTION_TEXT_MAX];
	bool value;

	if (code)
		return code;
	if (!yaml_bool_read(reader->value.data, &value))
		return config_reject(reader, node, "%s: expected %s, not '%.60s'",
				     setting->key->text, expected, node->text);
	setting->node = node;
	if (value)
		return config_add_setting(reader, setting);
	snprintf(name, sizeof(name), "no-%s", setting->key->text);
	row = option_find(name, &setting->place);
	setting->off = !row;
	return config_add_setting(reader, setting);
}

/* Several values as one, with commas between. */
static int read_commas(struct config_reader *reader, struct setting *setting,
		       const struct yaml_node *node)
{
	struct buf all = {0};
	int code = 0;

	for (const struct yaml_link *link = node->first; link && code == 0; link = link->next) {
		code = read_text(reader, setting->key, link->value, "a text in the sequence");
		if (all.len)
			buf_append_char(&all, ',');
		if (code == 0)
			buf_append_string(&all, reader->value.data);
	}
	buf_append_char(&all, '\0');
	buf_clear(&reader->value);
	buf_append(&reader->value, all.data, all.len);
	if (code == 0 && (all.failed || reader->value.failed))
		code = -ENOMEM;
	buf_finish(&all);
	return code ? code : add_value(reader, setting, node);
}

static int read_sequence(struct config_reader *reader, struct setting *setting,
			 const struct yaml_node *node)
{
	int code = 0, result = 0;

	for (const struct yaml_link *link = node->first; link && code != -ENOMEM;
	     link = link->next) {
		code = read_text(reader, setting->key, link->value, "a text in the sequence");
		if (code == 0)
			code = add_value(reader, setting, link->value);
		if (code)
			result = code;
	}
	return result;
}

/* One output needs no sequence. */
static int read_outputs(struct config_reader *reader, struct setting *setting,
			const struct yaml_node *node)
{
	int code = 0, result = 0;

	if (node->kind != YAML_SEQUENCE)
		return config_output_read(reader, setting, node);
	for (const struct yaml_link *link = node->first; link && code != -ENOMEM;
	     link = link->next) {
		code = config_output_read(reader, setting, link->value);
		if (code)
			result = code;
	}
	return result;
}

int config_value_read(struct config_reader *reader, unsigned int place,
		      const struct yaml_link *pair)
{
	const struct option_row *row = option_row(place);
	const struct yaml_node *node = pair->value;
	struct setting setting = {.place = place, .given = GIVEN_KEY, .key = pair->key};
	int code;

	if (!row->argument)
		return read_flag(reader, &setting, node);
	if (row->set == options_add_output)
		return read_outputs(reader, &setting, node);
	if (node->kind == YAML_SEQUENCE && row->list == LIST_REPEATED)
		return read_sequence(reader, &setting, node);
	if (node->kind == YAML_SEQUENCE && row->list == LIST_COMMAS)
		return read_commas(reader, &setting, node);
	code = read_text(reader, pair->key, node,
			 row->list == LIST_NONE ? "one value" : "a text or a sequence of texts");
	return code ? code : add_value(reader, &setting, node);
}
