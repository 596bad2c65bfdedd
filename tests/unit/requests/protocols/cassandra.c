/* SPDX-License-Identifier: MIT */
/* Cassandra: statements and results, however the bytes come. */
#include "unit.h"
#include "spoken_rows.h"

static const struct spoken_row requests[] = {
	{"a connection", PROTOCOL_REQUESTS,
	 "\x04\x00\x00\x00\x05\x00\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x16\x00\x01\x00\x0b"
	 "\x43QL_VERSION\x00\x05\x33.0."
	 "0\x04\x00\x00\x06\x0b\x00\x00\x00\x02\x00\x00\x04\x00\x00\x07\x0f\x00\x00\x00\x08\x00\x00"
	 "\x00\x04\x00u\x00p",
	 "OPTIONS  key=0 9\nSTARTUP  key=0 31\nREGISTER  key=6 11\nAUTH_RESPONSE  key=7 "
	 "17\nwhole\n",
	 .len = 68},
	{"statements", PROTOCOL_REQUESTS,
	 "\x04\x00\x00\x01\x07\x00\x00\x00\x33\x00\x00\x00,SELECT * FROM t WHERE a = 'secret' AND "
	 "b = 5\x00\x01\x00\x04\x00\x00\x02\x09\x00\x00\x00 \x00\x00\x00\x1cINSERT INTO t (a) "
	 "VALUES "
	 "(\x3f)"
	 "\x04\x00\x00\x03\x0a\x00\x00\x00\x09\x00\x04idid\x00\x01\x00\x04\x00\x00\x04\x0d\x00\x00"
	 "\x00\x1c\x00\x00\x01\x00\x00\x00\x00\x12UPDATE t SET a = "
	 "1\x00\x00\x04\x00\x00\x05\x0d\x00\x00\x00\x0a\x00\x00\x01\x01\x00\x04idid",
	 "SELECT SELECT * FROM t WHERE a = ? AND b = ? key=1 60\nPREPARE INSERT INTO t (a) VALUES "
	 "(?) key=2 keeps 41\nEXECUTE  key=3 uses 18\nBATCH UPDATE t SET a = ? key=4 37\nBATCH  "
	 "key=5 19\nwhole\n",
	 .len = 175},
	{"what stands before and around", PROTOCOL_REQUESTS,
	 "\x04\x04\x00\x08\x07\x00\x00\x00\x16\x00\x01\x00\x01k\x00\x00\x00\x01v\x00\x00\x00\x08SEL"
	 "ECT 1\x04\x01\x00\x09\x07\x00\x00\x00\x04zzzz",
	 "SELECT SELECT ? key=8 31\nQUERY  key=9 13\nwhole\n", .len = 44},
	{"a response", PROTOCOL_REQUESTS, "\x84\x00\x00\x01\x08\x00\x00\x00\x00", "lost\n",
	 .len = 9},
	{"another version", PROTOCOL_REQUESTS, "\x02\x00\x00\x01\x07\x00\x00\x00\x00", "lost\n",
	 .len = 9},
	{"segments", PROTOCOL_REQUESTS,
	 "\x05\x00\x00\x00\x01\x00\x00\x00\x16\x00\x01\x00\x0b\x43QL_VERSION\x00\x05\x33.0."
	 "0\x1e\x00\x02K\x9a\x94\x05\x00\x00\x01\x07\x00\x00\x00\x0c\x00\x00\x00\x08SELECT "
	 "1\x05\x00\x00\x02\x05\x00\x00\x00\x00\x43RC!"
	 "\x09\x00\x02\xa4\xc8\xc1\x05\x00\x00\x02\x05\x00\x00\x00\x00\x43RC!",
	 "STARTUP  key=0 31\nSELECT SELECT ? key=1 21\nOPTIONS  key=2 9\nOPTIONS  key=2 9\nwhole\n",
	 .len = 90},
	{"compressed segments", PROTOCOL_REQUESTS,
	 "\x05\x00\x00\x00\x01\x00\x00\x00(\x00\x02\x00\x0b\x43QL_VERSION\x00\x05\x33.0."
	 "0\x00\x0b\x43OMPRESSION\x00\x03lz4\x03\x00\x06\x00\x04,-ezzzCRC!",
	 "STARTUP  key=0 49\nleaves\n", .len = 64},
};

static const struct spoken_row responses[] = {
	{"results", PROTOCOL_RESPONSES,
	 "\x84\x00\x00\x00\x02\x00\x00\x00\x00\x84\x00\x00\x01\x08\x00\x00\x00\x04\x00\x00\x00\x01"
	 "\x84\x00\x00\x02\x08\x00\x00\x00\x0a\x00\x00\x00\x04\x00\x04idid\x84\x00\xff\xff\x0c\x00"
	 "\x00\x00\x0f\x00\x0dSTATUS_CHANGE",
	 "- key=0 9\n- key=1 13\n- key=2 statement=76cf5834d7fa9b2b 19\n- key=ffff aside "
	 "24\nwhole\n",
	 .len = 65},
	{"errors", PROTOCOL_RESPONSES,
	 "\x84\x00\x00\x03\x00\x00\x00\x00\x0c\x00\x00\"\x00\x00\x06secret\x84\x00\x00\x04\x00\x00"
	 "\x00\x00\x07\x00\x00\x12\x34\x00\x01x\x84\x0a\x00\x05\x00\x00\x00\x00\x1fTTTTTTTTTTTTTTTT"
	 "\x00\x01\x00\x04warn\x00\x00\x11\x00\x00\x01x",
	 "8704 error=INVALID key=3 21\n4660 error=0x1234 key=4 16\n4352 error=WRITE_TIMEOUT key=5 "
	 "40\nwhole\n",
	 .len = 77},
	{"segments", PROTOCOL_RESPONSES,
	 "\x85\x00\x00\x00\x02\x00\x00\x00\x00\x1e\x00\x02K\x9a\x94\x85\x00\x00\x03\x00\x00\x00\x00"
	 "\x0c\x00\x00\"\x00\x00\x06secret\x85\x00\x00\x00\x02\x00\x00\x00\x00\x43RC!"
	 "\x15\x00\x02\xb5\xa4\x41\x85\x00\x00\x03\x00\x00\x00\x00\x0c\x00\x00\"\x00\x00\x06secretC"
	 "RC!",
	 "- key=0 9\n8704 error=INVALID key=3 21\n- key=0 9\n8704 error=INVALID key=3 21\nwhole\n",
	 .len = 80},
	{"compressed segments", PROTOCOL_RESPONSES,
	 "\x85\x00\x00\x00\x02\x00\x00\x00\x00\x03\x00\x06\x00\x04,-ezzzCRC!", "- key=0 9\nleaves\n",
	 .len = 24},
};

SPOKEN_CASES(protocol_cassandra)

/* A message that is longer than a segment may be: its rest is in others. */
static void test_long_message(void **state)
{
	enum { FIRST = (1 << 17) - 1, REST = 1000, HEAD = 6, CHECKSUM = 4 };
	static const char startup[] = "\x05\x00\x00\x00\x01\x00\x00\x00\x16\x00\x01\x00\x0b\x43QL_"
				      "VERSION\x00\x05\x33.0.0",
			  first[] = "\xff\xff\x01\x38\x91\xfe", rest[] = "\xe8\x03\x00\xf2Q\x87",
			  query[] = "\x05\x00\x00\x01\x07\x00\x02\x03\xde\x00\x00\x00\x0cSELECT ";
	struct spoken spoken = {.protocol = &protocol_cassandra, .first = 500, .piece = 3000};
	struct buf bytes = {0}, text = {0};

	buf_append(&bytes, startup, sizeof(startup) - 1);
	buf_append(&bytes, first, sizeof(first) - 1);
	buf_append(&bytes, query, sizeof(query) - 1);
	for (size_t i = sizeof(query) - 1; i < FIRST + CHECKSUM; i++)
		buf_append_char(&bytes, 'x');
	buf_append(&bytes, rest, sizeof(rest) - 1);
	for (size_t i = 0; i < REST + CHECKSUM; i++)
		buf_append_char(&bytes, 'y');
	buf_append(&bytes, rest, sizeof(rest) - 1);
	assert_null(spoken_text(&spoken, bytes.data, bytes.len, &text));
	buf_append_char(&text, '\0');
	assert_string_equal(text.data,
			    "STARTUP  key=0 31\nSELECT SELECT xxxxx key=1 132081\nwhole\n");
	buf_finish(&bytes);
	buf_finish(&text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_both_sides),
	cmocka_unit_test(test_changed_bytes),
	cmocka_unit_test(test_long_message),
};

UNIT_GROUP(tests);
