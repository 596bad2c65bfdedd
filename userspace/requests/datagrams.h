/* SPDX-License-Identifier: MIT */
/*
 * Sockets of datagrams: each is a message of its own. A response answers the oldest open request of
 * its socket that went the other way, with the same peer and key: so one socket may ask and answer,
 * and have any number of peers. Datagrams of groups (multicast DNS, LLMNR) are no requests.
 */
#ifndef REQUESTS_DATAGRAMS_H
#define REQUESTS_DATAGRAMS_H

#include "requests/exchange.h"

struct connection;
struct connections;
struct connection_call;

enum {
	DATAGRAMS_OPEN_MAX = 16384, /* requests, of all sockets; then the oldest one gives way */
	DATAGRAM_SLOTS = 8192, /* a power of two */
	DATAGRAMS_HELD_MAX = 512, /* answers, which a thread or socket that ends looks through */
};

struct datagrams {
	/* Open requests of all sockets by what their responses must have. */
	struct exchange *slots[DATAGRAM_SLOTS];
	/* Those that a server has answered, and whose client is waited for: the oldest first. */
	struct exchange *held, *held_last;
	uint32_t held_count;
	uint64_t held_tids; /* bits of the threads that answered */
};

/* What a call moved: one of them. */
struct datagram {
	const uint8_t *data; /* its first bytes */
	uint32_t captured, len; /* of data; of all */
	const uint8_t *tuple; /* a SOCKTUPLE from its sender to its receiver; NULL: not known */
	uint8_t tuple_len;
};

/* Takes one. The socket may have become opaque then. */
void datagrams_take(struct connection *connection, struct connections *all,
		    const struct connection_call *call, const struct datagram *datagram);

/*
 * Gives out requests that servers answered a while ago, whose clients were waited for. now_ns: of
 * the events' clock; UINT64_MAX: all of them.
 */
void datagrams_release(struct connections *all, uint64_t now_ns);

/* A thread ends, and is not known after that: gives out what it answered. */
void datagrams_end_thread(struct connections *all, int64_t tid);

/* No response follows: gives out all that is open, with that error. */
void datagrams_close(struct connection *connection, struct connections *all, uint64_t now_ns,
		     const char *error);

/* Gives up all that is open. */
void datagrams_give_up(struct connection *connection, struct connections *all,
		       enum exchange_fate fate);

/* A request has waited for too long. */
void datagrams_time_out(struct connections *all, struct exchange *exchange, uint64_t now_ns);

#endif
