/* SPDX-License-Identifier: MIT */
/* Escapes of C: octal ones have as few digits as what follows allows. */
#include "trace/quote.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "util/clock.h"

enum { IPV4_BYTES = 4, IPV6_BYTES = 16, PORT_BYTES = 2, UNIX_POINTERS = 16 };

static const char *quote_letter(uint8_t c)
{
	switch (c) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\n':
		return "\\n";
	case '\t':
		return "\\t";
	case '\r':
		return "\\r";
	case '\f':
		return "\\f";
	case '\v':
		return "\\v";
	default:
		return NULL;
	}
}

static void quote_octal(struct buf *out, uint8_t c, bool digit_follows)
{
	char digits[] = {'\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)),
			 (char)('0' + (c & 7))};
	size_t skip = digit_follows || c >> 6 ? 0 : c >> 3 ? 1 : 2;

	buf_append_char(out, '\\');
	buf_append(out, digits + 1 + skip, 3 - skip);
}

static void quote_byte(struct buf *out, uint8_t c, bool digit_follows)
{
	const char *letter = quote_letter(c);

	if (letter)
		buf_append_string(out, letter);
	else if (c >= ' ' && c < 0x7f)
		buf_append_char(out, (char)c);
	else
		quote_octal(out, c, digit_follows);
}

void trace_quote_append(struct buf *out, const uint8_t *data, size_t len, size_t total, size_t max,
			enum trace_escapes escapes)
{
	size_t shown = len < max ? len : max;

	buf_append_char(out, '"');
	for (size_t i = 0; i < shown; i++) {
		bool digit = i + 1 < shown && data[i + 1] >= '0' && data[i + 1] <= '7';

		if (escapes == TRACE_ESCAPES_ALL_HEX)
			buf_printf(out, "\\x%02x", data[i]);
		else
			quote_byte(out, data[i], digit);
	}
	buf_append_char(out, '"');
	if (shown < total)
		BUF_LITERAL(out, "...");
}

static uint16_t quote_port(const uint8_t *data)
{
	uint16_t port;

	memcpy(&port, data, sizeof(port));
	return port;
}

static void quote_ip(struct buf *out, uint8_t family, const uint8_t *address, uint16_t port)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(family, address, text, sizeof(text));
	if (family == AF_INET)
		buf_printf(out,
			   "{sa_family=AF_INET, sin_port=htons(%u), sin_addr=inet_addr(\"%s\")}",
			   port, text);
	else
		buf_printf(out,
			   "{sa_family=AF_INET6, sin6_port=htons(%u), sin6_flowinfo=htonl(0), "
			   "inet_pton(AF_INET6, \"%s\", &sin6_addr), sin6_scope_id=0}",
			   port, text);
}

/* A name that begins with a NUL is shown with '@', as events have it already. */
static void quote_unix(struct buf *out, const uint8_t *path, size_t len)
{
	size_t n = strnlen((const char *)path, len);

	BUF_LITERAL(out, "{sa_family=AF_UNIX");
	if (n && path[0] == '@') {
		BUF_LITERAL(out, ", sun_path=@");
		trace_quote_append(out, path + 1, n - 1, n - 1, n, TRACE_ESCAPES_OCTAL);
	} else if (n) {
		BUF_LITERAL(out, ", sun_path=");
		trace_quote_append(out, path, n, n, n, TRACE_ESCAPES_OCTAL);
	}
	buf_append_char(out, '}');
}

void trace_quote_sockaddr(struct buf *out, const struct event_param *param)
{
	const uint8_t *data = param->data;

	if (data[0] == AF_INET && param->len == 1 + IPV4_BYTES + PORT_BYTES)
		quote_ip(out, AF_INET, data + 1, quote_port(data + 1 + IPV4_BYTES));
	else if (data[0] == AF_INET6 && param->len == 1 + IPV6_BYTES + PORT_BYTES)
		quote_ip(out, AF_INET6, data + 1, quote_port(data + 1 + IPV6_BYTES));
	else if (data[0] == AF_UNIX)
		quote_unix(out, data + 1, param->len - 1);
	else if (data[0] == AF_NETLINK)
		BUF_LITERAL(out, "{sa_family=AF_NETLINK, ...}");
	else
		buf_printf(out, "{sa_family=%#x, ...}", data[0]);
}

void trace_quote_peer(struct buf *out, const struct event_param *param, bool is_source)
{
	const uint8_t *data = param->data;
	size_t address = data[0] == AF_INET6 ? IPV6_BYTES : IPV4_BYTES;
	size_t end = address + PORT_BYTES, at = 1 + (is_source ? 0 : end);

	if ((data[0] == AF_INET || data[0] == AF_INET6) && param->len == 1 + 2 * end)
		quote_ip(out, data[0], data + at, quote_port(data + at + address));
	else if (data[0] == AF_UNIX && param->len > 1 + UNIX_POINTERS)
		quote_unix(out, data + 1 + UNIX_POINTERS, param->len - 1 - UNIX_POINTERS);
	else
		BUF_LITERAL(out, "{...}");
}

void trace_quote_time(struct buf *out, uint64_t ns, bool micros)
{
	const uint64_t second = 1000000000;

	if (micros)
		buf_printf(out, "{tv_sec=%" PRIu64 ", tv_usec=%" PRIu64 "}", ns / second,
			   ns % second / 1000);
	else
		buf_printf(out, "{tv_sec=%" PRIu64 ", tv_nsec=%" PRIu64 "}", ns / second,
			   ns % second);
}
