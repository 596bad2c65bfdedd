/* SPDX-License-Identifier: MIT */
/* Parts of the format protobuf: how columns, ids, drop records, marks and rules are written. */
#ifndef SINSP_FORMAT_PROTOBUF_H
#define SINSP_FORMAT_PROTOBUF_H

#include "sinsp/format/formatter_impl.h"
#include "util/proto.h"

/* Shared by the formats of protobuf: how columns are written. */

/*
 * Keeps what stands before the values of a column: the tag of a message `field` of which each has a
 * key (1) and a value (2), and the key. All maps, and the attributes of OpenTelemetry, are such
 * messages. Returns 0 or -ENOMEM.
 */
int protobuf_keep_entry(struct formatter *formatter, struct format_column *column, uint32_t field,
			const struct buf *key, struct filter_text *before);

/* As `append` of struct format_events. Missing values are left out. */
bool protobuf_append_columns(struct formatter *formatter, const struct format_span *span,
			     const struct state_event *event, struct buf *out);

/* Prepares a column with the text STREAM-NUMBER: as id_column_init of struct format_records. */
int protobuf_id_init(struct formatter *formatter, struct format_column *column, uint32_t field,
		     const char *stream);

/* Appends a field that is a text, or a number other than 0. */
void protobuf_append_text(struct buf *out, uint32_t field, const char *text);
void protobuf_append_number(struct buf *out, uint32_t field, uint64_t number);
void protobuf_append_fixed(struct buf *out, uint32_t field, uint64_t number);

/* Parts of the format protobuf: ids, drop records, marks, rules. See struct output_format. */

int protobuf_id_column_init(struct formatter *formatter, struct format_column *column,
			    const char *stream);
void protobuf_append_drop(const struct format_drop *drop, struct buf *out);
void protobuf_append_end(const struct format_end *end, struct buf *out);
void protobuf_mark_redelivered(const struct schema *schema, const char *record, size_t len,
			       struct buf *out);
void protobuf_append_match_head(const struct format_rule *rule, struct buf *head);
void protobuf_append_match(struct match_line *line, const struct state_event *event,
			   struct formatter *fields, struct buf *out);

/* As visit_texts. */
void protobuf_visit_texts(char *record, size_t len,
			  void (*visit)(void *context, char *text, size_t len), void *context);

#endif
