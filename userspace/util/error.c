/* SPDX-License-Identifier: MIT */
/* Error texts and errno names. */
#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/terminal.h"

int error_set(struct error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	terminal_mask_lines(err->text, strlen(err->text));
	return code;
}

const char *errno_name(int64_t result)
{
	/* The result of a corrupt event may have no negative: INT64_MIN. */
	uint64_t number = -(uint64_t)result;

	/*
	 * Codes for calls that the kernel restarts; only debuggers see them, and libc has no names.
	 */
	switch (number) {
	case 512:
		return "ERESTARTSYS";
	case 513:
		return "ERESTARTNOINTR";
	case 514:
		return "ERESTARTNOHAND";
	case 516:
		return "ERESTART_RESTARTBLOCK";
	}
	return number > 0 && number < 4096 ? strerrorname_np((int)number) : NULL;
}
