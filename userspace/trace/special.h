/* SPDX-License-Identifier: MIT */
/* Parameters that strace prints in a form of their own. */
#ifndef TRACE_SPECIAL_H
#define TRACE_SPECIAL_H

#include "trace/values.h"

/* Appends a parameter of that kind. Returns false if it is as its type says. */
bool trace_special_append(const struct trace_call *call, unsigned int param);

/* Appends an argument of several parameters that say together what it is; else returns false. */
bool trace_special_append_whole(const struct trace_call *call, unsigned int arg);

/* Appends an argument of which the event has no parameter, but what stands there is known. */
bool trace_special_append_missing(const struct trace_call *call, unsigned int arg);

/* How many arguments the call has, if that depends on them; else those of its shape. */
unsigned int trace_special_count(const struct trace_call *call);

/* The name of a member of a structure. */
const char *trace_special_member(const struct trace_call *call, unsigned int param);

/* Appends a result that is no error. Returns false if it is a plain number. */
bool trace_special_append_result(const struct trace_call *call, int64_t result);

/* Appends what the call gave, behind its result: flags of fcntl, descriptors of poll. */
void trace_special_append_given(const struct trace_call *call, int64_t result);

#endif
