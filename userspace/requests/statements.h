/* SPDX-License-Identifier: MIT */
/*
 * Prepared statements of connections: their texts, by what later requests call them. Bounded: the
 * one not used for longest gives way.
 */
#ifndef REQUESTS_STATEMENTS_H
#define REQUESTS_STATEMENTS_H

#include "requests/protocols/protocol.h"
#include "util/hash.h"
#include "util/pool.h"

enum {
	STATEMENTS_MAX = 32768, /* of all connections */
	STATEMENTS_OF_ONE_MAX = 1024, /* connection; further ones are not kept */
	STATEMENT_SLOTS = 8192, /* a power of two */
};

struct statement {
	struct statement *chain, **link; /* of its slot */
	struct statement *older, *newer; /* by their last use */
	struct statement *next, **own; /* of its connection */
	struct statement_owner *owner;
	uint64_t key;
	uint32_t bytes; /* of this */
	char method[MESSAGE_METHOD_BYTES];
	char text[]; /* NUL-terminated */
};

/* A connection. A zeroed struct has none. */
struct statement_owner {
	struct statement *first;
	uint32_t count;
};

/* A zeroed struct is empty. */
struct statements {
	struct pool pool;
	struct statement *slots[STATEMENT_SLOTS];
	struct statement *oldest, *newest;
	uint32_t count;
};

void statements_finish(struct statements *statements);

/* Keeps a text and its verb, that of a message, in place of those that had the key. */
void statements_keep(struct statements *statements, const struct hash_key *secret,
		     struct statement_owner *owner, uint64_t key, const char *method,
		     const char *text);

/* Valid until the next call for another one; NULL: it is not known. */
const struct statement *statements_find(struct statements *statements,
					const struct hash_key *secret,
					struct statement_owner *owner, uint64_t key);

/* Forgets one, or all of a connection. */
void statements_drop(struct statements *statements, const struct hash_key *secret,
		     struct statement_owner *owner, uint64_t key);
void statements_drop_all(struct statements *statements, struct statement_owner *owner);

#endif
