/* SPDX-License-Identifier: MIT */
/* Where the time of a request went: differences of what its thread did; what is not known is said.
 */
#include <string.h>

#include "requests/where.h"
#include "talked.h"
#include "unit.h"

#define REQUEST "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
#define RESPONSE "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

enum { SINCE_NS = 77, OTHER_TID = 4711, UNLOCKER = 12 };

/* What is said of a request. */
struct told {
	int64_t total, unknown, parts[THREAD_PARTS];
	bool is_told;
	const struct event *event;
};

static struct told next_told(struct talked *talked)
{
	struct told told = {.event = talked_next(talked)};
	int64_t sum = 0;

	assert_non_null(told.event);
	told.total = event_param_i64(told.event, request__total_time);
	told.is_told = event_param_present(told.event, request__time_cpu);
	if (!told.is_told)
		return told;
	for (unsigned int i = 0; i < THREAD_PARTS; i++)
		sum += told.parts[i] = event_param_i64(told.event, request__time_cpu + i);
	told.unknown = event_param_i64(told.event, request__time_unknown);
	assert_int_equal(sum + told.unknown, told.total);
	return told;
}

/* The request is read when the thread has done that, the response written after as much again. */
static struct told ask(struct talked *talked, const struct frame_times *before,
		       const struct frame_times *meanwhile)
{
	talked->times = *before;
	ASK(talked, REQUEST);
	talked->times.unlocked_by = meanwhile->unlocked_by;
	for (unsigned int i = 0; i < THREAD_PARTS; i++)
		talked->times.ns[i] += meanwhile->ns[i];
	ANSWER(talked, RESPONSE);
	return next_told(talked);
}

static const struct frame_times before = {.since_ns = SINCE_NS, .ns = {100, 200, 300, 400, 500}};

/* The time between both calls, as the test has it. */
static int64_t total_of(struct talked *talked)
{
	static const struct frame_times nothing;
	struct told told = ask(talked, &nothing, &nothing);

	assert_false(told.is_told);
	assert_true(told.total > 0);
	return told.total;
}

static void test_differences(void **state)
{
	struct talked *talked = *state;
	const uint64_t total = (uint64_t)total_of(talked);
	const struct frame_times meanwhile = {
		.ns = {[PART_CPU] = total / 4, [PART_LOCK] = total / 2}, .unlocked_by = UNLOCKER};
	struct told told = ask(talked, &before, &meanwhile);

	assert_true(told.is_told);
	assert_int_equal(told.parts[PART_CPU], total / 4);
	assert_int_equal(told.parts[PART_LOCK], total / 2);
	assert_int_equal(told.parts[PART_SLEEP], 0);
	assert_int_equal(told.unknown, total - total / 4 - total / 2);
	assert_int_equal(event_param_i64(told.event, request__threads), 1);
	assert_int_equal(event_param_i64(told.event, request__unlocked_by), UNLOCKER);
}

/* Who ended a wait before the request has nothing to do with it. */
static void test_no_lock(void **state)
{
	struct talked *talked = *state;
	const struct frame_times meanwhile = {.ns = {[PART_NET] = 1}, .unlocked_by = UNLOCKER};
	struct told told = ask(talked, &before, &meanwhile);

	assert_int_equal(told.parts[PART_NET], 1);
	assert_false(event_param_present(told.event, request__unlocked_by));
}

/* Clocks of two CPUs: a part that went back, and a sum that is longer than the time. */
static void test_clocks(void **state)
{
	struct talked *talked = *state;
	const uint64_t total = (uint64_t)total_of(talked);
	const struct frame_times meanwhile = {
		.ns = {[PART_CPU] = UINT64_MAX, [PART_DISK] = total, [PART_SLEEP] = 3}};
	struct told told = ask(talked, &before, &meanwhile);

	assert_int_equal(told.parts[PART_CPU], 0);
	assert_int_equal(told.parts[PART_DISK], total - 3);
	assert_int_equal(told.parts[PART_SLEEP], 3);
	assert_int_equal(told.unknown, 0);
}

/* Nothing is known of what two threads did, nor of one that was forgotten in between. */
static void test_unknown(void **state)
{
	struct talked *talked = *state;
	struct requests_stats stats;
	struct told told;

	for (int is_forgotten = 0; is_forgotten < 2; is_forgotten++) {
		talked->times = before;
		talked->tid = TALKED_TID;
		ASK(talked, REQUEST);
		if (is_forgotten)
			talked->times.since_ns++;
		else
			talked->tid = OTHER_TID;
		ANSWER(talked, RESPONSE);
		told = next_told(talked);
		assert_true(told.is_told);
		assert_int_equal(told.unknown, told.total);
		assert_int_equal(event_param_i64(told.event, request__threads), 2 - is_forgotten);
	}
	requests_stats(talked->requests, &stats);
	assert_int_equal(stats.unexplained, 2);
}

static void test_limit(void **state)
{
	struct talked *talked = *state;
	const uint64_t total = (uint64_t)total_of(talked);

	requests_explain_from(talked->requests, total);
	assert_true(ask(talked, &before, &before).is_told);
	requests_explain_from(talked->requests, total + 1);
	assert_false(ask(talked, &before, &before).is_told);
}

/* One that is given out at its time-out keeps what is known, and so does its place nothing. */
static void test_timeout(void **state)
{
	struct talked *talked = *state;
	struct told told;

	talked->times = before;
	ASK(talked, REQUEST);
	requests_step(talked->requests, UINT64_MAX / 2);
	told = next_told(talked);
	assert_true(told.is_told);
	assert_int_equal(told.unknown, told.total);
	ANSWER(talked, RESPONSE);
	assert_null(talked_next(talked));
	assert_true(ask(talked, &before, &before).is_told);
}

/* Ends of an exchange whose parts know what their threads did. */
enum end { END_REPORTED, END_COPIED, END_GIVEN_UP, ENDS };

static void end_one(struct exchanges *exchanges, enum end end)
{
	const struct connection_call call = {.ts_ns = 1, .tid = TALKED_TID, .times = &before};
	struct exchange_answer *answer;
	struct exchange *exchange;

	assert_non_null(exchanges_blank(exchanges));
	assert_non_null(exchanges_blank_answer(exchanges));
	exchange = exchanges_begin(exchanges, EXCHANGE_OF_STREAM, request_protocols__http, 1);
	answer = exchanges_begin_answer(exchanges);
	where_note(&exchange->request, exchanges, PROTOCOL_REQUESTS, &call, 1);
	where_note(&exchange->response, exchanges, PROTOCOL_RESPONSES, &call, 1);
	where_note(&answer->part, exchanges, PROTOCOL_RESPONSES, &call, 1);
	exchanges_free_answer(exchanges, answer);
	if (end == END_GIVEN_UP)
		exchanges_give_up(exchanges, exchange, EXCHANGE_LOST);
	if (end == END_COPIED)
		exchanges_report_copy(exchanges, exchange);
	if (end == END_REPORTED)
		exchanges_report(exchanges, exchange);
	else
		exchanges_free(exchanges, exchange);
	if (end == END_GIVEN_UP)
		return;
	exchange = exchanges_next(exchanges);
	assert_non_null(exchange);
	assert_true(exchange->request.times->sums.since_ns == SINCE_NS);
	assert_true(exchange->response.times->sums.since_ns == SINCE_NS);
	exchanges_free(exchanges, exchange);
}

/* What was known of it goes with it. */
static void test_memory(void **state)
{
	const unsigned int rounds = 3000; /* that would need another slab */
	struct exchanges exchanges = {.max = 4};
	size_t held;

	(void)state;
	exchanges_init(&exchanges);
	for (unsigned int end = 0; end < ENDS; end++) {
		end_one(&exchanges, end);
		held = exchanges.pool.held;
		for (unsigned int i = 0; i < rounds; i++)
			end_one(&exchanges, end);
		assert_int_equal(exchanges.pool.held, held);
	}
	exchanges_finish(&exchanges);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, talked_setup, talked_teardown)
	TEST(test_differences),
	TEST(test_no_lock),
	TEST(test_clocks),
	TEST(test_unknown),
	TEST(test_limit),
	TEST(test_timeout),
	cmocka_unit_test(test_memory),
};

UNIT_GROUP(tests);
