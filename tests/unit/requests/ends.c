/* SPDX-License-Identifier: MIT */
/* Both ends of connections on one machine: which process each request names. */
#include "requests/ends.h"

#include <stdio.h>
#include <string.h>

#include "drive.h"
#include "unit.h"

enum { SERVER = 100, CLIENT = 200, FD = 5, SERVER_INO = 1000, CLIENT_INO = 2000, OTHERS = 10 };

/* Processes whose sockets talk HTTP: SERVER + n with CLIENT + n, by inode numbers likewise. */
struct scene {
	struct drive drive;
	struct requests *requests;
	struct event event;
};

/* A connection: its addresses, as each end has them, and where its directions are. */
struct wire {
	int number, worker; /* the server process that moves bytes: so many behind its own */
	struct frame_tuple client_sees, server_sees;
	uint32_t asked, answered; /* sequence numbers of both directions */
	uint64_t unix_client, unix_server; /* not 0: a unix socket, in place of the addresses */
	bool has_no_places;
};

static const struct frame_tuple usual = {"127.0.0.1", "127.0.0.1", 40000, 80};

static int ends_setup(void **state)
{
	static const struct requests_config config;
	static struct scene scene;

	memset(&scene, 0, sizeof(scene));
	drive_create(&scene.drive, NULL);
	assert_int_equal(requests_create(&config, &scene.requests), 0);
	for (int i = 0; i < OTHERS; i++) {
		drive_exec(&scene.drive, SERVER + i, "server");
		drive_exec(&scene.drive, CLIENT + i, "client");
	}
	requests_take(scene.requests, drive_any(&scene.drive, SERVER));
	/* What is older than the agent is long ago. */
	scene.drive.ts_ns += UINT64_C(20000000000);
	*state = &scene;
	return 0;
}

static int ends_teardown(void **state)
{
	struct scene *scene = *state;

	requests_destroy(scene->requests);
	drive_destroy(&scene->drive);
	return 0;
}

static void take(struct scene *scene, uint64_t ino)
{
	struct scap_event raw;

	scene->drive.frame.file.ino = ino;
	raw = frame_end(&scene->drive.frame);
	assert_int_equal(state_process(scene->drive.state, &raw, &scene->drive.event), 0);
	requests_take(scene->requests, &scene->drive.event);
}

static void put_ends(struct frame *frame, unsigned int param, const struct wire *wire,
		     bool is_client)
{
	if (!wire->unix_client)
		frame_put_tuple(frame, param, is_client ? &wire->client_sees : &wire->server_sees);
	else
		frame_put_unix_tuple(frame, param, wire->unix_client, wire->unix_server, "/s");
}

static void connects(struct scene *scene, const struct wire *wire, int64_t result)
{
	struct frame *frame = drive_begin(&scene->drive, EVENT_socket, CLIENT + wire->number);

	frame_put_i64(frame, socket__fd, FD);
	frame_put_i64(frame, socket__domain,
		      wire->unix_client ? socket_families__AF_UNIX : socket_families__AF_INET);
	frame_put_i64(frame, socket__type, 1);
	frame_put_i64(frame, socket__proto, wire->unix_client ? 0 : 6);
	take(scene, (uint64_t)CLIENT_INO + wire->number);
	frame = drive_begin(&scene->drive, EVENT_connect, CLIENT + wire->number);
	frame_put_i64(frame, connect__res, result);
	frame_put_i64(frame, connect__fd, FD);
	put_ends(frame, connect__tuple, wire, true);
	frame->stream = (struct frame_stream){.end = wire->asked,
					      .other = result ? 0 : wire->answered,
					      .is_known = !wire->unix_client};
	take(scene, (uint64_t)CLIENT_INO + wire->number);
}

static void accepts(struct scene *scene, const struct wire *wire)
{
	struct frame *frame = drive_begin(&scene->drive, EVENT_accept4, SERVER + wire->number);

	frame_put_i64(frame, accept4__fd, FD);
	put_ends(frame, accept4__tuple, wire, false);
	frame->stream = (struct frame_stream){
		.end = wire->answered, .other = wire->asked, .is_known = !wire->unix_client};
	take(scene, (uint64_t)SERVER_INO + wire->number);
}

static void moves(struct scene *scene, const struct wire *wire, bool is_client, bool is_request,
		  const char *text)
{
	bool is_read = is_client != is_request;
	int64_t tid = (is_client ? CLIENT : SERVER + wire->worker) + wire->number;
	uint64_t ino = (uint64_t)(is_client ? CLIENT_INO : SERVER_INO) + (uint64_t)wire->number;
	struct frame *frame =
		drive_begin(&scene->drive, is_read ? EVENT_recvfrom : EVENT_sendto, tid);

	frame_put_i64(frame, is_read ? recvfrom__res : sendto__res, (int64_t)strlen(text));
	frame_put_i64(frame, is_read ? recvfrom__fd : sendto__fd, FD);
	frame_put_bytes(frame, is_read ? recvfrom__data : sendto__data, text, strlen(text));
	frame->stream.is_known = !wire->unix_client && !wire->has_no_places;
	frame->stream.end = is_request ? wire->asked : wire->answered;
	frame->stream.other = is_request ? wire->answered : wire->asked;
	take(scene, ino);
}

static const char ask[] = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
static const char answer[] = "HTTP/1.1 204 No Content\r\n\r\n";

static void client_asks(struct scene *scene, struct wire *wire)
{
	wire->asked += (uint32_t)strlen(ask);
	moves(scene, wire, true, true, ask);
}

static void server_answers(struct scene *scene, struct wire *wire)
{
	moves(scene, wire, false, true, ask);
	wire->answered += (uint32_t)strlen(answer);
	moves(scene, wire, false, false, answer);
}

static void client_reads(struct scene *scene, const struct wire *wire)
{
	moves(scene, wire, true, false, answer);
}

static void exchange(struct scene *scene, struct wire *wire)
{
	client_asks(scene, wire);
	server_answers(scene, wire);
	client_reads(scene, wire);
}

/* Of the next request, its thread and its peer; 0: none. */
static void expect(struct scene *scene, int64_t tid, int64_t peer)
{
	uint32_t len;
	const void *frame = requests_next(scene->requests, &len);

	assert_non_null(frame);
	assert_int_equal(event_decode(frame, len, 0, &scene->event), 0);
	assert_int_equal(scene->event.tid, tid);
	assert_int_equal(event_param_present(&scene->event, request__peer), peer != 0);
	if (peer)
		assert_int_equal(event_param_i64(&scene->event, request__peer), peer);
}

static struct wire wire_of(int number)
{
	return (struct wire){.number = number,
			     .client_sees = usual,
			     .server_sees = usual,
			     .asked = 5000 + (uint32_t)number * 100000,
			     .answered = UINT32_MAX - 9 + (uint32_t)number * 7777};
}

static void names_both_ends(void **state)
{
	struct wire wire = wire_of(0);

	connects(*state, &wire, 0);
	accepts(*state, &wire);
	for (int i = 0; i < 3; i++) {
		exchange(*state, &wire);
		expect(*state, SERVER, CLIENT);
		expect(*state, CLIENT, SERVER);
	}
}

/* The answer's event comes before that of the call that asked: its begin was seen all the same. */
static void knows_who_asks_before_he_has(void **state)
{
	struct wire wire = wire_of(0);

	connects(*state, &wire, 0);
	accepts(*state, &wire);
	wire.asked += (uint32_t)strlen(ask);
	server_answers(*state, &wire);
	expect(*state, SERVER, CLIENT);
	moves(*state, &wire, true, true, ask);
	client_reads(*state, &wire);
	expect(*state, CLIENT, SERVER);
}

/* A connect that goes on does not know yet where the peer begins: the first call does. */
static void learns_the_begin_later(void **state)
{
	struct wire wire = wire_of(0);

	connects(*state, &wire, -115);
	accepts(*state, &wire);
	exchange(*state, &wire);
	expect(*state, SERVER, CLIENT);
	expect(*state, CLIENT, SERVER);
}

/* Whoever translates addresses leaves the sequence numbers. */
static void sees_through_translation(void **state)
{
	struct wire wire = wire_of(0);

	wire.client_sees = (struct frame_tuple){"10.1.0.2", "10.96.0.1", 40000, 80};
	wire.server_sees = (struct frame_tuple){"10.1.0.1", "10.1.0.9", 51000, 8080};
	connects(*state, &wire, 0);
	accepts(*state, &wire);
	exchange(*state, &wire);
	expect(*state, SERVER, CLIENT);
	expect(*state, CLIENT, SERVER);
}

/* The same addresses in several network namespaces, at once. */
static void tells_namespaces_apart(void **state)
{
	struct wire wires[OTHERS];

	for (int i = 0; i < OTHERS; i++) {
		wires[i] = wire_of(i);
		connects(*state, &wires[i], 0);
		accepts(*state, &wires[i]);
	}
	for (int i = 0; i < OTHERS; i++) {
		exchange(*state, &wires[i]);
		expect(*state, SERVER + i, CLIENT + i);
		expect(*state, CLIENT + i, SERVER + i);
	}
}

/* Of one the server was seen, of another one the client. */
static void joins_no_strangers(void **state)
{
	struct wire one = wire_of(0), other = wire_of(1);

	connects(*state, &one, 0);
	accepts(*state, &other);
	client_asks(*state, &one);
	one.answered += (uint32_t)strlen(answer);
	client_reads(*state, &one);
	expect(*state, CLIENT, 0);
	other.asked += (uint32_t)strlen(ask);
	server_answers(*state, &other);
	expect(*state, SERVER + 1, 0);
}

/* Two connections cannot be told apart: none is named. */
static void guesses_nothing(void **state)
{
	struct wire one = wire_of(0), other = wire_of(0);

	other.number = 1;
	connects(*state, &one, 0);
	connects(*state, &other, 0);
	accepts(*state, &one);
	exchange(*state, &one);
	expect(*state, SERVER, 0);
	expect(*state, CLIENT, 0);
}

/* Who chooses where his connections begin: theirs are left out, and those of others are not. */
static void has_no_room_for_many_alike(void **state)
{
	struct wire others = wire_of(0), own = wire_of(0);

	own.number = 1;
	own.asked += 7;
	own.answered += 7;
	for (int i = 0; i < 1000; i++) {
		others.number = OTHERS + i;
		others.asked = (uint32_t)i;
		others.answered = ~(uint32_t)i;
		connects(*state, &others, 0);
	}
	others.number = 2;
	accepts(*state, &others);
	others.number = OTHERS + 999;
	client_asks(*state, &others);
	others.answered += (uint32_t)strlen(answer);
	client_reads(*state, &others);
	expect(*state, CLIENT + OTHERS + 999, 0);
	connects(*state, &own, 0);
	accepts(*state, &own);
	exchange(*state, &own);
	expect(*state, SERVER + 1, CLIENT + 1);
	expect(*state, CLIENT + 1, SERVER + 1);
}

/* Sockets that are older than the agent: known by a message that showed their ends. */
static void open_before(struct scene *scene, const struct wire *wire)
{
	static const struct requests_config config;
	struct requests *before = scene->requests;

	/* The state sees them, the requests do not. */
	assert_int_equal(requests_create(&config, &scene->requests), 0);
	connects(scene, wire, 0);
	accepts(scene, wire);
	requests_destroy(scene->requests);
	scene->requests = before;
}

static void finds_ends_of_old_connections(void **state)
{
	struct wire wires[2] = {wire_of(0), wire_of(1)};

	open_before(*state, &wires[0]);
	open_before(*state, &wires[1]);
	for (int i = 0; i < 2; i++) {
		exchange(*state, &wires[i]);
		/* The client has not said yet where its direction is. */
		expect(*state, SERVER + i, CLIENT + i);
		expect(*state, CLIENT + i, SERVER + i);
	}
}

/* The same addresses, and of each only one end is seen. */
static void joins_no_old_strangers(void **state)
{
	struct wire one = wire_of(0), other = wire_of(1);

	open_before(*state, &one);
	open_before(*state, &other);
	for (int i = 0; i < 20; i++) {
		client_asks(*state, &one);
		one.answered += (uint32_t)strlen(answer);
		client_reads(*state, &one);
		expect(*state, CLIENT, 0);
		other.asked += (uint32_t)strlen(ask);
		server_answers(*state, &other);
		expect(*state, SERVER + 1, 0);
	}
}

/* Nothing tells where in a stream their calls are. */
static void joins_no_old_ends_without_places(void **state)
{
	struct wire wire = wire_of(0);

	open_before(*state, &wire);
	wire.has_no_places = true;
	exchange(*state, &wire);
	expect(*state, SERVER, 0);
	expect(*state, CLIENT, 0);
}

static void finds_unix_sockets(void **state)
{
	struct wire wires[2] = {wire_of(0), wire_of(1)};

	for (uint64_t i = 0; i < 2; i++) {
		wires[i].unix_client = 0xffff888000001000 + i;
		wires[i].unix_server = 0xffff888000002000 + i;
		connects(*state, &wires[i], 0);
		accepts(*state, &wires[i]);
	}
	for (int i = 0; i < 2; i++) {
		exchange(*state, &wires[i]);
		expect(*state, SERVER + i, CLIENT + i);
		expect(*state, CLIENT + i, SERVER + i);
	}
}

static void closes(struct scene *scene, int64_t tid, uint64_t ino)
{
	struct frame *frame = drive_begin(&scene->drive, EVENT_close, tid);

	frame_put_i64(frame, close__res, 0);
	frame_put_i64(frame, close__fd, FD);
	take(scene, ino);
}

/* The client reads what the server sent before it closed. */
static void remembers_who_is_gone(void **state)
{
	struct wire wire = wire_of(0);

	connects(*state, &wire, 0);
	accepts(*state, &wire);
	client_asks(*state, &wire);
	server_answers(*state, &wire);
	expect(*state, SERVER, CLIENT);
	closes(*state, SERVER, SERVER_INO);
	client_reads(*state, &wire);
	expect(*state, CLIENT, SERVER);
}

/* The process that answers need not be the one that accepted. */
static void names_who_moves_bytes(void **state)
{
	struct wire wire = wire_of(0);

	connects(*state, &wire, 0);
	accepts(*state, &wire);
	wire.worker = 3;
	exchange(*state, &wire);
	expect(*state, SERVER + 3, CLIENT);
	expect(*state, CLIENT, SERVER + 3);
}

/* A server forks for each connection, closes its own descriptor, and the other one answers. */
static void knows_servers_that_fork(void **state)
{
	const struct drive_clone child = {.pid = SERVER + 3, .ptid = SERVER, .comm = "server"};
	struct wire wire = wire_of(0);
	struct scene *scene = *state;

	connects(scene, &wire, 0);
	accepts(scene, &wire);
	drive_clone(&scene->drive, SERVER + 3, 0, &child);
	closes(scene, SERVER, SERVER_INO);
	wire.worker = 3;
	client_asks(scene, &wire);
	server_answers(scene, &wire);
	expect(scene, SERVER + 3, CLIENT);
	/* It ends before the client reads: known is who accepted. */
	drive_exit(&scene->drive, SERVER + 3, 1);
	client_reads(scene, &wire);
	expect(scene, CLIENT, SERVER);
}

/* Nobody saw that their processes ended. */
static void knows_addresses_again(void **state)
{
	for (int i = 0; i < 3; i++) {
		struct wire wire = wire_of(i);

		wire.unix_client = 0xffff888000001000;
		wire.unix_server = 0xffff888000002000;
		connects(*state, &wire, 0);
		accepts(*state, &wire);
		exchange(*state, &wire);
		expect(*state, SERVER + i, CLIENT + i);
		expect(*state, CLIENT + i, SERVER + i);
	}
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, ends_setup, ends_teardown)
	TEST(names_both_ends),	       TEST(knows_who_asks_before_he_has),
	TEST(learns_the_begin_later),  TEST(sees_through_translation),
	TEST(tells_namespaces_apart),  TEST(joins_no_strangers),
	TEST(guesses_nothing),	       TEST(finds_ends_of_old_connections),
	TEST(joins_no_old_strangers),  TEST(joins_no_old_ends_without_places),
	TEST(finds_unix_sockets),      TEST(remembers_who_is_gone),
	TEST(names_who_moves_bytes),   TEST(has_no_room_for_many_alike),
	TEST(knows_servers_that_fork), TEST(knows_addresses_again),
};

UNIT_GROUP(tests);
