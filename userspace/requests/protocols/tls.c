/* SPDX-License-Identifier: MIT */
/*
 * TLS 1.0 to 1.3 (RFC 5246, RFC 8446): a handshake is a request, which ends when both sides have
 * said that they are done, or one has sent an alert. What follows is encrypted, and not looked at.
 *
 * A handshake is one stream that both sides speak of: either may end it. Of TLS 1.3 all that a
 * server says behind its hello is encrypted; the client's first encrypted record says that it is
 * done, unless it is as short as an alert.
 */
#include <string.h>

#include "event/event.h"
#include "requests/protocols/protocol.h"
#include "requests/protocols/text.h"
#include "requests/protocols/tls_hello.h"
#include "util/pool.h"

enum {
	RECORD_BYTES = 5, /* what is before the payload */
	RECORD_MAX = 16384 + 2048,
	HELLO_BYTES_MIN = 40, /* with which a hello is recognised */
	ALERT_BYTES = 2,
	SEALED_ALERT_BYTES = 2 + 1 + 16, /* with its type and tag, of TLS 1.3 */
	ALERT_FATAL = 2,
	ALERT_CLOSE = 0,
	VERSION_1_3 = 0x0304,
	HANDSHAKE = 1, /* the stream */
	EARLY_RECORDS_MAX = 64, /* of a client before the server's hello: a server takes less */
};

enum tls_type { TLS_CHANGE = 20, TLS_ALERT, TLS_HANDSHAKE, TLS_DATA };

struct tls_side {
	bool has_hello;
	bool is_sealed; /* what follows is encrypted */
	bool is_done;
};

struct tls {
	struct protocol_room *room; /* borrowed */
	struct tls_side sides[PROTOCOL_SIDES];
	uint16_t version; /* that both speak; 0: not known */
	uint8_t early; /* encrypted records before the server's hello */
};

/* One step: a record. */
struct tls_run {
	struct tls *tls;
	enum protocol_side side;
	const struct protocol_input *input;
	struct protocol_message *message;
	const uint8_t *payload;
	size_t known, len; /* of the payload */
	struct protocol_step step;
};

static void *tls_create(struct protocol_room *room)
{
	struct tls *tls;

	if (room->held + sizeof(*tls) > room->max)
		return NULL;
	tls = pool_alloc(room->pool, sizeof(*tls));
	if (!tls)
		return NULL;
	*tls = (struct tls){.room = room};
	room->held += sizeof(*tls);
	return tls;
}

static void tls_destroy(void *kept)
{
	struct tls *tls = kept;

	if (!tls)
		return;
	tls->room->held -= sizeof(*tls);
	pool_free(tls->room->pool, tls, sizeof(*tls));
}

/*
 * What is missing of a server has not ended the handshake if the client goes on; of a client it may
 * have: its end will not be known.
 */
static void tls_lose(void *kept, enum protocol_side side)
{
}

static bool tls_stream_of(const void *kept, enum protocol_side side,
			  const struct protocol_input *input, uint64_t *stream)
{
	*stream = HANDSHAKE;
	return input->len >= RECORD_BYTES;
}

static size_t record_length(const uint8_t *data)
{
	return (size_t)data[3] << 8 | data[4];
}

/* Whether these bytes, at least one, can begin a record. */
static bool begins_record(const uint8_t *data, size_t len)
{
	if (data[0] < TLS_CHANGE || data[0] > TLS_DATA)
		return false;
	if ((len > 1 && data[1] != 3) || (len > 2 && data[2] > 4))
		return false;
	return len < RECORD_BYTES || (record_length(data) && record_length(data) <= RECORD_MAX);
}

/* Nothing of the connection is looked at any more. */
static void end_handshake(struct tls_run *run, const char *error)
{
	run->step.closes = run->step.is_sure = true;
	run->step.error = error;
	run->step.action = PROTOCOL_LEAVES;
	run->step.is_opaque = true;
}

/* The same, and how the handshake ended is not known. */
static void leave_handshake(struct tls_run *run)
{
	run->step.action = PROTOCOL_LEAVES;
	run->step.is_opaque = true;
}

static void finish_side(struct tls_run *run)
{
	run->tls->sides[run->side].is_done = true;
	if (run->tls->sides[PROTOCOL_REQUESTS].is_done &&
	    run->tls->sides[PROTOCOL_RESPONSES].is_done)
		end_handshake(run, NULL);
}

static void take_change(struct tls_run *run)
{
	/* Of TLS 1.3 it means nothing. */
	run->tls->sides[run->side].is_sealed |= run->tls->version != VERSION_1_3;
}

static void take_alert(struct tls_run *run)
{
	uint8_t code;

	if (run->tls->sides[run->side].is_sealed || run->known < ALERT_BYTES) {
		end_handshake(run, tls_alert_name(UINT8_MAX));
		return;
	}
	code = run->payload[1];
	/* Others are warnings. */
	if (run->payload[0] != ALERT_FATAL && code != ALERT_CLOSE)
		return;
	run->message->status = code;
	run->message->has_status = true;
	end_handshake(run, tls_alert_name(code));
}

static void take_client_hello(struct tls_run *run)
{
	run->step.begins = run->step.ends = !run->tls->sides[PROTOCOL_REQUESTS].has_hello;
	run->tls->sides[PROTOCOL_REQUESTS].has_hello = true;
	protocol_text_put(run->message->method, sizeof(run->message->method), "HANDSHAKE", 9);
}

static void take_handshake(struct tls_run *run)
{
	struct tls_side *own = &run->tls->sides[run->side];
	enum tls_hello_kind kind;
	uint16_t version;

	if (own->is_sealed) {
		finish_side(run);
		return;
	}
	if (own->has_hello)
		return;
	kind = tls_take_hello(run->message, run->payload, run->known, &version);
	if (kind == TLS_CLIENT_HELLO && run->side == PROTOCOL_REQUESTS) {
		take_client_hello(run);
	} else if (kind >= TLS_SERVER_HELLO && run->side == PROTOCOL_RESPONSES) {
		run->step.begins = true;
		own->has_hello = kind == TLS_SERVER_HELLO;
		/* A hello that asks for another one of the client is of this version alone. */
		run->tls->version = own->has_hello ? version : VERSION_1_3;
	}
}

/* What is encrypted from its beginning. */
static void take_data(struct tls_run *run)
{
	if (!run->tls->sides[PROTOCOL_RESPONSES].has_hello) {
		/* The server's hello was missed, or it is data that a client sends early. */
		if (run->side == PROTOCOL_RESPONSES || ++run->tls->early > EARLY_RECORDS_MAX)
			leave_handshake(run);
		return;
	}
	/* If it is not known, as the hello was cut, it may be any. */
	if (run->tls->version && run->tls->version != VERSION_1_3) {
		end_handshake(run, NULL);
		return;
	}
	if (run->side == PROTOCOL_RESPONSES)
		return;
	end_handshake(run, run->len == SEALED_ALERT_BYTES ? tls_alert_name(UINT8_MAX) : NULL);
}

static struct protocol_step tls_step(void *kept, enum protocol_side side,
				     const struct protocol_input *input,
				     struct protocol_message *message)
{
	static void (*const takes[])(struct tls_run * run) = {
		[TLS_CHANGE - TLS_CHANGE] = take_change,
		[TLS_ALERT - TLS_CHANGE] = take_alert,
		[TLS_HANDSHAKE - TLS_CHANGE] = take_handshake,
		[TLS_DATA - TLS_CHANGE] = take_data,
	};
	struct tls_run run = {.tls = kept,
			      .side = side,
			      .input = input,
			      .message = message,
			      .payload = input->data + RECORD_BYTES,
			      .step = {.action = PROTOCOL_GOES_ON, .wants_all = true}};

	if (!begins_record(input->data, input->len)) {
		run.step.action = PROTOCOL_LOST;
		return run.step;
	}
	run.len = record_length(input->data);
	run.known = input->len - RECORD_BYTES < run.len ? input->len - RECORD_BYTES : run.len;
	if (run.known < run.len && !input->is_cut) {
		run.step.action = PROTOCOL_WAITS;
		return run.step;
	}
	run.step.used = RECORD_BYTES + run.known;
	run.step.skip = run.len - run.known;
	takes[input->data[0] - TLS_CHANGE](&run);
	return run.step;
}

static const struct protocol_streams streams = {
	.create = tls_create,
	.destroy = tls_destroy,
	.stream_of = tls_stream_of,
	.step = tls_step,
	.lose = tls_lose,
};

/*
 * A connection is recognised by a hello alone: a record with a handshake of that type, whose length
 * fits, and its version.
 */
static enum protocol_verdict tls_recognise(enum protocol_side side,
					   const struct protocol_input *input)
{
	const uint8_t *data = input->data;
	const size_t len = input->len;
	const uint8_t hello = side == PROTOCOL_REQUESTS ? TLS_CLIENT_HELLO : TLS_SERVER_HELLO;

	if (data[0] != TLS_HANDSHAKE || !begins_record(data, len) ||
	    (len > RECORD_BYTES && data[RECORD_BYTES] != hello) ||
	    (len > RECORD_BYTES + 1 && data[RECORD_BYTES + 1]) ||
	    (len > RECORD_BYTES + 4 && data[RECORD_BYTES + 4] != 3) ||
	    (len > RECORD_BYTES + 5 && data[RECORD_BYTES + 5] > 4))
		return PROTOCOL_NO;
	if (len >= RECORD_BYTES && record_length(data) < HELLO_BYTES_MIN)
		return PROTOCOL_NO;
	return len > RECORD_BYTES + 5 ? PROTOCOL_YES : PROTOCOL_MAYBE;
}

/* Of a handshake that was not seen from its beginning nothing is known. */
static size_t tls_find(enum protocol_side side, const struct protocol_input *input)
{
	return begins_record(input->data, input->len) ? 0 : input->len;
}

const struct protocol protocol_tls = {
	.name = "tls",
	.number = request_protocols__tls,
	.class = PROTOCOL_OF_OTHERS,
	.streams = &streams,
	.recognise = tls_recognise,
	.find = tls_find,
};
