/* SPDX-License-Identifier: MIT */
/* Streams of connections, from their first frame to the end of both sides. */
#include "requests/multiplex.h"

#include <string.h>

#include "event/event.h"
#include "requests/ends.h"
#include "requests/pairing.h"
#include "requests/requests.h"
#include "requests/where.h"

enum { SLOTS_FIRST = 4, SLOTS_MAX = 1024 /* powers of two */, GAPS = 8 };

#define BIT(side) (1u << (side))

/* Between two streams whose requests were seen. */
struct multiplex_gap {
	uint64_t from, to;
};

struct multiplex {
	void *kept; /* owned; of the protocol */
	uint64_t current[PROTOCOL_SIDES]; /* the stream that the last step was about; 0: none */
	uint64_t first, last; /* streams of requests that were seen; 0: none was */
	struct multiplex_gap gaps[GAPS]; /* a ring, with requests that are lost */
	unsigned int gaps_count; /* so far */
	/*
	 * Of those that are open, so many of the newest ones may lack the mark of a gap: who loses
	 * bytes over and over makes nobody walk over all of them each time.
	 */
	uint32_t fresh[PROTOCOL_SIDES];
	uint32_t early; /* that have a response, and no request yet */
	bool lost_requests; /* since `last` bytes were missing */
	uint32_t slots_count; /* a power of two: as many as streams were open, about */
	struct exchange **slots; /* owned; by stream */
};

static void free_slots(struct multiplex *multiplex, struct connections *all)
{
	const size_t bytes = multiplex->slots_count * sizeof(*multiplex->slots);

	all->room.held -= bytes;
	pool_free(&all->exchanges.pool, multiplex->slots, bytes);
}

static struct exchange **chain_of(const struct connections *all, struct multiplex *multiplex,
				  uint64_t stream)
{
	uint64_t hash = (stream ^ all->key.parts[0]) * (all->key.parts[1] | 1);

	return &multiplex->slots[(hash >> 32) & (multiplex->slots_count - 1)];
}

static struct exchange *find_stream(const struct connections *all, struct multiplex *multiplex,
				    uint64_t stream)
{
	struct exchange *exchange = stream ? *chain_of(all, multiplex, stream) : NULL;

	while (exchange && exchange->key != stream)
		exchange = exchange->chain;
	return exchange;
}

static struct exchange *current_of(struct connection *connection, const struct connections *all,
				   enum protocol_side side)
{
	return find_stream(all, connection->multiplex, connection->multiplex->current[side]);
}

static void link_slot(struct connection *connection, const struct connections *all,
		      struct exchange *exchange)
{
	struct exchange **link = chain_of(all, connection->multiplex, exchange->key);

	exchange->chain = *link;
	exchange->link = link;
	if (exchange->chain)
		exchange->chain->link = &exchange->chain;
	*link = exchange;
}

/* Returns false if out of memory: nothing changed. */
static bool set_slots(struct multiplex *multiplex, struct connections *all, uint32_t count)
{
	const size_t bytes = count * sizeof(*multiplex->slots);
	struct exchange **slots = pool_alloc(&all->exchanges.pool, bytes);

	if (!slots)
		return false;
	memset(slots, 0, bytes);
	all->room.held += bytes;
	free_slots(multiplex, all);
	multiplex->slots = slots;
	multiplex->slots_count = count;
	return true;
}

/* Chains stay short, unless there is no room. */
static void add_slots(struct connection *connection, struct connections *all)
{
	struct multiplex *multiplex = connection->multiplex;
	struct exchange *exchange;

	if (connection->queued < multiplex->slots_count || multiplex->slots_count >= SLOTS_MAX ||
	    all->room.held > all->room.max ||
	    !set_slots(multiplex, all, multiplex->slots_count * 2))
		return;
	for (exchange = connection->queue; exchange; exchange = exchange->next)
		link_slot(connection, all, exchange);
}

/* As the newest one, which has no mark yet. */
static void append_open(struct connection *connection, struct exchange *exchange)
{
	exchange->next = NULL;
	exchange->before = connection->queue ? connection->last : NULL;
	*(exchange->before ? &exchange->before->next : &connection->queue) = exchange;
	connection->last = exchange;
	for (unsigned int side = 0; side < PROTOCOL_SIDES; side++)
		connection->multiplex->fresh[side] +=
			connection->multiplex->fresh[side] < UINT32_MAX;
}

static void take_open(struct connection *connection, struct exchange *exchange)
{
	*(exchange->before ? &exchange->before->next : &connection->queue) = exchange->next;
	*(exchange->next ? &exchange->next->before : &connection->last) = exchange->before;
}

static void link_open(struct connection *connection, struct connections *all,
		      struct exchange *exchange)
{
	add_slots(connection, all);
	link_slot(connection, all, exchange);
	append_open(connection, exchange);
	connection->queued++;
}

static bool is_early(const struct exchange *exchange)
{
	return !exchange->request.first_ns;
}

static void unlink_open(struct exchange *exchange)
{
	struct connection *connection = exchange->connection;

	*exchange->link = exchange->chain;
	if (exchange->chain)
		exchange->chain->link = exchange->link;
	take_open(connection, exchange);
	connection->queued--;
	connection->multiplex->early -= is_early(exchange);
}

bool multiplex_begin(struct connection *connection, struct connections *all)
{
	struct multiplex *multiplex = pool_alloc(&all->exchanges.pool, sizeof(*multiplex));

	if (!multiplex)
		return false;
	memset(multiplex, 0, sizeof(*multiplex));
	all->room.pool = &all->exchanges.pool;
	all->room.max = MULTIPLEX_BYTES_MAX;
	if (set_slots(multiplex, all, SLOTS_FIRST))
		multiplex->kept = connection->protocol->streams->create(&all->room);
	if (!multiplex->kept) {
		free_slots(multiplex, all);
		pool_free(&all->exchanges.pool, multiplex, sizeof(*multiplex));
		return false;
	}
	all->room.held += sizeof(*multiplex);
	connection->multiplex = multiplex;
	return true;
}

void multiplex_finish(struct connection *connection, struct connections *all)
{
	connection->protocol->streams->destroy(connection->multiplex->kept);
	free_slots(connection->multiplex, all);
	all->room.held -= sizeof(*connection->multiplex);
	pool_free(&all->exchanges.pool, connection->multiplex, sizeof(*connection->multiplex));
	connection->multiplex = NULL;
}

static void give_up(struct connections *all, struct exchange *exchange, enum exchange_fate fate)
{
	unlink_open(exchange);
	exchanges_give_up(&all->exchanges, exchange, fate);
	exchanges_free(&all->exchanges, exchange);
}

/* What its message says becomes the exchange's, as it is given out. */
static void settle_message(struct connections *all, struct exchange *exchange)
{
	struct protocol_message *message = exchanges_message(&all->exchanges, exchange);

	if (!message)
		return;
	exchange->has_status = message->has_status;
	exchange->status = message->status;
	if (message->blames_client && exchange->role == request_roles__server)
		message->error[0] = '\0';
	all->exchanges.stats.undecoded += message->undecoded != 0;
}

/* error: NULL: it ended as it should. */
static void report(struct connections *all, struct exchange *exchange, uint64_t now_ns,
		   const char *error)
{
	unlink_open(exchange);
	settle_message(all, exchange);
	exchange->ended_ns = now_ns;
	if (error)
		exchanges_set_error(&all->exchanges, exchange, error);
	pairing_report(exchange->connection, all, exchange);
}

/* No more is said of it. A response that is whole stands as it is. */
static void close_stream(struct connections *all, struct exchange *exchange, uint64_t now_ns,
			 const char *error)
{
	bool is_answered = exchange->is_answered;

	if (is_early(exchange))
		give_up(all, exchange, EXCHANGE_UNKNOWN);
	else if (!is_answered && !exchange->is_sure && exchange->gaps)
		give_up(all, exchange, EXCHANGE_LOST);
	else
		report(all, exchange, is_answered ? exchange->response.last_ns : now_ns,
		       is_answered ? NULL : error);
}

/* The same, as one of the sides says. */
static void end_by_step(struct connections *all, struct exchange *exchange, uint64_t now_ns,
			const char *error)
{
	const struct protocol_streams *streams = exchange->connection->protocol->streams;
	struct protocol_message *message = NULL;

	if (error && streams->end_by_error && !exchange->is_answered && !is_early(exchange))
		message = exchanges_message(&all->exchanges, exchange);
	if (message && streams->end_by_error(message, error, now_ns - exchange->request.first_ns))
		error = NULL;
	close_stream(all, exchange, now_ns, error);
}

void multiplex_give_up(struct connection *connection, struct connections *all,
		       enum exchange_fate fate)
{
	while (connection->queue)
		give_up(all, connection->queue, fate);
}

void multiplex_close(struct connection *connection, struct connections *all, uint64_t now_ns,
		     const char *error)
{
	while (connection->queue)
		close_stream(all, connection->queue, now_ns, error);
}

void multiplex_adopt(struct connection *connection, struct connections *all,
		     struct exchange *exchange)
{
	struct multiplex *multiplex = connection->multiplex;

	exchange->key = multiplex->first = multiplex->last = 1;
	exchange->has_key = exchange->is_whole = true;
	exchange->is_queued = false;
	link_open(connection, all, exchange);
}

/* Its number is not used again: what still comes for it is of no stream. */
void multiplex_time_out(struct connections *all, struct exchange *exchange, uint64_t now_ns)
{
	const uint64_t timeout_ns = all->exchanges.waiting[EXCHANGE_OF_STREAM].timeout_ns;
	bool is_moving = exchange->request.last_ns + timeout_ns > now_ns;

	if (is_early(exchange) || exchange->is_answered || exchange->gaps) {
		close_stream(all, exchange, now_ns, NULL);
		return;
	}
	/* A stream may be silent for as long as it likes, once it is answered. */
	if (is_moving || exchange->response.first_ns) {
		exchanges_wait(&all->exchanges, exchange, now_ns);
		return;
	}
	close_stream(all, exchange, now_ns, "timeout");
}

/*
 * Steps.
 */

/* What is said of no stream, or of one that is not followed, is forgotten. */
static struct protocol_message *nowhere(struct connections *all)
{
	message_clear(&all->nowhere);
	return &all->nowhere;
}

static struct protocol_message *message_of(struct connection *connection, struct connections *all,
					   uint64_t stream, struct exchange *exchange)
{
	struct protocol_message *message = NULL;
	struct exchange *blank;

	if (exchange) {
		message = exchanges_message(&all->exchanges, exchange);
	} else if (stream && connection->queued < REQUESTS_PER_SOCKET_MAX) {
		blank = exchanges_blank(&all->exchanges);
		message = blank ? blank->message.open : NULL;
	}
	all->said = message ? message : nowhere(all);
	return all->said;
}

struct protocol_step multiplex_step(struct connection *connection, struct connections *all,
				    enum protocol_side side, const struct protocol_input *input)
{
	const struct protocol_streams *streams = connection->protocol->streams;
	struct multiplex *multiplex = connection->multiplex;
	struct exchange *exchange;
	uint64_t stream;

	if (!streams->stream_of(multiplex->kept, side, input, &stream))
		return (struct protocol_step){.action = PROTOCOL_WAITS};
	multiplex->current[side] = stream;
	exchange = find_stream(all, multiplex, stream);
	return streams->step(multiplex->kept, side, input,
			     message_of(connection, all, stream, exchange));
}

/* Those whose response came first, and whose request will not come any more. */
static void give_up_early(struct connection *connection, struct connections *all, uint64_t stream)
{
	struct exchange *exchange = connection->queue, *next;

	for (; exchange && connection->multiplex->early; exchange = next) {
		next = exchange->next;
		if (is_early(exchange) && exchange->key < stream)
			give_up(all, exchange,
				connection->multiplex->lost_requests ? EXCHANGE_LOST
								     : EXCHANGE_UNKNOWN);
	}
}

/* A stream is seen for the first time, with the message that the step wrote to the blank one. */
static struct exchange *begin_stream(struct connection *connection, struct connections *all,
				     const struct connection_call *call, uint64_t stream,
				     uint64_t first_ns)
{
	struct exchange *exchange = all->exchanges.blank;
	struct protocol_message *message = all->said;

	/* There was no room when the step wrote to it, though there may be some now. */
	if (!exchange || exchange->message.open != message) {
		all->exchanges.stats.no_room++;
		return NULL;
	}
	message->has_key = true;
	message->key = stream;
	exchange = exchanges_begin(
		&all->exchanges, EXCHANGE_OF_STREAM,
		message->protocol ? message->protocol : connection->protocol->number, first_ns);
	exchange->request = (struct exchange_part){0};
	pairing_describe(connection, all, call, exchange);
	connection->multiplex->early++;
	link_open(connection, all, exchange);
	return exchange;
}

static void note_request(struct connection *connection, struct connections *all, uint64_t stream)
{
	struct multiplex *multiplex = connection->multiplex;

	if (multiplex->early)
		give_up_early(connection, all, stream);
	if (!multiplex->first)
		multiplex->first = stream;
	if (multiplex->lost_requests) {
		multiplex->gaps[multiplex->gaps_count++ % GAPS] =
			(struct multiplex_gap){multiplex->last, stream};
		multiplex->lost_requests = false;
	}
	multiplex->last = stream > multiplex->last ? stream : multiplex->last;
}

/* Whether the request of a response was there, but not seen. */
static bool is_unseen(const struct multiplex *multiplex, uint64_t stream)
{
	for (unsigned int i = 0; i < GAPS; i++)
		if (stream > multiplex->gaps[i].from && stream < multiplex->gaps[i].to)
			return true;
	return stream < multiplex->first;
}

static struct exchange *begin_request(struct connection *connection, struct connections *all,
				      const struct connection_call *call, struct exchange *exchange,
				      uint64_t first_ns)
{
	struct multiplex *multiplex = connection->multiplex;
	uint64_t stream = multiplex->current[PROTOCOL_REQUESTS];

	/* Numbers rise: what is said of an older one is not its beginning. */
	if (!exchange && stream <= multiplex->last)
		return NULL;
	note_request(connection, all, stream);
	if (!exchange)
		exchange = begin_stream(connection, all, call, stream, first_ns);
	if (!exchange) {
		exchanges_count_stray(&all->exchanges, connection->protocol->number, EXCHANGE_LOST);
		return NULL;
	}
	multiplex->early--;
	exchange->request.first_ns = first_ns;
	return exchange;
}

/* Whether its first headers were seen. */
static bool has_status_of_http(const struct protocol_message *message)
{
	return message && (message->protocol ? message->note != 0 : message->has_status);
}

static struct exchange *begin_response(struct connection *connection, struct connections *all,
				       const struct connection_call *call,
				       struct exchange *exchange, uint64_t first_ns)
{
	struct multiplex *multiplex = connection->multiplex;
	uint64_t stream = multiplex->current[PROTOCOL_RESPONSES];

	if (!exchange && stream > multiplex->last)
		exchange = begin_stream(connection, all, call, stream, first_ns);
	if (!exchange)
		return NULL;
	/* Its trailers may be all that is seen of a response behind a gap. */
	if (exchange->gaps & BIT(PROTOCOL_RESPONSES)) {
		if (!has_status_of_http(exchange->message.open))
			return exchange;
		exchange->gaps &= (uint8_t)~BIT(PROTOCOL_RESPONSES);
		take_open(connection, exchange);
		append_open(connection, exchange);
	}
	exchange->response.first_ns = first_ns;
	return exchange;
}

static struct exchange_part *stream_part(struct exchange *exchange, enum protocol_side side)
{
	return side == PROTOCOL_REQUESTS ? &exchange->request : &exchange->response;
}

/* A message may turn out to be of another protocol when its response comes. */
static void note_protocol(struct exchange *exchange)
{
	const struct protocol_message *message = exchange->message.open;

	if (message && message->protocol)
		exchange->protocol = message->protocol;
}

static void add_bytes(struct connections *all, struct exchange *exchange, enum protocol_side side,
		      const struct connection_call *call, uint64_t bytes)
{
	struct exchange_part *part = stream_part(exchange, side);

	/* What comes before it has begun is none of its own. */
	if (part->first_ns)
		where_note(part, &all->exchanges, side, call, bytes);
}

void multiplex_add(struct connection *connection, struct connections *all, enum protocol_side side,
		   const struct connection_call *call, uint64_t bytes)
{
	struct exchange *exchange = current_of(connection, all, side);

	if (exchange)
		add_bytes(all, exchange, side, call, bytes);
}

/* Those of which a server says that it has not even begun them. */
static void refuse(struct connection *connection, struct connections *all, uint64_t last,
		   uint64_t now_ns, const char *error)
{
	struct exchange *exchange = connection->queue, *next;

	for (; exchange; exchange = next) {
		next = exchange->next;
		if (exchange->key > last)
			end_by_step(all, exchange, now_ns, error);
	}
}

void multiplex_apply(struct connection *connection, struct connections *all,
		     enum protocol_side side, const struct connection_call *call,
		     const struct protocol_step *step, uint64_t first_ns)
{
	struct exchange *exchange = current_of(connection, all, side);
	bool begins = step->begins && connection->multiplex->current[side] &&
		      !(exchange && stream_part(exchange, side)->first_ns);

	if (begins)
		exchange = side == PROTOCOL_REQUESTS
				   ? begin_request(connection, all, call, exchange, first_ns)
				   : begin_response(connection, all, call, exchange, first_ns);
	if (exchange) {
		add_bytes(all, exchange, side, call, step->used);
		note_protocol(exchange);
	}
	if (step->is_sure && exchange && exchange->response.first_ns)
		exchange->is_sure = true;
	if (step->closes && exchange)
		end_by_step(all, exchange, call->ts_ns, step->error);
	if (step->refuses)
		refuse(connection, all, step->last, call->ts_ns, step->error);
}

static void end_request(struct connections *all, struct exchange *exchange)
{
	if (is_early(exchange))
		return;
	exchange->is_whole = true;
	if (exchange->is_answered)
		close_stream(all, exchange, exchange->response.last_ns, NULL);
}

/*
 * Of what was missing, a size is not known. A response without its beginning is none. A request
 * that still comes is waited for, so that its size is known.
 */
static void end_response(struct connections *all, struct exchange *exchange)
{
	connection_forgive(exchange->connection);
	if (!exchange->response.first_ns ||
	    (is_early(exchange) && exchange->gaps & BIT(PROTOCOL_REQUESTS)))
		give_up(all, exchange, EXCHANGE_LOST);
	else if (exchange->is_whole || exchange->gaps & BIT(PROTOCOL_REQUESTS))
		report(all, exchange, exchange->response.last_ns, NULL);
	else
		exchange->is_answered = true;
}

void multiplex_end(struct connection *connection, struct connections *all, enum protocol_side side)
{
	struct multiplex *multiplex = connection->multiplex;
	struct exchange *exchange = current_of(connection, all, side);
	uint64_t stream = multiplex->current[side];

	if (exchange && side == PROTOCOL_REQUESTS)
		end_request(all, exchange);
	else if (exchange)
		end_response(all, exchange);
	else if (stream && side == PROTOCOL_RESPONSES && is_unseen(multiplex, stream))
		exchanges_count_stray(&all->exchanges, connection->protocol->number,
				      stream < multiplex->first ? EXCHANGE_UNKNOWN : EXCHANGE_LOST);
}

/* Of requests that were whole before, none is missing. */
void multiplex_lose(struct connection *connection, struct connections *all, enum protocol_side side)
{
	struct multiplex *multiplex = connection->multiplex;
	uint32_t fresh = multiplex->fresh[side];
	struct exchange *exchange;

	connection->protocol->streams->lose(multiplex->kept, side);
	multiplex->current[side] = 0;
	multiplex->lost_requests |= side == PROTOCOL_REQUESTS;
	exchange = connection->queue ? connection->last : NULL;
	for (; exchange && fresh; exchange = exchange->before, fresh--)
		if (side == PROTOCOL_REQUESTS ? !exchange->is_whole : !exchange->is_answered)
			exchange->gaps |= (uint8_t)BIT(side);
	multiplex->fresh[side] = 0;
}
