/* SPDX-License-Identifier: MIT */
/*
 * What the value of a parameter is for programs: numbers, names of flags, texts, lists; decided for
 * each parameter of each event before any event comes.
 */
#ifndef SINSP_VALUES_PARAM_FORM_H
#define SINSP_VALUES_PARAM_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "util/arena.h"
#include "util/buf.h"

/*
 * What the value of a parameter is for programs: numbers, names of flags, texts, lists. JSON and
 * protobuf have a writer for each form.
 */

enum param_kind {
	PARAM_SIGNED = 1,
	PARAM_UNSIGNED,
	PARAM_HEX,
	PARAM_OCTAL,
	PARAM_FLAGS,
	PARAM_FILE_FLAGS,
	PARAM_ENUM,
	PARAM_SYSCALL,
	PARAM_SIGNAL,
	PARAM_SIGNAL_SET,
	PARAM_DURATION,
	PARAM_TIME,
	PARAM_STRING,
	PARAM_BYTES,
	PARAM_LIST, /* of strings, each with its NUL */
	PARAM_NUMBERS_32,
	PARAM_NUMBERS_64,
	PARAM_BITS,
	PARAM_IP,
	PARAM_SOCKADDR,
	PARAM_SOCKTUPLE,
	PARAM_FD_LIST,
	PARAM_DYN, /* of any other form: see param_form_of_type() */
	PARAM_FORMS_COUNT,
};

/* The form of a parameter of an event, and the names of its flags (NULL: it has none). */
enum param_kind param_form_of(const struct event_desc *event, unsigned int index,
			      const struct flag_name **set);

/* The same of what a parameter of type DYN has: its type and format alone decide. */
enum param_kind param_form_of_type(enum param_type type, enum param_format format);

/*
 * The name of the next flag that is set, which is removed from `value`; NULL when there are no
 * more: then `value` has the bits without a name. `set` is advanced, and may be NULL.
 */
static inline const char *param_next_flag(const struct flag_name **set, uint64_t *value)
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
const char *param_enum_name(const struct flag_name *set, uint64_t value);

/*
 * What is known of each parameter of each event before any event comes: its form, the names of its
 * flags, the bytes of its key. Made in advance, so that no event needs a look-up by name.
 */

struct param_plan {
	const char *key; /* with BUF_CHUNK readable bytes */
	size_t key_len;
	const struct flag_name *set; /* NULL: it has no flags */
	enum param_kind kind;
	bool fixed_size;
};

struct param_plans {
	struct arena arena; /* all plans */
	const struct param_plan *of[EVENT_ID_MAX]; /* by parameter; NULL: the event has none */
};

/*
 * `append_key` writes the key of a name. All that ask with the same one share the plans, which are
 * kept to the end of the program. Returns 0 or -ENOMEM. Any thread may call it.
 */
int param_plans_get(void (*append_key)(struct buf *out, const char *name, size_t len),
		    const struct param_plans **plans);

#endif
