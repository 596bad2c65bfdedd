/* SPDX-License-Identifier: MIT */
/* From calls on sockets to events of requests. */
#include <errno.h>
#include <string.h>

#include "fake_protocol.h"
#include "talked.h"
#include "unit.h"

static int setup(void **state)
{
	static struct talked talked;

	talked_begin(&talked, NULL);
	*state = &talked;
	return 0;
}

static int teardown(void **state)
{
	talked_finish(*state);
	return 0;
}

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

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(gives_a_frame),
};

UNIT_GROUP(tests);
