/* SPDX-License-Identifier: MIT */
/*
 * The formats of tracepoints as perf.data has them: made from tracefs, and read from the bytes of a
 * file.
 */
#ifndef PERF_DATA_TRACING_H
#define PERF_DATA_TRACING_H

#include "perf/machine.h"
#include "util/buf.h"

/* Appends those of tracepoints "GROUP:NAME", which modifiers may stand behind. Returns 0 or -errno.
 */
int perf_tracing_append(const struct perf_machine *machine, const char *const *names, size_t count,
			struct buf *out);

/*
 * Finds the format of a tracepoint by its number. Returns 1, with the text, which is no string: it
 * is in the bytes, and so is the name of its group, which is one; 0: there is none; -EBADMSG.
 */
int perf_tracing_find(const void *bytes, size_t len, uint64_t number, const char **group,
		      const char **format, size_t *format_len);

#endif
