/* SPDX-License-Identifier: MIT */
/* The table of formats. */
#ifndef SINSP_FORMAT_FORMATS_H
#define SINSP_FORMAT_FORMATS_H

#include "sinsp/format/output_format.h"

/* All formats, in the order of the help: the row of -o NAME is format_NAME, in NAME.c. */
#define OUTPUT_FORMATS(ROW)                                                                        \
	ROW(json)                                                                                  \
	ROW(text)                                                                                  \
	ROW(none)                                                                                  \
	ROW(markdown)

#define OUTPUT_FORMAT_DECLARE(name) extern const struct output_format format_##name;
OUTPUT_FORMATS(OUTPUT_FORMAT_DECLARE)
#undef OUTPUT_FORMAT_DECLARE

/* The format with this index, or NULL after the last one. */
const struct output_format *output_format_get(unsigned int i);

/* The format of this name, or NULL. */
const struct output_format *output_format_find(const char *name);

#endif
