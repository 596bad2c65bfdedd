/* SPDX-License-Identifier: MIT */
/* From pieces of both directions to bytes that follow one another, and who speaks when. */
#include "requests/connection.h"

#include "event/event.h"
#include "requests/conversation.h"
#include "requests/early.h"
#include "requests/ends.h"
#include "requests/feed.h"
#include "requests/multiplex.h"
#include "requests/pairing.h"
#include "requests/requests.h"
#include "requests/verdict.h"

enum {
	/* A connection is opaque after so many turns of its direction, or pieces, without verdict.
	 */
	TURNS_MAX = 8,
	PIECES_MAX = 200,
	/* From this turn on both directions may be the one of requests, whatever the role says. */
	TURNS_OF_ROLE = 4,
	RECOGNITION_BYTES_MAX = 4096, /* that are kept until there is a verdict */
	PROBATION_TURNS = 3, /* after which a connection is believed to be in step */
	/*
	 * A connection may be left out after so many responses: with the first one it may go over
	 * to another protocol; of one that is older than the capture the peer, which may be
	 * wanted, finds the process by where both directions are.
	 */
	ANSWERS_MIN = 1,
	ANSWERS_OF_OLD = 16,
};

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
		feed_end_open_response(connection, feed->all);
	if (connection->asking || feed->stream->tail.len || feed->stream->skip ||
	    connection->has_keys)
		return;
	feed_end_open_response(connection, feed->all);
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
	connection->requests = found->requests;
	feed_begin_protocol(feed, found->protocol);
	if (!connection->protocol)
		return;
	connection->answers = 0;
	connection->has_turned =
		found->requests == DIRECTION_IN ? connection->was_written : connection->was_read;
	if (connection->role == request_roles__unknown)
		connection->role = found->requests == DIRECTION_IN ? request_roles__server
								   : request_roles__client;
	feed->all->exchanges.stats.recognised++;
	if (connection->knows_debt && !connection_has_streams(connection))
		pairing_begin_with_debt(connection, feed->all);
	feed_kept(feed);
	if (connection->protocol && !connection_has_streams(connection) &&
	    feed_side(feed) == PROTOCOL_REQUESTS)
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
		return feed->connection->protocol ? input->len : 0;
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

	while (input.len && !connection->is_opaque && !connection->is_sized) {
		size_t n = (size_t)feed_skip(feed, input.len), rest;

		input.data += n;
		input.len -= n;
		if (input.len && !connection->protocol) {
			rest = recognise_bytes(feed, &input);
			if (!connection->protocol || rest == 0)
				return rest;
		}
		rest = feed_steps(feed, input, fresh, first_ns);
		input.data += input.len - rest;
		input.len = rest;
		if (connection->protocol)
			break;
	}
	return connection->is_opaque || connection->is_sized ? 0 : input.len;
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
	if (connection->protocol && feed_side(feed) == PROTOCOL_RESPONSES)
		connection->may_overlap = false;
	len -= feed_skip(feed, len);
	if (len && feed->stream->tail.len) {
		feed_bytes(feed, NULL, 0, true);
		len -= feed_skip(feed, len);
	}
	if (len && connection->protocol)
		feed_note_gap(feed, len);
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
		verdict_set_limit(feed->connection, feed->all, REQUESTS_LIMIT_ALL);
}

/* What a piece tells before its bytes do. */
static void meet_piece(const struct feed *feed)
{
	struct connection *connection = feed->connection;
	bool is_in = feed->direction == DIRECTION_IN;

	if (!connection->protocol) {
		connection->turns += connection->pieces == 0 || connection->was_in != is_in;
		connection->pieces++;
	} else if (connection_has_streams(connection)) {
		/* Who waits for whom does not matter to streams. */
	} else if (feed_side(feed) == PROTOCOL_REQUESTS)
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

static void take_piece(struct connection *connection, struct connections *all,
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
	if (connection->protocol && feed_side(&feed) == PROTOCOL_REQUESTS)
		note_place(connection, &piece, goes_on);
	if (!connection->protocol && !connection->is_opaque &&
	    (connection->turns > TURNS_MAX || connection->pieces > PIECES_MAX))
		verdict_give_up(connection, all);
	if (connection->protocol && has_shown_itself(connection) &&
	    connection_is_unwanted(connection, all))
		verdict_leave_out(connection, all);
}

/*
 * Reads wait no longer, or those that need not. file: of the socket, as far as it is known now.
 */
static void take_early(struct connection *connection, struct connections *all,
		       const struct state_fd *file, bool only_due)
{
	struct early early;

	while (connection->has_early && early_take(connection, all, only_due, &early)) {
		early.call.file = file;
		early.call.times = early.times.since_ns ? &early.times : NULL;
		take_piece(connection, all, &early.call, early.piece);
	}
}

static void give_up_waiting(struct connection *connection, struct connections *all,
			    const struct state_fd *file)
{
	if (!connection->has_early)
		return;
	connection->waited_in_vain = true;
	take_early(connection, all, file, false);
}

/* Returns whether one more read of a connection may wait. */
static bool make_early_room(struct connection *connection, struct connections *all,
			    const struct connection_call *call)
{
	struct connection *crowding = early_crowding(connection, all, call->pid);

	if (crowding)
		give_up_waiting(crowding, all, crowding == connection ? call->file : NULL);
	return crowding != connection;
}

void connection_take(struct connection *connection, struct connections *all,
		     const struct connection_call *call, struct stream_piece piece)
{
	if (early_comes(connection, all, call, &piece) && make_early_room(connection, all, call)) {
		early_keep(connection, all, call, &piece);
		return;
	}
	if (connection->has_early && !early_waits_for(connection, all, call, &piece))
		give_up_waiting(connection, all, call->file);
	take_piece(connection, all, call, piece);
	if (call->direction == DIRECTION_OUT)
		connection->waited_in_vain = false;
	take_early(connection, all, call->file, true);
}

/* What lasts to the end of a side ends there. */
static void end_stream(const struct feed *feed)
{
	stream_tail_free(&feed->stream->tail, &feed->all->tails);
	if (feed->stream->skip == PROTOCOL_TO_THE_END && feed->stream->ends_message)
		pairing_end(feed->connection, feed->all, feed_side(feed));
	stream_forget(feed->stream);
}

static void close_open(struct connection *connection, struct connections *all, uint64_t now_ns,
		       const char *error)
{
	if (connection_has_streams(connection))
		multiplex_close(connection, all, now_ns, error);
	else
		pairing_close(connection, all, now_ns, error);
}

void connection_end_side(struct connection *connection, struct connections *all,
			 const struct connection_call *call)
{
	struct feed feed = feed_of(connection, all, call);

	give_up_waiting(connection, all, call->file);
	if (!connection->protocol)
		return;
	end_stream(&feed);
	if (feed_side(&feed) == PROTOCOL_RESPONSES)
		close_open(connection, all, call->ts_ns, "closed");
}

void connection_release(struct connection *connection, struct connections *all, uint64_t now_ns,
			const char *error)
{
	struct connection_call call = {.ts_ns = now_ns};

	give_up_waiting(connection, all, NULL);
	if (connection->has_datagrams)
		datagrams_close(connection, all, now_ns, error);
	else if (!connection->protocol)
		conversation_close(connection, all, now_ns);
	for (call.direction = DIRECTION_IN; call.direction < DIRECTIONS; call.direction++) {
		struct feed feed = feed_of(connection, all, &call);

		end_stream(&feed);
	}
	close_open(connection, all, now_ns, error);
	verdict_forget(connection, all);
	statements_drop_all(&all->statements, &connection->prepared);
	verdict_set_limit(connection, all, REQUESTS_LIMIT_DEFAULT);
}

void connection_give_up(struct connection *connection, struct connections *all)
{
	give_up_waiting(connection, all, NULL);
	if (!connection->protocol && !connection->has_datagrams)
		conversation_give_up(connection, all, EXCHANGE_UNKNOWN);
	else
		verdict_end_requests(connection, all, EXCHANGE_UNKNOWN);
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

	if (connection->has_early) {
		/* It may be what answers that request. */
		give_up_waiting(connection, all, NULL);
		return;
	}
	if (exchange->waits == EXCHANGE_OF_DATAGRAMS) {
		datagrams_time_out(all, exchange, now_ns);
		return;
	}
	if (exchange->waits == EXCHANGE_OF_TURNS) {
		conversation_time_out(all, exchange, now_ns);
		return;
	}
	if (connection_has_streams(connection)) {
		multiplex_time_out(all, exchange, now_ns);
		return;
	}
	if (exchange == connection->queue &&
	    connection->streams[!connection->requests].is_open_ended) {
		feed_end_open_response(connection, all);
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
	if (exchange->is_in_doubt && exchange != connection->asking) {
		pairing_lose_request(connection, all, exchange);
		return;
	}
	exchange->ended_ns = now_ns;
	exchanges_set_error(&all->exchanges, exchange, "timeout");
	/* By its key a response is told from those of others: it needs no place among them. */
	if (connection->has_keys && exchange != connection->asking) {
		pairing_give_out(connection, all, exchange);
		return;
	}
	exchange->peer_pid = ends_peer(all->ends, all->state, connection);
	exchanges_report_copy(&all->exchanges, exchange);
}
