/* SPDX-License-Identifier: MIT */
/* What tracepoints write: their fields, as tracefs describes them, and values of these. */
#ifndef PERF_TRACEPOINT_H
#define PERF_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/machine.h"
#include "util/buf.h"

enum perf_field_kind {
	PERF_FIELD_NUMBER, /* of 1, 2, 4 or 8 bytes */
	PERF_FIELD_ADDRESS, /* likewise: of a pointer, shown in base 16 */
	PERF_FIELD_TEXT, /* characters, up to a NUL if there is one */
	PERF_FIELD_NUMBERS, /* an array of numbers of `element` bytes */
};

struct perf_tracepoint_field {
	const char *name;
	enum perf_field_kind kind;
	uint32_t offset, bytes;
	uint8_t element; /* bytes of a number */
	bool is_signed;
	/*
	 * At the offset there are two numbers of 16 bits: where the value is, and its bytes; of
	 * `is_relative` behind that place.
	 */
	bool is_dynamic, is_relative;
};

struct perf_tracepoint {
	struct perf_tracepoint_field
		*fields; /* of an arena; in their order, without the common ones */
	size_t count;
};

enum { PERF_TRACEPOINT_FIELDS_MAX = 128, PERF_TRACEPOINT_FORMAT_BYTES_MAX = 1 << 16 };

/*
 * Parses the text of a file "format". What of it is not understood is left out. Returns 0; -EBADMSG
 * if it is no such text; -ENOMEM.
 */
int perf_tracepoint_parse(const char *text, struct arena *arena,
			  struct perf_tracepoint *tracepoint);

/* Reads that of "GROUP:NAME", which modifiers may stand behind. Returns 0 or -errno. */
int perf_tracepoint_read(const struct perf_machine *machine, const char *name, struct arena *arena,
			 struct perf_tracepoint *tracepoint);

/*
 * Appends the value of a field in the raw data of a sample: a number, a text as it is, "1,2,3".
 * Returns false, with nothing appended, if the data does not have it.
 */
bool perf_tracepoint_append(const struct perf_tracepoint_field *field, const uint8_t *raw,
			    size_t raw_bytes, struct buf *out);

#endif
