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
	ROW(protobuf)                                                                              \
	ROW(markdown)

/* Those of kinds of outputs that name them, by the names in their rows: no words of -o. */
#define OUTPUT_FORMATS_OF_OUTPUTS(ROW)                                                             \
	ROW(otlp_proto)                                                                            \
	ROW(otlp_json)

#define OUTPUT_FORMAT_DECLARE(name) extern const struct output_format format_##name;
OUTPUT_FORMATS(OUTPUT_FORMAT_DECLARE)
OUTPUT_FORMATS_OF_OUTPUTS(OUTPUT_FORMAT_DECLARE)
#undef OUTPUT_FORMAT_DECLARE

/* The format of -o with this index, or NULL after the last one. */
const struct output_format *output_format_get(unsigned int i);

/* The format of -o of this name, or NULL; and that of outputs alone. */
const struct output_format *output_format_find(const char *name);
const struct output_format *output_format_find_of_outputs(const char *name);

#endif
