/* SPDX-License-Identifier: MIT */
/* fd.*: the ends of IP sockets; evt.addr.*: the address that a call names. */
#include "sinsp/fields/table.h"

#include <sys/socket.h>

#include "sinsp/state/machine.h"
#include "util/count.h"

/*
 * The end that connected and the end that it connected to (c, s), and the end on this machine and
 * the other one (l, r). A server socket has only its bound address: s.
 */
enum side { CLIENT_SIDE, SERVER_SIDE, LOCAL_SIDE, REMOTE_SIDE };

static bool is_ip(const struct state_fd *fd)
{
	return fd && (fd->type == SCAP_FD_IPV4 || fd->type == SCAP_FD_IPV6);
}

/* An end of a socket: its bound address, or an end of a connection whose caller is known. */
static const struct scap_endpoint *endpoint(const struct state_fd *fd, enum side side)
{
	if (!is_ip(fd))
		return NULL;
	if (fd->listening)
		return side == SERVER_SIDE ? &state_fd_ends(fd)->dest : NULL;
	if (fd->role == STATE_ROLE_NONE)
		return NULL;
	if (side == LOCAL_SIDE)
		side = fd->role == STATE_ROLE_CLIENT ? CLIENT_SIDE : SERVER_SIDE;
	else if (side == REMOTE_SIDE)
		side = fd->role == STATE_ROLE_CLIENT ? SERVER_SIDE : CLIENT_SIDE;
	return side == CLIENT_SIDE ? &state_fd_ends(fd)->source : &state_fd_ends(fd)->dest;
}

static void set_ip(struct field_value *value, const struct state_fd *fd,
		   const struct scap_endpoint *end)
{
	value->ip.len = fd->type == SCAP_FD_IPV4 ? 4 : 16;
	memcpy(value->ip.address, end->address, value->ip.len);
}

static int give_ip(const struct state_event *event, enum side side, struct field_value *values)
{
	const struct scap_endpoint *end = endpoint(event->fd, side);

	if (!end)
		return NO_VALUE;
	set_ip(values, event->fd, end);
	return 1;
}

static int give_port(const struct state_event *event, enum side side, struct field_value *values)
{
	const struct scap_endpoint *end = endpoint(event->fd, side);

	return end ? field_give_u64(values, end->port) : NO_VALUE;
}

static int give_port_text(const struct state_event *event, enum side side,
			  struct field_scratch *scratch, struct field_value *values)
{
	const struct scap_endpoint *end = endpoint(event->fd, side);
	struct buf text = field_text_begin(scratch);
	const char *service;

	if (!end)
		return NO_VALUE;
	service = state_socket_service(event->fd, end->port, scratch->style.services);
	if (service)
		return field_give_string(values, service);
	buf_append_u64(&text, end->port);
	return field_give_text(values, scratch, &text);
}

static int give_host(const struct state_event *event, enum side side, struct field_value *values)
{
	struct field_value ip;

	if (give_ip(event, side, &ip) != 1)
		return NO_VALUE;
	return field_give_string(values, state_host_name(event->state, ip.ip.address, ip.ip.len));
}

#define SIDE_GETTERS(letter, side)                                                                 \
	static int get_##letter##ip(const struct state_event *event, const struct field_ref *ref,  \
				    struct field_scratch *scratch, struct field_value *values)     \
	{                                                                                          \
		return give_ip(event, side, values);                                               \
	}                                                                                          \
	static int get_##letter##port(const struct state_event *event,                             \
				      const struct field_ref *ref, struct field_scratch *scratch,  \
				      struct field_value *values)                                  \
	{                                                                                          \
		return give_port(event, side, values);                                             \
	}                                                                                          \
	static int get_##letter##proto(const struct state_event *event,                            \
				       const struct field_ref *ref, struct field_scratch *scratch, \
				       struct field_value *values)                                 \
	{                                                                                          \
		return give_port_text(event, side, scratch, values);                               \
	}                                                                                          \
	static int get_##letter##host(const struct state_event *event,                             \
				      const struct field_ref *ref, struct field_scratch *scratch,  \
				      struct field_value *values)                                  \
	{                                                                                          \
		return give_host(event, side, values);                                             \
	}

SIDE_GETTERS(c, CLIENT_SIDE)
SIDE_GETTERS(s, SERVER_SIDE)
SIDE_GETTERS(l, LOCAL_SIDE)
SIDE_GETTERS(r, REMOTE_SIDE)

/* Both ends; of a server socket its bound address. */
static int get_ip(const struct state_event *event, const struct field_ref *ref,
		  struct field_scratch *scratch, struct field_value *values)
{
	const struct state_fd *fd = event->fd;

	if (!is_ip(fd) || (fd->role == STATE_ROLE_NONE && !fd->listening))
		return NO_VALUE;
	set_ip(&values[0], fd, &state_fd_ends(fd)->dest);
	if (fd->listening)
		return 1;
	set_ip(&values[1], fd, &state_fd_ends(fd)->source);
	return 2;
}

static int get_port(const struct state_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	const struct state_fd *fd = event->fd;

	if (!is_ip(fd) || (fd->role == STATE_ROLE_NONE && !fd->listening))
		return NO_VALUE;
	field_give_u64(&values[0], state_fd_ends(fd)->dest.port);
	if (fd->listening)
		return 1;
	field_give_u64(&values[1], state_fd_ends(fd)->source.port);
	return 2;
}

static const char *const l4_names[] = {
	[SCAP_L4_UNKNOWN] = "<NA>", [SCAP_L4_TCP] = "tcp", [SCAP_L4_UDP] = "udp",
	[SCAP_L4_ICMP] = "icmp",    [SCAP_L4_RAW] = "raw",
};

static int get_l4proto(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	if (!event->fd)
		return NO_VALUE;
	return field_give_string(values,
				 l4_names[is_ip(event->fd) ? event->fd->l4 : SCAP_L4_UNKNOWN]);
}

static int get_sockfamily(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	if (is_ip(event->fd))
		return field_give_string(values, "ip");
	if (event->fd && event->fd->type == SCAP_FD_UNIX)
		return field_give_string(values, "unix");
	return NO_VALUE;
}

static int get_is_server(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	const struct state_fd *fd = event->fd;

	if (!fd)
		return NO_VALUE;
	return field_give_u64(values,
			      fd->listening || (is_ip(fd) && fd->role == STATE_ROLE_SERVER));
}

/* What bind and connect are given, also where they fail: family, address, port. */

/* Where the parameter of a type is, the first one; -1: there is none. */
static int param_of_type(const struct event_desc *desc, enum param_type type)
{
	for (unsigned int i = 0; i < desc->nparams; i++)
		if (desc->params[i].type == type)
			return (int)i;
	return -1;
}

static bool can_have_address(const struct event_desc *event)
{
	return event->id != EVENT_request && param_of_type(event, PT_SOCKADDR) >= 0;
}

/*
 * The last of so many ends, each an address and a port, behind the family. Returns the length of
 * the address, 4 or 16; 0: it is none of IP, or has no port.
 */
static uint8_t last_end(const struct state_event *event, enum param_type type, size_t ends,
			const uint8_t **data)
{
	const size_t port_bytes = sizeof(uint16_t);
	int at = param_of_type(event->ev.desc, type);
	const struct event_param *param = at < 0 ? NULL : &event->ev.params[at];
	size_t len;

	if (!param || param->len == 0)
		return 0;
	len = param->data[0] == AF_INET ? 4 : 16;
	if ((len == 16 && param->data[0] != AF_INET6) ||
	    param->len != 1 + ends * (len + port_bytes))
		return 0;
	*data = param->data + param->len - len - port_bytes;
	return (uint8_t)len;
}

/* Of a connection that was made the kernel says where to, and not the memory of the caller. */
static uint8_t find_address(const struct state_event *event, const uint8_t **data)
{
	static const uint8_t no_port[sizeof(uint16_t)];
	uint8_t len;

	if (!can_have_address(event->ev.desc))
		return 0;
	len = last_end(event, PT_SOCKTUPLE, 2, data);
	if (len && memcmp(*data + len, no_port, sizeof(no_port)) != 0)
		return len;
	return last_end(event, PT_SOCKADDR, 1, data);
}

static int get_address_ip(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	const uint8_t *data;

	values->ip.len = find_address(event, &data);
	if (!values->ip.len)
		return NO_VALUE;
	memcpy(values->ip.address, data, values->ip.len);
	return 1;
}

static int get_address_port(const struct state_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	const uint8_t *data;
	uint8_t len = find_address(event, &data);
	uint16_t port;

	if (!len)
		return NO_VALUE;
	memcpy(&port, data + len, sizeof(port));
	return field_give_u64(values, port);
}

enum {
	SOCKET_NEEDS = NEEDS_THREADS | NEEDS_EVENT_FD,
	FILTER_FLAGS = FIELD_FILTER_ONLY | FIELD_NO_TRANSFORMER | FIELD_NO_RHS,
	EITHER_FLAGS = FILTER_FLAGS | FIELD_EITHER_END,
	HOST_FLAGS = FIELD_NO_TRANSFORMER | FIELD_NO_RHS,
};

#define ROW(name, type, format, flags, getter, help...)                                            \
	{                                                                                          \
		name, PT_##type, PF_##format, flags, FIELD_ARG_NONE, SOCKET_NEEDS, getter, help,   \
			.can_have = fd_is_subject                                                  \
	}

/* Other descriptors have no value. */
#define SOCKET_ROW(name, type, format, flags, getter, help...)                                     \
	ROW(name, type, format, flags, getter, help, .fact = FIELD_FACT_SOCKET)

#define ADDRESS_ROW(name, type, format, getter, help...)                                           \
	{                                                                                          \
		name, PT_##type, PF_##format, 0, FIELD_ARG_NONE, NEEDS_ARGUMENTS, getter, help,    \
			.can_have = can_have_address                                               \
	}

static void each_l4_protocol(void (*see)(void *context, const char *word), void *context)
{
	for (size_t i = 0; i < COUNT(l4_names); i++)
		see(context, l4_names[i]);
}

static void socket_each_family(void (*see)(void *context, const char *word), void *context)
{
	see(context, "ip");
	see(context, "unix");
}

static const struct field_words l4_protocols = {each_l4_protocol, .lenient = true};
static const struct field_words families = {socket_each_family, .lenient = true};

const struct field_desc fields_socket[] = {
	SOCKET_ROW("fd.ip", IPADDR, NA, EITHER_FLAGS, get_ip, "address of either end"),
	SOCKET_ROW("fd.cip", IPADDR, NA, 0, get_cip, "address of the client"),
	SOCKET_ROW("fd.sip", IPADDR, NA, 0, get_sip, "address of the server"),
	SOCKET_ROW("fd.lip", IPADDR, NA, 0, get_lip, "address of the local end"),
	SOCKET_ROW("fd.rip", IPADDR, NA, 0, get_rip, "address of the remote end"),
	SOCKET_ROW("fd.port", PORT, DEC, EITHER_FLAGS, get_port, "port of either end"),
	SOCKET_ROW("fd.cport", PORT, DEC, 0, get_cport, "port of the client"),
	SOCKET_ROW("fd.sport", PORT, DEC, 0, get_sport, "port of the server"),
	SOCKET_ROW("fd.lport", PORT, DEC, 0, get_lport, "port of the local end"),
	SOCKET_ROW("fd.rport", PORT, DEC, 0, get_rport, "port of the remote end"),
	ROW("fd.l4proto", CHARBUF, NA, 0, get_l4proto, "tcp, udp, icmp or raw; else <NA>",
	    .example = "=udp", .words = &l4_protocols),
	SOCKET_ROW("fd.sockfamily", CHARBUF, NA, 0, get_sockfamily,
		   "ip or unix; none for other descriptors", .example = "=unix",
		   .words = &families),
	ROW("fd.is_server", BOOL, NA, 0, get_is_server, "true if this side is the server"),
	SOCKET_ROW("fd.proto", PORT, NA, EITHER_FLAGS, get_port, "the same as fd.port"),
	SOCKET_ROW("fd.cproto", CHARBUF, NA, 0, get_cproto, "port of the client as text",
		   .example = "=443"),
	SOCKET_ROW("fd.sproto", CHARBUF, NA, 0, get_sproto, "port of the server as text",
		   .example = "=443"),
	SOCKET_ROW("fd.lproto", CHARBUF, NA, 0, get_lproto, "port of the local end as text",
		   .example = "=443"),
	SOCKET_ROW("fd.rproto", CHARBUF, NA, 0, get_rproto, "port of the remote end as text",
		   .example = "=443"),
	SOCKET_ROW("fd.cip.name", CHARBUF, NA, HOST_FLAGS, get_chost,
		   "name of fd.cip in /etc/hosts; no name server is asked",
		   .example = "=localhost"),
	SOCKET_ROW("fd.sip.name", CHARBUF, NA, HOST_FLAGS, get_shost,
		   "name of fd.sip in /etc/hosts", .example = "=localhost"),
	SOCKET_ROW("fd.lip.name", CHARBUF, NA, HOST_FLAGS, get_lhost,
		   "name of fd.lip in /etc/hosts", .example = "=localhost"),
	SOCKET_ROW("fd.rip.name", CHARBUF, NA, HOST_FLAGS, get_rhost,
		   "name of fd.rip in /etc/hosts", .example = "=localhost"),
	SOCKET_ROW("fd.net", IPNET, NA, EITHER_FLAGS, get_ip, "network of either end"),
	SOCKET_ROW("fd.cnet", IPNET, NA, FILTER_FLAGS, get_cip, "network of the client"),
	SOCKET_ROW("fd.snet", IPNET, NA, FILTER_FLAGS, get_sip, "network of the server"),
	SOCKET_ROW("fd.lnet", IPNET, NA, FILTER_FLAGS, get_lip, "network of the local end"),
	SOCKET_ROW("fd.rnet", IPNET, NA, FILTER_FLAGS, get_rip, "network of the remote end"),
	ADDRESS_ROW(
		"evt.addr.ip", IPADDR, NA, get_address_ip,
		"remote end of a connection that was made, else the address that the call names",
		.example = "=127.0.0.1"),
	ADDRESS_ROW("evt.addr.port", PORT, DEC, get_address_port, "the port there",
		    .example = "=443"),
	{0},
};
