/* SPDX-License-Identifier: MIT */
/* How expressions are understood, and who gets warnings about them. */
#ifndef SINSP_EXPR_OPTIONS_H
#define SINSP_EXPR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "sinsp/expr/error.h"

struct filter_options {
	bool exact_types; /* evt.type=open matches open alone, not openat and openat2 */
	/*
	 * Called for everything in the expression that is accepted, but was probably not intended
	 * like that; NULL: nobody wants to know.
	 */
	void (*warn)(void *context, const struct filter_error *warning);
	void *warn_context;
};

/* Tells those who asked for warnings that something is accepted, but was probably not intended. */
__attribute__((format(printf, 4, 5))) void filter_warn(const struct filter_options *options,
						       const char *text, size_t position,
						       const char *format, ...);

#endif
