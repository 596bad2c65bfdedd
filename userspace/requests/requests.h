/* SPDX-License-Identifier: MIT */
/*
 * Requests of application protocols, from the bytes that system calls move through sockets. Takes
 * events after the state has, and gives a frame of the event `request` for each request that has
 * ended. No I/O; memory and time are bounded: what does not fit is counted.
 */
#ifndef REQUESTS_REQUESTS_H
#define REQUESTS_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "requests/protocols/protocol.h"
#include "scap/proc/fd.h"
#include "sinsp/state/event.h"
#include "util/buf.h"

struct requests;

enum {
	REQUESTS_ROLES = 3, /* request_roles */
	REQUESTS_SOCKETS_MAX = 1 << 17,
	REQUESTS_OPEN_MAX = 1 << 17,
	REQUESTS_PER_SOCKET_MAX = 1024, /* open at once: pipelining */
	REQUESTS_TAIL_MAX = 64 * 1024, /* bytes of one side kept until its message is whole */
	REQUESTS_PROTOCOLS_MAX = 32, /* numbers of protocols are below the last one */
};

/*
 * Of which sockets no request is wanted: by the role of the process, protocols as bits of their
 * numbers. Of sockets with an unknown role those that are in all three. Zeros: all are wanted.
 */
struct requests_unwanted {
	uint32_t by_role[REQUESTS_ROLES];
};

struct requests_config {
	uint32_t sockets_max; /* followed at once; 0: REQUESTS_SOCKETS_MAX */
	uint32_t open_max; /* requests without their response, of all sockets; 0: REQUESTS_OPEN_MAX
			    */
	/* For a response; 0: REQUESTS_TIMEOUT_NS. Of datagrams REQUESTS_DATAGRAM_TIMEOUT_NS at
	 * most. */
	uint64_t timeout_ns;
	uint64_t begin_ns; /* since then all calls come, by the events' clock; 0: since the first */
	bool of_unknown; /* see requests_want_unknown() */
	/*
	 * Events need not say which file they are about, as those of common capture files do not:
	 * then a socket is what the state knows as one open file.
	 */
	bool by_descriptor;
};

#define REQUESTS_TIMEOUT_NS UINT64_C(120000000000)
#define REQUESTS_DATAGRAM_TIMEOUT_NS UINT64_C(30000000000)
/* After that, a response of an unknown protocol is whole. */
#define REQUESTS_SILENCE_NS UINT64_C(5000000000)

/*
 * The account. Of each protocol: seen = reported + unknown + lost + unwanted + open. A request
 * counts as seen when its first byte or that of its response was.
 */
struct requests_protocol_stats {
	uint64_t seen, reported, open;
	uint64_t unknown; /* its response, or the request that a response answers, was not seen */
	uint64_t lost; /* bytes of it were missing, or there was no room */
	uint64_t unwanted; /* it was open when its socket was left out: requests_leave_out() */
};

struct requests_stats {
	struct requests_protocol_stats protocols[REQUESTS_PROTOCOLS_MAX]; /* by number */
	uint64_t sockets; /* seen at any time */
	uint64_t recognised, opaque, given_up; /* of these, once for each verdict */
	uint64_t unwanted; /* of those that were recognised, likewise */
	uint64_t followed; /* now */
	uint64_t gaps; /* places where bytes were missing that mattered */
	uint64_t no_room; /* sockets or requests that were not followed */
	uint64_t undecoded; /* requests that were given out without what refers to older bytes */
	uint64_t unexplained; /* likewise, of whose time some is not explained: see where.h */
	/* Reads that should have waited for an earlier write, and did not (see early.h): */
	uint64_t hurried_of_one; /* as enough of their connection did, */
	uint64_t hurried_for_room; /* or another process had none, which may have its own */
	uint64_t hurried_closes; /* likewise plaintexts that were closed: see sockets_close() */
	uint64_t untranslated; /* requests that were given out: see translations_is_missing() */
};

/* Returns 0, -ENOMEM, or -EIO: there are no random numbers. */
int requests_create(const struct requests_config *config, struct requests **requests);
void requests_destroy(struct requests *requests); /* accepts NULL */

/*
 * Whether connections of streams whose protocol is not known have requests, too, of which sizes and
 * times are known: see conversation.h. At first as configured.
 */
void requests_want_unknown(struct requests *requests, bool wanted);

/*
 * Where the time went is told of requests that took so long, if their events say what threads did
 * (struct frame_times). At first of all.
 */
void requests_explain_from(struct requests *requests, uint64_t ns);

/*
 * From now on sockets are left out as soon as it is known that all their requests are unwanted:
 * their limit is 0. Those that were are looked at again.
 */
void requests_leave_out(struct requests *requests, const struct requests_unwanted *unwanted);

/*
 * Takes an event: transfers, and what begins and ends connections; ignores others. Not between
 * requests_next() and the last use of its frame.
 */
void requests_take(struct requests *requests, const struct state_event *event);

/* Ends what waits for too long at that time, of the events' clock. */
void requests_step(struct requests *requests, uint64_t now_ns);

/* Ends all that is open: nothing will follow. */
void requests_end(struct requests *requests, uint64_t now_ns);

/*
 * The frame of the next request that has ended, its bytes in *len; NULL: there is none. Valid until
 * the next call of a function of this file.
 */
const void *requests_next(struct requests *requests, uint32_t *len);

/* How many bytes of each call on a socket are wanted from now on, where that has changed. */
struct requests_limit {
	uint64_t ino; /* of the socket */
	uint32_t bytes; /* 0: its calls are of no interest; REQUESTS_LIMIT_DEFAULT: as all others */
};

enum {
	REQUESTS_LIMIT_SIZES = 1, /* how many bytes a call moved */
	REQUESTS_LIMIT_DEFAULT = 1024,
	REQUESTS_LIMIT_ALL = 16384,
};

/* Another capture begins, which knows of no change: those that are not as all others are given
 * again. */
void requests_tell_limits(struct requests *requests);

/* The next such change; false: there is none. */
bool requests_next_limit(struct requests *requests, struct requests_limit *limit);

/*
 * Of which connection it is to be asked to where the kernel translates it: how packets leave the
 * socket of a client or of a server.
 */
struct requests_question {
	uint32_t id; /* for the answer */
	int32_t pid; /* the socket's process */
	uint64_t netns; /* the number of its network namespace; 0: not known */
	struct scap_endpoint from, to;
	uint8_t address_len; /* 4 or 16 */
	uint8_t l4; /* SCAP_L4_TCP or SCAP_L4_UDP */
};

/*
 * Whether somebody answers such questions: then requests_next_question() has them, and each is to
 * be answered. At first nobody does. Returns 0 or -ENOMEM.
 */
int requests_want_translations(struct requests *requests, bool wanted);

/* The next question, each once; false: there is none. */
bool requests_next_question(struct requests *requests, struct requests_question *question);

/* Its answer; real: NULL: nothing is translated, or it is not known. */
void requests_answer(struct requests *requests, uint32_t id, const struct scap_endpoint *real,
		     uint8_t address_len);

/* Whether the next request that has ended is one of whose connection there is no answer yet. */
bool requests_await_answer(const struct requests *requests);

void requests_stats(const struct requests *requests, struct requests_stats *stats);

/* Appends the account as lines "agent: requests of http: seen 9 = reported 9 + unknown 0 + lost 0".
 */
void requests_append_account(const struct requests *requests, struct buf *text);

#endif
