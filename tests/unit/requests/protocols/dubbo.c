/* SPDX-License-Identifier: MIT */
/* Dubbo 2: calls and results, however the bytes come. */
#include "unit.h"
#include "spoken_rows.h"

#define ROWS(rows) rows, sizeof(rows) / sizeof(rows[0])

static const struct spoken_row requests[] = {
	{"calls", PROTOCOL_REQUESTS,
	 "\xda\xbb\xc2\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00T\x05\x32.0.20$org.example."
	 "demo.api.GreetingService\x05\x30.0.0\x08sayHello\x12Ljava/lang/"
	 "String;\x05world\xda\xbb\x82\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x0d\x05\x32."
	 "0.2S\x00\x01sN\x01m\xda\xbb\xc6\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x1f\"2.0."
	 "2\"\x0a\"svc\"\x0a\"0.0."
	 "0\"\x0a\"m2\"\x0a\"x\"\x0a\xda\xbb\xd6\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00"
	 "\x03\x01\x02\x03",
	 "sayHello org.example.demo.api.GreetingService key=1 100\nm s key=2 oneway 29\nm2 svc "
	 "key=3 47\n  key=4 19\nwhole\n",
	 .len = 195},
	{"heartbeats", PROTOCOL_REQUESTS,
	 "\xda\xbb\xe2\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x01N\xda\xbb\"\x14\x00\x00"
	 "\x00\x00\x00\x00\x00\x06\x00\x00\x00\x01N\xda\xbb\xe2\x00\x00\x00\x00\x00\x00\x00\x00\x05"
	 "\x00\x00\x00\x01N",
	 "heartbeat  key=5 17\nheartbeat  key=5 17\nwhole\n", .len = 51},
	{"another number first", PROTOCOL_REQUESTS,
	 "\xda\xbc\xc2\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00T\x05\x32.0.20$org.example."
	 "demo.api.GreetingService\x05\x30.0.0\x08sayHello\x12Ljava/lang/String;\x05world",
	 "lost\n", .len = 100},
	{"no serialization", PROTOCOL_REQUESTS,
	 "\xda\xbb\xc0\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00T\x05\x32.0.20$org.example."
	 "demo.api.GreetingService\x05\x30.0.0\x08sayHello\x12Ljava/lang/String;\x05world",
	 "lost\n", .len = 100},
};

static const struct spoken_row responses[] = {
	{"results", PROTOCOL_RESPONSES,
	 "\xda\xbb\x02\x14\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x07\x91\x05hello\xda\xbb\x02"
	 "\x14\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x02\x90M\xda\xbb\x02\x14\x00\x00\x00\x00"
	 "\x00\x00\x00\x03\x00\x00\x00\x02\x93M\xda\xbb\x06\x14\x00\x00\x00\x00\x00\x00\x00\x04\x00"
	 "\x00\x00\x06\x31\x0a\"x\"\x0a\xda\xbb\x06\x14\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00"
	 "\x02\x30\x0a",
	 "20 key=1 23\n20 error=EXCEPTION key=2 18\n20 error=EXCEPTION key=3 18\n20 key=4 22\n20 "
	 "error=EXCEPTION key=5 18\nwhole\n",
	 .len = 99},
	{"errors", PROTOCOL_RESPONSES,
	 "\xda\xbb\x02\x1f\x00\x00\x00\x00\x00\x00\x00\x06\x00\x00\x00\x08\x07timeout\xda\xbb\x02"
	 "\x63\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00",
	 "31 error=SERVER_TIMEOUT key=6 24\n99 error=UNKNOWN key=7 16\nwhole\n", .len = 40},
	{"heartbeats", PROTOCOL_RESPONSES,
	 "\xda\xbb\xe2\x00\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x01N\xda\xbb\"\x14\x00\x00"
	 "\x00\x00\x00\x00\x00\x05\x00\x00\x00\x01N",
	 "20 key=5 17\nwhole\n", .len = 34},
};

static void test_both_sides(void **state)
{
	spoken_expect(&protocol_dubbo, ROWS(requests));
	spoken_expect(&protocol_dubbo, ROWS(responses));
}

static void test_changed_bytes(void **state)
{
	spoken_expect_flips(&protocol_dubbo, ROWS(requests));
	spoken_expect_flips(&protocol_dubbo, ROWS(responses));
}

static enum protocol_verdict recognise(const struct spoken_row *row, enum protocol_side side)
{
	struct protocol_input input = {(const uint8_t *)row->bytes, row->len, false};

	return protocol_dubbo.recognise(side, &input);
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
