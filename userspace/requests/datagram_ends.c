/* SPDX-License-Identifier: MIT */
/* A ring of requests at their ends, which are found by the bytes and the client's port. */
#include "requests/datagram_ends.h"

#include <stdlib.h>
#include <string.h>

#include "event/address.h"

enum { MASK = DATAGRAM_ENDS_MAX - 1, IPV6_BYTES = 16 };

#define SLACK_NS (DATAGRAM_ENDS_SLACK_MS * UINT64_C(1000000))

struct datagram_end {
	uint64_t request, response; /* hashes of the bytes; response 0: there is none yet */
	uint64_t ino; /* of the socket */
	uint64_t begin_ns, end_ns; /* when they were moved here */
	uint64_t number; /* 0: the place is free */
	uint32_t chain; /* the next one with its hash: its index plus 1; 0: none */
	uint32_t before; /* the previous one, likewise */
	int32_t pid;
	uint16_t port; /* of the client */
	bool is_client;
	uint8_t address_len; /* of the client's address; 0: not known */
	uint8_t address[IPV6_BYTES];
};

void datagram_ends_finish(struct datagram_ends *ends)
{
	free(ends->entries);
	free(ends->buckets);
	*ends = (struct datagram_ends){.key = ends->key};
}

static bool datagram_ends_make(struct datagram_ends *ends)
{
	if (ends->entries)
		return true;
	ends->entries = calloc(DATAGRAM_ENDS_MAX, sizeof(*ends->entries));
	ends->buckets = calloc(DATAGRAM_ENDS_MAX, sizeof(*ends->buckets));
	if (ends->entries && ends->buckets)
		return true;
	datagram_ends_finish(ends);
	return false;
}

/* Never 0. */
static uint64_t hash_of_bytes(const struct datagram_ends *ends, const struct datagram_bytes *bytes)
{
	return hash_sip(ends->key, bytes->data, bytes->len) | 1;
}

static uint32_t *bucket_of(const struct datagram_ends *ends, const struct datagram_end *end)
{
	return &ends->buckets[(end->request >> 1 ^ end->port) & MASK];
}

static void unlink_end(struct datagram_ends *ends, struct datagram_end *end)
{
	if (end->chain)
		ends->entries[end->chain - 1].before = end->before;
	if (end->before)
		ends->entries[end->before - 1].chain = end->chain;
	else
		*bucket_of(ends, end) = end->chain;
}

/* As packets have it: of IPv4, if it is one. All zeros are none. */
static void set_address(struct datagram_end *end, const struct datagram_socket *socket)
{
	static const uint8_t none[IPV6_BYTES];
	uint8_t len = socket->address_len;
	const uint8_t *address = address_unmapped(socket->address, &len);

	if (memcmp(address, none, len) == 0)
		return;
	memcpy(end->address, address, len);
	end->address_len = len;
}

uint64_t datagram_ends_begin(struct datagram_ends *ends, const struct datagram_socket *socket,
			     const struct datagram_bytes *request)
{
	struct datagram_end *end;
	uint32_t *bucket;

	if (!socket->port || !datagram_ends_make(ends))
		return 0;
	end = &ends->entries[ends->count & MASK];
	if (end->number)
		unlink_end(ends, end);
	*end = (struct datagram_end){
		.request = hash_of_bytes(ends, request),
		.ino = socket->ino,
		.begin_ns = request->ts_ns,
		.pid = request->pid,
		.port = socket->port,
		.is_client = socket->is_client,
	};
	set_address(end, socket);
	bucket = bucket_of(ends, end);
	end->chain = *bucket;
	*bucket = (uint32_t)(ends->count & MASK) + 1;
	if (end->chain)
		ends->entries[end->chain - 1].before = *bucket;
	end->number = ++ends->count;
	return end->number;
}

/* Whether they can be ends of one request, or the same end of two that are mistaken for one. */
static bool is_alike(const struct datagram_end *one, const struct datagram_end *other)
{
	return one->request == other->request && one->port == other->port &&
	       (!one->address_len || !other->address_len ||
		(one->address_len == other->address_len &&
		 memcmp(one->address, other->address, one->address_len) == 0));
}

/* Whether the other one was open while this one was; one without an end still is. */
static bool meets(const struct datagram_end *end, const struct datagram_end *other)
{
	return other->begin_ns <= end->end_ns + SLACK_NS &&
	       (!other->end_ns || other->end_ns + SLACK_NS >= end->begin_ns);
}

/* A response that is not known yet may be the same. */
static bool has_same_answer(const struct datagram_end *one, const struct datagram_end *other)
{
	return !one->response || !other->response || one->response == other->response;
}

/* The sockets at an end of such a request. */
struct datagram_sockets {
	uint64_t ino; /* 0: none */
	bool are_several;
	int32_t pid; /* of the one with the same answer; 0: there is none */
};

static void note_socket(struct datagram_sockets *sockets, const struct datagram_end *end,
			const struct datagram_end *found)
{
	sockets->are_several |= sockets->ino && sockets->ino != found->ino;
	sockets->ino = found->ino;
	if (has_same_answer(end, found))
		sockets->pid = found->pid;
}

static int32_t peer_of_end(const struct datagram_ends *ends, const struct datagram_end *end)
{
	struct datagram_sockets sockets[2] = {{0}};
	unsigned int looked_at = 0;

	for (uint32_t at = *bucket_of(ends, end); at; at = ends->entries[at - 1].chain) {
		const struct datagram_end *found = &ends->entries[at - 1];

		if (++looked_at > DATAGRAM_ENDS_ALIKE_MAX)
			return 0;
		if (is_alike(end, found) && meets(end, found))
			note_socket(&sockets[found->is_client], end, found);
	}
	return sockets[0].are_several || sockets[1].are_several ? 0 : sockets[!end->is_client].pid;
}

static struct datagram_end *end_of_number(const struct datagram_ends *ends, uint64_t number)
{
	struct datagram_end *end =
		ends->entries && number ? &ends->entries[(number - 1) & MASK] : NULL;

	return end && end->number == number ? end : NULL;
}

void datagram_ends_answer(struct datagram_ends *ends, uint64_t number,
			  const struct datagram_bytes *response)
{
	struct datagram_end *end = end_of_number(ends, number);

	if (!end)
		return;
	end->response = hash_of_bytes(ends, response);
	end->end_ns = response->ts_ns;
	if (response->pid)
		end->pid = response->pid;
}

int32_t datagram_ends_peer(const struct datagram_ends *ends, uint64_t number)
{
	const struct datagram_end *end = end_of_number(ends, number);

	return end && end->response ? peer_of_end(ends, end) : 0;
}
