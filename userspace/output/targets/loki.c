/* SPDX-License-Identifier: MIT */
/*
 * Grafana Loki: records are lines of streams, one for each priority; labels are few and the same
 * for a whole machine. The id and the type of a record are structured metadata.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/targets/http_body.h"
#include "output/targets/http.h"
#include "output/record.h"
#include "rules/rules.h"
#include "util/json.h"

enum { STATUS_BLOCKED = 260 }; /* a success in numbers alone: all was dropped */

struct loki {
	struct buf labels; /* owned; {"service_name":"lanner",... without its end */
};

static int loki_check(const struct output_config *config, struct error *err)
{
	const struct http_keys *keys = config->own;
	int r = http_pairs_check(&keys->labels, "label", err);

	return r ? r : http_check_json(config, err);
}

static void append_label(struct buf *labels, struct http_pair label)
{
	buf_append_char(labels, labels->len ? ',' : '{');
	json_append_string(labels, label.name, label.name_len);
	buf_append_char(labels, ':');
	json_append_string(labels, label.value, strlen(label.value));
}

static int loki_open_profile(struct http_target *target, struct url *url)
{
	const struct output_list *more = &target->keys->labels;
	struct loki *own = calloc(1, sizeof(*own));

	if (!own)
		return -ENOMEM;
	target->own = own;
	append_label(&own->labels, http_pair_of("service_name=lanner"));
	append_label(&own->labels, (struct http_pair){"host", strlen("host"), target->host});
	for (size_t i = 0; i < more->count; i++)
		append_label(&own->labels, http_pair_of(more->items[i]));
	return own->labels.failed ? -ENOMEM : 0;
}

static void loki_close_profile(struct http_target *target)
{
	struct loki *own = target->own;

	if (own)
		buf_finish(&own->labels);
	free(own);
}

/* The record is text in JSON here, which it has to be copied for. */
static void loki_append_value(struct buf *text, const struct http_target *target,
			      const struct output_batch *batch, const struct output_record *record)
{
	const char *type = http_record_type(record);
	size_t len = record->len;

	if (len && record->bytes[len - 1] == '\n')
		len--;
	BUF_LITERAL(text, "[\"");
	buf_append_u64(text, record->ts_ns);
	BUF_LITERAL(text, "\",");
	json_append_string(text, record->bytes, len);
	if (target->keys->metadata) {
		BUF_LITERAL(text, ",{\"id\":\"");
		record_id_append(text, batch, record);
		BUF_LITERAL(text, "\",\"type\":");
		json_append_string(text, type, strlen(type));
		buf_append_char(text, '}');
	}
	buf_append_char(text, ']');
}

static enum rules_priority priority_of(const struct output_record *record)
{
	return record->priority < PRIORITIES_COUNT ? (enum rules_priority)record->priority
						   : PRIORITY_DEBUG;
}

/* The stream of a priority, if there are records of it. Returns whether there are. */
static bool append_stream(struct http_target *target, const struct output_batch *batch,
			  enum rules_priority priority, bool is_first)
{
	const char *level = rules_priority_name(priority);
	struct buf *text = &target->body.text;
	const struct loki *own = target->own;
	bool begun = false;

	for (size_t i = 0; i < batch->count; i++) {
		if (priority_of(&batch->records[i]) != priority)
			continue;
		if (!begun) {
			buf_append(text, is_first ? "" : ",", is_first ? 0 : 1);
			BUF_LITERAL(text, "{\"stream\":");
			buf_append(text, own->labels.data, own->labels.len);
			BUF_LITERAL(text, ",\"level\":");
			json_append_string(text, level, strlen(level));
			BUF_LITERAL(text, "},\"values\":[");
		} else {
			buf_append_char(text, ',');
		}
		begun = true;
		loki_append_value(text, target, batch, &batch->records[i]);
	}
	if (begun)
		BUF_LITERAL(text, "]}");
	return begun;
}

static void loki_write_body(struct http_target *target, const struct output_batch *batch)
{
	struct buf *text = &target->body.text;
	bool is_first = true;

	BUF_LITERAL(text, "{\"streams\":[");
	for (unsigned int priority = 0; priority < PRIORITIES_COUNT; priority++)
		if (append_stream(target, batch, (enum rules_priority)priority, is_first))
			is_first = false;
	BUF_LITERAL(text, "]}");
}

static int loki_read_answer(struct http_target *target, struct output_batch *batch,
			    struct error *err)
{
	static const struct http_verdict blocked = {.result = OUTPUT_RETRY};

	if (target->answer.status != STATUS_BLOCKED)
		return http_read_status(target, batch, err);
	return http_apply(target, batch, &blocked, "the tenant's ingestion is blocked", err);
}

const struct http_profile http_profile_loki = {
	.path = "/loki/api/v1/push",
	.content_type = "Content-Type: application/json",
	.is_ordered = true,
	.scheme = "Bearer",
	.verdicts = HTTP_VERDICTS,
	.check = loki_check,
	.open = loki_open_profile,
	.close = loki_close_profile,
	.write = loki_write_body,
	.read = loki_read_answer,
};
