/* SPDX-License-Identifier: MIT */
/* Parts of the format protobuf: ids, drop records, marks, rules. See struct output_format. */
#ifndef SINSP_FORMAT_PROTOBUF_RECORDS_H
#define SINSP_FORMAT_PROTOBUF_RECORDS_H

#include "sinsp/format/formatter.h"

int protobuf_id_column_init(struct formatter *formatter, struct format_column *column,
			    const char *stream);
void protobuf_append_drop(const struct format_drop *drop, struct buf *out);
void protobuf_mark_redelivered(const struct output_schema *schema, const char *record, size_t len,
			       struct buf *out);
void protobuf_append_match_head(const struct format_rule *rule, struct buf *head);
void protobuf_append_match(struct match_line *line, const struct sinsp_event *event,
			   struct formatter *fields, struct buf *out);

/* As visit_texts. */
void protobuf_visit_texts(char *record, size_t len,
			  void (*visit)(void *context, char *text, size_t len), void *context);

#endif
