/* SPDX-License-Identifier: MIT */
/*
 * Sockets whose calls a test makes: events with the bytes and their places, given to the requests;
 * and the requests that come out of them.
 */
#ifndef TESTS_TALKED_H
#define TESTS_TALKED_H

#include "drive.h"
#include "requests/recognition.h"
#include "requests/requests.h"

enum { TALKED_TID = 100, TALKED_FD = 5, TALKED_INO = 777 };

struct talked {
	struct drive drive;
	struct requests *requests;
	uint64_t ino; /* of the socket; TALKED_INO at first */
	int64_t fd; /* likewise; TALKED_FD at first */
	uint32_t at[DIRECTIONS]; /* sequence numbers */
	bool has_no_places; /* the calls do not say where their bytes are */
	bool is_unbound; /* datagrams: the socket has no address of its own */
	bool is_peek; /* the calls only look at them */
	bool is_faked; /* the kernel never ran the calls */
	int64_t tid; /* that reads and writes; TALKED_TID at first */
	struct frame_times times; /* what that thread did so far; none at first */
	struct event event; /* of the last request */
};

void talked_begin(struct talked *talked, const struct requests_config *config);
void talked_finish(struct talked *talked);

/* The socket is accepted, or connects. */
void talked_accept(struct talked *talked);
void talked_connect(struct talked *talked, uint64_t latency_ns);

/* The kernel made its connection, or could not, in that time. */
void talked_made(struct talked *talked, int64_t result, uint64_t time_ns);

/* The kernel made its connection in a network namespace. */
void talked_made_in(struct talked *talked, uint64_t netns);

/* A call reads or writes bytes, of which the event has the first `captured`. */
void talked_piece(struct talked *talked, enum recognition_direction direction, const void *data,
		  size_t len, size_t captured);
void talked_text(struct talked *talked, enum recognition_direction direction, const char *text);

/* Nobody sees these bytes. */
void talked_miss(struct talked *talked, enum recognition_direction direction, size_t len);

/* A call sends bytes that no process has in its memory: sendfile, or splice, which also receives.
 */
void talked_sendfile(struct talked *talked, int64_t len);
void talked_splice(struct talked *talked, enum recognition_direction direction, int64_t len);

/* A call fails, or reads 0 bytes. */
void talked_result(struct talked *talked, enum recognition_direction direction, int64_t result);

/* The socket is one of datagrams: no place has a meaning for it. */
void talked_open_datagrams(struct talked *talked);

/* One comes from a port of the peer, or goes there. */
void talked_datagram(struct talked *talked, enum recognition_direction direction,
		     uint16_t peer_port, const void *data, size_t len, size_t captured);

void talked_close(struct talked *talked);

/* The thread that makes the calls ends. */
void talked_end(struct talked *talked);
/* The close of a socket before, whose number this one has since before that call ended. */
void talked_close_late(struct talked *talked);
void talked_shutdown(struct talked *talked, uint8_t how);

/* The next request, decoded; NULL: none. Valid until the next one. */
const struct event *talked_next(struct talked *talked);

/* The next request as "METHOD target status error", "-" for what is absent; "none". */
const char *talked_line(struct talked *talked);

/* The account of a protocol, whose equation is checked. */
struct requests_protocol_stats talked_account(const struct talked *talked, unsigned int protocol);

/* For tests that begin with a connection that a server accepted; and without one. */
int talked_setup(void **state);
int talked_setup_unconnected(void **state);
int talked_teardown(void **state);

/* Literals that are captured as a whole, from the client and to it. */
#define ASK(talked, bytes)                                                                         \
	talked_piece(talked, DIRECTION_IN, bytes, sizeof(bytes) - 1, sizeof(bytes) - 1)
#define ANSWER(talked, bytes)                                                                      \
	talked_piece(talked, DIRECTION_OUT, bytes, sizeof(bytes) - 1, sizeof(bytes) - 1)
#define assert_line(talked, line) assert_string_equal(talked_line(talked), line)

#endif
