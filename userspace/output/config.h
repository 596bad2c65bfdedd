/* SPDX-License-Identifier: MIT */
/* What a user asks of an output: KIND:TARGET, keys, and their values. */
#ifndef OUTPUT_CONFIG_H
#define OUTPUT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/error.h"

/*
 * A key of an output, as in --output KIND:TARGET,KEY=VALUE: a row says how its value is read and
 * where it is stored. The rows are also the help.
 */

/* The type of the value, and of the member. */
enum output_value {
	OUTPUT_TEXT, /* const char *, owned; NULL: not given */
	OUTPUT_FILE, /* the same: the path of a file that is read */
	OUTPUT_FILE_WRITTEN, /* the same, of one that is written */
	OUTPUT_LIST, /* struct output_list: the key may be given several times */
	OUTPUT_BYTES, /* uint64_t: "64K" */
	OUTPUT_COUNT, /* uint64_t, 0 included */
	OUTPUT_TIME, /* uint64_t, ns: seconds with a fraction, or with a unit: "250ms", "24h" */
	OUTPUT_FLAG, /* bool: yes or no; the key alone is yes */
	OUTPUT_WORD, /* unsigned int: the index in `words` */
};

struct output_list {
	char **items; /* owned, each, too */
	size_t count;
};

struct output_key {
	const char *name;
	const char *argument; /* of the value, for the help: "BYTES" */
	const char *help;
	enum output_value value;
	size_t offset; /* of the member */
	const char *fallback; /* the value if none is given; NULL: all bits zero */
	const char *const *words; /* of OUTPUT_WORD; ends with NULL */
	bool secret; /* never shown */
};

/* Whether the member is a text, of any type. */
static inline bool output_key_is_text(const struct output_key *key)
{
	return key->value == OUTPUT_TEXT || key->value == OUTPUT_FILE ||
	       key->value == OUTPUT_FILE_WRITTEN;
}

/* The row of that name, or NULL; keys may be NULL. */
const struct output_key *output_key_find(const struct output_key *keys, const char *name);

/*
 * Stores a value in the struct that `base` points to; a list gets one more. Returns 0, -EINVAL with
 * a message that says what is expected, or -ENOMEM.
 */
int output_key_set(const struct output_key *key, const char *value, void *base, struct error *err);

/* Stores the fallbacks of all keys. Returns 0 or -ENOMEM. */
int output_keys_init(const struct output_key *keys, void *base);

/* Releases what the members own. */
void output_keys_finish(const struct output_key *keys, void *base);

struct output_kind;

/* What happens to records while the queue is full. */
enum output_policy {
	POLICY_AUTO, /* with a spool POLICY_SPOOL; reading a file POLICY_BLOCK; else drop-newest */
	POLICY_DROP_NEWEST,
	POLICY_DROP_OLDEST,
	POLICY_BLOCK, /* the capture waits */
	POLICY_SPOOL, /* all records pass through files on disk */
};

/* What a rate is counted for. */
enum output_rate_by { RATE_BY_OUTPUT, RATE_BY_RULE };

/* Members in the order of OUTPUT_KEYS, which documents them. */
struct output_config {
	const struct output_kind *kind;
	const char *name; /* of the kind, as it was given: "https" */
	char *target; /* owned; what follows the name and its colon */
	char *to; /* owned; NAME:TARGET as it was given */
	char *text; /* owned; the same for messages: see output_append_shown() */
	char *format, *schema, *fields, *filter, *spool; /* owned; NULL: not given */
	unsigned int policy; /* enum output_policy */
	uint64_t queue_bytes;
	uint64_t batch_bytes, batch_count, batch_ns;
	uint64_t spool_bytes, spool_sync_ns;
	uint64_t retry_ns, retry_max_ns;
	uint64_t stop_ns;
	bool redact; /* secrets are hidden */
	struct output_list redact_patterns; /* more of them: PCRE2 */
	uint64_t rate, burst; /* records a second, 0: no limit; at once, 0: those of a second */
	unsigned int rate_by; /* enum output_rate_by */
	uint64_t sample; /* one of so many; 0: all */
	char *dedup; /* owned: fields; events that have the same ones are left out */
	uint64_t dedup_ns; /* for so long */
	struct output_list
		passed; /* "NAME=VALUE" of keys with a dot, for the library of the kind */
	void *own; /* owned; the struct of the kind's keys */
	struct output_list given; /* "NAME=VALUE" of all keys, for output_config_equals() */
};

/* The keys of all kinds, of the members above; ends without a name. */
extern const struct output_key OUTPUT_KEYS[];

/*
 * Reads KIND:TARGET[,KEY=VALUE...]; `filter` is the last key and takes the rest of the text. In the
 * target and in values \, is a comma and \\ a backslash. kinds: ends with NULL. Returns 0, -EINVAL
 * with a message, or -ENOMEM.
 */
int output_config_read(const struct output_kind *const *kinds, const char *text,
		       struct output_config **config, struct error *err);

/*
 * Make it in parts, for configuration files: KIND:TARGET as it stands, then each key. Return as
 * output_config_read().
 */
int output_config_create(const struct output_kind *const *kinds, const char *to,
			 struct output_config **config, struct error *err);
int output_config_set(struct output_config *config, const char *key, const char *value,
		      struct error *err);
/* then what has to fit together. */
int output_config_check(const struct output_config *config, struct error *err);

/* The word of format=, or of the format that the kind has by default; the same of schema=. */
const char *output_config_format(const struct output_config *config);
const char *output_config_schema(const struct output_config *config);
/* The defaults of a kind: what it has without keys. NULL: it takes no records. */
const char *output_kind_format(const struct output_kind *kind);
const char *output_kind_schema(const struct output_kind *kind);

void output_config_destroy(struct output_config *config); /* accepts NULL */

/* Whether both ask for the same. */
bool output_config_equals(const struct output_config *a, const struct output_config *b);

/* Appends a text that is the same for both if they are, in this and in other processes. */
void output_config_append_identity(const struct output_config *config, struct buf *text);

/* Targets as messages, pages and reports show them: without what may be a secret. */

/* Appends KIND:TARGET, of `len` bytes; asterisks stand for a user and for the query of a URL. */
void output_append_shown(const char *to, size_t len, struct buf *text);

/* Whether there is a user in a target, or what looks like one: an '@' before the query. */
bool output_has_user(const char *target);

#endif
