/* SPDX-License-Identifier: MIT */
/* What formats print for the event of a world. */
#ifndef TESTS_FORMATTED_H
#define TESTS_FORMATTED_H

#include "sinsp/format/formatter.h"
#include "world.h"

/*
 * Fixtures for cmocka, with a struct drive as the state; their end is world_teardown(). The first
 * has an open of /tmp/a that failed, by process 100, "cat -n -o out" in /home/user.
 */
int formatted_setup(void **state);

/*
 * The other has names and data that a terminal must not get: formatted_write() of six bytes by
 * process 100, "c\x1b[1mt", to descriptor 5, "/tmp/\n\x1b[1m". Times are in UTC.
 */
int formatted_setup_write(void **state);
void formatted_write(struct drive *world, int64_t result, const char *data, size_t len);

/* A formatter, which the caller destroys; the test fails if the format is wrong. */
struct formatter *formatted_create(const struct output_format *output, const char *format,
				   const struct text_style *style);

/* Fails unless it prints that line, given without its end. */
void formatted_expect_line(struct drive *world, struct formatter *formatter, const char *line);

/* The same of a format that is used once. */
void formatted_expect_text(struct drive *world, const char *format, const char *line);
void formatted_expect_json(struct drive *world, const char *format, const char *line);
void formatted_expect_style(struct drive *world, struct text_style style, const char *format,
			    const char *line);

/* Fails unless nothing at all is printed. */
void formatted_expect_nothing(struct drive *world, const struct output_format *output,
			      const char *format);

#endif
