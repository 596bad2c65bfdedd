/* SPDX-License-Identifier: MIT */
/* Makes drop records of gaps. */
#ifndef OUTPUT_DELIVERY_DROPS_H
#define OUTPUT_DELIVERY_DROPS_H

#include <stdint.h>

#include "output/delivery/batch.h"
#include "output/delivery/gap.h"

struct output_format;
struct output_schema;
struct redact;

/* What the records of an output are. All borrowed. */
struct output_form {
	const struct output_format *format;
	const struct output_schema *schema; /* NULL: the native one */
	const char *stream; /* the id of the output's life */
	struct redact *redact; /* for the thread that takes blocks; NULL: secrets stay */
};

/*
 * Adds a drop record for each gap to a batch; those for which there is no memory are only counted.
 * last_number: of the record before them. The gaps stay as they are.
 */
void drops_add(const struct output_form *form, const struct gaps *gaps, uint64_t last_number,
	       struct batch *batch);

/* Appends a copy of a record with the mark that it may have arrived before. */
void drops_mark(const void *form, const struct output_record *record, struct buf *out);

#endif
