/* SPDX-License-Identifier: MIT */
/*
 * Questions to the kernel over netlink: a request is written, its answers are read, within a
 * bounded time. A socket is of the network namespace that its thread is in when it opens it, for
 * ever.
 */
#ifndef NET_NETLINK_H
#define NET_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NETLINK_REQUEST_BYTES = 256 };

/* A request that is being written. */
struct netlink_request {
	_Alignas(4) uint8_t bytes[NETLINK_REQUEST_BYTES];
	size_t len;
};

/* Begins one with a header of its family, which is copied. */
void netlink_begin(struct netlink_request *request, uint16_t type, uint16_t flags,
		   const void *header, size_t len);

/* Appends an attribute. */
void netlink_put(struct netlink_request *request, uint16_t type, const void *data, size_t len);

/* Begins an attribute that has others in it; netlink_leave() takes what it returns. */
size_t netlink_enter(struct netlink_request *request, uint16_t type);
void netlink_leave(struct netlink_request *request, size_t at);

/* Bytes with attributes, one behind the other. */
struct netlink_span {
	const uint8_t *data;
	size_t len;
};

struct netlink_attribute {
	uint16_t type; /* without the bits that say what is in it */
	struct netlink_span value;
};

/* The next attribute, which leaves the span; false: there is none, or it is cut. */
bool netlink_next(struct netlink_span *span, struct netlink_attribute *attribute);

/* The value of an attribute, if it has as many bytes; else false, and nothing is copied. */
bool netlink_copy(const struct netlink_attribute *attribute, void *out, size_t bytes);

/* Returns a socket of the calling thread's network namespace, or -errno. */
int netlink_open(int protocol);

/* An answer, behind the header of netlink. */
typedef void netlink_take(void *data, uint16_t type, struct netlink_span message);

/*
 * Sends the request, and gives out the answers until the last one. Returns 0, the kernel's error,
 * -ETIMEDOUT (a second), or another -errno. take: NULL: answers are of no interest.
 */
int netlink_ask(int fd, struct netlink_request *request, netlink_take *take, void *data);

#endif
