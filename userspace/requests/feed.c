/* SPDX-License-Identifier: MIT */
/* Steps of the protocol of a connection, and where its bytes are missing or not understood. */
#include "requests/feed.h"

#include "requests/multiplex.h"
#include "requests/pairing.h"
#include "requests/requests.h"
#include "requests/verdict.h"

enum {
	LOST_MAX = 32, /* a verdict is taken back at so many points */
	/* Of a piece; what is behind them is left out. Each costs more than it costs to send it. */
	LOSSES_MAX = 8,
	RETRACTIONS_MAX = 2, /* then the connection is opaque */
};

static void retract_verdict(const struct feed *feed)
{
	struct connection *connection = feed->connection;

	verdict_end_requests(connection, feed->all, EXCHANGE_UNKNOWN);
	verdict_begin(connection, feed->all);
	connection->is_out_of_step = true;
	feed->all->exchanges.stats.given_up++;
	if (++connection->retractions >= RETRACTIONS_MAX)
		verdict_give_up(feed->connection, feed->all);
}

/* Bytes were missing, or are not understood: until a message begins, nobody knows what they are. */
static void lose_place(const struct feed *feed, bool is_gap)
{
	if (connection_has_streams(feed->connection))
		multiplex_lose(feed->connection, feed->all, feed_side(feed));
	else
		pairing_lose(feed->connection, feed->all, feed_side(feed), is_gap);
	stream_forget(feed->stream);
	feed->stream->is_searching = true;
}

void feed_no_room(const struct feed *feed)
{
	feed->all->exchanges.stats.no_room++;
	if (feed->connection->protocol)
		lose_place(feed, true);
}

/* A request whose end is missing was whole, once it is answered. Who asked goes on with another. */
static void end_open_request(struct connection *connection, struct connections *all)
{
	struct stream *requests = &connection->streams[connection->requests];

	if (!requests->is_open_ended ||
	    (connection->asking ? !connection->asking->is_answered : connection->queued))
		return;
	pairing_end(connection, all, PROTOCOL_REQUESTS);
	stream_forget(requests);
	requests->is_searching = true;
}

static void end_message(const struct feed *feed)
{
	if (connection_has_streams(feed->connection))
		multiplex_end(feed->connection, feed->all, feed_side(feed));
	else
		pairing_end(feed->connection, feed->all, feed_side(feed));
	if (feed_side(feed) != PROTOCOL_RESPONSES)
		return;
	end_open_request(feed->connection, feed->all);
	feed->connection->answers += feed->connection->answers < UINT8_MAX;
}

uint64_t feed_skip(const struct feed *feed, uint64_t len)
{
	struct stream *stream = feed->stream;
	uint64_t n = stream->skip ? stream_skip(stream, len) : 0;

	if (n == 0)
		return 0;
	if (connection_has_streams(feed->connection))
		multiplex_add(feed->connection, feed->all, feed_side(feed), feed->call, n);
	else
		pairing_add(feed->connection, feed->all, feed_side(feed), feed->call, n);
	if (stream->skip == 0 && stream->ends_message) {
		stream->ends_message = false;
		end_message(feed);
	}
	return n;
}

static void leave_protocol(const struct feed *feed, uint64_t skip)
{
	verdict_end_requests(feed->connection, feed->all, EXCHANGE_UNKNOWN);
	verdict_begin(feed->connection, feed->all);
	feed->connection->is_out_of_step = false;
	feed->connection->debt = 0;
	feed->stream->skip = skip;
}

void feed_begin_protocol(const struct feed *feed, const struct protocol *protocol)
{
	struct connection *connection = feed->connection;

	connection->protocol = protocol;
	if (!protocol->streams)
		return;
	statements_drop_all(&feed->all->statements, &connection->prepared);
	connection->is_out_of_step = connection->is_on_probation = false;
	if (multiplex_begin(connection, feed->all))
		return;
	connection->protocol = NULL;
	feed->all->exchanges.stats.no_room++;
	verdict_make_opaque(connection, feed->all);
}

/* What a response leaves for is known, and the request that it answers goes on there. */
static void hand_over(const struct feed *feed, const struct protocol_step *step)
{
	struct connection *connection = feed->connection;
	struct exchange *exchange = pairing_take_request(connection, feed->all);

	leave_protocol(feed, step->skip);
	feed_begin_protocol(feed, step->next);
	if (exchange && connection->protocol) {
		multiplex_adopt(connection, feed->all, exchange);
	} else if (exchange) {
		exchanges_give_up(&feed->all->exchanges, exchange, EXCHANGE_LOST);
		exchanges_free(&feed->all->exchanges, exchange);
	}
}

/* As apply_step(), of a protocol with streams. */
static void apply_stream_step(const struct feed *feed, const struct protocol_step *step,
			      uint64_t first_ns)
{
	multiplex_apply(feed->connection, feed->all, feed_side(feed), feed->call, step, first_ns);
	feed->stream->skip = step->skip;
	feed->stream->ends_message = step->ends && step->skip;
	if (step->ends && step->skip == 0)
		end_message(feed);
	if (step->action != PROTOCOL_LEAVES)
		return;
	if (!step->is_opaque) {
		leave_protocol(feed, step->skip);
		return;
	}
	verdict_end_requests(feed->connection, feed->all, EXCHANGE_UNKNOWN);
	verdict_make_opaque(feed->connection, feed->all);
}

static void apply_step(const struct feed *feed, const struct protocol_step *step, uint64_t first_ns)
{
	struct connection *connection = feed->connection;
	enum protocol_side side = feed_side(feed);

	feed->stream->is_found = false;
	feed->stream->stands = step->stands && !step->ends;
	if (step->wants_all)
		verdict_set_limit(connection, feed->all, REQUESTS_LIMIT_ALL);
	if (connection_has_streams(connection)) {
		apply_stream_step(feed, step, first_ns);
		return;
	}
	if (step->next && step->next->streams) {
		hand_over(feed, step);
		return;
	}
	if (step->begins && side == PROTOCOL_REQUESTS && connection->would_overlap) {
		connection->would_overlap = false;
		connection->overlaps = true;
		pairing_doubt(connection, feed->all);
	}
	if (step->begins && !pairing_begin(connection, feed->all, side, feed->call, first_ns)) {
		feed_no_room(feed);
		return;
	}
	if (step->is_within)
		pairing_take_within(connection, feed->all, feed->call, step, first_ns);
	else
		pairing_add(connection, feed->all, side, feed->call, step->used);
	feed->stream->skip = step->skip;
	feed->stream->ends_message = step->ends && step->skip;
	if (step->ends && step->skip == 0)
		end_message(feed);
	if (step->action != PROTOCOL_LEAVES)
		return;
	if (step->is_opaque) {
		verdict_end_requests(connection, feed->all, EXCHANGE_UNKNOWN);
		verdict_give_up(connection, feed->all);
		return;
	}
	leave_protocol(feed, step->skip);
	if (step->next) {
		feed_begin_protocol(feed, step->next);
		feed->all->exchanges.stats.recognised++;
	}
}

/* Where the message goes on, or a new one may begin; NULL: no room. */
static struct protocol_message *message_of(const struct feed *feed)
{
	const enum protocol_side side = feed_side(feed);
	struct exchange_answer *answer;
	struct exchange *exchange;

	if (pairing_has_message(feed->connection, side))
		return pairing_message(feed->connection, feed->all, side);
	if (side == PROTOCOL_REQUESTS) {
		exchange = exchanges_blank(&feed->all->exchanges);
		return exchange ? exchange->message.open : NULL;
	}
	answer = exchanges_blank_answer(&feed->all->exchanges);
	return answer ? answer->message.open : NULL;
}

/* The step that its protocol makes of these bytes. */
static struct protocol_step next_step(const struct feed *feed, const struct protocol_input *input,
				      const struct protocol_message *request)
{
	const enum protocol_side side = feed_side(feed);
	struct protocol_message *message;

	if (connection_has_streams(feed->connection))
		return multiplex_step(feed->connection, feed->all, side, input);
	message = message_of(feed);
	if (!message) {
		feed->all->exchanges.stats.no_room++;
		return (struct protocol_step){.action = PROTOCOL_LOST};
	}
	return feed->connection->protocol->step(side, feed->stream->state, input, message, request);
}

/* Such steps cannot come one after the other without end. */
static bool may_take_nothing(const struct feed *feed, const struct protocol_message *request,
			     const struct protocol_step *step)
{
	return step->ends &&
	       (step->begins ? request != NULL
			     : pairing_has_message(feed->connection, feed_side(feed)));
}

static struct protocol_step checked_step(const struct feed *feed,
					 const struct protocol_input *input)
{
	/* One that is answered is out of the queue: a step that takes no bytes may come as often.
	 */
	const struct protocol_message *request = NULL;
	struct protocol_step step;

	if (feed_side(feed) == PROTOCOL_RESPONSES && !connection_has_streams(feed->connection))
		request = pairing_request(feed->connection, feed->all);
	step = next_step(feed, input, request);
	if (step.action != PROTOCOL_WAITS && step.action != PROTOCOL_LOST &&
	    (step.used > input->len ||
	     (step.used == 0 && step.skip == 0 && step.action != PROTOCOL_LEAVES &&
	      !may_take_nothing(feed, request, &step))))
		step.action = PROTOCOL_LOST;
	return step;
}

/* Bytes that a protocol cannot read. Returns how many are left behind. */
static size_t lose_protocol(const struct feed *feed)
{
	uint8_t *lost = &feed->connection->lost;

	*lost += feed->stream->is_found ? 1 : CONNECTION_LOST_POINTS;
	lose_place(feed, false);
	if (*lost < LOST_MAX)
		return 1;
	retract_verdict(feed);
	return 0;
}

/*
 * Where the message ends is not known any more. If nothing else is open, and the client never asked
 * before it had its responses, what is known stands: a response goes on until the client asks
 * again, a request until it is answered. Of this piece, `left` bytes are of it.
 */
static bool leave_end_open(const struct feed *feed, size_t left)
{
	struct connection *connection = feed->connection;
	struct stream *stream = feed->stream;

	if (!stream->stands || feed->is_unseen || connection->queued != 1 || connection->has_keys ||
	    (feed_side(feed) == PROTOCOL_RESPONSES && !connection->answer) ||
	    connection->overlaps || connection->is_out_of_step || connection->is_on_probation)
		return false;
	stream->stands = false;
	stream->skip = PROTOCOL_TO_THE_END;
	stream->ends_message = stream->is_open_ended = true;
	feed_skip(feed, left);
	return true;
}

void feed_end_open_response(struct connection *connection, struct connections *all)
{
	struct stream *responses = &connection->streams[!connection->requests];

	if (!responses->is_open_ended)
		return;
	pairing_end(connection, all, PROTOCOL_RESPONSES);
	end_open_request(connection, all);
	stream_forget(responses);
}

void feed_note_gap(const struct feed *feed, size_t left)
{
	bool is_new = !feed->stream->is_searching;

	if (leave_end_open(feed, left)) {
		feed->all->exchanges.stats.gaps++;
		return;
	}
	if (feed->stream->stands && !feed->is_unseen)
		end_message(feed);
	feed->all->exchanges.stats.gaps += is_new;
	/* Before them it was not silent, as far as anybody knows. */
	feed->connection->last_ns = feed->call->ts_ns;
	lose_place(feed, is_new);
}

/*
 * What is known of a message stands, though not where the next one begins; of one that was cut off
 * the protocol could not know. is_late: the bytes were there before, and that those behind them are
 * missing was noticed later, maybe behind its response. Returns how many bytes are left behind.
 */
static size_t apply_loss(const struct feed *feed, const struct protocol_step *step,
			 const struct protocol_input *input, uint64_t ns, bool is_late)
{
	if (input->is_cut && leave_end_open(feed, input->len)) {
		feed->all->exchanges.stats.gaps++;
		return input->len;
	}
	if (step->ends && !is_late) {
		apply_step(feed, step, ns);
		lose_place(feed, false);
		return input->is_cut || step->used == 0 ? input->len : step->used;
	}
	if (!input->is_cut)
		return lose_protocol(feed);
	feed_note_gap(feed, input->len);
	return input->len;
}

/* Whether what was found is no response to any open request: it was none. */
static bool is_found_in_vain(const struct feed *feed, const struct protocol_step *step)
{
	const struct exchange_answer *answer = feed->all->exchanges.blank_answer;

	return feed->stream->is_found && feed->connection->protocol->is_found_by_key &&
	       feed_side(feed) == PROTOCOL_RESPONSES && step->begins && answer &&
	       !pairing_is_asked(feed->connection, answer->message.open);
}

size_t feed_steps(const struct feed *feed, struct protocol_input input, const uint8_t *fresh,
		  uint64_t first_ns)
{
	const struct connection *connection = feed->connection;
	unsigned int losses = 0;

	while (input.len && connection->protocol) {
		size_t n = (size_t)feed_skip(feed, input.len);

		if (n == 0 && feed->stream->is_searching) {
			n = connection->protocol->find(feed_side(feed), &input);
			feed->stream->is_searching = n >= input.len;
			feed->stream->is_found = n < input.len;
		}
		if (n == 0) {
			struct protocol_step step = checked_step(feed, &input);
			uint64_t ns = input.data < fresh ? first_ns : feed->call->ts_ns;

			if (step.action == PROTOCOL_WAITS && !input.is_cut)
				return input.len;
			n = step.used;
			if (step.action == PROTOCOL_WAITS) {
				feed_note_gap(feed, input.len);
				return 0;
			} else if (is_found_in_vain(feed, &step)) {
				stream_forget(feed->stream);
				feed->stream->is_searching = true;
				n = 1;
			} else if (step.action == PROTOCOL_LOST) {
				n = apply_loss(feed, &step, &input, ns,
					       input.data + input.len == fresh);
				if (++losses >= LOSSES_MAX && connection->protocol)
					n = input.len;
			} else
				apply_step(feed, &step, ns);
		}
		input.data += n;
		input.len -= n;
	}
	return input.len;
}
