/* SPDX-License-Identifier: MIT */
/* From datagrams to requests. */
#include "requests/datagrams.h"

#include <string.h>

#include "event/address.h"
#include "event/event.h"
#include "requests/connection.h"
#include "requests/pairing.h"
#include "requests/where.h"
#include "util/hash.h"

enum {
	TRIED_MAX = 16, /* datagrams; then a socket is opaque */
	CHAIN_MAX = 64, /* looked at for a request: others could make it as long as they like */
	KEY_SHARED_BITS = 32, /* the lower half of a key; see protocol.h */
	PORT_MULTICAST_DNS = 5353,
	PORT_LLMNR = 5355,
};

/* What a request and its response have in common, beside what may not be known. */
struct meeting {
	uint64_t ino;
	uint32_t key;
	uint32_t asked; /* enum recognition_direction of the request */
};

static uint16_t port_at(const struct datagram *datagram, size_t at)
{
	uint16_t port;

	memcpy(&port, datagram->tuple + at, sizeof(port));
	return port;
}

/* Bytes of one end in a tuple: an address and a port behind it. */
static size_t end_bytes(const struct datagram *datagram)
{
	return (datagram->tuple_len - 1u) / 2;
}

static bool is_of_group(const struct datagram *datagram)
{
	static const uint16_t ports[] = {PORT_MULTICAST_DNS, PORT_LLMNR};
	size_t end = end_bytes(datagram);

	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		if (datagram->tuple && (port_at(datagram, end - 1) == ports[i] ||
					port_at(datagram, 2 * end - 1) == ports[i]))
			return true;
	return false;
}

/*
 * A number of the other end's address; 0: not known, as the caller of a socket that is not
 * connected need not ask for it.
 */
static uint64_t peer_of(const struct connections *all, const struct connection_call *call,
			const struct datagram *datagram)
{
	const struct hash_key *key = &all->key;
	size_t end = end_bytes(datagram), at = 1 + (call->direction == DIRECTION_OUT) * end;
	const union state_ends *ends;
	struct scap_endpoint peer;
	uint8_t plain[sizeof(peer.address) + sizeof(peer.port)];
	size_t address;

	if (datagram->tuple)
		return port_at(datagram, at + end - sizeof(uint16_t))
			       ? hash_sip(key, datagram->tuple + at, end)
			       : 0;
	if (!call->file || !call->file->has_ends)
		return 0;
	ends = state_fd_ends(call->file);
	peer = call->file->role == STATE_ROLE_SERVER ? ends->source : ends->dest;
	address = call->file->type == SCAP_FD_IPV6 ? 16 : 4;
	memcpy(plain, peer.address, address);
	memcpy(plain + address, &peer.port, sizeof(peer.port));
	return hash_sip(key, plain, address + sizeof(peer.port));
}

static uint64_t slot_of(const struct connections *all, const struct connection *connection,
			const struct protocol_message *message, enum recognition_direction asked)
{
	const struct meeting meeting = {.ino = connection->ino,
					.key = (uint32_t)(message->key >> KEY_SHARED_BITS),
					.asked = asked};

	return hash_sip(&all->key, &meeting, sizeof(meeting));
}

static struct exchange **chain_of(struct connections *all, uint64_t slot)
{
	return &all->datagrams.slots[slot & (DATAGRAM_SLOTS - 1)];
}

/* Equal ones stand in the order in which they came. */
static void link_open(struct connection *connection, struct connections *all,
		      struct exchange *exchange)
{
	struct exchange **link = chain_of(all, exchange->slot);

	for (unsigned int n = 0; *link && n < CHAIN_MAX; n++)
		link = &(*link)->chain;
	exchange->chain = *link;
	exchange->link = link;
	if (exchange->chain)
		exchange->chain->link = &exchange->chain;
	*link = exchange;
	exchange->next = NULL;
	exchange->before = connection->queue ? connection->last : NULL;
	*(exchange->before ? &exchange->before->next : &connection->queue) = exchange;
	connection->last = exchange;
	exchange->connection = connection;
	exchange->ino = connection->ino;
}

static void unlink_open(struct connections *all, struct exchange *exchange)
{
	struct connection *connection = exchange->connection;

	*exchange->link = exchange->chain;
	if (exchange->chain)
		exchange->chain->link = exchange->link;
	*(exchange->before ? &exchange->before->next : &connection->queue) = exchange->next;
	*(exchange->next ? &exchange->next->before : &connection->last) = exchange->before;
}

/* A key whose lower half is 0 meets all with the same upper half. */
static bool is_answered_by(const struct exchange *exchange, uint64_t slot, uint64_t peer,
			   uint64_t key)
{
	return exchange->slot == slot && (exchange->key == key || !(uint32_t)key) &&
	       (exchange->peer == peer || !peer || !exchange->peer);
}

static struct exchange *find_open(struct connections *all, uint64_t slot, uint64_t peer,
				  uint64_t key)
{
	struct exchange *exchange = *chain_of(all, slot);

	for (unsigned int n = 0; exchange && n < CHAIN_MAX; n++, exchange = exchange->chain)
		if (is_answered_by(exchange, slot, peer, key))
			return exchange;
	return NULL;
}

static void give_up(struct connections *all, struct exchange *exchange, enum exchange_fate fate)
{
	unlink_open(all, exchange);
	exchanges_give_up(&all->exchanges, exchange, fate);
	exchanges_free(&all->exchanges, exchange);
}

static void end_with(struct connections *all, struct exchange *exchange, uint64_t now_ns,
		     const char *error)
{
	unlink_open(all, exchange);
	exchange->ended_ns = now_ns;
	exchanges_set_error(&all->exchanges, exchange, error);
	exchanges_report(&all->exchanges, exchange);
}

static struct exchange_part part_of(struct connections *all, const struct connection_call *call,
				    enum protocol_side side, const struct datagram *datagram)
{
	struct exchange_part part = {.first_ns = call->ts_ns};

	where_note(&part, &all->exchanges, side, call, datagram->len);
	return part;
}

/* The client's end of a tuple, of a socket of that role. */
static struct datagram_socket socket_of(const struct exchange *exchange)
{
	size_t address = exchange->tuple_len == ADDRESS_TUPLE_IPV6_BYTES ? 16 : 4;
	struct datagram_socket socket = {
		.ino = exchange->ino,
		.is_client = exchange->role == request_roles__client,
		.address = exchange->tuple + 1,
		.address_len = (uint8_t)address,
	};

	if (exchange->tuple_len)
		memcpy(&socket.port, exchange->tuple + 1 + address, sizeof(socket.port));
	return socket;
}

static struct datagram_bytes bytes_of(const struct connection_call *call,
				      const struct datagram *datagram)
{
	return (struct datagram_bytes){.data = datagram->data,
				       .len = datagram->len,
				       .ts_ns = call->ts_ns,
				       .pid = call->pid};
}

static void begin_ends(struct connections *all, const struct connection_call *call,
		       const struct datagram *datagram, struct exchange *exchange)
{
	struct datagram_socket socket = socket_of(exchange);
	struct datagram_bytes bytes = bytes_of(call, datagram);

	exchange->end_number = datagram->captured == datagram->len
				       ? datagram_ends_begin(&all->datagram_ends, &socket, &bytes)
				       : 0;
}

static uint64_t bit_of_thread(int64_t tid)
{
	return UINT64_C(1) << ((uint64_t)tid % 64);
}

/* Takes the next one out of the list of those that are held. `before`: the one before it. */
static void release_held(struct connections *all, struct exchange **link, struct exchange *before)
{
	struct datagrams *datagrams = &all->datagrams;
	struct exchange *exchange = *link;

	*link = exchange->next;
	datagrams->held_count--;
	if (datagrams->held_last == exchange)
		datagrams->held_last = before;
	if (!datagrams->held)
		datagrams->held_tids = 0;
	exchange->peer_pid = datagram_ends_peer(&all->datagram_ends, exchange->end_number);
	exchanges_release(&all->exchanges, exchange);
}

static void hold_answered(struct connections *all, struct exchange *exchange)
{
	struct datagrams *datagrams = &all->datagrams;

	if (datagrams->held_count == DATAGRAMS_HELD_MAX)
		release_held(all, &datagrams->held, NULL);
	datagrams->held_count++;
	exchanges_hold(&all->exchanges, exchange);
	exchange->next = NULL;
	*(datagrams->held ? &datagrams->held_last->next : &datagrams->held) = exchange;
	datagrams->held_last = exchange;
	datagrams->held_tids |= bit_of_thread(exchange->response.tid);
}

/* A server's client is waited for: its call may return later than the server answers. */
static void report_answered(struct connections *all, const struct connection_call *call,
			    const struct datagram *datagram, struct exchange *exchange)
{
	struct datagram_bytes bytes = bytes_of(call, datagram);

	if (datagram->captured == datagram->len)
		datagram_ends_answer(&all->datagram_ends, exchange->end_number, &bytes);
	exchange->peer_pid = datagram_ends_peer(&all->datagram_ends, exchange->end_number);
	if (exchange->peer_pid || !exchange->end_number || exchange->role == request_roles__client)
		exchanges_report(&all->exchanges, exchange);
	else
		hold_answered(all, exchange);
}

void datagrams_release(struct connections *all, uint64_t now_ns)
{
	const uint64_t slack_ns = DATAGRAM_ENDS_SLACK_MS * UINT64_C(1000000);
	struct datagrams *datagrams = &all->datagrams;

	while (datagrams->held && datagrams->held->ended_ns + slack_ns <= now_ns)
		release_held(all, &datagrams->held, NULL);
}

/* What a thread has answered, and on a socket; 0: any. */
static void release_those(struct connections *all, int64_t tid, uint64_t ino)
{
	struct exchange **link = &all->datagrams.held, *before = NULL;

	while (*link) {
		if ((!tid || (*link)->response.tid == tid) && (!ino || (*link)->ino == ino)) {
			release_held(all, link, before);
			continue;
		}
		before = *link;
		link = &before->next;
	}
}

void datagrams_end_thread(struct connections *all, int64_t tid)
{
	if (all->datagrams.held_tids & bit_of_thread(tid))
		release_those(all, tid, 0);
}

static void take_query(struct connection *connection, struct connections *all,
		       const struct connection_call *call, const struct datagram *datagram)
{
	struct exchange_queue *queue = &all->exchanges.waiting[EXCHANGE_OF_DATAGRAMS];
	struct exchange *exchange;

	if (queue->count >= DATAGRAMS_OPEN_MAX)
		give_up(all, queue->oldest, EXCHANGE_LOST);
	exchange = exchanges_begin(&all->exchanges, EXCHANGE_OF_DATAGRAMS,
				   connection->protocol->number, call->ts_ns);
	exchange->role =
		call->direction == DIRECTION_IN ? request_roles__server : request_roles__client;
	exchange->request = part_of(all, call, PROTOCOL_REQUESTS, datagram);
	exchange->is_whole = true;
	if (datagram->tuple) {
		memcpy(exchange->tuple, datagram->tuple, datagram->tuple_len);
		exchange->tuple_len = datagram->tuple_len;
	} else {
		exchange->tuple_len = pairing_ends(call->file, exchange->tuple);
	}
	/* To ask for each client of a server would be to ask for each datagram. */
	if (exchange->role == request_roles__client)
		translations_ask(
			&all->translations,
			&(struct translation_socket){
				.ino = connection->ino, .pid = call->pid, .l4 = SCAP_L4_UDP},
			&(struct translation_ends){exchange->tuple, exchange->tuple_len, false},
			call->ts_ns);
	exchange->peer = peer_of(all, call, datagram);
	exchange->slot = slot_of(all, connection, exchange->message.open, call->direction);
	link_open(connection, all, exchange);
	begin_ends(all, call, datagram, exchange);
}

/* The request of one that nobody knows was before the capture, or is lost. */
static void take_answer(struct connection *connection, struct connections *all,
			const struct connection_call *call, const struct datagram *datagram)
{
	struct exchange_answer *answer = all->exchanges.blank_answer;
	const struct protocol_message *message = answer->message.open;
	uint64_t slot = slot_of(all, connection, message, !call->direction);
	struct exchange *exchange =
		find_open(all, slot, peer_of(all, call, datagram), message->key);

	if (!exchange) {
		exchanges_count_stray(&all->exchanges, connection->protocol->number,
				      EXCHANGE_UNKNOWN);
		return;
	}
	answer->part = part_of(all, call, PROTOCOL_RESPONSES, datagram);
	pairing_set_response(all, exchange, answer);
	unlink_open(all, exchange);
	report_answered(all, call, datagram, exchange);
}

/* Takes it as one of that side. Returns false if it is none, or there is no room. */
static bool take_side(struct connection *connection, struct connections *all,
		      const struct connection_call *call, const struct datagram *datagram,
		      enum protocol_side side)
{
	const struct protocol_input input = {datagram->data, datagram->captured,
					     datagram->captured < datagram->len};
	uint64_t state[PROTOCOL_STATE_BYTES / sizeof(uint64_t)] = {0};
	struct protocol_message *message;
	struct exchange_answer *answer;
	struct exchange *exchange;
	struct protocol_step step;

	if (side == PROTOCOL_REQUESTS) {
		exchange = exchanges_blank(&all->exchanges);
		message = exchange ? exchange->message.open : NULL;
	} else {
		answer = exchanges_blank_answer(&all->exchanges);
		message = answer ? answer->message.open : NULL;
	}
	if (!message) {
		all->exchanges.stats.no_room++;
		return false;
	}
	step = connection->protocol->step(side, state, &input, message, NULL);
	if (step.action == PROTOCOL_LOST || !step.begins)
		return false;
	if (side == PROTOCOL_REQUESTS)
		take_query(connection, all, call, datagram);
	else
		take_answer(connection, all, call, datagram);
	return true;
}

/* Returns whether the protocol of the socket is known. */
static bool recognise_datagram(struct connection *connection, struct connections *all,
			       const struct datagram *datagram)
{
	const struct protocol_input input = {datagram->data, datagram->captured,
					     datagram->captured < datagram->len};

	for (size_t i = 0; !connection->protocol && protocols_of_datagrams[i]; i++)
		for (unsigned int side = 0; side < PROTOCOL_SIDES; side++)
			if (protocols_of_datagrams[i]->recognise(side, &input) == PROTOCOL_YES)
				connection->protocol = protocols_of_datagrams[i];
	if (connection->protocol) {
		all->exchanges.stats.recognised++;
		return true;
	}
	if (++connection->pieces > TRIED_MAX) {
		connection->is_opaque = true;
		all->exchanges.stats.opaque++;
	}
	return false;
}

void datagrams_take(struct connection *connection, struct connections *all,
		    const struct connection_call *call, const struct datagram *datagram)
{
	if (connection->is_opaque || is_of_group(datagram) || !datagram->captured)
		return;
	if (!connection->protocol && !recognise_datagram(connection, all, datagram))
		return;
	if (take_side(connection, all, call, datagram, PROTOCOL_REQUESTS) ||
	    take_side(connection, all, call, datagram, PROTOCOL_RESPONSES) ||
	    datagram->captured == datagram->len)
		return;
	/* What is not whole may have been one. */
	exchanges_count_stray(&all->exchanges, connection->protocol->number, EXCHANGE_LOST);
}

void datagrams_close(struct connection *connection, struct connections *all, uint64_t now_ns,
		     const char *error)
{
	while (connection->queue)
		end_with(all, connection->queue, now_ns, error);
	/* The numbers of its descriptors may soon be those of other files. */
	release_those(all, 0, connection->ino);
}

void datagrams_give_up(struct connection *connection, struct connections *all,
		       enum exchange_fate fate)
{
	while (connection->queue)
		give_up(all, connection->queue, fate);
}

void datagrams_time_out(struct connections *all, struct exchange *exchange, uint64_t now_ns)
{
	end_with(all, exchange, now_ns, "timeout");
}
