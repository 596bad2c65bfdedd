/* SPDX-License-Identifier: MIT */
/* FastCGI: requests with their parameters, and responses, however the bytes come. */
#include "unit.h"
#include "spoken_rows.h"

#define ROWS(rows) rows, sizeof(rows) / sizeof(rows[0])

static const struct spoken_row requests[] = {
	{"requests", PROTOCOL_REQUESTS,
	 "\x01\x01\x00\x01\x00\x08\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x01\x04\x00\x01\x01*"
	 "\x05\x00\x0b\x0aSCRIPT_NAME/"
	 "index.php\x0e\x04REQUEST_"
	 "METHODPOST\x04\x80\x00\x00\xc8LONGxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\x0b\x0dREQUEST_URI/a/"
	 "b\x3fsecret=1\x09\x09HTTP_HOSTh."
	 "example\x00\x00\x00\x00\x00\x01\x04\x00\x01\x00\x00\x00\x00\x01\x05\x00\x01\x00\x04\x04"
	 "\x00\x62ody\x00\x00\x00\x00\x01\x05\x00\x01\x00\x00\x00\x00\x01\x01\x00\x02\x00\x08\x00"
	 "\x00\x00\x01\x01\x00\x00\x00\x00\x00\x01\x04\x00\x02\x00\"\x00\x00\x0e\x03REQUEST_"
	 "METHODGET\x0b\x02SCRIPT_NAME/"
	 "x\x01\x04\x00\x02\x00\x00\x00\x00\x01\x02\x00\x02\x00\x00\x00\x00",
	 "POST /a/b host=h.example key=1 359\nGET /x key=2 74\nwhole\n", .len = 433},
	{"mixed", PROTOCOL_REQUESTS,
	 "\x01\x01\x00\x01\x00\x08\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x01\x04\x00\x01\x00\x13"
	 "\x00\x00\x0e\x03REQUEST_"
	 "METHODGET\x01\x01\x00\x02\x00\x08\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x01\x05\x00\x01"
	 "\x00\x00\x00\x00\x01\x05\x00\x02\x00\x00\x00\x00",
	 "GET  key=1 43\n  key=2 32\nwhole\n", .len = 75},
	{"what is about the program", PROTOCOL_REQUESTS,
	 "\x01\x09\x00\x00\x00\x10\x00\x00\x0e\x00\x46\x43GI_MAX_"
	 "CONNS\x01\x01\x00\x01\x00\x08\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x01\x04\x00\x01\x01"
	 "*\x05\x00\x0b\x0aSCRIPT_NAME/"
	 "index.php\x0e\x04REQUEST_"
	 "METHODPOST\x04\x80\x00\x00\xc8LONGxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\x0b\x0dREQUEST_URI/a/"
	 "b\x3fsecret=1\x09\x09HTTP_HOSTh."
	 "example\x00\x00\x00\x00\x00\x01\x04\x00\x01\x00\x00\x00\x00\x01\x05\x00\x01\x00\x04\x04"
	 "\x00\x62ody\x00\x00\x00\x00\x01\x05\x00\x01\x00\x00\x00\x00",
	 "POST /a/b host=h.example key=1 359\nwhole\n", .len = 383},
	{"no record", PROTOCOL_REQUESTS,
	 "\x02\x01\x00\x01\x00\x08\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x01\x04\x00\x01\x01*"
	 "\x05\x00\x0b\x0aSCRIPT_NAME/"
	 "index.php\x0e\x04REQUEST_"
	 "METHODPOST\x04\x80\x00\x00\xc8LONGxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\x0b\x0dREQUEST_URI/a/"
	 "b\x3fsecret=1\x09\x09HTTP_HOSTh."
	 "example\x00\x00\x00\x00\x00\x01\x04\x00\x01\x00\x00\x00\x00\x01\x05\x00\x01\x00\x04\x04"
	 "\x00\x62ody\x00\x00\x00\x00\x01\x05\x00\x01\x00\x00\x00\x00",
	 "lost\n", .len = 359},
	{"a begin of another length", PROTOCOL_REQUESTS,
	 "\x01\x01\x00\x01\x00\x03\x00\x00\x00\x01\x01", "lost\n", .len = 11},
	{"of the other side", PROTOCOL_REQUESTS, "\x01\x06\x00\x01\x00\x01\x00\x00x", "lost\n",
	 .len = 9},
};

static const struct spoken_row responses[] = {
	{"responses", PROTOCOL_RESPONSES,
	 "\x01\x06\x00\x01\x00+\x03\x00\x43ontent-type: text/html\x0d\x0a\x0d\x0aStatus: 500 "
	 "no\x0d\x0a\x00\x00\x00\x01\x06\x00\x01\x00\x00\x00\x00\x01\x03\x00\x01\x00\x08\x00\x00"
	 "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x07\x00\x02\x00\x07\x00\x00warning\x01\x06\x00\x02"
	 "\x00\x1f\x00\x00X: y\x0d\x0aStatus: 404 Not "
	 "Found\x0d\x0a\x0d\x0a\x01\x03\x00\x02\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"
	 "\x06\x00\x03\x00\x11\x00\x00Status: 503 "
	 "x\x0d\x0a\x0d\x0a\x01\x03\x00\x03\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x03"
	 "\x00\x04\x00\x08\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00",
	 "200 key=1 78\n404 error=404 key=2 70\n503 error=503 key=3 41\n- error=OVERLOADED key=4 "
	 "16\nwhole\n",
	 .len = 205},
	{"mixed", PROTOCOL_RESPONSES,
	 "\x01\x06\x00\x01\x00\x04\x00\x00\x0d\x0a\x0d\x0a\x01\x07\x00\x02\x00\x07\x00\x00warning"
	 "\x01\x06\x00\x02\x00\x1f\x00\x00X: y\x0d\x0aStatus: 404 Not "
	 "Found\x0d\x0a\x0d\x0a\x01\x03\x00\x02\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
	 "200 key=1 12\n404 error=404 key=2 70\nwhole\n", .len = 82},
};

static void test_both_sides(void **state)
{
	spoken_expect(&protocol_fastcgi, ROWS(requests));
	spoken_expect(&protocol_fastcgi, ROWS(responses));
}

static void test_changed_bytes(void **state)
{
	spoken_expect_flips(&protocol_fastcgi, ROWS(requests));
	spoken_expect_flips(&protocol_fastcgi, ROWS(responses));
}

static enum protocol_verdict recognise(const struct spoken_row *row, enum protocol_side side)
{
	struct protocol_input input = {(const uint8_t *)row->bytes, row->len, false};

	return protocol_fastcgi.recognise(side, &input);
}

/* By the first rows, each of its own side alone. */
static void test_recognition(void **state)
{
	assert_int_equal(recognise(&requests[0], PROTOCOL_REQUESTS), PROTOCOL_YES);
	assert_int_equal(recognise(&requests[0], PROTOCOL_RESPONSES), PROTOCOL_NO);
	assert_int_equal(recognise(&responses[0], PROTOCOL_RESPONSES), PROTOCOL_MAYBE);
	assert_int_equal(recognise(&responses[0], PROTOCOL_REQUESTS), PROTOCOL_NO);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_both_sides),
	cmocka_unit_test(test_changed_bytes),
	cmocka_unit_test(test_recognition),
};

UNIT_GROUP(tests);
