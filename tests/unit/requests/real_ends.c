/* SPDX-License-Identifier: MIT */
/* To where the kernel translates connections: who is asked for, and when, and what is then known.
 */
#include <string.h>

#include "fake_protocol.h"
#include "talked.h"
#include "unit.h"

/* Each connection is asked for once, and its requests wait for the answer. */
static void asks_where_it_is_translated(void **state)
{
	static const struct scap_endpoint real = {{10, 1, 2, 3}, 8080};
	struct talked *talked = *state;
	struct requests_question question;
	const struct event *event;

	assert_int_equal(requests_want_translations(talked->requests, true), 0);
	assert_int_equal(requests_want_translations(talked->requests, true), 0);
	talked_connect(talked, 250000);
	assert_false(requests_next_question(talked->requests, &question));
	for (int i = 0; i < 3; i++) {
		talked_text(talked, DIRECTION_OUT, "Q name 0\n");
		assert_int_equal(requests_next_question(talked->requests, &question), i == 0);
		talked_text(talked, DIRECTION_IN, "A 200 0\n");
		assert_int_equal(requests_await_answer(talked->requests), i == 0);
		if (i == 0) {
			assert_memory_equal(question.to.address, "\x0a\0\0\2", 4);
			assert_int_equal(question.to.port, 80);
			assert_int_equal(question.l4, SCAP_L4_TCP);
			requests_answer(talked->requests, question.id, &real, 4);
			assert_false(requests_await_answer(talked->requests));
		}
		event = talked_next(talked);
		assert_int_equal(event->params[request__real].len, 7);
		assert_memory_equal(event->params[request__real].data, "\2\x0a\1\2\3\x90\x1f", 7);
	}
	talked_close(talked);
	/* Nobody answers any more. */
	assert_int_equal(requests_want_translations(talked->requests, false), 0);
	talked_connect(talked, 250000);
	talked_text(talked, DIRECTION_OUT, "Q name 0\n");
	talked_text(talked, DIRECTION_IN, "A 200 0\n");
	assert_false(requests_next_question(talked->requests, &question));
	assert_false(event_param_present(talked_next(talked), request__real));
}

/* Of a request that began before somebody answers it is not known, and that is counted. */
static void counts_what_was_not_asked(void **state)
{
	struct talked *talked = *state;
	struct requests_stats stats;
	struct buf text = {0};

	talked_connect(talked, 250000);
	talked_text(talked, DIRECTION_OUT, "Q name 0\n");
	assert_int_equal(requests_want_translations(talked->requests, true), 0);
	talked_text(talked, DIRECTION_IN, "A 200 0\n");
	assert_false(event_param_present(talked_next(talked), request__real));
	talked_text(talked, DIRECTION_OUT, "Q name 0\n");
	talked_text(talked, DIRECTION_IN, "A 200 0\n");
	assert_non_null(talked_next(talked));
	requests_stats(talked->requests, &stats);
	assert_int_equal(stats.untranslated, 1);
	requests_append_account(talked->requests, &text);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "\nagent: 1 requests have no real address"));
	buf_finish(&text);
}

/* The event of a connection has its network namespace. */
static void asks_by_the_kernel(void **state)
{
	struct talked *talked = *state;
	struct requests_question question;

	assert_int_equal(requests_want_translations(talked->requests, true), 0);
	talked_made_in(talked, 4026531999);
	assert_true(requests_next_question(talked->requests, &question));
	assert_int_equal(question.netns, 4026531999);
	talked_connect(talked, 250000);
	talked_text(talked, DIRECTION_OUT, "Q name 0\n");
	talked_text(talked, DIRECTION_IN, "A 200 0\n");
	assert_false(requests_next_question(talked->requests, &question));
	requests_answer(talked->requests, question.id, NULL, 0);
	assert_false(event_param_present(talked_next(talked), request__real));
}

/* From where a server's client comes is asked with its first request alone, also if that gave way.
 */
static void asks_for_the_client_of_a_server(void **state)
{
	static const struct requests_unwanted no_servers = {
		.by_role = {[request_roles__server] = UINT32_MAX}};
	static const struct scap_endpoint real = {{10, 1, 2, 3}, 8080};
	struct talked *talked = *state;
	struct requests_question question;
	const struct event *event;

	assert_int_equal(requests_want_translations(talked->requests, true), 0);
	talked_accept(talked);
	for (int i = 0; i < 2; i++) {
		talked_text(talked, DIRECTION_IN, "Q name 0\n");
		assert_int_equal(requests_next_question(talked->requests, &question), i == 0);
		talked_text(talked, DIRECTION_OUT, "A 200 0\n");
		if (i == 0) {
			assert_int_equal(question.from.port, 80);
			assert_memory_equal(question.to.address, "\x0a\0\0\1", 4);
			assert_true(requests_await_answer(talked->requests));
			requests_answer(talked->requests, question.id, &real, 4);
		}
		event = talked_next(talked);
		assert_memory_equal(event->params[request__real].data, "\2\x0a\1\2\3\x90\x1f", 7);
	}
	/* Who answers them all anew has none of before. */
	assert_int_equal(requests_want_translations(talked->requests, false), 0);
	assert_int_equal(requests_want_translations(talked->requests, true), 0);
	talked_text(talked, DIRECTION_IN, "Q name 0\n");
	assert_false(requests_next_question(talked->requests, &question));
	talked_text(talked, DIRECTION_OUT, "A 200 0\n");
	assert_false(event_param_present(talked_next(talked), request__real));
	/* Another connection has the number of the socket. */
	talked_close(talked);
	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q name 0\n");
	assert_true(requests_next_question(talked->requests, &question));
	/* Of one whose requests nobody wants nobody asks. */
	talked_close(talked);
	requests_leave_out(talked->requests, &no_servers);
	talked_accept(talked);
	talked_text(talked, DIRECTION_IN, "Q name 0\n");
	assert_false(requests_next_question(talked->requests, &question));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, talked_setup_unconnected, talked_teardown)

static const struct CMUnitTest tests[] = {
	TEST(asks_where_it_is_translated),
	TEST(counts_what_was_not_asked),
	TEST(asks_by_the_kernel),
	TEST(asks_for_the_client_of_a_server),
};

UNIT_GROUP(tests);
