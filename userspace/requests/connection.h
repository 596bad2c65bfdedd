/* SPDX-License-Identifier: MIT */
/*
 * A socket whose bytes are followed: its protocol once that is recognised, both directions, and its
 * open requests. A response is paired with the oldest open request, or that of its key.
 *
 * After bytes were missing nobody knows how many messages they had: then the connection is out of
 * step, and what comes is counted as unknown, until all that was open must have been answered: when
 * a client asks that never asked before it had the responses, or after a silence. The former is an
 * assumption: what it gives is held until the client has asked three times more, and given up if
 * it is contradicted. The same assumption ends a message whose end is missing, if its protocol
 * says that the rest has nothing that matters.
 */
#ifndef REQUESTS_CONNECTION_H
#define REQUESTS_CONNECTION_H

#include "abi.h"
#include "requests/datagram_ends.h"
#include "requests/datagrams.h"
#include "requests/exchange.h"
#include "requests/recognition.h"
#include "requests/statements.h"
#include "requests/stream.h"
#include "requests/translations.h"
#include "sinsp/state/fd.h"
#include "util/buf.h"
#include "util/hash.h"

/* How the ends of connections are compared: see ends.h. */
enum connection_end {
	END_IS_UNKNOWN,
	END_IS_NEW, /* its begin was seen, not where it is */
	END_IS_LEFT_OUT, /* no room: its peer will not be known */
	END_OF_PLACES, /* by where both directions began */
	END_OF_ADDRESSES,
	END_OF_SOCKETS, /* by the kernel's addresses of unix sockets */
};

/* There may be 100,000: 384 bytes. */
struct connection {
	uint64_t ino;
	struct connection *chain; /* of the table: requests.c */
	struct connection *before, *behind; /* of the ring: requests.c */
	const struct protocol *protocol; /* NULL: not recognised */
	struct exchange *queue, *last; /* those without a whole response, the oldest first */
	struct exchange *asking; /* the request whose bytes come */
	struct exchange_answer *answer; /* the response whose bytes come */
	struct exchange *held; /* answered on probation, the newest first */
	struct connection *peer; /* the other end of it, on this machine; NULL: not known: ends.c */
	struct connection *end_chain; /* of the table: ends.c */
	uint64_t end; /* which end of which connection it is, by `end_kind`: ends.c */
	int32_t pid; /* the process that moved bytes last; 0: not known */
	int32_t opener; /* the one that accepted or connected; 0: not known */
	int32_t peer_pid, peer_opener; /* the same, of a peer that is gone */
	union {
		struct statement_owner prepared;
		struct multiplex *multiplex; /* if its protocol has streams: multiplex.h */
	};
	uint64_t last_ns; /* of bytes */
	uint32_t connect_us; /* how long the connect took; 0: not known */
	uint16_t queued; /* in `queue` */
	union {
		/* Where the other direction was when the last request began; the one whose bytes
		 * come.
		 */
		struct {
			uint32_t asked_at, asking_at;
		};
		/* Without a protocol, the places behind what was counted: conversation.h. */
		uint32_t counted[DIRECTIONS];
	};
	uint16_t limit; /* that was told; struct requests_limit */
	int16_t debt; /* responses to come, at least, for requests that were given up; below 0: that
			 came for requests that are missing */
	uint8_t requests : 1; /* the direction that has them */
	bool is_used : 1; /* since the ring's hand passed by */
	bool is_opaque : 1; /* nobody looks at its bytes, */
	bool is_left_out : 1; /* as none of its requests is wanted */
	bool is_guess : 1; /* its socket, of which it is the plaintext */
	bool is_sealed : 1; /* its bytes are encrypted, and their plaintext is followed */
	bool is_sized : 1; /* of no known protocol: only their number matters */
	bool is_counted : 1; /* `requests` is known, though there is no protocol, */
	bool has_places : 1; /* and `counted` */
	bool is_behind : 1; /* without a protocol: what comes may have begun before the capture */
	bool has_datagrams : 1; /* each message is one, and `queue` has all that are open:
				   datagrams.h */
	bool is_out_of_step : 1;
	bool has_turned : 1; /* out of step, and responses came since then */
	bool knows_debt : 1; /* no response was missing since `debt` was 0 */
	bool is_on_probation : 1; /* it is believed to be in step again */
	bool has_asked : 1; /* `asked_at` is known, and that request wants a response */
	bool had_stray : 1; /* on probation; a request is missing, or it overlaps: the next one
			     * tells
			     */
	bool overlaps : 1; /* requests came while others had no response */
	bool would_overlap : 1; /* if a request begins in these bytes */
	bool may_overlap : 1; /* or that response is missing: the next one tells */
	bool has_keys : 1;
	bool has_doubts : 1; /* one in `queue` may be in doubt */
	bool was_reset : 1;
	bool is_writing : 1; /* a call that writes went on when its plaintext was closed */
	bool is_closing : 1; /* its socket is closed, too: sockets.c */
	bool has_early : 1; /* a read waits for an earlier write: early.h */
	bool waited_in_vain : 1; /* one did, and nothing was written since */
	bool was_asked_for : 1; /* of a server: from where its client is translated */
	/* Bytes of that direction were missing before there was a verdict. */
	bool missed_in : 1, missed_out : 1;
	bool was_read : 1, was_written : 1;
	bool was_in : 1; /* the last call read */
	uint8_t role; /* request_roles */
	uint8_t end_kind; /* enum connection_end */
	uint8_t end_tries; /* how often its peer was asked for: ends.c */
	uint8_t turns, pieces; /* without a verdict; turns on probation */
	uint8_t lost; /* points for each time that its protocol was; see connection_forgive() */
	uint8_t retractions; /* verdicts that were taken back */
	uint8_t answers; /* responses since the verdict, as far as it matters */
	struct stream streams[DIRECTIONS];
};

/* Whether its protocol is known, and its messages interleave: multiplex.h. */
static inline bool connection_has_streams(const struct connection *connection)
{
	return connection->protocol && connection->protocol->streams;
}

/* The inode of its socket; of plaintext whose socket is not known, what nothing else has. */
static inline uint64_t connection_socket(const struct connection *connection)
{
	return connection->ino & TLS_KEY_LOOSE ? connection->ino : connection->ino & ~TLS_KEY;
}

/* An exchange of a connection begins. */
static inline void connection_mark(const struct connection *connection, struct exchange *exchange)
{
	exchange->ino = connection_socket(connection);
	exchange->is_tls = (connection->ino & TLS_KEY) != 0;
	exchange->is_guess = connection->is_guess;
}

/* How many points it is worth that a protocol was lost; what was found by a search is worth one. */
enum { CONNECTION_LOST_POINTS = 8 };

/* A response was whole, which makes up for one loss: not for all, so that none has them for
 * nothing. */
static inline void connection_forgive(struct connection *connection)
{
	connection->lost -= connection->lost < CONNECTION_LOST_POINTS ? connection->lost
								      : CONNECTION_LOST_POINTS;
}

/* What connections share. */
struct connections {
	struct exchanges exchanges;
	struct hash_key key; /* secret, for tables */
	struct ends *ends; /* owned */
	struct early_pieces *early; /* owned: early.h */
	const struct state *state; /* borrowed, from the last event; NULL: there was none */
	size_t tails; /* bytes that tails hold */
	bool of_unknown; /* requests of unknown protocols are made, too */
	struct requests_unwanted unwanted;
	bool by_descriptor; /* calls need not say where their bytes are */
	struct datagrams datagrams;
	struct datagram_ends datagram_ends;
	struct statements statements;
	struct protocol_room room; /* of protocols with streams */
	struct protocol_message nowhere; /* for what is said of no request */
	struct protocol_message *said; /* what the last step of a stream wrote to */
	struct translations translations;
	struct buf limits; /* struct requests_limit that changed */
};

/* Whether none of the requests of a role and a protocol is wanted. */
static inline bool connections_leave_out(const struct connections *all, uint8_t role,
					 uint8_t protocol)
{
	return all->unwanted.by_role[role] >> protocol & 1;
}

/*
 * Whether none of its requests is wanted; its protocol is known. Of datagrams any may be of either
 * role.
 */
static inline bool connection_is_unwanted(const struct connection *connection,
					  const struct connections *all)
{
	const struct protocol *protocol = connection->protocol;
	uint32_t spoken = protocol->also | UINT32_C(1) << protocol->number;

	return (all->unwanted.by_role[connection->role] & spoken) == spoken;
}

/* The call of an event. */
struct connection_call {
	uint64_t ts_ns;
	int64_t tid, fd;
	int32_t pid; /* of its process; 0: not known */
	const struct state_fd *file; /* NULL: not known */
	const struct frame_times
		*times; /* what its thread did so far; NULL or since_ns 0: not known */
	enum recognition_direction direction; /* of bytes */
};

/* Takes bytes that a call moved. */
void connection_take(struct connection *connection, struct connections *all,
		     const struct connection_call *call, struct stream_piece piece);

/* No byte follows in that direction. */
void connection_end_side(struct connection *connection, struct connections *all,
			 const struct connection_call *call);

/* Ends all that is open, and frees what the connection has, not itself. error: why. */
void connection_release(struct connection *connection, struct connections *all, uint64_t now_ns,
			const char *error);

/* Gives up all that is open: their responses will not be seen. */
void connection_give_up(struct connection *connection, struct connections *all);

/* A request of it has waited for too long. */
void connection_time_out(struct connections *all, struct exchange *exchange, uint64_t now_ns);

/* Silent for this long, a connection has answered all: for one whose requests overlap; for others.
 */
#define CONNECTION_SILENCE_OVERLAPPING_NS UINT64_C(10000000000)
#define CONNECTION_SILENCE_NS UINT64_C(1000000000)

#endif
