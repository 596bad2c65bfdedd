/* SPDX-License-Identifier: MIT */
/* Names and classes of calls, as strace has them, and filters made of what -e says. */
#ifndef TRACE_CALLS_H
#define TRACE_CALLS_H

#include <stdbool.h>

#include "event/event.h"
#include "util/buf.h"
#include "util/error.h"

/* The name of the call of an event; of the generic event, that of its call. */
const char *trace_calls_name(const struct event *event);

/* Appends it; of a call that has none, its number: "syscall_0x1f4". */
void trace_calls_append_name(const struct event *event, struct buf *out);

/*
 * Appends a filter of the calls in a list: "openat,%file,/regex,!read". "all" and "none" are lists,
 * too. Returns 0, or -EINVAL with a message.
 */
int trace_calls_append_filter(const char *list, struct buf *out, struct error *err);

/* Appends one of calls with the results in a list of -e status=. Returns 0, or -EINVAL with a
 * message. */
int trace_calls_append_status(const char *list, struct buf *out, struct error *err);

/* Appends one of signals, "SIGCHLD,int,!17"; *none: the list is "none". Returns 0 or -EINVAL. */
int trace_calls_append_signals(const char *list, bool *none, struct buf *out, struct error *err);

/* Appends a text as an operand of a filter, in quotes. */
void trace_calls_append_operand(const char *text, struct buf *out);

#endif
