/* SPDX-License-Identifier: MIT */
/*
 * The table of sockets that are followed, and the ring by which one that is not used gives its
 * place to a newer one. Of a socket that speaks TLS there may be two connections: that of its
 * bytes, and that of the plaintext in them, which has TLS_KEY beside the inode.
 */
#ifndef REQUESTS_SOCKETS_H
#define REQUESTS_SOCKETS_H

#include "requests/connection.h"
#include "util/pool.h"

enum { SOCKETS_CLOSING_MAX = 64 };

/* How long a plaintext whose socket was closed waits for calls that were going on then. */
#define SOCKETS_CLOSING_NS UINT64_C(1000000000)

struct sockets_closing {
	uint64_t key; /* of the plaintext */
	int32_t pid; /* of its process; 0: not known */
	uint64_t closed_ns;
	const char *error; /* why: a literal */
};

struct sockets {
	struct connections *all; /* borrowed */
	struct pool pool; /* of connections */
	struct connection **slots; /* owned; by inode number */
	uint32_t mask;
	uint32_t max;
	struct connection *hand; /* of the ring of all connections */
	uint64_t certain_ns; /* since then, no connection was forgotten */
	/*
	 * Any process can make objects of TLS without sockets, as many as it likes: these have
	 * places of their own, beside `max`, which the next of them takes over in turn.
	 */
	uint64_t *loose_keys; /* owned; of those that took places, some of which are gone */
	uint32_t loose_max, loose_next;
	uint32_t loose; /* followed now */
	uint64_t loose_certain_ns;
	/* In the order in which they were closed: if there are more, the oldest one of the process
	 * that has most ends, which is counted. */
	struct sockets_closing closing[SOCKETS_CLOSING_MAX];
	uint32_t closing_count;
};

/* For at most `max` of them. `all` has its key and ends set before. Returns 0 or -ENOMEM. */
int sockets_init(struct sockets *sockets, uint32_t max, struct connections *all);

/* All connections were removed. */
void sockets_finish(struct sockets *sockets);

/* NULL: it is not followed. */
struct connection *sockets_find(const struct sockets *sockets, uint64_t ino);

/* It is not there. NULL: there is no memory, which is counted. */
struct connection *sockets_add(struct sockets *sockets, uint64_t ino, uint64_t now_ns);

/* What is open of it ends with that error. */
void sockets_remove(struct sockets *sockets, struct connection *connection, uint64_t now_ns,
		    const char *error);

/* What was followed of a socket that is gone: its bytes, and the plaintext in them. */
void sockets_remove_all(struct sockets *sockets, uint64_t ino, uint64_t now_ns, const char *error);

/*
 * The same, by a close or a failure while the process goes on: a thread of a server may be in a
 * call that has sent a response, of which the plaintext is told when it returns. Where that is
 * known to be so it is waited for.
 */
void sockets_close(struct sockets *sockets, uint64_t ino, uint64_t now_ns, const char *error);

/* Ends those that have waited long enough. */
void sockets_end_closing(struct sockets *sockets, uint64_t now_ns);

#endif
