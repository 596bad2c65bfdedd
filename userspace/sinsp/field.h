/* SPDX-License-Identifier: MIT */
/*
 * Fields: the words of filters and outputs. One row of the table each (fields_*.c); the filter
 * and the formatters know no field by name.
 */
#ifndef SINSP_FIELD_H
#define SINSP_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "sinsp/sinsp.h"

enum field_flags {
	FIELD_ARG_REQUIRED = 1 << 0,
	FIELD_ARG_ALLOWED = 1 << 1,
	FIELD_LIST = 1 << 2,	     /* gives several values */
	FIELD_FILTER_ONLY = 1 << 3,  /* cannot be printed */
	FIELD_NO_RHS = 1 << 4,	     /* cannot be a side of val() */
	FIELD_NO_TRANSFORMER = 1 << 5,
	FIELD_DEPRECATED = 1 << 6,
	FIELD_ANCESTORS = 1 << 7,    /* without argument: true if any ancestor satisfies a check */
	FIELD_EITHER_END = 1 << 8,   /* either end of a socket satisfies a check (fd.ip, fd.port) */
};

/* How the text in brackets or behind the name is read: field_ref.index, .name, or both. */
enum field_arg { FIELD_ARG_NONE, FIELD_ARG_INDEX, FIELD_ARG_KEY, FIELD_ARG_PARAM };

/* State that a field needs, and that costs hooks in the kernel. */
enum field_needs {
	NEEDS_NOTHING = 0,
	NEEDS_THREADS = 1 << 0, /* clone, exec, exit */
	NEEDS_FDS = 1 << 1,	/* everything that makes, copies or closes descriptors */
	NEEDS_CWD = 1 << 2,	/* chdir, fchdir */
};

/* A value that a getter gives. Bytes are borrowed until the next call for the same event. */
struct field_value {
	union {
		int64_t i64;  /* signed types */
		uint64_t u64; /* unsigned types; BOOL 0 or 1 */
		double f64;
		struct {
			const char *data; /* strings carry no NUL in len, but one stands behind */
			size_t len;
		} bytes;
		struct {
			uint8_t address[16];
			uint8_t len; /* 4 or 16 */
		} ip;
	};
};

struct field_desc;

/* A field as it stands in an expression, with its argument resolved. */
struct field_ref {
	const struct field_desc *desc;
	enum param_type type; /* that of the field, or of the parameter (evt.rawarg) */
	bool has_arg;
	int32_t index;	      /* FIELD_ARG_INDEX, and decimal PARAM arguments */
	char name[64];	      /* FIELD_ARG_KEY, and PARAM arguments by name */
	/* Parameter index by event id, -1 where the event has none; owned; FIELD_ARG_PARAM only. */
	int8_t *param_of_event;
};

enum { FIELD_VALUES_MAX = 64, FIELD_SCRATCH_BYTES = 65536 };

/* Memory for values that must be put together; one for each consumer, not one for each event. */
struct field_scratch {
	size_t used;
	char bytes[FIELD_SCRATCH_BYTES];
};

/*
 * Writes the values of a field (one, or up to FIELD_VALUES_MAX for lists) to `values` and returns
 * how many, or -1 when the field has no value for this event.
 */
typedef int field_getter(const struct sinsp_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values);

struct field_desc {
	const char *name;
	enum param_type type;
	enum param_format format;
	uint16_t flags;	 /* enum field_flags */
	uint8_t arg;	 /* enum field_arg */
	uint8_t needs;	 /* enum field_needs */
	field_getter *get;
	const char *help; /* one line */
};

/* All fields in the order in which classes are tried; ends with a row without name. */
extern const struct field_desc *const field_tables[];

/*
 * Resolves "proc.aname[2]", "evt.arg.fd": `text` of `len` bytes must be a whole field with its
 * argument. Returns 0, -ENOENT for an unknown field, or -EINVAL for an argument that is missing or
 * wrong, with a message. Release with field_ref_finish().
 */
int field_ref_init(struct field_ref *ref, const char *text, size_t len, struct error *err);
void field_ref_finish(struct field_ref *ref);

/* The known field name nearest to a text, for messages; NULL when none is near. */
const char *field_nearest(const char *text, size_t len);

static inline int field_get(const struct field_ref *ref, const struct sinsp_event *event,
			    struct field_scratch *scratch, struct field_value *values)
{
	return ref->desc->get(event, ref, scratch, values);
}

#endif
