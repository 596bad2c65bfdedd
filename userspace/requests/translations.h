/* SPDX-License-Identifier: MIT */
/*
 * To where the kernel translates the addresses that clients connect to, and from where it
 * translates those that servers see: which connections are to be asked for, each once, and what was
 * answered. Others ask. The memory is bounded: the oldest one gives way. A request of it that is
 * under way has no real end then, the next one of a client asks again.
 */
#ifndef REQUESTS_TRANSLATIONS_H
#define REQUESTS_TRANSLATIONS_H

#include "requests/requests.h"

enum {
	TRANSLATIONS_MAX = 8192, /* a power of two */
	/* With one hash, such as those of one socket: it sends to as many addresses as it likes. */
	TRANSLATIONS_CHAIN_MAX = 32,
	/* One socket of datagrams may have others behind the same address later: asked again. */
	TRANSLATIONS_DATAGRAM_MS = 1000,
};

enum translation_state {
	TRANSLATION_ASKED, /* there is no answer yet */
	TRANSLATION_NONE, /* nothing is translated, or it is not known */
	TRANSLATION_KNOWN,
};

struct translation {
	struct requests_question question;
	uint64_t ino; /* of the socket; 0: the place is free */
	uint64_t asked_ns; /* of the events' clock */
	uint32_t chain; /* the next one with its hash: its index plus 1; 0: none */
	uint8_t state; /* enum translation_state */
	uint8_t address_len; /* of `real`, if it is known: 4 or 16 */
	struct scap_endpoint real;
};

struct translations {
	struct translation *entries; /* owned; NULL: they are not wanted */
	uint32_t *buckets; /* owned; indexes plus 1 */
	uint32_t asked, given; /* questions, so far; those that were given out */
};

/* Returns 0 or -ENOMEM. */
int translations_begin(struct translations *translations);
void translations_finish(struct translations *translations);

struct translation_socket {
	uint64_t ino, netns; /* 0: not known */
	int32_t pid;
	enum scap_l4 l4;
};

/* The ends of a socket: a SOCKTUPLE, which has the client's first. len 0: they are not known. */
struct translation_ends {
	const uint8_t *tuple;
	size_t len;
	bool is_server; /* the socket's own end is the second one */
};

/*
 * The socket has a connection, or sends a datagram: asks, unless somebody did before. Addresses
 * that nobody translates are not asked for: those of the machine itself.
 */
void translations_ask(struct translations *translations, const struct translation_socket *socket,
		      const struct translation_ends *ends, uint64_t now_ns);

/* Another socket has the number from now on. */
void translations_forget(struct translations *translations, uint64_t ino);

/* What is known of a socket's connection, with these ends; NULL: it was not asked for. */
const struct translation *translations_find(const struct translations *translations, uint64_t ino,
					    const struct translation_ends *ends);

/* Whether it was to be asked for, but is not there: it gave way, or the request is older than that
 * somebody answers. */
bool translations_is_missing(const struct translations *translations, uint64_t ino,
			     const struct translation_ends *ends);

/* The next question; false: there is none. */
bool translations_next(struct translations *translations, struct requests_question *question);

/* An answer; real: NULL: nothing is translated, or it is not known. */
void translations_answer(struct translations *translations, uint32_t id,
			 const struct scap_endpoint *real, uint8_t address_len);

#endif
