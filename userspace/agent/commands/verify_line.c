/* SPDX-License-Identifier: MIT */
/* Names of keys, as the schemas have them; the values of an object that matter, by the keys of one
 * schema after the other. */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/commands/verify.h"
#include "sinsp/sinsp.h"
#include "util/value.h"

static const char *const words[KEYS_COUNT] = {
	[KEY_ID] = "evt.id",
	[KEY_NUM] = "evt.num",
	[KEY_REDELIVERED] = "evt.redelivered",
	[KEY_FROM] = "drop.from",
	[KEY_TO] = "drop.to",
	[KEY_COUNT] = "drop.count",
	[KEY_AFTER] = "drop.after",
	[KEY_CAUSE] = "drop.cause",
	[KEY_REASON] = "end.reason",
	[KEY_LAST] = "end.last",
	[KEY_RECORDS] = "end.records",
	[KEY_DROPPED] = "end.dropped",
};

/* evt.num is a field; the others stand beside the fields. */
static char *verify_keys_key_of(const struct schema *schema, enum verify_key key)
{
	size_t len = strlen(words[key]);
	struct buf name = {0};

	if (key == KEY_NUM)
		schema_append_key(schema, words[key], len, len, &name);
	else
		schema_append_word(schema, words[key], &name);
	buf_append_char(&name, '\0');
	if (!name.failed)
		return name.data;
	buf_finish(&name);
	return NULL;
}

int verify_keys_make(struct verify_keys keys[VERIFY_SCHEMAS_MAX], size_t *count)
{
	const struct schema *schema;
	size_t n = 0;

	for (unsigned int i = 0; n < VERIFY_SCHEMAS_MAX && (schema = schema_get(i)); i++) {
		/* Their names are the native ones. */
		if (schema->keeps_names)
			continue;
		for (unsigned int key = 0; key < KEYS_COUNT; key++) {
			keys[n].names[key] = verify_keys_key_of(schema, (enum verify_key)key);
			if (!keys[n].names[key])
				return -ENOMEM;
		}
		n++;
	}
	*count = n;
	return 0;
}

void verify_keys_finish(struct verify_keys keys[VERIFY_SCHEMAS_MAX])
{
	for (size_t i = 0; i < VERIFY_SCHEMAS_MAX; i++)
		for (unsigned int key = 0; key < KEYS_COUNT; key++)
			free(keys[i].names[key]);
}

struct line_reader {
	struct verify_keys schemas[VERIFY_SCHEMAS_MAX];
	size_t count;
	size_t last; /* the schema of the line before */
	json_t *object; /* of the line */
};

int verify_line_reader_create(struct line_reader **reader)
{
	struct line_reader *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return -ENOMEM;
	r = verify_keys_make(made->schemas, &made->count);
	if (r)
		verify_line_reader_destroy(made);
	else
		*reader = made;
	return r;
}

void verify_line_reader_destroy(struct line_reader *reader)
{
	if (!reader)
		return;
	verify_keys_finish(reader->schemas);
	json_decref(reader->object);
	free(reader);
}

static const json_t *value(const struct line_reader *reader, enum verify_key key)
{
	return json_object_get(reader->object, reader->schemas[reader->last].names[key]);
}

/* A number, which may be a string: those beyond 2^53 are. Returns whether there is one. */
static bool verify_line_read_number(const struct line_reader *reader, enum verify_key key,
				    uint64_t *number)
{
	const json_t *found = value(reader, key);

	if (json_is_integer(found) && json_integer_value(found) >= 0) {
		*number = (uint64_t)json_integer_value(found);
		return true;
	}
	return json_is_string(found) && value_read_u64(json_string_value(found), number) == 0;
}

/* Whether the object has the keys of a record in the schema `last`. */
static bool read_record(const struct line_reader *reader, struct verify_record *record)
{
	const char *id = json_string_value(value(reader, KEY_ID));
	const char *dash = id ? strrchr(id, '-') : NULL;

	*record = (struct verify_record){
		.id = dash ? id : NULL,
		.stream_len = dash ? (size_t)(dash - id) : 0,
		.redelivered = json_is_true(value(reader, KEY_REDELIVERED)),
		.cause = json_string_value(value(reader, KEY_CAUSE)),
	};
	record->is_drop = record->cause != NULL;
	if (!record->is_drop && value(reader, KEY_REASON)) {
		record->is_end = true;
		record->cause = json_string_value(value(reader, KEY_REASON));
		record->is_of_run = value(reader, KEY_DROPPED) != NULL;
		verify_line_read_number(reader, KEY_RECORDS, &record->records);
		return record->cause && verify_line_read_number(reader, KEY_LAST, &record->number);
	}
	if (!record->is_drop)
		return verify_line_read_number(reader, KEY_NUM, &record->number) && record->number;
	if (!verify_line_read_number(reader, KEY_COUNT, &record->count))
		return !value(reader, KEY_COUNT) &&
		       verify_line_read_number(reader, KEY_AFTER, &record->after);
	return !verify_line_read_number(reader, KEY_FROM, &record->from) ||
	       (verify_line_read_number(reader, KEY_TO, &record->to) && record->from <= record->to);
}

int verify_line_reader_read(struct line_reader *reader, const char *line, size_t len,
			    struct verify_record *record, struct error *err)
{
	json_error_t wrong;

	json_decref(reader->object);
	reader->object = json_loadb(line, len, JSON_ALLOW_NUL, &wrong);
	if (!json_is_object(reader->object))
		return error_set(err, -EBADMSG, "no object of JSON: %s",
				 reader->object ? "another value" : wrong.text);
	/* Keys of drop records are the same in several schemas, those of ids are not. */
	if (read_record(reader, record) && record->id)
		return 0;
	for (reader->last = 0; reader->last < reader->count; reader->last++)
		if (read_record(reader, record) && record->id)
			return 0;
	for (reader->last = 0; reader->last < reader->count; reader->last++)
		if (read_record(reader, record))
			return 0;
	reader->last = 0;
	return error_set(err, -EBADMSG,
			 "no record of an output: it lacks evt.num, or what a drop "
			 "or end record has");
}
