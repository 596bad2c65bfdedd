/* SPDX-License-Identifier: MIT */
/*
 * The two ends of requests in datagrams, where both are on this machine: which process asks, and
 * which one answers. Datagrams have no numbers that both ends share, but they have their bytes: a
 * request that one socket sent and another one received has the same bytes and comes from the same
 * port; so has its response, and the server had both within the time that the client waited. If two
 * sockets at either end could be meant, none is: a client's port, the number and the question of
 * two queries are seldom the same, and never if the question is repeated by one socket.
 *
 * The memory is bounded: the oldest one gives way, and has no peer.
 */
#ifndef REQUESTS_DATAGRAM_ENDS_H
#define REQUESTS_DATAGRAM_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash.h"

enum {
	DATAGRAM_ENDS_MAX = 4096, /* requests at either end; a power of two */
	/*
	 * How much later a call may return than what it did: a server may have answered before the
	 * client's call returns, when the kernel lets it run at once.
	 */
	DATAGRAM_ENDS_SLACK_MS = 50,
	DATAGRAM_ENDS_ALIKE_MAX = 64, /* that are looked at; if there are more, nothing is known */
};

struct datagram_end;

/* A zeroed struct is empty, and needs the key. */
struct datagram_ends {
	const struct hash_key *key; /* borrowed; secret */
	struct datagram_end *entries; /* owned; NULL: there was none */
	uint32_t *buckets; /* owned; numbers of entries plus 1 */
	uint64_t count; /* requests so far */
};

void datagram_ends_finish(struct datagram_ends *ends);

/* What a call moved, whole. */
struct datagram_bytes {
	const uint8_t *data;
	size_t len;
	uint64_t ts_ns;
	int32_t pid; /* of the process; 0: not known */
};

/* A socket at one end of a request. */
struct datagram_socket {
	uint64_t ino;
	bool is_client;
	/* The client's end, as this socket knows it: a client that is not bound has no address. */
	const uint8_t *address; /* in network order */
	uint8_t address_len; /* 4 or 16 */
	uint16_t port; /* 0: not known */
};

/* A request left or reached a socket. Returns its number; 0: its peer will not be known. */
uint64_t datagram_ends_begin(struct datagram_ends *ends, const struct datagram_socket *socket,
			     const struct datagram_bytes *request);

/* Its response did. */
void datagram_ends_answer(struct datagram_ends *ends, uint64_t number,
			  const struct datagram_bytes *response);

/*
 * The process at the other end of a request that was answered; 0: not known. A client's is known
 * then; that of a server is at the latest after DATAGRAM_ENDS_SLACK_MS.
 */
int32_t datagram_ends_peer(const struct datagram_ends *ends, uint64_t number);

#endif
