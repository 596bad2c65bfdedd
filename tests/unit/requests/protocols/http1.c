/* SPDX-License-Identifier: MIT */
/* HTTP/1.x: what is taken of heads, and where messages end, however the bytes come. */
#include "unit.h"
#include "spoken_rows.h"

#include <string.h>

/* Requests that responses answer. */
static const struct protocol_message get = {.method = "GET"}, head = {.method = "HEAD"};
static const struct protocol_message connect_ = {.method = "CONNECT"};
static const struct protocol_message heads[] = {
	{.method = "HEAD"}, {.method = "HEAD"}, {.method = "GET"}};
static const struct protocol_message gets[] = {
	{.method = "GET"}, {.method = "GET"}, {.method = "GET"}};

static const struct spoken_row requests[] = {
	{"plain", PROTOCOL_REQUESTS, "GET /a/b?password=x HTTP/1.1\r\nHost: example.com\r\n\r\n",
	 "GET /a/b host=example.com 51\nwhole\n"},
	{"HTTP/1.0, no header", PROTOCOL_REQUESTS, "GET / HTTP/1.0\r\n\r\n", "GET / 18\nwhole\n"},
	{"body", PROTOCOL_REQUESTS,
	 "POST /p HTTP/1.1\r\ncontent-LENGTH:  5 \r\nhost:h\r\n\r\nGET /",
	 "POST /p host=h 54\nwhole\n"},
	{"pipelined", PROTOCOL_REQUESTS,
	 "GET /1 HTTP/1.1\r\n\r\nPUT /2#f HTTP/1.1\r\nContent-Length: 2\r\n\r\nxxHEAD /3 "
	 "HTTP/1.1\r\n\r\n",
	 "GET /1 19\nPUT /2 42\nHEAD /3 20\nwhole\n"},
	{"absolute", PROTOCOL_REQUESTS,
	 "GET http://user:secret@h.example:80/x?y HTTP/1.1\r\nHost: other\r\n\r\n",
	 "GET /x host=h.example:80 65\nwhole\n"},
	{"absolute without path", PROTOCOL_REQUESTS, "GET HTTPS://h HTTP/1.1\r\n\r\n",
	 "GET / host=h 26\nwhole\n"},
	{"absolute, query without path", PROTOCOL_REQUESTS,
	 "GET http://h?k=secret HTTP/1.1\r\n\r\n", "GET / host=h 34\nwhole\n"},
	{"authority", PROTOCOL_REQUESTS, "CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n",
	 "CONNECT h:443 host=h:443 35\nwhole\n"},
	{"asterisk", PROTOCOL_REQUESTS, "OPTIONS * HTTP/1.1\r\n\r\n", "OPTIONS * 22\nwhole\n"},
	{"unknown method", PROTOCOL_REQUESTS, "BREW-ME /pot HTTP/1.1\r\n\r\n",
	 "BREW-ME /pot 25\nwhole\n"},
	{"LF alone", PROTOCOL_REQUESTS, "GET / HTTP/1.1\nHost: h\n\nGET /2 HTTP/1.1\n\n",
	 "GET / host=h 24\nGET /2 17\nwhole\n"},
	{"empty lines before", PROTOCOL_REQUESTS,
	 "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx\r\n\r\nGET / HTTP/1.1\r\n\r\n",
	 "POST / 39\nGET / 18\nwhole\n"},
	{"blanks behind the version", PROTOCOL_REQUESTS, "GET / HTTP/1.1 \r\n\r\n",
	 "GET / 19\nwhole\n"},
	{"folded", PROTOCOL_REQUESTS,
	 "GET / HTTP/1.1\r\nA: b\r\n Host: no\r\nHost: h\r\n\tx\r\n\r\n",
	 "GET / host=h 48\nwhole\n"},
	{"folded length", PROTOCOL_REQUESTS, "POST / HTTP/1.1\r\nContent-Length: 1\r\n 2\r\n\r\n",
	 "POST / 42\nlost\n"},
	{"headers that resemble others", PROTOCOL_REQUESTS,
	 "GET / HTTP/1.1\r\nHosts: a\r\nHos: b\r\nContent-Lengt: 4\r\nX-Host: h\r\nHost\r\n\r\n",
	 "GET / 71\nwhole\n"},
	{"expects 100", PROTOCOL_REQUESTS,
	 "PUT /f HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabcGET / "
	 "HTTP/1.1\r\n\r\n",
	 "PUT /f 63\nGET / 18\nwhole\n"},
	{"chunked", PROTOCOL_REQUESTS,
	 "POST /c HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n"
	 "5;ext=\"v\"\r\nGET /\r\n1A \r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\nGET / "
	 "HTTP/1.1\r\n\r\n",
	 "POST /c 110\nGET / 18\nwhole\n"},
	{"chunked, trailers", PROTOCOL_REQUESTS,
	 "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n"
	 "000\r\nChecksum: x\r\nHost: no\r\n\r\nGET / HTTP/1.1\r\n\r\n",
	 "POST /c 97\nGET / 18\nwhole\n"},
	{"chunk without length", PROTOCOL_REQUESTS,
	 "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "POST / 50\nlost\n"},
	{"chunk of too many digits", PROTOCOL_REQUESTS,
	 "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1234567890abcdef\r\n",
	 "POST / 65\nlost\n"},
	{"coding without end", PROTOCOL_REQUESTS,
	 "POST / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", "POST / 53\nlost\n"},
	{"lengths that differ", PROTOCOL_REQUESTS,
	 "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", "POST / 57\nlost\n"},
	{"the same length twice", PROTOCOL_REQUESTS,
	 "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 01\r\n\r\nx",
	 "POST / 59\nwhole\n"},
	{"length with a sign", PROTOCOL_REQUESTS, "POST / HTTP/1.1\r\nContent-Length: -3\r\n\r\n",
	 "POST / 39\nlost\n"},
	{"length too long", PROTOCOL_REQUESTS,
	 "POST / HTTP/1.1\r\nContent-Length: 1234567890123456789\r\n\r\n", "POST / 56\nlost\n"},
	{"length empty", PROTOCOL_REQUESTS, "POST / HTTP/1.1\r\nContent-Length:\r\n\r\n",
	 "POST / 36\nlost\n"},
	{"no version", PROTOCOL_REQUESTS, "GET /\r\n\r\n", "lost\n"},
	{"no target", PROTOCOL_REQUESTS, "GET HTTP/1.1\r\n\r\n", "lost\n"},
	{"another version", PROTOCOL_REQUESTS, "OPTIONS sip:a SIP/2.0\r\n\r\n", "lost\n"},
	{"HTTP/2", PROTOCOL_REQUESTS, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "lost\n"},
	{"lower case", PROTOCOL_REQUESTS, "get / HTTP/1.1\r\n\r\n", "lost\n"},
	{"not yet all", PROTOCOL_REQUESTS, "GET / HTTP/1.1\r\nHost: h", "waits\n"},
	{"not yet all, but lines of it", PROTOCOL_REQUESTS, "GET / HTTP/1.1\r\nHost: h\r\n",
	 "inside\n"},
};

#define TRACED(headers, trace)                                                                     \
	{                                                                                          \
		headers, PROTOCOL_REQUESTS, "GET / HTTP/1.1\r\nH: h\r\n" headers "\r\n\r\n", trace \
	}
#define TRACE "0af7651916cd43dd8448eb211c80319c"

/* Trace ids; the length of the request is what the last column ends with. */
static const struct spoken_row traces[] = {
	TRACED("traceparent: 00-" TRACE "-b7ad6b7169203331-01",
	       "GET / trace=" TRACE " 94\nwhole\n"),
	TRACED("TRACEPARENT: cc-" TRACE "-b7ad6b7169203331-01-new",
	       "GET / trace=" TRACE " 98\nwhole\n"),
	TRACED("traceparent: 00-00000000000000000000000000000000-b7ad6b7169203331-01",
	       "GET / 94\nwhole\n"),
	TRACED("traceparent: 00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
	       "GET / 93\nwhole\n"),
	TRACED("b3: " TRACE "-e457b5a2e4d86bd1-1-05e3ac9a4f6e3b90",
	       "GET / trace=" TRACE " 98\nwhole\n"),
	TRACED("b3: 0", "GET / 31\nwhole\n"),
	TRACED("b3: 1", "GET / 31\nwhole\n"),
	TRACED("X-B3-TraceId: 64fe8b2a57d3eff7", "GET / trace=64fe8b2a57d3eff7 56\nwhole\n"),
	TRACED("X-B3-TraceId: 64fe8b2a57d3eff7x", "GET / 57\nwhole\n"),
	TRACED("uber-trace-id: 3bf92:a1:0:1", "GET / trace=3bf92 53\nwhole\n"),
	TRACED("uber-trace-id: 3bf92%3Aa1%3A0%3A1", "GET / trace=3bf92 59\nwhole\n"),
	TRACED("sw8: 1-VFJBQ0UuMS4y-c2Vn-3-c3Y=-aQ==-L3A=-cA==",
	       "GET / trace=TRACE.1.2 72\nwhole\n"),
	TRACED("sw8: 1-***-c2Vn-3", "GET / 43\nwhole\n"),
	TRACED("sw8: 1", "GET / 32\nwhole\n"),
	TRACED("b3: 64fe8b2a57d3eff7-1-1\r\ntraceparent: 00-" TRACE
	       "-b7ad6b7169203331-01\r\nuber-trace-id: 3bf92:a1:0:1",
	       "GET / trace=" TRACE " 149\nwhole\n"),
};

static const struct spoken_row responses[] = {
	{"plain", PROTOCOL_RESPONSES,
	 "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbodyHTTP/1.1 204\r\n\r\n",
	 "200 42\n204 16\nwhole\n", gets, 3},
	{"errors", PROTOCOL_RESPONSES,
	 "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\nHTTP/1.0 503 \r\nContent-Length: "
	 "1\r\n\r\nx",
	 "404 error=404 45\n503 error=503 37\nwhole\n", gets, 3},
	{"until the end", PROTOCOL_RESPONSES, "HTTP/1.0 200 OK\r\nServer: s\r\n\r\nbody",
	 "200 end\nskips\n", &get, 1},
	{"aside", PROTOCOL_RESPONSES,
	 "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 "
	 "OK\r\nContent-Length: 1\r\n\r\nx",
	 "100 aside 25\n103 aside 31\n200 39\nwhole\n", &get, 1},
	{"switches", PROTOCOL_RESPONSES,
	 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x05hello",
	 "101 56\nleaves\n", &get, 1},
	{"of HEAD", PROTOCOL_RESPONSES,
	 "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: "
	 "chunked\r\n\r\n"
	 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nxx",
	 "200 38\n200 47\n200 40\nwhole\n", heads, 3},
	{"of HEAD without length", PROTOCOL_RESPONSES, "HTTP/1.1 200 OK\r\n\r\n", "200 19\nwhole\n",
	 &head, 1},
	{"none modified", PROTOCOL_RESPONSES,
	 "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\nHTTP/1.1 204 No "
	 "Content\r\nContent-Length: 7\r\n\r\n",
	 "304 50\n204 46\nwhole\n", gets, 3},
	{"to CONNECT", PROTOCOL_RESPONSES, "HTTP/1.1 200 Connected\r\n\r\n\x16\x03\x01",
	 "200 26\nleaves\n", &connect_, 1},
	{"CONNECT refused", PROTOCOL_RESPONSES,
	 "HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nnoHTTP/1.1 200 OK\r\n\r\n",
	 "407 error=407 40\n200 end\nskips\n", &connect_, 1},
	{"chunked", PROTOCOL_RESPONSES,
	 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: "
	 "x\r\n\r\nHTTP/1.1 204 X\r\n\r\n",
	 "200 66\n204 18\nwhole\n", gets, 3},
	{"another coding", PROTOCOL_RESPONSES,
	 "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 2\r\n\r\nabcdef",
	 "200 end\nskips\n", &get, 1},
	{"identity", PROTOCOL_RESPONSES,
	 "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nab",
	 "200 69\nwhole\n", &get, 1},
	{"lengths that differ", PROTOCOL_RESPONSES,
	 "HTTP/1.1 500 E\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
	 "500 error=500 56\nlost\n", &get, 1},
	{"body of unknown end", PROTOCOL_RESPONSES,
	 "HTTP/1.1 200 OK\r\nContent-Length: 4000000000\r\n\r\nabc", "200 4000000047\nskips\n",
	 &get, 1},
	{"request not known", PROTOCOL_RESPONSES,
	 "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\nContent-Length: "
	 "0\r\n\r\n",
	 "200 41\n200 38\nwhole\n"},
	{"request not known, and HEAD", PROTOCOL_RESPONSES,
	 "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
	 "200 38\n200 38\nwhole\n", .looks_ahead = true},
	{"no status", PROTOCOL_RESPONSES, "HTTP/1.1 20 OK\r\n\r\n", "lost\n"},
	{"status of four digits", PROTOCOL_RESPONSES, "HTTP/1.1 2000 OK\r\n\r\n", "lost\n"},
	{"status 0", PROTOCOL_RESPONSES, "HTTP/1.1 000 OK\r\n\r\n", "lost\n"},
	{"a body", PROTOCOL_RESPONSES, "<html>HTTP/1.1 200 OK\r\n\r\n", "lost\n"},
};

static void test_requests(void **state)
{
	spoken_expect(&protocol_http1, ROWS(requests));
	spoken_expect(&protocol_http1, ROWS(traces));
}

static void test_responses(void **state)
{
	spoken_expect(&protocol_http1, ROWS(responses));
}

static void test_changed_bytes(void **state)
{
	spoken_expect_flips(&protocol_http1, ROWS(requests));
	spoken_expect_flips(&protocol_http1, ROWS(traces));
	spoken_expect_flips(&protocol_http1, ROWS(responses));
}

/* One step over a text. */
static struct protocol_step step_over(enum protocol_side side, const char *bytes, bool is_cut,
				      struct protocol_message *message)
{
	struct protocol_input input = {(const uint8_t *)bytes, strlen(bytes), is_cut};
	_Alignas(16) uint8_t zeros[PROTOCOL_STATE_BYTES] = {0};

	memset(message, 0, sizeof(*message));
	return protocol_http1.step(side, zeros, &input, message, &get);
}

static void test_says_what_stands_before_a_cut(void **state)
{
	struct protocol_message message;
	struct protocol_step step =
		step_over(PROTOCOL_REQUESTS, "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 12",
			  true, &message);

	assert_int_equal(step.action, PROTOCOL_GOES_ON);
	assert_true(step.begins && step.stands && !step.ends && step.wants_all);
	assert_string_equal(message.target, "/a");
	assert_string_equal(message.host, "h");
	step = step_over(PROTOCOL_REQUESTS, "GET /a?token=", true, &message);
	assert_true(step.action == PROTOCOL_GOES_ON && step.begins && step.stands && !step.ends);
	assert_string_equal(message.target, "/a");
	step = step_over(PROTOCOL_REQUESTS, "GET /a HTTP/1.1\r\nHost: exam", true, &message);
	assert_string_equal(message.host, "");
	/* A path that is cut is another one. */
	step = step_over(PROTOCOL_REQUESTS, "GET /a", true, &message);
	assert_true(step.action == PROTOCOL_LOST && !step.begins && !step.ends);
	step = step_over(PROTOCOL_REQUESTS, "GET /a ", true, &message);
	assert_true(step.action == PROTOCOL_GOES_ON && step.begins && step.stands && !step.ends);
	assert_string_equal(message.target, "/a");
	step = step_over(PROTOCOL_REQUESTS, "GE", true, &message);
	assert_true(step.action == PROTOCOL_LOST && !step.begins && !step.ends);
	step = step_over(PROTOCOL_RESPONSES, "HTTP/1.1 404", true, &message);
	assert_true(step.action == PROTOCOL_GOES_ON && step.begins && step.stands && !step.ends);
	assert_int_equal(message.status, 404);
	/* What is behind it may be another one, or another protocol. */
	step = step_over(PROTOCOL_RESPONSES, "HTTP/1.1 100 Continue\r\nA: b", true, &message);
	assert_true(step.action == PROTOCOL_LOST && step.begins && step.ends);
	step = step_over(PROTOCOL_RESPONSES, "HTTP/1.1 101 Switching", true, &message);
	assert_true(step.action == PROTOCOL_LOST && step.begins && step.ends);
	step = step_over(PROTOCOL_RESPONSES, "HTTP/1.1 40", true, &message);
	assert_true(step.action == PROTOCOL_LOST && !step.begins);
	/* The body was known to reach behind the cut. */
	step = step_over(PROTOCOL_RESPONSES, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", true,
			 &message);
	assert_true(step.action == PROTOCOL_GOES_ON && step.ends && !step.wants_all);
	assert_int_equal(step.skip, 9);
}

static void test_wants_all_of_chunks(void **state)
{
	static const char bytes[] =
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n400\r\nabc";
	struct protocol_message message;
	struct protocol_step step = step_over(PROTOCOL_RESPONSES, bytes, true, &message);

	assert_true(step.action == PROTOCOL_GOES_ON && step.begins && !step.ends && step.wants_all);
	assert_int_equal(step.used, strlen(bytes));
	assert_int_equal(step.skip, 0x400 + 2 - 3);
}

/* Lines and heads have no limit; a target is cut where its room ends. */
static void test_long_lines(void **state)
{
	struct spoken spoken = {.protocol = &protocol_http1};
	struct buf bytes = {0}, text = {0};
	char expected[MESSAGE_TARGET_BYTES + 64];

	BUF_LITERAL(&bytes, "GET /");
	for (int i = 0; i < 20000; i++)
		buf_append_char(&bytes, 'p');
	BUF_LITERAL(&bytes, "?q HTTP/1.1\r\nCookie: ");
	for (int i = 0; i < 70000; i++)
		buf_append_char(&bytes, 'c');
	BUF_LITERAL(&bytes, "\r\nHost: h\r\nContent-Length: 1\r\n\r\nxGET / HTTP/1.1\r\n\r\n");
	memset(expected, 'p', sizeof(expected));
	memcpy(expected, "GET /", 5);
	strcpy(expected + 4 + MESSAGE_TARGET_BYTES - 1, " host=h 90059\nGET / 18\nwhole\n");
	for (spoken.piece = 0; spoken.piece < 40000; spoken.piece += 1009) {
		spoken.first = spoken.piece;
		buf_clear(&text);
		spoken_text(&spoken, bytes.data, bytes.len, &text);
		buf_append_char(&text, '\0');
		assert_string_equal(text.data, expected);
	}
	buf_finish(&text);
	buf_finish(&bytes);
}

static void test_recognises(void **state)
{
	static const struct spoken_sample rows[] = {
		SAMPLE(PROTOCOL_REQUESTS, "GET / HTTP/1.1\r\n", PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "PROPFIND /dav HTTP/1.0\n", PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "CONNECT h:1 HTTP/1.1\r\n", PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "GET http://h/ HTTP/1.1\r\n", PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "G", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "GET ", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "GET htt", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "GET /long", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "GET / HTTP/1.", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "GET / HTTP/1.1", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "GET / HTTP/1.2\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "GET / HTTP/1.12\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "GET /\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "GET key\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "GET  / HTTP/1.1\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "OPTIONS rtsp://h RTSP/1.0\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "GETS", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "HTTP/1.1 200 OK\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "HTTP/1.1 200 OK\r\n", PROTOCOL_YES),
		SAMPLE(PROTOCOL_RESPONSES, "HTTP/1.0 404\r", PROTOCOL_YES),
		SAMPLE(PROTOCOL_RESPONSES, "HTTP/1.1 200", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "H", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "HTTP/2.0 200 OK\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "HTTP/1.1 2000", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "GET / HTTP/1.1\r\n", PROTOCOL_NO),
	};

	spoken_expect_verdicts(&protocol_http1, ROWS(rows));
}

static void test_finds_after_a_gap(void **state)
{
	static const struct spoken_sample rows[] = {
		FOUND(PROTOCOL_REQUESTS, "GET / HTTP/1.1\r\nHost: h", 0),
		FOUND(PROTOCOL_REQUESTS, "POST /", 0),
		FOUND(PROTOCOL_REQUESTS, "h\r\nCookie: c\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n",
		      16),
		FOUND(PROTOCOL_REQUESTS, "h\r\n\r\nbody\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n",
		      13),
		NOT_FOUND(PROTOCOL_REQUESTS, "body GET /2 HTTP/1.1\r\nHost: h\r\n\r\n"),
		NOT_FOUND(PROTOCOL_REQUESTS, "x\r\n\r\nGET /2 HTTP/1.1\r\nno head\r\n\r\n"),
		FOUND(PROTOCOL_RESPONSES, "HTTP/1.1 200 OK\r\n", 0),
		FOUND(PROTOCOL_RESPONSES, "</p>HTTP/1.1 200 OK\r\nA: b\r\n\r\n", 4),
		FOUND(PROTOCOL_RESPONSES, "HTTP/1.x HTTP/1.1 200 OK\r\nA: b\r\n\r\n", 9),
		NOT_FOUND(PROTOCOL_RESPONSES, "<p>HTTP/1.1 200 OK\nA: b\n\n"),
		NOT_FOUND(PROTOCOL_RESPONSES, "<p>HTTP/1.1 200 OK\r\nA: b\r\n"),
		NOT_FOUND(PROTOCOL_RESPONSES, "0\r\n\r\n"),
	};

	spoken_expect_found(&protocol_http1, ROWS(rows));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_requests),
	cmocka_unit_test(test_responses),
	cmocka_unit_test(test_changed_bytes),
	cmocka_unit_test(test_says_what_stands_before_a_cut),
	cmocka_unit_test(test_wants_all_of_chunks),
	cmocka_unit_test(test_long_lines),
	cmocka_unit_test(test_recognises),
	cmocka_unit_test(test_finds_after_a_gap),
};

UNIT_GROUP(tests);
