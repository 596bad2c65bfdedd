/* SPDX-License-Identifier: MIT */
/* How expressions are interpreted, and who receives warnings about them. */
#ifndef SINSP_FILTER_OPTIONS_H
#define SINSP_FILTER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "sinsp/filter/error.h"

struct filter_options {
	bool exact_types; /* evt.type=open matches only open, not openat and openat2 */
	/*
	 * Called for each part of the expression that is accepted, but was probably not intended;
	 * NULL: no warnings.
	 */
	void (*warn)(void *context, const struct filter_error *warning);
	void *warn_context;
};

/* Reports to `warn`, if set, something that is accepted, but was probably not intended. */
__attribute__((format(printf, 4, 5))) void filter_warn(const struct filter_options *options,
						       const char *text, size_t position,
						       const char *format, ...);

#endif
