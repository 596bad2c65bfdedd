/* SPDX-License-Identifier: MIT */
/* Few wait, and not for long: they are looked for one after the other. */
#include "requests/early.h"

#include <string.h>

#include "event/event.h"

/* How far one place is behind another one. */
static int32_t behind(uint32_t from, uint32_t to)
{
	return (int32_t)(to - from);
}

/*
 * Streams have numbers, by which the order does not matter, and requests of unknown protocols their
 * places.
 */
static bool is_ordered(const struct connection *connection, const struct connections *all)
{
	return connection->protocol ? connection_has_streams(connection) : all->of_unknown;
}

/* Whether all was seen that the process had written by then. */
static bool is_written(const struct connection *connection, const struct stream_piece *piece)
{
	const struct stream *written = &connection->streams[DIRECTION_OUT];

	return written->is_placed ? behind(written->next, piece->other) <= 0 : !piece->is_ahead;
}

bool early_comes(const struct connection *connection, const struct connections *all,
		 const struct connection_call *call, const struct stream_piece *piece)
{
	return call->direction == DIRECTION_IN && piece->is_placed && piece->len &&
	       !is_written(connection, piece) && !connection->waited_in_vain &&
	       !connection->is_opaque && !is_ordered(connection, all);
}

/* How many pieces of a connection wait. */
static unsigned int count_of_connection(const struct early_pieces *early,
					const struct connection *connection)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < EARLY_MAX; i++)
		count += early->all[i].connection == connection;
	return count;
}

static unsigned int count_of_process(const struct early_pieces *early, int32_t pid)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < EARLY_MAX; i++)
		count += early->all[i].connection && early->all[i].call.pid == pid;
	return count;
}

/* The oldest piece of the process that has most; all have one. Who asks has one more. */
static const struct early *oldest_of_most(const struct early_pieces *early, int32_t pid)
{
	const struct early *oldest = NULL;
	unsigned int most = 0;

	for (unsigned int i = 0; i < EARLY_MAX; i++) {
		const struct early *one = &early->all[i];
		unsigned int count =
			count_of_process(early, one->call.pid) + (one->call.pid == pid);

		if (count > most || (count == most && one->number < oldest->number)) {
			most = count;
			oldest = one;
		}
	}
	return oldest;
}

struct connection *early_crowding(struct connection *connection, struct connections *all,
				  int32_t pid)
{
	const struct early_pieces *early = all->early;
	const struct early *oldest;

	if (connection->has_early && count_of_connection(early, connection) >= EARLY_OF_ONE_MAX) {
		all->exchanges.stats.hurried_of_one++;
		return connection;
	}
	if (count_of_connection(early, NULL))
		return NULL;
	oldest = oldest_of_most(early, pid);
	all->exchanges.stats.hurried_for_room++;
	return oldest->connection;
}

void early_keep(struct connection *connection, struct connections *all,
		const struct connection_call *call, const struct stream_piece *piece)
{
	struct early_pieces *pieces = all->early;
	unsigned int i = 0;
	struct early *early;

	while (pieces->all[i].connection)
		i++;
	early = &pieces->all[i];
	*early = (struct early){connection, ++pieces->last, *call, {0}, *piece};
	if (early->piece.captured > EARLY_BYTES_MAX)
		early->piece.captured = EARLY_BYTES_MAX;
	if (early->piece.captured)
		memcpy(pieces->bytes[i], piece->data, early->piece.captured);
	early->piece.data = pieces->bytes[i];
	if (call->times)
		early->times = *call->times;
	connection->has_early = true;
}

bool early_waits_for(const struct connection *connection, const struct connections *all,
		     const struct connection_call *call, const struct stream_piece *piece)
{
	const struct stream *written = &connection->streams[DIRECTION_OUT];

	if (call->direction != DIRECTION_OUT || !piece->is_placed ||
	    (written->is_placed && (behind(written->next, piece->end - piece->len) > 0 ||
				    behind(written->next, piece->end) <= 0)))
		return false;
	for (unsigned int i = 0; i < EARLY_MAX; i++) {
		const struct early *one = &all->early->all[i];

		if (one->connection == connection && behind(piece->end, one->piece.other) >= 0)
			return true;
	}
	return false;
}

bool early_take(struct connection *connection, struct connections *all, bool only_due,
		struct early *early)
{
	struct early *oldest = NULL;
	unsigned int count = 0;

	for (unsigned int i = 0; i < EARLY_MAX; i++) {
		struct early *one = &all->early->all[i];

		if (one->connection != connection)
			continue;
		count++;
		if (!oldest || one->number < oldest->number)
			oldest = one;
	}
	connection->has_early = count;
	if (!oldest || (only_due && !is_written(connection, &oldest->piece)))
		return false;
	connection->has_early = count > 1;
	*early = *oldest;
	oldest->connection = NULL;
	return true;
}
