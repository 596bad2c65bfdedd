/* SPDX-License-Identifier: MIT */
/*
 * LogRecords of OpenTelemetry, for the outputs that wrap them into ExportLogsServiceRequest; they
 * are no words of -o. What a record is:
 *   otlp-proto  the message LogRecord with its length before it, as a varint: a request has the tag
 *               of log_records (0x12) before each
 *   otlp-json   the object of a LogRecord, without a newline
 * Fields are attributes, named by the schema otel; evt.time, evt.type and evt.id are in the record
 * itself (time_unix_nano, event_name, the attribute log.record.uid). The body is a line of text:
 * the type of the event and its parameters, or the output of the rule.
 */
#ifndef SINSP_FORMAT_OTLP_H
#define SINSP_FORMAT_OTLP_H

#include "sinsp/format/formatter_impl.h"

struct otlp_severity {
	const char *text;
	unsigned int number;
};

/* That of events, of drop records, and of a priority of rules ("Warning"). */
extern const struct otlp_severity otlp_severity_event, otlp_severity_drop;
struct otlp_severity otlp_severity_of(const char *priority);

/* Prepares the bodies of events, which the column of the head has. Returns 0 or -ENOMEM. */
int otlp_init(struct formatter *formatter, struct format_column *head);

/* Composes the body of an event in formatter->text. If there is no memory for it `out` fails. */
const struct buf *otlp_body(struct formatter *formatter, const struct state_event *event,
			    struct buf *out);

/* Appends its name, lanner.TYPE. */
const struct buf *otlp_event_name(struct formatter *formatter, const struct state_event *event,
				  struct buf *out);

/*
 * Chooses the writer of a column and appends its key, and another one for what has the form
 * SCHEMA_FILE. Returns false if the value is not an attribute, but in the record itself.
 */
bool otlp_choose(struct formatter *formatter, struct format_column *column,
		 const struct format_token *token, struct buf *key, struct buf *elsewhere);

/* A format_column_writer of ids: the name of the column is the stream. */
bool otlp_write_id(struct formatter *formatter, const struct format_column *column,
		   const struct state_event *event, struct buf *out);

/* Keeps the stream as the name of the column of ids. Returns 0 or -ENOMEM. */
int otlp_keep_stream(struct formatter *formatter, struct format_column *column, const char *stream);

/* How a format writes attributes that are known outside of events. */
struct otlp_attributes {
	const struct encoder *encoder;
	/* Begins an attribute; what it returns is for the end, after the value. */
	size_t (*begin)(struct buf *out, const char *key);
	void (*end)(struct buf *out, size_t begin);
};

/* Append the attributes of a drop record, of an end record, and of a rule. */
void otlp_append_drop(const struct otlp_attributes *attributes, const struct format_drop *drop,
		      struct buf *out);
void otlp_append_end(const struct otlp_attributes *attributes, const struct format_end *end,
		     struct buf *out);
void otlp_append_rule(const struct otlp_attributes *attributes, const struct format_rule *rule,
		      struct buf *out);

/* Appends the mark of redelivery. */
void otlp_append_mark(const struct otlp_attributes *attributes, struct buf *out);

#endif
