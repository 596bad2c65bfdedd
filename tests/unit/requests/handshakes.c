/* SPDX-License-Identifier: MIT */
/* Handshakes of TLS, both sides, cut at every byte: what hellos say, and how they end. */
#include <stdio.h>
#include <string.h>

#include "talked.h"
#include "unit.h"

enum { TURNS_MAX = 6 };

#define RANDOM "0123456789abcdef0123456789abcdef"
/* A hello for "www.example.org" that offers h2 and http/1.1. */
#define CLIENT_HELLO                                                                               \
	"\x16\3\1\0\x5f\1\0\0\x5b\3\3" RANDOM "\0\0\2\x13\1\1\0\0\x30\0\0\0\x14\0\x12\0\0\x0f"     \
	"www.example.org\0\x10\0\x0e\0\x0c\2h2\x08http/1.1\0\x2b\0\2\1\4"
#define SERVER_HELLO_13 "\x16\3\3\0\x32\2\0\0\x2e\3\3" RANDOM "\0\x13\1\0\0\6\0\x2b\0\2\3\4"
#define SERVER_HELLO_12 "\x16\3\3\0\x2a\2\0\0\x26\3\3" RANDOM "\0\xc0\x2f\0"
#define RETRY                                                                                      \
	"\x16\3\3\0\x32\2\0\0\x2e\3\3\xcf\x21\xad\x74\xe5\x9a\x61\x11\xbe\x1d\x8c\x02\x1e\x65\xb8" \
	"\x91\xc2\xa2\x11\x16\x7a\xbb\x8c\x5e\x07\x9e\x09\xe2\xc8\xa8\x33\x9c\0\x13\1\0\0\6\0\x2b" \
	"\0\2\3\4"
#define CHANGE "\x14\3\3\0\1\1"
#define FINISHED_12 "\x16\3\3\0\x10" RANDOM_16
#define RANDOM_16 "0123456789abcdef"
#define SEALED "\x17\3\3\0\x20" RANDOM
#define SEALED_ALERT "\x17\3\3\0\x13" RANDOM_16 "xyz"
#define SAID(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

static const struct handshake {
	const char *name;
	struct {
		const char *bytes;
		size_t len;
	} turns[TURNS_MAX]; /* the client first */
	const char *line; /* VERSION HOST TARGET STATUS ERROR */
} handshakes[] = {
	{"1.3",
	 {SAID(CLIENT_HELLO), SAID(SERVER_HELLO_13 CHANGE SEALED SEALED),
	  SAID(CHANGE SEALED SEALED), SAID(SEALED)},
	 "1.3 www.example.org h2,http/1.1 - -"},
	{"1.3, another hello",
	 {SAID(CLIENT_HELLO), SAID(RETRY CHANGE), SAID(CHANGE CLIENT_HELLO),
	  SAID(SERVER_HELLO_13 SEALED), SAID(SEALED)},
	 "1.3 www.example.org h2,http/1.1 - -"},
	{"1.3, another hello, and an objection",
	 {SAID(CLIENT_HELLO), SAID(RETRY CHANGE), SAID(CHANGE CLIENT_HELLO),
	  SAID(SERVER_HELLO_13 SEALED), SAID(SEALED_ALERT)},
	 "1.3 www.example.org h2,http/1.1 - alert"},
	{"1.3, early data",
	 {SAID(CLIENT_HELLO CHANGE SEALED), SAID(SERVER_HELLO_13 SEALED), SAID(SEALED)},
	 "1.3 www.example.org h2,http/1.1 - -"},
	{"1.3, the client has an objection",
	 {SAID(CLIENT_HELLO), SAID(SERVER_HELLO_13 SEALED), SAID(CHANGE SEALED_ALERT)},
	 "1.3 www.example.org h2,http/1.1 - alert"},
	{"1.2",
	 {SAID(CLIENT_HELLO), SAID(SERVER_HELLO_12 "\x16\3\3\0\4\x0e\0\0\0"),
	  SAID("\x16\3\3\0\5\x10\0\0\1x" CHANGE FINISHED_12), SAID(CHANGE FINISHED_12),
	  SAID(SEALED), SAID(SEALED)},
	 "1.2 www.example.org h2,http/1.1 - -"},
	{"1.2, resumed",
	 {SAID(CLIENT_HELLO), SAID(SERVER_HELLO_12 CHANGE FINISHED_12), SAID(CHANGE FINISHED_12),
	  SAID(SEALED)},
	 "1.2 www.example.org h2,http/1.1 - -"},
	{"the server refuses",
	 {SAID(CLIENT_HELLO), SAID("\x15\3\3\0\2\2\x28")},
	 "- www.example.org h2,http/1.1 40 handshake_failure"},
	{"a warning is none",
	 {SAID(CLIENT_HELLO), SAID("\x15\3\3\0\2\1\x70" SERVER_HELLO_12),
	  SAID("\x15\3\3\0\2\2\x30")},
	 "1.2 www.example.org h2,http/1.1 48 unknown_ca"},
	{"closed",
	 {SAID(CLIENT_HELLO), SAID(SERVER_HELLO_12)},
	 "1.2 www.example.org h2,http/1.1 - closed"},
};

static const char *text_of(const struct event *event, unsigned int param)
{
	const char *text = event_param_string(event, param);

	return text ? text : "-";
}

static void expect_line(const struct handshake *handshake, struct talked *talked, size_t piece)
{
	const struct event *event = talked_next(talked);
	char line[256], status[16] = "-";

	if (!event)
		fail_msg("%s, in pieces of %zu: none", handshake->name, piece);
	if (event_param_present(event, request__status))
		snprintf(status, sizeof(status), "%d",
			 (int)event_param_i64(event, request__status));
	snprintf(line, sizeof(line), "%s %s %s %s %s", text_of(event, request__version),
		 text_of(event, request__host), text_of(event, request__target), status,
		 text_of(event, request__error));
	assert_string_equal(text_of(event, request__method), "HANDSHAKE");
	if (strcmp(line, handshake->line) != 0)
		fail_msg("%s, in pieces of %zu: %s", handshake->name, piece, line);
	assert_string_equal(talked_line(talked), "none");
}

static void expect_pieces(const struct handshake *handshake, size_t piece)
{
	struct talked talked;

	talked_begin(&talked, NULL);
	talked_accept(&talked);
	for (unsigned int i = 0; i < TURNS_MAX && handshake->turns[i].bytes; i++)
		for (size_t at = 0, n; at < handshake->turns[i].len; at += n) {
			n = handshake->turns[i].len - at < piece ? handshake->turns[i].len - at
								 : piece;
			talked_piece(&talked, i % 2 ? DIRECTION_OUT : DIRECTION_IN,
				     handshake->turns[i].bytes + at, n, n);
		}
	talked_close(&talked);
	expect_line(handshake, &talked, piece);
	assert_int_equal(talked_account(&talked, request_protocols__tls).seen, 1);
	talked_finish(&talked);
}

static void test_handshakes(void **state)
{
	for (size_t i = 0; i < sizeof(handshakes) / sizeof(handshakes[0]); i++)
		for (size_t piece = 1; piece < 160; piece++)
			expect_pieces(&handshakes[i], piece);
}

/* Behind it nothing is wanted of the connection any more. */
static void test_nothing_follows(void **state)
{
	struct talked *talked = *state;
	struct requests_limit limit, last = {0};

	ASK(talked, CLIENT_HELLO);
	ANSWER(talked, SERVER_HELLO_13 SEALED);
	ASK(talked, SEALED);
	assert_non_null(talked_next(talked));
	while (requests_next_limit(talked->requests, &limit))
		last = limit;
	assert_int_equal(last.ino, talked->ino);
	assert_int_equal(last.bytes, 0);
	ASK(talked, "GET / HTTP/1.1\r\n\r\n");
	ANSWER(talked, "HTTP/1.1 204 No\r\n\r\n");
	assert_line(talked, "none");
}

static uint32_t last_limit(struct talked *talked)
{
	struct requests_limit limit = {.bytes = UINT32_MAX};

	while (requests_next_limit(talked->requests, &limit))
		;
	return limit.bytes;
}

/* What is encrypted is not looked at for ever, whatever was not seen before it. */
static void test_no_hello_of_the_server(void **state)
{
	struct talked *talked = *state;

	ASK(talked, CLIENT_HELLO);
	ANSWER(talked, SEALED);
	assert_int_equal(last_limit(talked), 0);
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, request_protocols__tls).unknown, 1);
	talked_close(talked);
	talked_accept(talked);
	ASK(talked, CLIENT_HELLO);
	for (int i = 0; i < 64; i++)
		ASK(talked, SEALED);
	assert_int_not_equal(last_limit(talked), 0);
	ASK(talked, SEALED);
	assert_int_equal(last_limit(talked), 0);
	assert_int_equal(talked_account(talked, request_protocols__tls).unknown, 2);
}

/* Of a turn, at most so many bytes are captured, as in usual capture files. */
static void expect_cut(const struct handshake *handshake, size_t captured)
{
	const struct requests_config config = {.by_descriptor = true};
	const struct event *event;
	struct talked talked;

	talked_begin(&talked, &config);
	talked.has_no_places = true;
	talked_accept(&talked);
	for (unsigned int i = 0; i < TURNS_MAX && handshake->turns[i].bytes; i++) {
		size_t len = handshake->turns[i].len;

		talked_piece(&talked, i % 2 ? DIRECTION_OUT : DIRECTION_IN,
			     handshake->turns[i].bytes, len, len < captured ? len : captured);
	}
	event = talked_next(&talked);
	if (!event)
		fail_msg("%s, cut at %zu: none", handshake->name, captured);
	assert_false(event_param_present(event, request__error));
	assert_true(event_param_present(event, request__request_size));
	assert_string_equal(talked_line(&talked), "none");
	talked_finish(&talked);
}

/* A server says all at once, of which a file has the beginning: that the client goes on tells the
 * rest. */
static void test_cut_handshakes(void **state)
{
	static const struct handshake cut[] = {
		{.name = "1.3",
		 .turns = {SAID(CLIENT_HELLO), SAID(SERVER_HELLO_13 CHANGE SEALED SEALED),
			   SAID(CHANGE SEALED)}},
		{.name = "1.2",
		 .turns = {SAID(CLIENT_HELLO), SAID(SERVER_HELLO_12 "\x16\3\3\0\4\x0e\0\0\0"),
			   SAID("\x16\3\3\0\5\x10\0\0\1x" CHANGE FINISHED_12),
			   SAID("\x16\3\3\0\x20" RANDOM CHANGE FINISHED_12), SAID(SEALED)}},
	};

	for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++)
		for (size_t captured = 47; captured < 100; captured++)
			expect_cut(&cut[i], captured);
}

/* Keys may stand before the version: what was not captured is not said, and ends nothing. */
static void expect_unknown_version(const char *hello, size_t len, size_t captured)
{
	const struct requests_config config = {.by_descriptor = true};
	const struct event *event;
	struct talked talked;

	talked_begin(&talked, &config);
	talked.has_no_places = true;
	talked_accept(&talked);
	ASK(&talked, CLIENT_HELLO);
	talked_piece(&talked, DIRECTION_OUT, hello, len, captured);
	ANSWER(&talked, CHANGE SEALED);
	if (talked_next(&talked))
		fail_msg("cut at %zu: ended by what the server says", captured);
	ASK(&talked, CHANGE SEALED_ALERT);
	event = talked_next(&talked);
	if (!event)
		fail_msg("cut at %zu: none", captured);
	assert_string_equal(text_of(event, request__error), "alert");
	if (captured < len)
		assert_false(event_param_present(event, request__version));
	else
		assert_string_equal(text_of(event, request__version), "1.3");
	talked_finish(&talked);
}

static void test_cut_hello(void **state)
{
	static const char hello[] = "\x16\3\3\0\x56\2\0\0\x52\3\3" RANDOM
				    "\0\x13\1\0\0\x2a\0\x33\0\x20" RANDOM "\0\x2b\0\2\3\4";

	for (size_t captured = 45; captured < sizeof(hello); captured++)
		expect_unknown_version(hello, sizeof(hello) - 1, captured);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_cut_hello),
	cmocka_unit_test(test_cut_handshakes),
	cmocka_unit_test(test_handshakes),
	cmocka_unit_test_setup_teardown(test_no_hello_of_the_server, talked_setup, talked_teardown),
	cmocka_unit_test_setup_teardown(test_nothing_follows, talked_setup, talked_teardown),
};

UNIT_GROUP(tests);
