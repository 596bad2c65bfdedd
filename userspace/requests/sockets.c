/* SPDX-License-Identifier: MIT */
/* A hash table with chains; the hand of the ring passes by those that were used since. */
#include "requests/sockets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "requests/ends.h"
#include "requests/requests.h"

/* The next power of two, for a table that is half full at most. */
static uint32_t table_size(uint32_t sockets)
{
	uint32_t size = 16;

	while (size < sockets)
		size *= 2;
	return size;
}

enum { LOOSE_SHARE = 8 /* so many sockets for each place of plaintext without socket */ };

static bool is_loose(uint64_t ino)
{
	return (ino & TLS_KEY_LOOSE) != 0;
}

int sockets_init(struct sockets *sockets, uint32_t max, struct connections *all)
{
	*sockets = (struct sockets){.all = all, .max = max, .mask = table_size(max) - 1};
	sockets->slots = calloc(sockets->mask + 1, sizeof(struct connection *));
	sockets->loose_max = max / LOOSE_SHARE + 1;
	sockets->loose_keys = calloc(sockets->loose_max, sizeof(*sockets->loose_keys));
	return sockets->slots && sockets->loose_keys ? 0 : -ENOMEM;
}

void sockets_finish(struct sockets *sockets)
{
	pool_finish(&sockets->pool);
	free(sockets->slots);
	free(sockets->loose_keys);
}

/* With a secret key: who makes many sockets could keep those that share a slot. */
static struct connection **slot_of(const struct sockets *sockets, uint64_t ino)
{
	const uint64_t *key = sockets->all->key.parts;
	uint64_t hash = (ino ^ key[0]) * (key[1] | 1);

	return &sockets->slots[(hash >> 32) & sockets->mask];
}

struct connection *sockets_find(const struct sockets *sockets, uint64_t ino)
{
	struct connection *connection = *slot_of(sockets, ino);

	while (connection && connection->ino != ino)
		connection = connection->chain;
	return connection;
}

static void unlink_connection(struct sockets *sockets, struct connection *connection)
{
	struct connection **link = slot_of(sockets, connection->ino);

	while (*link != connection)
		link = &(*link)->chain;
	*link = connection->chain;
	connection->before->behind = connection->behind;
	connection->behind->before = connection->before;
	if (sockets->hand == connection)
		sockets->hand = connection->behind == connection ? NULL : connection->behind;
}

void sockets_remove(struct sockets *sockets, struct connection *connection, uint64_t now_ns,
		    const char *error)
{
	connection_release(connection, sockets->all, now_ns,
			   connection->was_reset ? "reset" : error);
	ends_remove(sockets->all->ends, connection);
	unlink_connection(sockets, connection);
	sockets->loose -= is_loose(connection->ino);
	pool_free(&sockets->pool, connection, sizeof(*connection));
	sockets->all->exchanges.stats.followed--;
}

void sockets_remove_all(struct sockets *sockets, uint64_t ino, uint64_t now_ns, const char *error)
{
	struct connection *plain = sockets_find(sockets, ino | TLS_KEY),
			  *socket = sockets_find(sockets, ino);

	if (socket && socket->was_reset && plain)
		plain->was_reset = true;
	if (plain)
		sockets_remove(sockets, plain, now_ns, error);
	if (socket)
		sockets_remove(sockets, socket, now_ns, error);
}

/* Whether a response may be on its way that nobody has told yet. */
static bool may_be_answering(const struct connection *plain)
{
	return plain && plain->is_writing && plain->protocol && plain->queued &&
	       plain->requests == DIRECTION_IN;
}

static void end_closing(struct sockets *sockets, uint32_t i)
{
	const struct sockets_closing closing = sockets->closing[i];
	struct connection *plain = sockets_find(sockets, closing.key);

	sockets->closing_count--;
	memmove(&sockets->closing[i], &sockets->closing[i + 1],
		(sockets->closing_count - i) * sizeof(closing));
	/* Another one may have its key by now. */
	if (plain && plain->is_closing)
		sockets_remove(sockets, plain, closing.closed_ns, closing.error);
}

void sockets_end_closing(struct sockets *sockets, uint64_t now_ns)
{
	while (sockets->closing_count &&
	       now_ns >= sockets->closing[0].closed_ns + SOCKETS_CLOSING_NS)
		end_closing(sockets, 0);
}

static unsigned int closing_of(const struct sockets *sockets, int32_t pid)
{
	unsigned int count = 0;

	for (uint32_t i = 0; i < sockets->closing_count; i++)
		count += sockets->closing[i].pid == pid;
	return count;
}

/* Ends the oldest one of the process that has most, with one more of this one. */
static void make_closing_room(struct sockets *sockets, int32_t pid)
{
	const struct connection *plain;
	unsigned int most = 0;
	uint32_t oldest = 0;

	for (uint32_t i = 0; i < sockets->closing_count; i++) {
		const int32_t owner = sockets->closing[i].pid;
		const unsigned int count = closing_of(sockets, owner) + (owner == pid);

		if (count > most) {
			most = count;
			oldest = i;
		}
	}
	plain = sockets_find(sockets, sockets->closing[oldest].key);
	sockets->all->exchanges.stats.hurried_closes += plain && plain->is_closing && plain->queued;
	end_closing(sockets, oldest);
}

void sockets_close(struct sockets *sockets, uint64_t ino, uint64_t now_ns, const char *error)
{
	struct connection *plain = sockets_find(sockets, ino | TLS_KEY),
			  *socket = sockets_find(sockets, ino);

	if (!may_be_answering(plain) || plain->is_closing) {
		sockets_remove_all(sockets, ino, now_ns, error);
		return;
	}
	if (sockets->closing_count == SOCKETS_CLOSING_MAX)
		make_closing_room(sockets, plain->pid);
	sockets->closing[sockets->closing_count++] = (struct sockets_closing){
		.key = plain->ino, .pid = plain->pid, .closed_ns = now_ns, .error = error};
	plain->is_closing = true;
	plain->was_reset |= socket && socket->was_reset;
	if (socket)
		sockets_remove(sockets, socket, now_ns, error);
}

static void evict(struct sockets *sockets, struct connection *connection, uint64_t now_ns)
{
	connection_give_up(connection, sockets->all);
	sockets_remove(sockets, connection, now_ns, "");
	sockets->all->exchanges.stats.no_room++;
}

/* Removes one of a socket that was not used since the hand was there last. */
static void evict_socket(struct sockets *sockets, uint64_t now_ns)
{
	while (sockets->hand->is_used || is_loose(sockets->hand->ino)) {
		sockets->hand->is_used = false;
		sockets->hand = sockets->hand->behind;
	}
	evict(sockets, sockets->hand, now_ns);
	sockets->certain_ns = now_ns;
}

/* Removes who had the next place, if it is followed still, and takes it. */
static void take_loose_place(struct sockets *sockets, uint64_t key, uint64_t now_ns)
{
	uint64_t *place = &sockets->loose_keys[sockets->loose_next];
	struct connection *before = *place ? sockets_find(sockets, *place) : NULL;

	if (before) {
		evict(sockets, before, now_ns);
		sockets->loose_certain_ns = now_ns;
	}
	*place = key;
	sockets->loose_next = (sockets->loose_next + 1) % sockets->loose_max;
}

/* Since when none of its kind was forgotten. */
static uint64_t certain_ns(const struct sockets *sockets, uint64_t ino)
{
	return is_loose(ino) && sockets->loose_certain_ns > sockets->certain_ns
		       ? sockets->loose_certain_ns
		       : sockets->certain_ns;
}

static void link_connection(struct sockets *sockets, struct connection *connection)
{
	struct connection **slot = slot_of(sockets, connection->ino);

	connection->chain = *slot;
	*slot = connection;
	if (!sockets->hand)
		sockets->hand = connection->before = connection->behind = connection;
	connection->before = sockets->hand->before;
	connection->behind = sockets->hand;
	connection->before->behind = connection->behind->before = connection;
}

struct connection *sockets_add(struct sockets *sockets, uint64_t ino, uint64_t now_ns)
{
	struct requests_stats *stats = &sockets->all->exchanges.stats;
	struct connection *connection;

	if (is_loose(ino))
		take_loose_place(sockets, ino, now_ns);
	else if (stats->followed - sockets->loose >= sockets->max)
		evict_socket(sockets, now_ns);
	connection = pool_alloc(&sockets->pool, sizeof(*connection));
	if (!connection) {
		stats->no_room++;
		return NULL;
	}
	memset(connection, 0, sizeof(*connection));
	connection->ino = ino;
	connection->limit = REQUESTS_LIMIT_DEFAULT;
	connection->last_ns = now_ns;
	connection->is_out_of_step = now_ns < certain_ns(sockets, ino) + CONNECTION_SILENCE_NS;
	link_connection(sockets, connection);
	stats->sockets++;
	stats->followed++;
	sockets->loose += is_loose(ino);
	return connection;
}
