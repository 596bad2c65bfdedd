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

/* The target: returns 0; aborts or triggers a sanitizer on a finding. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with a message if `condition` is false: the input is a finding. */
#define REQUIRE(condition, ...)                                                                    \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fuzz_fail(__FILE__, __LINE__, #condition, __VA_ARGS__);                    \
	} while (0)

__attribute__((noreturn, format(printf, 4, 5))) void
fuzz_fail(const char *file, int line, const char *condition, const char *format, ...);

/* A copy followed by a NUL and no further byte, so that a read past it is detected. Free it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Requires a message and a position inside the text, both printable. */
void fuzz_check_error(const char *text, const struct filter_error *err);

/* Requires one valid JSON object. */
void fuzz_check_json(const struct buf *json);

/*
 * Applies some events, the same in each run, and calls `see` for each with the state after that
 * event.
 */
void fuzz_show_events(void (*see)(const struct state_event *event, void *context), void *context);

#endif
