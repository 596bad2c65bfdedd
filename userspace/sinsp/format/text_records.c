/* SPDX-License-Identifier: MIT */
/*
 * Lines of text beside events:
 *   drop: 5 records, 120 to 124, 2026-11-21T11:36:01.0Z to ...: the queue was full (openat 3, close
 * 2)
 */
#include "sinsp/format/text.h"

static void append_time(struct buf *out, uint64_t ns)
{
	char text[CLOCK_RFC3339_BYTES];
	struct clock utc = {0};

	clock_rfc3339(&utc, ns, text);
	buf_append(out, text, sizeof(text));
}

static void append_types(struct buf *out, const struct format_drop *drop)
{
	for (size_t i = 0; i < drop->types_count; i++)
		buf_printf(out, "%s%s %llu", i ? ", " : " (", drop->types[i].name,
			   (unsigned long long)drop->types[i].count);
	if (drop->types_count)
		buf_append_char(out, ')');
}

void text_append_drop(const struct format_drop *drop, struct buf *out)
{
	size_t start = out->len;

	if (drop->count)
		buf_printf(out, "drop: %llu record%s", (unsigned long long)drop->count,
			   drop->count == 1 ? "" : "s");
	else
		buf_printf(out, "drop: an unknown number of records, after %llu",
			   (unsigned long long)drop->after);
	if (drop->from)
		buf_printf(out, ", %llu to %llu", (unsigned long long)drop->from,
			   (unsigned long long)drop->to);
	if (drop->first_ns && drop->last_ns) {
		BUF_LITERAL(out, ", ");
		append_time(out, drop->first_ns);
		BUF_LITERAL(out, " to ");
		append_time(out, drop->last_ns);
	}
	buf_printf(out, ": %s", drop->cause);
	append_types(out, drop);
	buf_append_char(out, '\n');
	if (out->failed)
		out->len = start;
}

void text_mark_redelivered(const struct output_schema *schema, const char *record, size_t len,
			   struct buf *out)
{
	size_t start = out->len;

	BUF_LITERAL(out, "redelivered: ");
	buf_append(out, record, len);
	if (out->failed)
		out->len = start;
}
