/* SPDX-License-Identifier: MIT */
/*
 * gRPC: calls are requests of HTTP/2, whose data are messages behind a flag and their length. The
 * status of a call is in its last headers. Of metadata nothing is kept.
 */
#include "requests/protocols/grpc.h"

#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/text.h"

enum {
	PREFIX_BYTES = 5, /* of a message: a flag, and its length */
	TIMEOUT_DIGITS_MAX = 8,
	HTTP_OK = 200,
};

/* What is known of a side's data between two steps. */
struct grpc_side {
	uint32_t left; /* bytes of the message that are to come; of its length while that comes */
	uint8_t prefix; /* bytes of the prefix that came; 0: it has come, or none began */
	bool is_lost; /* some data were not seen */
	bool is_named; /* of requests: the path is divided */
	uint8_t unused;
};

_Static_assert(sizeof(struct grpc_side) == sizeof(uint64_t), "what is kept of a side");

static const struct grpc_status {
	const char *name;
	bool is_of_server; /* the error is one of who answers */
} statuses[] = {
	{"OK", false},
	{"CANCELLED", false},
	{"UNKNOWN", true},
	{"INVALID_ARGUMENT", false},
	{"DEADLINE_EXCEEDED", true},
	{"NOT_FOUND", false},
	{"ALREADY_EXISTS", false},
	{"PERMISSION_DENIED", false},
	{"RESOURCE_EXHAUSTED", false},
	{"FAILED_PRECONDITION", false},
	{"ABORTED", false},
	{"OUT_OF_RANGE", false},
	{"UNIMPLEMENTED", true},
	{"INTERNAL", true},
	{"UNAVAILABLE", true},
	{"DATA_LOSS", true},
	{"UNAUTHENTICATED", false},
};

enum {
	STATUSES = sizeof(statuses) / sizeof(statuses[0]),
	STATUS_CANCELLED = 1,
	STATUS_UNKNOWN = 2,
	STATUS_LATE = 4,
	STATUS_INTERNAL = 13,
	DEADLINE_ROUNDED = 64, /* so small a part of it may be missing */
	DEADLINE_UNIT_NS = 1000000,
};

static struct grpc_side side_of(const struct protocol_message *message, enum protocol_side side)
{
	struct grpc_side own;

	memcpy(&own, &message->kept[side], sizeof(own));
	return own;
}

static void set_side(struct protocol_message *message, enum protocol_side side,
		     const struct grpc_side *own)
{
	memcpy(&message->kept[side], own, sizeof(*own));
}

bool grpc_is_content(struct http_text type)
{
	static const char grpc[] = "application/grpc";
	const size_t len = sizeof(grpc) - 1;

	/* That of grpc-web has its trailers in the data. */
	return type.len >= len && memcmp(type.data, grpc, len) == 0 &&
	       (type.len == len || type.data[len] == '+' || type.data[len] == ';');
}

void grpc_move_status(struct protocol_message *message)
{
	message->note = message->has_status ? (uint32_t)message->status : 0;
	message->has_status = false;
	message->status = 0;
	message->error[0] = '\0';
}

void grpc_begin(struct protocol_message *message)
{
	message->protocol = request_protocols__grpc;
	grpc_move_status(message);
	for (unsigned int side = 0; side < PROTOCOL_SIDES; side++)
		message->has_counts[side] = !side_of(message, side).is_lost;
}

void grpc_take_timeout(struct protocol_message *message, struct http_text value)
{
	static const struct {
		char letter;
		uint64_t ns;
	} units[] = {{'H', UINT64_C(3600000000000)},
		     {'M', UINT64_C(60000000000)},
		     {'S', 1000000000},
		     {'m', 1000000},
		     {'u', 1000},
		     {'n', 1}};
	uint64_t number = 0;

	if (value.len < 2 || value.len > TIMEOUT_DIGITS_MAX + 1)
		return;
	for (size_t i = 0; i + 1 < value.len; i++) {
		if (!http_is_digit(value.data[i]))
			return;
		number = number * 10 + value.data[i] - '0';
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (value.data[value.len - 1] == (uint8_t)units[i].letter)
			message->deadline_ns =
				number > INT64_MAX / units[i].ns ? INT64_MAX : number * units[i].ns;
}

void grpc_take_status(struct protocol_message *message, struct http_text value)
{
	int number = 0;

	if (!value.len || value.len > 2)
		return;
	for (size_t i = 0; i < value.len; i++) {
		if (!http_is_digit(value.data[i]))
			return;
		number = number * 10 + value.data[i] - '0';
	}
	if (!grpc_is_call(message))
		grpc_begin(message);
	message->status = number;
	message->has_status = true;
}

void grpc_name_call(struct protocol_message *message)
{
	struct grpc_side own = side_of(message, PROTOCOL_REQUESTS);
	char *path = message->target, *slash = strrchr(path, '/');

	if (own.is_named || path[0] != '/' || slash == path)
		return;
	own.is_named = true;
	set_side(message, PROTOCOL_REQUESTS, &own);
	protocol_text_put(message->method, sizeof(message->method), slash + 1, strlen(slash + 1));
	memmove(path, path + 1, (size_t)(slash - path - 1));
	slash[-1] = '\0';
}

void grpc_lose_count(struct protocol_message *message, enum protocol_side side)
{
	struct grpc_side own = side_of(message, side);

	own.is_lost = true;
	set_side(message, side, &own);
	message->has_counts[side] = false;
}

/* The next byte of the prefix of a message. */
static void take_prefix(struct protocol_message *message, enum protocol_side side,
			struct grpc_side *own, uint8_t byte)
{
	own->left = own->prefix ? own->left << 8 | byte : 0;
	if (++own->prefix < PREFIX_BYTES)
		return;
	own->prefix = 0;
	message->counts[side]++;
}

size_t grpc_take_data(struct protocol_message *message, enum protocol_side side,
		      const struct protocol_input *input, uint32_t left, uint32_t *skip)
{
	struct grpc_side own = side_of(message, side);
	size_t len = input->len < left ? input->len : left, at = 0;

	*skip = left;
	if (own.is_lost)
		return 0;
	while (at < len) {
		size_t rest = len - at;

		if (own.prefix || !own.left) {
			take_prefix(message, side, &own, input->data[at++]);
			continue;
		}
		rest = own.left < rest ? own.left : rest;
		own.left -= (uint32_t)rest;
		at += rest;
	}
	left -= (uint32_t)at;
	*skip = own.prefix ? 0 : own.left < left ? own.left : left;
	if (*skip < left && input->is_cut) {
		/* The next message begins where nothing is known. */
		own.is_lost = true;
		*skip = left;
	} else {
		own.left -= *skip;
	}
	set_side(message, side, &own);
	message->has_counts[side] = !own.is_lost;
	return at;
}

/* A proxy has answered in place of the server. */
static void take_http_error(struct protocol_message *message)
{
	if (!message->note || message->note == HTTP_OK)
		return;
	snprintf(message->error, sizeof(message->error), "%u", (unsigned int)message->note);
	message->blames_client = message->note < 500;
}

void grpc_end_response(struct protocol_message *message)
{
	const struct grpc_status *status;

	if (!message->has_status) {
		take_http_error(message);
		return;
	}
	status = &statuses[message->status < STATUSES ? message->status : STATUS_UNKNOWN];
	message->blames_client = !status->is_of_server;
	if (message->status)
		protocol_text_put(message->error, sizeof(message->error), status->name,
				  strlen(status->name));
}

/* Of what HTTP/2 says of a stream, calls have these; all else is INTERNAL. */
static const struct {
	const char *error;
	int32_t status;
} resets[] = {{"CANCEL", STATUS_CANCELLED},
	      {"REFUSED_STREAM", 14},
	      {"ENHANCE_YOUR_CALM", 8},
	      {"INADEQUATE_SECURITY", 7}};

bool grpc_end_by_error(struct protocol_message *message, const char *error, uint64_t took_ns)
{
	if (!grpc_is_call(message))
		return false;
	/* What a proxy says in place of the server is said, also if its body is not waited for. */
	if (message->note && message->note != HTTP_OK) {
		take_http_error(message);
		return true;
	}
	message->status = STATUS_INTERNAL;
	message->has_status = true;
	for (size_t i = 0; i < sizeof(resets) / sizeof(resets[0]); i++)
		if (strcmp(error, resets[i].error) == 0)
			message->status = resets[i].status;
	/* Who waits no longer hangs up; what it said of its time was rounded up, by a hundredth
	 * or a millisecond. */
	if (message->status == STATUS_CANCELLED && message->deadline_ns &&
	    took_ns + DEADLINE_UNIT_NS + message->deadline_ns / DEADLINE_ROUNDED >=
		    message->deadline_ns)
		message->status = STATUS_LATE;
	grpc_end_response(message);
	return true;
}

static const char *grpc_status_name(int32_t status)
{
	return statuses[status >= 0 && status < STATUSES ? status : STATUS_UNKNOWN].name;
}

static enum protocol_verdict grpc_recognise(enum protocol_side side,
					    const struct protocol_input *input)
{
	return PROTOCOL_NO;
}

/* Never of a connection: which of its messages are calls, HTTP/2 says. */
const struct protocol protocol_grpc = {
	.name = "grpc",
	.number = request_protocols__grpc,
	.class = PROTOCOL_OF_RPC,
	.status_name = grpc_status_name,
	.recognise = grpc_recognise,
};
