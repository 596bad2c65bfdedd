/* SPDX-License-Identifier: MIT */
/*
 * Reads Falco's own configuration, falco.yaml, for config_read(): which rules, where their matches
 * go, and in which form. What the agent has no equivalent of is named in a warning.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent/config/reader.h"
#include "agent/options/check.h"
#include "sinsp/sinsp.h"
#include "util/count.h"

struct falco_reader {
	struct config_reader *reader;
	const struct yaml_node *root;
	const struct yaml_node *key; /* of the setting that is made */
	const char *form; /* what outputs print */
	struct buf unknown; /* names of keys, with commas between */
	int result; /* 0, -EINVAL or -ENOMEM */
};

/* Values of keys. */

/* The value of a key of a mapping; NULL: it has none. */
static const struct yaml_node *falco_find(const struct yaml_node *node, const char *name)
{
	const struct yaml_link *pair = node->kind == YAML_MAPPING ? node->first : NULL;

	while (pair && strcmp(pair->key->text, name) != 0)
		pair = pair->next;
	return pair ? pair->value : NULL;
}

static void falco_note(struct falco_reader *falco, int r)
{
	if (r && falco->result != -ENOMEM)
		falco->result = r;
}

/* The text of a scalar; NULL: there is none, or it is empty. It stays until the next call. */
static const char *falco_text(struct falco_reader *falco, const struct yaml_node *node)
{
	struct config_reader *reader = falco->reader;

	if (!node || yaml_is_null(node))
		return NULL;
	if (!yaml_is_scalar(node))
		falco_note(falco, config_reject(reader, node, "expected a text, not %s",
						config_kind_name(node)));
	else
		falco_note(falco,
			   config_expand(node, &reader->left, reader->report, &reader->value));
	return falco->result || !reader->value.data[0] ? NULL : reader->value.data;
}

static const char *falco_text_of(struct falco_reader *falco, const struct yaml_node *node,
				 const char *name)
{
	return falco_text(falco, falco_find(node, name));
}

static bool falco_flag(struct falco_reader *falco, const struct yaml_node *node, const char *name,
		       bool fallback)
{
	const struct yaml_node *found = falco_find(node, name);
	const char *text = falco_text(falco, found);
	bool value = fallback;

	if (text && !yaml_bool_read(text, &value))
		falco_note(falco,
			   config_reject(falco->reader, found, "%s: expected true or false", name));
	return value;
}

/* Settings of the agent. */

/* Adds a value of an option as if a key of that name had it. */
static void falco_set(struct falco_reader *falco, const char *option, const struct yaml_node *node,
		      const char *value)
{
	struct setting setting = {
		.given = GIVEN_KEY, .key = falco->key, .node = node, .value = value};
	const struct option_row *row = option_find(option, &setting.place);
	struct error err = {""};
	int r = option_check_value(row, value, falco->key->text, value, &err);

	if (r == -EINVAL)
		r = config_reject(falco->reader, node, "%s", err.text);
	falco_note(falco, r ? r : config_add_setting(falco->reader, &setting));
}

/* Appends a part of the text of an output; its commas do not begin a key. */
static void append_value(const char *text, struct buf *out)
{
	for (; *text; text++) {
		if (*text == ',' || *text == '\\')
			buf_append_char(out, '\\');
		buf_append_char(out, *text);
	}
}

static void falco_add_output(struct falco_reader *falco, const struct yaml_node *node,
			     struct buf *text)
{
	buf_printf(text, ",%s", falco->form);
	buf_append_char(text, '\0');
	if (text->failed)
		falco_note(falco, -ENOMEM);
	else if (falco->result == 0)
		falco_set(falco, "output", node, text->data);
	buf_finish(text);
}

/* What is not understood. */

static void add_unknown(struct falco_reader *falco, const char *outer, const char *name)
{
	buf_printf(&falco->unknown, "%s%s%s%s", falco->unknown.len ? ", " : "", outer,
		   outer[0] ? "." : "", name);
}

/* Values that say: nothing of the kind. */
static bool falco_is_off(const struct yaml_node *node)
{
	bool value = true;

	return yaml_is_null(node) || (node->kind != YAML_SCALAR && !node->first) ||
	       (yaml_is_scalar(node) &&
		(!node->text[0] || (yaml_bool_read(node->text, &value) && !value)));
}

/* What the keys mean. A function gets the value of its key. */

/* Properties that Falco can leave out of alerts are always there. */
static void falco_read_included(struct falco_reader *falco, const struct yaml_node *node)
{
	if (falco_is_off(node))
		add_unknown(falco, "", falco->key->text);
}

static void falco_read_rules_path(struct falco_reader *falco, const struct yaml_node *node)
{
	const char *path = falco_text(falco, node);

	if (path && access(path, F_OK))
		yaml_report_add(falco->reader->report, YAML_WARNING, node->file, node->start,
				"%s: there is no such file; it is left out", path);
	else if (path)
		falco_set(falco, "rules", node, path);
}

static void falco_read_rules(struct falco_reader *falco, const struct yaml_node *node)
{
	if (node->kind != YAML_SEQUENCE)
		falco_read_rules_path(falco, node);
	else
		for (const struct yaml_link *link = node->first; link; link = link->next)
			falco_read_rules_path(falco, link->value);
}

static void falco_read_priority(struct falco_reader *falco, const struct yaml_node *node)
{
	const char *text = falco_text_of(falco, falco->root, "priority");

	if (text)
		falco_set(falco, "priority", node, text);
}

static void falco_read_file(struct falco_reader *falco, const struct yaml_node *node)
{
	const char *path = falco_text_of(falco, node, "filename");
	struct buf text = {0};

	if (!path)
		return;
	BUF_LITERAL(&text, "file:");
	append_value(path, &text);
	falco_add_output(falco, node, &text);
}

static void falco_read_syslog(struct falco_reader *falco, const struct yaml_node *node)
{
	struct buf text = {0};

	BUF_LITERAL(&text, "syslog:");
	falco_add_output(falco, node, &text);
}

/* Appends ",NAME=VALUE" for a key that has a value. */
static void falco_append_key(struct falco_reader *falco, const struct yaml_node *node,
			     const char *name, const char *ours, struct buf *text)
{
	const char *value = falco_text_of(falco, node, name);

	if (!value)
		return;
	buf_printf(text, ",%s=", ours);
	append_value(value, text);
}

static void falco_read_http(struct falco_reader *falco, const struct yaml_node *node)
{
	const char *url = falco_text_of(falco, node, "url");
	struct buf text = {0};
	bool tls;

	if (!url)
		return;
	tls = strncmp(url, "https:", 6) == 0;
	append_value(url, &text);
	falco_append_key(falco, node,
			 falco_text_of(falco, node, "ca_cert") ? "ca_cert" : "ca_bundle", "ca",
			 &text);
	if (tls && falco_flag(falco, node, "insecure", false))
		BUF_LITERAL(&text, ",insecure=yes");
	if (falco_flag(falco, node, "mtls", false)) {
		falco_append_key(falco, node, "client_cert", "cert", &text);
		falco_append_key(falco, node, "client_key", "key", &text);
	}
	if (falco_flag(falco, node, "compress_uploads", false))
		BUF_LITERAL(&text, ",compress=gzip");
	/* What takes alerts of Falco, such as falcosidekick, takes one a request. */
	BUF_LITERAL(&text, ",body=single");
	falco_add_output(falco, node, &text);
}

static void falco_read_program(struct falco_reader *falco, const struct yaml_node *node)
{
	yaml_report_add(falco->reader->report, YAML_WARNING, node->file, node->start,
			"program_output: the agent starts no program, whose rights it would "
			"share; with keep_alive: true run agent -c FILE | PROGRAM in its place; "
			"else agent -c FILE | while read -r alert; do echo \"$alert\" | PROGRAM; "
			"done; as a service let PROGRAM listen: socat UNIX-LISTEN:PATH,fork "
			"EXEC:PROGRAM, with output: [unix:PATH]");
}

/* Pages for health checks and metrics. */
static void falco_read_webserver(struct falco_reader *falco, const struct yaml_node *node)
{
	const char *text = falco_text_of(falco, node, "listen_address");
	struct buf address = {0};
	bool all = !text || strcmp(text, "0.0.0.0") == 0;

	if (!all)
		buf_printf(&address, strchr(text, ':') ? "[%s]" : "%s", text);
	text = falco_text_of(falco, node, "listen_port");
	buf_printf(&address, ":%s", text ? text : "8765");
	buf_append_char(&address, '\0');
	if (address.failed)
		falco_note(falco, -ENOMEM);
	else if (falco->result == 0)
		falco_set(falco, "http", node, address.data);
	buf_finish(&address);
}

/* The keys that are understood, in the order in which they take effect. */
static const struct falco_key {
	const char *name;
	void (*read)(struct falco_reader *falco,
		     const struct yaml_node *node); /* NULL: see below */
	/* Of a mapping that has `enabled`: its other keys that are understood; ends with NULL. */
	const char *keys[10];
	bool shared; /* the agent has a key of that name, too */
} falco_keys[] = {
	{"rules_files", falco_read_rules, {NULL}},
	{"rules_file", falco_read_rules, {NULL}},
	{"priority", falco_read_priority, {NULL}, .shared = true},
	{"json_output", NULL, {NULL}},
	{"json_include_output_property", falco_read_included, {NULL}},
	{"json_include_output_fields_property", falco_read_included, {NULL}},
	{"json_include_tags_property", falco_read_included, {NULL}},
	{"buffered_outputs", NULL, {NULL}},
	{"stdout_output", NULL, {"enabled", NULL}},
	{"file_output", falco_read_file, {"enabled", "filename", "keep_alive", NULL}},
	{"syslog_output", falco_read_syslog, {"enabled", NULL}},
	{"http_output",
	 falco_read_http,
	 {"enabled", "url", "insecure", "ca_cert", "ca_bundle", "mtls", "client_cert", "client_key",
	  "compress_uploads", NULL}},
	{"program_output", falco_read_program, {"enabled", "program", "keep_alive", NULL}},
	{"webserver",
	 falco_read_webserver,
	 {"enabled", "listen_address", "listen_port", "threadiness", NULL}},
};

static const struct falco_key *falco_find_key(const char *name)
{
	for (size_t i = 0; i < COUNT(falco_keys); i++)
		if (strcmp(falco_keys[i].name, name) == 0)
			return &falco_keys[i];
	return NULL;
}

static void find_unknown_parts(struct falco_reader *falco, const struct falco_key *key,
			       const struct yaml_node *node)
{
	for (const struct yaml_link *pair = node->first; pair; pair = pair->next) {
		const char *const *name = key->keys;

		while (*name && strcmp(*name, pair->key->text) != 0)
			name++;
		if (!*name && !falco_is_off(pair->value))
			add_unknown(falco, key->name, pair->key->text);
	}
}

static void falco_read_key(struct falco_reader *falco, const struct yaml_link *pair)
{
	const struct falco_key *key = falco_find_key(pair->key->text);
	bool wanted = true;

	if (!key) {
		if (!falco_is_off(pair->value))
			add_unknown(falco, "", pair->key->text);
		return;
	}
	falco->key = pair->key;
	if (key->keys[0]) {
		wanted = falco_flag(falco, pair->value, "enabled", false);
		if (wanted && pair->value->kind == YAML_MAPPING)
			find_unknown_parts(falco, key, pair->value);
	}
	if (key->read && wanted)
		key->read(falco, pair->value);
}

/* Whether alerts are also printed; Falco does so by default. */
static void falco_read_stdout(struct falco_reader *falco)
{
	const struct yaml_node *node = falco_find(falco->root, "stdout_output");
	struct buf text = {0};

	falco->key = falco->root->first->key;
	if (node && !falco_flag(falco, node, "enabled", true))
		return;
	BUF_LITERAL(&text, "stdout:");
	falco_add_output(falco, node ? node : falco->root, &text);
}

static void falco_report_unknown(struct falco_reader *falco)
{
	if (falco->unknown.len)
		yaml_report_add(falco->reader->report, YAML_WARNING, falco->root->file,
				falco->root->start,
				"this is a configuration of Falco; not understood, and without "
				"effect: %.*s",
				(int)falco->unknown.len, falco->unknown.data);
}

bool config_is_falco(const struct yaml_node *root)
{
	bool found = false;
	unsigned int place;

	for (const struct yaml_link *pair = root->first; pair; pair = pair->next) {
		const struct falco_key *key = falco_find_key(pair->key->text);

		if (key)
			found |= !key->shared;
		else if (option_find(pair->key->text, &place))
			return false;
	}
	return found;
}

int config_falco_read(struct config_reader *reader, const struct yaml_node *root)
{
	struct falco_reader falco = {.reader = reader, .root = root, .form = "format=text"};
	const struct yaml_link *pair;

	if (falco_flag(&falco, root, "json_output", false))
		falco.form = "format=json,schema=falco";
	for (pair = root->first; pair; pair = pair->next)
		falco_read_key(&falco, pair);
	falco_read_stdout(&falco);
	falco_report_unknown(&falco);
	if (falco.unknown.failed)
		falco_note(&falco, -ENOMEM);
	buf_finish(&falco.unknown);
	return falco.result;
}
