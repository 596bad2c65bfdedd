/* SPDX-License-Identifier: MIT */
/*
 * The arguments and the result of a call in the form of strace. What needs more than its type says
 * is in special.c.
 */
#ifndef TRACE_ARGS_H
#define TRACE_ARGS_H

#include "trace/values.h"

/* Appends what stands between the brackets. */
void trace_args_append(const struct trace_call *call);

/* Appends what stands behind "= ". */
void trace_args_append_result(const struct trace_call *call);

#endif
