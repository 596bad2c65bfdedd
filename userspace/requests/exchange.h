/* SPDX-License-Identifier: MIT */
/*
 * Requests with their responses, from the first byte that was seen of one until its event is given
 * out: their memory, their account, how long they wait.
 */
#ifndef REQUESTS_EXCHANGE_H
#define REQUESTS_EXCHANGE_H

#include "abi.h"
#include "requests/messages.h"
#include "requests/requests.h"
#include "util/pool.h"

enum { EXCHANGE_TUPLE_BYTES = 40 };

/* What a thread did so far, at a call that moved bytes: see where.h. */
struct exchange_times {
	struct frame_times sums; /* since_ns 0: forgotten */
	int32_t tid; /* whose they are */
};

/* What is noted of a request or response beside what its protocol learns. */
struct exchange_part {
	uint64_t first_ns, last_ns; /* when its bytes were moved; first_ns 0: none were */
	uint64_t bytes;
	int32_t tid; /* of the last call */
	int32_t fd;
	int32_t first_tid; /* of the first call */
	/* Owned; NULL: not known, as of most captures, which do not ask for it. */
	struct exchange_times *times;
};

/* A response of which the last byte has not come. */
struct exchange_answer {
	struct exchange_part part;
	uint8_t tuple_len; /* likewise as of an exchange, if no request was open when it began */
	uint8_t tuple[EXCHANGE_TUPLE_BYTES];
	struct message_ref message;
};

/* How it waits for its response: those of a kind as long as each other. */
enum exchange_waits {
	EXCHANGE_OF_STREAM,
	EXCHANGE_OF_DATAGRAMS,
	EXCHANGE_OF_TURNS, /* see conversation.h */
	EXCHANGE_WAITS,
};

struct exchange {
	struct exchange *next; /* of its connection; then of those that wait to be given out */
	struct exchange *older, *newer; /* of those that are open, by `due_ns` */
	struct exchange *before, *chain, **link; /* see pairing.c, datagrams.c, multiplex.c */
	struct connection *connection;
	uint64_t due_ns;
	uint64_t connect_ns; /* how long the connect took before it; 0: not known */
	uint64_t ended_ns;
	uint64_t ino; /* of its socket */
	uint64_t slot, peer; /* see datagrams.c */
	uint64_t end_number; /* of a datagram: see datagram_ends.h; 0: none */
	uint64_t key; /* of its message, if has_key */
	struct exchange_part request, response;
	int32_t status;
	int32_t peer_pid; /* the process at the other end; 0: not known */
	uint8_t protocol, role; /* request_protocols, request_roles */
	uint8_t tuple_len;
	uint8_t waits; /* enum exchange_waits */
	uint8_t account; /* that it is counted in: of the protocol that it began with */
	uint8_t note; /* see conversation.c */
	uint8_t gaps; /* bits of sides of which bytes may be missing: multiplex.c */
	bool has_status;
	bool has_key;
	bool is_lost; /* something of it is missing: out of memory */
	bool is_whole; /* the last byte of the request came */
	bool is_answered; /* the response is whole, the request is not yet */
	bool is_sure; /* how it ended is known, though bytes of the response may be missing */
	bool is_queued; /* in the queue of its connection */
	bool is_tls; /* of the plaintext under it, */
	bool is_guess; /* whose socket is guessed */
	bool is_in_doubt; /* it has a key, and its response may have been among missing bytes */
	/* It was given out or given up, and is here for its place, or because its bytes still come.
	 */
	bool is_over;
	uint8_t tuple[EXCHANGE_TUPLE_BYTES];
	/* The other end behind a translation; real_len: of the address; 0: none, or not known. */
	uint8_t real_len;
	struct scap_endpoint real;
	struct message_ref message; /* of the request; its error is that of the exchange */
};

/* Why a request is not given out. */
enum exchange_fate { EXCHANGE_UNKNOWN, EXCHANGE_LOST, EXCHANGE_UNWANTED };

/* Those of a kind that wait, by `due_ns`. */
struct exchange_queue {
	struct exchange *oldest, *newest;
	uint64_t timeout_ns;
	uint32_t count;
};

/* All of them. A zeroed struct is empty, and needs `max` and timeouts. */
struct exchanges {
	struct pool pool;
	struct messages messages;
	struct exchange_queue waiting[EXCHANGE_WAITS];
	struct exchange *done, **done_end; /* those to be given out */
	/* Where steps of protocols write before they say that a message begins. */
	struct exchange *blank;
	struct exchange_answer *blank_answer;
	uint32_t held, max; /* exchanges in memory that are not done */
	struct requests_stats stats;
};

/* `max` and timeouts are set. */
void exchanges_init(struct exchanges *exchanges);

/* Frees what waits to be given out. The others were freed by those who have them. */
void exchanges_finish(struct exchanges *exchanges);

/* With an empty message, which is open, and which the next step may begin; NULL: no room. They stay
 * here. */
struct exchange *exchanges_blank(struct exchanges *exchanges);
struct exchange_answer *exchanges_blank_answer(struct exchanges *exchanges);

/* The blank one has begun: it is seen, open, and the caller's. */
struct exchange *exchanges_begin(struct exchanges *exchanges, enum exchange_waits waits,
				 uint8_t protocol, uint64_t now_ns);
struct exchange_answer *exchanges_begin_answer(struct exchanges *exchanges);

/* The message of one, to read and to change, until some others were opened; NULL: out of memory,
 * then it is lost. */
struct protocol_message *exchanges_message(struct exchanges *exchanges, struct exchange *exchange);

/* Why it ended, "" if as it should. */
void exchanges_set_error(struct exchanges *exchanges, struct exchange *exchange, const char *error);

/* It will not be given out: `is_over`. */
void exchanges_give_up(struct exchanges *exchanges, struct exchange *exchange,
		       enum exchange_fate fate);

/* It is given out, and no longer the caller's. */
void exchanges_report(struct exchanges *exchanges, struct exchange *exchange);

/* It is over, and no longer its connection's; it is given out by exchanges_release(). */
void exchanges_hold(struct exchanges *exchanges, struct exchange *exchange);
void exchanges_release(struct exchanges *exchanges, struct exchange *exchange);

/* One of which only a response was seen will not be given out. */
void exchanges_count_stray(struct exchanges *exchanges, uint8_t protocol, enum exchange_fate fate);

/* A copy is given out; it is over itself, but keeps its place. */
void exchanges_report_copy(struct exchanges *exchanges, struct exchange *exchange);

/* It must be over, or waiting to be given out. Both accept NULL. */
void exchanges_free(struct exchanges *exchanges, struct exchange *exchange);
void exchanges_free_answer(struct exchanges *exchanges, struct exchange_answer *answer);

/* An open one that has waited for too long; NULL: none. */
struct exchange *exchanges_due(const struct exchanges *exchanges, uint64_t now_ns);

/* Waits again, from now on. */
void exchanges_wait(struct exchanges *exchanges, struct exchange *exchange, uint64_t now_ns);

/* The next one that is to be given out, with its message open, which the caller frees; NULL: none.
 */
struct exchange *exchanges_next(struct exchanges *exchanges);

static inline struct requests_protocol_stats *exchanges_account(struct exchanges *exchanges,
								uint8_t protocol)
{
	return &exchanges->stats.protocols[protocol];
}

#endif
