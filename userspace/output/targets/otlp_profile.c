/* SPDX-License-Identifier: MIT */
/*
 * OpenTelemetry's protocol: each record is a LogRecord, made by the format; a request has all of a
 * batch in one resource and one scope. In protobuf a record begins with its length, so that only
 * its tag is missing.
 */
#include "output/targets/otlp_profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "meta/json_input.h"
#include "output/targets/otlp_answer.pb-c.h"
#include "output/targets/otlp_resource.h"
#include "output/targets/http_profile.h"
#include "util/json.h"
#include "util/protobuf.h"
#include "util/version.h"

/* Numbers of fields in opentelemetry/proto/logs/v1 and collector/logs/v1. */
enum {
	REQUEST_RESOURCE_LOGS = 1,
	RESOURCE_LOGS_RESOURCE = 1,
	RESOURCE_LOGS_SCOPE_LOGS = 2,
	SCOPE_LOGS_SCOPE = 1,
	SCOPE_LOGS_RECORDS = 2,
	SCOPE_NAME = 1,
	SCOPE_VERSION = 2,
};

enum { RECORD_TAG_BYTES = 1, ANSWER_VALUES = 1000 };

struct otlp {
	struct buf resource,
		scope; /* owned; with their tags, or in JSON with what is around them */
};

/* The statuses to try again for are few and fixed; all others mean never. */
static const struct http_verdict verdicts[] = {
	{200, 299, OUTPUT_DELIVERED},
	{300, 399, OUTPUT_RETRY},
	{413, 413, OUTPUT_RETRY, .too_large = true},
	{429, 429, OUTPUT_RETRY},
	{502, 502, OUTPUT_RETRY, .uncertain = true},
	{503, 503, OUTPUT_RETRY},
	{504, 504, OUTPUT_RETRY, .uncertain = true},
	{400, 599, OUTPUT_REJECTED},
	{0},
};

static void write_parts_proto(struct otlp *own, const struct otlp_resource *resource)
{
	size_t begin;

	proto_tag(&own->resource, RESOURCE_LOGS_RESOURCE, PROTO_BYTES);
	begin = proto_begin(&own->resource);
	otlp_resource_append_proto(resource, &own->resource);
	proto_end(&own->resource, begin);
	proto_tag(&own->scope, SCOPE_LOGS_SCOPE, PROTO_BYTES);
	begin = proto_begin(&own->scope);
	proto_tag(&own->scope, SCOPE_NAME, PROTO_BYTES);
	proto_bytes(&own->scope, "lanner", strlen("lanner"));
	proto_tag(&own->scope, SCOPE_VERSION, PROTO_BYTES);
	proto_bytes(&own->scope, LANNER_VERSION, strlen(LANNER_VERSION));
	proto_end(&own->scope, begin);
}

static void write_parts_json(struct otlp *own, const struct otlp_resource *resource)
{
	BUF_LITERAL(&own->resource, "{\"resourceLogs\":[{\"resource\":");
	otlp_resource_append_json(resource, &own->resource);
	BUF_LITERAL(&own->scope,
		    ",\"scopeLogs\":[{\"scope\":{\"name\":\"lanner\",\"version\":\"" LANNER_VERSION
		    "\"},\"logRecords\":[");
}

static int open_parts(struct http_target *target,
		      void (*write_parts)(struct otlp *own, const struct otlp_resource *resource))
{
	struct otlp_resource resource;
	struct otlp *own = calloc(1, sizeof(*own));
	int code;

	if (!own)
		return -ENOMEM;
	target->own = own;
	code = otlp_resource_init(&resource, target->host, &target->keys->attributes, NULL);
	if (code)
		return code;
	write_parts(own, &resource);
	otlp_resource_finish(&resource);
	return own->resource.failed || own->scope.failed ? -ENOMEM : 0;
}

static int open_proto(struct http_target *target, struct url *url)
{
	return open_parts(target, write_parts_proto);
}

static int open_json(struct http_target *target, struct url *url)
{
	return open_parts(target, write_parts_json);
}

static void close_profile(struct http_target *target)
{
	struct otlp *own = target->own;

	if (!own)
		return;
	buf_finish(&own->resource);
	buf_finish(&own->scope);
	free(own);
}

/* Writes what stands before a message of that length. Returns how many bytes that are. */
static size_t write_head(char *to, uint32_t field, size_t len)
{
	size_t n = proto_write_varint(to, (uint64_t)field << 3 | PROTO_BYTES);

	return n + proto_write_varint(to + n, len);
}

static void write_proto(struct http_target *target, const struct output_batch *batch)
{
	const struct otlp *own = target->own;
	struct http_body *body = &target->body;
	size_t scope_logs = own->scope.len + batch->count * RECORD_TAG_BYTES + batch->bytes;
	char head[2 * PROTO_VARINT_MAX], outer[2 * PROTO_VARINT_MAX];
	size_t head_len = write_head(head, RESOURCE_LOGS_SCOPE_LOGS, scope_logs);
	size_t resource_logs = own->resource.len + head_len + scope_logs;

	buf_append(&body->text, outer, write_head(outer, REQUEST_RESOURCE_LOGS, resource_logs));
	buf_append(&body->text, own->resource.data, own->resource.len);
	buf_append(&body->text, head, head_len);
	buf_append(&body->text, own->scope.data, own->scope.len);
	for (size_t i = 0; i < batch->count; i++) {
		buf_append_char(&body->text, SCOPE_LOGS_RECORDS << 3 | PROTO_BYTES);
		http_body_add(body, batch->records[i].bytes, batch->records[i].len);
	}
}

static void write_json(struct http_target *target, const struct output_batch *batch)
{
	const struct otlp *own = target->own;
	struct http_body *body = &target->body;

	buf_append(&body->text, own->resource.data, own->resource.len);
	buf_append(&body->text, own->scope.data, own->scope.len);
	for (size_t i = 0; i < batch->count; i++) {
		if (i)
			buf_append_char(&body->text, ',');
		http_body_add(body, batch->records[i].bytes, batch->records[i].len);
	}
	BUF_LITERAL(&body->text, "]}]}]}");
}

/*
 * A part was rejected, and the collector does not say which records: the last ones are counted, and
 * none is sent again.
 */
static int apply_partial(struct http_target *target, struct output_batch *batch, int64_t rejected,
			 const char *why, struct error *err)
{
	size_t count = rejected < 0			   ? 0
		       : (uint64_t)rejected > batch->count ? batch->count
							   : (size_t)rejected;

	output_batch_set(batch, OUTPUT_DELIVERED);
	if (!count)
		return 0;
	memset(batch->results + batch->count - count, OUTPUT_REJECTED, count);
	return http_report_rejected(target, count, batch->count, why, err);
}

static int read_proto(struct http_target *target, struct output_batch *batch, struct error *err)
{
	const struct buf *body = &target->answer.body;
	char why[HTTP_EXCERPT_BYTES] = "";
	int64_t rejected = 0;
	Otlp__ExportLogsServiceResponse *answer;

	if (target->answer.status < 200 || target->answer.status > 299)
		return http_read_status(target, batch, err);
	/* An answer that is not one says nothing of rejections. */
	answer = otlp__export_logs_service_response__unpack(NULL, body->len,
							    (const uint8_t *)body->data);
	if (answer && answer->partial_success) {
		rejected = answer->partial_success->rejected_log_records;
		snprintf(why, sizeof(why), "%s", answer->partial_success->error_message);
	}
	otlp__export_logs_service_response__free_unpacked(answer, NULL);
	return apply_partial(target, batch, rejected, why, err);
}

static int read_json(struct http_target *target, struct output_batch *batch, struct error *err)
{
	const struct buf *body = &target->answer.body;
	const json_t *number;
	json_t *answer = NULL;
	int64_t rejected = 0;
	const char *why;
	int code;

	if (target->answer.status < 200 || target->answer.status > 299)
		return http_read_status(target, batch, err);
	if (body->len)
		json_input_parse(body->data, body->len, ANSWER_VALUES, "", &answer, NULL);
	/* 64-bit numbers are texts in JSON; some collectors write numbers. */
	number = JSON_INPUT_AT(answer, "partialSuccess", "rejectedLogRecords");
	if (json_is_string(number))
		rejected = strtoll(json_string_value(number), NULL, 10);
	else
		rejected = json_integer_value(number);
	why = JSON_INPUT_TEXT(answer, "partialSuccess", "errorMessage");
	code = apply_partial(target, batch, rejected, why ? why : "", err);
	json_decref(answer);
	return code;
}

static const char *const proto_headers[] = {"Accept: application/x-protobuf", NULL};

const struct http_profile http_profile_otlp_proto = {
	.path = "/v1/logs",
	.content_type = "Content-Type: application/x-protobuf",
	.headers = proto_headers,
	.scheme = "Bearer",
	.verdicts = verdicts,
	.open = open_proto,
	.close = close_profile,
	.write = write_proto,
	.read = read_proto,
};

const struct http_profile http_profile_otlp_json = {
	.path = "/v1/logs",
	.content_type = "Content-Type: application/json",
	.scheme = "Bearer",
	.verdicts = verdicts,
	.open = open_json,
	.close = close_profile,
	.write = write_json,
	.read = read_json,
};
