/* SPDX-License-Identifier: MIT */
/* From events to sockets: which calls concern them, and the table of those that are followed. */
#include "requests/requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "event/address.h"
#include "event/event.h"
#include "requests/connection.h"
#include "requests/conversation.h"
#include "requests/early.h"
#include "requests/ends.h"
#include "requests/frame.h"
#include "requests/pairing.h"
#include "requests/sockets.h"
#include "requests/verdict.h"
#include "requests/where.h"

/* What an event is to a socket. */
enum requests_kind {
	KIND_NONE,
	KIND_READ,
	KIND_WRITE,
	KIND_ACCEPT,
	KIND_CONNECT,
	KIND_OPEN,
	KIND_CLOSE,
	KIND_SHUTDOWN,
	KIND_UNSEEN, /* moves bytes that no process has in its memory */
	KIND_MADE, /* the kernel made a connection */
	KIND_THREAD_END,
	KIND_PLAINTEXT, /* of a socket that speaks TLS */
};

/*
 * How long the kernel took to make a connection. It tells before connect returns, unless that does
 * not wait; then the socket is followed already.
 */
struct connect_note {
	uint64_t ino; /* 0: none */
	uint32_t us;
};

enum { CONNECT_NOTES = 1024 /* by the remainder of the inode: a newer one takes the place */ };

struct requests_call {
	uint8_t kind; /* enum requests_kind */
	uint8_t data; /* parameter with the bytes, plus 1; 0: it has none */
	uint8_t fd; /* likewise with the descriptor */
	bool has_messages; /* its place is that of the last one of several */
	bool is_net; /* only sockets have it */
	uint8_t tuple; /* parameter with the ends, plus 1; 0: it has none */
};

struct requests {
	struct connections all;
	struct sockets sockets;
	size_t limits_at; /* bytes of `limits` that were given out */
	struct connect_note made[CONNECT_NOTES];
	struct requests_call calls[EVENT_ID_MAX];
	uint64_t why_ns; /* requests_explain_from() */
	uint8_t frame[REQUEST_FRAME_BYTES];
};

static bool is_transfer(const struct event_desc *desc)
{
	unsigned int subject = desc->category & 0xff;

	return (subject == EC_IO_READ || subject == EC_IO_WRITE) && (desc->flags & EF_USES_FD) &&
	       (desc->flags & (EF_READS_FROM_FD | EF_WRITES_TO_FD)) &&
	       (desc->category & EC_SYSCALL);
}

static enum requests_kind kind_of(const struct event_desc *desc)
{
	switch (desc->id) {
	case EVENT_accept:
	case EVENT_accept4:
		return KIND_ACCEPT;
	case EVENT_connect:
		return KIND_CONNECT;
	case EVENT_socket:
		return KIND_OPEN;
	case EVENT_close:
		return KIND_CLOSE;
	case EVENT_shutdown:
		return KIND_SHUTDOWN;
	case EVENT_sendfile:
	case EVENT_splice:
		return KIND_UNSEEN;
	case EVENT_tcp_connect:
		return KIND_MADE;
	case EVENT_procexit:
		return KIND_THREAD_END;
	case EVENT_tls_data:
		return KIND_PLAINTEXT;
	default:
		if (!is_transfer(desc))
			return KIND_NONE;
		return desc->flags & EF_READS_FROM_FD ? KIND_READ : KIND_WRITE;
	}
}

static void fill_calls(struct requests *requests)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);
		struct requests_call *call = &requests->calls[id];
		int fd;

		if (!desc)
			continue;
		fd = event_param_find(desc, "fd");
		call->kind = (uint8_t)kind_of(desc);
		if (fd < 0 && call->kind < KIND_UNSEEN)
			call->kind = KIND_NONE;
		call->fd = (uint8_t)(fd + 1);
		call->data = (uint8_t)(event_param_find(desc, "data") + 1);
		call->tuple = (uint8_t)(event_param_find(desc, "tuple") + 1);
		call->has_messages = desc->flags & EF_HAS_MESSAGES;
		call->is_net = event_family_of(id) == FAMILY_net;
	}
}

static void set_timeouts(struct exchanges *exchanges, uint64_t timeout_ns)
{
	exchanges->waiting[EXCHANGE_OF_STREAM].timeout_ns = timeout_ns;
	exchanges->waiting[EXCHANGE_OF_TURNS].timeout_ns = REQUESTS_SILENCE_NS;
	if (timeout_ns > REQUESTS_DATAGRAM_TIMEOUT_NS)
		timeout_ns = REQUESTS_DATAGRAM_TIMEOUT_NS;
	exchanges->waiting[EXCHANGE_OF_DATAGRAMS].timeout_ns = timeout_ns;
}

int requests_create(const struct requests_config *config, struct requests **requests)
{
	struct requests *made = calloc(1, sizeof(*made));
	struct exchanges *exchanges;

	if (!made)
		return -ENOMEM;
	if (getrandom(&made->all.key, sizeof(made->all.key), 0) != sizeof(made->all.key)) {
		free(made);
		return -EIO;
	}
	exchanges = &made->all.exchanges;
	if (sockets_init(&made->sockets,
			 config->sockets_max ? config->sockets_max : REQUESTS_SOCKETS_MAX,
			 &made->all) ||
	    ends_create(made->sockets.mask + 1, &made->all.key, &made->all.ends) ||
	    !(made->all.early = calloc(1, sizeof(*made->all.early)))) {
		ends_destroy(made->all.ends);
		sockets_finish(&made->sockets);
		free(made);
		return -ENOMEM;
	}
	exchanges->max = config->open_max ? config->open_max : REQUESTS_OPEN_MAX;
	set_timeouts(exchanges, config->timeout_ns ? config->timeout_ns : REQUESTS_TIMEOUT_NS);
	made->sockets.certain_ns = config->begin_ns;
	made->all.of_unknown = config->of_unknown;
	made->all.by_descriptor = config->by_descriptor;
	exchanges_init(exchanges);
	made->all.datagram_ends.key = &made->all.key;
	fill_calls(made);
	*requests = made;
	return 0;
}

void requests_destroy(struct requests *requests)
{
	if (!requests)
		return;
	requests->all.state = NULL;
	while (requests->sockets.hand)
		sockets_remove(&requests->sockets, requests->sockets.hand, 0, "");
	datagrams_release(&requests->all, UINT64_MAX);
	protocol_room_finish(&requests->all.room);
	exchanges_finish(&requests->all.exchanges);
	ends_destroy(requests->all.ends);
	free(requests->all.early);
	statements_finish(&requests->all.statements);
	translations_finish(&requests->all.translations);
	datagram_ends_finish(&requests->all.datagram_ends);
	buf_finish(&requests->all.limits);
	sockets_finish(&requests->sockets);
	free(requests);
}

/* Other requests are wanted of it. Those that are no longer wanted are left out with its next
 * bytes.
 */
static void look_anew(struct connection *connection, struct connections *all)
{
	if (connection->is_left_out)
		verdict_look_again(connection, all);
	if (connection->has_datagrams || connection->protocol)
		return;
	if (connection->is_opaque || connection->is_sized) {
		if (connection->is_sized != verdict_is_sized(connection, all))
			verdict_begin_again(connection, all);
	} else if (!all->of_unknown) {
		conversation_forget(connection, all);
	}
}

static void look_at_all(struct requests *requests)
{
	struct connection *connection = requests->sockets.hand;

	for (uint64_t i = 0; i < requests->all.exchanges.stats.followed; i++) {
		look_anew(connection, &requests->all);
		connection = connection->behind;
	}
}

void requests_want_unknown(struct requests *requests, bool wanted)
{
	if (requests->all.of_unknown == wanted)
		return;
	requests->all.of_unknown = wanted;
	look_at_all(requests);
}

void requests_leave_out(struct requests *requests, const struct requests_unwanted *unwanted)
{
	struct requests_unwanted *left = &requests->all.unwanted, chosen = *unwanted;

	chosen.by_role[request_roles__unknown] &=
		chosen.by_role[request_roles__client] & chosen.by_role[request_roles__server];
	if (memcmp(left, &chosen, sizeof(chosen)) == 0)
		return;
	*left = chosen;
	look_at_all(requests);
}

enum socket_kind { SOCKET_OTHER, SOCKET_STREAM, SOCKET_DATAGRAMS };

/* What the descriptor of an event is. */
static enum socket_kind kind_of_socket(const struct requests_call *call,
				       const struct state_event *event)
{
	const struct state_fd *file = event->fd;

	if (event->ev.stream.is_known || (!file && call->is_net))
		return SOCKET_STREAM;
	if (!file)
		return SOCKET_OTHER;
	if (file->type == SCAP_FD_UNIX)
		return SOCKET_STREAM;
	if (file->type != SCAP_FD_IPV4 && file->type != SCAP_FD_IPV6)
		return SOCKET_OTHER;
	if (file->l4 == SCAP_L4_UDP)
		return SOCKET_DATAGRAMS;
	return file->l4 == SCAP_L4_TCP || file->l4 == SCAP_L4_UNKNOWN ? SOCKET_STREAM
								      : SOCKET_OTHER;
}

/* No inode number has that bit. */
#define OPEN_FILE (UINT64_C(1) << 63)

/* An open file is the same one under all its numbers, until the last of them is closed. */
static uint64_t ino_of_file(const struct requests *requests, const struct state_fd *file)
{
	uint64_t ino = file ? state_fd_ino(file) : 0;

	if (ino || !file || !requests->all.by_descriptor)
		return ino;
	return (uint64_t)(uintptr_t)file | OPEN_FILE;
}

static uint64_t ino_of(const struct requests *requests, const struct state_event *event)
{
	return event->ev.file.ino ? event->ev.file.ino : ino_of_file(requests, event->fd);
}

static uint8_t role_of(const struct state_fd *file)
{
	if (!file || file->role == STATE_ROLE_NONE)
		return request_roles__unknown;
	return file->role == STATE_ROLE_CLIENT ? request_roles__client : request_roles__server;
}

static int32_t pid_of(const struct state_event *event)
{
	return event->thread && event->thread->pid > 0 ? (int32_t)event->thread->pid : 0;
}

/* Another socket has the number, of an inode or a descriptor: the one before is gone. */
static void begin_anew(struct requests *requests, uint64_t ino, uint64_t now_ns)
{
	struct connection *connection = sockets_find(&requests->sockets, ino);

	if (!connection)
		return;
	/* Of a descriptor that went without a close nobody knows when that was. */
	if (requests->all.by_descriptor)
		connection_give_up(connection, &requests->all);
	sockets_remove_all(&requests->sockets, ino, now_ns, "closed");
}

/* Where its directions begin; that of the peer is not known while the connection is being made. */
static void place_begin(struct requests *requests, const struct state_event *event,
			struct connection *connection)
{
	const struct frame_stream *stream = &event->ev.stream;
	struct stream_piece begin = {
		.end = stream->end, .other = stream->other, .is_placed = stream->is_known};

	ends_begin(requests->all.ends, connection, event->fd, &begin);
	if (!stream->is_known)
		return;
	stream_expect(&connection->streams[DIRECTION_OUT], stream->end);
	if (stream->other)
		stream_expect(&connection->streams[DIRECTION_IN], stream->other);
}

static struct connect_note *note_of(struct requests *requests, uint64_t ino)
{
	return &requests->made[ino % CONNECT_NOTES];
}

/* The kernel tells whose namespace it is, and the process may have ended when somebody asks. */
static void ask_for_made(struct requests *requests, const struct state_event *event, uint64_t ino)
{
	const struct event_param *tuple = &event->ev.params[tcp_connect__tuple];
	const struct translation_socket socket = {
		.ino = ino,
		.netns = event_param_u64(&event->ev, tcp_connect__netns),
		.pid = pid_of(event),
		.l4 = SCAP_L4_TCP,
	};

	translations_forget(&requests->all.translations, ino);
	translations_ask(&requests->all.translations, &socket,
			 &(struct translation_ends){tuple->data, tuple->len, false},
			 event->ev.ts_ns);
}

static void take_made(struct requests *requests, const struct state_event *event)
{
	const struct event *ev = &event->ev;
	uint64_t ino = event_param_u64(ev, tcp_connect__ino);
	uint32_t us = (uint32_t)(event_param_u64(ev, tcp_connect__time) / 1000);
	struct connection *connection = ino ? sockets_find(&requests->sockets, ino) : NULL;

	if (!ino || event_param_i64(ev, tcp_connect__res) != 0)
		return;
	ask_for_made(requests, event, ino);
	if (connection && !connection->is_used)
		connection->connect_us = us;
	else
		*note_of(requests, ino) = (struct connect_note){ino, us};
}

/* As the kernel measured it; else as long as the call took, if it waited. */
static uint32_t connect_us_of(struct requests *requests, uint64_t ino, int64_t result,
			      const struct event *ev)
{
	struct connect_note *note = note_of(requests, ino);

	if (note->ino == ino) {
		note->ino = 0;
		return note->us;
	}
	if (result != 0 || ev->latency_ns == LATENCY_UNKNOWN)
		return 0;
	return (uint32_t)(ev->latency_ns / 1000);
}

static void take_begin(struct requests *requests, const struct state_event *event,
		       const struct requests_call *call)
{
	uint64_t ino = ino_of(requests, event), now_ns = event->ev.ts_ns;
	enum socket_kind kind = kind_of_socket(call, event);
	struct connection *connection;
	int64_t result;

	/* A socket of datagrams may connect often. */
	if (call->kind == KIND_CONNECT && kind == SOCKET_DATAGRAMS)
		return;
	if (!ino || !event_result(&event->ev, &result) ||
	    (result < 0 && !(call->kind == KIND_CONNECT && result == -EINPROGRESS)))
		return;
	/* Its number is free, though its close comes later: another thread was faster. */
	if (event->replaced_ino && event->replaced_ino != ino)
		begin_anew(requests, event->replaced_ino, now_ns);
	begin_anew(requests, ino, now_ns);
	if (call->kind == KIND_OPEN || (event->fd && kind != SOCKET_STREAM))
		return;
	connection = sockets_add(&requests->sockets, ino, now_ns);
	if (!connection)
		return;
	connection->is_out_of_step = false;
	connection->pid = connection->opener = pid_of(event);
	place_begin(requests, event, connection);
	if (call->kind == KIND_CONNECT)
		connection->connect_us = connect_us_of(requests, ino, result, &event->ev);
}

static struct connection_call call_of(const struct requests_call *call,
				      const struct state_event *event)
{
	return (struct connection_call){
		.ts_ns = event->ev.ts_ns,
		.tid = event->ev.tid,
		.pid = pid_of(event),
		.fd = event_param_i64(&event->ev, call->fd - 1u),
		.file = event->fd,
		.times = &event->ev.times,
		.direction = call->kind == KIND_READ ? DIRECTION_IN : DIRECTION_OUT,
	};
}

/* The bytes of a call; false: it only looked at them. */
static bool piece_of(const struct requests_call *call, const struct state_event *event,
		     int64_t result, struct stream_piece *piece)
{
	const struct event_param *data = call->data ? &event->ev.params[call->data - 1] : NULL;
	const struct frame_stream *stream = &event->ev.stream;

	*piece = (struct stream_piece){.len = (uint32_t)result};
	if (data) {
		piece->data = data->data;
		piece->captured = data->len < piece->len ? data->len : piece->len;
	}
	if (!call->has_messages)
		stream_piece_set(piece, stream);
	return !stream->is_peek;
}

/* The bytes of a call as one datagram. */
static struct datagram datagram_of(const struct requests_call *call,
				   const struct state_event *event,
				   const struct stream_piece *piece)
{
	const struct event_param *tuple = call->tuple ? &event->ev.params[call->tuple - 1] : NULL;
	struct datagram datagram = {
		.data = piece->data, .captured = piece->captured, .len = piece->len};

	if (tuple &&
	    (tuple->len == ADDRESS_TUPLE_IPV4_BYTES || tuple->len == ADDRESS_TUPLE_IPV6_BYTES)) {
		datagram.tuple = tuple->data;
		datagram.tuple_len = (uint8_t)tuple->len;
	}
	return datagram;
}

/* A call that moved no bytes. */
static void take_failure(struct requests *requests, const struct requests_call *call,
			 const struct state_event *event, struct connection *connection,
			 int64_t result)
{
	struct connection_call made = call_of(call, event);

	if (connection->has_datagrams) {
		/* The peer has no such socket. */
		if (result == -ECONNREFUSED)
			datagrams_close(connection, &requests->all, made.ts_ns, "refused");
		return;
	}
	if (result == -ECONNRESET || result == -EPIPE)
		connection->was_reset = true;
	if (result == 0 && call->kind == KIND_READ)
		connection_end_side(connection, &requests->all, &made);
	else if (result == -ECONNRESET && call->kind == KIND_READ)
		sockets_close(&requests->sockets, connection->ino, made.ts_ns, "reset");
	else if (result == -ETIMEDOUT)
		sockets_close(&requests->sockets, connection->ino, made.ts_ns, "timeout");
}

static void take_bytes(struct requests *requests, const struct requests_call *call,
		       const struct state_event *event, struct connection *connection,
		       int64_t result)
{
	struct connection_call made;
	struct stream_piece piece;
	struct datagram datagram;

	connection->is_used = true;
	if (connection->is_opaque || !piece_of(call, event, result, &piece))
		return;
	if (connection->has_datagrams) {
		made = call_of(call, event);
		datagram = datagram_of(call, event, &piece);
		datagrams_take(connection, &requests->all, &made, &datagram);
		if (connection->protocol && connection_is_unwanted(connection, &requests->all))
			verdict_leave_out(connection, &requests->all);
		else if (connection->is_opaque)
			verdict_set_limit(connection, &requests->all, 0);
		return;
	}
	if (connection->role == request_roles__unknown)
		connection->role = role_of(event->fd);
	made = call_of(call, event);
	ends_take(requests->all.ends, connection, &made, &piece);
	connection_take(connection, &requests->all, &made, piece);
}

static void take_transfer(struct requests *requests, const struct requests_call *call,
			  const struct state_event *event)
{
	enum socket_kind kind = kind_of_socket(call, event);
	struct connection *connection;
	int64_t result;
	uint64_t ino;

	if (kind == SOCKET_OTHER)
		return;
	ino = ino_of(requests, event);
	if (!ino || !event_result(&event->ev, &result))
		return;
	connection = sockets_find(&requests->sockets, ino);
	if (result <= 0) {
		if (connection)
			take_failure(requests, call, event, connection, result);
		return;
	}
	if (!connection) {
		connection = sockets_add(&requests->sockets, ino, event->ev.ts_ns);
		if (connection)
			connection->has_datagrams = kind == SOCKET_DATAGRAMS;
	}
	if (connection)
		take_bytes(requests, call, event, connection, result);
}

/* How many bytes that nobody sees came to a socket, or left it. */
static void take_unseen_at(struct requests *requests, const struct state_event *event, int64_t fd,
			   enum recognition_direction direction, uint32_t bytes)
{
	const struct state_fd *file = event->thread ? state_fds_find(event->thread->fds, fd) : NULL;
	const struct connection_call made = {
		.ts_ns = event->ev.ts_ns,
		.tid = event->ev.tid,
		.pid = pid_of(event),
		.fd = fd,
		.file = file,
		.times = &event->ev.times,
		.direction = direction,
	};
	struct connection *connection =
		file ? sockets_find(&requests->sockets, ino_of_file(requests, file)) : NULL;

	/* One of which nothing else was seen has no protocol. */
	if (connection && !connection->is_opaque && !connection->has_datagrams)
		connection_take(connection, &requests->all, &made,
				(struct stream_piece){.len = bytes});
}

static void take_unseen(struct requests *requests, const struct state_event *event)
{
	const struct event *ev = &event->ev;
	int64_t moved;

	if (!event_result(ev, &moved) || moved <= 0)
		return;
	if (ev->desc->id == EVENT_splice)
		take_unseen_at(requests, event, event_param_i64(ev, splice__fd_in), DIRECTION_IN,
			       (uint32_t)moved);
	take_unseen_at(requests, event,
		       event_param_i64(ev, ev->desc->id == EVENT_splice ? splice__fd_out
									: sendfile__out_fd),
		       DIRECTION_OUT, (uint32_t)moved);
}

/* The file of the event is another one that has the number by now; the state knows what was closed.
 */
static void take_close(struct requests *requests, const struct state_event *event)
{
	uint64_t ino = ino_of_file(requests, event->fd);

	/* Another process may have the socket, or another number. */
	if (!(sockets_find(&requests->sockets, ino) ||
	      sockets_find(&requests->sockets, ino | TLS_KEY)) ||
	    (event->fds && state_fds_has_other(event->fds, event->fd_num)))
		return;
	sockets_close(&requests->sockets, ino, event->ev.ts_ns, "closed");
}

static void take_shutdown(struct requests *requests, const struct requests_call *call,
			  const struct state_event *event)
{
	struct connection *connection = sockets_find(&requests->sockets, ino_of(requests, event));
	struct connection_call made = call_of(call, event);

	if (!connection || event_param_i64(&event->ev, shutdown__res) != 0)
		return;
	if (event_param_u64(&event->ev, shutdown__how) != shutdown_how__SHUT_RD)
		connection_end_side(connection, &requests->all, &made);
}

/* Whether another process than that of an event moved bytes last, and goes on. */
static bool is_of_another(const struct connection *connection, const struct state_event *event)
{
	return connection->pid && connection->pid != pid_of(event) &&
	       state_thread_find(event->state, connection->pid);
}

/*
 * Sockets went otherwise than by a close. If another process moved their bytes last, it got them as
 * nobody saw, and may have them still.
 */
static void take_gone(struct requests *requests, const struct state_event *event)
{
	for (uint32_t i = 0; i < event->gone_count; i++) {
		uint64_t ino = ino_of_file(requests, event->gone[i].fd);
		struct connection *connection = ino ? sockets_find(&requests->sockets, ino) : NULL;

		/* Of a socket that nobody looks at only the plaintext may be followed. */
		if (ino && !connection)
			connection = sockets_find(&requests->sockets, ino | TLS_KEY);
		if (connection && !is_of_another(connection, event))
			sockets_remove_all(&requests->sockets, ino, event->ev.ts_ns, "closed");
	}
}

/*
 * A plaintext begins: of its socket is known what that has seen, whose own bytes nobody looks at
 * any more, once its handshake is over.
 */
static struct connection *add_plaintext(struct requests *requests, uint64_t key, uint64_t ino,
					uint64_t now_ns)
{
	struct connection *connection = sockets_add(&requests->sockets, key, now_ns), *socket;

	socket = connection && ino ? sockets_find(&requests->sockets, ino) : NULL;
	if (!socket)
		return connection;
	connection->is_out_of_step = !socket->opener;
	connection->opener = socket->opener;
	connection->role = socket->role;
	connection->connect_us = socket->connect_us;
	socket->connect_us = 0;
	verdict_seal(socket, &requests->all);
	/* Finds the other end of it, if that is on this machine. */
	ends_peer(requests->all.ends, requests->all.state, socket);
	return connection;
}

/*
 * The places of bytes by which other ends are found are those of the socket, which may have become
 * known only now.
 */
static void note_socket(struct requests *requests, struct connection *connection, uint64_t ino)
{
	struct connection *socket = ino ? sockets_find(&requests->sockets, ino) : NULL;

	if (!socket || connection->is_guess)
		return;
	if (!socket->is_sealed)
		verdict_seal(socket, &requests->all);
	if (!socket->peer)
		return;
	connection->peer_pid = socket->peer->pid;
	connection->peer_opener = socket->peer->opener;
}

static void take_plaintext(struct requests *requests, const struct state_event *event)
{
	const struct event *ev = &event->ev;
	const struct event_param *data = &ev->params[tls_data__data];
	uint64_t key = event_param_u64(ev, tls_data__stream);
	uint64_t ino = key & TLS_KEY_LOOSE ? ev->file.ino : key & ~TLS_KEY;
	unsigned int direction = (unsigned int)event_param_u64(ev, tls_data__direction);
	struct connection *connection = sockets_find(&requests->sockets, key);
	struct connection_call made = {
		.ts_ns = ev->ts_ns,
		.tid = ev->tid,
		.pid = pid_of(event),
		.fd = event_param_present(ev, tls_data__fd) ? event_param_i64(ev, tls_data__fd)
							    : -1,
		.file = event->fd,
		.times = &event->ev.times,
		.direction = direction == tls_directions__read ? DIRECTION_IN : DIRECTION_OUT,
	};
	struct stream_piece piece = {
		.data = data->data,
		.len = (uint32_t)event_param_u64(ev, tls_data__size),
		.captured = data->len,
	};

	stream_piece_set(&piece, &ev->stream);
	if (!(key & TLS_KEY))
		return;
	if (direction == tls_directions__closed) {
		if (connection && key & TLS_KEY_LOOSE)
			sockets_remove(&requests->sockets, connection, ev->ts_ns, "closed");
		else if (connection)
			connection->is_writing = true;
		return;
	}
	/* What a library has read of a socket that is closed. */
	if (!connection && !(key & TLS_KEY_LOOSE) && !ev->file.ino)
		return;
	if (!connection)
		connection = add_plaintext(requests, key, ino, ev->ts_ns);
	if (!connection || connection->is_opaque)
		return;
	connection->is_used = true;
	connection->pid = made.pid;
	connection->is_guess = ino && event_param_u64(ev, tls_data__is_guess);
	note_socket(requests, connection, ino);
	if (connection->role == request_roles__unknown)
		connection->role = role_of(event->fd);
	if (piece.captured > piece.len)
		piece.captured = piece.len;
	connection_take(connection, &requests->all, &made, piece);
}

static void take_call(struct requests *requests, const struct state_event *event)
{
	const struct requests_call *call = &requests->calls[event->ev.desc->id];

	switch (call->kind) {
	case KIND_NONE:
		return;
	case KIND_THREAD_END:
		datagrams_end_thread(&requests->all, event->ev.tid);
		return;
	case KIND_ACCEPT:
	case KIND_CONNECT:
	case KIND_OPEN:
		take_begin(requests, event, call);
		return;
	case KIND_MADE:
		take_made(requests, event);
		return;
	case KIND_CLOSE:
		take_close(requests, event);
		return;
	case KIND_UNSEEN:
		take_unseen(requests, event);
		return;
	case KIND_SHUTDOWN:
		take_shutdown(requests, call, event);
		return;
	case KIND_PLAINTEXT:
		take_plaintext(requests, event);
		return;
	default:
		take_transfer(requests, call, event);
	}
}

void requests_take(struct requests *requests, const struct state_event *event)
{
	requests->all.state = event->state;
	datagrams_release(&requests->all, event->ev.ts_ns);
	if (!requests->sockets.certain_ns)
		requests->sockets.certain_ns = event->ev.ts_ns;
	/* Its bytes went nowhere. */
	if (event->ev.marks.is_faked)
		return;
	take_call(requests, event);
	if (event->gone_count)
		take_gone(requests, event);
}

void requests_step(struct requests *requests, uint64_t now_ns)
{
	struct exchange *exchange;

	datagrams_release(&requests->all, now_ns);
	sockets_end_closing(&requests->sockets, now_ns);
	while ((exchange = exchanges_due(&requests->all.exchanges, now_ns)))
		connection_time_out(&requests->all, exchange, now_ns);
}

void requests_end(struct requests *requests, uint64_t now_ns)
{
	sockets_end_closing(&requests->sockets, UINT64_MAX);
	while (requests->sockets.hand) {
		connection_give_up(requests->sockets.hand, &requests->all);
		sockets_remove(&requests->sockets, requests->sockets.hand, now_ns, "");
	}
	datagrams_release(&requests->all, UINT64_MAX);
}

/* Whether it is asked for; servers of datagrams are not. */
static bool may_have_real_end(const struct exchange *exchange)
{
	return exchange->role == request_roles__client ||
	       (exchange->role == request_roles__server &&
		exchange->waits != EXCHANGE_OF_DATAGRAMS);
}

static struct translation_ends ends_of(const struct exchange *exchange)
{
	return (struct translation_ends){exchange->tuple, exchange->tuple_len,
					 exchange->role == request_roles__server};
}

static const struct translation *translation_of(const struct requests *requests,
						const struct exchange *exchange)
{
	const struct translation_ends ends = ends_of(exchange);

	return may_have_real_end(exchange)
		       ? translations_find(&requests->all.translations, exchange->ino, &ends)
		       : NULL;
}

static void set_real_end(struct requests *requests, struct exchange *exchange)
{
	const struct translation *translation = translation_of(requests, exchange);
	const struct translation_ends ends = ends_of(exchange);

	if (!translation && may_have_real_end(exchange) &&
	    translations_is_missing(&requests->all.translations, exchange->ino, &ends))
		requests->all.exchanges.stats.untranslated++;
	if (!translation || translation->state != TRANSLATION_KNOWN)
		return;
	exchange->real = translation->real;
	exchange->real_len = translation->address_len;
}

void requests_explain_from(struct requests *requests, uint64_t ns)
{
	requests->why_ns = ns;
}

bool requests_await_answer(const struct requests *requests)
{
	const struct exchange *exchange = requests->all.exchanges.done;
	const struct translation *translation =
		exchange ? translation_of(requests, exchange) : NULL;

	return translation && translation->state == TRANSLATION_ASKED;
}

int requests_want_translations(struct requests *requests, bool wanted)
{
	bool has = requests->all.translations.entries;

	if (wanted && !has)
		return translations_begin(&requests->all.translations);
	if (!wanted && has)
		translations_finish(&requests->all.translations);
	return 0;
}

bool requests_next_question(struct requests *requests, struct requests_question *question)
{
	return translations_next(&requests->all.translations, question);
}

void requests_answer(struct requests *requests, uint32_t id, const struct scap_endpoint *real,
		     uint8_t address_len)
{
	translations_answer(&requests->all.translations, id, real, address_len);
}

const void *requests_next(struct requests *requests, uint32_t *len)
{
	struct exchange *exchange = exchanges_next(&requests->all.exchanges);

	if (!exchange)
		return NULL;
	set_real_end(requests, exchange);
	where_limit(exchange, requests->why_ns, &requests->all.exchanges.stats);
	*len = request_frame_write(exchange, requests->frame);
	exchanges_free(&requests->all.exchanges, exchange);
	return requests->frame;
}

void requests_tell_limits(struct requests *requests)
{
	struct connection *connection = requests->sockets.hand;

	for (uint64_t i = 0; i < requests->all.exchanges.stats.followed; i++) {
		const struct requests_limit limit = {connection->ino, connection->limit};

		if (limit.bytes != REQUESTS_LIMIT_DEFAULT)
			buf_append(&requests->all.limits, &limit, sizeof(limit));
		connection = connection->behind;
	}
}

bool requests_next_limit(struct requests *requests, struct requests_limit *limit)
{
	struct buf *limits = &requests->all.limits;

	if (requests->limits_at >= limits->len) {
		requests->limits_at = 0;
		buf_clear(limits);
		return false;
	}
	memcpy(limit, limits->data + requests->limits_at, sizeof(*limit));
	requests->limits_at += sizeof(*limit);
	return true;
}

void requests_stats(const struct requests *requests, struct requests_stats *stats)
{
	*stats = requests->all.exchanges.stats;
}
