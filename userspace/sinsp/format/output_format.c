/* SPDX-License-Identifier: MIT */
/* The table of formats, look-ups in it, and the format that prints nothing: to count events. */
#include "sinsp/format/output_format.h"

#include <stddef.h>
#include <string.h>

#include "util/count.h"

#define ADDRESS(name) &format_##name,

static const struct output_format *const formats[] = {OUTPUT_FORMATS(ADDRESS) NULL};
static const struct output_format *const of_outputs[] = {OUTPUT_FORMATS_OF_OUTPUTS(ADDRESS) NULL};

const struct output_format *output_format_get(unsigned int i)
{
	return i < COUNT(formats) ? formats[i] : NULL;
}

static const struct output_format *formats_find(const struct output_format *const *format,
						const char *name)
{
	for (; *format; format++)
		if (strcmp((*format)->name, name) == 0)
			return *format;
	return NULL;
}

const struct output_format *output_format_find(const char *name)
{
	return formats_find(formats, name);
}

const struct output_format *output_format_find_of_outputs(const char *name)
{
	return formats_find(of_outputs, name);
}

const struct output_format format_none = {
	.name = "none",
	.silent = true,
};
