/* SPDX-License-Identifier: MIT */
/* The table of fields: every row is of a field, and no key stands in the way of another one. */
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "sinsp/format/schema.h"
#include "unit.h"

enum { KEYS_MAX = 1024, KEY_BYTES = 128 };

static const struct field_desc *find_field(const char *name, size_t len)
{
	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++)
			if (strlen(desc->name) == len && memcmp(desc->name, name, len) == 0)
				return desc;
	return NULL;
}

static bool is_word(const char *name)
{
	static const char *const words[] = {"rule", "priority", "tags", "output", "evt.id"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i], name) == 0)
			return true;
	return false;
}

static void test_rows_are_fields(void **state)
{
	for (const struct schema_row *row = schema_rows; row->field; row++) {
		size_t len = strlen(row->field);
		bool argument = len > 2 && strcmp(row->field + len - 2, "[]") == 0;
		const struct field_desc *desc = find_field(row->field, argument ? len - 2 : len);

		for (const struct schema_row *other = row + 1; other->field; other++)
			assert_string_not_equal(row->field, other->field);
		if (is_word(row->field))
			continue;
		if (!desc)
			fail_msg("%s is no field", row->field);
		assert_int_equal(argument, (desc->flags & FIELD_ARG_REQUIRED) ||
						   (argument && desc->flags & FIELD_ARG_ALLOWED));
		for (size_t i = 0; i < SCHEMA_COLUMNS; i++) {
			const char *key = row->keys[i].key;

			if (key)
				assert_int_equal(key[strlen(key) - 1] == '*', argument);
		}
	}
}

/* A form that reads texts is only for fields that are texts. */
static void test_forms_fit(void **state)
{
	for (const struct schema_row *row = schema_rows; row->field; row++) {
		const struct field_desc *desc = find_field(row->field, strlen(row->field));

		for (size_t i = 0; desc && i < SCHEMA_COLUMNS; i++) {
			switch (row->keys[i].form) {
			case SCHEMA_STRING:
				assert_int_not_equal(param_type_size(desc->type), 0);
				break;
			case SCHEMA_SPLIT:
			case SCHEMA_KNOWN:
			case SCHEMA_ERROR:
			case SCHEMA_CONTAINER:
			case SCHEMA_IMAGE:
			case SCHEMA_EVENT_NAME:
				assert_int_equal(desc->type, PT_CHARBUF);
				break;
			default:
				break;
			}
		}
	}
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* All keys of a schema, sorted. Returns their number. */
static size_t list_keys(const struct schema *schema, char keys[][KEY_BYTES])
{
	size_t n = 0;

	for (const struct schema_head *head = schema->heads; head->key; head++)
		strcpy(keys[n++], head->key);
	for (const struct field_desc *const *table = field_tables; *table; table++) {
		for (const struct field_desc *desc = *table; desc->name; desc++, n++) {
			struct buf key = buf_fixed(keys[n], KEY_BYTES);
			size_t len = strlen(desc->name);

			assert_true(n < KEYS_MAX);
			schema_append_key(schema, desc->name, len, len, &key);
			buf_append_char(&key, '\0');
			assert_false(key.failed);
		}
	}
	qsort(keys, n, KEY_BYTES, compare);
	return n;
}

/*
 * A key that has a value cannot have keys below it: Elasticsearch rejects such documents, and
 * OpenTelemetry forbids such names.
 */
static void test_no_key_holds_another(void **state)
{
	static char keys[KEYS_MAX][KEY_BYTES];

	for (unsigned int i = 1; !schema_get(i)->keeps_names; i++) {
		size_t n = list_keys(schema_get(i), keys);

		for (size_t a = 0; a < n; a++) {
			for (size_t b = 0; b < n; b++) {
				size_t len = strlen(keys[a]);

				if (strncmp(keys[a], keys[b], len) == 0 && keys[b][len] == '.')
					fail_msg("%s: %s and %s", schema_get(i)->name, keys[a],
						 keys[b]);
			}
		}
	}
}

/* By rule no two fields get the same key: only rows say that two are the same thing. */
static void test_rule_is_unique(void **state)
{
	static char keys[KEYS_MAX][KEY_BYTES];

	for (unsigned int i = 1; schema_get(i); i++) {
		size_t n = list_keys(schema_get(i), keys);

		for (size_t a = 1; a < n; a++)
			if (strncmp(keys[a], "lanner.", 7) == 0)
				assert_string_not_equal(keys[a], keys[a - 1]);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rows_are_fields),
	cmocka_unit_test(test_forms_fit),
	cmocka_unit_test(test_no_key_holds_another),
	cmocka_unit_test(test_rule_is_unique),
};

UNIT_GROUP(tests);
