/* SPDX-License-Identifier: MIT */
/* Values of parameters in the form of strace, by their types. */
#ifndef TRACE_VALUES_H
#define TRACE_VALUES_H

#include <stdbool.h>

#include "sinsp/sinsp.h"
#include "trace/shape.h"
#include "trace/trace.h"
#include "util/buf.h"

/* A call that is printed; all borrowed. */
struct trace_call {
	const struct state_event *event;
	const struct trace_shape *shape;
	const struct trace_options *options;
	struct buf *out;
};

/* The result; false if the event has none. */
bool trace_values_result(const struct trace_call *call, int64_t *result);

/* Appends the value of a parameter by its type. */
void trace_values_append(const struct trace_call *call, unsigned int param);

/* Appends the number of a descriptor, and its name if the options ask for it. */
void trace_values_append_fd(const struct trace_call *call, int64_t num);

/* Appends names of flags, and what has no name as a number; `hidden`: bits that are no flags. */
void trace_values_append_flags(struct buf *out, const struct param_flag *set, uint64_t value,
			       uint64_t hidden);

/* Appends the name of a signal. */
void trace_values_append_signal(struct buf *out, uint64_t number);

/* The value of a parameter with a fixed size, not extended; 0 if it is absent. */
uint64_t trace_values_bits(const struct trace_call *call, unsigned int param);

#endif
