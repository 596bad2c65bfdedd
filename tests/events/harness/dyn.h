/* SPDX-License-Identifier: MIT */
/* Comparisons of values of type DYN: the index of their kind, then the value. */
#ifndef TESTS_DYN_H
#define TESTS_DYN_H

#include <string.h>

#include "harness/live.h"

enum { DYN_BYTES_MAX = 8192 };

#define expect_dyn_bytes(ev, param, kind, value, len)                                              \
	dyn_expect(__FILE__, __LINE__, ev, param, kind, value, len)

/* A value of that type, with the width that it has in the event. */
#define expect_dyn(ev, param, kind, type, value)                                                   \
	expect_dyn_bytes(ev, param, kind, &(type){(type)(value)}, sizeof(type))

#define expect_dyn_string(ev, param, kind, text)                                                   \
	expect_dyn_bytes(ev, param, kind, text, strlen(text) + 1)

static inline void dyn_expect(const char *file, int line, const struct event *ev,
			      unsigned int param, uint8_t kind, const void *value, size_t len)
{
	uint8_t bytes[DYN_BYTES_MAX] = {kind};

	memcpy(bytes + 1, value, len);
	live_expect_bytes(file, line, ev, param, bytes, 1 + len);
}

#endif
