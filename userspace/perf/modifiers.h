/* SPDX-License-Identifier: MIT */
/* The letters behind an event: "u" in "page-faults:u". */
#ifndef PERF_MODIFIERS_H
#define PERF_MODIFIERS_H

#include "perf/parser.h"

struct perf_modifiers {
	unsigned int given; /* bits of the table */
	unsigned int precise; /* how many p */
	const char *place;
};

struct perf_modifier {
	char letter;
	const char *help;
};

/* For lists; the last one has no letter. */
extern const struct perf_modifier perf_modifiers[];

/* Reads letters, of which there must be one at least. Returns 0 or -EINVAL. */
int perf_modifiers_read(struct perf_parser *parser, struct perf_modifiers *modifiers);

/* Of the event itself: what it does not name is not wanted. Returns 0 or -EINVAL. */
int perf_modifiers_apply(struct perf_parser *parser, const struct perf_modifiers *modifiers,
			 struct perf_event *event);

/* Of the group around it: adds to those of the event. Returns 0 or -EINVAL. */
int perf_modifiers_apply_group(struct perf_parser *parser, const struct perf_modifiers *modifiers,
			       struct perf_event *event, bool is_leader);

#endif
