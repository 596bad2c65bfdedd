/* SPDX-License-Identifier: MIT */
/* The other side of sockets: listens on the loopback or on a path, and reads what comes. */
#ifndef TESTS_PEER_H
#define TESTS_PEER_H

#include <stddef.h>
#include <stdint.h>

enum { PEER_WAIT_MS = 60000 };

struct peer {
	int fd; /* listens; or receives datagrams */
	uint16_t port;
};

/* type: SOCK_STREAM or SOCK_DGRAM. port: 0: any. The test fails if it cannot. */
void peer_open(struct peer *peer, int type, uint16_t port);
void peer_open_unix(struct peer *peer, int type, const char *path);
void peer_close(struct peer *peer);

/* A port of TCP where nobody listens. */
uint16_t peer_free_port(void);

/* The next connection. The test fails if none comes. */
int peer_accept(const struct peer *peer);

/* Ends a connection with a reset. */
void peer_reset(int fd);

/* Reads exactly `len` bytes of a stream. The test fails if they do not come. */
void peer_read(int fd, void *bytes, size_t len);

/* The next datagram, as text. The test fails if none comes. */
void peer_receive(const struct peer *peer, char *text, size_t size);

/* Fails unless a text comes, and then nothing for a moment. */
void peer_expect(int fd, const char *text);

/*
 * Reads from a connection in a thread until it ends: `pause_us` before each read of at most
 * 64 KiB. peer_reader_join() returns all bytes, which the caller frees.
 */
struct peer_reader;
struct peer_reader *peer_reader_start(int fd, unsigned int pause_us);
char *peer_reader_join(struct peer_reader *reader, size_t *len);

#endif
