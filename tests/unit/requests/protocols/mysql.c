/* SPDX-License-Identifier: MIT */
/* MySQL: which packets a request and its response have, and what they say. */
#include "unit.h"
#include "spoken_rows.h"

#include <stdlib.h>
#include <string.h>

#include "requests/protocols/mysql.h"

#define REQUEST(what, bytes, text)                                                                 \
	{                                                                                          \
		what, PROTOCOL_REQUESTS, bytes, text, .len = sizeof(bytes) - 1                     \
	}
#define RESPONSE(what, bytes, text, asked, count)                                                  \
	{                                                                                          \
		what, PROTOCOL_RESPONSES, bytes, text, asked, count, .len = sizeof(bytes) - 1      \
	}

#define ZEROS_23 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define LOGIN(len, capabilities, rest) len "\0\0\1" capabilities "\0\0\0\1\x21" ZEROS_23 rest
#define QUERY "\x09\0\0\0\3SELECT 1"
#define PREPARE "\x1c\0\0\0\x16SELECT 'secret', a FROM t?;"
#define EXECUTE "\x0a\0\0\0\x17\7\0\0\0\0\1\0\0\0"
#define CLOSE "\5\0\0\0\x19\7\0\0\0"

static const struct spoken_row requests[] = {
	REQUEST("queries", QUERY "\x14\0\0\0\3SELECT \"secret\", a;",
		"SELECT SELECT ? 13\nSELECT SELECT ?, a 24\nwhole\n"),
	REQUEST("logs in", LOGIN("\x25", "\x08\x82\0\1", "u\0\0d\0") QUERY,
		"STARTUP d 41\nSELECT SELECT ? 13\nwhole\n"),
	REQUEST("logs in without database", LOGIN("\x28", "\0\x82\x20\0", "u\0\5secre"),
		"STARTUP  44\nwhole\n"),
	REQUEST("answers a question",
		LOGIN("\x25", "\x08\x82\0\1", "u\0\0d\0") "\6\0\0\3secret" QUERY,
		"STARTUP d 41\nSELECT SELECT ? 13\nwhole\n"),
	REQUEST("encrypts", "\x20\0\0\1\0\x8a\0\1\0\0\0\1\x21" ZEROS_23, "leaves\n"),
	REQUEST("prepares", PREPARE EXECUTE CLOSE,
		"PREPARE SELECT ?, a FROM t? keeps 32\nEXECUTE  uses 14\n"
		"CLOSE  drops oneway 9\nwhole\n"),
	REQUEST("has attributes", "\x0b\0\0\0\3\0\1SELECT 1", "SELECT SELECT ? 15\nwhole\n"),
	REQUEST("has attributes with values",
		"\x27\0\0\0\3\2\1\0\1\xfe\0\1a\3\0\1b\6secret\1\0\0\0SELECT 2 FROM t",
		"SELECT SELECT ? FROM t 43\nwhole\n"),
	REQUEST("other commands",
		"\1\0\0\0\x0e\3\0\0\0\2db\1\0\0\0\x09\5\0\0\0\x1a\7\0\0\0\1\0\0\0\1",
		"PING  5\nUSE db 7\nSTATISTICS  5\nRESET  9\nwhole\n"),
	REQUEST("sends a file", "\7\0\0\0\3LOAD x\3\0\0\2a\nb\0\0\0\3" QUERY,
		"LOAD LOAD x 11\nSELECT SELECT ? 13\nwhole\n"),
	REQUEST("sends parameters ahead", "\x0b\0\0\0\x18\7\0\0\0\0\0abcd" EXECUTE,
		"EXECUTE  uses 14\nwhole\n"),
	REQUEST("replicates", "\x0b\0\0\0\x12\4\0\0\0\0\0\1\0\0\0", "leaves\n"),
	REQUEST("no command", "\1\0\0\0\x30", "lost\n"),
	REQUEST("a length too long", "\2\0\0\0\x0e\0", "lost\n"),
	REQUEST("a length too short", "\2\0\0\0\x17\0", "lost\n"),
};

static const struct protocol_message asked = {.method = "SELECT", .note = MYSQL_QUERY},
				     prepared = {.method = "PREPARE", .note = MYSQL_PREPARE},
				     plain = {.method = "STATISTICS", .note = MYSQL_PLAIN},
				     fields = {.method = "FIELDS", .note = MYSQL_ROWS},
				     login = {.note = MYSQL_AUTH | 1 << 8 | MYSQL_NOTE_NO_EOF},
				     compressed = {.note = MYSQL_AUTH | 1 << 8 |
							   MYSQL_NOTE_COMPRESSES};
static const struct protocol_message twice[] = {
	{.method = "SELECT", .note = MYSQL_QUERY},
	{.method = "SELECT", .note = MYSQL_QUERY},
};
static const struct protocol_message classic_then_prepare[] = {
	{.method = "SELECT", .note = MYSQL_QUERY},
	{.method = "PREPARE", .note = MYSQL_PREPARE},
	{.method = "SELECT", .note = MYSQL_QUERY},
};

#define GREETING                                                                                   \
	"\x4a\0\0\0\x0a"                                                                           \
	"8.0.36\0\x0a\0\0\0abcdefgh\0\xff\xf7\xff\2\0\xff\xdf\x15\0\0\0\0\0\0\0\0\0\0"             \
	"ijklmnopqrst\0caching_sha2_password\0"
#define OK(seq) "\7\0\0" seq "\0\0\0\2\0\0\0"
#define OK_MORE(seq) "\7\0\0" seq "\0\1\0\x0a\0\0\0"
#define ERROR(seq) "\x0e\0\0" seq "\xff\x7a\4#42S02no t!"
#define COUNT(seq, n) "\1\0\0" seq n
#define DEFINITION(seq) "\5\0\0" seq "\3defx"
#define END(seq) "\5\0\0" seq "\xfe\0\0\2\0"
#define END_MORE(seq) "\5\0\0" seq "\xfe\0\0\x0a\0"
#define END_CURSOR(seq) "\5\0\0" seq "\xfe\0\0\x42\0"
#define END_OK(seq) "\7\0\0" seq "\xfe\0\0\2\0\0\0"
#define ROW(seq) "\2\0\0" seq "\1x"
#define PREPARED(columns, parameters) "\x0c\0\0\1\0\7\0\0\0" columns parameters "\0\0\0"

static const struct spoken_row responses[] = {
	RESPONSE("ok", OK("\1") OK("\1"), "- 11\n- 11\nwhole\n", twice, 2),
	RESPONSE("an error", ERROR("\1"), "1146 error=42S02 18\nwhole\n", &asked, 1),
	RESPONSE("an error without state", "\7\0\0\1\xff\x7a\4no t", "1146 error=1146 11\nwhole\n",
		 &asked, 1),
	RESPONSE("progress is no error", "\7\0\0\1\xff\xff\xff\1\1\2\3" OK("\2"), "- 22\nwhole\n",
		 &asked, 1),
	RESPONSE("rows",
		 COUNT("\1", "\2") DEFINITION("\2") DEFINITION("\3") END("\4") ROW("\5") ROW("\6")
			 END("\7") OK("\1"),
		 "- 53\n- 11\nwhole\n", twice, 2),
	RESPONSE("rows without ends",
		 COUNT("\1", "\1") DEFINITION("\2") ROW("\3") END_OK("\4") OK("\1"),
		 "- 31\n- 11\nwhole\n", twice, 2),
	RESPONSE("no rows", COUNT("\1", "\1") DEFINITION("\2") END("\3") END("\4"), "- 32\nwhole\n",
		 &asked, 1),
	RESPONSE("no rows without ends", COUNT("\1", "\1") DEFINITION("\2") END_OK("\3"),
		 "- 25\nwhole\n", &asked, 1),
	RESPONSE("an error behind rows",
		 COUNT("\1", "\1") DEFINITION("\2") END("\3") ROW("\4") ERROR("\5"),
		 "1146 error=42S02 47\nwhole\n", &asked, 1),
	RESPONSE("a cursor", COUNT("\1", "\1") DEFINITION("\2") END_CURSOR("\3") OK("\1"),
		 "- 23\n- 11\nwhole\n", twice, 2),
	RESPONSE("several results",
		 OK_MORE("\1") COUNT("\2", "\1") DEFINITION("\3") END("\4") ROW("\5") END_MORE("\6")
			 ERROR("\7"),
		 "1146 error=42S02 67\nwhole\n", &asked, 1),
	RESPONSE("definitions of before", "\2\0\0\1\1\0" END("\2") ROW("\3") END("\4"),
		 "- 30\nwhole\n", &asked, 1),
	RESPONSE("definitions that are told",
		 "\2\0\0\1\1\1" DEFINITION("\2") ROW("\3") END_OK("\4"), "- 32\nwhole\n", &asked,
		 1),
	RESPONSE("a file", "\2\0\0\1\xfb/" OK("\4"), "- 17\nwhole\n", &asked, 1),
	RESPONSE("prepared",
		 PREPARED("\1\0", "\2\0") DEFINITION("\2") DEFINITION("\3") END("\4")
			 DEFINITION("\5") END("\6"),
		 "- statement=7 61\nwhole\n", &prepared, 1),
	RESPONSE("prepared without ends",
		 PREPARED("\1\0", "\2\0") DEFINITION("\2") DEFINITION("\3") DEFINITION("\4"),
		 "- statement=7 43\nwhole\n", &prepared, 1),
	RESPONSE("prepared, nothing", PREPARED("\0\0", "\0\0"), "- statement=7 16\nwhole\n",
		 &prepared, 1),
	/* Its end is not known to be one. */
	RESPONSE("prepared, not learned", PREPARED("\1\0", "\0\0") DEFINITION("\2") END("\3"),
		 "- statement=7 25\nwhole\n", &prepared, 1),
	RESPONSE("prepared, learned",
		 COUNT("\1", "\1") DEFINITION("\2") END("\3") END("\4") PREPARED("\0\0", "\1\0")
			 DEFINITION("\2") END("\3") OK("\1"),
		 "- 32\n- statement=7 34\n- 11\nwhole\n", classic_then_prepare, 3),
	RESPONSE("not prepared", ERROR("\1"), "1146 error=42S02 18\nwhole\n", &prepared, 1),
	RESPONSE("a text", "\6\0\0\1Uptime", "- 10\nwhole\n", &plain, 1),
	RESPONSE("fields", DEFINITION("\1") DEFINITION("\2") END("\3"), "- 27\nwhole\n", &fields,
		 1),
	RESPONSE("greets", GREETING, "- aside 78\nwhole\n", NULL, 0),
	RESPONSE("logs in",
		 "\6\0\0\2\xfe"
		 "plug\0\1\0\0\4\1" OK("\6"),
		 "- 26\nwhole\n", &login, 1),
	RESPONSE("refuses", ERROR("\2"), "1146 error=42S02 18\nwhole\n", &login, 1),
	RESPONSE("compresses", OK("\2"), "- 11\nleaves\n", &compressed, 1),
	RESPONSE("refuses before it greets", "\x16\0\0\0\xff\x10\4#08004Too many conn",
		 "1040 error=08004 alone 26\nwhole\n", NULL, 0),
	RESPONSE("says why it ends", OK("\1") "\x0e\0\0\0\xff\xbf\x0f#HY000gone!",
		 "- 11\n4031 error=HY000 aside 18\nwhole\n", &asked, 1),
	RESPONSE("out of order", COUNT("\1", "\1") DEFINITION("\3"), "lost\n", &asked, 1),
	RESPONSE("no row count", "\3\0\0\1\1\1\1", "lost\n", &asked, 1),
	RESPONSE("empty", "\0\0\0\1", "lost\n", &asked, 1),
	RESPONSE("the end of something", ROW("\5") END("\6") OK("\1"), "- 11\nwhole\n", NULL, 0),
};

static void test_requests(void **state)
{
	spoken_expect(&protocol_mysql, ROWS(requests));
}

static void test_responses(void **state)
{
	spoken_expect(&protocol_mysql, ROWS(responses));
}

static void test_changed_bytes(void **state)
{
	spoken_expect_flips(&protocol_mysql, ROWS(requests));
	spoken_expect_flips(&protocol_mysql, ROWS(responses));
}

/* Packets that are as long as possible, and what goes on behind them. */
static void test_long_packets(void **state)
{
	static const char first[] = "\xff\xff\xff\0\3SELECT ", second[] = "\2\0\0\1x ";
	const size_t at = MYSQL_HEADER_BYTES + MYSQL_PACKET_MAX, len = at + sizeof(second) - 1;
	struct spoken spoken = {.protocol = &protocol_mysql, .side = PROTOCOL_REQUESTS};
	char *bytes = malloc(len);
	struct buf text = {0};

	assert_non_null(bytes);
	memset(bytes, 'a', len);
	memcpy(bytes, first, sizeof(first) - 1);
	memcpy(bytes + at, second, sizeof(second) - 1);
	assert_null(spoken_text(&spoken, bytes, len, &text));
	buf_append_char(&text, '\0');
	assert_memory_equal(text.data, "SELECT SELECT aaa", 17);
	assert_non_null(strstr(text.data, "a 16777225\nwhole\n"));
	/* One of exactly that length has an empty one behind it. */
	buf_clear(&text);
	memcpy(bytes + at, "\0\0\0\1", 4);
	assert_null(spoken_text(&spoken, bytes, at + 4, &text));
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "a 16777223\nwhole\n"));
	buf_finish(&text);
	free(bytes);
}

/* A row that is as long: what goes on may look like anything. */
static void test_long_rows(void **state)
{
	static const char before[] = COUNT("\1", "\1") DEFINITION("\2") END("\3") "\xff\xff\xff\4",
			  behind[] = "\5\0\0\5\xfe\0\0\2\0" END("\6");
	const size_t at = sizeof(before) - 1 + MYSQL_PACKET_MAX, len = at + sizeof(behind) - 1;
	struct spoken spoken = {.protocol = &protocol_mysql,
				.side = PROTOCOL_RESPONSES,
				.requests = &asked,
				.requests_count = 1};
	char *bytes = malloc(len);
	struct buf text = {0};

	assert_non_null(bytes);
	memset(bytes, 'a', len);
	memcpy(bytes, before, sizeof(before) - 1);
	memcpy(bytes + at, behind, sizeof(behind) - 1);
	assert_null(spoken_text(&spoken, bytes, len, &text));
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, "- 16777260\nwhole\n");
	buf_finish(&text);
	free(bytes);
}

static void test_recognises(void **state)
{
	static const struct spoken_sample rows[] = {
		SAMPLE(PROTOCOL_REQUESTS, QUERY, PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "\x09\0\0\0\3select ", PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "\x09\0\0\0\3SELEC", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\x09\0\0\0\3SELECTED", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\6\0\0\0\3BEGIN", PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "\x0b\0\0\0\3\0\1SELECT 1", PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "\x0b\0\0\0\3\0\0SELECT 1", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, PREPARE, PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "\x09\0\0\1\3SELECT 1", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\1\0\0\0\x0e", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\2\0\0\0\x0e", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, CLOSE QUERY, PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, EXECUTE, PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\x0a\0\0\0\x17\7\0\0\0\0\2\0\0\0", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, EXECUTE "\1\0\0\0\x30", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, GREETING, PROTOCOL_YES),
		SAMPLE(PROTOCOL_RESPONSES,
		       "\x4a\0\0\0\x0a"
		       "8.0.36",
		       PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES,
		       "\x4a\0\0\0\x0a"
		       "v8.0.36",
		       PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES,
		       "\x4a\0\0\0\x09"
		       "8.0.36",
		       PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, ERROR("\1"), PROTOCOL_YES),
		SAMPLE(PROTOCOL_RESPONSES, "\x16\0\0\0\xff\x10\4#08004Too many conn", PROTOCOL_YES),
		SAMPLE(PROTOCOL_RESPONSES, "\x0e\0\0\1\xff\x7a\x44#42S02no t!", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "\7\0\0\1\xff\x7a\4no t", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, OK("\1"), PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, OK("\2"), PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, COUNT("\1", "\2"), PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, COUNT("\1", "\2") DEFINITION("\2"), PROTOCOL_YES),
		SAMPLE(PROTOCOL_RESPONSES, COUNT("\1", "\2") DEFINITION("\3"), PROTOCOL_NO),
	};

	spoken_expect_verdicts(&protocol_mysql, ROWS(rows));
	spoken_expect_found_at_once(&protocol_mysql, ROWS(rows));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_requests),      cmocka_unit_test(test_responses),
	cmocka_unit_test(test_changed_bytes), cmocka_unit_test(test_long_packets),
	cmocka_unit_test(test_long_rows),     cmocka_unit_test(test_recognises),
};

UNIT_GROUP(tests);
