/* SPDX-License-Identifier: MIT */
/* WebSocket: messages of both sides, however the bytes come. */
#include "unit.h"
#include "spoken_rows.h"

static const struct spoken_row requests[] = {
	{"messages", PROTOCOL_REQUESTS,
	 "\x81\x85\x11\"3DyG_(~\x82\xfe\x00\xc8\x11\"3DiZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<"
	 "iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<"
	 "iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<iZK<\x81\x80\x11\"3D",
	 "TEXT  key=0 oneway 11\nBINARY  key=0 oneway 208\nTEXT  key=0 oneway 6\nwhole\n",
	 .len = 225},
	{"in several frames", PROTOCOL_REQUESTS,
	 "\x01\x82\x11\"3DyG\x89\x81\x11\"3Da\x00\x81\x11\"3D}\x80\x82\x11\"3D}M\x81\x85\x11\"3DyG_"
	 "(~",
	 "TEXT  key=0 oneway 30\nTEXT  key=0 oneway 11\nwhole\n", .len = 41},
	{"what controls", PROTOCOL_REQUESTS,
	 "\x89\x82\x11\"3DyK\x8a\x82\x11\"3DyK\x88\x82\x11\"3D\x12\xca\x88\x85\x11\"3D\x12\xd3Q-"
	 "v\x88\x80\x11\"3D",
	 "PING  key=9 8\nCLOSE  key=0 oneway 8\nCLOSE  key=0 oneway 11\nCLOSE  key=0 oneway "
	 "6\nwhole\n",
	 .len = 41},
	{"closed within a message", PROTOCOL_REQUESTS, "\x01\x82\x11\"3DyG\x88\x82\x11\"3D\x12\xca",
	 "TEXT  key=0 oneway 8\nCLOSE  key=0 oneway 8\nwhole\n", .len = 16},
	{"not masked", PROTOCOL_REQUESTS, "\x81\x05hello", "lost\n", .len = 7},
	{"no operation", PROTOCOL_REQUESTS, "\x83\x81\x11\"3Di", "lost\n", .len = 7},
	{"a length in too many bytes", PROTOCOL_REQUESTS, "\x81\xfe\x00\x05\x11\"3Dhello", "lost\n",
	 .len = 13},
	{"a long one", PROTOCOL_REQUESTS,
	 "\x81\xff\x00\x00\x00\x00\x00\x01\x00\x00\x11\"3Dhellohello",
	 "TEXT  key=0 oneway 65550\nskips\n", .len = 24},
};

static const struct spoken_row responses[] = {
	{"messages", PROTOCOL_RESPONSES,
	 "\x81\x05hello\x82~\x00~"
	 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\x01\x02he\x80\x03llo",
	 "- alone 7\n- alone 130\n- alone 9\nwhole\n", .len = 146},
	{"what controls", PROTOCOL_RESPONSES,
	 "\x8a\x02hi\x89\x01x\x88\x02\x03\xe9\x88\x04\x03\xf3oh",
	 "- key=9 4\n1001 alone 4\n1011 error=1011 alone 6\nwhole\n", .len = 17},
	{"a pong within a message", PROTOCOL_RESPONSES,
	 "\x01\x02he\x8a\x02hi\x89\x00\x80\x03llo\x8a\x00",
	 "within key=9 4\n- alone 11\n- key=9 2\nwhole\n", .len = 17},
	{"masked", PROTOCOL_RESPONSES, "\x81\x85\x11\"3DyG_(~", "lost\n", .len = 11},
};

SPOKEN_CASES(protocol_websocket)

/* Two whole frames, or one of text, are likely: less is nothing that one believes. */
static void test_recognition(void **state)
{
	static const struct spoken_sample rows[] = {
		SAMPLE(PROTOCOL_RESPONSES, "\x82\3abc", PROTOCOL_SHORT),
		SAMPLE(PROTOCOL_RESPONSES, "\x82\3abc\x82\1", PROTOCOL_SHORT),
		SAMPLE(PROTOCOL_RESPONSES, "\x82\3abc\x8a\0", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "\x81\3a\xc3\xa4", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "\x81\3a\1b", PROTOCOL_SHORT),
		SAMPLE(PROTOCOL_RESPONSES, "\x81\3a\xc3(", PROTOCOL_SHORT),
		SAMPLE(PROTOCOL_RESPONSES, "\xc1\3abc", PROTOCOL_SHORT),
		SAMPLE(PROTOCOL_RESPONSES, "\x81\4abc", PROTOCOL_SHORT),
		SAMPLE(PROTOCOL_RESPONSES, "\x80\4abc", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\x81\x83\0\1\2\1abc", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\x81\x83\x60\0\0\0abc", PROTOCOL_SHORT),
	};

	spoken_expect_verdicts(&protocol_websocket, ROWS(rows));
	spoken_expect_recognised(&protocol_websocket, &requests[0], PROTOCOL_MAYBE);
	spoken_expect_recognised(&protocol_websocket, &responses[0], PROTOCOL_MAYBE);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_both_sides),
	cmocka_unit_test(test_changed_bytes),
	cmocka_unit_test(test_recognition),
};

UNIT_GROUP(tests);
