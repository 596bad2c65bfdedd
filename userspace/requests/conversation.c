/* SPDX-License-Identifier: MIT */
/* Requests by turns: which side speaks. */
#include "requests/conversation.h"

#include "event/event.h"
#include "requests/pairing.h"
#include "requests/where.h"

/* What is to become of a request: its `note`. */
enum conversation_note {
	NOTE_REPORT,
	NOTE_UNKNOWN, /* its first bytes may have been before the capture */
	NOTE_LOST, /* turns may be missing */
};

/* On trial, they are in an account that nobody sees. */
enum { NUMBER_ON_TRIAL = REQUESTS_PROTOCOLS_MAX - 1 };

static bool is_on_trial(const struct connection *connection)
{
	return !connection->is_sized;
}

static void begin_conversation(struct connection *connection, const struct connection_call *call,
			       const struct stream_piece *piece)
{
	const struct stream *in = &connection->streams[DIRECTION_IN],
			    *out = &connection->streams[DIRECTION_OUT];

	connection->is_counted = true;
	connection->has_places = piece->is_placed;
	connection->has_turned = false;
	connection->is_behind = connection->is_out_of_step;
	connection->requests = call->direction;
	if (connection->role != request_roles__unknown)
		connection->requests =
			connection->role == request_roles__server ? DIRECTION_IN : DIRECTION_OUT;
	connection->counted[call->direction] = piece->end - piece->len;
	connection->counted[!call->direction] = piece->other;
	if (in->is_placed)
		connection->counted[DIRECTION_IN] = in->next;
	if (out->is_placed)
		connection->counted[DIRECTION_OUT] = out->next;
}

/* Of the first request. */
static void take_connect_time(struct connection *connection, struct exchange *exchange)
{
	exchange->connect_ns = connection->connect_us * UINT64_C(1000);
	connection->connect_us = 0;
}

static struct exchange *begin_exchange(struct connection *connection, struct connections *all,
				       const struct connection_call *call)
{
	struct exchange *exchange = exchanges_blank(&all->exchanges);
	uint8_t number = request_protocols__unknown;

	if (!exchange) {
		all->exchanges.stats.no_room++;
		return NULL;
	}
	if (is_on_trial(connection))
		number = NUMBER_ON_TRIAL;
	exchange = exchanges_begin(&all->exchanges, EXCHANGE_OF_TURNS, number, call->ts_ns);
	exchange->connection = connection;
	connection_mark(connection, exchange);
	exchange->role = connection->role;
	if (!is_on_trial(connection))
		take_connect_time(connection, exchange);
	exchange->tuple_len = pairing_ends(call->file, exchange->tuple);
	exchange->note = connection->is_behind ? NOTE_UNKNOWN : NOTE_REPORT;
	connection->is_behind = false;
	connection->queue = exchange;
	return exchange;
}

/* It is the caller's, and over. */
static void end_exchange(struct connection *connection, struct connections *all,
			 struct exchange *exchange)
{
	if (exchange->note == NOTE_REPORT) {
		pairing_report(connection, all, exchange);
		return;
	}
	exchanges_give_up(&all->exchanges, exchange,
			  exchange->note == NOTE_LOST ? EXCHANGE_LOST : EXCHANGE_UNKNOWN);
	exchanges_free(&all->exchanges, exchange);
}

/* The open one has its response, and is given out. */
static void report_turn(struct connection *connection, struct connections *all)
{
	struct exchange *exchange = connection->queue;

	connection->queue = NULL;
	exchange->ended_ns = exchange->response.last_ns;
	end_exchange(connection, all, exchange);
}

static void end_turn(struct connection *connection, struct connections *all)
{
	struct exchange *exchange = connection->queue;

	if (!is_on_trial(connection)) {
		report_turn(connection, all);
		return;
	}
	exchange->ended_ns = exchange->response.last_ns;
	exchange->next = connection->held;
	connection->held = exchange;
	connection->queue = NULL;
}

static void add_bytes(struct connections *all, struct exchange *exchange, enum protocol_side side,
		      const struct connection_call *call, uint64_t bytes)
{
	struct exchange_part *part =
		side == PROTOCOL_REQUESTS ? &exchange->request : &exchange->response;

	if (!part->first_ns)
		part->first_ns = call->ts_ns;
	where_note(part, &all->exchanges, side, call, bytes);
}

/* What a server says before anybody asked is no response. */
static void take_bytes(struct connection *connection, struct connections *all,
		       const struct connection_call *call, enum recognition_direction direction,
		       uint32_t bytes)
{
	bool is_request = direction == connection->requests;
	struct exchange *open = connection->queue;

	if (bytes == 0)
		return;
	connection->counted[direction] += bytes;
	if (is_request && open && open->response.first_ns) {
		end_turn(connection, all);
		open = NULL;
	}
	if (!open && (is_request || connection->is_behind))
		open = begin_exchange(connection, all, call);
	if (!open)
		return;
	connection->has_turned |= !is_request;
	add_bytes(all, open, is_request ? PROTOCOL_REQUESTS : PROTOCOL_RESPONSES, call, bytes);
}

/* How many bytes a place is behind those that were counted; 0: it is not. */
static uint32_t beyond(const struct connection *connection, enum recognition_direction direction,
		       uint32_t place)
{
	int32_t more = (int32_t)(place - connection->counted[direction]);

	return more > 0 ? (uint32_t)more : 0;
}

/*
 * The place of the other direction counts bytes whose call is only seen later, or never: who reads
 * in one thread what another one asked for may be faster. Where both directions have bytes that
 * nobody saw, nobody knows who spoke how often.
 */
void conversation_take(struct connection *connection, struct connections *all,
		       const struct connection_call *call, const struct stream_piece *piece)
{
	const enum recognition_direction direction = call->direction;
	uint32_t bytes = piece->len, unseen = 0;

	if (!connection->is_counted)
		begin_conversation(connection, call, piece);
	if (piece->is_placed && connection->has_places) {
		bytes = beyond(connection, direction, piece->end);
		unseen = beyond(connection, !direction, piece->other);
	}
	take_bytes(connection, all, call, !direction, unseen);
	if (unseen && bytes > piece->len && connection->queue)
		connection->queue->note = NOTE_LOST;
	take_bytes(connection, all, call, direction, bytes);
	if (unseen && bytes > piece->len && connection->queue)
		connection->queue->note = NOTE_LOST;
	connection->last_ns = call->ts_ns;
}

/* It is of no known protocol, and in that account. */
static void name_exchange(struct connection *connection, struct connections *all,
			  struct exchange *exchange)
{
	struct requests_protocol_stats *from = exchanges_account(&all->exchanges, NUMBER_ON_TRIAL),
				       *to = exchanges_account(&all->exchanges,
							       request_protocols__unknown);

	if (exchange->protocol != NUMBER_ON_TRIAL)
		return;
	take_connect_time(connection, exchange);
	exchange->protocol = exchange->account = request_protocols__unknown;
	from->seen--;
	from->open--;
	to->seen++;
	to->open++;
}

void conversation_settle(struct connection *connection, struct connections *all)
{
	struct exchange *oldest = NULL, *exchange;

	while ((exchange = connection->held)) {
		connection->held = exchange->next;
		exchange->next = oldest;
		oldest = exchange;
	}
	while ((exchange = oldest)) {
		oldest = exchange->next;
		name_exchange(connection, all, exchange);
		end_exchange(connection, all, exchange);
	}
	if (connection->queue)
		name_exchange(connection, all, connection->queue);
}

static void forget_exchange(struct connections *all, struct exchange *exchange,
			    enum exchange_fate fate)
{
	exchanges_give_up(&all->exchanges, exchange, fate);
	exchanges_free(&all->exchanges, exchange);
}

void conversation_forget(struct connection *connection, struct connections *all)
{
	struct exchange *exchange;

	while ((exchange = connection->held)) {
		connection->held = exchange->next;
		forget_exchange(all, exchange, EXCHANGE_UNKNOWN);
	}
	if (connection->queue)
		forget_exchange(all, connection->queue, EXCHANGE_UNKNOWN);
	connection->queue = NULL;
	connection->is_counted = connection->has_asked = false;
}

/* A request that nobody answered: why, if that is an error. */
static void end_unanswered(struct connection *connection, struct connections *all, uint64_t now_ns,
			   const char *error)
{
	struct exchange *exchange = connection->queue;

	connection->queue = NULL;
	exchange->ended_ns = now_ns;
	exchanges_set_error(&all->exchanges, exchange, error);
	if (!error[0] && exchange->note == NOTE_REPORT)
		exchange->note = NOTE_UNKNOWN;
	end_exchange(connection, all, exchange);
}

void conversation_close(struct connection *connection, struct connections *all, uint64_t now_ns)
{
	conversation_settle(connection, all);
	if (!connection->queue)
		return;
	if (connection->queue->response.first_ns)
		report_turn(connection, all);
	else
		end_unanswered(connection, all, now_ns, connection->was_reset ? "reset" : "");
}

void conversation_give_up(struct connection *connection, struct connections *all,
			  enum exchange_fate fate)
{
	conversation_settle(connection, all);
	if (connection->queue)
		forget_exchange(all, connection->queue, fate);
	connection->queue = NULL;
	connection->is_counted = false;
}

/* Who never answered need not: it may be that only one side speaks. */
void conversation_time_out(struct connections *all, struct exchange *exchange, uint64_t now_ns)
{
	struct connection *connection = exchange->connection;
	uint64_t timeout_ns = all->exchanges.waiting[EXCHANGE_OF_STREAM].timeout_ns;

	if (connection->last_ns + REQUESTS_SILENCE_NS > now_ns) {
		exchanges_wait(&all->exchanges, exchange, now_ns);
		return;
	}
	conversation_settle(connection, all);
	if (exchange != connection->queue)
		return;
	if (exchange->response.first_ns)
		report_turn(connection, all);
	else if (connection->last_ns + timeout_ns > now_ns)
		exchanges_wait(&all->exchanges, exchange, now_ns);
	else
		end_unanswered(connection, all, now_ns, connection->has_turned ? "timeout" : "");
}
