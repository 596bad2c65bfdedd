/* SPDX-License-Identifier: MIT */
/* The lines that a rule prints: its output, in the way of a format. */
#ifndef SINSP_FORMAT_MATCH_H
#define SINSP_FORMAT_MATCH_H

#include <stddef.h>

#include "sinsp/format/formatter.h"

struct format_rule {
	const char *name, *priority;
	const char *const *tags;
	size_t tags_count;
	const char *output; /* a format, printed also if values are missing */
	const struct schema *schema; /* of JSON; NULL: the native one */
};

struct match_line;

/*
 * Makes the line of a rule; a format that prints nothing checks the output all the same. The style
 * is copied; there are no colours. Returns 0, -EINVAL with `err` set, whose position is in the
 * output, or -ENOMEM.
 */
int match_line_create(const struct output_format *format, const struct format_rule *rule,
		      const struct text_style *style, struct match_line **line,
		      struct filter_error *err);
void match_line_destroy(struct match_line *line); /* accepts NULL */

/*
 * From now on hides secrets in arguments and environments, as formatter_set_hider(): outputs that
 * share a line may differ in this.
 */
void match_line_set_hider(struct match_line *line, const struct text_hider *hider);

/* The state that the line needs: enum field_needs bits. */
unsigned int match_line_needs(const struct match_line *line);

/*
 * Appends the line for an event, with the newline. fields: a formatter of the same format for
 * further fields of the event; NULL: none. If out of memory, `out` is unchanged except for its
 * `failed`.
 */
void match_line_append(struct match_line *line, const struct state_event *event,
		       struct formatter *fields, struct buf *out);

#endif
