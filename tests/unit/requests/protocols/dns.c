/* SPDX-License-Identifier: MIT */
/* DNS: questions, codes and keys, over TCP however the bytes come, and as datagrams. */
#include "unit.h"
#include "spoken_rows.h"

#include <stdlib.h>
#include <string.h>

#define QUERY "\x12\x34\1\0\0\1\0\0\0\0\0\0"
#define ANSWER(flags, counts) "\x12\x34" flags "\0\1" counts "\0\0\0\0"
#define EXAMPLE "\7example\3com\0"
#define IN(type) type "\0\1"
#define A IN("\0\1")
#define AAAA IN("\0\x1c")

#define ROW(what, side, bytes, text)                                                               \
	{                                                                                          \
		what, side, bytes, text, .len = sizeof(bytes) - 1                                  \
	}

/* Keys are the number, and what FNV makes of the question: they are compared by test_keys(). */
static const struct spoken_row requests[] = {
	ROW("two in one write", PROTOCOL_REQUESTS,
	    "\0\x1d" QUERY EXAMPLE A "\0\x1d" QUERY EXAMPLE AAAA,
	    "A example.com key=1234?? 31\nAAAA example.com key=1234?? 31\nwhole\n"),
	ROW("upper case, other records", PROTOCOL_REQUESTS,
	    "\0\x23\0\1\1\0\0\1\0\0\0\0\0\1\3WwW\2eU\0" IN("\0\x41") "\0\0\x29\x04\xd0\0\0\0\0\0\0",
	    "HTTPS www.eu key=1?? 37\nwhole\n"),
	ROW("root", PROTOCOL_REQUESTS, "\0\x11" QUERY "\0" IN("\0\2"),
	    "NS . key=1234?? 19\nwhole\n"),
	ROW("odd labels", PROTOCOL_REQUESTS, "\0\x17" QUERY "\5a.b\\\1\0" IN("\x12\x34"),
	    "TYPE4660 a\\046b\\092\\001 key=1234?? 25\nwhole\n"),
	ROW("update", PROTOCOL_REQUESTS, "\0\x1d\x12\x34\x28\0\0\1\0\0\0\0\0\0" EXAMPLE IN("\0\6"),
	    "UPDATE example.com key=1234?? 31\nwhole\n"),
	ROW("a response", PROTOCOL_REQUESTS, "\0\x1d" ANSWER("\x81\x80", "\0\0") EXAMPLE A,
	    "lost\n"),
	ROW("no question", PROTOCOL_REQUESTS, "\0\x0c\x12\x34\1\0\0\0\0\0\0\0\0\0", "lost\n"),
	ROW("too short for a header", PROTOCOL_REQUESTS, "\0\5" QUERY EXAMPLE A, "lost\n"),
	ROW("too short for its question", PROTOCOL_REQUESTS, "\0\x18" QUERY EXAMPLE A, "lost\n"),
	ROW("a pointer", PROTOCOL_REQUESTS, "\0\x12" QUERY "\xc0\x0c" A, "lost\n"),
	ROW("not yet all", PROTOCOL_REQUESTS, "\0\x1d" QUERY EXAMPLE, "waits\n"),
};

static const struct spoken_row responses[] = {
	ROW("answered", PROTOCOL_RESPONSES,
	    "\0\x2d" ANSWER("\x81\x80", "\0\1") EXAMPLE A "\xc0\x0c" A "\0\0\1\0\0\4\1\2\3\4",
	    "0 answer=1.2.3.4 ttl=256 key=1234?? 47\nwhole\n"),
	ROW("addresses of another name", PROTOCOL_RESPONSES,
	    "\0\x5d" ANSWER("\x81\x80", "\0\4") EXAMPLE A
	    "\xc0\x0c" IN("\0\5") "\0\0\0\x3c\0\6\3cdn\xc0\x14"
				  "\xc0\x29" A "\0\0\0\x1e\0\4\12\0\0\7"
				  "\xc0\x29" A "\0\0\1\0\0\4\12\0\0\x8"
				  "\xc0\x29" IN("\0\x10") "\0\0\1\0\0\2\1x",
	    "0 answer=10.0.0.7 10.0.0.8 ttl=30 key=1234?? 95\nwhole\n"),
	ROW("IPv6", PROTOCOL_RESPONSES,
	    "\0\x39" ANSWER("\x81\x80", "\0\1") EXAMPLE AAAA
	    "\xc0\x0c" AAAA "\0\0\0\0\0\x10\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x2a",
	    "0 answer=2001:db8::2a ttl=0 key=1234?? 59\nwhole\n"),
	ROW("a record that is no address", PROTOCOL_RESPONSES,
	    "\0\x2e" ANSWER("\x81\x80", "\0\1") EXAMPLE A "\xc0\x0c" A "\0\0\1\0\0\5\1\2\3\4\5",
	    "0 key=1234?? 48\nwhole\n"),
	ROW("a record that is cut off", PROTOCOL_RESPONSES,
	    "\0\x2c" ANSWER("\x81\x80", "\0\1") EXAMPLE A "\xc0\x0c" A "\0\0\1\0\0\4\1\2\3",
	    "0 key=1234?? 46\nwhole\n"),
	ROW("a name that ends nowhere", PROTOCOL_RESPONSES,
	    "\0\x23" ANSWER("\x81\x80", "\0\1") EXAMPLE A "\77abcde", "0 key=1234?? 37\nwhole\n"),
	ROW("a refusal with addresses", PROTOCOL_RESPONSES,
	    "\0\x2d" ANSWER("\x81\x85", "\0\1") EXAMPLE A "\xc0\x0c" A "\0\0\1\0\0\4\1\2\3\4",
	    "5 error=REFUSED key=1234?? 47\nwhole\n"),
	ROW("no such name", PROTOCOL_RESPONSES, "\0\x1d" ANSWER("\x81\x83", "\0\0") EXAMPLE A,
	    "3 error=NXDOMAIN key=1234?? 31\nwhole\n"),
	ROW("failed", PROTOCOL_RESPONSES, "\0\x1d" ANSWER("\x81\x82", "\0\0") EXAMPLE A,
	    "2 error=SERVFAIL key=1234?? 31\nwhole\n"),
	ROW("code without name", PROTOCOL_RESPONSES, "\0\x1d" ANSWER("\x81\x8b", "\0\0") EXAMPLE A,
	    "11 error=RCODE11 key=1234?? 31\nwhole\n"),
	ROW("transfer", PROTOCOL_RESPONSES,
	    "\0\x1d" ANSWER("\x84\0", "\0\1")
		    EXAMPLE IN("\0\xfc") "\0\x0d\x12\x34\x84\0\0\0\0\1\0\0\0\0\0",
	    "0 key=1234?? 31\n0 key=1234?? aside 15\nwhole\n"),
};

/* The text with each key's hash, eight digits that are not 0, as ??. */
static void shorten_keys(char *text)
{
	char *key = text;

	while ((key = strstr(key, " key="))) {
		char *end = key + strcspn(key + 1, " \n") + 1;

		memcpy(end - 8, "??", 2);
		memmove(end - 6, end, strlen(end) + 1);
		key++;
	}
}

/* In pieces all is as at once, which is compared here with what is expected. */
static void expect_rows(const struct spoken_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct spoken spoken = {.protocol = &protocol_dns_tcp, .side = rows[i].side};
		struct spoken_row row = rows[i];
		struct buf text = {0};
		char *whole;

		assert_null(spoken_text(&spoken, row.bytes, row.len, &text));
		buf_append_char(&text, '\0');
		whole = strdup(text.data);
		assert_non_null(whole);
		shorten_keys(text.data);
		assert_string_equal(text.data, row.text);
		row.text = whole;
		spoken_expect(&protocol_dns_tcp, &row, 1);
		free(whole);
		buf_finish(&text);
	}
}

static void test_over_tcp(void **state)
{
	expect_rows(ROWS(requests));
	expect_rows(ROWS(responses));
}

static void test_changed_bytes(void **state)
{
	spoken_expect_flips(&protocol_dns_tcp, ROWS(requests));
	spoken_expect_flips(&protocol_dns_tcp, ROWS(responses));
}

/* The message of a datagram; asserts that it is one. */
static struct protocol_message datagram(enum protocol_side side, const char *bytes, size_t len,
					bool is_cut)
{
	struct protocol_input input = {(const uint8_t *)bytes, len, is_cut};
	struct protocol_message message = {0};
	struct protocol_step step = protocol_dns.step(side, NULL, &input, &message, NULL);

	assert_int_equal(step.action, PROTOCOL_GOES_ON);
	assert_true(step.begins && step.ends && step.used == len);
	return message;
}

#define ASK(bytes) datagram(PROTOCOL_REQUESTS, bytes, sizeof(bytes) - 1, false)

static void test_keys(void **state)
{
	static const char answer[] = ANSWER("\x81\x80", "\0\1") "\7EXAMPLE\3com\0" A "\xc0\x0c";
	struct protocol_message query = ASK(QUERY EXAMPLE A);
	struct protocol_message response =
		datagram(PROTOCOL_RESPONSES, answer, sizeof(answer) - 1, true);

	assert_true(query.has_key && response.has_key);
	assert_int_equal(query.key, response.key);
	assert_int_not_equal(query.key, ASK(QUERY EXAMPLE AAAA).key);
	assert_int_not_equal(query.key, ASK(QUERY "\x08"
						  "examples\3com\0" A)
						.key);
	assert_int_not_equal(query.key, ASK("\x12\x35\1\0\0\1\0\0\0\0\0\0" EXAMPLE A).key);
	assert_string_equal(query.method, "A");
	assert_string_equal(query.target, "example.com");
	assert_true(response.has_status && response.status == 0 && !response.error[0]);
}

/* Of a datagram whose question is cut nothing is known. */
static void test_cut_datagrams(void **state)
{
	static const char bytes[] = QUERY EXAMPLE A;

	for (size_t len = 1; len < sizeof(bytes) - 1; len++) {
		struct protocol_input input = {(const uint8_t *)bytes, len, true};
		struct protocol_message message = {0};
		struct protocol_step step =
			protocol_dns.step(PROTOCOL_REQUESTS, NULL, &input, &message, NULL);

		assert_int_equal(step.action, PROTOCOL_LOST);
		assert_false(step.begins || step.ends);
	}
}

/* A name of 255 bytes whose text takes four times as many has less room than that. */
static void test_longest_name(void **state)
{
	char bytes[12 + 256 + 4] = QUERY;
	struct protocol_message message;
	size_t n = 12;

	for (int label = 0; label < 4; label++) {
		size_t len = label < 3 ? 63 : 61;

		bytes[n++] = (char)len;
		memset(bytes + n, 1, len);
		n += len;
	}
	memcpy(bytes + n + 1, A, 4);
	message = datagram(PROTOCOL_REQUESTS, bytes, n + 5, false);
	assert_in_range(strlen(message.target), MESSAGE_TARGET_BYTES - 5, MESSAGE_TARGET_BYTES - 1);
	assert_memory_equal(message.target, "\\001\\001", 8);
}

static void test_recognises_datagrams(void **state)
{
	static const struct spoken_sample rows[] = {
		SAMPLE(PROTOCOL_REQUESTS, QUERY EXAMPLE A, PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, QUERY "\5_http\4_tcp\0" IN("\0\x21"), PROTOCOL_YES),
		SAMPLE(PROTOCOL_RESPONSES, ANSWER("\x81\x83", "\0\0") EXAMPLE A, PROTOCOL_YES),
		SAMPLE(PROTOCOL_RESPONSES, QUERY EXAMPLE A, PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, ANSWER("\x81\x83", "\0\0") EXAMPLE A, PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, QUERY EXAMPLE A "x", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, QUERY EXAMPLE, PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, QUERY EXAMPLE IN("\x12\x34"), PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, QUERY EXAMPLE "\0\1\0\2", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, QUERY "\3a b\0" A, PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\x12\x34\1\0\0\2\0\0\0\0\0\0" EXAMPLE A, PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\x12\x34\1\x40\0\1\0\0\0\0\0\0" EXAMPLE A, PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, ANSWER("\x81\x80", "\x20\0") EXAMPLE A, PROTOCOL_NO),
	};

	spoken_expect_verdicts(&protocol_dns, ROWS(rows));
	spoken_expect_found_at_once(&protocol_dns, ROWS(rows));
}

static void test_recognises_over_tcp(void **state)
{
	static const char bytes[] = "\0\x1d" QUERY EXAMPLE A "\0\x1d";

	for (size_t len = 1; len < sizeof(bytes); len++) {
		struct protocol_input input = {(const uint8_t *)bytes, len, false};
		enum protocol_verdict expected = len < 31 ? PROTOCOL_SHORT : PROTOCOL_YES;

		assert_int_equal(protocol_dns_tcp.recognise(PROTOCOL_REQUESTS, &input), expected);
		assert_int_equal(protocol_dns_tcp.find(PROTOCOL_REQUESTS, &input), 0);
	}
	assert_int_equal(protocol_dns_tcp.find(PROTOCOL_REQUESTS,
					       &(struct protocol_input){(const uint8_t *)bytes + 1,
									sizeof(bytes) - 2, false}),
			 sizeof(bytes) - 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_over_tcp),
	cmocka_unit_test(test_changed_bytes),
	cmocka_unit_test(test_keys),
	cmocka_unit_test(test_cut_datagrams),
	cmocka_unit_test(test_longest_name),
	cmocka_unit_test(test_recognises_datagrams),
	cmocka_unit_test(test_recognises_over_tcp),
};

UNIT_GROUP(tests);
