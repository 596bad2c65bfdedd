/* SPDX-License-Identifier: MIT */
/*
 * What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput(); it is linked
 * with libFuzzer, or with replay.c, which runs it over files.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "sinsp/filter/filter.h"
#include "sinsp/state/engine.h"
#include "util/buf.h"

/* The target: returns 0, and aborts or trips a sanitizer when it finds something. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with a message when `condition` does not hold: the input is a finding. */
#define REQUIRE(condition, ...)                                                                    \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fuzz_fail(__FILE__, __LINE__, #condition, __VA_ARGS__);                    \
	} while (0)

__attribute__((noreturn, format(printf, 4, 5))) void
fuzz_fail(const char *file, int line, const char *condition, const char *format, ...);

/* A copy with a NUL behind it and no byte more, so that reading on is noticed. Free it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Requires a message, a place inside the text, and that both can be shown. */
void fuzz_check_error(const char *text, const struct filter_error *err);

/* Requires one JSON object that every reader takes. */
void fuzz_check_json(const struct buf *json);

/*
 * Has some events happen, the same ones in each run, and shows each to `see` with the state as it
 * is after that event.
 */
void fuzz_show_events(void (*see)(const struct sinsp_event *event, void *context), void *context);

#endif
