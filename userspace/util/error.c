/* SPDX-License-Identifier: MIT */
/* Error texts and errno names. */
#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return code;
}

const char *errno_name(int64_t result)
{
	/* A damaged event may have a result that no signed number is the negative of. */
	uint64_t number = -(uint64_t)result;

	/* The kernel gives these to programs that a debugger restarts; libc does not know them. */
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
