/* SPDX-License-Identifier: MIT */
/* Requests in datagrams: which response is whose, whoever asks; and those that have none. */
#include "requests/datagrams.h"
#include "requests/datagram_ends.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "talked.h"
#include "unit.h"

enum { PEER = 53, OTHER_PEER = 54, QUERY_BYTES_MAX = 64 };

static int setup(void **state)
{
	static struct talked talked;

	talked_begin(&talked, NULL);
	talked_open_datagrams(&talked);
	*state = &talked;
	return 0;
}

#define A 1
#define AAAA 28
#define NXDOMAIN 3

/* A message about a name of one label. Returns its bytes. */
static size_t write_message(uint8_t out[QUERY_BYTES_MAX], uint16_t id, const char *name,
			    uint8_t type, int code)
{
	size_t len = strlen(name);
	const uint8_t header[12] = {(uint8_t)(id >> 8),		  (uint8_t)id, code < 0 ? 1 : 0x81,
				    code < 0 ? 0 : (uint8_t)code, 0,	       1};
	const uint8_t end[] = {0, 0, type, 0, 1};

	memcpy(out, header, sizeof(header));
	out[12] = (uint8_t)len;
	memcpy(out + 13, name, len);
	memcpy(out + 13 + len, end, sizeof(end));
	return 13 + len + sizeof(end);
}

static void say(struct talked *talked, enum recognition_direction direction, uint16_t peer,
		uint16_t id, const char *name, uint8_t type, int code)
{
	uint8_t message[QUERY_BYTES_MAX];
	size_t len = write_message(message, id, name, type, code);

	talked_datagram(talked, direction, peer, message, len, len);
}

/* A server's requests are given out: it is known by then whether their clients are here. */
static void pass_slack(struct talked *talked)
{
	requests_step(talked->requests,
		      talked->drive.ts_ns + DATAGRAM_ENDS_SLACK_MS * UINT64_C(1000000));
}

static const struct event *next_of_server(struct talked *talked)
{
	assert_null(talked_next(talked));
	pass_slack(talked);
	return talked_next(talked);
}

/* At the client. */
static void ask(struct talked *talked, uint16_t id, const char *name, uint8_t type)
{
	say(talked, DIRECTION_OUT, PEER, id, name, type, -1);
}

static void answer(struct talked *talked, uint16_t id, const char *name, uint8_t type, int code)
{
	say(talked, DIRECTION_IN, PEER, id, name, type, code);
}

static struct requests_protocol_stats account_of(const struct talked *talked)
{
	return talked_account(talked, request_protocols__dns);
}

static void gives_a_frame(void **state)
{
	static const uint8_t tuple[] = {2, 10, 0, 0, 1, 53, 0, 10, 0, 0, 2, 53, 0};
	struct talked *talked = *state;
	const struct event *event;

	ask(talked, 7, "name", A);
	answer(talked, 7, "name", A, 0);
	event = talked_next(talked);
	assert_non_null(event);
	assert_int_equal(event_param_i64(event, request__protocol), request_protocols__dns);
	assert_int_equal(event_param_i64(event, request__role), request_roles__client);
	assert_int_equal(event_param_i64(event, request__fd), TALKED_FD);
	assert_int_equal(event_param_i64(event, request__status), 0);
	assert_int_equal(event_param_i64(event, request__request_size), 22);
	assert_int_equal(event_param_i64(event, request__response_size), 22);
	assert_int_equal(event_param_i64(event, request__send_time), 0);
	assert_int_equal(event_param_i64(event, request__total_time), 1000);
	assert_int_equal(event->params[request__tuple].len, sizeof(tuple));
	assert_memory_equal(event->params[request__tuple].data, tuple, sizeof(tuple));
}

static void tells_both_types_of_a_look_up(void **state)
{
	struct talked *talked = *state;

	/* Also if both have the same number. */
	for (uint16_t id = 0; id < 2; id++) {
		ask(talked, 0, "name", A);
		ask(talked, id, "name", AAAA);
		answer(talked, id, "name", AAAA, NXDOMAIN);
		answer(talked, 0, "name", A, 0);
		assert_line(talked, "AAAA name 3 NXDOMAIN");
		assert_line(talked, "A name 0 -");
	}
	assert_line(talked, "none");
}

/* However many a server answers, so many wait for their clients; what it closes waits no longer. */
static void holds_so_many_answers(void **state)
{
	enum { MORE = 3 };
	struct talked *talked = *state;

	for (uint16_t id = 0; id < DATAGRAMS_HELD_MAX + MORE; id++) {
		say(talked, DIRECTION_IN, 1000, id, "name", A, -1);
		say(talked, DIRECTION_OUT, 1000, id, "name", A, 0);
	}
	for (int i = 0; i < MORE; i++)
		assert_non_null(talked_next(talked));
	assert_null(talked_next(talked));
	talked_close(talked);
	for (int i = 0; i < DATAGRAMS_HELD_MAX; i++)
		assert_non_null(talked_next(talked));
	assert_null(talked_next(talked));
}

static void tells_peers(void **state)
{
	struct talked *talked = *state;
	const struct event *event;

	for (uint16_t peer = 1000; peer < 1003; peer++)
		say(talked, DIRECTION_IN, peer, 5, "name", A, -1);
	for (uint16_t peer = 1002; peer >= 1000; peer--) {
		say(talked, DIRECTION_OUT, peer, 5, "name", A, 0);
		event = next_of_server(talked);
		assert_non_null(event);
		assert_int_equal(event_param_i64(event, request__role), request_roles__server);
		assert_memory_equal(event->params[request__tuple].data + 5, &peer, sizeof(peer));
	}
}

/* Who reads from a socket that is not connected need not ask where it is from. */
static void knows_no_peer(void **state)
{
	struct talked *talked = *state;

	say(talked, DIRECTION_OUT, OTHER_PEER, 5, "other", A, -1);
	ask(talked, 5, "name", A);
	say(talked, DIRECTION_IN, 0, 5, "name", A, 0);
	assert_line(talked, "A name 0 -");
	say(talked, DIRECTION_IN, 0, 5, "other", A, 0);
	assert_line(talked, "A other 0 -");
	assert_line(talked, "none");
}

static void asks_and_answers_on_one_socket(void **state)
{
	struct talked *talked = *state;

	ask(talked, 5, "name", A);
	say(talked, DIRECTION_IN, PEER, 5, "name", A, -1);
	say(talked, DIRECTION_OUT, PEER, 5, "name", A, NXDOMAIN);
	answer(talked, 5, "name", A, 0);
	assert_line(talked, "A name 0 -");
	/* Its client may be on this machine, and is waited for. */
	assert_line(talked, "none");
	pass_slack(talked);
	assert_line(talked, "A name 3 NXDOMAIN");
	assert_line(talked, "none");
}

/* Of a server that ends at once it is known who it was. */
static void gives_out_when_its_thread_ends(void **state)
{
	struct talked *talked = *state;

	say(talked, DIRECTION_IN, PEER, 5, "name", A, -1);
	say(talked, DIRECTION_OUT, PEER, 5, "name", A, 0);
	say(talked, DIRECTION_IN, PEER, 6, "other", A, -1);
	say(talked, DIRECTION_OUT, PEER, 6, "other", A, 0);
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, request_protocols__dns).open, 2);
	talked_end(talked);
	assert_line(talked, "A name 0 -");
	assert_line(talked, "A other 0 -");
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, request_protocols__dns).open, 0);
}

static void has_many_open(void **state)
{
	struct talked *talked = *state;
	char name[16], line[32];

	for (uint16_t i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		ask(talked, i % 100, name, A);
	}
	for (uint16_t n = 0; n < 500; n++) {
		uint16_t i = (uint16_t)(n * 137 % 500);

		snprintf(name, sizeof(name), "n%u", i);
		snprintf(line, sizeof(line), "A n%u 0 -", i);
		answer(talked, i % 100, name, A, 0);
		assert_line(talked, line);
	}
	assert_int_equal(account_of(talked).unknown, 0);
}

/* Each query is a request, and the oldest one has the first response. */
static void asks_again(void **state)
{
	struct talked *talked = *state;

	ask(talked, 5, "name", A);
	ask(talked, 5, "name", A);
	answer(talked, 5, "name", A, 0);
	assert_int_equal(event_param_i64(talked_next(talked), request__total_time), 2000);
	answer(talked, 5, "name", A, 0);
	assert_int_equal(event_param_i64(talked_next(talked), request__total_time), 2000);
	ask(talked, 5, "name", A);
	answer(talked, 5, "name", A, 0);
	assert_int_equal(event_param_i64(talked_next(talked), request__total_time), 1000);
	assert_int_equal(account_of(talked).reported, 3);
}

static void says_why_there_is_no_response(void **state)
{
	struct talked *talked = *state;

	ask(talked, 5, "late", A);
	requests_step(talked->requests, talked->drive.ts_ns + REQUESTS_DATAGRAM_TIMEOUT_NS - 2000);
	assert_line(talked, "none");
	requests_step(talked->requests, talked->drive.ts_ns + REQUESTS_DATAGRAM_TIMEOUT_NS);
	assert_line(talked, "A late - timeout");
	answer(talked, 5, "late", A, 0);
	assert_line(talked, "none");
	assert_int_equal(account_of(talked).unknown, 1);
	ask(talked, 5, "nobody", A);
	talked_result(talked, DIRECTION_IN, -ECONNREFUSED);
	assert_line(talked, "A nobody - refused");
	ask(talked, 5, "closed", A);
	/* A datagram of no bytes is no end. */
	talked_result(talked, DIRECTION_IN, 0);
	assert_line(talked, "none");
	talked_close(talked);
	assert_line(talked, "A closed - closed");
	talked_open_datagrams(talked);
	ask(talked, 5, "end", A);
	requests_end(talked->requests, talked->drive.ts_ns);
	assert_line(talked, "none");
	assert_int_equal(account_of(talked).unknown, 2);
	assert_int_equal(account_of(talked).open, 0);
}

static void leaves_out_what_goes_to_groups(void **state)
{
	struct talked *talked = *state;

	ask(talked, 5, "name", A);
	answer(talked, 5, "name", A, 0);
	assert_line(talked, "A name 0 -");
	for (unsigned int i = 0; i < 2; i++) {
		uint16_t port = i ? 5355 : 5353;

		say(talked, DIRECTION_OUT, port, 0, "name", A, -1);
		say(talked, DIRECTION_IN, port, 0, "name", A, 0);
	}
	assert_line(talked, "none");
	assert_int_equal(account_of(talked).seen, 1);
}

/* Some servers do not say what they did not understand. */
static void has_a_response_without_question(void **state)
{
	static const uint8_t formerr[12] = {0, 5, 0x81, 1};
	struct talked *talked = *state;

	ask(talked, 4, "other", A);
	ask(talked, 5, "name", A);
	talked_datagram(talked, DIRECTION_IN, PEER, formerr, sizeof(formerr), sizeof(formerr));
	assert_line(talked, "A name 1 FORMERR");
}

static void says_what_is_lost(void **state)
{
	struct talked *talked = *state;
	uint8_t message[QUERY_BYTES_MAX];
	size_t len = write_message(message, 5, "name", A, -1);

	ask(talked, 1, "known", A);
	answer(talked, 1, "known", A, 0);
	assert_line(talked, "A known 0 -");
	for (size_t captured = 1; captured <= len; captured++) {
		struct requests_protocol_stats before = account_of(talked);

		/* What is behind the question does not matter. */
		talked_datagram(talked, DIRECTION_OUT, PEER, message, len + 100, captured);
		assert_int_equal(account_of(talked).lost - before.lost, captured < len);
		assert_int_equal(account_of(talked).open, captured == len);
	}
	answer(talked, 5, "name", A, 0);
	assert_line(talked, "A name 0 -");
	/* Of what is whole, and none, nothing is lost. */
	for (size_t n = 1; n < len; n++) {
		talked_datagram(talked, DIRECTION_OUT, PEER, message, n, n);
		assert_int_equal(account_of(talked).seen, 2 + len - 1);
	}
}

static void looks_only_once(void **state)
{
	struct talked *talked = *state;

	ask(talked, 5, "name", A);
	talked->is_peek = true;
	answer(talked, 5, "name", A, 0);
	talked->is_peek = false;
	assert_line(talked, "none");
	answer(talked, 5, "name", A, 0);
	assert_line(talked, "A name 0 -");
}

static void gives_up_what_is_no_request(void **state)
{
	struct talked *talked = *state;
	struct requests_limit limit;
	struct requests_stats stats;

	for (int i = 0; i < 16; i++)
		talked_datagram(talked, DIRECTION_OUT, PEER, "noise", 5, 5);
	assert_false(requests_next_limit(talked->requests, &limit));
	talked_datagram(talked, DIRECTION_OUT, PEER, "noise", 5, 5);
	assert_true(requests_next_limit(talked->requests, &limit));
	assert_int_equal(limit.bytes, 0);
	ask(talked, 5, "name", A);
	requests_stats(talked->requests, &stats);
	assert_int_equal(stats.opaque, 1);
	assert_int_equal(account_of(talked).seen, 0);
}

/* Of a socket that may ask and answer, only if neither is wanted. */
static void leaves_out_what_nobody_wants(void **state)
{
	static const struct requests_unwanted servers = {.by_role = {[request_roles__server] =
									     UINT32_MAX}},
					      all = {.by_role = {
							     [request_roles__unknown] = UINT32_MAX,
							     [request_roles__client] = UINT32_MAX,
							     [request_roles__server] = UINT32_MAX}};
	struct talked *talked = *state;
	struct requests_limit limit;
	struct requests_stats stats;

	requests_leave_out(talked->requests, &servers);
	ask(talked, 5, "name", A);
	answer(talked, 5, "name", A, 0);
	assert_line(talked, "A name 0 -");
	ask(talked, 6, "name", A);
	assert_false(requests_next_limit(talked->requests, &limit));
	requests_leave_out(talked->requests, &all);
	ask(talked, 7, "name", A);
	answer(talked, 7, "name", A, 0);
	assert_line(talked, "none");
	assert_true(requests_next_limit(talked->requests, &limit));
	assert_int_equal(limit.bytes, 0);
	assert_int_equal(account_of(talked).unwanted, 2);
	requests_stats(talked->requests, &stats);
	assert_int_equal(stats.unwanted, 1);
	assert_int_equal(stats.opaque, 0);
}

/* Whoever asks for as much as possible, with one number, makes nothing slow. */
static void has_room_for_so_many(void **state)
{
	struct talked *talked = *state;
	char name[16];

	for (unsigned int i = 0; i < DATAGRAMS_OPEN_MAX + 10; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		ask(talked, 5, name, A);
	}
	assert_int_equal(account_of(talked).open, DATAGRAMS_OPEN_MAX);
	assert_int_equal(account_of(talked).lost, 10);
	answer(talked, 5, "n10", A, 0);
	assert_line(talked, "A n10 0 -");
	talked_close(talked);
	assert_int_equal(account_of(talked).open, 0);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, talked_teardown)
	TEST(gives_a_frame),
	TEST(tells_both_types_of_a_look_up),
	TEST(holds_so_many_answers),
	TEST(tells_peers),
	TEST(knows_no_peer),
	TEST(asks_and_answers_on_one_socket),
	TEST(gives_out_when_its_thread_ends),
	TEST(has_many_open),
	TEST(asks_again),
	TEST(says_why_there_is_no_response),
	TEST(leaves_out_what_goes_to_groups),
	TEST(has_a_response_without_question),
	TEST(says_what_is_lost),
	TEST(looks_only_once),
	TEST(gives_up_what_is_no_request),
	TEST(leaves_out_what_nobody_wants),
	TEST(has_room_for_so_many),
};

UNIT_GROUP(tests);
