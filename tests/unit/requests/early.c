/* SPDX-License-Identifier: MIT */
/*
 * Reads that are seen before the writes that they answer, as another thread's call returns later:
 * they wait, but not for ever, not all of them, and not at the cost of others. So do the responses
 * of a server whose socket is closed meanwhile.
 */
#include "requests/early.h"

#include <stdio.h>
#include <string.h>

#include "requests/sockets.h"
#include "talked.h"
#include "unit.h"

static const char request[] = "GET /a HTTP/1.1\r\n\r\n";
static const char response[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

enum { REQUEST_BYTES = sizeof(request) - 1, RESPONSE_BYTES = sizeof(response) - 1 };

/* Bytes of a plaintext, and where they are. */
struct said {
	enum recognition_direction direction;
	const char *text;
	uint32_t end, other;
	bool is_ahead;
};

/* A plaintext is closed while a call writes. */
static void close_while_writing(struct talked *talked)
{
	struct frame *frame = drive_begin(&talked->drive, EVENT_tls_data, talked->tid);

	frame_put_i64(frame, tls_data__direction, tls_directions__closed);
	frame_put_i64(frame, tls_data__stream, (int64_t)(TLS_KEY | talked->ino));
	requests_take(talked->requests, drive_end(&talked->drive));
	talked_close(talked);
}

static void plaintext(struct talked *talked, const struct said *said)
{
	struct frame *frame = drive_begin(&talked->drive, EVENT_tls_data, talked->tid);

	frame_put_i64(frame, tls_data__fd, talked->fd);
	frame_put_i64(frame, tls_data__direction,
		      said->direction == DIRECTION_IN ? tls_directions__read
						      : tls_directions__write);
	frame_put_i64(frame, tls_data__size, (int64_t)strlen(said->text));
	frame_put_i64(frame, tls_data__stream, (int64_t)(TLS_KEY | talked->ino));
	frame_put_i64(frame, tls_data__is_guess, 0);
	frame_put_bytes(frame, tls_data__data, said->text, strlen(said->text));
	frame->file.ino = talked->ino;
	frame->stream = (struct frame_stream){
		.end = said->end, .other = said->other, .is_known = 1, .is_ahead = said->is_ahead};
	requests_take(talked->requests, drive_end(&talked->drive));
}

static void read_response(struct talked *talked, uint32_t end, uint32_t other, bool is_ahead)
{
	plaintext(talked, &(struct said){DIRECTION_IN, response, end, other, is_ahead});
}

static void write_request(struct talked *talked, uint32_t end, uint32_t other)
{
	plaintext(talked, &(struct said){DIRECTION_OUT, request, end, other, false});
}

static struct requests_stats stats_of(const struct talked *talked)
{
	struct requests_stats stats;

	requests_stats(talked->requests, &stats);
	return stats;
}

/* Also where it is the first one, and nothing says where what is written begins. */
static void waits_for_a_call_that_goes_on(void **state)
{
	struct talked *talked = *state;

	for (uint32_t i = 1; i <= 3; i++) {
		read_response(talked, i * RESPONSE_BYTES, i * REQUEST_BYTES, true);
		assert_line(talked, "none");
		write_request(talked, i * REQUEST_BYTES, (i - 1) * RESPONSE_BYTES);
		assert_line(talked, "GET /a 200 -");
	}
	assert_int_equal(talked_account(talked, request_protocols__http).unknown, 0);
}

/* A write that was cut short: what is read next does not wait for the rest. */
static void waits_in_vain_once(void **state)
{
	struct talked *talked = *state;

	write_request(talked, REQUEST_BYTES, 0);
	read_response(talked, RESPONSE_BYTES, 2 * REQUEST_BYTES, true);
	assert_line(talked, "none");
	read_response(talked, 2 * RESPONSE_BYTES, REQUEST_BYTES, false);
	assert_line(talked, "GET /a 200 -");
}

/* Processes with connections of their own, each of which has an open request. */
static void ask_as(struct talked *talked, unsigned int number)
{
	talked->tid = TALKED_TID + (number >> 8);
	talked->fd = TALKED_FD + (number & 0xff);
	talked->ino = TALKED_INO + number;
	write_request(talked, REQUEST_BYTES, 0);
}

static void answer_early(struct talked *talked, unsigned int number)
{
	talked->tid = TALKED_TID + (number >> 8);
	talked->fd = TALKED_FD + (number & 0xff);
	talked->ino = TALKED_INO + number;
	read_response(talked, RESPONSE_BYTES, REQUEST_BYTES + 1, true);
}

/* Whose pieces came first, and are few, wait on: the process that has most makes room. */
static void nobody_takes_the_room_of_others(void **state)
{
	enum { MANY = EARLY_MAX + 3, FEW = 4, OTHER = 1 << 8, LEFT = MANY + FEW - EARLY_MAX };
	struct talked *talked = *state;

	for (unsigned int i = 0; i < FEW; i++) {
		ask_as(talked, OTHER + i);
		answer_early(talked, OTHER + i);
	}
	for (unsigned int i = 0; i < MANY; i++) {
		ask_as(talked, i);
		answer_early(talked, i);
	}
	assert_int_equal(stats_of(talked).hurried_for_room, LEFT);
	for (unsigned int i = 0; i < LEFT; i++) {
		const struct event *event = talked_next(talked);

		assert_non_null(event);
		assert_int_equal(event->tid, TALKED_TID);
		assert_int_equal(event_param_i64(event, request__fd), TALKED_FD + i);
	}
	assert_null(talked_next(talked));
	assert_int_equal(stats_of(talked).hurried_of_one, 0);
}

static void not_many_of_a_connection_wait(void **state)
{
	struct talked *talked = *state;

	for (uint32_t i = 1; i <= EARLY_OF_ONE_MAX; i++)
		write_request(talked, i * REQUEST_BYTES, 0);
	for (uint32_t i = 1; i <= EARLY_OF_ONE_MAX; i++) {
		read_response(talked, i * RESPONSE_BYTES, REQUEST_BYTES * 100, true);
		assert_line(talked, "none");
	}
	read_response(talked, (EARLY_OF_ONE_MAX + 1) * RESPONSE_BYTES, REQUEST_BYTES * 100, true);
	for (uint32_t i = 1; i <= EARLY_OF_ONE_MAX; i++)
		assert_line(talked, "GET /a 200 -");
	assert_int_equal(stats_of(talked).hurried_of_one, 1);
}

static void begin_as_server(struct talked *talked)
{
	talked_accept(talked);
	plaintext(talked, &(struct said){DIRECTION_IN, request, REQUEST_BYTES, 0, false});
}

static void write_response(struct talked *talked)
{
	plaintext(talked,
		  &(struct said){DIRECTION_OUT, response, RESPONSE_BYTES, REQUEST_BYTES, false});
}

/* The call that has sent the response returns when the socket is closed. */
static void a_response_is_told_after_the_close(void **state)
{
	struct talked *talked = *state;

	begin_as_server(talked);
	close_while_writing(talked);
	assert_line(talked, "none");
	write_response(talked);
	assert_line(talked, "GET /a 200 -");
	requests_step(talked->requests, talked->drive.ts_ns + UINT64_C(1000000000));
	assert_int_equal(stats_of(talked).followed, 0);
}

static void a_close_is_waited_with_for_a_second(void **state)
{
	struct talked *talked = *state;
	const struct event *event;
	uint64_t closed_ns;

	begin_as_server(talked);
	close_while_writing(talked);
	closed_ns = talked->drive.ts_ns;
	requests_step(talked->requests, closed_ns + 900000000);
	assert_line(talked, "none");
	requests_step(talked->requests, closed_ns + 1000000000);
	event = talked_next(talked);
	assert_non_null(event);
	assert_string_equal(event_param_string(event, request__error), "closed");
	assert_true(event->ts_ns <= closed_ns);
	assert_int_equal(stats_of(talked).followed, 0);
}

/* So that fields of the event know the descriptor. */
static void any_other_close_is_told_at_once(void **state)
{
	struct talked *talked = *state;

	begin_as_server(talked);
	talked_close(talked);
	assert_line(talked, "GET /a - closed");
	assert_int_equal(stats_of(talked).followed, 0);
}

/* Of a process that closes many the oldest ones end, not those of others that came before. */
static void not_many_closes_wait(void **state)
{
	enum { MANY = SOCKETS_CLOSING_MAX + 5 };
	struct talked *talked = *state;

	for (unsigned int i = 0; i <= MANY; i++) {
		talked->ino = TALKED_INO + i;
		talked->tid = i ? TALKED_TID : TALKED_TID + 1;
		begin_as_server(talked);
		close_while_writing(talked);
	}
	assert_int_equal(stats_of(talked).hurried_closes, MANY + 1 - SOCKETS_CLOSING_MAX);
	for (unsigned int i = 0; i < MANY + 1 - SOCKETS_CLOSING_MAX; i++) {
		const struct event *event = talked_next(talked);

		assert_non_null(event);
		assert_int_equal(event->tid, TALKED_TID);
	}
	assert_line(talked, "none");
	talked->ino = TALKED_INO;
	talked->tid = TALKED_TID + 1;
	write_response(talked);
	assert_line(talked, "GET /a 200 -");
	requests_end(talked->requests, talked->drive.ts_ns);
	for (unsigned int i = 1; i < SOCKETS_CLOSING_MAX; i++)
		assert_line(talked, "GET /a - closed");
	assert_line(talked, "none");
}

/* So long after the begin of the capture connections are new. */
static int setup(void **state)
{
	talked_setup_unconnected(state);
	((struct talked *)*state)->drive.ts_ns += UINT64_C(2000000000);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, talked_teardown)

static const struct CMUnitTest tests[] = {
	TEST(waits_for_a_call_that_goes_on),	  TEST(waits_in_vain_once),
	TEST(nobody_takes_the_room_of_others),	  TEST(not_many_of_a_connection_wait),
	TEST(a_response_is_told_after_the_close), TEST(a_close_is_waited_with_for_a_second),
	TEST(any_other_close_is_told_at_once),	  TEST(not_many_closes_wait),
};

UNIT_GROUP(tests);
