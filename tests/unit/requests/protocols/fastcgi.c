/* SPDX-License-Identifier: MIT */
/* FastCGI: requests with their parameters, and responses, however the bytes come. */
#include "unit.h"
#include "spoken_rows.h"

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

#define X60 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X600 X60 X60 X60 X60 X60 X60 X60 X60 X60 X60
#define OUTPUT(size, text) "\x01\x06\x00\x01" size "\x00\x00" text
#define THE_END "\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
#define ANSWERED(what, size, text, expected)                                                       \
	{                                                                                          \
		what, PROTOCOL_RESPONSES, OUTPUT(size, text) THE_END, expected,                    \
			.len = sizeof(OUTPUT(size, text) THE_END) - 1                              \
	}

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
	ANSWERED("behind a long line", "\x02\x6e", "X: " X600 "\r\nStatus: 500 x\r\n\r\n",
		 "500 error=500 key=1 646\nwhole\n"),
	ANSWERED("a head that goes on", "\x00\x06", "X: y\r\n", "- key=1 30\nwhole\n"),
	ANSWERED("a line that goes on", "\x00\x0a", "Status: 50", "- key=1 34\nwhole\n"),
	ANSWERED("without a blank", "\x00\x0e", "status:404\r\n\r\n",
		 "404 error=404 key=1 38\nwhole\n"),
	ANSWERED("elsewhere", "\x00\x10", "Location: /a\r\n\r\n", "302 key=1 40\nwhole\n"),
	ANSWERED("elsewhere for good", "\x00\x1d", "Location: /a\r\nStatus: 301\r\n\r\n",
		 "301 key=1 53\nwhole\n"),
};

SPOKEN_CASES(protocol_fastcgi)

static void test_recognition(void **state)
{
	spoken_expect_recognised(&protocol_fastcgi, &requests[0], PROTOCOL_YES);
	spoken_expect_recognised(&protocol_fastcgi, &responses[0], PROTOCOL_MAYBE);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_both_sides),
	cmocka_unit_test(test_changed_bytes),
	cmocka_unit_test(test_recognition),
};

UNIT_GROUP(tests);
