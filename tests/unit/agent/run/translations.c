/* SPDX-License-Identifier: MIT */
/* Questions of requests, through the thread, and what the report says of them. */
#include "agent/run/translations.h"

#include <string.h>

#include "talked.h"
#include "unit.h"
#include "util/clock.h"

enum { WAIT_MS = 50, LOOKS = 3 };

static void test_nobody(void **state)
{
	struct translations_run run = {0};
	struct buf text = {0};

	translations_run_step(&run, NULL);
	translations_run_wait(&run, NULL, NULL);
	translations_run_append_report(&run, true, &text);
	translations_run_append_metrics(&run, NULL);
	assert_int_equal(text.len, 0);
	translations_run_end(&run);
}

static void test_report(void **state)
{
	static const struct requests_config config;
	struct options options = {.host_root = "/no/such/root"};
	struct translations_run run = {0};
	struct requests *requests;
	struct input input = {0};
	struct buf text = {0};
	struct exposition exposition = {.out = &text};

	assert_int_equal(requests_create(&config, &requests), 0);
	assert_int_equal(translations_run_begin(&run, &options, NULL), 0);
	assert_int_equal(translations_run_begin(&run, &options, NULL), 0);
	assert_int_equal(requests_want_translations(requests, true), 0);
	translations_run_step(&run, requests);
	translations_run_wait(&run, requests, &input);
	translations_run_append_report(&run, false, &text);
	assert_int_equal(text.len, 0);
	run.late = 3;
	translations_run_append_report(&run, false, &text);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "came too late: 3\n"));
	buf_clear(&text);
	translations_run_append_metrics(&run, &exposition);
	buf_append_char(&text, '\0');
	assert_non_null(
		strstr(text.data, "\nlanner_translations_total{result=\"translated\"} 0\n"));
	assert_non_null(strstr(text.data, "\nlanner_translations_not_waited_for_total 3\n"));
	translations_run_forget(&run);
	assert_int_equal(run.generation, 1);
	buf_finish(&text);
	translations_run_end(&run);
	requests_destroy(requests);
}

#define NAME "\4name\0\0\1\0\1"
#define QUERY "\x12\x34\1\0\0\1\0\0\0\0\0\0" NAME
#define RESPONSE "\x12\x34\x81\x80\0\1\0\0\0\0\0\0" NAME

/* Without the client's address nobody is asked, and nothing waits. */
static void test_unbound(void **state)
{
	static const struct requests_config config;
	const struct input input = {0};
	struct options options = {.host_root = "/no/such/root", .meta_wait_ms = WAIT_MS};
	struct translations_run run = {0};
	struct buf text = {0};
	struct talked talked;

	talked_begin(&talked, &config);
	assert_int_equal(requests_want_translations(talked.requests, true), 0);
	talked_open_datagrams(&talked);
	talked.is_unbound = true;
	talked_datagram(&talked, DIRECTION_OUT, 53, QUERY, sizeof(QUERY) - 1, sizeof(QUERY) - 1);
	talked_datagram(&talked, DIRECTION_IN, 53, RESPONSE, sizeof(RESPONSE) - 1,
			sizeof(RESPONSE) - 1);
	assert_true(requests_await_answer(talked.requests));
	assert_int_equal(translations_run_begin(&run, &options, NULL), 0);
	translations_run_step(&run, talked.requests);
	assert_false(requests_await_answer(talked.requests));
	translations_run_wait(&run, talked.requests, &input);
	assert_int_equal(run.unbound, 1);
	assert_int_equal(run.late, 0);
	translations_run_append_report(&run, false, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, "agent: addresses of connections asked for, of sockets that "
				       "are not bound to an address 1\n");
	buf_finish(&text);
	translations_run_end(&run);
	talked_finish(&talked);
}

static unsigned int looks;

/* The ring buffers fill up after a while. */
static bool has_room(const struct input *input)
{
	return ++looks < LOOKS;
}

/* A request that has ended; its question gets no answer, as if the thread hung. */
static void begin_unanswered(struct talked *talked)
{
	static const struct requests_config config;
	struct requests_question question;

	talked_begin(talked, &config);
	assert_int_equal(requests_want_translations(talked->requests, true), 0);
	talked_connect(talked, 250000);
	talked_text(talked, DIRECTION_OUT, "GET / HTTP/1.1\r\nHost: shop\r\n\r\n");
	talked_text(talked, DIRECTION_IN, "HTTP/1.1 204 No Content\r\n\r\n");
	assert_true(requests_next_question(talked->requests, &question));
	assert_true(requests_await_answer(talked->requests));
}

static uint64_t waited_ns(struct translations_run *run, struct talked *talked,
			  const struct input *input)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	run->budget_ns = run->wait_ns;
	translations_run_wait(run, talked->requests, input);
	return clock_ns(CLOCK_MONOTONIC) - begin_ns;
}

/* A wait ends when there is no room for what comes meanwhile. */
static void test_no_room(void **state)
{
	static const struct input_live_ops live = {.has_room = has_room};
	const struct input input = {.live = &live};
	struct options options = {.host_root = "/no/such/root", .meta_wait_ms = 600000};
	struct translations_run run = {0};
	struct talked talked;

	begin_unanswered(&talked);
	assert_int_equal(translations_run_begin(&run, &options, NULL), 0);
	waited_ns(&run, &talked, &input);
	assert_int_equal(looks, LOOKS);
	assert_int_equal(run.late, 1);
	assert_int_equal(run.timeouts, 0);
	translations_run_end(&run);
	talked_finish(&talked);
}

/* After several timeouts in a row no request waits until an answer comes. */
static void test_hanging_thread(void **state)
{
	const struct translator_question question = {.pid = INT32_MAX};
	const struct input input = {0};
	struct options options = {.host_root = "/no/such/root", .meta_wait_ms = WAIT_MS};
	struct translations_run run = {0};
	struct talked talked;

	begin_unanswered(&talked);
	assert_int_equal(translations_run_begin(&run, &options, NULL), 0);
	for (unsigned int i = 1; i <= INPUT_TIMEOUTS_MAX; i++) {
		assert_true(waited_ns(&run, &talked, &input) >= run.wait_ns);
		assert_int_equal(run.timeouts, i);
	}
	run.wait_ns = 600 * UINT64_C(1000000000);
	assert_true(waited_ns(&run, &talked, &input) < run.wait_ns / 2);
	assert_int_equal(run.late, INPUT_TIMEOUTS_MAX + 1);
	assert_true(translator_ask(run.translator, &question));
	assert_true(translator_wait(run.translator, run.wait_ns));
	translations_run_step(&run, talked.requests);
	assert_int_equal(run.timeouts, 0);
	translations_run_end(&run);
	talked_finish(&talked);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nobody),	       cmocka_unit_test(test_report),
	cmocka_unit_test(test_unbound),	       cmocka_unit_test(test_no_room),
	cmocka_unit_test(test_hanging_thread),
};

UNIT_GROUP(tests);
