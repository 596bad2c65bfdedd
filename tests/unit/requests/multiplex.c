/* SPDX-License-Identifier: MIT */
/*
 * Connections of HTTP/2, both sides: streams one after the other and at once, cut at every byte,
 * from their beginning and from their middle, with gaps.
 */
#include <stdio.h>
#include <string.h>

#include "http2_said.h"
#include "requests/multiplex.h"
#include "talked.h"
#include "unit.h"
#include "util/buf.h"

enum { SIDES = 2, TURNS_MAX = 16 };

/* What both sides say, in turns. */
struct talk {
	struct talked talked;
	struct http2_said sides[SIDES]; /* by direction */
	struct buf turns[TURNS_MAX];
	enum recognition_direction directions[TURNS_MAX];
	unsigned int count;
};

#define GET_LINES(path) ":method: GET\n:scheme: http\n:authority: u:p@h:80\n:path: " path "\n"
#define CALL_LINES_TO(host, path)                                                                  \
	":method: POST\n:scheme: http\n:path: " path "\n:authority: " host                         \
	"\nte: trailers\ncontent-type: application/grpc\ngrpc-timeout: 500m\n"
#define CALL_LINES(path) CALL_LINES_TO("h", path)
#define OK_LINES ":status: 200\nserver: s\ncontent-type: text/html\n"
#define CALL_OK_LINES ":status: 200\ncontent-type: application/grpc\n"

static void begin_talk(struct talk *talk)
{
	memset(talk, 0, sizeof(*talk));
}

static struct http2_said *asks(struct talk *talk)
{
	return &talk->sides[DIRECTION_IN];
}

static struct http2_said *answers(struct talk *talk)
{
	return &talk->sides[DIRECTION_OUT];
}

/* What was said in a direction since the last turn of it is a turn. */
static void turn(struct talk *talk, enum recognition_direction direction)
{
	struct http2_said *said = &talk->sides[direction];

	assert_true(talk->count < TURNS_MAX);
	buf_append(&talk->turns[talk->count], said->bytes.data, said->bytes.len);
	talk->directions[talk->count++] = direction;
	http2_said_clear(said);
}

static void end_talk(struct talk *talk)
{
	for (unsigned int i = 0; i < talk->count; i++)
		buf_finish(&talk->turns[i]);
	for (unsigned int i = 0; i < SIDES; i++)
		http2_said_finish(&talk->sides[i]);
}

static void append_text(const struct event *event, unsigned int param, struct buf *lines)
{
	const char *text = event_param_string(event, param);

	buf_printf(lines, " %s", text ? text : "-");
}

static void append_number(const struct event *event, unsigned int param, const char *name,
			  struct buf *lines)
{
	if (event_param_present(event, param))
		buf_printf(lines, " %s%lld", name, (long long)event_param_i64(event, param));
}

/* All requests that have ended: "PROTOCOL METHOD TARGET HOST STATUS ERROR [messages] [undecoded]".
 */
static void append_requests(struct talked *talked, struct buf *lines)
{
	const struct event *event;

	while ((event = talked_next(talked))) {
		bool is_call = event_param_u64(event, request__protocol) == request_protocols__grpc;

		buf_append_string(lines, is_call ? "grpc" : "http");
		append_text(event, request__method, lines);
		append_text(event, request__target, lines);
		append_text(event, request__host, lines);
		append_number(event, request__status, "", lines);
		append_text(event, request__error, lines);
		append_number(event, request__request_messages, "asked=", lines);
		append_number(event, request__response_messages, "told=", lines);
		append_number(event, request__undecoded, "undecoded=", lines);
		buf_append_char(lines, '\n');
	}
}

/* Each turn in pieces of those sizes, the first one from its beginning; 0: all that is left. */
static void play(struct talk *talk, size_t first, size_t piece, struct buf *lines)
{
	for (unsigned int i = 0; i < talk->count; i++) {
		const struct buf *bytes = &talk->turns[i];
		size_t at = 0, n = first;

		while (at < bytes->len) {
			if (n == 0 || n > bytes->len - at)
				n = bytes->len - at;
			talked_piece(&talk->talked, talk->directions[i], bytes->data + at, n, n);
			at += n;
			n = piece;
			append_requests(&talk->talked, lines);
		}
	}
}

static void expect_cut(struct talk *talk, size_t first, size_t piece, const char *expected)
{
	struct buf lines = {0};

	talked_begin(&talk->talked, NULL);
	talked_accept(&talk->talked);
	play(talk, first, piece, &lines);
	talked_close(&talk->talked);
	append_requests(&talk->talked, &lines);
	buf_append_char(&lines, '\0');
	if (strcmp(lines.data, expected) != 0)
		print_error("pieces of %zu, %zu\n", first, piece);
	assert_string_equal(lines.data, expected);
	assert_int_equal(talked_account(&talk->talked, request_protocols__http).open, 0);
	assert_int_equal(talked_account(&talk->talked, request_protocols__grpc).open, 0);
	talked_finish(&talk->talked);
	buf_finish(&lines);
}

/* However the turns are cut, these are the requests. */
static void expect_lines(struct talk *talk, const char *expected)
{
	size_t longest = 0;

	for (unsigned int i = 0; i < talk->count; i++)
		longest = talk->turns[i].len > longest ? talk->turns[i].len : longest;
	for (size_t piece = 1; piece < 12; piece++)
		expect_cut(talk, piece, piece, expected);
	for (size_t first = 0; first < longest; first++)
		expect_cut(talk, first, 0, expected);
}

static void say_settings(struct talk *talk)
{
	http2_say(answers(talk), HTTP2_SETTINGS, 0, 0, "\0\3\0\0\0\200", 6);
	http2_say(answers(talk), HTTP2_SETTINGS, 1, 0, NULL, 0);
}

static void test_one(void **state)
{
	struct talk talk;

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 1, GET_LINES("/a?secret=1"));
	turn(&talk, DIRECTION_IN);
	say_settings(&talk);
	http2_say_headers(answers(&talk), 0, 1, OK_LINES);
	http2_say(answers(&talk), HTTP2_DATA, HTTP2_END_STREAM, 1, "hello", 5);
	turn(&talk, DIRECTION_OUT);
	http2_say(asks(&talk), HTTP2_SETTINGS, 1, 0, NULL, 0);
	http2_say_headers(asks(&talk), 0, 3, GET_LINES("/b"));
	http2_say(asks(&talk), HTTP2_DATA, HTTP2_END_STREAM, 3, "body", 4);
	turn(&talk, DIRECTION_IN);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 3, ":status: 503\n");
	turn(&talk, DIRECTION_OUT);
	expect_lines(&talk, "http GET /a h:80 200 -\nhttp GET /b h:80 503 503\n");
	end_talk(&talk);
}

/* Streams at once, whose frames take turns. */
static void test_interleaved(void **state)
{
	struct talk talk;

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 1, GET_LINES("/1"));
	http2_say_headers(asks(&talk), 0, 3, GET_LINES("/3"));
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 5, GET_LINES("/5"));
	http2_say(asks(&talk), HTTP2_DATA, HTTP2_END_STREAM, 3, "body", 4);
	turn(&talk, DIRECTION_IN);
	say_settings(&talk);
	http2_say_headers(answers(&talk), 0, 5, ":status: 404\n");
	http2_say_headers(answers(&talk), 0, 1, OK_LINES);
	http2_say(answers(&talk), HTTP2_DATA, 0, 5, "55555", 5);
	http2_say(answers(&talk), HTTP2_DATA, 0, 1, "11111", 5);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 3, ":status: 204\n");
	http2_say(answers(&talk), HTTP2_DATA, HTTP2_END_STREAM, 5, "", 0);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 1, "x-trailer: t\n");
	turn(&talk, DIRECTION_OUT);
	expect_lines(&talk, "http GET /3 h:80 204 -\nhttp GET /5 h:80 404 -\nhttp GET /1 h:80 200 "
			    "-\n");
	end_talk(&talk);
}

/* Padding, priority, CONTINUATION, 1xx, promises, frames of extensions: nothing is taken for what
 * it is not. */
static void test_odd_frames(void **state)
{
	struct talk talk;

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	http2_say(asks(&talk), HTTP2_PRIORITY, 0, 7, "\0\0\0\1\7", 5);
	http2_say_headers(asks(&talk), HTTP2_PADDED | HTTP2_WITH_PRIORITY | HTTP2_END_STREAM, 1,
			  GET_LINES("/padded"));
	http2_say_parts(asks(&talk), HTTP2_END_STREAM, 3, 5, GET_LINES("/parts"));
	http2_say(asks(&talk), 0x10, 0xff, 3, "anything", 8);
	http2_say(asks(&talk), HTTP2_WINDOW_UPDATE, 0, 3, "\0\0\1\0", 4);
	http2_say(asks(&talk), HTTP2_PING, 0, 0, "12345678", 8);
	turn(&talk, DIRECTION_IN);
	say_settings(&talk);
	http2_say_headers(answers(&talk), 0, 1, ":status: 103\nlink: x\n");
	http2_say_promise(answers(&talk), 1, GET_LINES("/pushed"));
	http2_say_headers(answers(&talk), 0, 2, OK_LINES);
	http2_say_headers(answers(&talk), HTTP2_PADDED, 1, OK_LINES);
	http2_say(answers(&talk), HTTP2_DATA, HTTP2_PADDED, 1, "\3abc\0\0\0", 7);
	http2_say(answers(&talk), HTTP2_DATA, HTTP2_END_STREAM, 2, "pushed", 6);
	http2_say_parts(answers(&talk), 0, 3, 1, OK_LINES);
	http2_say(answers(&talk), HTTP2_DATA, HTTP2_END_STREAM | HTTP2_PADDED, 3, "\3\0\0\0", 4);
	http2_say(answers(&talk), HTTP2_DATA, HTTP2_END_STREAM, 1, "", 0);
	turn(&talk, DIRECTION_OUT);
	expect_lines(&talk, "http GET /parts h:80 200 -\nhttp GET /padded h:80 200 -\n");
	end_talk(&talk);
}

/* Calls of gRPC: their status is in the last headers, or the only ones; messages are counted
 * however they are divided into frames. */
static void test_calls(void **state)
{
	struct talk talk;

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	http2_say_headers(asks(&talk), 0, 1, CALL_LINES("/pkg.Svc/One"));
	http2_say_message(asks(&talk), HTTP2_END_STREAM, 1, 20, 0);
	http2_say_headers(asks(&talk), 0, 3, CALL_LINES("/pkg.Svc/Many"));
	http2_say_message(asks(&talk), 0, 3, 0, 0);
	http2_say_message(asks(&talk), 0, 3, 9, 2);
	http2_say_headers(asks(&talk), 0, 5, CALL_LINES("/pkg.Svc/None"));
	http2_say_message(asks(&talk), HTTP2_END_STREAM, 5, 3, 1);
	http2_say_message(asks(&talk), 0, 3, 700, 300);
	http2_say(asks(&talk), HTTP2_DATA, HTTP2_END_STREAM, 3, NULL, 0);
	turn(&talk, DIRECTION_IN);
	say_settings(&talk);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 5, CALL_OK_LINES "grpc-status: 12\n");
	http2_say_headers(answers(&talk), 0, 1, CALL_OK_LINES);
	http2_say_message(answers(&talk), 0, 1, 5, 0);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 1, "grpc-status: 0\n");
	http2_say_headers(answers(&talk), 0, 3, CALL_OK_LINES);
	http2_say_message(answers(&talk), 0, 3, 5, 3);
	http2_say_message(answers(&talk), 0, 3, 6, 4);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 3,
			  "grpc-status: 5\ngrpc-message: secret\n");
	turn(&talk, DIRECTION_OUT);
	expect_lines(&talk, "grpc None pkg.Svc h 12 UNIMPLEMENTED asked=1 told=0\n"
			    "grpc One pkg.Svc h 0 - asked=1 told=1\n"
			    "grpc Many pkg.Svc h 5 - asked=3 told=2\n");
	end_talk(&talk);
}

/* What a proxy says in place of the server is no status of a call. */
static void test_calls_that_fail(void **state)
{
	struct talk talk;

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	for (uint32_t stream = 1; stream < 12; stream += 2) {
		http2_say_headers(asks(&talk), 0, stream, CALL_LINES("/S/M"));
		http2_say_message(asks(&talk), HTTP2_END_STREAM, stream, 1, 0);
	}
	turn(&talk, DIRECTION_IN);
	say_settings(&talk);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 1, ":status: 502\n");
	http2_say_reset(answers(&talk), 3, 7);
	http2_say_headers(answers(&talk), 0, 5, CALL_OK_LINES);
	http2_say_reset(answers(&talk), 5, 200);
	turn(&talk, DIRECTION_OUT);
	http2_say_reset(asks(&talk), 7, 8);
	turn(&talk, DIRECTION_IN);
	http2_say_goaway(answers(&talk), 9, 0);
	/* Of one that the client has given up. */
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 7, CALL_OK_LINES "grpc-status: 0\n");
	turn(&talk, DIRECTION_OUT);
	expect_lines(&talk, "grpc M S h 502 asked=1 told=0\n"
			    "grpc M S h 14 UNAVAILABLE asked=1 told=0\n"
			    "grpc M S h 13 INTERNAL asked=1 told=0\n"
			    "grpc M S h 1 - asked=1 told=0\n"
			    "grpc M S h 14 UNAVAILABLE asked=1 told=0\n"
			    "grpc M S h closed asked=1 told=0\n");
	end_talk(&talk);
}

/* A client resets a call that may take 500 ms, after so long. */
static void expect_reset(uint32_t code, bool is_client, uint64_t after_ns, const char *expected)
{
	struct talk talk;
	struct buf lines = {0};

	begin_talk(&talk);
	talked_begin(&talk.talked, NULL);
	if (is_client)
		talked_connect(&talk.talked, 1000);
	else
		talked_accept(&talk.talked);
	http2_say_preface(asks(&talk));
	http2_say_headers(asks(&talk), 0, 1, CALL_LINES("/S/Watch"));
	http2_say_message(asks(&talk), 0, 1, 1, 0);
	turn(&talk, DIRECTION_IN);
	talk.directions[0] = is_client ? DIRECTION_OUT : DIRECTION_IN;
	play(&talk, 0, 0, &lines);
	talk.talked.drive.ts_ns += after_ns;
	end_talk(&talk);
	talk.count = 0;
	http2_say_reset(asks(&talk), 1, code);
	turn(&talk, DIRECTION_IN);
	talk.directions[0] = is_client ? DIRECTION_OUT : DIRECTION_IN;
	play(&talk, 0, 0, &lines);
	buf_append_char(&lines, '\0');
	assert_string_equal(lines.data, expected);
	talked_finish(&talk.talked);
	end_talk(&talk);
	buf_finish(&lines);
}

/* That it hangs up is no fault of the server, unless it has waited for as long as it would. */
static void test_calls_that_are_reset(void **state)
{
	expect_reset(8, false, 1000, "grpc Watch S h 1 - asked=1 told=0\n");
	expect_reset(8, true, 1000, "grpc Watch S h 1 CANCELLED asked=1 told=0\n");
	expect_reset(8, false, 500000000, "grpc Watch S h 4 DEADLINE_EXCEEDED asked=1 told=0\n");
	expect_reset(8, true, 500000000, "grpc Watch S h 4 DEADLINE_EXCEEDED asked=1 told=0\n");
	expect_reset(8, true, 492000000, "grpc Watch S h 4 DEADLINE_EXCEEDED asked=1 told=0\n");
	expect_reset(8, true, 490000000, "grpc Watch S h 1 CANCELLED asked=1 told=0\n");
	expect_reset(11, true, 500000000, "grpc Watch S h 8 RESOURCE_EXHAUSTED asked=1 told=0\n");
	expect_reset(11, false, 500000000, "grpc Watch S h 8 - asked=1 told=0\n");
	expect_reset(12, true, 0, "grpc Watch S h 7 PERMISSION_DENIED asked=1 told=0\n");
	expect_reset(1, false, 0, "grpc Watch S h 13 INTERNAL asked=1 told=0\n");
}

/* What a server has said so far is one piece. */
static void answer_at_once(struct talk *talk)
{
	talked_piece(&talk->talked, DIRECTION_OUT, answers(talk)->bytes.data,
		     answers(talk)->bytes.len, answers(talk)->bytes.len);
	http2_said_clear(answers(talk));
}

static void answer_wrongly(struct talk *talk, unsigned int times)
{
	static const uint8_t index_of_nothing = 0x80;

	for (unsigned int i = 0; i < times; i++)
		http2_say(answers(talk), HTTP2_HEADERS, HTTP2_END_HEADERS, 1, &index_of_nothing, 1);
}

static void begin_many(struct talk *talk, uint32_t last)
{
	begin_talk(talk);
	talked_begin(&talk->talked, NULL);
	talked_accept(&talk->talked);
	http2_say_preface(asks(talk));
	for (uint32_t stream = 1; stream <= last; stream += 2)
		http2_say_headers(asks(talk), HTTP2_END_STREAM, stream, GET_LINES("/"));
	talked_piece(&talk->talked, DIRECTION_IN, asks(talk)->bytes.data, asks(talk)->bytes.len,
		     asks(talk)->bytes.len);
	say_settings(talk);
	answer_at_once(talk);
}

/* Nobody makes one look for his place over and over: a whole response makes up for one time. */
static void test_many_losses(void **state)
{
	struct requests_stats stats;
	struct talk talk;

	begin_many(&talk, 39);
	for (uint32_t stream = 3; stream <= 9; stream += 2) {
		answer_wrongly(&talk, 7);
		answer_at_once(&talk);
		answer_wrongly(&talk, 7);
		answer_at_once(&talk);
		http2_say_headers(answers(&talk), HTTP2_END_STREAM, stream, OK_LINES);
		say_settings(&talk);
		say_settings(&talk);
		answer_at_once(&talk);
	}
	requests_stats(talk.talked.requests, &stats);
	assert_int_equal(stats.given_up, 2);
	assert_int_equal(stats.opaque, 1);
	talked_finish(&talk.talked);
	end_talk(&talk);
}

/* Behind so many of them in a piece the rest of it is left out. */
static void test_losses_of_a_piece(void **state)
{
	struct talk talk;

	for (unsigned int losses = 7; losses <= 8; losses++) {
		begin_many(&talk, 9);
		answer_wrongly(&talk, losses);
		http2_say_headers(answers(&talk), HTTP2_END_STREAM, 3, OK_LINES);
		say_settings(&talk);
		say_settings(&talk);
		answer_at_once(&talk);
		if (losses < 8)
			assert_line(&talk.talked, "GET / 200 -");
		assert_line(&talk.talked, "none");
		http2_say_headers(answers(&talk), HTTP2_END_STREAM, 5, OK_LINES);
		say_settings(&talk);
		say_settings(&talk);
		answer_at_once(&talk);
		assert_line(&talk.talked, "GET / 200 -");
		talked_finish(&talk.talked);
		end_talk(&talk);
	}
}

/* The thread that reads may be faster than the one that writes. */
static void test_response_first(void **state)
{
	struct talk talk;

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	turn(&talk, DIRECTION_IN);
	say_settings(&talk);
	http2_say_headers(answers(&talk), 0, 1, CALL_OK_LINES);
	http2_say_message(answers(&talk), 0, 1, 5, 0);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 1, "grpc-status: 0\n");
	turn(&talk, DIRECTION_OUT);
	http2_say_headers(asks(&talk), 0, 1, CALL_LINES("/S/M"));
	http2_say_message(asks(&talk), 0, 1, 5, 0);
	turn(&talk, DIRECTION_IN);
	http2_say_message(asks(&talk), HTTP2_END_STREAM, 1, 5, 0);
	turn(&talk, DIRECTION_IN);
	expect_lines(&talk, "grpc M S h 0 - asked=2 told=1\n");
	end_talk(&talk);
}

/*
 * The first turns are before the capture: what refers to them is left out and counted, what is said
 * anew is right.
 */
static void test_from_the_middle(void **state)
{
	struct talk talk;

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	http2_say_headers(asks(&talk), 0, 1, CALL_LINES("/S/Old"));
	http2_say_headers(answers(&talk), 0, 1, CALL_OK_LINES "x: y\n");
	http2_said_clear(asks(&talk));
	http2_said_clear(answers(&talk));
	for (uint32_t stream = 3; stream < 8; stream += 2) {
		http2_say_headers(asks(&talk), 0, stream,
				  stream == 3 ? CALL_LINES("/S/Old")
					      : CALL_LINES_TO("g", "/S/New"));
		http2_say_message(asks(&talk), HTTP2_END_STREAM, stream, 5, 0);
		turn(&talk, DIRECTION_IN);
		http2_say_headers(answers(&talk), 0, stream, CALL_OK_LINES);
		http2_say_message(answers(&talk), 0, stream, 5, 0);
		http2_say_headers(answers(&talk), HTTP2_END_STREAM, stream, "grpc-status: 3\n");
		turn(&talk, DIRECTION_OUT);
	}
	expect_lines(&talk, "grpc Old S - 3 - undecoded=5\n"
			    "grpc New S g 3 - undecoded=4\n"
			    "grpc New S g 3 - undecoded=4\n");
	end_talk(&talk);
}

/* An old protocol that goes over to it: the request is the first stream. */
static void test_upgrade(void **state)
{
	static const char ask[] = "GET /up?x=1 HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, "
				  "HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n\r\n",
			  answer[] = "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: "
				     "h2c\r\n\r\n";
	struct talk talk;

	begin_talk(&talk);
	buf_append_string(&asks(&talk)->bytes, ask);
	turn(&talk, DIRECTION_IN);
	buf_append_string(&answers(&talk)->bytes, answer);
	say_settings(&talk);
	http2_say_headers(answers(&talk), 0, 1, OK_LINES);
	http2_say(answers(&talk), HTTP2_DATA, HTTP2_END_STREAM, 1, "hello", 5);
	turn(&talk, DIRECTION_OUT);
	http2_say_preface(asks(&talk));
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 3, GET_LINES("/next"));
	turn(&talk, DIRECTION_IN);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 3, ":status: 404\n");
	turn(&talk, DIRECTION_OUT);
	expect_lines(&talk, "http GET /up h 200 -\nhttp GET /next h:80 404 -\n");
	end_talk(&talk);
}

/*
 * Bytes that nobody saw: what they may have been of is lost, never reported wrong; streams that
 * begin behind them are as ever.
 */
static void test_gaps(void **state)
{
	struct talked *talked = *state;
	struct requests_protocol_stats account;
	struct talk talk;
	struct buf lines = {0};

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 1, GET_LINES("/1"));
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 3, GET_LINES("/3"));
	talked_piece(talked, DIRECTION_IN, asks(&talk)->bytes.data, asks(&talk)->bytes.len,
		     asks(&talk)->bytes.len);
	say_settings(&talk);
	http2_say_headers(answers(&talk), 0, 1, OK_LINES);
	talked_piece(talked, DIRECTION_OUT, answers(&talk)->bytes.data, answers(&talk)->bytes.len,
		     answers(&talk)->bytes.len);
	talked_miss(talked, DIRECTION_OUT, 500);
	http2_said_clear(answers(&talk));
	http2_say(answers(&talk), HTTP2_DATA, HTTP2_END_STREAM, 1, "rest", 4);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 3, OK_LINES);
	talked_piece(talked, DIRECTION_OUT, answers(&talk)->bytes.data, answers(&talk)->bytes.len,
		     answers(&talk)->bytes.len);
	append_requests(talked, &lines);
	buf_append_char(&lines, '\0');
	/* The status is in the static table; the two others are in what is lost. */
	assert_string_equal(lines.data, "http GET /1 h:80 200 -\n"
					"http GET /3 h:80 200 - undecoded=2\n");
	account = talked_account(talked, request_protocols__http);
	assert_int_equal(account.lost, 0);
	assert_int_equal(account.open, 0);
	buf_finish(&lines);
	end_talk(&talk);
}

/* Requests in a gap: their responses are not those of others. */
static void test_lost_requests(void **state)
{
	struct talked *talked = *state;
	struct requests_protocol_stats account;
	struct talk talk;
	struct buf lines = {0};

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 1, GET_LINES("/1"));
	talked_piece(talked, DIRECTION_IN, asks(&talk)->bytes.data, asks(&talk)->bytes.len,
		     asks(&talk)->bytes.len);
	http2_said_clear(asks(&talk));
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 3, GET_LINES("/3"));
	talked_miss(talked, DIRECTION_IN, asks(&talk)->bytes.len);
	http2_said_clear(asks(&talk));
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 5, GET_LINES("/5"));
	talked_piece(talked, DIRECTION_IN, asks(&talk)->bytes.data, asks(&talk)->bytes.len,
		     asks(&talk)->bytes.len);
	say_settings(&talk);
	for (uint32_t stream = 1; stream < 6; stream += 2)
		http2_say_headers(answers(&talk), HTTP2_END_STREAM, stream, OK_LINES);
	talked_piece(talked, DIRECTION_OUT, answers(&talk)->bytes.data, answers(&talk)->bytes.len,
		     answers(&talk)->bytes.len);
	append_requests(talked, &lines);
	buf_append_char(&lines, '\0');
	assert_string_equal(lines.data,
			    "http GET /1 h:80 200 -\nhttp GET /5 - 200 - undecoded=1\n");
	account = talked_account(talked, request_protocols__http);
	assert_int_equal(account.seen, 3);
	assert_int_equal(account.lost, 1);
	buf_finish(&lines);
	end_talk(&talk);
}

/* A response whose request is in a gap: it is lost, and none without a method is told. */
static void test_early_with_a_gap(void **state)
{
	struct talked *talked = *state;
	struct talk talk;

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	talked_piece(talked, DIRECTION_IN, asks(&talk)->bytes.data, asks(&talk)->bytes.len,
		     asks(&talk)->bytes.len);
	http2_say_headers(answers(&talk), 0, 1, OK_LINES);
	talked_piece(talked, DIRECTION_OUT, answers(&talk)->bytes.data, answers(&talk)->bytes.len,
		     answers(&talk)->bytes.len);
	http2_said_clear(asks(&talk));
	http2_said_clear(answers(&talk));
	talked_miss(talked, DIRECTION_IN, 100);
	http2_say(asks(&talk), HTTP2_PING, 1, 0, "12345678", 8);
	talked_piece(talked, DIRECTION_IN, asks(&talk)->bytes.data, asks(&talk)->bytes.len,
		     asks(&talk)->bytes.len);
	http2_say(answers(&talk), HTTP2_DATA, HTTP2_END_STREAM, 1, "x", 1);
	talked_piece(talked, DIRECTION_OUT, answers(&talk)->bytes.data, answers(&talk)->bytes.len,
		     answers(&talk)->bytes.len);
	assert_null(talked_next(talked));
	assert_int_equal(talked_account(talked, request_protocols__http).lost, 1);
	assert_int_equal(talked_account(talked, request_protocols__http).open, 0);
	end_talk(&talk);
}

/* Headers of the wrong side say nothing, a tunnel has its authority as target, a time that is
 * longer than can be said is cut. */
static void test_odd_headers(void **state)
{
	struct talk talk;

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 1, GET_LINES("/a") "grpc-status: 0\n");
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 3, ":method: CONNECT\n:authority: h:1\n");
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 5,
			  ":method: CONNECT\n:protocol: websocket\n:authority: h\n:path: /chat\n");
	turn(&talk, DIRECTION_IN);
	for (uint32_t stream = 1; stream < 6; stream += 2)
		http2_say_headers(answers(&talk), HTTP2_END_STREAM, stream, OK_LINES);
	turn(&talk, DIRECTION_OUT);
	expect_lines(&talk, "http GET /a h:80 200 -\nhttp CONNECT h:1 h:1 200 -\n"
			    "http CONNECT /chat h 200 -\n");
	end_talk(&talk);
}

/* Fields without a name are none that could be told; a table that is full of them is as any other
 * one. */
static void test_costly_headers(void **state)
{
	enum { ENTRIES = 5000 };
	struct talked *talked = *state;
	/* Behind a size of 64 KiB. */
	uint8_t block[4 + 3 * ENTRIES];
	struct talk talk;
	size_t len = 0;

	block[len++] = 0x3f;
	block[len++] = 0xe1;
	block[len++] = 0xff;
	block[len++] = 0x03;
	while (len + 3 <= sizeof(block)) {
		block[len] = 0x40;
		block[len + 1] = block[len + 2] = 0;
		len += 3;
	}
	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	http2_say(asks(&talk), HTTP2_HEADERS, HTTP2_END_HEADERS | HTTP2_END_STREAM, 1, block, len);
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, 3, GET_LINES("/b"));
	talked_piece(talked, DIRECTION_IN, asks(&talk)->bytes.data, asks(&talk)->bytes.len,
		     asks(&talk)->bytes.len);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 1, OK_LINES);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 3, OK_LINES);
	talked_piece(talked, DIRECTION_OUT, answers(&talk)->bytes.data, answers(&talk)->bytes.len,
		     answers(&talk)->bytes.len);
	assert_int_equal(event_param_i64(talked_next(talked), request__undecoded), ENTRIES);
	assert_line(talked, "GET /b 200 -");
	end_talk(&talk);
}

/* One that has no room stays without, though one that came before it has just made some. */
static void test_room_that_comes_late(void **state)
{
	struct talked *talked = *state;
	struct talk talk;
	uint32_t stream = 1;

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	for (; stream < 2 * REQUESTS_PER_SOCKET_MAX - 1; stream += 2)
		http2_say_headers(asks(&talk), HTTP2_END_STREAM, stream, GET_LINES("/"));
	talked_piece(talked, DIRECTION_IN, asks(&talk)->bytes.data, asks(&talk)->bytes.len,
		     asks(&talk)->bytes.len);
	http2_said_clear(asks(&talk));
	http2_say_headers(answers(&talk), 0, stream, OK_LINES);
	talked_piece(talked, DIRECTION_OUT, answers(&talk)->bytes.data, answers(&talk)->bytes.len,
		     answers(&talk)->bytes.len);
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, stream + 2, GET_LINES("/late"));
	talked_piece(talked, DIRECTION_IN, asks(&talk)->bytes.data, asks(&talk)->bytes.len,
		     asks(&talk)->bytes.len);
	assert_int_equal(talked_account(talked, request_protocols__http).open,
			 REQUESTS_PER_SOCKET_MAX - 1);
	/* The early one has no request, and that of the late one had no room. */
	assert_int_equal(talked_account(talked, request_protocols__http).unknown, 1);
	assert_int_equal(talked_account(talked, request_protocols__http).lost, 1);
	talked_close(talked);
	assert_int_equal(talked_account(talked, request_protocols__http).open, 0);
	end_talk(&talk);
}

static void say_piece(struct talked *talked, struct http2_said *said,
		      enum recognition_direction direction)
{
	talked_piece(talked, direction, said->bytes.data, said->bytes.len, said->bytes.len);
	http2_said_clear(said);
}

/* Streams that are not answered in time are told once, and take no room from those that follow. */
static void test_timeout(void **state)
{
	struct talked *talked = *state;
	struct talk talk;
	uint32_t stream = 1;

	begin_talk(&talk);
	http2_say_preface(asks(&talk));
	for (; stream < 2 * REQUESTS_PER_SOCKET_MAX; stream += 2)
		http2_say_headers(asks(&talk), HTTP2_END_STREAM, stream, GET_LINES("/slow"));
	say_piece(talked, asks(&talk), DIRECTION_IN);
	say_settings(&talk);
	say_piece(talked, answers(&talk), DIRECTION_OUT);
	talked->drive.ts_ns += REQUESTS_TIMEOUT_NS + 1;
	requests_step(talked->requests, talked->drive.ts_ns);
	for (int i = 0; i < REQUESTS_PER_SOCKET_MAX; i++)
		assert_line(talked, "GET /slow - timeout");
	http2_say_headers(asks(&talk), HTTP2_END_STREAM, stream, GET_LINES("/b"));
	say_piece(talked, asks(&talk), DIRECTION_IN);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, 1, OK_LINES);
	http2_say_headers(answers(&talk), HTTP2_END_STREAM, stream, OK_LINES);
	say_piece(talked, answers(&talk), DIRECTION_OUT);
	assert_line(talked, "GET /b 200 -");
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, request_protocols__http).lost, 0);
	end_talk(&talk);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one),
	cmocka_unit_test(test_interleaved),
	cmocka_unit_test(test_odd_frames),
	cmocka_unit_test(test_calls),
	cmocka_unit_test(test_calls_that_fail),
	cmocka_unit_test(test_calls_that_are_reset),
	cmocka_unit_test(test_many_losses),
	cmocka_unit_test(test_losses_of_a_piece),
	cmocka_unit_test(test_response_first),
	cmocka_unit_test(test_from_the_middle),
	cmocka_unit_test(test_upgrade),
	cmocka_unit_test(test_odd_headers),
	cmocka_unit_test_setup_teardown(test_early_with_a_gap, talked_setup, talked_teardown),
	cmocka_unit_test_setup_teardown(test_costly_headers, talked_setup, talked_teardown),
	cmocka_unit_test_setup_teardown(test_room_that_comes_late, talked_setup, talked_teardown),
	cmocka_unit_test_setup_teardown(test_timeout, talked_setup, talked_teardown),
	cmocka_unit_test_setup_teardown(test_gaps, talked_setup, talked_teardown),
	cmocka_unit_test_setup_teardown(test_lost_requests, talked_setup, talked_teardown),
};

UNIT_GROUP(tests);
