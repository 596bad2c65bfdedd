/* SPDX-License-Identifier: MIT */
/*
 * Elasticsearch and OpenSearch: the bulk API. Each record is created under its id, so that one that
 * arrives again is there already.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/json_input.h"
#include "net/url.h"
#include "output/targets/http.h"
#include "output/record.h"
#include "sinsp/fields/clock.h"
#include "util/json.h"

enum {
	INDEX_BYTES = 256, /* the limit of Elasticsearch */
	VALUES_OF_ITEM = 16, /* of JSON, in the answer, with an error and blanks */
	VALUES_OF_ANSWER = 64,
	STATUS_OK = 200,
	STATUS_CONFLICT = 409,
	STATUS_TOO_MANY = 429,
	STATUS_SERVER = 500,
	SECONDS_OF_HOUR = 3600,
};
#define NS_PER_S UINT64_C(1000000000)

/* Of the answer only this is needed: it is a hundred times shorter then. */
#define FILTER_PATH "errors,items.*.status,items.*.error.type,items.*.error.reason"

struct elasticsearch {
	const char *pattern; /* of the index, for strftime() */
	bool adds_time; /* records do not have @timestamp themselves */
	uint64_t hour; /* that `index` is of, since the epoch, + 1; 0: none */
	struct buf index; /* owned; as a string of JSON */
	struct clock utc;
};

/* Whether only %Y, %m, %d, %H and %% stand in it, and it is a name of an index. */
static bool is_pattern(const char *text)
{
	static const char forbidden[] = "\\/*?\"<>| ,#:";

	if (!*text || strlen(text) >= INDEX_BYTES || strchr("_-+.", *text))
		return false;
	for (; *text; text++) {
		if (strchr(forbidden, *text) || (*text >= 'A' && *text <= 'Z') || *text < ' ')
			return false;
		if (*text != '%')
			continue;
		text++;
		if (!*text || !strchr("YmdH%", *text))
			return false;
	}
	return true;
}

static int elasticsearch_check(const struct output_config *config, struct error *err)
{
	const struct http_keys *keys = config->own;

	if (keys->index && !is_pattern(keys->index))
		return error_set(err, -EINVAL,
				 "index: '%s' is no name of an index: lower case, without blanks, "
				 "and of conversions %%Y, %%m, %%d and %%H alone",
				 keys->index);
	return http_check_json(config, err);
}

static int elasticsearch_open_profile(struct http_target *target, struct url *url)
{
	struct elasticsearch *own = calloc(1, sizeof(*own));

	if (!own)
		return -ENOMEM;
	own->pattern = target->keys->index ? target->keys->index : "lanner";
	own->adds_time = strcmp(output_config_schema(target->config), "ecs") != 0;
	target->own = own;
	return url_add_query(url, "filter_path", FILTER_PATH);
}

static void elasticsearch_close_profile(struct http_target *target)
{
	struct elasticsearch *own = target->own;

	if (own)
		buf_finish(&own->index);
	free(own);
}

/* The index for a time, which changes by the hour at most. */
static void append_index(struct elasticsearch *own, uint64_t ts_ns, struct buf *text)
{
	uint64_t hour = ts_ns / NS_PER_S / SECONDS_OF_HOUR + 1;
	time_t seconds = (time_t)(ts_ns / NS_PER_S);
	char name[INDEX_BYTES * 2];
	struct tm parts;

	if (hour != own->hour) {
		gmtime_r(&seconds, &parts);
		buf_clear(&own->index);
		json_append_string(&own->index, name,
				   strftime(name, sizeof(name), own->pattern, &parts));
		own->hour = own->index.failed ? 0 : hour;
	}
	if (own->index.failed)
		buf_fail(text);
	buf_append(text, own->index.data, own->index.len);
}

static void append_action(struct http_target *target, const struct output_batch *batch,
			  const struct output_record *record)
{
	struct buf *text = &target->body.text;

	BUF_LITERAL(text, "{\"create\":{\"_index\":");
	append_index(target->own, record->ts_ns, text);
	BUF_LITERAL(text, ",\"_id\":\"");
	record_id_append(text, batch, record);
	BUF_LITERAL(text, "\"}}\n");
}

static void elasticsearch_write_body(struct http_target *target, const struct output_batch *batch)
{
	struct elasticsearch *own = target->own;
	struct http_body *body = &target->body;
	char time[CLOCK_RFC3339_BYTES];

	for (size_t i = 0; i < batch->count; i++) {
		const struct output_record *record = &batch->records[i];

		append_action(target, batch, record);
		if (!own->adds_time) {
			http_body_add(body, record->bytes, record->len);
			continue;
		}
		clock_rfc3339(&own->utc, record->ts_ns, time);
		BUF_LITERAL(&body->text, "{\"@timestamp\":\"");
		buf_append(&body->text, time, sizeof(time));
		buf_append_char(&body->text, '"');
		http_body_add_members(body, record->bytes, record->len);
	}
}

/* The reason of an item's error as text. */
static void elasticsearch_describe(const json_t *item, char text[HTTP_EXCERPT_BYTES])
{
	const char *type = JSON_INPUT_TEXT(item, "error", "type");
	const char *reason = JSON_INPUT_TEXT(item, "error", "reason");

	snprintf(text, HTTP_EXCERPT_BYTES, "%s: %s", type ? type : "error", reason ? reason : "");
}

/* What was counted in an answer. */
struct outcome {
	size_t rejected, retried;
	char reason[HTTP_EXCERPT_BYTES]; /* of the first that was rejected, else retried */
};

static void elasticsearch_read_item(struct http_target *target, struct output_batch *batch,
				    size_t i, const json_t *item, struct outcome *outcome)
{
	long status = (long)json_integer_value(JSON_INPUT_AT(item, "status"));
	bool retry = status < STATUS_OK || status == STATUS_TOO_MANY || status >= STATUS_SERVER;
	char reason[HTTP_EXCERPT_BYTES];

	/* A conflict: what has this id is there. */
	if ((status >= STATUS_OK && status < STATUS_OK + 100) || status == STATUS_CONFLICT) {
		batch->results[i] = OUTPUT_DELIVERED;
		return;
	}
	elasticsearch_describe(item, reason);
	if (retry ? !outcome->rejected && !outcome->retried : !outcome->rejected)
		memcpy(outcome->reason, reason, sizeof(reason));
	if (retry) {
		batch->results[i] = OUTPUT_RETRY;
		outcome->retried++;
	} else {
		http_reject(target, batch, i, status, reason);
		outcome->rejected++;
	}
}

/* Each item has one member, which is named as the action. */
static const json_t *inner(const json_t *item)
{
	return json_object_iter_value(json_object_iter((json_t *)item));
}

static int read_items(struct http_target *target, struct output_batch *batch, const json_t *answer,
		      struct error *err)
{
	const json_t *items = JSON_INPUT_AT(answer, "items");
	struct outcome outcome = {0};

	if (json_array_size(items) != batch->count) {
		batch->uncertain = true;
		return error_set(err, -EPROTO, "%s: the answer has %zu items for %zu records",
				 target->url, json_array_size(items), batch->count);
	}
	for (size_t i = 0; i < batch->count; i++)
		elasticsearch_read_item(target, batch, i, inner(json_array_get(items, i)),
					&outcome);
	if (outcome.rejected)
		return http_report_rejected(target, outcome.rejected, batch->count, outcome.reason,
					    err);
	if (outcome.retried)
		return error_set(err, -EAGAIN, "%s did not take %zu of %zu records: %s",
				 target->url, outcome.retried, batch->count, outcome.reason);
	return 0;
}

static int elasticsearch_read_answer(struct http_target *target, struct output_batch *batch,
				     struct error *err)
{
	const struct buf *body = &target->answer.body;
	json_t *answer;
	int r;

	if (target->answer.status != STATUS_OK)
		return http_read_status(target, batch, err);
	r = json_input_parse(body->data ? body->data : "", body->len,
			     VALUES_OF_ANSWER + batch->count * VALUES_OF_ITEM, target->url, &answer,
			     err);
	if (r) {
		batch->uncertain = true;
		return r;
	}
	if (json_is_false(JSON_INPUT_AT(answer, "errors")))
		output_batch_set(batch, OUTPUT_DELIVERED);
	else
		r = read_items(target, batch, answer, err);
	json_decref(answer);
	return r;
}

const struct http_profile http_profile_elasticsearch = {
	.path = "/_bulk",
	.content_type = "Content-Type: application/x-ndjson",
	.scheme = "ApiKey",
	.verdicts = HTTP_VERDICTS,
	.check = elasticsearch_check,
	.open = elasticsearch_open_profile,
	.close = elasticsearch_close_profile,
	.write = elasticsearch_write_body,
	.read = elasticsearch_read_answer,
};
