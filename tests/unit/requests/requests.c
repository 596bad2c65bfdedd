/* SPDX-License-Identifier: MIT */
/* From calls on sockets to events of requests. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fake_protocol.h"
#include "talked.h"
#include "unit.h"

static void gives_a_frame(void **state)
{
	static const uint8_t tuple[] = {2, 10, 0, 0, 1, 0x40, 0x9c, 10, 0, 0, 2, 80, 0};
	struct talked *talked = *state;
	const struct event *event;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q name 3\nab");
	talked_text(talked, DIRECTION_IN, "c");
	assert_string_equal(talked_line(talked), "none");
	talked_text(talked, DIRECTION_OUT, "A 500 5\n");
	talked_text(talked, DIRECTION_OUT, "abcde");
	event = talked_next(talked);
	assert_non_null(event);
	assert_int_equal(event->desc->id, EVENT_request);
	assert_int_equal(event->tid, TALKED_TID);
	assert_int_equal(event->ts_ns, talked->drive.ts_ns - 1000);
	assert_int_equal(event_param_i64(event, request__fd), TALKED_FD);
	assert_int_equal(event_param_i64(event, request__protocol), FAKE_NUMBER);
	assert_int_equal(event_param_i64(event, request__role), request_roles__server);
	assert_string_equal(event_param_string(event, request__method), "Q");
	assert_string_equal(event_param_string(event, request__target), "name");
	assert_false(event_param_present(event, request__host));
	assert_int_equal(event_param_i64(event, request__status), 500);
	assert_string_equal(event_param_string(event, request__error), "500");
	assert_int_equal(event_param_i64(event, request__request_size), 12);
	assert_int_equal(event_param_i64(event, request__response_size), 13);
	assert_false(event_param_present(event, request__connect_time));
	assert_int_equal(event_param_i64(event, request__send_time), 1000);
	assert_int_equal(event_param_i64(event, request__first_byte_time), 1000);
	assert_int_equal(event_param_i64(event, request__receive_time), 1000);
	assert_int_equal(event_param_i64(event, request__total_time), 3000);
	assert_false(event_param_present(event, request__trace_id));
	assert_int_equal(event->params[request__tuple].len, sizeof(tuple));
	assert_memory_equal(event->params[request__tuple].data, tuple, sizeof(tuple));
	assert_null(talked_next(talked));
	assert_int_equal(talked_account(talked, FAKE_NUMBER).reported, 1);
	assert_int_equal(talked_account(talked, FAKE_NUMBER).open, 0);
}

/* One request and its response. */
static void talk_once(struct talked *talked, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "Q %s 0\n", name);
	talked_text(talked, DIRECTION_IN, text);
	talked_text(talked, DIRECTION_OUT, "A 7 0\n");
}

static void knows_the_client(void **state)
{
	struct talked *talked = *state;
	const struct event *event;

	talked_connect(talked, 250000);
	for (int i = 0; i < 2; i++) {
		talked_text(talked, DIRECTION_OUT, "Q name 0\n");
		talked_text(talked, DIRECTION_IN, "A 200 0\n");
		event = talked_next(talked);
		assert_non_null(event);
		assert_int_equal(event_param_i64(event, request__role), request_roles__client);
		assert_int_equal(event_param_present(event, request__connect_time), i == 0);
		if (i == 0)
			assert_int_equal(event_param_i64(event, request__connect_time), 250000);
	}
}

/* How long the connection took, of the first request. */
static void expect_connect_time(struct talked *talked, int64_t ns)
{
	const struct event *event;

	talked_text(talked, DIRECTION_OUT, "Q name 0\n");
	talked_text(talked, DIRECTION_IN, "A 200 0\n");
	event = talked_next(talked);
	assert_non_null(event);
	assert_int_equal(event_param_present(event, request__connect_time), ns != 0);
	assert_int_equal(event_param_i64(event, request__connect_time), ns);
	talked_close(talked);
}

/* As the kernel says, before the call returns or after; a call that waited for more knows less. */
static void knows_how_long_it_took(void **state)
{
	struct talked *talked = *state;

	talked_made(talked, 0, 1500000);
	talked_connect(talked, 9000000);
	expect_connect_time(talked, 1500000);
	/* It was for that connection alone. */
	talked_connect(talked, LATENCY_UNKNOWN);
	expect_connect_time(talked, 0);
	talked_connect(talked, LATENCY_UNKNOWN);
	talked_made(talked, 0, 2500000);
	expect_connect_time(talked, 2500000);
	talked_made(talked, -ECONNREFUSED, 3500000);
	talked_connect(talked, 250000);
	expect_connect_time(talked, 250000);
}

static void finds_the_role_by_itself(void **state)
{
	struct talked *talked = *state;

	talked->drive.ts_ns += UINT64_C(2000000000);
	talked_text(talked, DIRECTION_OUT, "Q name 0\n");
	talked_text(talked, DIRECTION_IN, "A 200 0\n");
	assert_int_equal(event_param_i64(talked_next(talked), request__role),
			 request_roles__client);
}

static void pairs_a_pipeline_in_order(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a 0\nQ b 2\nxxQ c 0\nW d\nQ e");
	assert_line(talked, "W d - -");
	talked_text(talked, DIRECTION_OUT, "A 1 0\nI x 3\nxxxA 2 0\nA 3 1\n");
	assert_line(talked, "Q a 1 -");
	assert_line(talked, "Q b 2 -");
	assert_line(talked, "none");
	talked_text(talked, DIRECTION_OUT, "xA 4 0\n");
	talked_text(talked, DIRECTION_IN, " 0\n");
	assert_line(talked, "Q c 3 -");
	assert_int_equal(talked_account(talked, FAKE_NUMBER).open, 1);
	talked_close(talked);
	assert_line(talked, "Q e - closed");
	assert_int_equal(talked_account(talked, FAKE_NUMBER).unknown, 1);
}

static void pairs_by_key(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "K 1 0\nK 2 0\nK 3 0\n");
	talked_text(talked, DIRECTION_OUT, "R 3 0\nR 9 0\nR 1 0\n");
	assert_line(talked, "K 3 - -");
	assert_line(talked, "K 1 - -");
	assert_line(talked, "none");
	/* Also when bytes are missing. */
	talked_miss(talked, DIRECTION_OUT, 6);
	talked_miss(talked, DIRECTION_IN, 6);
	talked_text(talked, DIRECTION_IN, "K 5 0\n");
	talked_text(talked, DIRECTION_OUT, "R 5 0\nR 2 0\n");
	assert_line(talked, "K 5 - -");
	assert_line(talked, "K 2 - -");
}

static void waits_for_a_request_that_was_answered_early(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q name 10\nxxx");
	talked_text(talked, DIRECTION_OUT, "A 413 0\n");
	assert_line(talked, "none");
	talked_text(talked, DIRECTION_IN, "xxxxxxx");
	assert_line(talked, "Q name 413 -");
	talked_text(talked, DIRECTION_IN, "Q name 10\nxxx");
	talked_text(talked, DIRECTION_OUT, "A 413 0\n");
	talked_close(talked);
	assert_line(talked, "Q name 413 -");
}

static void ends_what_lasts_to_the_end(void **state)
{
	struct talked *talked = *state;
	const struct event *event;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a 0\n");
	talked_text(talked, DIRECTION_OUT, "T 200\nxxxx");
	talked_piece(talked, DIRECTION_OUT, NULL, 100000, 0);
	assert_line(talked, "none");
	talked_close(talked);
	event = talked_next(talked);
	assert_int_equal(event_param_i64(event, request__response_size), 100010);
	assert_false(event_param_present(event, request__error));
	talked_connect(talked, LATENCY_UNKNOWN);
	talked_text(talked, DIRECTION_OUT, "Q b 0\n");
	talked_text(talked, DIRECTION_IN, "T 200\nxxxx");
	talked_result(talked, DIRECTION_IN, 0);
	assert_line(talked, "Q b 200 -");
	talked_close(talked);
	assert_line(talked, "none");
}

static void says_why_there_is_no_response(void **state)
{
	struct talked *talked = *state;

	talked_connect(talked, LATENCY_UNKNOWN);
	talked_text(talked, DIRECTION_OUT, "Q a 0\nQ b 0\n");
	talked_text(talked, DIRECTION_IN, "A 200 5\nxx");
	talked_result(talked, DIRECTION_IN, 0);
	assert_line(talked, "Q a 200 closed");
	assert_line(talked, "Q b - closed");
	talked_connect(talked, LATENCY_UNKNOWN);
	talked_text(talked, DIRECTION_OUT, "Q c 0\n");
	talked_result(talked, DIRECTION_IN, -EAGAIN);
	assert_line(talked, "none");
	talked_result(talked, DIRECTION_IN, -ECONNRESET);
	assert_line(talked, "Q c - reset");
	talked_connect(talked, LATENCY_UNKNOWN);
	talked_text(talked, DIRECTION_OUT, "Q d 9\n");
	talked_result(talked, DIRECTION_OUT, -EPIPE);
	talked_close(talked);
	assert_line(talked, "Q d - reset");
	assert_int_equal(talked_account(talked, FAKE_NUMBER).reported, 4);
}

static void answers_a_half_closed_client(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a 0\n");
	talked_result(talked, DIRECTION_IN, 0);
	talked_text(talked, DIRECTION_OUT, "A 200 0\n");
	assert_line(talked, "Q a 200 -");
	talked_connect(talked, LATENCY_UNKNOWN);
	talked_text(talked, DIRECTION_OUT, "Q b 0\n");
	talked_shutdown(talked, shutdown_how__SHUT_WR);
	talked_text(talked, DIRECTION_IN, "A 200 0\n");
	assert_line(talked, "Q b 200 -");
}

static void keeps_the_place_of_what_timed_out(void **state)
{
	struct talked *talked = *state;
	const uint64_t begin = talked->drive.ts_ns;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a 0\nQ b 0\n");
	requests_step(talked->requests, begin + REQUESTS_TIMEOUT_NS);
	assert_line(talked, "none");
	requests_step(talked->requests, begin + 2 * REQUESTS_TIMEOUT_NS);
	assert_line(talked, "Q a - timeout");
	assert_line(talked, "Q b - timeout");
	talked->drive.ts_ns = begin + 2 * REQUESTS_TIMEOUT_NS;
	talked_text(talked, DIRECTION_IN, "Q c 0\n");
	talked_text(talked, DIRECTION_OUT, "A 1 0\nA 2 0\nA 3 0\n");
	assert_line(talked, "Q c 3 -");
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, FAKE_NUMBER).seen, 3);
}

static void waits_as_long_as_bytes_come(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a 0\n");
	talked_text(talked, DIRECTION_OUT, "A 200 1000\n");
	for (int i = 0; i < 10; i++) {
		talked->drive.ts_ns += REQUESTS_TIMEOUT_NS / 2;
		talked_piece(talked, DIRECTION_OUT, NULL, 100, 0);
		requests_step(talked->requests, talked->drive.ts_ns);
		assert_string_equal(talked_line(talked), i == 9 ? "Q a 200 -" : "none");
	}
}

static void begins_anew_with_a_reused_inode(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q old 0\n");
	talked->at[DIRECTION_IN] = 77;
	talked->at[DIRECTION_OUT] = 88;
	talked_accept(talked);
	assert_line(talked, "Q old - closed");
	talk_once(talked, "new");
	assert_line(talked, "Q new 7 -");
}

static void counts_what_it_does_not_know(void **state)
{
	struct talked *talked = *state;
	struct requests_protocol_stats account;

	talked_accept(talked);
	talk_once(talked, "a");
	assert_line(talked, "Q a 7 -");
	/* Nobody asked for it. */
	talked_text(talked, DIRECTION_OUT, "A 1 0\n");
	account = talked_account(talked, FAKE_NUMBER);
	assert_int_equal(account.unknown, 1);
	/* The end of a response is missing. */
	talked_text(talked, DIRECTION_IN, "Q b 0\n");
	talked_text(talked, DIRECTION_OUT, "A 2");
	talked_miss(talked, DIRECTION_OUT, 3);
	talked_text(talked, DIRECTION_IN, "Q c 0\n");
	talked_text(talked, DIRECTION_OUT, "A 3 0\n");
	for (int i = 0; i < 3; i++)
		talk_once(talked, "d");
	assert_line(talked, "none");
	talk_once(talked, "e");
	for (int i = 0; i < 3; i++)
		assert_line(talked, "Q d 7 -");
	assert_line(talked, "Q e 7 -");
	account = talked_account(talked, FAKE_NUMBER);
	assert_int_equal(account.seen, 8);
	assert_int_equal(account.lost, 2);
}

static void misses_no_bytes_that_nobody_wants(void **state)
{
	struct talked *talked = *state;
	struct requests_stats stats;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a 100000\n");
	talked_miss(talked, DIRECTION_IN, 50000);
	talked_piece(talked, DIRECTION_IN, "xxxxxx", 50000, 6);
	talked_piece(talked, DIRECTION_OUT, "A 200 1000\nxxx", 1011, 14);
	assert_line(talked, "Q a 200 -");
	requests_stats(talked->requests, &stats);
	assert_int_equal(stats.gaps, 0);
}

/* A server that answers before it reads the body has a client that waits all the same. */
static void is_in_step_again_though_answers_come_early(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	for (int i = 0; i < 20; i++) {
		talked_text(talked, DIRECTION_IN, "Q a 5\n");
		if (i == 5)
			talked_miss(talked, DIRECTION_OUT, strlen("A 7 0\n"));
		else
			talked_text(talked, DIRECTION_OUT, "A 7 0\n");
		talked_text(talked, DIRECTION_IN, "xxxxx");
	}
	/* That one, and the next, whose response may have been the missing one. */
	for (int i = 0; i < 18; i++)
		assert_line(talked, "Q a 7 -");
	assert_int_equal(talked_account(talked, FAKE_NUMBER).lost, 2);
}

/* Bodies that no process has in its memory end messages, too, also when nothing follows. */
static void counts_bytes_that_nobody_sees(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q file 0\n");
	talked_text(talked, DIRECTION_OUT, "A 1 5000\n");
	talked_sendfile(talked, 3000);
	talked_sendfile(talked, -EAGAIN);
	assert_null(talked_next(talked));
	talked_sendfile(talked, 2000);
	assert_line(talked, "Q file 1 -");
	talked_text(talked, DIRECTION_IN, "Q splice 700\n");
	talked_splice(talked, DIRECTION_IN, 700);
	talked_text(talked, DIRECTION_OUT, "A 2 900\n");
	talked_splice(talked, DIRECTION_OUT, 900);
	assert_line(talked, "Q splice 2 -");
	talk_once(talked, "last");
	assert_line(talked, "Q last 7 -");
}

static void takes_bytes_once(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a 0\n");
	talked->at[DIRECTION_IN] -= 6;
	talked_text(talked, DIRECTION_IN, "Q a 0\nQ b 0\n");
	talked_text(talked, DIRECTION_OUT, "A 1 0\nA 2 0\n");
	assert_line(talked, "Q a 1 -");
	assert_line(talked, "Q b 2 -");
	/* Looking at them is not taking them. */
	talked->is_peek = true;
	talked_text(talked, DIRECTION_IN, "Q c 0\n");
	talked->is_peek = false;
	talked->at[DIRECTION_IN] -= 6;
	talk_once(talked, "c");
	assert_line(talked, "Q c 7 -");
	assert_line(talked, "none");
}

static void goes_on_with_another_protocol(void **state)
{
	struct talked *talked = *state;
	struct requests_stats stats;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a 0\n");
	talked_text(talked, DIRECTION_OUT, "L 101\n");
	assert_line(talked, "Q a - -");
	talked_text(talked, DIRECTION_OUT, "hello, client");
	for (int i = 0; i < 3; i++)
		talk_once(talked, "b");
	talk_once(talked, "c");
	assert_line(talked, "Q b 7 -");
	requests_stats(talked->requests, &stats);
	assert_int_equal(stats.recognised, 2);
}

static void tells_which_bytes_it_wants(void **state)
{
	struct talked *talked = *state;
	struct requests_limit limit;
	char body[FAKE_BODY_WANTS_ALL];

	memset(body, 'x', sizeof(body));
	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a 99\n");
	assert_true(requests_next_limit(talked->requests, &limit));
	assert_int_equal(limit.ino, TALKED_INO);
	assert_int_equal(limit.bytes, REQUESTS_LIMIT_ALL);
	assert_false(requests_next_limit(talked->requests, &limit));
	talked_close(talked);
	assert_line(talked, "Q a - closed");
	assert_true(requests_next_limit(talked->requests, &limit));
	assert_int_equal(limit.bytes, REQUESTS_LIMIT_DEFAULT);
	talked_accept(talked);
	for (int i = 0; i < 8; i++) {
		assert_false(requests_next_limit(talked->requests, &limit));
		talked_text(talked, i % 2 ? DIRECTION_IN : DIRECTION_OUT, "\x16\x03\x01");
	}
	talked_text(talked, DIRECTION_OUT, "\x16\x03\x01");
	assert_true(requests_next_limit(talked->requests, &limit));
	assert_int_equal(limit.bytes, 0);
	talk_once(talked, "too late");
	assert_line(talked, "none");
}

/* Another thread closes a socket, and before that call ends this one has its number. */
static void is_not_closed_by_the_one_before(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a 0\n");
	assert_line(talked, "none");
	talked->ino++;
	talked_accept(talked);
	assert_line(talked, "Q a - closed");
	talked_text(talked, DIRECTION_IN, "Q b 0\n");
	talked_close_late(talked);
	assert_line(talked, "none");
	talked_text(talked, DIRECTION_OUT, "A 1 0\n");
	assert_line(talked, "Q b 1 -");
	talked_close(talked);
	talk_once(talked, "too late");
	assert_line(talked, "none");
}

static const struct requests_unwanted all_wanted,
	no_clients = {.by_role = {[request_roles__client] = UINT32_MAX}},
	no_fakes = {.by_role = {[request_roles__client] = 1u << FAKE_NUMBER,
				[request_roles__server] = 1u << FAKE_NUMBER}};

/* The next limit, of the socket; UINT32_MAX: there is none. */
static uint32_t next_limit(struct talked *talked)
{
	struct requests_limit limit;

	if (!requests_next_limit(talked->requests, &limit))
		return UINT32_MAX;
	assert_int_equal(limit.ino, talked->ino);
	return limit.bytes;
}

/* One request and its response, of a client. */
static void ask_once(struct talked *talked, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "Q %s 0\n", name);
	talked_text(talked, DIRECTION_OUT, text);
	talked_text(talked, DIRECTION_IN, "A 7 0\n");
}

/* Behind its first response a connection may speak another protocol. */
static void leaves_out_unwanted_roles(void **state)
{
	struct talked *talked = *state;
	struct requests_stats stats;

	requests_leave_out(talked->requests, &no_clients);
	talked_connect(talked, 0);
	talked_text(talked, DIRECTION_OUT, "Q a 0\nQ b 0\n");
	assert_int_equal(next_limit(talked), UINT32_MAX);
	talked_text(talked, DIRECTION_IN, "A 1 0\n");
	assert_line(talked, "Q a 1 -");
	assert_int_equal(next_limit(talked), 0);
	talked_text(talked, DIRECTION_IN, "A 2 0\n");
	ask_once(talked, "c");
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, FAKE_NUMBER).seen, 2);
	assert_int_equal(talked_account(talked, FAKE_NUMBER).unwanted, 1);
	talked_close(talked);
	assert_int_equal(next_limit(talked), REQUESTS_LIMIT_DEFAULT);
	talked->ino++;
	talked_accept(talked);
	talk_once(talked, "d");
	talk_once(talked, "e");
	assert_line(talked, "Q d 7 -");
	assert_line(talked, "Q e 7 -");
	assert_int_equal(next_limit(talked), UINT32_MAX);
	requests_stats(talked->requests, &stats);
	assert_int_equal(stats.unwanted, 1);
	assert_int_equal(stats.recognised, 2);
	assert_int_equal(stats.opaque, 0);
}

/* It leaves its protocol for one that is wanted. */
static void looks_at_what_follows_an_unwanted_protocol(void **state)
{
	const struct requests_config config = {.of_unknown = true};
	struct talked *talked = *state;

	talked_finish(talked);
	talked_begin(talked, &config);
	requests_leave_out(talked->requests, &no_fakes);
	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a 0\n");
	talked_text(talked, DIRECTION_OUT, "L 1 0\n");
	assert_line(talked, "Q a - -");
	for (int i = 0; i < 10; i++) {
		talked_text(talked, DIRECTION_IN, "\x16\x03\x01");
		talked_text(talked, DIRECTION_OUT, "\x16\x03\x01");
	}
	assert_int_equal(next_limit(talked), REQUESTS_LIMIT_SIZES);
	assert_true(talked_account(talked, request_protocols__unknown).reported > 5);
}

/* A reload of the filter. */
static void looks_again_at_what_was_left_out(void **state)
{
	struct talked *talked = *state;

	requests_leave_out(talked->requests, &no_fakes);
	talked_accept(talked);
	talk_once(talked, "a");
	assert_line(talked, "Q a 7 -");
	assert_int_equal(next_limit(talked), 0);
	talk_once(talked, "b");
	requests_leave_out(talked->requests, &all_wanted);
	assert_int_equal(next_limit(talked), REQUESTS_LIMIT_DEFAULT);
	/* Its first response may be of an earlier request, as that of a connection of before. */
	for (int i = 0; i < 4; i++)
		talk_once(talked, "c");
	assert_line(talked, "none");
	talk_once(talked, "d");
	for (int i = 0; i < 3; i++)
		assert_line(talked, "Q c 7 -");
	assert_line(talked, "Q d 7 -");
	/* What is open then is not wanted any more. */
	talked_text(talked, DIRECTION_IN, "Q e 0\n");
	requests_leave_out(talked->requests, &no_fakes);
	talked_text(talked, DIRECTION_IN, "Q f 0\n");
	assert_int_equal(next_limit(talked), 0);
	assert_int_equal(talked_account(talked, FAKE_NUMBER).unwanted, 2);
	assert_int_equal(talked_account(talked, FAKE_NUMBER).open, 0);
}

/* A capture begins that was told nothing. */
static void tells_limits_again(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talk_once(talked, "a");
	requests_tell_limits(talked->requests);
	assert_int_equal(next_limit(talked), UINT32_MAX);
	requests_leave_out(talked->requests, &no_fakes);
	talk_once(talked, "b");
	assert_int_equal(next_limit(talked), 0);
	assert_int_equal(next_limit(talked), UINT32_MAX);
	requests_tell_limits(talked->requests);
	assert_int_equal(next_limit(talked), 0);
	assert_int_equal(next_limit(talked), UINT32_MAX);
}

static void leaves_out_unknown_protocols(void **state)
{
	static const struct requests_unwanted no_unknown = {
		.by_role = {[request_roles__client] = 1u << request_protocols__unknown,
			    [request_roles__server] = 1u << request_protocols__unknown}};
	const struct requests_config config = {.of_unknown = true};
	struct talked *talked = *state;

	talked_finish(talked);
	talked_begin(talked, &config);
	talked_accept(talked);
	for (int i = 0; i < 10; i++) {
		talked_text(talked, DIRECTION_IN, "\x16\x03\x01");
		talked_text(talked, DIRECTION_OUT, "\x16\x03\x01");
	}
	assert_int_equal(next_limit(talked), REQUESTS_LIMIT_SIZES);
	requests_leave_out(talked->requests, &no_unknown);
	assert_int_equal(next_limit(talked), 0);
	assert_int_equal(talked_account(talked, request_protocols__unknown).unwanted, 1);
	requests_leave_out(talked->requests, &all_wanted);
	assert_int_equal(next_limit(talked), REQUESTS_LIMIT_SIZES);
}

static void plaintext_without_socket(struct talked *talked, uint64_t number)
{
	struct frame *frame = drive_begin(&talked->drive, EVENT_tls_data, TALKED_TID);

	frame_put_i64(frame, tls_data__direction, tls_directions__read);
	frame_put_i64(frame, tls_data__size, 6);
	frame_put_i64(frame, tls_data__stream, TLS_KEY | TLS_KEY_LOOSE | number);
	frame_put_bytes(frame, tls_data__data, "Q b 0\n", 6);
	requests_take(talked->requests, drive_end(&talked->drive));
}

/* Objects of TLS cost nothing: who makes many of them drives out no socket. */
static void keeps_sockets_from_plaintext_without(void **state)
{
	const struct requests_config config = {.sockets_max = 16};
	struct talked *talked = *state;
	struct requests_stats stats;

	talked_finish(talked);
	talked_begin(talked, &config);
	talked->drive.ts_ns += UINT64_C(2000000000);
	for (unsigned int i = 0; i < 16; i++) {
		talked->ino = 10 + i;
		talked_text(talked, DIRECTION_IN, "Q a 0\n");
	}
	for (unsigned int i = 1; i <= 100; i++)
		plaintext_without_socket(talked, i);
	requests_stats(talked->requests, &stats);
	assert_int_equal(stats.sockets, 116);
	/* And 3 beside them. */
	assert_int_equal(stats.followed, 19);
	assert_int_equal(stats.no_room, 97);
	for (unsigned int i = 0; i < 16; i++) {
		talked->ino = 10 + i;
		talked_text(talked, DIRECTION_OUT, "R 0\n");
	}
	requests_stats(talked->requests, &stats);
	assert_int_equal(stats.sockets, 116);
}

static void forgets_the_least_used_socket(void **state)
{
	const struct requests_config config = {.sockets_max = 4};
	struct talked *talked = *state;
	struct requests_stats stats;

	talked_finish(talked);
	talked_begin(talked, &config);
	talked->drive.ts_ns += UINT64_C(2000000000);
	for (unsigned int i = 0; i < 6; i++) {
		talked->ino = 10 + i;
		talked_text(talked, DIRECTION_IN, "Q a 0\n");
	}
	requests_stats(talked->requests, &stats);
	assert_int_equal(stats.sockets, 6);
	assert_int_equal(stats.followed, 4);
	assert_int_equal(stats.no_room, 2);
	requests_end(talked->requests, talked->drive.ts_ns);
	requests_stats(talked->requests, &stats);
	assert_int_equal(stats.followed, 0);
	assert_int_equal(talked_account(talked, FAKE_NUMBER).unknown, 6);
	assert_line(talked, "none");
}

static void has_room_for_so_many_requests(void **state)
{
	const struct requests_config config = {.open_max = 8};
	struct talked *talked = *state;

	talked_finish(talked);
	talked_begin(talked, &config);
	talked_accept(talked);
	for (unsigned int i = 0; i < 20; i++)
		talked_text(talked, DIRECTION_IN, "Q a 0\n");
	assert_true(talked_account(talked, FAKE_NUMBER).open <= 8);
	for (unsigned int i = 0; i < 20; i++)
		talked_text(talked, DIRECTION_OUT, "A 1 0\n");
	talked_close(talked);
	assert_int_equal(talked_account(talked, FAKE_NUMBER).open, 0);
}

static void begins_late_with_care(void **state)
{
	struct talked *talked = *state;

	/* It was busy when the capture began: its first response may be of an earlier request. */
	talked_text(talked, DIRECTION_IN, "Q a 0\n");
	talked_text(talked, DIRECTION_OUT, "A 1 0\n");
	assert_line(talked, "none");
	for (int i = 0; i < 3; i++)
		talk_once(talked, "b");
	assert_line(talked, "none");
	talk_once(talked, "c");
	for (int i = 0; i < 3; i++)
		assert_line(talked, "Q b 7 -");
	assert_line(talked, "Q c 7 -");
	/* It was silent: nothing is open. */
	talked->ino++;
	talked->drive.ts_ns += UINT64_C(2000000000);
	talk_once(talked, "d");
	assert_line(talked, "Q d 7 -");
}

static void follows_sockets_without_places(void **state)
{
	struct talked *talked = *state;

	talked->has_no_places = true;
	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a");
	talked_text(talked, DIRECTION_IN, " 0\n");
	talked_piece(talked, DIRECTION_OUT, "A 1 900\n", 908, 8);
	assert_line(talked, "Q a 1 -");
	talk_once(talked, "b");
	assert_line(talked, "Q b 7 -");
}

static void appends_the_account(void **state)
{
	struct talked *talked = *state;
	struct buf text = {0};

	talked_accept(talked);
	talk_once(talked, "a");
	talked_text(talked, DIRECTION_IN, "Q b 0\n");
	requests_append_account(talked->requests, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(
		text.data,
		"agent: requests of fake: seen 2 = reported 1 + unknown 0 + lost 0 + open 1\n"
		"agent: sockets for requests: 1, recognised 1, of other protocols 0, "
		"given up 0\n");
	requests_leave_out(talked->requests, &no_fakes);
	talked_text(talked, DIRECTION_IN, "Q c 0\n");
	buf_clear(&text);
	requests_append_account(talked->requests, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(
		text.data,
		"agent: requests of fake: seen 3 = reported 1 + unknown 0 + lost 0 + not wanted 2\n"
		"agent: sockets for requests: 1, recognised 1, of other protocols 0, "
		"given up 0, not wanted 1\n");
	buf_finish(&text);
}

/* A filter or a tracer said that it succeeded. */
static void ignores_calls_that_never_ran(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q a 0\n");
	talked->is_faked = true;
	talked_text(talked, DIRECTION_OUT, "A 500 0\n");
	talked->is_faked = false;
	talked->at[DIRECTION_OUT] -= (uint32_t)strlen("A 500 0\n");
	assert_line(talked, "none");
	talked_text(talked, DIRECTION_OUT, "A 7 0\n");
	assert_line(talked, "Q a 7 -");
}

/* Events of files that do not say which file they are about, nor where in its stream. */
static void follows_descriptors(void **state)
{
	static const struct requests_config by_descriptor = {.by_descriptor = true};
	static const struct requests_config *const configs[] = {NULL, &by_descriptor};

	for (unsigned int i = 0; i < 2; i++) {
		struct talked talked;

		talked_begin(&talked, configs[i]);
		talked.ino = 0;
		talked.has_no_places = true;
		talked_accept(&talked);
		talk_once(&talked, "one");
		/* What another connection has under the number is another one. */
		talked_text(&talked, DIRECTION_IN, "Q open 0\n");
		talked_close(&talked);
		talked_accept(&talked);
		talk_once(&talked, "two");
		assert_line(&talked, i ? "Q one 7 -" : "none");
		assert_line(&talked, i ? "Q open - closed" : "none");
		assert_line(&talked, i ? "Q two 7 -" : "none");
		talked_finish(&talked);
	}
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, talked_setup_unconnected, talked_teardown)
	TEST(appends_the_account),
	TEST(ignores_calls_that_never_ran),
	TEST(gives_a_frame),
	TEST(knows_the_client),
	TEST(knows_how_long_it_took),
	TEST(finds_the_role_by_itself),
	TEST(pairs_a_pipeline_in_order),
	TEST(pairs_by_key),
	TEST(waits_for_a_request_that_was_answered_early),
	TEST(ends_what_lasts_to_the_end),
	TEST(says_why_there_is_no_response),
	TEST(answers_a_half_closed_client),
	TEST(keeps_the_place_of_what_timed_out),
	TEST(waits_as_long_as_bytes_come),
	TEST(begins_anew_with_a_reused_inode),
	TEST(counts_what_it_does_not_know),
	TEST(misses_no_bytes_that_nobody_wants),
	TEST(is_in_step_again_though_answers_come_early),
	TEST(counts_bytes_that_nobody_sees),
	TEST(takes_bytes_once),
	TEST(goes_on_with_another_protocol),
	TEST(tells_which_bytes_it_wants),
	TEST(is_not_closed_by_the_one_before),
	TEST(leaves_out_unwanted_roles),
	TEST(looks_at_what_follows_an_unwanted_protocol),
	TEST(looks_again_at_what_was_left_out),
	TEST(tells_limits_again),
	TEST(leaves_out_unknown_protocols),
	TEST(forgets_the_least_used_socket),
	TEST(keeps_sockets_from_plaintext_without),
	TEST(has_room_for_so_many_requests),
	TEST(begins_late_with_care),
	TEST(follows_sockets_without_places),
	cmocka_unit_test(follows_descriptors),
};

UNIT_GROUP(tests);
