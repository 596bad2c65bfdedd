/* SPDX-License-Identifier: MIT */
/*
 * What a parameter of an event is, from the rows of driver/events/: its type, how values of the
 * type are stored, its flags and the kinds of a dynamic one.
 */
#ifndef EVENT_PARAM_H
#define EVENT_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types of parameters and fields: PT_INT8. */
enum param_type {
#define TYPE(name, ...) PT_##name,
#include "event/types.def"
	PT_TYPES_COUNT,
};

/*
 * What a value is for those who read it: a number, names of flags, a text, a list: PARAM_FLAGS. A
 * type implies one; a parameter may have another one, see sinsp/fields/param_form.h.
 */
enum param_kind {
#define FORM(name, ...) PARAM_##name,
#include "event/types.def"
	PARAM_FORMS_COUNT,
};

enum param_format { PF_NA, PF_DEC, PF_HEX, PF_OCT, PF_PADDED_DEC, PF_ID, PF_DIR };

/* Flags and enumeration values as events hold them: file_flags__O_CLOEXEC. */
enum param_flag_value {
#define FLAG_SET(set)
#define FLAG(set, name, value) set##__##name = value,
#define FLAG_SET_END(set)
#include "events/flags.def"
};

struct param_flag {
	const char *name; /* NULL ends a set */
	uint32_t value;
};

/* What a value of type DYN may be: its first byte is the index of one of these. */
struct param_dyn {
	enum param_type type;
	enum param_format format;
};

struct param_desc {
	const char *name;
	enum param_type type;
	enum param_format format;
	const struct param_flag *set; /* names of FLAGS and ENUMFLAGS, in the order of display */
	const struct param_dyn *dyn; /* the kinds of a DYN */
	uint8_t dyn_count;
	uint8_t base; /* FSRELPATH: index of the descriptor that the path starts from, plus 1 */
	uint8_t real; /* index, plus 1, of the parameter that has this path as the kernel found it
		       */
	uint8_t base_path; /* likewise that has the path of the directory that this one starts from,
			      if it is relative and `real` is absent because the call failed */
	bool extension; /* that the .scap format does not have, after those that it has */
	bool quiet; /* not in evt.args of text lines, which have it elsewhere */
	bool on_entry; /* another one as it was on entry, if it was changed during the call */
	bool is_result; /* of the system call, as the kernel returns it */
};

/* "file_flags" for the set of open's flags. For lists: a linear search. */
const char *param_set_name(const struct param_flag *set);

/* How the value of a type is stored. */
struct param_form {
	uint8_t size; /* bytes of a fixed-size type; 0 for the others */
	uint8_t number_size; /* bytes of one element of a list of numbers */
	bool is_signed; /* of a fixed-size type */
	bool is_string; /* ends with a NUL */
};

extern const struct param_form param_forms[PT_TYPES_COUNT];
extern const uint8_t param_kinds[PT_TYPES_COUNT]; /* enum param_kind */

/* Bytes of a fixed-size type, 0 for the others. */
static inline size_t param_type_size(enum param_type type)
{
	return param_forms[type].size;
}

/* Bytes of one element of a list of numbers, 0 for other types. */
static inline size_t param_type_number_size(enum param_type type)
{
	return param_forms[type].number_size;
}

/* True for fixed-size types that are signed. */
static inline bool param_type_is_signed(enum param_type type)
{
	return param_forms[type].is_signed;
}

/* What values of a type are, whatever the parameter. */
static inline enum param_kind param_type_kind(enum param_type type)
{
	return param_kinds[type];
}

#endif
