/* SPDX-License-Identifier: MIT */
/* How a perf.data ends: what was read before is given out, then the reason is said. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "scap/recorded/reader_impl.h"

int recorded_end_with(struct recorded_reader *reader, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->problem, sizeof(reader->problem), format, args);
	va_end(args);
	/* What was read before is given out. */
	recorded_order_end(&reader->order);
	reader->code = code;
	return code;
}

int recorded_end_out_of_memory(struct recorded_reader *reader)
{
	return recorded_end_with(reader, -ENOMEM, "out of memory");
}
