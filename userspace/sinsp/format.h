/* SPDX-License-Identifier: MIT */
/* Events to lines, by a list of fields. */
#ifndef SINSP_FORMAT_H
#define SINSP_FORMAT_H

#include <stddef.h>

#include "sinsp/sinsp.h"
#include "util/buf.h"
#include "util/error.h"

enum formatter_kind {
	/*
	 * One JSON object a line; keys are the fields as they were given, in their order. A field
	 * without value is left out. evt.time is RFC 3339 in UTC, evt.args an object of parameters,
	 * evt.arg.NAME and evt.rawarg.NAME are values of their own type; numbers beyond 2^53 are
	 * strings.
	 */
	FORMATTER_JSON,
	/*
	 * Values with a blank between them, a missing one as <NA>. A field in the list may stand in
	 * round brackets, which are printed.
	 */
	FORMATTER_TEXT,
};

struct formatter;

/*
 * Makes a formatter of `n` fields; NULL and 0: the default list of the kind. Returns 0, or -errno
 * with a message.
 */
int formatter_create(enum formatter_kind kind, const char *const *fields, size_t n,
		     struct formatter **formatter, struct error *err);
void formatter_destroy(struct formatter *formatter);

/* Appends one line. Without memory for it `out` is as before, but for its `failed`. */
void formatter_write(struct formatter *formatter, const struct sinsp_event *event, struct buf *out);

/* The state that the fields need: enum field_needs bits. */
unsigned int formatter_needs(const struct formatter *formatter);

#endif
