/* SPDX-License-Identifier: MIT */
/* The unit of a field's numbers: by its row, its type, or the name of its parameter. */
#include <string.h>

#include "sinsp/fields/field.h"

/* The event table has no units, but integers with these names are sizes. */
static const struct {
	const char *name;
	enum field_unit unit;
} params[] = {
	{"aio_nbytes", FIELD_UNIT_BYTES},   {"aio_offset", FIELD_UNIT_BYTES},
	{"bufsize", FIELD_UNIT_BYTES},	    {"cmdline_len", FIELD_UNIT_BYTES},
	{"handle_bytes", FIELD_UNIT_BYTES}, {"len", FIELD_UNIT_BYTES},
	{"length", FIELD_UNIT_BYTES},	    {"msg_len", FIELD_UNIT_BYTES},
	{"nbytes", FIELD_UNIT_BYTES},	    {"new_size", FIELD_UNIT_BYTES},
	{"offin", FIELD_UNIT_BYTES},	    {"offout", FIELD_UNIT_BYTES},
	{"offset", FIELD_UNIT_BYTES},	    {"old_size", FIELD_UNIT_BYTES},
	{"optlen", FIELD_UNIT_BYTES},	    {"pos", FIELD_UNIT_BYTES},
	{"res", FIELD_UNIT_BYTES},	    {"size", FIELD_UNIT_BYTES},
	{"stx_size", FIELD_UNIT_BYTES},	    {"vm_rss", FIELD_UNIT_KIB},
	{"vm_size", FIELD_UNIT_KIB},	    {"vm_swap", FIELD_UNIT_KIB},
};

static enum field_unit unit_of_param(const char *name)
{
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++)
		if (strcmp(params[i].name, name) == 0)
			return params[i].unit;
	return FIELD_UNIT_NONE;
}

enum field_unit field_unit(const struct field_ref *ref)
{
	if (ref->desc->unit)
		return ref->desc->unit;
	if (ref->desc->flags & FIELD_WITHIN_MS)
		return FIELD_UNIT_MS;
	if (ref->type == PT_RELTIME || ref->type == PT_ABSTIME)
		return FIELD_UNIT_NS;
	return ref->desc->type == PT_DYN ? unit_of_param(ref->name) : FIELD_UNIT_NONE;
}
