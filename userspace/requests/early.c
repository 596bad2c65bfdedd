/* SPDX-License-Identifier: MIT */
/* Few wait, and not for long: they are looked for one after the other. */
#include "requests/early.h"

#include <stdlib.h>
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

static bool is_early(const struct connection *connection, const struct connections *all,
		     const struct connection_call *call, const struct stream_piece *piece)
{
	const struct stream *written = &connection->streams[DIRECTION_OUT];

	return call->direction == DIRECTION_IN && piece->is_placed && piece->len &&
	       written->is_placed && behind(written->next, piece->other) > 0 &&
	       !connection->waited_in_vain && !connection->is_opaque &&
	       !is_ordered(connection, all);
}

/* A free one; NULL: none, or the connection has enough. */
static struct early *new_early(const struct connection *connection, struct connections *all)
{
	struct early *early = NULL;
	unsigned int count = 0;

	for (unsigned int i = 0; i < EARLY_MAX; i++) {
		struct early *one = &all->early->all[i];

		count += connection->has_early && one->connection == connection;
		if (!one->connection)
			early = one;
	}
	return count < EARLY_OF_ONE_MAX ? early : NULL;
}

bool early_keep(struct connection *connection, struct connections *all,
		const struct connection_call *call, const struct stream_piece *piece)
{
	struct early *early =
		is_early(connection, all, call, piece) ? new_early(connection, all) : NULL;
	uint8_t *bytes = early ? malloc(piece->captured + 1u) : NULL;

	if (!bytes)
		return false;
	if (piece->captured)
		memcpy(bytes, piece->data, piece->captured);
	*early = (struct early){connection, ++all->early->last, *call, {0}, *piece, bytes};
	early->piece.data = bytes;
	if (call->times)
		early->times = *call->times;
	connection->has_early = true;
	return true;
}

bool early_waits_for(const struct connection *connection, const struct connections *all,
		     const struct connection_call *call, const struct stream_piece *piece)
{
	const uint32_t next = connection->streams[DIRECTION_OUT].next;

	if (call->direction != DIRECTION_OUT || !piece->is_placed ||
	    behind(next, piece->end - piece->len) > 0 || behind(next, piece->end) <= 0)
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
	const uint32_t next = connection->streams[DIRECTION_OUT].next;
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
	if (!oldest || (only_due && behind(next, oldest->piece.other) > 0))
		return false;
	connection->has_early = count > 1;
	*early = *oldest;
	oldest->connection = NULL;
	return true;
}
