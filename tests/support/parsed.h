/* SPDX-License-Identifier: MIT */
/* Command lines as texts: what they mean, and what is said about wrong ones. */
#ifndef PARSED_TEST_H
#define PARSED_TEST_H

#include "agent/options/options.h"

/* Parses words that blanks separate. They stay where they are until the next call. */
int parse_line(const char *line, struct options *options, struct error *err);

/* Fails unless the command line is right. Release with options_finish(). */
void parse_right(const char *line, struct options *options);

/* Fails unless it is rejected with that message; NULL: with any. */
void expect_rejected(const char *line, const char *message);

#endif
