/* SPDX-License-Identifier: MIT */
/* The values of the format text, for formats that contain some of them; and parts of it. */
#ifndef SINSP_FORMAT_TEXT_H
#define SINSP_FORMAT_TEXT_H

#include "sinsp/format/formatter_impl.h"

/* Writers for columns of any format; the first one for those whose values the second one writes. */
bool text_append_column(struct formatter *formatter, const struct format_column *column,
			const struct state_event *event, struct buf *out);
void text_append_value(struct formatter *formatter, const struct format_column *column,
		       const struct field_value *value, struct buf *out);

/* Appends the output of a rule, with what stands before it. */
void text_append_output(struct match_line *line, const struct state_event *event, struct buf *out);

/* Of struct format_records; in text_records.c. */
void text_append_drop(const struct format_drop *drop, struct buf *out);
void text_append_end(const struct format_end *end, struct buf *out);
void text_mark_redelivered(const struct schema *schema, const char *record, size_t len,
			   struct buf *out);

#endif
