/* SPDX-License-Identifier: MIT */
/* IP addresses, socket addresses and socket tuples as text. */
#include "event/address.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "util/services.h"

/* Layouts of the .scap world: family, then addresses in network order with ports in host order. */
enum {
	IPV4_BYTES = 4,
	IPV6_BYTES = 16,
	PORT_BYTES = 2,
	SOCKADDR_IPV4_BYTES = 1 + IPV4_BYTES + PORT_BYTES,
	SOCKADDR_IPV6_BYTES = 1 + IPV6_BYTES + PORT_BYTES,
	TUPLE_UNIX_PATH = 1 + 8 + 8,
	MAPPED_PREFIX = 12, /* bytes of an IPv6 address before the IPv4 one in it */
};

static void append_byte(struct buf *out, unsigned int byte)
{
	if (byte >= 100)
		buf_append_char(out, (char)('0' + byte / 100));
	if (byte >= 10)
		buf_append_char(out, (char)('0' + byte / 10 % 10));
	buf_append_char(out, (char)('0' + byte % 10));
}

void address_append_ip(struct buf *out, const uint8_t *address, size_t len)
{
	char text[INET6_ADDRSTRLEN];

	if (len == IPV6_BYTES) {
		buf_append_string(out, inet_ntop(AF_INET6, address, text, sizeof(text)));
		return;
	}
	for (int i = 0; i < IPV4_BYTES; i++) {
		if (i > 0)
			buf_append_char(out, '.');
		append_byte(out, address[i]);
	}
}

/* An address followed by its port. */
static void address_append_end(struct buf *out, const uint8_t *end, size_t address_len,
			       const struct services *services)
{
	const char *name;
	uint16_t port;

	memcpy(&port, end + address_len, sizeof(port));
	address_append_ip(out, end, address_len);
	buf_append_char(out, ':');
	name = services ? services_find_any(services, port) : NULL;
	if (name)
		buf_append_string(out, name);
	else
		buf_append_u64(out, port);
}

/* The text up to the NUL, which must be within `len` bytes. */
static void append_unix_path(struct buf *out, const uint8_t *path, size_t len)
{
	size_t n = strnlen((const char *)path, len);

	if (n == len)
		BUF_LITERAL(out, "INVALID PATH");
	else
		buf_append(out, path, n);
}

static void append_family(struct buf *out, uint8_t family)
{
	BUF_LITERAL(out, "family ");
	buf_append_u64(out, family);
}

void address_append_sockaddr(struct buf *out, const struct event_param *param,
			     const struct services *services)
{
	const uint8_t *data = param->data;

	switch (data[0]) {
	case AF_INET:
		if (param->len == SOCKADDR_IPV4_BYTES)
			address_append_end(out, data + 1, IPV4_BYTES, services);
		else
			BUF_LITERAL(out, "INVALID IPv4");
		break;
	case AF_INET6:
		if (param->len == SOCKADDR_IPV6_BYTES)
			address_append_end(out, data + 1, IPV6_BYTES, services);
		else
			BUF_LITERAL(out, "INVALID IPv6");
		break;
	case AF_UNIX:
		append_unix_path(out, data + 1, param->len - 1);
		break;
	default:
		append_family(out, data[0]);
	}
}

bool address_is_mapped(const uint8_t *address)
{
	static const uint8_t prefix[MAPPED_PREFIX] = {[10] = 0xff, [11] = 0xff};

	return memcmp(address, prefix, sizeof(prefix)) == 0;
}

const uint8_t *address_unmapped(const uint8_t *address, uint8_t *len)
{
	if (*len != IPV6_BYTES || !address_is_mapped(address))
		return address;
	*len = IPV4_BYTES;
	return address + MAPPED_PREFIX;
}

static void append_ipv6_tuple(struct buf *out, const uint8_t *source, const uint8_t *dest,
			      const struct services *services)
{
	size_t len = IPV6_BYTES;

	if (address_is_mapped(source) && address_is_mapped(dest)) {
		source += MAPPED_PREFIX;
		dest += MAPPED_PREFIX;
		len = IPV4_BYTES;
	}
	address_append_end(out, source, len, services);
	BUF_LITERAL(out, "->");
	address_append_end(out, dest, len, services);
}

static void append_unix_tuple(struct buf *out, const struct event_param *param)
{
	uint64_t source, dest;

	memcpy(&source, param->data + 1, sizeof(source));
	memcpy(&dest, param->data + 1 + sizeof(source), sizeof(dest));
	buf_append_hex_lower(out, source);
	BUF_LITERAL(out, "->");
	buf_append_hex_lower(out, dest);
	buf_append_char(out, ' ');
	append_unix_path(out, param->data + TUPLE_UNIX_PATH, param->len - TUPLE_UNIX_PATH);
}

void address_append_socktuple(struct buf *out, const struct event_param *param,
			      const struct services *services)
{
	const uint8_t *data = param->data;

	switch (data[0]) {
	case AF_INET:
		if (param->len != ADDRESS_TUPLE_IPV4_BYTES) {
			BUF_LITERAL(out, "INVALID IPv4");
			break;
		}
		address_append_end(out, data + 1, IPV4_BYTES, services);
		BUF_LITERAL(out, "->");
		address_append_end(out, data + 1 + IPV4_BYTES + PORT_BYTES, IPV4_BYTES, services);
		break;
	case AF_INET6:
		if (param->len == ADDRESS_TUPLE_IPV6_BYTES)
			append_ipv6_tuple(out, data + 1, data + 1 + IPV6_BYTES + PORT_BYTES,
					  services);
		else
			BUF_LITERAL(out, "INVALID IPv6");
		break;
	case AF_UNIX:
		if (param->len > TUPLE_UNIX_PATH)
			append_unix_tuple(out, param);
		else
			BUF_LITERAL(out, "INVALID PATH");
		break;
	default:
		append_family(out, data[0]);
	}
}
