/* SPDX-License-Identifier: MIT */
/*
 * Outputs: mappings {to: KIND:TARGET, KEY: VALUE...}. Each becomes the text that --output has, so
 * that options know one form alone.
 */
#include <errno.h>
#include <string.h>

#include "agent/config/reader.h"
#include "output/config.h"
#include "output/target.h"
#include "output/targets/kinds.h"
#include "util/count.h"

/* Of one output. */
enum { KEYS_MAX = 256 };

static const char to_key[] = "to", filter_key[] = "filter";

struct output_reader {
	struct config_reader *reader;
	struct setting *setting;
	struct output_config *config; /* NULL: its kind is not known */
	struct buf text; /* of --output */
	struct buf value; /* of a key that has a sequence */
	int result;
};

static void note(struct output_reader *output, int code)
{
	if (code)
		output->result = code;
}

/*
 * What a variable has is not shown: the text of the file is, in its place. Nor is a message that
 * was cut: it may end with a part of the value.
 */
static int output_reject_value(struct config_reader *reader, const struct yaml_node *node,
			       const struct error *err)
{
	const char *value = reader->value.data, *text = err->text, *at;
	struct buf shown = {0};
	int r;

	if (strcmp(value, node->text) == 0 || !*value)
		return config_reject(reader, node, "%s", text);
	if (strlen(text) + 1 == sizeof(err->text))
		return config_reject(reader, node, "the value of '%.60s' is not accepted",
				     node->text);
	for (; (at = strstr(text, value)); text = at + strlen(value)) {
		buf_append(&shown, text, (size_t)(at - text));
		buf_append_string(&shown, node->text);
	}
	buf_append_string(&shown, text);
	buf_append_char(&shown, '\0');
	r = shown.failed ? -ENOMEM : config_reject(reader, node, "%s", shown.data);
	buf_finish(&shown);
	return r;
}

/* Appends text with a backslash before what ends values of --output. */
static void output_append_escaped(const char *text, struct buf *out)
{
	for (; *text; text++) {
		if (*text == ',' || *text == '\\')
			buf_append_char(out, '\\');
		buf_append_char(out, *text);
	}
}

static const struct output_key *output_find_key(const struct output_config *config,
						const char *name)
{
	const struct output_key *key = output_key_find(OUTPUT_KEYS, name);

	return key ? key : output_key_find(config->kind->keys, name);
}

/* Sets a key to what reader->value has, which came from `node`. */
/* Keys of libraries that are secrets, by the words in their names. */
static bool is_secret(const char *name)
{
	static const char *const words[] = {"password", "secret", ".pem"};

	for (size_t i = 0; i < COUNT(words); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

static int set_key(struct output_reader *output, const struct yaml_node *name,
		   const struct yaml_node *node)
{
	struct config_reader *reader = output->reader;
	const struct output_key *key = output_find_key(output->config, name->text);
	const char *value = reader->value.data;
	struct error err = {""};
	bool flag;
	int r;

	if (key && key->value == OUTPUT_FLAG && yaml_bool_read(value, &flag))
		value = flag ? "yes" : "no";
	/* Names with a dot are anything; these end one in the text. */
	if (!key && strpbrk(name->text, ",=\\"))
		return config_reject(reader, name, "there is no key '%.60s'", name->text);
	r = output_config_set(output->config, name->text, value, &err);
	/* Without a row it is the name that is wrong. */
	if (r == -EINVAL)
		return key ? output_reject_value(reader, node, &err)
			   : config_reject(reader, name, "%s", err.text);
	if (r)
		return r;
	if ((key ? key->secret : is_secret(name->text)) && strcmp(value, node->text) == 0)
		output->setting->secret = true;
	buf_printf(&output->text, ",%s=", name->text);
	if (strcmp(name->text, filter_key) == 0)
		buf_append_string(&output->text, value);
	else
		output_append_escaped(value, &output->text);
	return output->text.failed ? -ENOMEM : 0;
}

static int output_read_text(struct config_reader *reader, const struct yaml_node *name,
			    const struct yaml_node *node)
{
	if (!yaml_is_scalar(node))
		return config_reject(reader, node, "%s: expected a text, not %s", name->text,
				     config_kind_name(node));
	return config_expand(node, &reader->left, reader->report, &reader->value);
}

/* A list is given once for each element; another text has them with blanks between. */
static int output_read_sequence(struct output_reader *output, const struct yaml_link *pair)
{
	const struct output_key *key = output_find_key(output->config, pair->key->text);
	bool is_list = key && key->value == OUTPUT_LIST;
	struct config_reader *reader = output->reader;
	int r = 0;

	buf_clear(&output->value);
	for (const struct yaml_link *link = pair->value->first; link && r == 0; link = link->next) {
		r = output_read_text(reader, pair->key, link->value);
		if (r == 0 && is_list)
			r = set_key(output, pair->key, link->value);
		else if (r == 0)
			buf_printf(&output->value, "%s%s", output->value.len ? " " : "",
				   reader->value.data);
	}
	if (r || is_list)
		return r;
	buf_clear(&reader->value);
	buf_append(&reader->value, output->value.data, output->value.len);
	buf_append_char(&reader->value, '\0');
	return output->value.failed || reader->value.failed
		       ? -ENOMEM
		       : set_key(output, pair->key, pair->value);
}

static int output_read_key(struct output_reader *output, const struct yaml_link *pair)
{
	int r;

	if (pair->value->kind == YAML_SEQUENCE)
		return output_read_sequence(output, pair);
	r = output_read_text(output->reader, pair->key, pair->value);
	return r ? r : set_key(output, pair->key, pair->value);
}

/* Rejects keys that are there twice, and mappings that are too long to look for them. */
static int output_check_keys(struct config_reader *reader, const struct yaml_node *node)
{
	unsigned int count = 0;
	int result = 0;

	for (const struct yaml_link *pair = node->first; pair; pair = pair->next) {
		if (count++ == KEYS_MAX)
			return config_reject(reader, pair->key, "more than %d keys", KEYS_MAX);
		for (const struct yaml_link *other = node->first; other != pair;
		     other = other->next)
			if (strcmp(other->key->text, pair->key->text) == 0)
				result = config_reject(reader, pair->key, "'%s' is there twice",
						       pair->key->text);
	}
	return result;
}

static const struct yaml_link *output_find_pair(const struct yaml_node *node, const char *name)
{
	const struct yaml_link *pair = node->first;

	while (pair && strcmp(pair->key->text, name) != 0)
		pair = pair->next;
	return pair;
}

static int config_output_create(struct output_reader *output, const struct yaml_link *to)
{
	struct config_reader *reader = output->reader;
	struct error err = {""};
	int r = output_read_text(reader, to->key, to->value);

	if (r)
		return r;
	r = output_config_create(output_kinds, reader->value.data, &output->config, &err);
	if (r == -EINVAL)
		return output_reject_value(reader, to->value, &err);
	output_append_escaped(reader->value.data, &output->text);
	return r;
}

/* The filter is the last key: it takes the rest of the text. */
static void output_read_keys(struct output_reader *output, const struct yaml_node *node)
{
	const struct yaml_link *filter = output_find_pair(node, filter_key);

	for (const struct yaml_link *pair = node->first; pair && output->result != -ENOMEM;
	     pair = pair->next)
		if (pair != filter && strcmp(pair->key->text, to_key) != 0)
			note(output, output_read_key(output, pair));
	if (filter)
		note(output, output_read_key(output, filter));
}

static void read_mapping(struct output_reader *output, const struct yaml_node *node)
{
	const struct yaml_link *to = output_find_pair(node, to_key);
	struct error err = {""};

	note(output, output_check_keys(output->reader, node));
	if (output->result)
		return;
	if (!to) {
		note(output, config_reject(output->reader, node,
					   "an output needs 'to: KIND:TARGET'; see agent "
					   "--list-outputs"));
		return;
	}
	note(output, config_output_create(output, to));
	if (output->result == 0)
		output_read_keys(output, node);
	if (output->result == 0 && output_config_check(output->config, &err))
		note(output, config_reject(output->reader, to->value, "%s", err.text));
}

/* The text as it stands after --output. */
static void output_read_scalar(struct output_reader *output, const struct yaml_node *node)
{
	struct config_reader *reader = output->reader;
	struct error err = {""};
	int r = config_expand(node, &reader->left, reader->report, &reader->value);

	if (r == 0)
		r = output_config_read(output_kinds, reader->value.data, &output->config, &err);
	if (r == -EINVAL && err.text[0])
		output_reject_value(reader, node, &err);
	if (r == 0)
		buf_append_string(&output->text, reader->value.data);
	note(output, r);
}

int config_output_read(struct config_reader *reader, struct setting *setting,
		       const struct yaml_node *node)
{
	struct output_reader output = {.reader = reader, .setting = setting};

	setting->node = node;
	setting->secret = false;
	if (node->kind == YAML_MAPPING)
		read_mapping(&output, node);
	else if (yaml_is_scalar(node))
		output_read_scalar(&output, node);
	else
		note(&output, config_reject(reader, node,
					    "expected a mapping such as {to: "
					    "KIND:TARGET}, not %s",
					    config_kind_name(node)));
	buf_append_char(&output.text, '\0');
	setting->value = output.text.data;
	if (output.result == 0)
		note(&output, output.text.failed ? -ENOMEM : config_add_setting(reader, setting));
	output_config_destroy(output.config);
	buf_finish(&output.text);
	buf_finish(&output.value);
	return output.result;
}
