/* SPDX-License-Identifier: MIT */
/* Reads what a user asks of an output; the keys that all kinds have. */
#include "output/config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/target.h"
#include "util/buf.h"
#include "util/count.h"
#include "util/nearest.h"
#include "util/value.h"

/* One reader for each type of value. */

typedef int read_value(const struct output_key *key, const char *text, void *member);

static int key_read_text(const struct output_key *key, const char *text, void *member)
{
	char **owned = member, *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*owned);
	*owned = copy;
	return 0;
}

static int key_read_list(const struct output_key *key, const char *text, void *member)
{
	struct output_list *list = member;
	char **items = realloc(list->items, (list->count + 1) * sizeof(*items));

	if (!items)
		return -ENOMEM;
	list->items = items;
	items[list->count] = strdup(text);
	if (!items[list->count])
		return -ENOMEM;
	list->count++;
	return 0;
}

static int read_bytes(const struct output_key *key, const char *text, void *member)
{
	return value_read_bytes(text, UINT32_MAX, member);
}

static int key_read_count(const struct output_key *key, const char *text, void *member)
{
	return value_read_u64(text, member);
}

static int key_read_time(const struct output_key *key, const char *text, void *member)
{
	return value_read_time(text, member);
}

static int key_read_flag(const struct output_key *key, const char *text, void *member)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};

	for (size_t i = 0; i < COUNT(words); i++) {
		if (strcmp(text, words[i]))
			continue;
		*(bool *)member = i % 2;
		return 0;
	}
	return -EINVAL;
}

static int read_word(const struct output_key *key, const char *text, void *member)
{
	for (unsigned int i = 0; key->words[i]; i++) {
		if (strcmp(text, key->words[i]))
			continue;
		*(unsigned int *)member = i;
		return 0;
	}
	return -EINVAL;
}

static const struct {
	read_value *read;
	const char *expected;
} types[] = {
	[OUTPUT_TEXT] = {key_read_text, NULL},
	[OUTPUT_FILE] = {key_read_text, NULL},
	[OUTPUT_FILE_WRITTEN] = {key_read_text, NULL},
	[OUTPUT_LIST] = {key_read_list, NULL},
	[OUTPUT_BYTES] = {read_bytes, "a number of bytes such as 64K, 8M or 1G"},
	[OUTPUT_COUNT] = {key_read_count, "a number"},
	[OUTPUT_TIME] = {key_read_time, "a time such as 5, 250ms, 10m or 24h"},
	[OUTPUT_FLAG] = {key_read_flag, "yes or no"},
	[OUTPUT_WORD] = {read_word, NULL},
};

const struct output_key *output_key_find(const struct output_key *keys, const char *name)
{
	for (; keys && keys->name; keys++)
		if (strcmp(keys->name, name) == 0)
			return keys;
	return NULL;
}

static int key_reject(const struct output_key *key, const char *value, struct error *err)
{
	const char *shown = key->secret ? "the value" : value;
	struct buf words = {0};
	int r;

	if (key->value != OUTPUT_WORD)
		return error_set(err, -EINVAL, "%s: '%s' is not %s", key->name, shown,
				 types[key->value].expected);
	for (size_t i = 0; key->words[i]; i++)
		buf_printf(&words, "%s%s", i ? (key->words[i + 1] ? ", " : " or ") : "",
			   key->words[i]);
	r = error_set(err, -EINVAL, "%s: '%s' is not %.*s", key->name, shown, (int)words.len,
		      words.data ? words.data : "");
	buf_finish(&words);
	return r;
}

int output_key_set(const struct output_key *key, const char *value, void *base, struct error *err)
{
	int r = types[key->value].read(key, value, (char *)base + key->offset);

	if (r == -EINVAL)
		return key_reject(key, value, err);
	return r ? error_set(err, r, "out of memory") : 0;
}

int output_keys_init(const struct output_key *keys, void *base)
{
	int r = 0;

	for (; keys && keys->name && r == 0; keys++)
		if (keys->fallback)
			r = output_key_set(keys, keys->fallback, base, NULL);
	return r;
}

void output_keys_finish(const struct output_key *keys, void *base)
{
	for (; keys && keys->name; keys++) {
		void *member = (char *)base + keys->offset;
		struct output_list *list = member;

		if (output_key_is_text(keys))
			free(*(char **)member);
		if (keys->value != OUTPUT_LIST)
			continue;
		for (size_t i = 0; i < list->count; i++)
			free(list->items[i]);
		free(list->items);
	}
}

static const char *const policy_words[] = {"auto",  "drop-newest", "drop-oldest",
					   "block", "spool",	   NULL};

static const char *const rate_by_words[] = {"output", "rule", NULL};

/* Below that hardly a record has room. */
enum { QUEUE_BYTES_MIN = 4096 };
/* As the spool itself checks. */
enum { SPOOL_BYTES_MIN = 256 << 10 };
#define RETRY_NS_MIN UINT64_C(1000000)

#define MEMBER(member) offsetof(struct output_config, member)
const struct output_key OUTPUT_KEYS[] = {
	{"format", "FORMAT", "of records: json, text or protobuf; default: that of the kind",
	 OUTPUT_TEXT, MEMBER(format)},
	{"schema", "SCHEMA",
	 "names and forms of fields: native, otel, ecs or falco; default: that of the kind",
	 OUTPUT_TEXT, MEMBER(schema)},
	{"fields", "LIST", "fields with blanks between, as in --json-fields", OUTPUT_TEXT,
	 MEMBER(fields)},
	{"queue", "BYTES", "memory for records that wait", OUTPUT_BYTES, MEMBER(queue_bytes),
	 "16M"},
	{"policy", "POLICY",
	 "what happens when it is full; auto: spool with a spool, block when a file is read, else "
	 "drop-newest",
	 OUTPUT_WORD, MEMBER(policy), "auto", policy_words},
	{"batch", "BYTES", "records that are sent at a time, at most", OUTPUT_BYTES,
	 MEMBER(batch_bytes), "1M"},
	{"batch-count", "COUNT", "the same as a number of records", OUTPUT_COUNT,
	 MEMBER(batch_count), "10000"},
	{"batch-age", "TIME", "how long a record waits for others", OUTPUT_TIME, MEMBER(batch_ns),
	 "100ms"},
	{"spool", "DIR", "keeps records in files there until they are delivered", OUTPUT_TEXT,
	 MEMBER(spool)},
	{"spool-size", "BYTES", "the most that it takes on disk", OUTPUT_BYTES, MEMBER(spool_bytes),
	 "1G"},
	{"spool-sync", "TIME", "how often it is synchronised with the disk; 0: each batch",
	 OUTPUT_TIME, MEMBER(spool_sync_ns), "1s"},
	{"retry", "TIME", "the first wait after a failure, which doubles, with jitter", OUTPUT_TIME,
	 MEMBER(retry_ns), "250ms"},
	{"retry-max", "TIME", "the longest wait", OUTPUT_TIME, MEMBER(retry_max_ns), "30s"},
	{"stop", "TIME", "how long records are still sent when the agent ends", OUTPUT_TIME,
	 MEMBER(stop_ns), "5s"},
	{"redact", "yes|no", "secrets become asterisks: passwords, tokens, keys, headers",
	 OUTPUT_FLAG, MEMBER(redact), "yes"},
	{"redact-pattern", "REGEX",
	 "another secret, a Perl regular expression: its first group, or all; may be repeated",
	 OUTPUT_LIST, MEMBER(redact_patterns)},
	{"rate", "COUNT", "records a second, at most; 0: no limit", OUTPUT_COUNT, MEMBER(rate),
	 "0"},
	{"burst", "COUNT", "records that may come at once; 0: those of a second", OUTPUT_COUNT,
	 MEMBER(burst), "0"},
	{"rate-by", "output|rule", "what has a rate: all records, or those of each rule",
	 OUTPUT_WORD, MEMBER(rate_by), "output", rate_by_words},
	{"sample", "COUNT", "one record of so many; 0: all", OUTPUT_COUNT, MEMBER(sample), "0"},
	{"dedup", "LIST",
	 "leaves out events in which these fields, with commas or blanks between, are as in one "
	 "before",
	 OUTPUT_TEXT, MEMBER(dedup)},
	{"dedup-window", "TIME", "for how long", OUTPUT_TIME, MEMBER(dedup_ns), "10s"},
	{"filter", "FILTER",
	 "only events that pass it, too; the last key, it takes all that follows", OUTPUT_TEXT,
	 MEMBER(filter)},
	{0},
};

static bool config_has_name(const struct output_kind *kind, const char *name, size_t len)
{
	for (size_t i = 0; kind->names[i]; i++)
		if (strlen(kind->names[i]) == len && memcmp(kind->names[i], name, len) == 0)
			return true;
	return false;
}

static int reject_kind(const struct output_kind *const *kinds, const char *name, size_t len,
		       struct error *err)
{
	struct nearest nearest;

	nearest_init(&nearest, name, len);
	for (; *kinds; kinds++)
		for (size_t i = 0; (*kinds)->names[i]; i++)
			nearest_offer(&nearest, (*kinds)->names[i]);
	return error_set(err, -EINVAL, "'%.*s' is no kind of output%s%s%s; see --list-outputs",
			 (int)len, name, nearest.word ? "; did you mean '" : "",
			 nearest.word ? nearest.word : "", nearest.word ? "'?" : "");
}

/* For the caller to free; NULL: out of memory. */
static char *shown_text(const struct output_kind *kind, const char *to)
{
	struct buf text = {0};

	if (!(kind->uses & OUTPUT_USES_NETWORK))
		return strdup(to);
	output_append_shown(to, strlen(to), &text);
	buf_append_char(&text, '\0');
	if (!text.failed)
		return text.data;
	buf_finish(&text);
	return NULL;
}

static int config_init(struct output_config *config, const char *to, size_t len, struct error *err)
{
	const struct output_kind *kind = config->kind;

	const char *target = to[len] ? to + len + 1 : to + len;

	/* Without the colon if nothing follows. */
	config->to = *target ? strdup(to) : strndup(to, len);
	config->text = config->to ? shown_text(kind, config->to) : NULL;
	config->target = strdup(target);
	if (kind->own_bytes)
		config->own = calloc(1, kind->own_bytes);
	for (size_t i = 0; kind->names[i]; i++)
		if (strlen(kind->names[i]) == len && memcmp(kind->names[i], to, len) == 0)
			config->name = kind->names[i];
	if (!config->to || !config->text || !config->target || (kind->own_bytes && !config->own) ||
	    output_keys_init(OUTPUT_KEYS, config) || output_keys_init(kind->keys, config->own))
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* Whether "stdout" says all, in place of "stdout:", which YAML takes for a mapping. */
static bool needs_target(const struct output_kind *kind)
{
	return kind->target[0] != '\0' && kind->target[0] != '[';
}

int output_config_create(const struct output_kind *const *kinds, const char *to,
			 struct output_config **config, struct error *err)
{
	const char *colon = strchr(to, ':');
	size_t len = colon ? (size_t)(colon - to) : strlen(to);
	struct output_config *made;
	size_t i = 0;
	int r;

	while (kinds[i] && !config_has_name(kinds[i], to, len))
		i++;
	if (!kinds[i])
		return reject_kind(kinds, to, len, err);
	if (!colon && needs_target(kinds[i]))
		return error_set(err, -EINVAL, "'%s' lacks a colon: %s:%s", to, to,
				 kinds[i]->target);
	made = calloc(1, sizeof(*made));
	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->kind = kinds[i];
	r = config_init(made, to, len, err);
	if (r)
		output_config_destroy(made);
	else
		*config = made;
	return r;
}

static int reject_key(const struct output_config *config, const char *name, struct error *err)
{
	const struct output_key *tables[] = {OUTPUT_KEYS, config->kind->keys};
	struct nearest nearest;

	nearest_init(&nearest, name, strlen(name));
	for (size_t i = 0; i < 2; i++)
		for (const struct output_key *key = tables[i]; key && key->name; key++)
			nearest_offer(&nearest, key->name);
	return error_set(err, -EINVAL, "%s: there is no key '%s'%s%s%s; see --list-outputs",
			 config->name, name, nearest.word ? "; did you mean '" : "",
			 nearest.word ? nearest.word : "", nearest.word ? "'?" : "");
}

static bool is_in(const char *const *words, const char *word)
{
	while (*words && strcmp(*words, word))
		words++;
	return *words;
}

/* Remembers "NAME=VALUE". */
static int config_remember(struct output_list *list, const char *name, const char *value,
			   struct error *err)
{
	const struct output_key key = {.name = name, .value = OUTPUT_LIST};
	struct buf text = {0};
	int r;

	buf_printf(&text, "%s=%s", name, value);
	buf_append_char(&text, '\0');
	r = text.failed ? error_set(err, -ENOMEM, "out of memory")
			: output_key_set(&key, text.data, list, err);
	buf_finish(&text);
	return r;
}

/* Whether the user gave this key. */
static bool has_key(const struct output_config *config, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < config->given.count; i++)
		if (strncmp(config->given.items[i], name, len) == 0 &&
		    config->given.items[i][len] == '=')
			return true;
	return false;
}

int output_config_set(struct output_config *config, const char *name, const char *value,
		      struct error *err)
{
	const struct output_key *key = output_key_find(OUTPUT_KEYS, name);
	void *base = config;
	int r;

	if (key && config->kind->common && !is_in(config->kind->common, name))
		return error_set(err, -EINVAL, "%s: %s= means nothing here; see --list-outputs",
				 config->name, name);
	if (!key) {
		key = output_key_find(config->kind->keys, name);
		base = config->own;
	}
	if ((!key || key->value != OUTPUT_LIST) && has_key(config, name))
		r = error_set(err, -EINVAL, "%s: given twice", name);
	else if (key)
		r = output_key_set(key, value, base, err);
	else if (config->kind->passes_dotted && strchr(name, '.'))
		r = config_remember(&config->passed, name, value, err);
	else
		r = reject_key(config, name, err);
	return r ? r : config_remember(&config->given, name, value, err);
}

/* Keys that mean nothing without another one. */
static const struct {
	const char *key, *needs;
} dependencies[] = {
	{"spool-size", "spool"}, {"spool-sync", "spool"},   {"burst", "rate"},
	{"rate-by", "rate"},	 {"dedup-window", "dedup"},
};

static int check_dependencies(const struct output_config *config, struct error *err)
{
	for (size_t i = 0; i < COUNT(dependencies); i++)
		if (has_key(config, dependencies[i].key) && !has_key(config, dependencies[i].needs))
			return error_set(err, -EINVAL, "%s= needs %s=", dependencies[i].key,
					 dependencies[i].needs);
	return 0;
}

/* Values with which records would never be delivered, or tries would follow without a pause. */
static int check_values(const struct output_config *config, struct error *err)
{
	if (config->queue_bytes < QUEUE_BYTES_MIN)
		return error_set(err, -EINVAL, "queue= is at least 4K");
	if (config->batch_bytes == 0 || config->batch_count == 0)
		return error_set(err, -EINVAL, "batch= and batch-count= are at least 1");
	if (config->spool && !config->spool[0])
		return error_set(err, -EINVAL, "spool= is empty");
	if (config->spool_bytes < SPOOL_BYTES_MIN)
		return error_set(err, -EINVAL, "spool-size= is at least 256K");
	if (config->retry_ns < RETRY_NS_MIN)
		return error_set(err, -EINVAL, "retry= is at least 1ms");
	if (config->retry_ns > config->retry_max_ns)
		return error_set(err, -EINVAL, "retry= is longer than retry-max=");
	if (config->rate > 1000000000)
		return error_set(err, -EINVAL, "rate= is at most 1000000000");
	return 0;
}

int output_config_check(const struct output_config *config, struct error *err)
{
	int r = check_dependencies(config, err);

	if (r == 0)
		r = check_values(config, err);
	if (r)
		return r;
	if ((config->kind->uses & OUTPUT_USES_NETWORK) && output_has_user(config->target))
		return error_set(err, -EINVAL,
				 "%s: no user can stand in a target: leave out what is before '@', "
				 "and give it by keys, with the password in a file if there is one "
				 "for that (see --list-outputs); in a path '@' is %%40",
				 config->text);
	if (config->policy == POLICY_SPOOL && !config->spool)
		return error_set(err, -EINVAL, "policy=spool needs spool=DIR");
	if (config->spool && config->policy != POLICY_SPOOL && config->policy != POLICY_AUTO)
		return error_set(err, -EINVAL,
				 "with a spool the policy is spool: leave out policy or spool");
	if (config->redact_patterns.count && !config->redact)
		return error_set(err, -EINVAL, "redact-pattern= is for redact=yes");
	if (config->format && config->kind->formats &&
	    !is_in(config->kind->formats, config->format))
		return error_set(err, -EINVAL, "%s does not take format=%s; see --list-outputs",
				 config->name, config->format);
	return config->kind->check ? config->kind->check(config, err) : 0;
}

const char *output_kind_format(const struct output_kind *kind)
{
	if (!output_kind_takes_records(kind))
		return NULL;
	return kind->formats ? kind->formats[0] : "json";
}

const char *output_config_format(const struct output_config *config)
{
	return config->format ? config->format : output_kind_format(config->kind);
}

/* Whether "KEY=VALUE" is given. */
static bool is_given(const struct output_config *config, const char *item)
{
	for (size_t i = 0; i < config->given.count; i++)
		if (strcmp(config->given.items[i], item) == 0)
			return true;
	return false;
}

/* config: NULL for that of a kind without keys. */
static const char *default_schema(const struct output_kind *kind,
				  const struct output_config *config)
{
	const struct output_default *row = kind->defaults;

	while (row && row->with && !(config && is_given(config, row->with)))
		row++;
	return row ? row->schema : "native";
}

const char *output_kind_schema(const struct output_kind *kind)
{
	return output_kind_takes_records(kind) ? default_schema(kind, NULL) : NULL;
}

const char *output_config_schema(const struct output_config *config)
{
	return config->schema ? config->schema : default_schema(config->kind, config);
}

/*
 * Copies text up to a comma that no backslash precedes, or all of it, without those backslashes.
 * Returns what follows.
 */
static const char *copy_part(const char *text, bool all, char *copy)
{
	while (*text && (all || *text != ',')) {
		if (!all && *text == '\\' && (text[1] == ',' || text[1] == '\\'))
			text++;
		*copy++ = *text++;
	}
	*copy = '\0';
	return text;
}

/* Reads a key and its value; a key alone is a flag that is set. `part` has space for all text. */
static int config_read_key(struct output_config *config, const char **text, char *part,
			   struct error *err)
{
	static const char last[] = "filter=";
	bool all = strncmp(*text, last, sizeof(last) - 1) == 0;
	char *equals;

	*text = copy_part(*text, all, part);
	equals = strchr(part, '=');
	if (equals)
		*equals = '\0';
	return output_config_set(config, part, equals ? equals + 1 : "yes", err);
}

int output_config_read(const struct output_kind *const *kinds, const char *text,
		       struct output_config **config, struct error *err)
{
	struct output_config *made = NULL;
	char *part = malloc(strlen(text) + 1);
	int r;

	if (!part)
		return error_set(err, -ENOMEM, "out of memory");
	text = copy_part(text, false, part);
	r = output_config_create(kinds, part, &made, err);
	while (r == 0 && *text) {
		text++;
		r = config_read_key(made, &text, part, err);
	}
	if (r == 0)
		r = output_config_check(made, err);
	free(part);
	if (r)
		output_config_destroy(made);
	else
		*config = made;
	return r;
}

void output_config_destroy(struct output_config *config)
{
	static const struct output_key lists[] = {
		{"passed", .value = OUTPUT_LIST, .offset = MEMBER(passed)},
		{"given", .value = OUTPUT_LIST, .offset = MEMBER(given)},
		{0},
	};

	if (!config)
		return;
	output_keys_finish(OUTPUT_KEYS, config);
	output_keys_finish(lists, config);
	if (config->own)
		output_keys_finish(config->kind->keys, config->own);
	free(config->own);
	free(config->target);
	free(config->text);
	free(config->to);
	free(config);
}

bool output_config_equals(const struct output_config *a, const struct output_config *b)
{
	if (strcmp(a->to, b->to) || a->given.count != b->given.count)
		return false;
	for (size_t i = 0; i < a->given.count; i++)
		if (strcmp(a->given.items[i], b->given.items[i]))
			return false;
	return true;
}

void output_config_append_identity(const struct output_config *config, struct buf *text)
{
	buf_append_string(text, config->to);
	for (size_t i = 0; i < config->given.count; i++) {
		buf_append_char(text, '\n');
		buf_append_string(text, config->given.items[i]);
	}
}

/* The last '@' of a text, or NULL: a password may have one, too. */
static const char *find_at(const char *text, size_t len)
{
	return memrchr(text, '@', len);
}

static size_t length_to_query(const char *text, size_t len)
{
	const char *query = memchr(text, '?', len);

	return query ? (size_t)(query - text) : len;
}

void output_append_shown(const char *to, size_t len, struct buf *text)
{
	const char *servers = memmem(to, len, "//", 2), *at;
	size_t left, shown;

	if (!servers) {
		buf_append(text, to, len);
		return;
	}
	servers += 2;
	buf_append(text, to, (size_t)(servers - to));
	left = len - (size_t)(servers - to);
	shown = length_to_query(servers, left);
	at = find_at(servers, shown);
	if (at) {
		BUF_LITERAL(text, "***");
		buf_append(text, at, shown - (size_t)(at - servers));
	} else {
		buf_append(text, servers, shown);
	}
	if (shown < left)
		BUF_LITERAL(text, "?***");
}

bool output_has_user(const char *target)
{
	return find_at(target, length_to_query(target, strlen(target)));
}
