/* SPDX-License-Identifier: MIT */
/* Headers of syslog messages, and what is cut off. */
#include "output/targets/syslog_message.h"

#include <string.h>

#include "event/event.h"
#include "output/record_id.h"

enum {
	NS_PER_S = 1000000000,
	NS_PER_US = 1000,
	MSGID_MAX = 32,
	SEQUENCE_MAX = 2147483647,
	SEVERITIES = 8,
	TIME_BYTES = 32,
	UTF8_MAX = 4,
};

const char *const SYSLOG_FACILITIES[] = {
	"kern",	  "user",     "mail",	"daemon", "auth",   "syslog", "lpr",   "news",	 "uucp",
	"cron",	  "authpriv", "ftp",	"ntp",	  "audit",  "alert",  "clock", "local0", "local1",
	"local2", "local3",   "local4", "local5", "local6", "local7", NULL,
};

void syslog_format_finish(struct syslog_format *format)
{
	buf_finish(&format->second_text);
}

bool syslog_is_name(const char *text, size_t max)
{
	size_t len = 0;

	for (; text[len]; len++)
		if (text[len] < '!' || text[len] > '~')
			return false;
	return len > 0 && len <= max;
}

bool syslog_is_sd_id(const char *text)
{
	return syslog_is_name(text, SYSLOG_SD_ID_MAX) && !strpbrk(text, "=]\"");
}

/* The time up to the second; records follow each other in the same one. */
static void append_second(struct syslog_format *format, uint64_t ns, struct buf *out)
{
	time_t second = (time_t)(ns / NS_PER_S);
	char text[TIME_BYTES];
	struct tm parts;

	if (second != format->second || format->second_text.len == 0) {
		const char *form = format->local ? "%b %e %H:%M:%S" : "%Y-%m-%dT%H:%M:%S";

		format->local ? localtime_r(&second, &parts) : gmtime_r(&second, &parts);
		strftime(text, sizeof(text), form, &parts);
		buf_clear(&format->second_text);
		buf_append_string(&format->second_text, text);
		format->second = second;
	}
	buf_append(out, format->second_text.data, format->second_text.len);
}

static void append_priority(const struct syslog_format *format, const struct output_record *record,
			    struct buf *out)
{
	buf_append_char(out, '<');
	buf_append_u64(out, format->facility * SEVERITIES + record->priority % SEVERITIES);
	buf_append_char(out, '>');
}

static void append_local_header(struct syslog_format *format, const struct output_record *record,
				struct buf *out)
{
	append_priority(format, record, out);
	append_second(format, record->ts_ns, out);
	buf_append_char(out, ' ');
	buf_append_string(out, format->app);
	buf_append_char(out, '[');
	buf_append_u64(out, (uint64_t)format->pid);
	BUF_LITERAL(out, "]: ");
}

/* The type of the event, which has only characters that are allowed. */
static void append_msgid(const struct output_record *record, struct buf *out)
{
	const struct event_desc *desc = event_desc_get(record->event);
	const char *name = record->flags & RECORD_IS_DROP ? "drop" : desc ? desc->name : "-";

	buf_append(out, name, strnlen(name, MSGID_MAX));
}

/* Elements of structured data, which find gaps and duplicates without a look at the message. */
static void append_structured_data(const struct syslog_format *format,
				   const struct output_batch *batch,
				   const struct output_record *record, struct buf *out)
{
	if (!(record->flags & RECORD_IS_DROP)) {
		BUF_LITERAL(out, "[meta sequenceId=\"");
		buf_append_u64(out, (record->number - 1) % SEQUENCE_MAX + 1);
		BUF_LITERAL(out, "\"]");
	}
	buf_append_char(out, '[');
	buf_append_string(out, format->sd_id);
	BUF_LITERAL(out, " id=\"");
	record_id_append(out, batch, record);
	buf_append_char(out, '"');
	if (record->flags & RECORD_REDELIVERED)
		BUF_LITERAL(out, " redelivered=\"1\"");
	buf_append_char(out, ']');
}

static void append_header(struct syslog_format *format, const struct output_batch *batch,
			  const struct output_record *record, struct buf *out)
{
	append_priority(format, record, out);
	BUF_LITERAL(out, "1 ");
	append_second(format, record->ts_ns, out);
	buf_append_char(out, '.');
	buf_append_padded(out, record->ts_ns % NS_PER_S / NS_PER_US, 6);
	BUF_LITERAL(out, "Z ");
	buf_append_string(out, format->host);
	buf_append_char(out, ' ');
	buf_append_string(out, format->app);
	buf_append_char(out, ' ');
	buf_append_u64(out, (uint64_t)format->pid);
	buf_append_char(out, ' ');
	append_msgid(record, out);
	buf_append_char(out, ' ');
	append_structured_data(format, batch, record, out);
	buf_append_char(out, ' ');
}

/* At most `len` bytes of a text, without a part of a character at the end. */
static size_t whole_characters(const char *text, size_t len)
{
	size_t end = len;

	while (end > 0 && len - end < UTF8_MAX && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	return end;
}

static void truncate_body(struct syslog_format *format, struct message *message)
{
	size_t space =
		format->bytes_max > message->head.len ? format->bytes_max - message->head.len : 0;
	size_t whole = message->body_len;

	if (whole <= space)
		return;
	buf_printf(&message->tail, " [truncated: %zu bytes in all]", whole);
	space = space > message->tail.len ? space - message->tail.len : 0;
	message->body_len = whole_characters(message->body, space);
}

void syslog_message_make(void *context, const struct output_batch *batch,
			 const struct output_record *record, struct message *message)
{
	struct syslog_format *format = context;

	if (format->local)
		append_local_header(format, record, &message->head);
	else
		append_header(format, batch, record, &message->head);
	truncate_body(format, message);
}
