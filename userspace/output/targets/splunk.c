/* SPDX-License-Identifier: MIT */
/*
 * Splunk's HTTP event collector. With `acknowledge` a batch is delivered when the indexer says so;
 * without, when the collector has it in memory.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "util/json_input.h"
#include "net/url.h"
#include "output/targets/http.h"
#include "util/clock.h"
#include "util/json.h"

enum {
	STATUS_OK = 200,
	STATUS_BAD = 400,
	CODE_INVALID_EVENT = 6, /* of the collector: codes that say which event it rejected */
	CODE_NO_EVENT = 12,
	CODE_BLANK_EVENT = 13,
	ANSWER_VALUES = 1000,
	ASK_MS = 250, /* between questions for an acknowledgement */
	GUID_BYTES = 37,
};
#define NS_PER_S UINT64_C(1000000000)

struct splunk {
	struct buf members; /* owned; "host":... up to the event */
	char *ack_url; /* owned; NULL: acknowledgements are not asked for */
};

static void make_guid(char text[GUID_BYTES])
{
	uint64_t bits[2] = {0};

	/* It tells this client from others; it is no secret. */
	if (getrandom(bits, sizeof(bits), GRND_NONBLOCK) != sizeof(bits))
		bits[0] = clock_ns(CLOCK_REALTIME);
	snprintf(text, GUID_BYTES,
		 "%08" PRIx64 "-%04" PRIx64 "-4%03" PRIx64 "-8%03" PRIx64 "-%012" PRIx64,
		 bits[0] >> 32, bits[0] >> 16 & 0xffff, bits[0] & 0xfff, bits[1] >> 48 & 0xfff,
		 bits[1] & UINT64_C(0xffffffffffff));
}

static int open_channel(struct splunk *own, struct url *url)
{
	char guid[GUID_BYTES], *text;
	struct url *ack = NULL;
	int r;

	make_guid(guid);
	r = url_add_query(url, "channel", guid);
	text = r ? NULL : url_text(url);
	if (!text)
		return -ENOMEM;
	r = url_create(text, &ack, NULL);
	free(text);
	if (r == 0)
		r = url_set_path(ack, "/services/collector/ack");
	if (r == 0)
		own->ack_url = url_text(ack);
	url_destroy(ack);
	return own->ack_url ? 0 : -ENOMEM;
}

static void splunk_append_member(struct buf *text, const char *name, const char *value)
{
	buf_printf(text, ",\"%s\":", name);
	json_append_string(text, value, strlen(value));
}

static int splunk_open_profile(struct http_target *target, struct url *url)
{
	struct splunk *own = calloc(1, sizeof(*own));

	if (!own)
		return -ENOMEM;
	target->own = own;
	splunk_append_member(&own->members, "host", target->host);
	splunk_append_member(&own->members, "source", "lanner");
	splunk_append_member(&own->members, "sourcetype", "lanner");
	if (target->keys->index)
		splunk_append_member(&own->members, "index", target->keys->index);
	BUF_LITERAL(&own->members, ",\"event\":");
	if (own->members.failed)
		return -ENOMEM;
	return target->keys->acknowledge ? open_channel(own, url) : 0;
}

static void splunk_close_profile(struct http_target *target)
{
	struct splunk *own = target->own;

	if (!own)
		return;
	buf_finish(&own->members);
	free(own->ack_url);
	free(own);
}

static void splunk_write_body(struct http_target *target, const struct output_batch *batch)
{
	const struct splunk *own = target->own;
	struct buf *text = &target->body.text;

	for (size_t i = 0; i < batch->count; i++) {
		const struct output_record *record = &batch->records[i];

		BUF_LITERAL(text, "{\"time\":");
		buf_append_u64(text, record->ts_ns / NS_PER_S);
		buf_append_char(text, '.');
		buf_append_padded(text, record->ts_ns % NS_PER_S, 9);
		buf_append(text, own->members.data, own->members.len);
		http_body_add(&target->body, record->bytes, record->len);
		buf_append_char(text, '}');
	}
}

static json_t *splunk_parse(const struct http_target *target)
{
	const struct buf *body = &target->answer.body;
	json_t *answer;

	if (!body->len || json_input_parse(body->data, body->len, ANSWER_VALUES, "", &answer, NULL))
		return NULL;
	return answer;
}

/* Whether the acknowledgement is there: {"acks":{"0":true}}. */
static int ask_once(struct http_target *target, json_int_t id, bool *is_done, struct error *err)
{
	struct splunk *own = target->own;
	char question[64], name[24];
	struct iovec part = {question, 0};
	json_t *answer;
	int r;

	part.iov_len = (size_t)snprintf(question, sizeof(question),
					"{\"acks\":[%" JSON_INTEGER_FORMAT "]}", id);
	snprintf(name, sizeof(name), "%" JSON_INTEGER_FORMAT, id);
	r = http_client_post(target->client, own->ack_url, &part, 1, &target->answer, err);
	if (r)
		return r;
	if (target->answer.status != STATUS_OK)
		return error_set(err, -EPROTO, "%s: status %ld", own->ack_url,
				 target->answer.status);
	answer = splunk_parse(target);
	*is_done = json_is_true(JSON_INPUT_AT(answer, "acks", name));
	json_decref(answer);
	return 0;
}

/* Waits for the indexer as long as for any answer. */
static int wait_for_ack(struct http_target *target, json_int_t id, struct error *err)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + target->keys->timeout_ns;
	bool is_done = false;
	int r = ask_once(target, id, &is_done, err);

	while (r == 0 && !is_done) {
		if (clock_ns(CLOCK_MONOTONIC) >= end_ns)
			return error_set(err, -ETIMEDOUT, "%s: no acknowledgement came",
					 target->url);
		if (output_wait(target->stop, -1, 0, ASK_MS) == -ECANCELED)
			return error_set(err, -ECANCELED, "canceled");
		r = ask_once(target, id, &is_done, err);
	}
	return r;
}

static int read_success(struct http_target *target, struct output_batch *batch, struct error *err)
{
	struct splunk *own = target->own;
	json_t *answer = splunk_parse(target);
	const json_t *id = JSON_INPUT_AT(answer, "ackId");
	int r = 0;

	if (own->ack_url && !json_is_integer(id))
		r = error_set(err, -EPROTO, "%s: the answer has no ackId", target->url);
	else if (own->ack_url)
		r = wait_for_ack(target, json_integer_value(id), err);
	json_decref(answer);
	if (r)
		batch->uncertain = true;
	else
		output_batch_set(batch, OUTPUT_DELIVERED);
	return r;
}

/* One event is wrong: those before it may be indexed, those after it are not. */
static int read_invalid(struct http_target *target, struct output_batch *batch, size_t number,
			struct error *err)
{
	char why[HTTP_EXCERPT_BYTES];

	http_answer_excerpt(&target->answer, why);
	http_reject(target, batch, number, target->answer.status, why);
	batch->uncertain = batch->count > 1;
	return http_report_rejected(target, 1, batch->count, why, err);
}

static int splunk_read_answer(struct http_target *target, struct output_batch *batch,
			      struct error *err)
{
	json_int_t code, number;
	bool names_event;
	json_t *answer;

	if (target->answer.status == STATUS_OK)
		return read_success(target, batch, err);
	if (target->answer.status != STATUS_BAD)
		return http_read_status(target, batch, err);
	answer = splunk_parse(target);
	code = json_integer_value(JSON_INPUT_AT(answer, "code"));
	number = json_integer_value(JSON_INPUT_AT(answer, "invalid-event-number"));
	names_event = json_is_integer(JSON_INPUT_AT(answer, "invalid-event-number"));
	json_decref(answer);
	if (names_event && number >= 0 && (size_t)number < batch->count &&
	    (code == CODE_INVALID_EVENT || code == CODE_NO_EVENT || code == CODE_BLANK_EVENT))
		return read_invalid(target, batch, (size_t)number, err);
	return http_read_status(target, batch, err);
}

const struct http_profile http_profile_splunk = {
	.path = "/services/collector/event",
	.content_type = "Content-Type: application/json",
	.scheme = "Splunk",
	.verdicts = HTTP_VERDICTS,
	.check = http_check_json,
	.open = splunk_open_profile,
	.close = splunk_close_profile,
	.write = splunk_write_body,
	.read = splunk_read_answer,
};
