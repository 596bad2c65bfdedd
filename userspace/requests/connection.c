/* SPDX-License-Identifier: MIT */
/* From pieces of both directions to steps of a protocol. */
#include "requests/connection.h"

#include "event/event.h"
#include "requests/conversation.h"
#include "requests/ends.h"
#include "requests/pairing.h"
#include "requests/requests.h"

enum {
	/* A connection is opaque after so many turns of its direction, or pieces, without verdict.
	 */
	TURNS_MAX = 8,
	PIECES_MAX = 200,
	/* From this turn on both directions may be the one of requests, whatever the role says. */
	TURNS_OF_ROLE = 4,
	RECOGNITION_BYTES_MAX = 4096, /* that are kept until there is a verdict */
	/* A verdict is taken back at so many points; what was found by a search is worth one. */
	LOST_MAX = 32,
	LOST_POINTS = 8,
	PROBATION_TURNS = 3, /* after which a connection is believed to be in step */
	RETRACTIONS_MAX = 2, /* then the connection is opaque */
	/*
	 * A connection may be left out after so many responses: with the first one it may go over
	 * to another protocol; of one that is older than the capture the peer, which may be
	 * wanted, finds the process by where both directions are.
	 */
	ANSWERS_MIN = 1,
	ANSWERS_OF_OLD = 16,
};

/* Bytes of one direction, and what a call did with them. */
struct feed {
	struct connection *connection;
	struct connections *all;
	const struct connection_call *call;
	struct stream *stream;
	enum recognition_direction direction;
	uint32_t other; /* the place of the other direction */
	bool knows_other; /* the call says how many bytes of the other direction there were, */
	bool saw_other; /* which are those that were seen */
	bool is_unseen; /* bytes are missing of calls that nobody saw: there may be any number */
};

static enum protocol_side side_of(const struct feed *feed)
{
	return feed->direction == feed->connection->requests ? PROTOCOL_REQUESTS
							     : PROTOCOL_RESPONSES;
}

void connection_set_limit(struct connection *connection, struct connections *all, uint32_t bytes)
{
	struct requests_limit limit = {.ino = connection->ino, .bytes = bytes};

	if (connection->limit == bytes)
		return;
	connection->limit = (uint16_t)bytes;
	buf_append(&all->limits, &limit, sizeof(limit));
}

static void forget_streams(struct connection *connection)
{
	for (unsigned int i = 0; i < DIRECTIONS; i++)
		stream_forget(&connection->streams[i]);
}

/* Nobody looks at what its bytes are. */
static void end_protocol(struct connection *connection, struct connections *all)
{
	connection->protocol = NULL;
	forget_streams(connection);
	for (unsigned int i = 0; i < DIRECTIONS; i++)
		stream_tail_free(&connection->streams[i].tail, &all->tails);
}

bool connection_is_sized(const struct connection *connection, const struct connections *all)
{
	return all->of_unknown &&
	       !connections_leave_out(all, connection->role, request_protocols__unknown);
}

void connection_make_opaque(struct connection *connection, struct connections *all)
{
	connection->is_sized = connection_is_sized(connection, all);
	connection->is_opaque = !connection->is_sized;
	end_protocol(connection, all);
	if (connection->is_sized)
		conversation_settle(connection, all);
	else
		conversation_give_up(connection, all,
				     all->of_unknown ? EXCHANGE_UNWANTED : EXCHANGE_UNKNOWN);
	connection_set_limit(connection, all, connection->is_sized ? REQUESTS_LIMIT_SIZES : 0);
}

void connection_leave_out(struct connection *connection, struct connections *all)
{
	if (connection->has_datagrams)
		datagrams_give_up(connection, all, EXCHANGE_UNWANTED);
	else
		pairing_give_up(connection, all, EXCHANGE_UNWANTED);
	statements_drop_all(&all->statements, &connection->prepared);
	all->exchanges.stats.unwanted++;
	connection->is_opaque = connection->is_left_out = true;
	end_protocol(connection, all);
	connection_set_limit(connection, all, 0);
}

/* Nobody has recognised its protocol. */
static void end_recognition(const struct feed *feed)
{
	feed->all->exchanges.stats.opaque++;
	connection_make_opaque(feed->connection, feed->all);
}

/* It is recognised anew, from where both directions stand. */
static void begin_recognition(struct connection *connection)
{
	connection->protocol = NULL;
	connection->turns = connection->pieces = connection->lost = 0;
	forget_streams(connection);
}

void connection_look_again(struct connection *connection, struct connections *all)
{
	begin_recognition(connection);
	connection->is_opaque = connection->is_left_out = false;
	connection->is_out_of_step = true;
	connection->has_turned = connection->knows_debt = connection->overlaps = false;
	connection->was_read = connection->was_written = false;
	connection->debt = 0;
	for (unsigned int i = 0; i < DIRECTIONS; i++)
		connection->streams[i].is_placed = false;
	connection_set_limit(connection, all, REQUESTS_LIMIT_DEFAULT);
}

static void retract_verdict(const struct feed *feed)
{
	struct connection *connection = feed->connection;

	pairing_give_up(connection, feed->all, EXCHANGE_UNKNOWN);
	begin_recognition(connection);
	connection->is_out_of_step = true;
	feed->all->exchanges.stats.given_up++;
	if (++connection->retractions >= RETRACTIONS_MAX)
		end_recognition(feed);
}

/* Bytes were missing, or are not understood: until a message begins, nobody knows what they are. */
static void lose_place(const struct feed *feed, bool is_gap)
{
	pairing_lose(feed->connection, feed->all, side_of(feed), is_gap);
	stream_forget(feed->stream);
	feed->stream->is_searching = true;
}

static void feed_no_room(const struct feed *feed)
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
	pairing_end(feed->connection, feed->all, side_of(feed));
	if (side_of(feed) != PROTOCOL_RESPONSES)
		return;
	end_open_request(feed->connection, feed->all);
	feed->connection->answers += feed->connection->answers < ANSWERS_OF_OLD;
}

/* A message with bytes to skip ends, if these were the last ones. */
static uint64_t skip_bytes(const struct feed *feed, uint64_t len)
{
	struct stream *stream = feed->stream;
	uint64_t n = stream->skip ? stream_skip(stream, len) : 0;

	if (n == 0)
		return 0;
	pairing_add(feed->connection, side_of(feed), feed->call, n);
	if (stream->skip == 0 && stream->ends_message) {
		stream->ends_message = false;
		end_message(feed);
	}
	return n;
}

static void leave_protocol(const struct feed *feed, uint64_t skip)
{
	pairing_give_up(feed->connection, feed->all, EXCHANGE_UNKNOWN);
	begin_recognition(feed->connection);
	feed->connection->is_out_of_step = false;
	feed->connection->debt = 0;
	feed->stream->skip = skip;
}

static void apply_step(const struct feed *feed, const struct protocol_step *step, uint64_t first_ns)
{
	struct connection *connection = feed->connection;
	enum protocol_side side = side_of(feed);

	feed->stream->is_found = false;
	feed->stream->stands = step->stands && !step->ends;
	if (step->begins && side == PROTOCOL_REQUESTS && connection->would_overlap) {
		connection->would_overlap = false;
		connection->overlaps = true;
		pairing_doubt(connection, feed->all);
	}
	if (step->begins && !pairing_begin(connection, feed->all, side, feed->call, first_ns)) {
		feed_no_room(feed);
		return;
	}
	pairing_add(connection, side, feed->call, step->used);
	feed->stream->skip = step->skip;
	feed->stream->ends_message = step->ends && step->skip;
	if (step->ends && step->skip == 0)
		end_message(feed);
	if (step->wants_all)
		connection_set_limit(connection, feed->all, REQUESTS_LIMIT_ALL);
	if (step->action == PROTOCOL_LEAVES)
		leave_protocol(feed, step->skip);
}

/* Where the message goes on, or a new one may begin; NULL: no room. */
static struct protocol_message *message_of(const struct feed *feed)
{
	const enum protocol_side side = side_of(feed);
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

static struct protocol_step feed_step(const struct feed *feed, const struct protocol_input *input)
{
	const struct protocol *protocol = feed->connection->protocol;
	enum protocol_side side = side_of(feed);
	/* One that is answered is out of the queue: a step that takes no bytes may come as often.
	 */
	const struct protocol_message *request =
		side == PROTOCOL_RESPONSES ? pairing_request(feed->connection, feed->all) : NULL;
	struct protocol_message *message = message_of(feed);
	struct protocol_step step;

	if (!message) {
		feed->all->exchanges.stats.no_room++;
		return (struct protocol_step){.action = PROTOCOL_LOST};
	}
	step = protocol->step(side, feed->stream->state, input, message, request);
	if (step.action != PROTOCOL_WAITS && step.action != PROTOCOL_LOST &&
	    (step.used > input->len ||
	     (step.used == 0 && step.skip == 0 && step.action != PROTOCOL_LEAVES &&
	      !(request && step.begins && step.ends))))
		step.action = PROTOCOL_LOST;
	return step;
}

/* Bytes that a protocol cannot read. Returns how many are left behind. */
static size_t lose_protocol(const struct feed *feed)
{
	uint8_t *lost = &feed->connection->lost;

	*lost += feed->stream->is_found ? 1 : LOST_POINTS;
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

	if (!stream->stands || feed->is_unseen || connection->queued != 1 ||
	    (side_of(feed) == PROTOCOL_RESPONSES && !connection->answer) || connection->overlaps ||
	    connection->is_out_of_step || connection->is_on_probation)
		return false;
	stream->stands = false;
	stream->skip = PROTOCOL_TO_THE_END;
	stream->ends_message = stream->is_open_ended = true;
	skip_bytes(feed, left);
	return true;
}

static void end_open_response(struct connection *connection, struct connections *all)
{
	struct stream *responses = &connection->streams[!connection->requests];

	if (!responses->is_open_ended)
		return;
	pairing_end(connection, all, PROTOCOL_RESPONSES);
	end_open_request(connection, all);
	stream_forget(responses);
}

/* The bytes behind those that wait are missing; of these, `left` were not taken. */
static void note_gap(const struct feed *feed, size_t left)
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
	note_gap(feed, input->len);
	return input->len;
}

/*
 * Steps through bytes; those in front of `fresh` came with earlier calls, from first_ns on. Returns
 * how many at the end were not taken: they wait for more, or have another protocol.
 */
static size_t parse_bytes(const struct feed *feed, struct protocol_input input,
			  const uint8_t *fresh, uint64_t first_ns)
{
	const struct connection *connection = feed->connection;

	while (input.len && connection->protocol) {
		size_t n = (size_t)skip_bytes(feed, input.len);

		if (n == 0 && feed->stream->is_searching) {
			n = connection->protocol->find(side_of(feed), &input);
			feed->stream->is_searching = n >= input.len;
			feed->stream->is_found = n < input.len;
		}
		if (n == 0) {
			struct protocol_step step = feed_step(feed, &input);
			uint64_t ns = input.data < fresh ? first_ns : feed->call->ts_ns;

			if (step.action == PROTOCOL_WAITS && !input.is_cut)
				return input.len;
			n = step.used;
			if (step.action == PROTOCOL_WAITS) {
				note_gap(feed, input.len);
				return 0;
			} else if (step.action == PROTOCOL_LOST)
				n = apply_loss(feed, &step, &input, ns,
					       input.data + input.len == fresh);
			else
				apply_step(feed, &step, ns);
		}
		input.data += n;
		input.len -= n;
	}
	return input.len;
}

static bool is_silent(const struct connection *connection, uint64_t now_ns)
{
	return now_ns >= connection->last_ns + CONNECTION_SILENCE_OVERLAPPING_NS;
}

/* Whether all that was asked before a request must have been answered. */
static bool is_in_step_again(const struct connection *connection, uint64_t now_ns)
{
	if (is_silent(connection, now_ns))
		return true;
	return connection->has_turned && !connection->overlaps &&
	       !(connection->knows_debt && connection->debt);
}

/* Responses are read from their next call on, if they are not understood. */
static void restart(const struct feed *feed)
{
	struct connection *connection = feed->connection;
	struct stream *responses = &connection->streams[!feed->direction];

	if (connection->answer || responses->is_searching || responses->tail.len) {
		stream_forget(responses);
		stream_tail_free(&responses->tail, &feed->all->tails);
	}
	connection->turns = 0;
	pairing_restart(connection, feed->all, is_silent(connection, feed->call->ts_ns));
}

/* If a request begins here, it came before the response to an older one, unless that is missing. */
static void note_overlap(const struct feed *feed)
{
	if (feed->knows_other)
		feed->connection->would_overlap |= feed->saw_other;
	else
		feed->connection->may_overlap = !feed->stream->is_searching;
}

/* A piece that may begin a request shows whether the older ones must have been answered. */
static void meet_request(const struct feed *feed)
{
	struct connection *connection = feed->connection;
	const struct exchange *oldest;

	/* Who does not know the end of either has asked again. */
	if (feed->stream->is_open_ended)
		end_open_response(connection, feed->all);
	if (connection->asking || feed->stream->tail.len || feed->stream->skip ||
	    connection->has_keys)
		return;
	end_open_response(connection, feed->all);
	oldest = connection->queue;
	connection->would_overlap =
		connection->has_asked && feed->knows_other && feed->other == connection->asked_at;
	connection->overlaps |= connection->had_stray;
	connection->had_stray = false;
	if (connection->debt < 0)
		connection->debt = 0;
	if (connection->is_out_of_step) {
		if (is_in_step_again(connection, feed->call->ts_ns))
			restart(feed);
		else if (connection->knows_debt && connection->debt)
			note_overlap(feed);
		return;
	}
	if (!oldest && connection->held) {
		if (++connection->turns >= PROBATION_TURNS)
			pairing_believe(connection, feed->all);
	} else if (oldest && !oldest->is_over)
		note_overlap(feed);
}

/* A piece of responses behind which no other one is missing. */
static void meet_response(const struct feed *feed)
{
	struct connection *connection = feed->connection;

	connection->has_turned = true;
	if (!connection->may_overlap)
		return;
	connection->overlaps = true;
	connection->may_overlap = false;
	pairing_doubt(connection, feed->all);
}

static void feed_bytes(const struct feed *feed, const uint8_t *data, size_t len, bool is_cut);

/* What is kept of the other direction came first. */
static void feed_kept(const struct feed *feed)
{
	struct feed other = *feed;

	other.direction = !feed->direction;
	other.stream = &feed->connection->streams[other.direction];
	if (other.stream->tail.len)
		feed_bytes(&other, NULL, 0, false);
}

static void adopt_protocol(const struct feed *feed, const struct recognition *found)
{
	struct connection *connection = feed->connection;

	if (connection->is_counted)
		conversation_forget(connection, feed->all);
	connection->protocol = found->protocol;
	connection->requests = found->requests;
	connection->answers = 0;
	connection->has_turned =
		found->requests == DIRECTION_IN ? connection->was_written : connection->was_read;
	if (connection->role == request_roles__unknown)
		connection->role = found->requests == DIRECTION_IN ? request_roles__server
								   : request_roles__client;
	feed->all->exchanges.stats.recognised++;
	if (connection->knows_debt)
		pairing_begin_with_debt(connection, feed->all);
	feed_kept(feed);
	if (connection->protocol && side_of(feed) == PROTOCOL_REQUESTS)
		meet_request(feed);
}

/* The side of the bytes as the role says it; PROTOCOL_SIDES: it does not. */
static enum protocol_side likely_side(const struct feed *feed)
{
	const struct connection *connection = feed->connection;
	bool is_in = feed->direction == DIRECTION_IN;

	if (connection->role == request_roles__unknown || connection->turns >= TURNS_OF_ROLE)
		return PROTOCOL_SIDES;
	return is_in == (connection->role == request_roles__server) ? PROTOCOL_REQUESTS
								    : PROTOCOL_RESPONSES;
}

/* Bytes without verdict are gone, which may have been messages. */
static void drop_unrecognised(const struct feed *feed)
{
	struct connection *connection = feed->connection;

	connection->is_out_of_step = true;
	connection->last_ns = feed->call->ts_ns;
	if (feed->direction == DIRECTION_IN)
		connection->was_written = false;
	else
		connection->was_read = false;
}

/* Returns how many of the bytes are kept, all or none, while there is no verdict. */
static size_t recognise_bytes(const struct feed *feed, const struct protocol_input *input)
{
	const struct stream_tail *kept = &feed->connection->streams[!feed->direction].tail;
	struct protocol_input inputs[DIRECTIONS];
	struct recognition found;

	inputs[feed->direction] = *input;
	inputs[!feed->direction] = (struct protocol_input){kept->bytes, kept->len, false};
	switch (recognition_try(inputs, feed->direction, likely_side(feed), &found)) {
	case RECOGNITION_FOUND:
		adopt_protocol(feed, &found);
		return input->len;
	case RECOGNITION_OPEN:
		if (!input->is_cut && input->len <= RECOGNITION_BYTES_MAX)
			return input->len;
		break;
	default:
		break;
	}
	drop_unrecognised(feed);
	return 0;
}

/* Returns how many bytes at the end wait. */
static size_t consume_bytes(const struct feed *feed, struct protocol_input input,
			    const uint8_t *fresh, uint64_t first_ns)
{
	struct connection *connection = feed->connection;

	while (input.len && !connection->is_opaque) {
		size_t n = (size_t)skip_bytes(feed, input.len), rest;

		input.data += n;
		input.len -= n;
		if (input.len && !connection->protocol) {
			rest = recognise_bytes(feed, &input);
			if (!connection->protocol || rest == 0)
				return rest;
		}
		rest = parse_bytes(feed, input, fresh, first_ns);
		input.data += input.len - rest;
		input.len = rest;
		if (connection->protocol)
			break;
	}
	return connection->is_opaque ? 0 : input.len;
}

/* Takes bytes that follow those which were taken. */
static void feed_bytes(const struct feed *feed, const uint8_t *data, size_t len, bool is_cut)
{
	struct stream_tail tail = feed->stream->tail;
	size_t *held = &feed->all->tails, kept = tail.len, rest;
	uint64_t now_ns = feed->call->ts_ns;
	struct protocol_input input = {.data = data, .len = len, .is_cut = is_cut};

	feed->stream->tail = (struct stream_tail){0};
	if (kept && stream_tail_append(&tail, data, len, now_ns, held)) {
		input.data = tail.bytes;
		input.len = tail.len;
	} else if (kept) {
		stream_tail_free(&tail, held);
		feed_no_room(feed);
		kept = 0;
	}
	rest = consume_bytes(feed, input, input.data + kept, tail.first_ns);
	if (kept) {
		stream_tail_keep(&tail, rest, now_ns, held);
		feed->stream->tail = tail;
	} else if (!stream_tail_append(&feed->stream->tail, input.data + input.len - rest, rest,
				       now_ns, held))
		feed_no_room(feed);
}

/*
 * Bytes that follow those which were taken are not known. Returns whether a protocol would have
 * needed them.
 */
static bool feed_missing(const struct feed *feed, uint64_t len)
{
	struct connection *connection = feed->connection;

	/* The response that a request came before may have been there. */
	if (connection->protocol && side_of(feed) == PROTOCOL_RESPONSES)
		connection->may_overlap = false;
	len -= skip_bytes(feed, len);
	if (len && feed->stream->tail.len) {
		feed_bytes(feed, NULL, 0, true);
		len -= skip_bytes(feed, len);
	}
	if (len && connection->protocol)
		note_gap(feed, len);
	else if (len) {
		connection->missed_in |= feed->direction == DIRECTION_IN;
		connection->missed_out |= feed->direction == DIRECTION_OUT;
		connection->knows_debt = !connection->is_out_of_step;
		drop_unrecognised(feed);
	}
	return len && connection->protocol;
}

/* Bytes of a call of which no more was captured. */
static void feed_uncaptured(const struct feed *feed, uint64_t len)
{
	if (feed_missing(feed, len))
		connection_set_limit(feed->connection, feed->all, REQUESTS_LIMIT_ALL);
}

/* What a piece tells before its bytes do. */
static void meet_piece(const struct feed *feed)
{
	struct connection *connection = feed->connection;
	bool is_in = feed->direction == DIRECTION_IN;

	if (!connection->protocol) {
		connection->turns += connection->pieces == 0 || connection->was_in != is_in;
		connection->pieces++;
	} else if (side_of(feed) == PROTOCOL_REQUESTS)
		meet_request(feed);
	else
		meet_response(feed);
	connection->was_in = is_in;
	connection->was_read |= is_in;
	connection->was_written |= !is_in;
}

static struct feed feed_of(struct connection *connection, struct connections *all,
			   const struct connection_call *call)
{
	return (struct feed){.connection = connection,
			     .all = all,
			     .call = call,
			     .stream = &connection->streams[call->direction],
			     .direction = call->direction};
}

/*
 * Notes where the responses are when a request begins, not when it ends: a server may answer before
 * it reads a body.
 */
static void note_place(struct connection *connection, const struct stream_piece *piece,
		       bool goes_on)
{
	if (!goes_on)
		connection->asking_at = piece->other;
	if (connection->asking)
		return;
	connection->asked_at = connection->asking_at;
	connection->has_asked &= piece->is_placed;
}

/* Whether what it is, and who is at the other end, is known as well as it will be. */
static bool has_shown_itself(const struct connection *connection)
{
	bool is_old = connection->end_kind == END_OF_ADDRESSES && !connection->peer;

	return !connection->is_on_probation && !connection->is_out_of_step &&
	       connection->answers >= (is_old ? ANSWERS_OF_OLD : ANSWERS_MIN);
}

void connection_take(struct connection *connection, struct connections *all,
		     const struct connection_call *call, struct stream_piece piece)
{
	struct feed feed = feed_of(connection, all, call);
	bool goes_on = connection->asking;
	uint32_t missing;

	if (connection->is_opaque)
		return;
	if (!connection->protocol && conversation_is_followed(connection, all, call, &piece))
		conversation_take(connection, all, call, &piece);
	if (connection->is_sized)
		return;
	missing = stream_place(feed.stream, &piece);
	if (piece.is_placed) {
		struct stream *other = &connection->streams[!call->direction];

		stream_expect(other, piece.other);
		feed.knows_other = true;
		feed.other = piece.other;
		feed.saw_other = other->next == piece.other;
	}
	if (piece.len == 0)
		return;
	if (missing) {
		pairing_doubt(connection, all);
		feed.is_unseen = true;
		feed_missing(&feed, missing);
		feed.is_unseen = false;
	}
	meet_piece(&feed);
	if (piece.captured)
		feed_bytes(&feed, piece.data, piece.captured, piece.captured < piece.len);
	if (piece.len > piece.captured)
		feed_uncaptured(&feed, piece.len - piece.captured);
	connection->last_ns = call->ts_ns;
	if (connection->protocol && side_of(&feed) == PROTOCOL_REQUESTS)
		note_place(connection, &piece, goes_on);
	if (!connection->protocol && !connection->is_opaque &&
	    (connection->turns > TURNS_MAX || connection->pieces > PIECES_MAX))
		end_recognition(&feed);
	if (connection->protocol && has_shown_itself(connection) &&
	    connection_is_unwanted(connection, all))
		connection_leave_out(connection, all);
}

/* What lasts to the end of a side ends there. */
static void end_stream(const struct feed *feed)
{
	stream_tail_free(&feed->stream->tail, &feed->all->tails);
	if (feed->stream->skip == PROTOCOL_TO_THE_END && feed->stream->ends_message)
		pairing_end(feed->connection, feed->all, side_of(feed));
	stream_forget(feed->stream);
}

void connection_end_side(struct connection *connection, struct connections *all,
			 const struct connection_call *call)
{
	struct feed feed = feed_of(connection, all, call);

	if (!connection->protocol)
		return;
	end_stream(&feed);
	if (side_of(&feed) == PROTOCOL_RESPONSES)
		pairing_close(connection, all, call->ts_ns, "closed");
}

void connection_release(struct connection *connection, struct connections *all, uint64_t now_ns,
			const char *error)
{
	struct connection_call call = {.ts_ns = now_ns};

	if (connection->has_datagrams)
		datagrams_close(connection, all, now_ns, error);
	else if (!connection->protocol)
		conversation_close(connection, all, now_ns);
	for (call.direction = DIRECTION_IN; call.direction < DIRECTIONS; call.direction++) {
		struct feed feed = feed_of(connection, all, &call);

		end_stream(&feed);
	}
	pairing_close(connection, all, now_ns, error);
	statements_drop_all(&all->statements, &connection->prepared);
	connection_set_limit(connection, all, REQUESTS_LIMIT_DEFAULT);
}

void connection_give_up(struct connection *connection, struct connections *all)
{
	if (connection->has_datagrams)
		datagrams_give_up(connection, all, EXCHANGE_UNKNOWN);
	else if (!connection->protocol)
		conversation_give_up(connection, all, EXCHANGE_UNKNOWN);
	else
		pairing_give_up(connection, all, EXCHANGE_UNKNOWN);
}

/* Whether bytes of the request or its response still come. */
static bool is_moving(const struct connection *connection, const struct connections *all,
		      const struct exchange *exchange, uint64_t now_ns)
{
	if (exchange != connection->asking &&
	    !(connection->answer && exchange == connection->queue))
		return false;
	return connection->last_ns + all->exchanges.waiting[EXCHANGE_OF_STREAM].timeout_ns > now_ns;
}

void connection_time_out(struct connections *all, struct exchange *exchange, uint64_t now_ns)
{
	struct connection *connection = exchange->connection;

	if (exchange->waits == EXCHANGE_OF_DATAGRAMS) {
		datagrams_time_out(all, exchange, now_ns);
		return;
	}
	if (exchange->waits == EXCHANGE_OF_TURNS) {
		conversation_time_out(all, exchange, now_ns);
		return;
	}
	if (exchange == connection->queue &&
	    connection->streams[!connection->requests].is_open_ended) {
		end_open_response(connection, all);
		return;
	}
	if (is_moving(connection, all, exchange, now_ns)) {
		exchanges_wait(&all->exchanges, exchange, now_ns);
		return;
	}
	if (exchange->is_answered && exchange != connection->asking) {
		pairing_believe(connection, all);
		return;
	}
	if (exchange->is_answered) {
		connection->asking = NULL;
		pairing_report(connection, all, exchange);
		return;
	}
	exchange->ended_ns = now_ns;
	exchanges_set_error(&all->exchanges, exchange, "timeout");
	exchange->peer_pid = ends_peer(all->ends, all->state, connection);
	exchanges_report_copy(&all->exchanges, exchange);
}
