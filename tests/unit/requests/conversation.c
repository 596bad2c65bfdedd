/* SPDX-License-Identifier: MIT */
/* Requests of unknown protocols: by who speaks. */
#include <errno.h>
#include <string.h>

#include "talked.h"
#include "unit.h"

/* No protocol begins like that. */
#define ODD "\xee\x01\xff\xfe\xee"
enum { ODD_BYTES = sizeof(ODD) - 1, TURNS = 12, SECOND_NS = 1000000000 };

static const struct requests_config wanted = {.of_unknown = true};

static int setup(void **state)
{
	static struct talked talked;

	talked_begin(&talked, &wanted);
	*state = &talked;
	return 0;
}

static void speak(struct talked *talked, enum recognition_direction direction, size_t len)
{
	talked_piece(talked, direction, ODD, len, ODD_BYTES);
}

static void ask(struct talked *talked)
{
	speak(talked, DIRECTION_IN, 100);
}

static void answer(struct talked *talked)
{
	speak(talked, DIRECTION_OUT, 2000);
}

static void expect_account(const struct talked *talked, uint64_t reported, uint64_t unknown,
			   uint64_t lost)
{
	struct requests_protocol_stats account = talked_account(talked, request_protocols__unknown);

	assert_int_equal(account.reported, reported);
	assert_int_equal(account.unknown, unknown);
	assert_int_equal(account.lost, lost);
}

/* The next request has these sizes. */
static void expect_sizes(struct talked *talked, int64_t asked, int64_t answered)
{
	const struct event *event = talked_next(talked);

	assert_non_null(event);
	assert_int_equal(event_param_i64(event, request__protocol), request_protocols__unknown);
	assert_int_equal(event_param_i64(event, request__request_size), asked);
	assert_int_equal(event_param_i64(event, request__response_size), answered);
}

static void expect_none(struct talked *talked)
{
	assert_null(talked_next(talked));
}

/* Those before the verdict are kept until then. */
static void counts_turns(void **state)
{
	struct talked *talked = *state;
	struct requests_limit limit;
	const struct event *event;
	uint64_t begin_ns;

	talked_accept(talked);
	begin_ns = talked->drive.ts_ns;
	for (int i = 0; i < TURNS; i++) {
		ask(talked);
		ask(talked);
		answer(talked);
		answer(talked);
	}
	event = talked_next(talked);
	assert_non_null(event);
	assert_int_equal(event->ts_ns - begin_ns, 4000 - 1000);
	assert_int_equal(event_param_i64(event, request__role), request_roles__server);
	assert_int_equal(event_param_i64(event, request__request_size), 200);
	assert_int_equal(event_param_i64(event, request__response_size), 4000);
	assert_int_equal(event_param_i64(event, request__send_time), 1000);
	assert_int_equal(event_param_i64(event, request__first_byte_time), 1000);
	assert_int_equal(event_param_i64(event, request__receive_time), 1000);
	assert_int_equal(event_param_i64(event, request__total_time), 3000);
	assert_int_equal(event_param_i64(event, request__fd), TALKED_FD);
	assert_false(event_param_present(event, request__method));
	assert_false(event_param_present(event, request__error));
	assert_true(event_param_present(event, request__tuple));
	for (int i = 1; i < TURNS - 1; i++)
		expect_sizes(talked, 200, 4000);
	expect_none(talked);
	assert_true(requests_next_limit(talked->requests, &limit));
	assert_int_equal(limit.ino, TALKED_INO);
	assert_int_equal(limit.bytes, REQUESTS_LIMIT_SIZES);
	talked_close(talked);
	expect_sizes(talked, 200, 4000);
	expect_account(talked, TURNS, 0, 0);
}

/* The verdict of a connection that is over is that it has none. */
static void reports_short_connections(void **state)
{
	struct talked *talked = *state;

	talked_made(talked, 0, 70000);
	talked_connect(talked, 90000);
	for (int i = 0; i < 2; i++) {
		speak(talked, DIRECTION_OUT, 10);
		speak(talked, DIRECTION_IN, 20);
	}
	expect_none(talked);
	talked_close(talked);
	for (int i = 0; i < 2; i++) {
		const struct event *event = talked_next(talked);

		assert_non_null(event);
		assert_int_equal(event_param_i64(event, request__role), request_roles__client);
		assert_int_equal(event_param_i64(event, request__request_size), 10);
		assert_int_equal(event_param_i64(event, request__connect_time), i ? 0 : 70000);
	}
	expect_account(talked, 2, 0, 0);
}

/* What was kept is of the protocol then. */
static void forgets_what_is_recognised(void **state)
{
	struct talked *talked = *state;

	talked_made(talked, 0, 70000);
	talked_connect(talked, 90000);
	speak(talked, DIRECTION_OUT, ODD_BYTES);
	speak(talked, DIRECTION_IN, ODD_BYTES);
	for (int i = 0; i < 4; i++) {
		talked_text(talked, DIRECTION_OUT, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
		talked_text(talked, DIRECTION_IN, "HTTP/1.1 204 No Content\r\n\r\n");
	}
	talked_close(talked);
	for (int i = 0; i < 4; i++)
		assert_string_equal(talked_line(talked), "GET / 204 -");
	expect_none(talked);
	expect_account(talked, 0, 0, 0);
}

static void counts_behind_an_upgrade(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talked_text(talked, DIRECTION_IN,
		    "GET / HTTP/1.1\r\nUpgrade: odd\r\nConnection: Upgrade\r\n\r\n");
	talked_text(talked, DIRECTION_OUT,
		    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: odd\r\n\r\n");
	assert_string_equal(talked_line(talked), "GET / 101 -");
	ask(talked);
	answer(talked);
	talked_close(talked);
	expect_sizes(talked, 100, 2000);
	expect_account(talked, 1, 0, 0);
}

/* Nobody asked for them. */
static void makes_none_unless_wanted(void **state)
{
	struct talked *talked = *state;
	struct requests_limit limit;

	requests_want_unknown(talked->requests, false);
	talked_accept(talked);
	for (int i = 0; i < TURNS; i++) {
		ask(talked);
		answer(talked);
	}
	assert_true(requests_next_limit(talked->requests, &limit));
	assert_int_equal(limit.bytes, 0);
	assert_false(requests_next_limit(talked->requests, &limit));
	/* Now they are wanted: of what goes on already, the first one may have begun before. */
	requests_want_unknown(talked->requests, true);
	assert_true(requests_next_limit(talked->requests, &limit));
	assert_int_equal(limit.bytes, REQUESTS_LIMIT_SIZES);
	talked_miss(talked, DIRECTION_IN, 7777);
	for (int i = 0; i < 3; i++) {
		ask(talked);
		answer(talked);
	}
	expect_sizes(talked, 100, 2000);
	expect_none(talked);
	requests_want_unknown(talked->requests, false);
	assert_true(requests_next_limit(talked->requests, &limit));
	assert_int_equal(limit.bytes, 0);
	ask(talked);
	answer(talked);
	talked_close(talked);
	expect_none(talked);
	expect_account(talked, 1, 2, 0);
}

/* It may have asked while the first one came. */
static void takes_requests_before_a_response_as_one(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	for (int i = 0; i < 3; i++)
		ask(talked);
	answer(talked);
	talked_close(talked);
	expect_sizes(talked, 300, 2000);
	expect_account(talked, 1, 0, 0);
}

static void leaves_out_greetings(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	answer(talked);
	ask(talked);
	answer(talked);
	talked_close(talked);
	expect_sizes(talked, 100, 2000);
	expect_account(talked, 1, 0, 0);
}

/* A call that ends later than that which reads the response has its place all the same. */
static void puts_calls_in_order(void **state)
{
	struct talked *talked = *state;

	talked_connect(talked, 90000);
	for (int i = 0; i < TURNS; i++) {
		talked_miss(talked, DIRECTION_OUT, 10);
		speak(talked, DIRECTION_IN, 20);
		talked->at[DIRECTION_OUT] -= 10;
		speak(talked, DIRECTION_OUT, 10);
	}
	talked_close(talked);
	for (int i = 0; i < TURNS; i++)
		expect_sizes(talked, 10, 20);
	expect_account(talked, TURNS, 0, 0);
}

/* How many bytes they moved is known from the next one. */
static void does_not_need_all_calls(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	for (int i = 0; i < TURNS; i++) {
		talked_miss(talked, DIRECTION_IN, 100 * (i % 2));
		if (i % 3)
			ask(talked);
		else
			talked_miss(talked, DIRECTION_IN, 100);
		talked_miss(talked, DIRECTION_OUT, i % 3);
		answer(talked);
	}
	talked_close(talked);
	for (int i = 0; i < TURNS; i++)
		expect_sizes(talked, 100 + 100 * (i % 2), 2000 + i % 3);
	expect_account(talked, TURNS, 0, 0);
}

/* Nobody knows how many there were. */
static void loses_what_both_sides_said(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	for (int i = 0; i < TURNS; i++) {
		ask(talked);
		answer(talked);
		if (i == 5) {
			talked_miss(talked, DIRECTION_IN, 300);
			talked_miss(talked, DIRECTION_OUT, 700);
		}
	}
	talked_close(talked);
	for (int i = 0; i < TURNS - 2; i++)
		expect_sizes(talked, 100, 2000);
	expect_none(talked);
	expect_account(talked, TURNS - 2, 0, 2);
}

static void counts_sendfile(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	ask(talked);
	talked_sendfile(talked, 5000);
	ask(talked);
	talked_splice(talked, DIRECTION_OUT, 300);
	talked_close(talked);
	expect_sizes(talked, 100, 5000);
	expect_sizes(talked, 100, 300);
	expect_account(talked, 2, 0, 0);
}

static void step(struct talked *talked, uint64_t ns)
{
	talked->drive.ts_ns += ns;
	requests_step(talked->requests, talked->drive.ts_ns);
}

static void begins_between_requests(void **state)
{
	struct talked *talked = *state;

	/* No call says how it began. */
	ask(talked);
	answer(talked);
	ask(talked);
	answer(talked);
	step(talked, REQUESTS_SILENCE_NS);
	step(talked, REQUESTS_SILENCE_NS);
	expect_sizes(talked, 100, 2000);
	expect_none(talked);
	expect_account(talked, 1, 1, 0);
}

/* So do responses whose requests were before. */
static void begins_in_a_response(void **state)
{
	struct talked *talked = *state;

	requests_want_unknown(talked->requests, false);
	talked_accept(talked);
	for (int i = 0; i < TURNS; i++) {
		ask(talked);
		answer(talked);
	}
	requests_want_unknown(talked->requests, true);
	answer(talked);
	ask(talked);
	answer(talked);
	talked_close(talked);
	expect_sizes(talked, 100, 2000);
	expect_account(talked, 1, 1, 0);
}

/* Who speaks first asks, if nobody knows who connected. */
static void guesses_who_asks(void **state)
{
	struct talked *talked = *state;

	talked->drive.ts_ns += 2 * (uint64_t)SECOND_NS;
	answer(talked);
	ask(talked);
	answer(talked);
	requests_end(talked->requests, talked->drive.ts_ns);
	expect_sizes(talked, 2000, 100);
	expect_account(talked, 1, 1, 0);
}

/* On trial or not. */
static void ends_in_silence(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	for (int i = 0; i < TURNS; i++) {
		ask(talked);
		answer(talked);
		step(talked, SECOND_NS);
		answer(talked);
		step(talked, REQUESTS_SILENCE_NS);
		step(talked, REQUESTS_SILENCE_NS);
		expect_sizes(talked, 100, 4000);
		expect_none(talked);
		/* Nobody asked for that. */
		answer(talked);
	}
	talked_close(talked);
	expect_none(talked);
	expect_account(talked, TURNS, 0, 0);
}

static void wait_for_long(struct talked *talked)
{
	for (int i = 0; i < 14; i++)
		step(talked, 10 * (uint64_t)SECOND_NS);
}

static void times_out(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	ask(talked);
	answer(talked);
	ask(talked);
	step(talked, 20 * (uint64_t)SECOND_NS);
	expect_sizes(talked, 100, 2000);
	expect_none(talked);
	wait_for_long(talked);
	assert_string_equal(talked_line(talked), "- - - timeout");
	expect_account(talked, 2, 0, 0);
}

/* As who only takes logs. */
static void expects_no_answer_of_the_silent(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	ask(talked);
	wait_for_long(talked);
	expect_none(talked);
	ask(talked);
	talked_close(talked);
	expect_none(talked);
	expect_account(talked, 0, 2, 0);
}

static void reports_resets(void **state)
{
	struct talked *talked = *state;

	talked_connect(talked, 90000);
	speak(talked, DIRECTION_OUT, 10);
	talked_result(talked, DIRECTION_IN, -ECONNRESET);
	assert_string_equal(talked_line(talked), "- - - reset");
	expect_account(talked, 1, 0, 0);
}

static void gives_up_at_the_end(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	ask(talked);
	answer(talked);
	ask(talked);
	answer(talked);
	requests_end(talked->requests, talked->drive.ts_ns);
	expect_sizes(talked, 100, 2000);
	expect_none(talked);
	expect_account(talked, 1, 1, 0);
}

/* Calls without a place may be about datagrams. */
static void needs_a_place(void **state)
{
	struct talked *talked = *state;

	talked_accept(talked);
	talked->has_no_places = true;
	ask(talked);
	answer(talked);
	talked_close(talked);
	expect_none(talked);
	expect_account(talked, 0, 0, 0);
}

/* In files of the common form they count in their order. */
static void needs_no_place_in_files(void **state)
{
	static const struct requests_config config = {.of_unknown = true, .by_descriptor = true};
	struct talked talked;

	talked_begin(&talked, &config);
	talked.has_no_places = true;
	talked.ino = 0;
	talked_accept(&talked);
	for (int i = 0; i < TURNS; i++) {
		ask(&talked);
		answer(&talked);
	}
	talked_close(&talked);
	for (int i = 0; i < TURNS; i++)
		expect_sizes(&talked, 100, 2000);
	expect_account(&talked, TURNS, 0, 0);
	talked_finish(&talked);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, talked_teardown)
	TEST(counts_turns),
	TEST(reports_short_connections),
	TEST(forgets_what_is_recognised),
	TEST(counts_behind_an_upgrade),
	TEST(makes_none_unless_wanted),
	TEST(takes_requests_before_a_response_as_one),
	TEST(leaves_out_greetings),
	TEST(puts_calls_in_order),
	TEST(does_not_need_all_calls),
	TEST(loses_what_both_sides_said),
	TEST(counts_sendfile),
	TEST(begins_between_requests),
	TEST(begins_in_a_response),
	TEST(guesses_who_asks),
	TEST(ends_in_silence),
	TEST(times_out),
	TEST(expects_no_answer_of_the_silent),
	TEST(reports_resets),
	TEST(gives_up_at_the_end),
	TEST(needs_a_place),
	cmocka_unit_test(needs_no_place_in_files),
};

UNIT_GROUP(tests);
