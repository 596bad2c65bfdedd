/* SPDX-License-Identifier: MIT */
/* Sockets: their kinds, their ends, and which end called; names of addresses, by answers of DNS. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "event/address.h"
#include "scap/proc/fd.h"
#include "sinsp/state/apply.h"
#include "sinsp/state/load.h"
#include "sinsp/state/program.h"
#include "sinsp/state/machine.h"
#include "util/buf.h"

enum {
	TUPLE_UNIX_BYTES = 17, /* and a path */
	ADDR_IPV4_BYTES = 7,
	ADDR_IPV6_BYTES = 19,
	PROTOCOL_IP = 0,
	PROTOCOL_ICMP = 1,
	PROTOCOL_TCP = 6,
	PROTOCOL_UDP = 17,
	PROTOCOL_ICMPV6 = 58,
	PROTOCOL_RAW = 255,
	TYPE_BITS = 0xf, /* of a socket's type; the flags lie above */
};

static enum scap_fd_type type_of_family(uint64_t family)
{
	switch (family) {
	case socket_families__AF_UNIX:
		return SCAP_FD_UNIX;
	case socket_families__AF_INET:
		return SCAP_FD_IPV4;
	case socket_families__AF_INET6:
		return SCAP_FD_IPV6;
	case socket_families__AF_NETLINK:
		return SCAP_FD_NETLINK;
	default:
		return SCAP_FD_UNKNOWN;
	}
}

static enum scap_l4 l4_of(uint64_t type, uint64_t protocol)
{
	if ((type & TYPE_BITS) == SOCK_RAW)
		return SCAP_L4_RAW;
	switch (protocol) {
	case PROTOCOL_TCP:
		return SCAP_L4_TCP;
	case PROTOCOL_UDP:
		return SCAP_L4_UDP;
	case PROTOCOL_ICMP:
	case PROTOCOL_ICMPV6:
		return SCAP_L4_ICMP;
	case PROTOCOL_RAW:
		return SCAP_L4_RAW;
	case PROTOCOL_IP:
		if ((type & TYPE_BITS) == SOCK_STREAM)
			return SCAP_L4_TCP;
		return (type & TYPE_BITS) == SOCK_DGRAM ? SCAP_L4_UDP : SCAP_L4_UNKNOWN;
	default:
		return SCAP_L4_UNKNOWN;
	}
}

void apply_socket(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	uint32_t flags = (uint32_t)event_param_u64(ev, socket__flags);

	if (!event->thread || event->fd_num < 0)
		return;
	event->fd = state_open_fd(event, event->fd_num,
				  type_of_family(event_param_u64(ev, socket__domain)),
				  flags & file_flags__O_CLOEXEC);
	if (!event->fd)
		return;
	event->fd->flags = flags;
	if (state_socket_is_ip(event->fd))
		event->fd->l4 = l4_of(event_param_u64(ev, socket__type),
				      event_param_u64(ev, socket__proto));
}

static struct state_fd *open_of_pair(struct state *state, struct apply_event *event, int64_t num,
				     uint64_t own, uint64_t peer)
{
	const struct event *ev = event->ev;
	uint64_t family = event_param_u64(ev, socketpair__domain);
	/* If an old capture lacks the call's arguments, the most frequent kind is assumed. */
	enum scap_fd_type type = family ? type_of_family(family) : SCAP_FD_UNIX;
	struct state_fd *fd = state_open_fd(event, num, type,
					    event_param_u64(ev, socketpair__type) & SOCK_CLOEXEC);

	if (fd && type == SCAP_FD_UNIX)
		state_set_unix_ends(state, fd, own, peer);
	return fd;
}

void apply_socketpair(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	uint64_t first = event_param_u64(ev, socketpair__source);
	uint64_t second = event_param_u64(ev, socketpair__peer);
	int64_t num = event_param_i64(ev, socketpair__fd2);

	if (event_param_i64(ev, socketpair__res) != 0 || event->fd_num < 0)
		return;
	if (event->thread)
		open_of_pair(state, event, event->fd_num, first, second);
	/* As for pipes, the second end is the event's descriptor. */
	state_set_fd(event, num,
		     event->thread ? open_of_pair(state, event, num, second, first) : NULL);
}

/* Reads an address and a port, and returns the position after them. */
static const uint8_t *read_end(const uint8_t *bytes, size_t address_len, struct scap_endpoint *end)
{
	*end = (struct scap_endpoint){0};
	memcpy(end->address, bytes, address_len);
	memcpy(&end->port, bytes + address_len, sizeof(end->port));
	return bytes + address_len + sizeof(end->port);
}

/* The kind of socket that an address or tuple of IP belongs to; SCAP_FD_UNKNOWN for other ones. */
static enum scap_fd_type ip_type(const struct event_param *param, size_t ipv4_bytes,
				 size_t ipv6_bytes)
{
	if (param->len == ipv4_bytes && param->data[0] == socket_families__AF_INET)
		return SCAP_FD_IPV4;
	if (param->len == ipv6_bytes && param->data[0] == socket_families__AF_INET6)
		return SCAP_FD_IPV6;
	return SCAP_FD_UNKNOWN;
}

static bool is_unix(const struct event_param *param)
{
	return param->len > 1 && param->data[0] == socket_families__AF_UNIX;
}

static void apply_net_name_socket(struct state *state, struct apply_event *event)
{
	char name[SOCKET_NAME_MAX];

	state_rename_fd(state, event, name, state_socket_name(event->fd, name));
}

/* Whether these are both ends of a socket that is connected, the other way round. */
static bool is_turned(const struct state_fd *fd, const uint64_t addresses[2])
{
	const union state_ends *ends = fd->has_ends ? state_fd_ends(fd) : NULL;

	return ends && fd->role != STATE_ROLE_NONE && addresses[1] &&
	       ends->unix_socket == addresses[1] && ends->unix_peer == addresses[0];
}

/*
 * Unix sockets are named as their tuple is shown. That of a message is in the direction of the
 * message, and only one of both has the path: a connection keeps its name.
 */
static void name_unix_socket(struct state *state, struct apply_event *event,
			     const struct event_param *tuple)
{
	struct state_fd *fd = event->fd;
	uint64_t addresses[2]; /* its own, that of the peer */
	char memory[SOCKET_NAME_MAX];
	struct buf name = buf_fixed(memory, sizeof(memory));

	if (fd->type == SCAP_FD_UNIX && tuple->len >= TUPLE_UNIX_BYTES) {
		memcpy(addresses, tuple->data + 1, sizeof(addresses));
		if (is_turned(fd, addresses))
			return;
		state_set_unix_ends(state, fd, addresses[0], addresses[1]);
	}
	address_append_socktuple(&name, tuple, NULL);
	state_rename_fd(state, event, name.data, name.len);
}

/*
 * Copies the ends of an IP tuple. Outgoing tuples have the local end first, incoming ones the
 * remote end; entries have the calling end first. Returns false if nothing changed.
 */
static bool set_ends(struct state *state, struct state_fd *fd, const struct event_param *tuple,
		     bool outward)
{
	union state_ends ends = {0}, *kept;
	struct state_fd seen = {
		.type = ip_type(tuple, ADDRESS_TUPLE_IPV4_BYTES, ADDRESS_TUPLE_IPV6_BYTES)};
	size_t address_len = seen.type == SCAP_FD_IPV4 ? 4 : 16;
	const uint8_t *at = tuple->data + 1;

	at = read_end(at, address_len, &ends.source);
	read_end(at, address_len, &ends.dest);
	state_socket_unmap(&seen, &ends);
	if ((fd->role == STATE_ROLE_SERVER) == outward)
		state_socket_swap(&ends);
	if (!fd->listening && fd->type == seen.type && fd->name_len &&
	    memcmp(&state_fd_ends(fd)->source, &ends.source, sizeof(ends.source)) == 0 &&
	    memcmp(&state_fd_ends(fd)->dest, &ends.dest, sizeof(ends.dest)) == 0)
		return false;
	kept = state_fd_make_ends(&state->fd_store, fd);
	if (!kept)
		return false;
	fd->listening = false;
	fd->type = seen.type;
	kept->source = ends.source;
	kept->dest = ends.dest;
	return true;
}

/* Clients are bound, too: with an address alone, and a port that the kernel chooses. */
static void bind_ip(struct state *state, struct apply_event *event, enum scap_fd_type type,
		    const uint8_t *bytes)
{
	struct state_fd *fd = event->fd;
	union state_ends *ends = state_fd_make_ends(&state->fd_store, fd);
	struct scap_endpoint bound;

	if (!ends)
		return;
	read_end(bytes, type == SCAP_FD_IPV4 ? 4 : 16, &bound);
	fd->type = type;
	fd->listening = true;
	ends->dest = bound;
	state_socket_unmap(fd, ends);
	apply_net_name_socket(state, event);
	fd->listening = bound.port != 0;
	if (!fd->listening) {
		ends->source = ends->dest;
		ends->dest = (struct scap_endpoint){0};
	}
}

void apply_bind(struct state *state, struct apply_event *event)
{
	const struct event_param *addr = &event->ev->params[bind__addr];
	enum scap_fd_type type = ip_type(addr, ADDR_IPV4_BYTES, ADDR_IPV6_BYTES);
	struct state_fd *fd = event->fd;

	if (!fd || event_param_i64(event->ev, bind__res) != 0)
		return;
	fd->is_unsure |= state_is_untold(event);
	if (is_unix(addr)) {
		const char *path = (const char *)addr->data + 1;

		state_rename_fd(state, event, path, strnlen(path, addr->len - 1));
	}
	if (type != SCAP_FD_UNKNOWN)
		bind_ip(state, event, type, addr->data + 1);
}

/* listen() shows that a socket bound to any port is not a client. */
void apply_listen(struct state *state, struct apply_event *event)
{
	struct state_fd *fd = event->fd;
	union state_ends *ends;

	if (!fd || event_param_i64(event->ev, listen__res) != 0 || !state_socket_is_ip(fd) ||
	    fd->listening || fd->role != STATE_ROLE_NONE)
		return;
	ends = state_fd_make_ends(&state->fd_store, fd);
	if (!ends)
		return;
	fd->is_unsure |= state_is_untold(event);
	fd->listening = true;
	ends->dest = ends->source;
}

/* Whether the remote end of an outgoing tuple is none: what connect(2) to AF_UNSPEC leaves. */
static bool is_to_nowhere(const struct event_param *tuple)
{
	const size_t half = (tuple->len - 1) / 2;

	for (size_t i = 1 + half; i < tuple->len; i++)
		if (tuple->data[i])
			return false;
	return true;
}

/* There is no connection any more. A socket that others call remains bound. */
static void dissolve(struct state *state, struct apply_event *event)
{
	struct state_fd *fd = event->fd;
	union state_ends *ends = state_fd_make_ends(&state->fd_store, fd);

	if (!ends)
		return;
	fd->listening = fd->role == STATE_ROLE_SERVER;
	fd->role = STATE_ROLE_NONE;
	fd->connected = false;
	ends->source = (struct scap_endpoint){0};
	if (fd->listening) {
		apply_net_name_socket(state, event);
		return;
	}
	ends->dest = (struct scap_endpoint){0};
	state_rename_fd(state, event, "", 0);
}

void apply_connect(struct state *state, struct apply_event *event)
{
	const struct event_param *tuple = &event->ev->params[connect__tuple];
	int64_t result = event_param_i64(event->ev, connect__res);
	struct state_fd *fd = event->fd;

	if (!fd || (result != 0 && result != -EINPROGRESS))
		return;
	/* What is connected stays so, unless it is datagrams: it is false that it gets another end.
	 */
	if (state_is_untold(event) && fd->connected && fd->l4 == SCAP_L4_TCP)
		return;
	fd->is_unsure = state_is_untold(event);
	if (is_unix(tuple)) {
		fd->type = SCAP_FD_UNIX;
		fd->role = STATE_ROLE_CLIENT;
		name_unix_socket(state, event, tuple);
	} else if (ip_type(tuple, ADDRESS_TUPLE_IPV4_BYTES, ADDRESS_TUPLE_IPV6_BYTES) !=
		   SCAP_FD_UNKNOWN) {
		if (is_to_nowhere(tuple)) {
			dissolve(state, event);
			return;
		}
		/* A datagram server that connects to its client stays the server. */
		if (fd->role == STATE_ROLE_NONE)
			fd->role = STATE_ROLE_CLIENT;
		if (set_ends(state, fd, tuple, true))
			apply_net_name_socket(state, event);
	}
	fd->connected = result == 0;
}

static void accept_socket(struct state *state, struct apply_event *event,
			  const struct event_param *tuple, bool cloexec)
{
	enum scap_fd_type type =
		is_unix(tuple) ? SCAP_FD_UNIX
			       : ip_type(tuple, ADDRESS_TUPLE_IPV4_BYTES, ADDRESS_TUPLE_IPV6_BYTES);
	struct state_fd *fd;

	if (!event->thread || event->fd_num < 0)
		return;
	if (type == SCAP_FD_UNKNOWN) {
		/* The event does not describe this descriptor. */
		event->fd = state_replace_fd(state, event, event->fd_num);
		event->fd_named = event->fd;
		return;
	}
	fd = state_open_fd(event, event->fd_num, type, cloexec);
	event->fd = fd;
	if (!fd)
		return;
	fd->connected = true;
	fd->role = STATE_ROLE_SERVER;
	if (type == SCAP_FD_UNIX) {
		name_unix_socket(state, event, tuple);
	} else {
		fd->l4 = SCAP_L4_TCP;
		set_ends(state, fd, tuple, false);
		apply_net_name_socket(state, event);
	}
	event->fd_named = true;
}

void apply_accept(struct state *state, struct apply_event *event)
{
	accept_socket(state, event, &event->ev->params[accept__tuple], false);
}

void apply_accept4(struct state *state, struct apply_event *event)
{
	accept_socket(state, event, &event->ev->params[accept4__tuple],
		      event_param_u64(event->ev, accept4__flags) & file_flags__O_CLOEXEC);
}

void apply_shutdown(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;

	if (event->fd && event_param_i64(ev, shutdown__res) == 0 &&
	    event_param_u64(ev, shutdown__how) == shutdown_how__SHUT_RDWR)
		event->fd->connected = false;
}

/*
 * A datagram socket without a role gets one at its first message: an unbound sender is a client;
 * others are servers if the process has a socket bound to the message's destination, and none that
 * calls from its source.
 */
static enum state_fd_role apply_net_guess_role(const struct state_fds *fds, uint16_t source,
					       uint16_t dest, bool unbound_sender)
{
	enum state_fd_role role = STATE_ROLE_CLIENT;
	struct state_fd *fd;

	if (unbound_sender)
		return role;
	for (int64_t num = 0; (fd = state_fds_next(fds, &num)); num++) {
		if (!state_socket_is_ip(fd))
			continue;
		if (fd->role == STATE_ROLE_CLIENT && state_fd_ends(fd)->source.port == source)
			return STATE_ROLE_CLIENT;
		if ((fd->listening || fd->role == STATE_ROLE_SERVER) &&
		    state_fd_ends(fd)->dest.port == dest)
			role = STATE_ROLE_SERVER;
	}
	return role;
}

/* A tuple has the port at the end of each endpoint. */
static uint16_t port_at(const struct event_param *tuple, size_t at)
{
	uint16_t port;

	memcpy(&port, tuple->data + at, sizeof(port));
	return port;
}

static void learn_ip(struct state *state, struct apply_event *event,
		     const struct event_param *tuple, bool outward)
{
	struct state_fd *fd = event->fd;
	size_t half = (tuple->len - 1) / 2;

	/* The ends of a connection do not change, those of a datagram socket with each message. */
	if (fd->l4 == SCAP_L4_TCP && fd->role != STATE_ROLE_NONE && !fd->listening &&
	    !fd->is_unsure)
		return;
	fd->is_unsure &= state_is_untold(event);
	if (fd->l4 == SCAP_L4_UNKNOWN)
		fd->l4 = SCAP_L4_UDP;
	if (fd->role == STATE_ROLE_NONE)
		fd->role = apply_net_guess_role(event->thread->fds, port_at(tuple, half - 1),
						port_at(tuple, 2 * half - 1),
						outward && !fd->listening);
	if (set_ends(state, fd, tuple, outward))
		apply_net_name_socket(state, event);
}

/* Updates the event's socket from a message sent or received over it. */
void apply_message(struct state *state, struct apply_event *event)
{
	const struct event_desc *desc = event->ev->desc;
	const struct event_param *tuple = &event->ev->params[state->plans[desc->id].tuple_param];
	enum scap_fd_type type = ip_type(tuple, ADDRESS_TUPLE_IPV4_BYTES, ADDRESS_TUPLE_IPV6_BYTES);
	int64_t result = event_param_i64(event->ev, 0);
	const bool outward = desc->flags & EF_WRITES_TO_FD;

	/* A send that begins a connection (MSG_FASTOPEN) does so as connect. */
	bool is_going_on = outward && result == -EINPROGRESS;

	if (!event->thread || (result < 0 && !is_going_on) ||
	    (type == SCAP_FD_UNKNOWN && !is_unix(tuple)))
		return;
	if (!event->fd)
		event->fd = state_open_fd(event, event->fd_num,
					  type == SCAP_FD_UNKNOWN ? SCAP_FD_UNIX : type, false);
	if (!event->fd)
		return;
	if (type != SCAP_FD_UNKNOWN) {
		learn_ip(state, event, tuple, outward);
		event->fd->connected = !is_going_on;
		return;
	}
	event->fd->connected = true;
	name_unix_socket(state, event, tuple);
}

/* The header of a control message, for a 64-bit receiver or a 32-bit one. */
struct control {
	uint64_t len; /* with this */
	int32_t level, type;
};

struct control32 {
	uint32_t len;
	int32_t level, type;
};

/*
 * Whether these have the 32-bit layout: the level is where 64-bit ones have the upper half of a
 * length.
 */
static bool is_of_32_bits(const uint8_t *messages, size_t len)
{
	struct control32 first;

	if (len < sizeof(first))
		return false;
	memcpy(&first, messages, sizeof(first));
	return first.level == SOL_SOCKET;
}

/* Reads the header of the next message. Returns its bytes, or 0 if there is no such message. */
static size_t read_control(const uint8_t *at, size_t left, bool is_narrow, struct control *control)
{
	struct control32 narrow;
	size_t head = is_narrow ? sizeof(narrow) : sizeof(*control);

	if (left < head)
		return 0;
	if (is_narrow) {
		memcpy(&narrow, at, sizeof(narrow));
		*control = (struct control){narrow.len, narrow.level, narrow.type};
	} else {
		memcpy(control, at, sizeof(*control));
	}
	return control->len < head || control->len > left ? 0 : head;
}

/* The parameter `received`, of the first descriptor that a message brought: what the kernel had. */
enum { RECEIVED_NUM, RECEIVED_INO, RECEIVED_DEV, RECEIVED_MOUNT, RECEIVED_MODE, RECEIVED_WORDS };

/* Replaces a received descriptor by what the kernel said of it; if it said nothing, by /proc's. */
static struct state_fd *open_received(struct state *state, struct apply_event *event, int64_t num)
{
	const struct event *ev = event->ev;
	const bool is_single = ev->desc->id == EVENT_recvmsg;
	const struct event_param *param = &ev->params[recvmsg__received];
	const struct event_param *path = &ev->params[recvmsg__received_path];
	struct scap_fd found = {.num = num, .type = SCAP_FD_FILE};
	uint64_t words[RECEIVED_WORDS];
	struct frame_file file;

	if (!is_single || param->len != sizeof(words))
		return state_replace_fd(state, event, num);
	memcpy(words, param->data, sizeof(words));
	if (words[RECEIVED_NUM] != (uint64_t)num)
		return state_replace_fd(state, event, num);
	file = (struct frame_file){words[RECEIVED_INO], (uint32_t)words[RECEIVED_DEV],
				   (uint32_t)words[RECEIVED_MOUNT]};
	state_fds_close(event->thread->fds, num);
	if (path->len <= 1)
		return state_fd_of_file(state, event->thread, num, &file);
	found.name = (const char *)path->data;
	found.ino = file.ino;
	found.dev = file.dev;
	proc_fd_set_mode(&found, (uint16_t)words[RECEIVED_MODE]);
	return state_load_fd(state, event->thread->fds, &found);
}

static void receive_fd(struct state *state, struct apply_event *event, int64_t num)
{
	struct state_fd *fd = open_received(state, event, num);

	if (num == event->fd_num)
		event->fd = fd;
}

/* Descriptors received with a message: the event does not describe them. */
static void receive_fds(struct state *state, struct apply_event *event, unsigned int param)
{
	const struct event_param *message = &event->ev->params[param];
	const bool is_narrow = is_of_32_bits(message->data, message->len);
	const size_t align = is_narrow ? sizeof(uint32_t) : sizeof(uint64_t);
	size_t left = message->len, head, step;
	const uint8_t *at = message->data;
	struct control control;

	if (!event->thread)
		return;
	while ((head = read_control(at, left, is_narrow, &control)) > 0) {
		int32_t num;

		if (control.level == SOL_SOCKET && control.type == SCM_RIGHTS)
			for (uint64_t i = head; i + sizeof(num) <= control.len; i += sizeof(num)) {
				memcpy(&num, at + i, sizeof(num));
				receive_fd(state, event, num);
			}
		step = (control.len + align - 1) & ~(align - 1);
		if (step >= left)
			return;
		at += step;
		left -= step;
	}
}

void apply_recvmsg(struct state *state, struct apply_event *event)
{
	receive_fds(state, event, recvmsg__msgcontrol);
	apply_message(state, event);
}

void apply_recvmmsg(struct state *state, struct apply_event *event)
{
	receive_fds(state, event, recvmmsg__msgcontrol);
	apply_message(state, event);
}

/* A nonblocking connect completes when its error (or success) is queried. */
void apply_getsockopt(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	const struct event_param *param = &ev->params[getsockopt__val];
	struct event_dyn value;

	if (!event->fd || event->fd->role != STATE_ROLE_CLIENT ||
	    event_param_u64(ev, getsockopt__level) != sockopt_levels__SOL_SOCKET ||
	    event_param_u64(ev, getsockopt__optname) != sockopt_options__SO_ERROR || !param->len)
		return;
	value = event_dyn_value(&ev->desc->params[getsockopt__val], param);
	if (value.kind->type == PT_ERRNO)
		event->fd->connected = event_value_i64(PT_ERRNO, &value.param) == 0;
}

void apply_io(struct state *state, struct apply_event *event)
{
	struct state_fd *fd = event->fd;

	if (fd && !fd->connected && state_socket_is_ip(fd) && fd->role != STATE_ROLE_NONE &&
	    event_param_i64(event->ev, 0) >= 0)
		fd->connected = true;
}

/* What answers of DNS say of addresses. */

#define NS_PER_S UINT64_C(1000000000)

/* The next word of a text, which it takes; its length in *len, 0: there is none. */
static const char *next_word(const char **text, size_t *len)
{
	const char *word = *text + strspn(*text, " ");

	*len = strcspn(word, " ");
	*text = word + *len;
	return word;
}

static void put_answer(struct state *state, const struct resolved_scope *scope, const char *word,
		       size_t len, const char *name, uint64_t until_ns)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t bytes[sizeof(struct in6_addr)];
	struct resolved_address address = {bytes, sizeof(struct in_addr)};

	if (len >= sizeof(text))
		return;
	memcpy(text, word, len);
	text[len] = '\0';
	if (inet_pton(AF_INET, text, bytes) != 1) {
		if (inet_pton(AF_INET6, text, bytes) != 1)
			return;
		address.len = sizeof(struct in6_addr);
	}
	resolved_put(&state->resolved, scope, &address, name, until_ns);
}

/* Who asked for a name knows its addresses by it. */
void apply_request(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	const char *answer = event_param_string(ev, request__answer), *word;
	const char *name = event_param_string(ev, request__target);
	const struct state_container *container;
	struct resolved_scope scope = {0};
	uint64_t ttl_s = event_param_u64(ev, request__ttl);
	size_t len;

	if (!event->thread || !answer || !name ||
	    event_param_u64(ev, request__protocol) != request_protocols__dns ||
	    event_param_u64(ev, request__role) != request_roles__client)
		return;
	container = event->thread->cgroups->container;
	if (container)
		scope = (struct resolved_scope){container->id, container->id_len};
	if (ttl_s < RESOLVED_LEAST_S)
		ttl_s = RESOLVED_LEAST_S;
	while ((word = next_word(&answer, &len)) && len)
		put_answer(state, &scope, word, len, name, ev->ts_ns + ttl_s * NS_PER_S);
}
