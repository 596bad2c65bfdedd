/* SPDX-License-Identifier: MIT */
/* The permissions of files as users give them. */
#ifndef OUTPUT_TARGETS_MODE_H
#define OUTPUT_TARGETS_MODE_H

#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>

#include "util/error.h"

/* Octal, as chmod(1) takes it. Returns 0 or -EINVAL with a message. */
static inline int file_mode_read(const char *text, mode_t *mode, struct error *err)
{
	char *end;
	unsigned long value = strtoul(text, &end, 8);

	if (text[0] < '0' || text[0] > '7' || *end || value > 0777)
		return error_set(err, -EINVAL, "mode: '%s' is not a file mode such as 640", text);
	*mode = (mode_t)value;
	return 0;
}

#endif
