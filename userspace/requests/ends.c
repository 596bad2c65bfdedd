/* SPDX-License-Identifier: MIT */
/* The table of ends. */
#include "requests/ends.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "sinsp/state/event.h"
#include "util/hash.h"

enum {
	/* So many bytes are under way at most. */
	UNDER_WAY_MAX = 16 << 20,
	TRIES_MAX = 255, /* requests after which nobody looks for the peer any more */
	/* Ends in a chain: with TCP_REPAIR anybody can choose sequence numbers. */
	CHAIN_MAX = 64,
};

struct ends {
	const struct hash_key *key; /* of addresses, which others choose */
	struct connection **table; /* by `end` */
	uint32_t mask;
};

int ends_create(uint32_t size, const struct hash_key *key, struct ends **ends)
{
	struct ends *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->mask = size - 1;
	made->table = calloc(size, sizeof(struct connection *));
	if (!made->table) {
		free(made);
		return -ENOMEM;
	}
	made->key = key;
	*ends = made;
	return 0;
}

void ends_destroy(struct ends *ends)
{
	if (!ends)
		return;
	free(ends->table);
	free(ends);
}

/* An end is two numbers, the own one first: the peer has them the other way round. */
static uint64_t make_end(uint64_t own, uint64_t other)
{
	return own << 32 | (uint32_t)other;
}

static uint64_t mirror(uint64_t end)
{
	return end << 32 | end >> 32;
}

/* The same for both ends. */
static struct connection **chain_of(const struct ends *ends, uint64_t end)
{
	uint64_t both = (end ^ end >> 32) & UINT32_MAX;

	return &ends->table[(both * UINT64_C(0x9e3779b97f4a7c15) >> 32) & ends->mask];
}

void ends_remove(struct ends *ends, struct connection *connection)
{
	struct connection **link;

	if (connection->peer) {
		connection->peer->peer_pid = connection->pid;
		connection->peer->peer_opener = connection->opener;
		connection->peer->end_tries = TRIES_MAX;
		connection->peer->peer = NULL;
	}
	if (connection->end_kind <= END_IS_LEFT_OUT)
		return;
	link = chain_of(ends, connection->end);
	while (*link != connection)
		link = &(*link)->end_chain;
	*link = connection->end_chain;
}

/* A kernel's address is another socket's by now: nobody saw that the process with the older one
 * ended. */
static void remove_older(struct ends *ends, uint64_t end)
{
	struct connection *other = *chain_of(ends, end);

	while (other && (other->end_kind != END_OF_SOCKETS || other->end != end))
		other = other->end_chain;
	if (!other)
		return;
	ends_remove(ends, other);
	other->end_kind = END_IS_LEFT_OUT;
	other->peer = NULL;
}

static void ends_add(struct ends *ends, struct connection *connection, enum connection_end kind,
		     uint64_t end)
{
	struct connection **chain = chain_of(ends, end);
	unsigned int length = 0;

	if (kind == END_OF_SOCKETS)
		remove_older(ends, end);
	for (struct connection *other = *chain; other; other = other->end_chain, length++)
		if (other->end_kind == kind && other->end == mirror(end))
			other->end_tries = 0;
	connection->end_kind = END_IS_LEFT_OUT;
	if (length >= CHAIN_MAX)
		return;
	connection->end_kind = kind;
	connection->end = end;
	connection->end_tries = 0;
	connection->end_chain = *chain;
	*chain = connection;
}

static bool has_sockets(const struct state_fd *file)
{
	return file && file->type == SCAP_FD_UNIX && state_fd_ends(file)->unix_socket &&
	       state_fd_ends(file)->unix_peer;
}

static bool has_addresses(const struct state_fd *file)
{
	return file && (file->type == SCAP_FD_IPV4 || file->type == SCAP_FD_IPV6) &&
	       file->has_ends && !file->listening && file->role != STATE_ROLE_NONE;
}

static uint64_t hash_endpoint(const struct ends *ends, const struct scap_endpoint *endpoint)
{
	return hash_sip(ends->key, endpoint, sizeof(endpoint->address) + sizeof(endpoint->port));
}

/* Events have the end that connected first. */
static uint64_t end_of_sockets(const struct ends *ends, const struct state_fd *file)
{
	const union state_ends *both = state_fd_ends(file);
	uint64_t end = make_end(hash_sip(ends->key, &both->unix_socket, sizeof(both->unix_socket)),
				hash_sip(ends->key, &both->unix_peer, sizeof(both->unix_peer)));

	return file->role == STATE_ROLE_SERVER ? mirror(end) : end;
}

static uint64_t end_of_addresses(const struct ends *ends, const struct state_fd *file)
{
	const union state_ends *both = state_fd_ends(file);
	uint64_t end =
		make_end(hash_endpoint(ends, &both->source), hash_endpoint(ends, &both->dest));

	return file->role == STATE_ROLE_CLIENT ? end : mirror(end);
}

void ends_begin(struct ends *ends, struct connection *connection, const struct state_fd *file,
		const struct stream_piece *begin)
{
	if (has_sockets(file))
		ends_add(ends, connection, END_OF_SOCKETS, end_of_sockets(ends, file));
	else if (begin->is_placed && begin->other)
		ends_add(ends, connection, END_OF_PLACES, make_end(begin->end, begin->other));
	else
		connection->end_kind = END_IS_NEW;
}

void ends_take(struct ends *ends, struct connection *connection, const struct connection_call *call,
	       const struct stream_piece *piece)
{
	uint32_t start = piece->end - piece->len;

	connection->pid = call->pid;
	if (connection->end_kind > END_IS_NEW)
		return;
	if (has_sockets(call->file))
		ends_add(ends, connection, END_OF_SOCKETS, end_of_sockets(ends, call->file));
	else if (piece->is_placed && connection->end_kind == END_IS_NEW)
		ends_add(ends, connection, END_OF_PLACES,
			 call->direction == DIRECTION_OUT ? make_end(start, piece->other)
							  : make_end(piece->other, start));
	else if (piece->is_placed && has_addresses(call->file))
		ends_add(ends, connection, END_OF_ADDRESSES, end_of_addresses(ends, call->file));
}

/* Where one end reads of what the other one wrote. Calls of both end in any order. */
static bool is_under_way(uint32_t written, uint32_t read)
{
	uint32_t ahead = written - read;

	return ahead <= UNDER_WAY_MAX || -ahead <= UNDER_WAY_MAX;
}

/* Whether the places of both are those of one connection, one direction at rest. */
static bool agree(const struct connection *one, const struct connection *other)
{
	const struct stream *out = &one->streams[DIRECTION_OUT], *in = &one->streams[DIRECTION_IN];
	const struct stream *from = &other->streams[DIRECTION_OUT];
	const struct stream *to = &other->streams[DIRECTION_IN];

	if (!out->is_placed || !in->is_placed || !from->is_placed || !to->is_placed)
		return false;
	return is_under_way(out->next, to->next) && is_under_way(from->next, in->next) &&
	       (out->next == to->next || from->next == in->next);
}

static bool can_be_peers(const struct connection *one, const struct connection *other)
{
	return one->end_kind == other->end_kind && one != other &&
	       (one->end_kind != END_OF_ADDRESSES || agree(one, other));
}

/* The only one whose peer this end can be; NULL: none, or there are several. */
static struct connection *only_peer_of(const struct ends *ends, const struct connection *connection)
{
	struct connection *found = NULL;

	for (struct connection *other = *chain_of(ends, connection->end); other;
	     other = other->end_chain) {
		if (other->end != mirror(connection->end) || !can_be_peers(connection, other))
			continue;
		if (found)
			return NULL;
		found = other;
	}
	return found;
}

/* The first one, unless it has ended and the other one has not. */
static int32_t one_that_lives(const struct state *state, int32_t pid, int32_t opener)
{
	bool has_ended = state && pid && !state_thread_find(state, pid);

	return has_ended && opener && state_thread_find(state, opener) ? opener : pid;
}

int32_t ends_peer(struct ends *ends, const struct state *state, struct connection *connection)
{
	struct connection *peer = connection->peer;
	uint8_t tries = connection->end_tries;

	if (peer)
		return one_that_lives(state, peer->pid, peer->opener);
	if (connection->end_kind <= END_IS_LEFT_OUT || tries == TRIES_MAX)
		return one_that_lives(state, connection->peer_pid, connection->peer_opener);
	connection->end_tries++;
	/* After 1, 2, 4, ... requests. */
	if (tries & (tries - 1))
		return 0;
	peer = only_peer_of(ends, connection);
	if (!peer || peer->peer || only_peer_of(ends, peer) != connection)
		return 0;
	connection->peer = peer;
	peer->peer = connection;
	return one_that_lives(state, peer->pid, peer->opener);
}
