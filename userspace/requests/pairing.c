/* SPDX-License-Identifier: MIT */
/* The queue of open requests. */
#include "requests/pairing.h"

#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "requests/ends.h"
#include "requests/where.h"

/* Of more open requests than these it is not looked at whether they share keys. */
enum { NAMESAKES_LOOKED_AT = 64 };

bool pairing_has_message(const struct connection *connection, enum protocol_side side)
{
	return side == PROTOCOL_REQUESTS ? connection->asking != NULL : connection->answer != NULL;
}

struct protocol_message *pairing_message(const struct connection *connection,
					 struct connections *all, enum protocol_side side)
{
	struct messages *messages = &all->exchanges.messages;

	if (side == PROTOCOL_REQUESTS)
		return exchanges_message(&all->exchanges, connection->asking);
	return messages_open(messages, &connection->answer->message);
}

/* That of a response, to be read; one without anything if there is no memory for it. */
static const struct protocol_message *read_answer(struct connections *all,
						  struct exchange_answer *answer)
{
	static const struct protocol_message nothing;
	const struct protocol_message *message =
		messages_open(&all->exchanges.messages, &answer->message);

	return message ? message : &nothing;
}

void pairing_report(struct connection *connection, struct connections *all,
		    struct exchange *exchange)
{
	exchange->peer_pid = ends_peer(all->ends, all->state, connection);
	exchanges_report(&all->exchanges, exchange);
}

static struct exchange_part *part_of(const struct connection *connection, enum protocol_side side)
{
	if (side == PROTOCOL_REQUESTS)
		return connection->asking ? &connection->asking->request : NULL;
	return connection->answer ? &connection->answer->part : NULL;
}

static void enqueue(struct connection *connection, struct exchange *exchange)
{
	exchange->next = NULL;
	exchange->before = connection->queue ? connection->last : NULL;
	*(exchange->before ? &exchange->before->next : &connection->queue) = exchange;
	connection->last = exchange;
	connection->queued++;
	exchange->is_queued = true;
}

static void dequeue(struct connection *connection, struct exchange *exchange)
{
	*(exchange->before ? &exchange->before->next : &connection->queue) = exchange->next;
	*(exchange->next ? &exchange->next->before : &connection->last) = exchange->before;
	connection->queued--;
	exchange->is_queued = false;
}

/* The exchange is out of the queue and over: it goes unless its request still comes. */
static void free_unless_asking(struct connection *connection, struct connections *all,
			       struct exchange *exchange)
{
	if (exchange != connection->asking)
		exchanges_free(&all->exchanges, exchange);
}

uint8_t pairing_ends(const struct state_fd *file, uint8_t tuple[EXCHANGE_TUPLE_BYTES])
{
	bool is_ipv6 = file && file->type == SCAP_FD_IPV6;
	size_t address = is_ipv6 ? 16 : 4, port = sizeof(uint16_t);
	const union state_ends *ends;
	uint8_t *out = tuple;

	if (!file || !file->has_ends || !(is_ipv6 || file->type == SCAP_FD_IPV4))
		return 0;
	ends = state_fd_ends(file);
	*out++ = is_ipv6 ? socket_families__AF_INET6 : socket_families__AF_INET;
	memcpy(out, ends->source.address, address);
	memcpy(out + address, &ends->source.port, port);
	out += address + port;
	memcpy(out, ends->dest.address, address);
	memcpy(out + address, &ends->dest.port, port);
	return (uint8_t)(1 + 2 * (address + port));
}

static bool is_full(const struct connection *connection)
{
	return connection->queued >= REQUESTS_PER_SOCKET_MAX;
}

/* A server's connection is asked for once: there may be more of them than are kept. */
static void ask_for_real_end(struct connection *connection, struct connections *all,
			     const struct connection_call *call, const struct exchange *exchange)
{
	bool is_server = exchange->role == request_roles__server;
	const struct translation_socket socket = {
		.ino = connection_socket(connection), .pid = call->pid, .l4 = SCAP_L4_TCP};
	const struct translation_ends ends = {exchange->tuple, exchange->tuple_len, is_server};

	if (exchange->role != request_roles__client &&
	    (!is_server || connection->was_asked_for || connection_is_unwanted(connection, all)))
		return;
	connection->was_asked_for = is_server;
	/* The kernel tells of a client's connection when it is made: that is asked for already. */
	if (is_server)
		translations_forget(&all->translations, connection_socket(connection));
	translations_ask(&all->translations, &socket, &ends, call->ts_ns);
}

void pairing_describe(struct connection *connection, struct connections *all,
		      const struct connection_call *call, struct exchange *exchange)
{
	exchange->connection = connection;
	exchange->role = connection->role;
	exchange->connect_ns = connection->connect_us * UINT64_C(1000);
	connection->connect_us = 0;
	connection_mark(connection, exchange);
	exchange->tuple_len = pairing_ends(call->file, exchange->tuple);
	ask_for_real_end(connection, all, call, exchange);
}

static void add_debt(struct connection *connection, int n)
{
	int debt = connection->debt + n;

	connection->debt = (int16_t)(debt > INT16_MAX ? INT16_MAX : debt < -1 ? -1 : debt);
}

void pairing_lose_request(struct connection *connection, struct connections *all,
			  struct exchange *exchange)
{
	dequeue(connection, exchange);
	exchanges_give_up(&all->exchanges, exchange, EXCHANGE_LOST);
	free_unless_asking(connection, all, exchange);
}

/* Whether another open request has its key, so that nobody knows which of them is answered next. */
static bool has_namesake(const struct connection *connection, const struct exchange *exchange)
{
	const struct exchange *other = connection->queue;

	while (other && (other == exchange || !other->has_key || other->key != exchange->key))
		other = other->next;
	return other;
}

/*
 * Responses were missing: those that are open may have been answered. Keys need not be unique: of
 * requests that share one none can be told from the others any more. Who asks again with the key
 * of one in doubt has its response, or never will.
 */
static void doubt_open(struct connection *connection, struct connections *all)
{
	bool is_long = connection->queued > NAMESAKES_LOOKED_AT;
	struct exchange *exchange, *next;

	for (exchange = connection->queue; exchange; exchange = exchange->next)
		exchange->is_in_doubt = is_long || has_namesake(connection, exchange);
	for (exchange = connection->queue; exchange; exchange = next) {
		next = exchange->next;
		if (!exchange->is_in_doubt) {
			connection->has_doubts = exchange->is_in_doubt = true;
			continue;
		}
		add_debt(connection, !exchange->is_over);
		pairing_lose_request(connection, all, exchange);
	}
}

static void give_up_doubtful(struct connection *connection, struct connections *all, uint64_t key)
{
	struct exchange *exchange = connection->queue, *next;

	connection->has_doubts = false;
	for (; exchange; exchange = next) {
		next = exchange->next;
		if (exchange->is_in_doubt && exchange->has_key && exchange->key == key) {
			pairing_lose_request(connection, all, exchange);
			continue;
		}
		connection->has_doubts |= exchange->is_in_doubt;
	}
}

static bool begin_request(struct connection *connection, struct connections *all,
			  const struct connection_call *call, uint64_t first_ns)
{
	uint8_t number = connection->protocol->number;
	struct exchange *exchange =
		exchanges_begin(&all->exchanges, EXCHANGE_OF_STREAM, number, first_ns);

	pairing_describe(connection, all, call, exchange);
	connection->has_keys |= exchange->has_key;
	if (connection->has_doubts && exchange->has_key)
		give_up_doubtful(connection, all, exchange->key);
	connection->asking = exchange;
	if (connection->is_out_of_step && !connection->has_keys) {
		add_debt(connection, 1);
		exchanges_give_up(&all->exchanges, exchange, EXCHANGE_UNKNOWN);
		return true;
	}
	if (is_full(connection)) {
		exchanges_give_up(&all->exchanges, exchange, EXCHANGE_LOST);
		return false;
	}
	enqueue(connection, exchange);
	return true;
}

bool pairing_begin(struct connection *connection, struct connections *all, enum protocol_side side,
		   const struct connection_call *call, uint64_t first_ns)
{
	if (part_of(connection, side)) {
		/* The step wrote to that one: of its own message nothing is known. */
		pairing_end(connection, all, side);
		if (side == PROTOCOL_REQUESTS ? !exchanges_blank(&all->exchanges)
					      : !exchanges_blank_answer(&all->exchanges))
			return false;
	}
	if (side == PROTOCOL_REQUESTS)
		return begin_request(connection, all, call, first_ns);
	connection->answer = exchanges_begin_answer(&all->exchanges);
	connection->answer->part.first_ns = first_ns;
	connection->answer->tuple_len = pairing_ends(call->file, connection->answer->tuple);
	return true;
}

void pairing_add(struct connection *connection, struct connections *all, enum protocol_side side,
		 const struct connection_call *call, uint64_t bytes)
{
	struct exchange_part *part = part_of(connection, side);

	if (part)
		where_note(part, &all->exchanges, side, call, bytes);
}

/* No further step comes before its end: the open one is put aside meanwhile. */
void pairing_take_within(struct connection *connection, struct connections *all,
			 const struct connection_call *call, const struct protocol_step *step,
			 uint64_t first_ns)
{
	struct exchange_answer *open = connection->answer;
	struct exchange_answer *answer = exchanges_blank_answer(&all->exchanges);

	if (!answer) {
		all->exchanges.stats.no_room++;
		return;
	}
	answer->message.open->has_key = true;
	answer->message.open->key = step->key;
	connection->answer = NULL;
	pairing_begin(connection, all, PROTOCOL_RESPONSES, call, first_ns);
	pairing_add(connection, all, PROTOCOL_RESPONSES, call, step->used);
	pairing_end(connection, all, PROTOCOL_RESPONSES);
	connection->answer = open;
}

static struct exchange *request_of(const struct connection *connection,
				   const struct protocol_message *answer)
{
	struct exchange *exchange = connection->queue;

	if (!connection->has_keys)
		return exchange;
	while (exchange && answer->has_key && !(exchange->has_key && exchange->key == answer->key))
		exchange = exchange->next;
	return answer->has_key ? exchange : NULL;
}

bool pairing_is_asked(const struct connection *connection, const struct protocol_message *answer)
{
	return request_of(connection, answer);
}

const struct protocol_message *pairing_request(const struct connection *connection,
					       struct connections *all)
{
	static const struct protocol_message unknown;
	const struct protocol_message *answer =
		connection->answer ? read_answer(all, connection->answer) : &unknown;
	struct exchange *exchange = request_of(connection, answer);

	return exchange ? exchanges_message(&all->exchanges, exchange) : NULL;
}

/* A response whose request was not seen; or was given up, and is in the account. */
static void count_stray(struct connection *connection, struct connections *all,
			enum exchange_fate fate)
{
	if (connection->debt > 0) {
		connection->debt--;
		return;
	}
	if (!connection->is_out_of_step || connection->knows_debt)
		add_debt(connection, -1);
	exchanges_count_stray(&all->exchanges,
			      connection->protocol ? connection->protocol->number : 0, fate);
}

/* The room of both is the same. */
static void copy_text(char *to, const char *from)
{
	memcpy(to, from, strlen(from) + 1);
}

void pairing_set_response(struct connections *all, struct exchange *exchange,
			  struct exchange_answer *answer)
{
	const struct protocol_message *from =
		messages_open(&all->exchanges.messages, &answer->message);
	struct protocol_message *to = exchanges_message(&all->exchanges, exchange);
	struct exchange_times *replaced = exchange->response.times;

	exchange->response = answer->part;
	answer->part.times = replaced;
	exchange->ended_ns = answer->part.last_ns;
	exchange->is_lost |= !from;
	if (!from || !to)
		return;
	exchange->has_status = from->has_status;
	exchange->status = from->status;
	if (!(from->blames_client && exchange->role == request_roles__server))
		copy_text(to->error, from->error);
	copy_text(to->answer, from->answer);
	to->ttl_s = from->ttl_s;
	if (!to->version[0])
		copy_text(to->version, from->version);
	if (!to->trace_id[0])
		copy_text(to->trace_id, from->trace_id);
}

/* Gives up those in the queue; that whose bytes come stays, out of it. */
static unsigned int give_up_queue(struct connection *connection, struct connections *all,
				  enum exchange_fate fate)
{
	unsigned int given_up = 0;

	while (connection->queue) {
		struct exchange *exchange = connection->queue;

		dequeue(connection, exchange);
		exchanges_give_up(&all->exchanges, exchange, fate);
		free_unless_asking(connection, all, exchange);
		given_up++;
	}
	return given_up;
}

static struct exchange *take_held(struct connection *connection)
{
	struct exchange *exchange = connection->held;

	if (exchange)
		connection->held = exchange->next;
	return exchange;
}

void pairing_believe(struct connection *connection, struct connections *all)
{
	struct exchange *oldest = NULL, *exchange;

	connection->is_on_probation = false;
	while ((exchange = take_held(connection))) {
		exchange->next = oldest;
		oldest = exchange;
	}
	while ((exchange = oldest)) {
		oldest = exchange->next;
		pairing_report(connection, all, exchange);
	}
}

static void give_up_held(struct connection *connection, struct connections *all,
			 enum exchange_fate fate)
{
	struct exchange *exchange;

	connection->is_on_probation = false;
	while ((exchange = take_held(connection))) {
		exchanges_give_up(&all->exchanges, exchange, fate);
		exchanges_free(&all->exchanges, exchange);
	}
}

void pairing_doubt(struct connection *connection, struct connections *all)
{
	if (!connection->is_on_probation)
		return;
	give_up_held(connection, all, EXCHANGE_UNKNOWN);
	add_debt(connection, (int)give_up_queue(connection, all, EXCHANGE_UNKNOWN));
	connection->is_out_of_step = true;
	connection->has_turned = connection->knows_debt = false;
}

/* A text is known from when its response says so: the requests behind it come later. */
static void take_statement(struct connection *connection, struct connections *all,
			   struct exchange *exchange, const struct protocol_message *answer)
{
	struct protocol_message *message = exchanges_message(&all->exchanges, exchange);
	const struct statement *statement;
	uint64_t key;

	if (!message)
		return;
	key = answer->has_statement ? answer->statement : message->statement;
	if (message->statement_use == STATEMENT_KEEPS && !answer->error[0] &&
	    (answer->has_statement || message->has_statement))
		statements_keep(&all->statements, &all->key, &connection->prepared, key,
				message->statement_method, message->target);
	if (message->statement_use != STATEMENT_USES)
		return;
	statement = statements_find(&all->statements, &all->key, &connection->prepared,
				    message->statement);
	if (!statement)
		return;
	memcpy(message->method, statement->method, sizeof(message->method));
	snprintf(message->target, sizeof(message->target), "%s", statement->text);
}

/* Requests that are open may use it still; then it stays until its place is needed. */
static void drop_statement(struct connection *connection, struct connections *all,
			   const struct protocol_message *message)
{
	if (message->statement_use == STATEMENT_DROPS && !connection->queue)
		statements_drop(&all->statements, &all->key, &connection->prepared,
				message->statement);
}

/* What a server says before it is asked becomes a request, of no bytes. */
static void report_alone(struct connection *connection, struct connections *all,
			 struct exchange_answer *answer)
{
	struct exchange *exchange = exchanges_blank(&all->exchanges);

	if (!exchange) {
		all->exchanges.stats.no_room++;
		return;
	}
	*exchange->message.open = *read_answer(all, answer);
	exchange = exchanges_begin(&all->exchanges, EXCHANGE_OF_STREAM,
				   connection->protocol->number, answer->part.first_ns);
	exchange->role = connection->role;
	connection_mark(connection, exchange);
	exchange->request.tid = answer->part.tid;
	exchange->request.fd = answer->part.fd;
	memcpy(exchange->tuple, answer->tuple, sizeof(exchange->tuple));
	exchange->tuple_len = answer->tuple_len;
	pairing_set_response(all, exchange, answer);
	pairing_report(connection, all, exchange);
}

/* It has its whole request and response. */
static void complete(struct connection *connection, struct connections *all,
		     struct exchange *exchange)
{
	if (!connection->is_on_probation) {
		pairing_report(connection, all, exchange);
		return;
	}
	exchange->is_answered = true;
	exchange->next = connection->held;
	connection->held = exchange;
}

/* Whether it is none of a request. */
static bool answers_nothing(const struct protocol_message *answer)
{
	return answer->is_aside || answer->is_alone;
}

static void close_exchange_with(struct connection *connection, struct connections *all,
				struct exchange *exchange, uint64_t now_ns, const char *error);

/* Which requests nothing answers any more, as a response says. */
struct ended {
	uint64_t key, mask, but;
};

static void end_others(struct connection *connection, struct connections *all,
		       const struct ended *ended, uint64_t now_ns)
{
	struct exchange *exchange = connection->queue, *next;

	for (; exchange; exchange = next) {
		next = exchange->next;
		if (exchange != connection->asking && exchange->has_key &&
		    exchange->key != ended->but &&
		    (exchange->key & ended->mask) == (ended->key & ended->mask))
			close_exchange_with(connection, all, exchange, now_ns, "closed");
	}
}

static void end_response(struct connection *connection, struct connections *all)
{
	struct exchange_answer *answer = connection->answer;
	const struct protocol_message *message = read_answer(all, answer);
	const struct ended ended = {message->key, message->ends_mask, message->ends_but};
	struct exchange *exchange;

	connection->answer = NULL;
	if (message->is_alone)
		report_alone(connection, all, answer);
	if (answers_nothing(message))
		goto out;
	connection_forgive(connection);
	exchange = request_of(connection, message);
	if (!exchange) {
		count_stray(connection, all, EXCHANGE_UNKNOWN);
		connection->had_stray = connection->is_on_probation;
		pairing_doubt(connection, all);
		goto out;
	}
	dequeue(connection, exchange);
	if (exchange->is_over) {
		free_unless_asking(connection, all, exchange);
		goto out;
	}
	pairing_set_response(all, exchange, answer);
	take_statement(connection, all, exchange, message);
	if (exchange->is_whole)
		complete(connection, all, exchange);
	else
		exchange->is_answered = true;
out:
	if (ended.mask)
		end_others(connection, all, &ended, answer->part.last_ns);
	exchanges_free_answer(&all->exchanges, answer);
}

static void end_request(struct connection *connection, struct connections *all)
{
	struct exchange *exchange = connection->asking;
	const struct protocol_message *message = exchanges_message(&all->exchanges, exchange);
	bool is_oneway = message && message->is_oneway;

	connection->asking = NULL;
	exchange->is_whole = true;
	connection->has_asked = !is_oneway;
	if (is_oneway && exchange->is_queued) {
		dequeue(connection, exchange);
		drop_statement(connection, all, message);
		exchange->is_answered = true;
		exchange->ended_ns = exchange->request.last_ns;
	}
	if (exchange->is_queued)
		return;
	if (exchange->is_over && is_oneway && connection->debt > 0)
		connection->debt--;
	if (exchange->is_answered && !exchange->is_over)
		complete(connection, all, exchange);
	else
		exchanges_free(&all->exchanges, exchange);
}

void pairing_end(struct connection *connection, struct connections *all, enum protocol_side side)
{
	if (!part_of(connection, side))
		return;
	if (side == PROTOCOL_REQUESTS)
		end_request(connection, all);
	else
		end_response(connection, all);
}

struct exchange *pairing_take_request(struct connection *connection, struct connections *all)
{
	struct exchange *exchange = connection->queue;

	exchanges_free_answer(&all->exchanges, connection->answer);
	connection->answer = NULL;
	if (!exchange || exchange->is_over || exchange == connection->asking)
		return NULL;
	dequeue(connection, exchange);
	return exchange;
}

void pairing_give_out(struct connection *connection, struct connections *all,
		      struct exchange *exchange)
{
	dequeue(connection, exchange);
	pairing_report(connection, all, exchange);
}

static void drop_asking(struct connection *connection, struct connections *all,
			enum exchange_fate fate)
{
	struct exchange *exchange = connection->asking;

	if (!exchange)
		return;
	if (exchange->is_queued)
		dequeue(connection, exchange);
	connection->asking = NULL;
	exchanges_give_up(&all->exchanges, exchange, fate);
	exchanges_free(&all->exchanges, exchange);
}

static void drop_answer(struct connection *connection, struct connections *all,
			enum exchange_fate fate)
{
	struct exchange_answer *answer = connection->answer;
	const struct protocol_message *message;

	if (!answer)
		return;
	connection->answer = NULL;
	message = read_answer(all, answer);
	if (!answers_nothing(message) && !request_of(connection, message))
		count_stray(connection, all, fate);
	exchanges_free_answer(&all->exchanges, answer);
}

static void lose_responses(struct connection *connection, struct connections *all)
{
	drop_answer(connection, all, EXCHANGE_LOST);
	add_debt(connection, (int)give_up_queue(connection, all, EXCHANGE_LOST));
}

/* The response to a request that was lost comes, too. */
static void lose_request(struct connection *connection, struct connections *all, bool is_gap)
{
	struct requests_protocol_stats *account =
		exchanges_account(&all->exchanges, connection->protocol->number);

	if (!connection->asking && !is_gap)
		return;
	if (!connection->asking && connection->debt >= 0) {
		/* The first of the missing bytes began one. */
		account->seen++;
		account->lost++;
	}
	/* That of one which is over already is in the debt. */
	if (!connection->asking || connection->asking->is_queued)
		add_debt(connection, 1);
	drop_asking(connection, all, EXCHANGE_LOST);
}

void pairing_begin_with_debt(struct connection *connection, struct connections *all)
{
	bool is_in = connection->requests == DIRECTION_IN;

	if (is_in ? connection->missed_in : connection->missed_out)
		lose_request(connection, all, true);
	if (is_in ? connection->missed_out : connection->missed_in)
		connection->knows_debt = false;
}

void pairing_lose(struct connection *connection, struct connections *all, enum protocol_side side,
		  bool is_gap)
{
	pairing_doubt(connection, all);
	if (!connection->is_out_of_step)
		connection->knows_debt = true;
	connection->is_out_of_step = true;
	if (side == PROTOCOL_REQUESTS) {
		lose_request(connection, all, is_gap);
		/* What stands behind the gap may follow others in it that have no response yet. */
		connection->has_turned = connection->had_stray = false;
		return;
	}
	connection->knows_debt = connection->may_overlap = false;
	connection->has_turned = true;
	if (connection->has_keys) {
		drop_answer(connection, all, EXCHANGE_LOST);
		doubt_open(connection, all);
	} else
		lose_responses(connection, all);
}

void pairing_restart(struct connection *connection, struct connections *all, bool is_sure)
{
	drop_answer(connection, all, EXCHANGE_LOST);
	give_up_queue(connection, all, EXCHANGE_UNKNOWN);
	connection->debt = 0;
	connection->is_out_of_step = connection->has_turned = false;
	connection->is_on_probation = !is_sure;
}

void pairing_give_up(struct connection *connection, struct connections *all,
		     enum exchange_fate fate)
{
	give_up_held(connection, all, fate);
	drop_answer(connection, all, fate == EXCHANGE_UNWANTED ? fate : EXCHANGE_LOST);
	drop_asking(connection, all, fate);
	give_up_queue(connection, all, fate);
}

/* Whether the response whose bytes came last is that of an open request. */
static bool is_answered_by(const struct connection *connection, struct connections *all,
			   const struct exchange *exchange)
{
	const struct protocol_message *answer;

	if (!connection->answer)
		return false;
	answer = read_answer(all, connection->answer);
	return !answers_nothing(answer) && request_of(connection, answer) == exchange;
}

static void close_exchange_with(struct connection *connection, struct connections *all,
				struct exchange *exchange, uint64_t now_ns, const char *error)
{
	bool is_its_answer = is_answered_by(connection, all, exchange);

	if (exchange->is_in_doubt && !is_its_answer) {
		pairing_lose_request(connection, all, exchange);
		return;
	}
	dequeue(connection, exchange);
	if (exchange->is_over) {
		exchanges_free(&all->exchanges, exchange);
		return;
	}
	if (is_its_answer) {
		pairing_set_response(all, exchange, connection->answer);
		exchanges_free_answer(&all->exchanges, connection->answer);
		connection->answer = NULL;
	}
	exchange->ended_ns = now_ns;
	exchanges_set_error(&all->exchanges, exchange, error);
	pairing_report(connection, all, exchange);
}

void pairing_close(struct connection *connection, struct connections *all, uint64_t now_ns,
		   const char *error)
{
	struct exchange *asking = connection->asking;

	pairing_believe(connection, all);
	connection->asking = NULL;
	if (asking && !asking->is_queued && asking->is_answered && !asking->is_over)
		pairing_report(connection, all, asking);
	else if (asking && !asking->is_queued)
		exchanges_free(&all->exchanges, asking);
	while (connection->queue)
		close_exchange_with(connection, all, connection->queue, now_ns, error);
	drop_answer(connection, all, EXCHANGE_LOST);
}
