/* SPDX-License-Identifier: MIT */
/* OpenTelemetry over HTTP: settings, resources, bodies and answers, and the kind of target. */
#include "output/targets/otlp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/json_input.h"
#include "net/url.h"
#include "output/targets/http.h"
#include "output/targets/http_body.h"
#include "output/targets/kinds.h"
#include "output/targets/otlp_answer.pb-c.h"
#include "sinsp/format/schema.h"
#include "util/buf.h"
#include "util/count.h"
#include "util/json.h"
#include "util/proto.h"
#include "util/version.h"

#define PREFIX "OTEL_EXPORTER_OTLP_"
#define DEFAULT_ENDPOINT "http://localhost:4318"

enum { NAME_BYTES = 80 };

#define FILE_VARIABLES(signal)                                                                     \
	{                                                                                          \
		PREFIX signal "CERTIFICATE", PREFIX "CERTIFICATE",                                 \
			PREFIX signal "CLIENT_CERTIFICATE", PREFIX "CLIENT_CERTIFICATE",           \
			PREFIX signal "CLIENT_KEY", PREFIX "CLIENT_KEY", NULL,                     \
	}

const char *const OTLP_FILE_VARIABLES[] = FILE_VARIABLES("LOGS_");
const char *const OTLP_METRICS_FILE_VARIABLES[] = FILE_VARIABLES("METRICS_");

/* What is sent: its variables, and the end of its URLs. */
struct otlp_signal {
	const char *prefix, *path;
};

static const struct otlp_signal *otlp_signal_of(const struct output_config *config)
{
	static const struct otlp_signal logs = {PREFIX "LOGS_", "/v1/logs"};
	static const struct otlp_signal metrics = {PREFIX "METRICS_", "/v1/metrics"};

	return config->kind->takes_metrics ? &metrics : &logs;
}

/* A variable that is otlp_settings_set and not empty, or NULL; `name` becomes its whole name. */
static const char *otlp_find(const struct otlp_signal *signal, const char *suffix,
			     char name[NAME_BYTES])
{
	const char *const prefixes[] = {signal->prefix, PREFIX};

	for (size_t i = 0; i < COUNT(prefixes); i++) {
		const char *value;

		snprintf(name, NAME_BYTES, "%s%s", prefixes[i], suffix);
		value = getenv(name);
		if (value && *value)
			return value;
	}
	return NULL;
}

/* Sets a key; a message names where the value comes from. */
static int otlp_settings_set(struct http_keys *keys, const char *name, const char *value,
			     const char *variable, struct error *err)
{
	const struct output_key *key = output_key_find(OTLP_KEYS, name);
	struct error why;
	int r = output_key_set(key, value, keys, &why);

	return r ? error_set(err, r, "$%s: %s", variable, why.text) : 0;
}

/* "name=value,name=value", escaped: a header each. */
static int read_headers(struct http_keys *keys, const char *text, const char *variable,
			struct error *err)
{
	char *copy = strdup(text), *rest = copy, *item;
	int r = copy ? 0 : error_set(err, -ENOMEM, "out of memory");

	while (r == 0 && (item = strsep(&rest, ","))) {
		struct buf header = {0};
		struct http_pair pair;

		item += strspn(item, " \t");
		if (!*item)
			continue;
		pair = http_pair_of(item);
		/* Not shown: it may be a token. */
		if (!pair.name_len || !item[pair.name_len]) {
			r = error_set(err, -EINVAL, "$%s: not of the form NAME=VALUE", variable);
			break;
		}
		otlp_unescape((char *)pair.value);
		buf_append(&header, pair.name, pair.name_len);
		BUF_LITERAL(&header, ": ");
		buf_append(&header, pair.value, strlen(pair.value) + 1);
		r = header.failed ? error_set(err, -ENOMEM, "out of memory")
				  : otlp_settings_set(keys, "header", header.data, variable, err);
		buf_finish(&header);
	}
	free(copy);
	return r;
}

/* The timeout is in ms there. */
static int read_timeout(struct http_keys *keys, const char *text, const char *variable,
			struct error *err)
{
	char value[32];

	snprintf(value, sizeof(value), "%.20sms", text);
	return otlp_settings_set(keys, "timeout", value, variable, err);
}

static int read_variables(struct http_keys *keys, const struct otlp_signal *signal,
			  struct error *err)
{
	static const struct {
		const char *suffix, *key;
	} rows[] = {
		{"COMPRESSION", "compress"},
		{"CERTIFICATE", "ca"},
		{"CLIENT_CERTIFICATE", "cert"},
		{"CLIENT_KEY", "key"},
	};
	char name[NAME_BYTES];
	const char *value;
	int r = 0;

	for (size_t i = 0; i < COUNT(rows) && r == 0; i++) {
		value = otlp_find(signal, rows[i].suffix, name);
		if (value)
			r = otlp_settings_set(keys, rows[i].key, value, name, err);
	}
	value = r ? NULL : otlp_find(signal, "TIMEOUT", name);
	if (value)
		r = read_timeout(keys, value, name, err);
	value = r ? NULL : otlp_find(signal, "HEADERS", name);
	return value ? read_headers(keys, value, name, err) : r;
}

/* The keys of the user come last: theirs count. */
static int read_given(struct http_keys *keys, const struct output_config *config, struct error *err)
{
	for (size_t i = 0; i < config->given.count; i++) {
		struct http_pair pair = http_pair_of(config->given.items[i]);
		char name[NAME_BYTES];
		const struct output_key *key;
		int r;

		snprintf(name, sizeof(name), "%.*s", (int)pair.name_len, pair.name);
		key = output_key_find(OTLP_KEYS, name);
		r = key ? output_key_set(key, pair.value, keys, err) : 0;
		if (r)
			return r;
	}
	return 0;
}

/* The general variable is a base that gets the path of the signal, its own is used as it is. */
static int find_url(struct otlp_settings *settings, const struct output_config *config,
		    struct error *err)
{
	const struct otlp_signal *signal = otlp_signal_of(config);
	const char *base = getenv(PREFIX "ENDPOINT"), *own;
	char name[NAME_BYTES];
	struct url *url = NULL;
	int r;

	snprintf(name, sizeof(name), "%sENDPOINT", signal->prefix);
	own = getenv(name);
	if (*config->target || (own && *own)) {
		settings->url = strdup(*config->target ? config->target : own);
		return settings->url ? 0 : error_set(err, -ENOMEM, "out of memory");
	}
	r = url_create(base && *base ? base : DEFAULT_ENDPOINT, &url, err);
	if (r)
		return r;
	r = url_append_path(url, signal->path);
	settings->url = r ? NULL : url_text(url);
	url_destroy(url);
	return settings->url ? 0 : error_set(err, -ENOMEM, "out of memory");
}

int otlp_settings_init(struct otlp_settings *settings, const struct output_config *config,
		       struct error *err)
{
	int r;

	*settings = (struct otlp_settings){0};
	r = output_keys_init(OTLP_KEYS, &settings->keys);
	if (r)
		return error_set(err, r, "out of memory");
	r = read_variables(&settings->keys, otlp_signal_of(config), err);
	if (r == 0)
		r = read_given(&settings->keys, config, err);
	if (r == 0)
		r = find_url(settings, config, err);
	return r ? r : http_keys_check(&settings->keys, settings->url, err);
}

void otlp_settings_finish(struct otlp_settings *settings)
{
	output_keys_finish(OTLP_KEYS, &settings->keys);
	free(settings->url);
	*settings = (struct otlp_settings){0};
}

/* Numbers of fields in opentelemetry/proto/resource/v1 and common/v1. */
enum { RESOURCE_ATTRIBUTES = 1, KEY_VALUE_KEY = 1, KEY_VALUE_VALUE = 2, ANY_STRING = 1 };

/* Adds an attribute, or replaces its value. */
static int otlp_resource_set(struct otlp_resource *resource, const char *name, size_t name_len,
			     const char *value)
{
	struct otlp_attribute *attribute = resource->attributes;
	struct otlp_attribute *end = attribute + resource->count;
	char *copy = strdup(value);

	while (attribute < end && (strlen(attribute->name) != name_len ||
				   memcmp(attribute->name, name, name_len) != 0))
		attribute++;
	if (!copy)
		return -ENOMEM;
	if (attribute == end) {
		char *name_copy =
			resource->count < OTLP_ATTRIBUTES_MAX ? strndup(name, name_len) : NULL;

		if (!name_copy) {
			free(copy);
			return resource->count < OTLP_ATTRIBUTES_MAX ? -ENOMEM : -E2BIG;
		}
		*attribute = (struct otlp_attribute){.name = name_copy};
		resource->count++;
	}
	free(attribute->value);
	attribute->value = copy;
	return 0;
}

/* The same for a name that is known, where no value means that it is left out. */
static int set_known(struct otlp_resource *resource, const char *name, const char *value)
{
	return value && *value ? otlp_resource_set(resource, name, strlen(name), value) : 0;
}

static int find_out(struct otlp_resource *resource, const char *host)
{
	struct schema_identity machine;

	schema_identity_read(&machine, getenv("HOST_ROOT"));
	const struct {
		const char *name, *value;
	} rows[] = {
		{"service.name", "lanner"},
		{"service.version", LANNER_VERSION},
		{"host.name", host},
		{"host.id", machine.parts[IDENTITY_MACHINE_ID]},
		{"host.arch", machine.parts[IDENTITY_ARCHITECTURE]},
		{"os.type", "linux"},
		{"os.version", machine.parts[IDENTITY_KERNEL]},
		{"k8s.node.name", getenv("NODE_NAME")},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		int r = set_known(resource, rows[i].name, rows[i].value);

		if (r)
			return r;
	}
	return 0;
}

static int otlp_hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c) : NULL;

	return digit ? (int)(digit - digits) : -1;
}

void otlp_unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		int high = *text == '%' ? otlp_hex_digit(text[1]) : -1;
		int low = high >= 0 ? otlp_hex_digit(text[2]) : -1;

		if (low < 0 || high + low == 0) {
			*to++ = *text;
			continue;
		}
		*to++ = (char)(high << 4 | low);
		text += 2;
	}
	*to = '\0';
}

/* "name=value,name=value"; what is not of that form is skipped, as OpenTelemetry asks. */
static int read_variable(struct otlp_resource *resource, const char *text)
{
	char *copy = strdup(text), *rest = copy, *item;
	int r = copy ? 0 : -ENOMEM;

	while (r == 0 && (item = strsep(&rest, ","))) {
		struct http_pair pair;

		item += strspn(item, " \t");
		pair = http_pair_of(item);
		if (!pair.name_len || !item[pair.name_len])
			continue;
		otlp_unescape((char *)pair.value);
		r = otlp_resource_set(resource, pair.name, pair.name_len, pair.value);
	}
	free(copy);
	return r;
}

static int collect(struct otlp_resource *resource, const char *host,
		   const struct output_list *given)
{
	const char *attributes = getenv("OTEL_RESOURCE_ATTRIBUTES");
	int r = find_out(resource, host);

	if (r == 0 && attributes)
		r = read_variable(resource, attributes);
	if (r == 0)
		r = set_known(resource, "service.name", getenv("OTEL_SERVICE_NAME"));
	for (size_t i = 0; i < given->count && r == 0; i++) {
		struct http_pair pair = http_pair_of(given->items[i]);

		r = otlp_resource_set(resource, pair.name, pair.name_len, pair.value);
	}
	return r;
}

int otlp_resource_init(struct otlp_resource *resource, const char *host,
		       const struct output_list *given, struct error *err)
{
	int r;

	*resource = (struct otlp_resource){0};
	r = collect(resource, host, given);
	if (r == 0)
		return 0;
	otlp_resource_finish(resource);
	if (r == -E2BIG)
		return error_set(err, -EINVAL, "more than %d attributes of the resource",
				 OTLP_ATTRIBUTES_MAX);
	return error_set(err, r, "out of memory");
}

void otlp_resource_finish(struct otlp_resource *resource)
{
	for (size_t i = 0; i < resource->count; i++) {
		free(resource->attributes[i].name);
		free(resource->attributes[i].value);
	}
	resource->count = 0;
}

static void otlp_append_text(struct buf *out, uint32_t field, const char *text)
{
	proto_tag(out, field, PROTO_BYTES);
	proto_text(out, text, strlen(text));
}

void otlp_resource_append_proto(const struct otlp_resource *resource, struct buf *out)
{
	for (size_t i = 0; i < resource->count; i++) {
		size_t attribute, value;

		proto_tag(out, RESOURCE_ATTRIBUTES, PROTO_BYTES);
		attribute = proto_begin(out);
		otlp_append_text(out, KEY_VALUE_KEY, resource->attributes[i].name);
		proto_tag(out, KEY_VALUE_VALUE, PROTO_BYTES);
		value = proto_begin(out);
		otlp_append_text(out, ANY_STRING, resource->attributes[i].value);
		proto_end(out, value);
		proto_end(out, attribute);
	}
}

void otlp_resource_append_json(const struct otlp_resource *resource, struct buf *out)
{
	BUF_LITERAL(out, "{\"attributes\":[");
	for (size_t i = 0; i < resource->count; i++) {
		const struct otlp_attribute *attribute = &resource->attributes[i];

		buf_append_string(out, i ? ",{\"key\":" : "{\"key\":");
		json_append_string(out, attribute->name, strlen(attribute->name));
		BUF_LITERAL(out, ",\"value\":{\"stringValue\":");
		json_append_string(out, attribute->value, strlen(attribute->value));
		BUF_LITERAL(out, "}}");
	}
	BUF_LITERAL(out, "]}");
}

/*
 * OpenTelemetry's protocol: each record is a LogRecord, made by the format; a request has all of a
 * batch in one resource and one scope. In protobuf a record begins with its length, so that only
 * its tag is missing.
 */

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
	{400, 400, OUTPUT_REJECTED, .divides = true},
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

static int otlp_open_parts(struct http_target *target,
			   void (*write_parts)(struct otlp *own,
					       const struct otlp_resource *resource))
{
	struct otlp_resource resource;
	struct otlp *own = calloc(1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	target->own = own;
	r = otlp_resource_init(&resource, target->host, &target->keys->attributes, NULL);
	if (r)
		return r;
	write_parts(own, &resource);
	otlp_resource_finish(&resource);
	return own->resource.failed || own->scope.failed ? -ENOMEM : 0;
}

static int open_proto(struct http_target *target, struct url *url)
{
	return otlp_open_parts(target, write_parts_proto);
}

static int open_json(struct http_target *target, struct url *url)
{
	return otlp_open_parts(target, write_parts_json);
}

static void otlp_close_profile(struct http_target *target)
{
	struct otlp *own = target->own;

	if (!own)
		return;
	buf_finish(&own->resource);
	buf_finish(&own->scope);
	free(own);
}

/* Writes what stands before a message of that length. Returns how many bytes that are. */
static size_t otlp_write_head(char *to, uint32_t field, size_t len)
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
	size_t head_len = otlp_write_head(head, RESOURCE_LOGS_SCOPE_LOGS, scope_logs);
	size_t resource_logs = own->resource.len + head_len + scope_logs;

	buf_append(&body->text, outer,
		   otlp_write_head(outer, REQUEST_RESOURCE_LOGS, resource_logs));
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
	int r;

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
	r = apply_partial(target, batch, rejected, why ? why : "", err);
	json_decref(answer);
	return r;
}

static const char *const proto_headers[] = {"Accept: application/x-protobuf", NULL};

const struct http_profile otlp_profile_proto = {
	.path = "/v1/logs",
	.content_type = "Content-Type: application/x-protobuf",
	.headers = proto_headers,
	.scheme = "Bearer",
	.verdicts = verdicts,
	.open = open_proto,
	.close = otlp_close_profile,
	.write = write_proto,
	.read = read_proto,
};

/* The messages around metrics have the same fields as those around logs. */
const struct http_profile otlp_profile_metrics = {
	.path = "/v1/metrics",
	.content_type = "Content-Type: application/x-protobuf",
	.headers = proto_headers,
	.scheme = "Bearer",
	.verdicts = verdicts,
	.open = open_proto,
	.close = otlp_close_profile,
	.write = write_proto,
	.read = read_proto,
};

const struct http_profile otlp_profile_json = {
	.path = "/v1/logs",
	.content_type = "Content-Type: application/json",
	.scheme = "Bearer",
	.verdicts = verdicts,
	.open = open_json,
	.close = otlp_close_profile,
	.write = write_json,
	.read = read_json,
};

/* The kind otlp: collectors that take logs of OpenTelemetry by HTTP. */

struct otlp_target {
	struct otlp_settings settings;
	void *http; /* owned; the target that sends */
};

static int otlp_check(const struct output_config *config, struct error *err)
{
	const struct http_keys *keys = config->own;
	int r = http_pairs_check(&keys->attributes, "attribute", err);

	/* Without a target the environment names one: that is checked with its other variables. */
	if (r || !*config->target)
		return r;
	return http_keys_check(keys, config->target, err);
}

static void otlp_close(void *data)
{
	struct otlp_target *target = data;

	if (!target)
		return;
	http_target_close(target->http);
	otlp_settings_finish(&target->settings);
	free(target);
}

static const struct http_profile *otlp_profile_of(const struct output_config *config)
{
	if (config->kind->takes_metrics)
		return &otlp_profile_metrics;
	return config->format && strcmp(config->format, "otlp-json") == 0 ? &otlp_profile_json
									  : &otlp_profile_proto;
}

static int otlp_open(const struct output_config *config, struct output_stop *stop, void **result,
		     struct error *err)
{
	struct otlp_target *target = calloc(1, sizeof(*target));
	int r;

	if (!target)
		return error_set(err, -ENOMEM, "out of memory");
	r = otlp_settings_init(&target->settings, config, err);
	if (r == 0)
		r = http_target_open(config, &target->settings.keys, otlp_profile_of(config),
				     target->settings.url, stop, &target->http, err);
	if (r)
		otlp_close(target);
	else
		*result = target;
	return r;
}

static int otlp_send(void *target, struct output_batch *batch, struct error *err)
{
	return http_target_send(((struct otlp_target *)target)->http, batch, err);
}

static const char *const names[] = {"otlp", NULL};
static const char *const formats[] = {"otlp-proto", "otlp-json", NULL};
static const struct output_default defaults[] = {{NULL, "otel"}};

const struct output_kind output_kind_otlp = {
	.names = names,
	.target = "http[s]://HOST[:PORT][/PATH]",
	.help = "a collector of OpenTelemetry, by HTTP; without a target as "
		"$OTEL_EXPORTER_OTLP_ENDPOINT says",
	.keys = OTLP_KEYS,
	.own_bytes = sizeof(struct http_keys),
	.formats = formats,
	.defaults = defaults,
	.acknowledges = true,
	.has_deadlines = true,
	.uses = OUTPUT_USES_NETWORK,
	.file_variables = OTLP_FILE_VARIABLES,
	.check = otlp_check,
	.open = otlp_open,
	.send = otlp_send,
	.close = otlp_close,
};

static const char *const metrics_names[] = {"otlp-metrics", NULL};
static const char *const metrics_formats[] = {"otlp-metrics", NULL};

const struct output_kind output_kind_otlp_metrics = {
	.names = metrics_names,
	.target = "http[s]://HOST[:PORT][/PATH]",
	.help = "the same for metrics of requests, every $OTEL_METRIC_EXPORT_INTERVAL milliseconds "
		"(60000)",
	.keys = OTLP_KEYS,
	.own_bytes = sizeof(struct http_keys),
	.formats = metrics_formats,
	.takes_metrics = true,
	.acknowledges = true,
	.has_deadlines = true,
	.uses = OUTPUT_USES_NETWORK,
	.file_variables = OTLP_METRICS_FILE_VARIABLES,
	.check = otlp_check,
	.open = otlp_open,
	.send = otlp_send,
	.close = otlp_close,
};
