/* SPDX-License-Identifier: MIT */
/*
 * Transformers: their arguments, their result, and their function. One row each; expr/operand.c
 * checks arguments against it, operand_get() runs them.
 */
#ifndef SINSP_FILTER_TRANSFORM_H
#define SINSP_FILTER_TRANSFORM_H

#include "sinsp/filter/operand.h"

/* The type of the value of a field, a constant or a transformer. */
struct filter_shape {
	enum param_type type;
	bool list;
	uint16_t flags; /* of its fields */
};

struct filter_transformer {
	uint16_t args_min, args_max;
	bool selector; /* may be followed by one character in brackets */
	uint16_t scratch; /* registers needed after those of its arguments */
	filter_step_run *run;
	/* Determines the shape of the result; false: such arguments are not accepted. */
	bool (*shape)(const struct filter_shape *args, uint16_t nargs, bool selected,
		      struct filter_shape *result);
	const char *takes; /* for messages */
};

/* By enum filter_call_kind. */
extern const struct filter_transformer filter_transformers[FILTER_CALLS_COUNT];

/* Steps without a transformer name: a constant, a list of arguments, a number as text. */
filter_step_run filter_step_constant, filter_step_list, filter_step_text;

filter_step_run filter_step_getopt;

/* Whether a value of the type can be an element of a literal list. */
bool filter_has_text(enum param_type type);

#endif
