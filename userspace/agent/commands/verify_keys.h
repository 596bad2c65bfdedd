/* SPDX-License-Identifier: MIT */
/* The keys of records that tell whether they are complete, in each schema. */
#ifndef AGENT_COMMANDS_VERIFY_KEYS_H
#define AGENT_COMMANDS_VERIFY_KEYS_H

#include <stddef.h>

enum verify_key {
	KEY_ID,
	KEY_NUM,
	KEY_REDELIVERED,
	KEY_FROM,
	KEY_TO,
	KEY_COUNT,
	KEY_AFTER,
	KEY_CAUSE,
	KEYS_COUNT,
};

enum { VERIFY_SCHEMAS_MAX = 8 };

struct verify_keys {
	char *names[KEYS_COUNT]; /* owned */
};

/* Makes the keys of all schemas; zeroed before. Returns 0 or -ENOMEM. */
int verify_keys_make(struct verify_keys keys[VERIFY_SCHEMAS_MAX], size_t *count);
void verify_keys_finish(struct verify_keys keys[VERIFY_SCHEMAS_MAX]);

#endif
