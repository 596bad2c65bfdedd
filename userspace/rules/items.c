/* SPDX-License-Identifier: MIT */
/* The items of rules files: the keys of each kind, and items that define, append or replace. */
#include "rules/defs.h"

#include <errno.h>
#include <string.h>

#include "util/count.h"
#include "util/nearest.h"

/* The type of the value of a key. */
enum value_form { A_TEXT, A_FLAG, A_SEQUENCE, TEXTS, A_MAPPING };

static const char *const form_names[] = {
	[A_TEXT] = "a text",	     [A_FLAG] = "true or false",
	[A_SEQUENCE] = "a sequence", [TEXTS] = "a sequence of texts",
	[A_MAPPING] = "a mapping",
};

/* The kinds that have a key, and the permitted later changes of its value. */
enum {
	OF_LIST = 1 << RULES_LIST,
	OF_MACRO = 1 << RULES_MACRO,
	OF_RULE = 1 << RULES_RULE,
	OF_ALL = OF_LIST | OF_MACRO | OF_RULE,
	REQUIRED = 1 << 4,
	APPENDED = 1 << 5,
	REPLACED = 1 << 6,
};

static const struct key_row {
	const char *name;
	enum rules_key key;
	enum value_form form;
	unsigned int flags;
} rows[] = {
	{"items", KEY_ITEMS, TEXTS, OF_LIST | REQUIRED | APPENDED | REPLACED},
	{"condition", KEY_CONDITION, A_TEXT, OF_MACRO | OF_RULE | REQUIRED | APPENDED | REPLACED},
	{"desc", KEY_DESC, A_TEXT, OF_RULE | APPENDED | REPLACED},
	{"output", KEY_OUTPUT, A_TEXT, OF_RULE | REQUIRED | APPENDED | REPLACED},
	{"priority", KEY_PRIORITY, A_TEXT, OF_RULE | REQUIRED | REPLACED},
	{"tags", KEY_TAGS, TEXTS, OF_RULE | APPENDED | REPLACED},
	{"exceptions", KEY_EXCEPTIONS, A_SEQUENCE, OF_RULE | APPENDED | REPLACED},
	{"enabled", KEY_ENABLED, A_FLAG, OF_RULE | REPLACED},
	{"source", KEY_SOURCE, A_TEXT, OF_RULE},
	{"warn_evttypes", KEY_WARN_EVTTYPES, A_FLAG, OF_RULE | REPLACED},
	{"skip-if-unknown-filter", KEY_SKIP_UNKNOWN, A_FLAG, OF_RULE | REPLACED},
	{"capture", KEY_CAPTURE, A_FLAG, OF_RULE | REPLACED},
	{"capture_duration", KEY_CAPTURE_DURATION, A_TEXT, OF_RULE | REPLACED},
	{"append", KEY_APPEND, A_FLAG, OF_ALL},
	{"override", KEY_OVERRIDE, A_MAPPING, OF_ALL},
};

/* An item as read. */
struct item {
	enum rules_kind kind;
	const struct yaml_node *name;
	const struct yaml_node *key[RULES_KEYS_COUNT], *value[RULES_KEYS_COUNT];
	bool wrong; /* it has a reported error */
};

/* Keys that begin an item about the file as a whole. */
static const struct {
	const char *name, *note;
} file_words[] = {
	{"required_engine_version", "required_engine_version is not compared with anything"},
	{"required_plugin_versions", "required_plugin_versions: there are no plugins here"},
};

static bool items_is_key(const struct yaml_link *pair, const char *name)
{
	return strcmp(pair->key->text, name) == 0;
}

static bool is_file_word(const struct yaml_link *pair, const char **note)
{
	for (size_t i = 0; i < COUNT(file_words); i++) {
		if (items_is_key(pair, file_words[i].name)) {
			*note = file_words[i].note;
			return true;
		}
	}
	return false;
}

static bool items_is_kind(const struct yaml_link *pair, enum rules_kind *kind)
{
	for (*kind = 0; *kind < RULES_KINDS_COUNT; ++*kind)
		if (items_is_key(pair, rules_kind_name(*kind)))
			return true;
	return false;
}

static bool items_has_form(const struct yaml_node *value, enum value_form form)
{
	bool flag;

	switch (form) {
	case A_TEXT:
		return yaml_is_scalar(value) && value->len;
	case A_FLAG:
		return yaml_bool_read(value->text, &flag);
	case A_MAPPING:
		return value->kind == YAML_MAPPING;
	default:
		return value->kind == YAML_SEQUENCE || yaml_is_null(value);
	}
}

/* Reports elements that are no texts in a sequence of texts. */
static bool check_texts(struct rules_defs *defs, const struct yaml_node *value)
{
	bool right = true;

	for (const struct yaml_link *link = value->first; link; link = link->next) {
		if (link->value->kind == YAML_SCALAR)
			continue;
		RULES_REPORT(defs, YAML_ERROR, link->value, "expected a text");
		right = false;
	}
	return right;
}

static void items_report_unknown_key(struct rules_defs *defs, enum rules_kind kind,
				     const struct yaml_node *key)
{
	struct nearest nearest;

	nearest_init(&nearest, key->text, key->len);
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].flags & 1u << kind)
			nearest_offer(&nearest, rows[i].name);
	if (nearest.word)
		RULES_REPORT(defs, YAML_WARNING, key,
			     "a %s has no key '%.60s', which is ignored; did you mean '%s'?",
			     rules_kind_name(kind), key->text, nearest.word);
	else
		RULES_REPORT(defs, YAML_WARNING, key, "a %s has no key '%.60s', which is ignored",
			     rules_kind_name(kind), key->text);
}

static void read_pair(struct rules_defs *defs, const struct yaml_link *pair, struct item *item)
{
	const struct key_row *row = rows;

	while (row < rows + COUNT(rows) &&
	       !(row->flags & 1u << item->kind && items_is_key(pair, row->name)))
		row++;
	if (row == rows + COUNT(rows)) {
		items_report_unknown_key(defs, item->kind, pair->key);
		return;
	}
	if (item->value[row->key]) {
		RULES_REPORT(defs, YAML_ERROR, pair->key, "'%s' is given twice", row->name);
		item->wrong = true;
	}
	item->key[row->key] = pair->key;
	item->value[row->key] = pair->value;
	if (!items_has_form(pair->value, row->form)) {
		RULES_REPORT(defs, YAML_ERROR, pair->value, "'%s': expected %s", row->name,
			     form_names[row->form]);
		item->wrong = true;
	} else if (row->form == TEXTS && !check_texts(defs, pair->value)) {
		item->wrong = true;
	}
}

/* Adds a value of an item to an entry: appends it, or replaces all earlier ones. */
static int items_take_value(struct rules_defs *defs, struct rules_entry *entry,
			    const struct item *item, enum rules_key key, bool append)
{
	struct rules_part *part = arena_alloc(&defs->arena, sizeof(*part));
	struct rules_parts *parts = &entry->parts[key];

	if (!part)
		return -ENOMEM;
	part->value = item->value[key];
	if (append && parts->last)
		parts->last->next = part;
	else
		parts->first = part;
	parts->last = part;
	return 0;
}

/* The definition that an item changes; NULL, with a reported error, if there is none. */
static struct rules_entry *find_changed(struct rules_defs *defs, const struct item *item)
{
	struct rules_entry *entry = rules_defs_find(defs, item->kind, item->name->text);
	const char *nearest;

	if (entry)
		return entry;
	nearest = rules_defs_nearest(defs, item->kind, item->name->text, item->name->len);
	if (nearest)
		RULES_REPORT(defs, YAML_ERROR, item->name,
			     "there is no %s '%.60s' to change before this; did you mean '%s'?",
			     rules_kind_name(item->kind), item->name->text, nearest);
	else
		RULES_REPORT(defs, YAML_ERROR, item->name,
			     "there is no %s '%.60s' to change before this",
			     rules_kind_name(item->kind), item->name->text);
	return NULL;
}

/* `append: true`. */
static int append(struct rules_defs *defs, const struct item *item)
{
	struct rules_entry *entry = find_changed(defs, item);
	int r = 0;

	for (size_t i = 0; entry && i < COUNT(rows) && r == 0; i++) {
		const struct key_row *row = &rows[i];

		if (!item->value[row->key] || row->key == KEY_APPEND)
			continue;
		if (row->flags & APPENDED)
			r = items_take_value(defs, entry, item, row->key, true);
		else
			RULES_REPORT(defs, YAML_WARNING, item->key[row->key],
				     "'%s' cannot be appended to and is ignored; 'override' can "
				     "replace it",
				     row->name);
	}
	return r;
}

/* The value of a key in `override`: 1 append, 0 replace, -1 invalid. */
static int read_override(struct rules_defs *defs, const struct key_row *row,
			 const struct yaml_node *value)
{
	const char *word = value->kind == YAML_SCALAR ? value->text : "";
	bool append = strcmp(word, "append") == 0;

	if (!append && strcmp(word, "replace") != 0)
		RULES_REPORT(defs, YAML_ERROR, value, "expected append or replace");
	else if (!(row->flags & (append ? APPENDED : REPLACED)))
		RULES_REPORT(defs, YAML_ERROR, value, "'%s' cannot be %s", row->name,
			     append ? "appended to" : "replaced");
	else
		return append;
	return -1;
}

static const struct yaml_link *items_find_pair(const struct yaml_node *mapping, const char *name)
{
	const struct yaml_link *pair = mapping->first;

	while (pair && !items_is_key(pair, name))
		pair = pair->next;
	return pair;
}

/* Reports keys in `override` that the item does not have. */
static void check_override(struct rules_defs *defs, const struct item *item)
{
	const struct yaml_node *override = item->value[KEY_OVERRIDE];

	for (const struct yaml_link *pair = override->first; pair; pair = pair->next) {
		bool known = false;

		for (size_t i = 0; i < COUNT(rows) && !known; i++)
			known = item->value[rows[i].key] && items_is_key(pair, rows[i].name);
		if (!known)
			RULES_REPORT(defs, YAML_ERROR, pair->key,
				     "override speaks of '%.60s', which this %s does not give",
				     pair->key->text, rules_kind_name(item->kind));
	}
}

static int override(struct rules_defs *defs, const struct item *item)
{
	struct rules_entry *entry = find_changed(defs, item);
	int r = 0;

	check_override(defs, item);
	for (size_t i = 0; entry && i < COUNT(rows) && r == 0; i++) {
		const struct key_row *row = &rows[i];
		const struct yaml_link *pair;
		int how;

		if (!item->value[row->key] || row->key == KEY_OVERRIDE)
			continue;
		pair = items_find_pair(item->value[KEY_OVERRIDE], row->name);
		if (!pair) {
			RULES_REPORT(defs, YAML_ERROR, item->key[row->key],
				     "override does not say whether '%s' is for append or replace",
				     row->name);
			continue;
		}
		how = read_override(defs, row, pair->value);
		if (how >= 0)
			r = items_take_value(defs, entry, item, row->key, how);
	}
	return r;
}

static bool has_only(const struct item *item, enum rules_key key)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (!item->value[rows[i].key] != (rows[i].key != key))
			return false;
	return true;
}

/* A rule with `enabled` as its only key switches an earlier one on or off. */
static int switch_rule(struct rules_defs *defs, const struct item *item)
{
	struct rules_entry *entry = find_changed(defs, item);

	return entry ? items_take_value(defs, entry, item, KEY_ENABLED, false) : 0;
}

static void check_required(struct rules_defs *defs, struct item *item)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct key_row *row = &rows[i];

		if (!(row->flags & REQUIRED) || !(row->flags & 1u << item->kind) ||
		    item->value[row->key])
			continue;
		RULES_REPORT(defs, YAML_ERROR, item->name, "the %s '%.60s' has no '%s'",
			     rules_kind_name(item->kind), item->name->text, row->name);
		item->wrong = true;
	}
}

static int define(struct rules_defs *defs, struct item *item)
{
	struct rules_entry *entry = rules_defs_find(defs, item->kind, item->name->text);
	int r = 0;

	check_required(defs, item);
	if (!entry)
		entry = rules_defs_add(defs, item->kind, item->name);
	if (!entry)
		return -ENOMEM;
	memset(entry->parts, 0, sizeof(entry->parts));
	entry->where = item->name;
	entry->broken = item->wrong;
	for (size_t i = 0; i < COUNT(rows) && r == 0; i++)
		if (item->value[rows[i].key])
			r = items_take_value(defs, entry, item, rows[i].key, false);
	return r;
}

static int take_item(struct rules_defs *defs, struct item *item)
{
	bool appends = false;

	if (item->value[KEY_APPEND])
		yaml_bool_read(item->value[KEY_APPEND]->text, &appends);
	/* Wrong definitions are kept, so that their names are known; wrong changes are not. */
	if (item->wrong && (appends || item->value[KEY_OVERRIDE]))
		return 0;
	if (appends && item->value[KEY_OVERRIDE]) {
		RULES_REPORT(defs, YAML_ERROR, item->key[KEY_OVERRIDE],
			     "'append' and 'override' do not go together");
		return 0;
	}
	if (appends)
		return append(defs, item);
	if (item->value[KEY_OVERRIDE])
		return override(defs, item);
	if (item->kind == RULES_RULE && has_only(item, KEY_ENABLED))
		return switch_rule(defs, item);
	return define(defs, item);
}

static int read_named(struct rules_defs *defs, const struct yaml_node *node,
		      const struct yaml_link *first, enum rules_kind kind)
{
	struct item item = {.kind = kind, .name = first->value};

	if (!yaml_is_scalar(item.name) || item.name->len == 0) {
		RULES_REPORT(defs, YAML_ERROR, item.name, "expected the name of the %s",
			     rules_kind_name(kind));
		return 0;
	}
	for (const struct yaml_link *pair = node->first; pair; pair = pair->next)
		if (pair != first)
			read_pair(defs, pair, &item);
	return take_item(defs, &item);
}

static void report_no_kind(struct rules_defs *defs, const struct yaml_node *node)
{
	const struct yaml_node *key = node->first ? node->first->key : NULL;
	struct nearest nearest;

	if (!key) {
		RULES_REPORT(defs, YAML_ERROR, node,
			     "expected an item with 'rule', 'macro' or 'list'");
		return;
	}
	nearest_init(&nearest, key->text, key->len);
	for (enum rules_kind kind = 0; kind < RULES_KINDS_COUNT; kind++)
		nearest_offer(&nearest, rules_kind_name(kind));
	for (size_t i = 0; i < COUNT(file_words); i++)
		nearest_offer(&nearest, file_words[i].name);
	if (nearest.word)
		RULES_REPORT(defs, YAML_ERROR, key,
			     "an item needs 'rule', 'macro' or 'list', found '%.60s'; did you mean "
			     "'%s'?",
			     key->text, nearest.word);
	else
		RULES_REPORT(defs, YAML_ERROR, key,
			     "an item needs 'rule', 'macro' or 'list', found '%.60s'", key->text);
}

static int items_read_item(struct rules_defs *defs, const struct yaml_node *node)
{
	enum rules_kind kind;
	const char *note;

	for (const struct yaml_link *pair = node->first; pair; pair = pair->next) {
		if (node->kind != YAML_MAPPING)
			break;
		if (items_is_kind(pair, &kind))
			return read_named(defs, node, pair, kind);
		if (is_file_word(pair, &note)) {
			RULES_REPORT(defs, YAML_NOTE, pair->key, "%s", note);
			return 0;
		}
	}
	if (node->kind == YAML_MAPPING)
		report_no_kind(defs, node);
	else
		RULES_REPORT(defs, YAML_ERROR, node,
			     "expected an item: '- rule: NAME' and the like");
	return 0;
}

int rules_items_read(struct rules_defs *defs, const struct yaml_node *root)
{
	int r = 0;

	if (yaml_is_null(root))
		return 0;
	if (root->kind != YAML_SEQUENCE) {
		RULES_REPORT(defs, YAML_ERROR, root,
			     "expected a sequence of items, each beginning with '-'");
		return 0;
	}
	for (const struct yaml_link *link = root->first;
	     link && r == 0 && !yaml_report_is_full(defs->report); link = link->next)
		r = items_read_item(defs, link->value);
	return r;
}
