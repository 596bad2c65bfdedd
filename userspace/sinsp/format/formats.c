/* SPDX-License-Identifier: MIT */
/* The table of formats, and look-ups in it. */
#include "sinsp/format/formats.h"

#include <stddef.h>
#include <string.h>

#define ADDRESS(name) &format_##name,

static const struct output_format *const formats[] = {OUTPUT_FORMATS(ADDRESS) NULL};

const struct output_format *output_format_get(unsigned int i)
{
	return i < sizeof(formats) / sizeof(formats[0]) ? formats[i] : NULL;
}

const struct output_format *output_format_find(const char *name)
{
	for (const struct output_format *const *format = formats; *format; format++)
		if (strcmp((*format)->name, name) == 0)
			return *format;
	return NULL;
}
