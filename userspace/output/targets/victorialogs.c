/* SPDX-License-Identifier: MIT */
/*
 * VictoriaLogs: lines of JSON, each with its time, a message, and what makes a stream: the machine
 * and the user's labels.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net/url.h"
#include "output/targets/http_body.h"
#include "output/targets/http.h"
#include "sinsp/fields/clock.h"
#include "util/json.h"

struct victorialogs {
	struct buf members; /* owned; ,"host":... of all records */
	struct clock utc;
};

static int victorialogs_check(const struct output_config *config, struct error *err)
{
	const struct http_keys *keys = config->own;
	int r = http_pairs_check(&keys->labels, "label", err);

	return r ? r : http_check_json(config, err);
}

/* A field of streams: its name among the others, and with its value for each record. */
static void victorialogs_add_field(struct victorialogs *own, struct http_pair field,
				   struct buf *names)
{
	if (names->len)
		buf_append_char(names, ',');
	buf_append(names, field.name, field.name_len);
	buf_append_char(&own->members, ',');
	json_append_string(&own->members, field.name, field.name_len);
	buf_append_char(&own->members, ':');
	json_append_string(&own->members, field.value, strlen(field.value));
}

static int victorialogs_add_fields(struct http_target *target, struct url *url)
{
	const struct output_list *labels = &target->keys->labels;
	struct victorialogs *own = target->own;
	struct buf names = {0};
	int r = -ENOMEM;

	victorialogs_add_field(own, http_pair_of("service=lanner"), &names);
	victorialogs_add_field(own, (struct http_pair){"host", strlen("host"), target->host},
			       &names);
	for (size_t i = 0; i < labels->count; i++)
		victorialogs_add_field(own, http_pair_of(labels->items[i]), &names);
	buf_append_char(&names, '\0');
	if (!names.failed && !own->members.failed)
		r = url_add_query(url, "_stream_fields", names.data);
	buf_finish(&names);
	return r;
}

static int victorialogs_open_profile(struct http_target *target, struct url *url)
{
	int r;

	target->own = calloc(1, sizeof(struct victorialogs));
	if (!target->own)
		return -ENOMEM;
	r = victorialogs_add_fields(target, url);
	if (r == 0)
		r = url_add_query(url, "_time_field", "_time");
	return r ? r : url_add_query(url, "_msg_field", "_msg");
}

static void victorialogs_close_profile(struct http_target *target)
{
	struct victorialogs *own = target->own;

	if (own)
		buf_finish(&own->members);
	free(own);
}

static void victorialogs_write_body(struct http_target *target, const struct output_batch *batch)
{
	struct victorialogs *own = target->own;
	struct buf *text = &target->body.text;
	char time[CLOCK_RFC3339_BYTES];

	for (size_t i = 0; i < batch->count; i++) {
		const struct output_record *record = &batch->records[i];
		const char *type = http_record_type(record);

		clock_rfc3339(&own->utc, record->ts_ns, time);
		BUF_LITERAL(text, "{\"_time\":\"");
		buf_append(text, time, sizeof(time));
		BUF_LITERAL(text, "\",\"_msg\":");
		json_append_string(text, type, strlen(type));
		buf_append(text, own->members.data, own->members.len);
		http_body_add_members(&target->body, record->bytes, record->len);
	}
}

const struct http_profile http_profile_victorialogs = {
	.path = "/insert/jsonline",
	.content_type = "Content-Type: application/stream+json",
	.scheme = "Bearer",
	.verdicts = HTTP_VERDICTS,
	.check = victorialogs_check,
	.open = victorialogs_open_profile,
	.close = victorialogs_close_profile,
	.write = victorialogs_write_body,
};
