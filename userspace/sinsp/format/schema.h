/* SPDX-License-Identifier: MIT */
/*
 * Schemas: the names that fields have in records, the forms of their values, their numbers in
 * proto/event.proto, and what tells this machine from others.
 */
#ifndef SINSP_FORMAT_SCHEMA_H
#define SINSP_FORMAT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

/* The numbers of fields in proto/event.proto. */

/* Numbers of the message Event that are no fields of Lanner; those begin at 16. */
enum schema_event_number {
	EVENT_NUMBER_ID = 1,
	EVENT_NUMBER_REDELIVERED = 2,
	EVENT_NUMBER_DROP = 3,
	EVENT_NUMBER_MATCH = 4,
	EVENT_NUMBER_OTHERS = 5,
	EVENT_NUMBER_END = 6,
};

/* Fields that are maps, as `others` is. */
enum { EVENT_NUMBER_ARGS = 24, EVENT_NUMBER_INFO = 25 };

/* The number of a field without its argument; 0: it has none. */
uint32_t schema_number(const char *field);

/* What tells this machine from others: architecture, kernel, ids. */

enum schema_identity_part {
	IDENTITY_NONE,
	IDENTITY_MACHINE, /* as uname(2) names the architecture: x86_64, aarch64 */
	IDENTITY_ARCHITECTURE, /* as Go and OpenTelemetry do: amd64, arm64 */
	IDENTITY_KERNEL, /* its release: 6.1.0-28-amd64 */
	IDENTITY_MACHINE_ID, /* of the installation: 32 hexadecimal digits */
	IDENTITY_BOOT_ID, /* of this start of the machine: a UUID */
	IDENTITY_PARTS,
};

enum { IDENTITY_BYTES = 65 }; /* of utsname */

struct schema_identity {
	char parts[IDENTITY_PARTS][IDENTITY_BYTES]; /* "": unknown */
};

/* `root`: where the root of the host is mounted; NULL: here. */
void schema_identity_read(struct schema_identity *identity, const char *root);

/*
 * Schemas: the names that fields have in records, and the forms of their values. One table has a
 * row for each field with a name of its own in OpenTelemetry's semantic conventions or in the
 * Elastic Common Schema; all other fields get a name by rule: lanner.FIELD, with '_' in place of
 * what is neither a letter nor a digit, since no name may be the beginning of another one. Falco's
 * alerts have the names that fields have here, with values of their own.
 */

/* The schemas, in the order of the help: a row of each is schema_NAME. */
#define OUTPUT_SCHEMAS(ROW)                                                                        \
	ROW(native)                                                                                \
	ROW(otel)                                                                                  \
	ROW(ecs)                                                                                   \
	ROW(falco)

/* Their words, for messages. */
#define OUTPUT_SCHEMA_WORDS "native, otel, ecs or falco"

/* How the value of a field is written. */
enum schema_form {
	SCHEMA_SAME, /* by its type; times since 1970 as RFC 3339 */
	SCHEMA_STRING, /* a number as text */
	SCHEMA_TEXT, /* as in lines of text */
	SCHEMA_TIME, /* the time of the event as RFC 3339 */
	SCHEMA_NS, /* the time of the event in ns since 1970, a number */
	SCHEMA_MOMENT, /* a time since 1970 in ns, a number */
	SCHEMA_LIST, /* a list of the one value */
	SCHEMA_SPLIT, /* a list of the words between blanks */
	SCHEMA_ARGV, /* a list of all arguments of the process, from the first on */
	SCHEMA_PARAMS, /* parameters of the event: a map of values, or one value */
	SCHEMA_KNOWN, /* none if it is <NA> */
	SCHEMA_ERROR, /* none if it is SUCCESS */
	SCHEMA_CONTAINER, /* none if it is the word host */
	SCHEMA_IMAGE, /* the name of an image without tag and digest */
	SCHEMA_FILE, /* of files; the names of other descriptors stay under lanner.fd_name */
	SCHEMA_EVENT_NAME, /* lanner.TYPE */
	SCHEMA_OUTCOME, /* success or failure; unknown without a result */
	SCHEMA_CATEGORY, /* see schema_ecs_category() */
	SCHEMA_KIND, /* see schema_ecs_type() */
	SCHEMA_EVENT_KIND, /* alert, if a rule matched; else event */
	SCHEMA_BESIDE, /* the constant of a companion */
	SCHEMA_FORMS_COUNT,
};

/*
 * What begins each record: a field, a constant text, or a text about the machine. That of a field
 * with a constant stands for the field where there is no event: in drop records.
 */
struct schema_head {
	const char *key;
	const char *field;
	const char *constant;
	enum schema_form form; /* of the field */
	enum schema_identity_part machine;
};

/* What is said beside a field that was chosen: a constant text, if the field has a value. */
struct schema_companion {
	const char *field, *key, *constant;
};

struct schema {
	const char *name; /* the word of schema= */
	const char *title; /* for lists */
	bool renames; /* false: keys are the fields, values are Lanner's own */
	bool keeps_names; /* by rule the key of a field is its own text, and times are in ns */
	bool plain_arguments; /* arguments within keys have '_' for what is no letter or digit */
	const struct schema_head *heads; /* ended by a row without key */
	const struct schema_companion *companions; /* ended by a row without field; NULL: none */
	size_t column; /* in the table of fields */
	/*
	 * Of alerts: records are matches of rules alone, with evt.id and evt.num, and have the
	 * fields of the rule's output in an object of their own, in this schema. NULL: of all
	 * events.
	 */
	const struct schema *fields;
};

#define OUTPUT_SCHEMA_DECLARE(name) extern const struct schema schema_##name;
OUTPUT_SCHEMAS(OUTPUT_SCHEMA_DECLARE)
#undef OUTPUT_SCHEMA_DECLARE

/* The schema with this index, or NULL after the last one; and that of a name, or NULL. */
const struct schema *schema_get(unsigned int i);
const struct schema *schema_find(const char *name);

/*
 * Appends the key of `text` ("proc.pid", "container.label[app]", "toupper(evt.type)"), and returns
 * the form of its value. The first `field_len` bytes are a field, which an argument may follow; 0:
 * it is not just a field. NULL: keys are the texts.
 */
enum schema_form schema_append_key(const struct schema *schema, const char *text, size_t len,
				   size_t field_len, struct buf *key);

/* What a form makes of a value, in a few words for lists; "": nothing. */
const char *schema_form_meaning(enum schema_form form);

/* A key beside the fields, such as evt.id. */
void schema_append_word(const struct schema *schema, const char *word, struct buf *key);

/* The table of fields with names in other schemas. */

enum schema_column { SCHEMA_OTEL, SCHEMA_ECS, SCHEMA_FALCO, SCHEMA_COLUMNS };

struct schema_key {
	const char *key; /* NULL: by rule; a final '*' stands for the argument */
	enum schema_form form;
};

struct schema_row {
	const char *field; /* with "[]": a field with an argument */
	struct schema_key keys[SCHEMA_COLUMNS];
};

/* Ended by a row without field. */
extern const struct schema_row schema_rows[];

/* The words of the Elastic Common Schema for what an event is about. */

/* event.category of the events of a type: file, process, network, ... ; else api. */
const char *schema_ecs_category(unsigned int event_id);

/* event.type of the events of a type, as the category allows it: start, change, ... ; else info. */
const char *schema_ecs_type(unsigned int event_id);

#endif
