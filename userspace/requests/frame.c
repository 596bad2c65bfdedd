/* SPDX-License-Identifier: MIT */
/* Values of an exchange, in the order of events/request.def. */
#include "requests/frame.h"

#include <string.h>

#include "abi.h"
#include "event/event.h"
#include "requests/where.h"

enum { END_BYTES_MAX = 1 + 16 + sizeof(uint16_t) /* a SOCKADDR of IPv6 */ };

_Static_assert(sizeof(struct ppm_evt_hdr) + request__count * (sizeof(uint16_t) + sizeof(uint64_t)) +
			       MESSAGE_METHOD_BYTES + MESSAGE_TARGET_BYTES + MESSAGE_HOST_BYTES +
			       MESSAGE_TRACE_BYTES + MESSAGE_ERROR_BYTES + MESSAGE_ANSWER_BYTES +
			       MESSAGE_VERSION_BYTES + EXCHANGE_TUPLE_BYTES + END_BYTES_MAX <=
		       REQUEST_FRAME_BYTES,
	       "the largest frame");

_Static_assert((int)request__time_unknown - (int)request__time_cpu == (int)THREAD_PARTS,
	       "a parameter for each part");

/* A frame that grows; values are put in their order. */
struct writer {
	uint8_t *frame;
	size_t at;
};

/* The last bytes of a value are behind `at`. */
static void end_value(struct writer *writer, unsigned int param, size_t len)
{
	const uint16_t length = (uint16_t)len;

	memcpy(writer->frame + sizeof(struct ppm_evt_hdr) + param * sizeof(length), &length,
	       sizeof(length));
	writer->at += len;
}

static void put_bytes(struct writer *writer, unsigned int param, const void *bytes, size_t len)
{
	memcpy(writer->frame + writer->at, bytes, len);
	end_value(writer, param, len);
}

/* Absent if it is empty. */
static void frame_put_text(struct writer *writer, unsigned int param, const char *text)
{
	if (text[0])
		put_bytes(writer, param, text, strlen(text) + 1);
}

/*
 * A number of as many bytes as its type has; little-endian, as the machines that this runs on. What
 * is written behind it is overwritten.
 */
static void put_number(struct writer *writer, unsigned int param, int64_t value)
{
	const struct event_desc *desc = event_desc_get(EVENT_request);

	memcpy(writer->frame + writer->at, &value, sizeof(value));
	end_value(writer, param, param_type_size(desc->params[param].type));
}

/* From one time to a later one; bytes that crossed took no time. */
static void put_time(struct writer *writer, unsigned int param, uint64_t from_ns, uint64_t to_ns)
{
	if (from_ns && to_ns)
		put_number(writer, param, to_ns > from_ns ? (int64_t)(to_ns - from_ns) : 0);
}

/* As a SOCKADDR: family, address and port. */
static void put_end(struct writer *writer, unsigned int param, const struct exchange *exchange)
{
	uint8_t value[END_BYTES_MAX] = {exchange->real_len == 16 ? socket_families__AF_INET6
								 : socket_families__AF_INET};

	memcpy(value + 1, exchange->real.address, exchange->real_len);
	memcpy(value + 1 + exchange->real_len, &exchange->real.port, sizeof(exchange->real.port));
	put_bytes(writer, param, value, 1u + exchange->real_len + sizeof(exchange->real.port));
}

static void put_request(struct writer *writer, const struct exchange *exchange)
{
	const struct protocol_message *message = exchange->message.open;

	put_number(writer, request__fd,
		   exchange->response.first_ns ? exchange->response.fd : exchange->request.fd);
	put_number(writer, request__protocol, exchange->protocol);
	put_number(writer, request__role, exchange->role);
	frame_put_text(writer, request__method, message->method);
	frame_put_text(writer, request__target, message->target);
	frame_put_text(writer, request__host, message->host);
	if (exchange->has_status)
		put_number(writer, request__status, exchange->status);
	frame_put_text(writer, request__error, message->error);
}

/* How many bytes were missing is not known. */
static bool has_gap(const struct exchange *exchange, enum protocol_side side)
{
	return exchange->gaps >> side & 1;
}

static void put_sizes_and_times(struct writer *writer, const struct exchange *exchange)
{
	const struct exchange_part *request = &exchange->request, *response = &exchange->response;

	if (!has_gap(exchange, PROTOCOL_REQUESTS))
		put_number(writer, request__request_size, (int64_t)request->bytes);
	if (response->first_ns && !has_gap(exchange, PROTOCOL_RESPONSES))
		put_number(writer, request__response_size, (int64_t)response->bytes);
	if (exchange->connect_ns)
		put_number(writer, request__connect_time, (int64_t)exchange->connect_ns);
	put_time(writer, request__send_time, request->first_ns, request->last_ns);
	put_time(writer, request__first_byte_time, request->last_ns, response->first_ns);
	put_time(writer, request__receive_time, response->first_ns, response->last_ns);
	put_time(writer, request__total_time, request->first_ns, exchange->ended_ns);
}

/* What protocols know whose messages are streams. */
static void put_of_streams(struct writer *writer, const struct exchange *exchange)
{
	const struct protocol_message *message = exchange->message.open;

	frame_put_text(writer, request__version, message->version);
	if (message->has_counts[PROTOCOL_REQUESTS] && !has_gap(exchange, PROTOCOL_REQUESTS))
		put_number(writer, request__request_messages, message->counts[PROTOCOL_REQUESTS]);
	if (message->has_counts[PROTOCOL_RESPONSES] && !has_gap(exchange, PROTOCOL_RESPONSES))
		put_number(writer, request__response_messages, message->counts[PROTOCOL_RESPONSES]);
	if (message->deadline_ns)
		put_number(writer, request__deadline, (int64_t)message->deadline_ns);
	if (message->undecoded)
		put_number(writer, request__undecoded, message->undecoded);
}

/* The parts in the order of enum thread_part. */
static void put_where(struct writer *writer, const struct exchange *exchange)
{
	struct where where;

	if (!where_of(exchange, &where))
		return;
	for (unsigned int i = 0; i < THREAD_PARTS; i++)
		put_number(writer, request__time_cpu + i, (int64_t)where.ns[i]);
	put_number(writer, request__time_unknown, (int64_t)where.unknown_ns);
	put_number(writer, request__threads, where.threads);
	if (where.unlocked_by)
		put_number(writer, request__unlocked_by, where.unlocked_by);
}

uint32_t request_frame_write(const struct exchange *exchange, uint8_t frame[REQUEST_FRAME_BYTES])
{
	const size_t lengths = request__count * sizeof(uint16_t);
	const struct protocol_message *message = exchange->message.open;
	struct writer writer = {.frame = frame, .at = sizeof(struct ppm_evt_hdr) + lengths};
	struct ppm_evt_hdr header = {
		.ts = exchange->ended_ns,
		.tid = (uint64_t)(exchange->response.first_ns ? exchange->response.tid
							      : exchange->request.tid),
		.type = EVENT_request,
		.nparams = request__count,
	};

	memset(frame + sizeof(header), 0, lengths);
	put_request(&writer, exchange);
	put_sizes_and_times(&writer, exchange);
	frame_put_text(&writer, request__trace_id, message->trace_id);
	if (exchange->tuple_len)
		put_bytes(&writer, request__tuple, exchange->tuple, exchange->tuple_len);
	if (exchange->peer_pid)
		put_number(&writer, request__peer, exchange->peer_pid);
	frame_put_text(&writer, request__answer, message->answer);
	if (message->answer[0])
		put_number(&writer, request__ttl, message->ttl_s);
	if (exchange->real_len)
		put_end(&writer, request__real, exchange);
	put_of_streams(&writer, exchange);
	put_number(&writer, request__is_tls, exchange->is_tls);
	put_number(&writer, request__is_guess, exchange->is_guess);
	put_where(&writer, exchange);
	header.len = (uint32_t)writer.at;
	memcpy(frame, &header, sizeof(header));
	return header.len;
}
