/* SPDX-License-Identifier: MIT */
/*
 * Which argument of its system call a parameter of an event is, and how many arguments there are:
 * read from what the rows of driver/events/ say that the driver takes it from.
 */
#ifndef TRACE_SHAPE_H
#define TRACE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"

enum { TRACE_ARGS_MAX = 6, TRACE_NO_ARG = -1 };

struct trace_shape {
	int8_t args[EVENT_PARAMS_MAX]; /* of each parameter: its argument, or TRACE_NO_ARG */
	bool members[EVENT_PARAMS_MAX]; /* it is a part of a structure that the argument points to
					 */
	bool given[EVENT_PARAMS_MAX]; /* by the call: it is read only if that succeeds */
	uint8_t nargs;
	int8_t result; /* the parameter with the result, or TRACE_NO_ARG */
	/*
	 * What stands for arguments of which the event has nothing, one letter each: '{' for a
	 * structure, '[' for a list, else anything.
	 */
	const char *missing;
	bool is_made;
};

/* Makes that of an event; it is not allocated. */
void trace_shape_make(const struct event_desc *desc, struct trace_shape *shape);

#endif
