/* SPDX-License-Identifier: MIT */
/* Bytes, addresses and times as strace prints them. */
#ifndef TRACE_QUOTE_H
#define TRACE_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "util/buf.h"

enum trace_escapes { TRACE_ESCAPES_OCTAL, TRACE_ESCAPES_ALL_HEX };

/*
 * Appends bytes in quotes: at most `max` of them. An ellipsis follows if there were more, which
 * `total` says: the number of them that there were.
 */
void trace_quote_append(struct buf *out, const uint8_t *data, size_t len, size_t total, size_t max,
			enum trace_escapes escapes);

/* Appends a parameter of type SOCKADDR, or the far end of one of type SOCKTUPLE. */
void trace_quote_sockaddr(struct buf *out, const struct event_param *param);
void trace_quote_peer(struct buf *out, const struct event_param *param, bool is_source);

/* Appends a duration as the members of a timespec or, with `micros`, of a timeval. */
void trace_quote_time(struct buf *out, uint64_t ns, bool micros);

#endif
