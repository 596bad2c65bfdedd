/* SPDX-License-Identifier: MIT */
/* Addresses as text, in the forms of the .scap world. */
#ifndef EVENT_ADDRESS_H
#define EVENT_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "util/buf.h"

/* A SOCKTUPLE of IP: the family, then of each end its address and port. */
enum {
	ADDRESS_TUPLE_IPV4_BYTES = 1 + 2 * (4 + 2),
	ADDRESS_TUPLE_IPV6_BYTES = 1 + 2 * (16 + 2),
};

/* Appends an IP address of 4 or 16 bytes in network order. */
void address_append_ip(struct buf *out, const uint8_t *address, size_t len);

/* Whether an address of IPv6 is one of IPv4, which its last 4 bytes are. */
bool address_is_mapped(const uint8_t *address);

/*
 * An address of 4 or 16 bytes as packets have it: if it is one of IPv4 that is written as one of
 * IPv6, its last 4 bytes, and *len becomes 4.
 */
const uint8_t *address_unmapped(const uint8_t *address, uint8_t *len);

struct services;

/*
 * Append a SOCKADDR or SOCKTUPLE: "10.0.0.1:80", "a:p->b:p", a unix path. With services, a port
 * that one of them has is its name.
 */
void address_append_sockaddr(struct buf *out, const struct event_param *param,
			     const struct services *services);
void address_append_socktuple(struct buf *out, const struct event_param *param,
			      const struct services *services);

#endif
