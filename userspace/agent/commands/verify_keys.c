/* SPDX-License-Identifier: MIT */
/* Names of keys, as the schemas have them. */
#include "agent/commands/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/sinsp.h"

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
static char *verify_keys_key_of(const struct output_schema *schema, enum verify_key key)
{
	size_t len = strlen(words[key]);
	struct buf name = {0};

	if (key == KEY_NUM)
		output_schema_key(schema, words[key], len, len, &name);
	else
		output_schema_word(schema, words[key], &name);
	buf_append_char(&name, '\0');
	if (!name.failed)
		return name.data;
	buf_finish(&name);
	return NULL;
}

int verify_keys_make(struct verify_keys keys[VERIFY_SCHEMAS_MAX], size_t *count)
{
	const struct output_schema *schema;
	size_t n = 0;

	for (unsigned int i = 0; n < VERIFY_SCHEMAS_MAX && (schema = output_schema_get(i)); i++) {
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
