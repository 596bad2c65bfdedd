/* SPDX-License-Identifier: MIT */
/* From one protocol of a connection to another one, or to none. */
#include "requests/verdict.h"

#include "event/event.h"
#include "requests/conversation.h"
#include "requests/multiplex.h"
#include "requests/pairing.h"
#include "requests/requests.h"

void verdict_set_limit(struct connection *connection, struct connections *all, uint32_t bytes)
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

void verdict_forget(struct connection *connection, struct connections *all)
{
	if (connection_has_streams(connection))
		multiplex_finish(connection, all);
	connection->protocol = NULL;
}

void verdict_end_requests(struct connection *connection, struct connections *all,
			  enum exchange_fate fate)
{
	if (connection->has_datagrams)
		datagrams_give_up(connection, all, fate);
	else if (connection_has_streams(connection))
		multiplex_give_up(connection, all, fate);
	else
		pairing_give_up(connection, all, fate);
}

/* Nobody looks at what its bytes are. */
static void end_protocol(struct connection *connection, struct connections *all)
{
	verdict_forget(connection, all);
	forget_streams(connection);
	for (unsigned int i = 0; i < DIRECTIONS; i++)
		stream_tail_free(&connection->streams[i].tail, &all->tails);
}

bool verdict_is_sized(const struct connection *connection, const struct connections *all)
{
	return all->of_unknown && !connection->is_sealed &&
	       !connections_leave_out(all, connection->role, request_protocols__unknown);
}

void verdict_make_opaque(struct connection *connection, struct connections *all)
{
	connection->is_sized = verdict_is_sized(connection, all);
	connection->is_opaque = !connection->is_sized;
	end_protocol(connection, all);
	if (connection->is_sized)
		conversation_settle(connection, all);
	else
		conversation_give_up(connection, all,
				     all->of_unknown ? EXCHANGE_UNWANTED : EXCHANGE_UNKNOWN);
	verdict_set_limit(connection, all, connection->is_sized ? REQUESTS_LIMIT_SIZES : 0);
}

void verdict_seal(struct connection *connection, struct connections *all)
{
	connection->is_sealed = true;
	if (connection->is_opaque || connection->protocol == &protocol_tls)
		return;
	verdict_end_requests(connection, all, EXCHANGE_UNWANTED);
	verdict_make_opaque(connection, all);
}

void verdict_leave_out(struct connection *connection, struct connections *all)
{
	verdict_end_requests(connection, all, EXCHANGE_UNWANTED);
	if (!connection_has_streams(connection))
		statements_drop_all(&all->statements, &connection->prepared);
	all->exchanges.stats.unwanted++;
	connection->is_opaque = connection->is_left_out = true;
	end_protocol(connection, all);
	verdict_set_limit(connection, all, 0);
}

void verdict_give_up(struct connection *connection, struct connections *all)
{
	all->exchanges.stats.opaque++;
	verdict_make_opaque(connection, all);
}

void verdict_begin(struct connection *connection, struct connections *all)
{
	verdict_forget(connection, all);
	connection->turns = connection->pieces = connection->lost = 0;
	connection->has_keys = connection->has_doubts = false;
	forget_streams(connection);
}

void verdict_look_again(struct connection *connection, struct connections *all)
{
	verdict_begin(connection, all);
	connection->is_opaque = connection->is_left_out = false;
	connection->is_out_of_step = true;
	connection->has_turned = connection->knows_debt = connection->overlaps = false;
	connection->was_read = connection->was_written = false;
	connection->debt = 0;
	for (unsigned int i = 0; i < DIRECTIONS; i++)
		connection->streams[i].is_placed = false;
	verdict_set_limit(connection, all, REQUESTS_LIMIT_DEFAULT);
}

void verdict_begin_again(struct connection *connection, struct connections *all)
{
	connection->is_out_of_step = true;
	for (unsigned int i = 0; i < DIRECTIONS; i++)
		connection->streams[i].is_placed = false;
	verdict_make_opaque(connection, all);
}
