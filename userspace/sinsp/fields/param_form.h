/* SPDX-License-Identifier: MIT */
/*
 * What the value of a parameter is for programs: numbers, names of flags, texts, lists; decided for
 * each parameter of each event before any event comes.
 */
#ifndef SINSP_FIELDS_PARAM_FORM_H
#define SINSP_FIELDS_PARAM_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "util/arena.h"
#include "util/buf.h"

/*
 * The form of a parameter of an event, and the names of its flags (NULL: it has none). Numbers that
 * are nothing else are SIGNED, UNSIGNED, HEX or OCTAL.
 */
enum param_kind param_form_of(const struct event_desc *event, unsigned int index,
			      const struct param_flag **set);

/* The form of what a parameter of type DYN has: its type and format alone decide. */
enum param_kind param_form_of_type(enum param_type type, enum param_format format);

/*
 * The type that the value of a parameter has in JSON, whatever it is: "number", "text", "texts",
 * "numbers" (lists), "waited" (a list of the descriptors that a call waits for); or "any".
 */
const char *param_json_type(const struct event_desc *event, unsigned int index);

/*
 * The name of the next flag that is set, which is removed from `value`; NULL when there are no
 * more: then `value` has the bits without a name. `set` is advanced, and may be NULL.
 */
static inline const char *param_next_flag(const struct param_flag **set, uint64_t *value)
{
	for (; *set && (*set)->name && *value; (*set)++) {
		if (!(*set)->value || (*value & (*set)->value) != (*set)->value)
			continue;
		*value &= ~(uint64_t)(*set)->value;
		return (*set)++->name;
	}
	return NULL;
}

/* The flags of files without those that only share bits with others. */
uint64_t param_file_flags(uint64_t value);

/* The name of a value, or NULL. */
const char *param_enum_name(const struct param_flag *set, uint64_t value);

/*
 * What is known of each parameter of each event before any event comes: its form, the names of its
 * flags, the bytes of its key. Made in advance, so that no event needs a look-up by name.
 */

struct param_plan {
	const char *key; /* with BUF_CHUNK readable bytes */
	uint16_t key_len, separator_len; /* the key begins with what separates it from others */
	const struct param_flag *set; /* NULL: it has no flags */
	enum param_kind kind;
	bool fixed_size;
};

struct param_plans {
	struct arena arena; /* all plans */
	const struct param_plan *of[EVENT_ID_MAX]; /* by parameter; NULL: the event has none */
};

struct encoder;

/*
 * Keys are what the encoder writes as item() and key(). All that ask for the same key() share the
 * plans, which are kept to the end of the program. Returns 0 or -ENOMEM. Any thread may call it.
 */
int param_plans_get(const struct encoder *encoder, const struct param_plans **plans);

#endif
