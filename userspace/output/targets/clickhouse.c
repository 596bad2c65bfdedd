/* SPDX-License-Identifier: MIT */
/*
 * ClickHouse: rows of JSON, inserted over its HTTP interface. Columns are the keys of records, and
 * those of ROW; keys without a column are skipped.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "net/url.h"
#include "output/targets/http.h"
#include "util/count.h"
#include "util/json.h"

enum { NAME_BYTES = 200, CODE_DIGITS = 10 };
#define NS_PER_S UINT64_C(1000000000)

struct clickhouse {
	struct buf node; /* owned; ,"node":"name" */
	struct buf url; /* owned; with the token of a batch */
};

/* The name of a table: it becomes a part of the query. */
static bool is_table(const char *text)
{
	static const char others[] = "_.";

	if (!*text || strlen(text) >= NAME_BYTES)
		return false;
	for (; *text; text++)
		if (!((*text | 0x20) >= 'a' && (*text | 0x20) <= 'z') &&
		    !(*text >= '0' && *text <= '9') && !strchr(others, *text))
			return false;
	return true;
}

static int clickhouse_check(const struct output_config *config, struct error *err)
{
	const struct http_keys *keys = config->own;

	if (keys->table && !is_table(keys->table))
		return error_set(err, -EINVAL,
				 "table: '%s' is no name of a table such as lanner.events",
				 keys->table);
	return http_check_json(config, err);
}

static int clickhouse_open_profile(struct http_target *target, struct url *url)
{
	const char *table = target->keys->table ? target->keys->table : "lanner.events";
	struct clickhouse *own = calloc(1, sizeof(*own));
	struct buf query = {0};
	int r;

	if (!own)
		return -ENOMEM;
	target->own = own;
	BUF_LITERAL(&own->node, ",\"node\":");
	json_append_string(&own->node, target->host, strlen(target->host));
	buf_printf(&query, "INSERT INTO %s FORMAT JSONEachRow", table);
	buf_append_char(&query, '\0');
	r = query.failed || own->node.failed ? -ENOMEM : url_add_query(url, "query", query.data);
	buf_finish(&query);
	return r ? r : url_add_query(url, "input_format_skip_unknown_fields", "1");
}

static void clickhouse_close_profile(struct http_target *target)
{
	struct clickhouse *own = target->own;

	if (!own)
		return;
	buf_finish(&own->node);
	buf_finish(&own->url);
	free(own);
}

/* The same records have the same token. */
static const char *make_url(struct http_target *target, const struct output_batch *batch)
{
	struct clickhouse *own = target->own;

	if (!target->keys->deduplicate)
		return target->url;
	buf_clear(&own->url);
	buf_printf(&own->url, "%s&insert_deduplication_token=%s-%" PRIu64 "-%zu", target->url,
		   batch->stream, batch->count ? batch->records[0].number : 0, batch->count);
	buf_append_char(&own->url, '\0');
	return own->url.failed ? NULL : own->url.data;
}

static void clickhouse_write_body(struct http_target *target, const struct output_batch *batch)
{
	const struct clickhouse *own = target->own;
	struct buf *text = &target->body.text;

	for (size_t i = 0; i < batch->count; i++) {
		const struct output_record *record = &batch->records[i];

		BUF_LITERAL(text, "{\"time\":");
		buf_append_u64(text, record->ts_ns / NS_PER_S);
		BUF_LITERAL(text, ",\"time_ns\":");
		buf_append_u64(text, record->ts_ns);
		buf_append(text, own->node.data, own->node.len);
		http_body_add_members(&target->body, record->bytes, record->len);
	}
}

/*
 * The code of an exception: "Code: 27, e.displayText() = ..." or "Code: 27. DB::Exception: ...".
 * Returns 0 if there is none.
 */
static unsigned long exception_code(const struct buf *body)
{
	static const char begin[] = "Code: ";
	char digits[CODE_DIGITS + 1] = "";
	size_t len = sizeof(begin) - 1;

	if (body->len <= len || memcmp(body->data, begin, len))
		return 0;
	memcpy(digits, body->data + len,
	       body->len - len < CODE_DIGITS ? body->len - len : CODE_DIGITS);
	return strtoul(digits, NULL, 10);
}

/* Whether values in the rows are wrong, in ClickHouse's ErrorCodes.cpp. */
static bool is_of_row(unsigned long code)
{
	static const uint16_t codes[] = {
		6, /* CANNOT_PARSE_TEXT */
		25, /* CANNOT_PARSE_ESCAPE_SEQUENCE */
		26, /* CANNOT_PARSE_QUOTED_STRING */
		27, /* CANNOT_PARSE_INPUT_ASSERTION_FAILED */
		38, /* CANNOT_PARSE_DATE */
		41, /* CANNOT_PARSE_DATETIME */
		53, /* TYPE_MISMATCH */
		69, /* ARGUMENT_OUT_OF_BOUND */
		70, /* CANNOT_CONVERT_TYPE */
		72, /* CANNOT_PARSE_NUMBER */
		117, /* INCORRECT_DATA */
		130, /* CANNOT_READ_ARRAY_FROM_TEXT */
		349, /* CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN */
	};

	for (size_t i = 0; i < COUNT(codes); i++)
		if (codes[i] == code)
			return true;
	return false;
}

/*
 * Errors of all kinds have status 400, 404 or 500, so that the code counts. The server does not say
 * which row is wrong: halves of the batch find it.
 */
static int clickhouse_read_answer(struct http_target *target, struct output_batch *batch,
				  struct error *err)
{
	static const struct http_verdict of_row = {.result = OUTPUT_REJECTED, .divides = true};
	static const struct http_verdict other = {.result = OUTPUT_RETRY, .uncertain = true};
	unsigned long code = exception_code(&target->answer.body);
	char why[HTTP_EXCERPT_BYTES];

	if (!code || target->answer.status < 400)
		return http_read_status(target, batch, err);
	http_answer_excerpt(&target->answer, why);
	return http_apply(target, batch, is_of_row(code) ? &of_row : &other, why, err);
}

const struct http_profile http_profile_clickhouse = {
	.content_type = "Content-Type: application/x-ndjson",
	.scheme = "Bearer",
	.verdicts = HTTP_VERDICTS,
	.check = clickhouse_check,
	.open = clickhouse_open_profile,
	.close = clickhouse_close_profile,
	.url = make_url,
	.write = clickhouse_write_body,
	.read = clickhouse_read_answer,
};
