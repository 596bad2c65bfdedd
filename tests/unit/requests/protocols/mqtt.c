/* SPDX-License-Identifier: MIT */
/* MQTT 3.1.1 and 5: packets of both sides, however the bytes come. */
#include "unit.h"
#include "spoken_rows.h"

#define ROW(what, side, bytes, text)                                                               \
	{                                                                                          \
		what, side, bytes, text, .len = sizeof(bytes) - 1                                  \
	}
/* Its last frame is not whole: what is known of it depends on whether more comes. */
#define CUT_ROW(what, side, bytes)                                                                 \
	{                                                                                          \
		what, side, bytes, "waits\n", .len = sizeof(bytes) - 1, .looks_ahead = true        \
	}

#define CONNECT_4 "\x10\x0e\0\4MQTT\4\2\0\x3c\0\2id"
#define CONNECT_5 "\x10\x14\0\4MQTT\5\2\0\x3c\5\x11\0\0\0\x1e\0\2id"

#define CONNECT_BRIDGE "\x10\x0e\0\4MQTT\x84\2\0\x3c\0\2id"

/* Keys are the type that asks, above the id of the packet. */
static const struct spoken_row requests[] = {
	ROW("version 3.1.1", PROTOCOL_REQUESTS,
	    CONNECT_4 "\x82\6\0\1\0\1a\1\xa2\5\0\2\0\1a\xc0\0\xe0\0",
	    "CONNECT id key=10000 16\nSUBSCRIBE a key=80001 8\nUNSUBSCRIBE a key=a0002 7\n"
	    "PINGREQ  key=c0000 2\nDISCONNECT  key=e0000 oneway 2\nwhole\n"),
	ROW("version 5", PROTOCOL_REQUESTS,
	    CONNECT_5 "\x82\x09\0\1\2\x0b\1\0\1a\1\xa2\6\0\2\0\0\1a\xe0\1\0",
	    "CONNECT id key=10000 22\nSUBSCRIBE a key=80001 11\nUNSUBSCRIBE a key=a0002 8\n"
	    "DISCONNECT  key=e0000 oneway 3\nwhole\n"),
	ROW("version 3.1", PROTOCOL_REQUESTS, "\x10\x0f\0\6MQIsdp\3\2\0\x3c\0\1i",
	    "CONNECT i key=10000 17\nwhole\n"),
	ROW("of a broker", PROTOCOL_REQUESTS, CONNECT_BRIDGE "\x82\6\0\1\0\1a\1",
	    "CONNECT id key=10000 16\nSUBSCRIBE a key=80001 8\nwhole\n"),
	ROW("published", PROTOCOL_REQUESTS,
	    "\x30\7\0\3a/bhi\x32\5\0\1t\0\5\x3d\7\0\1t\0\6hi\x62\2\0\6",
	    "PUBLISH a/b key=30000 oneway 9\nPUBLISH t key=30005 7\nPUBLISH t key=30006 "
	    "9\nwhole\n"),
	ROW("acknowledged", PROTOCOL_REQUESTS, "\x40\2\0\1\x50\2\0\2\x70\2\0\2\xf0\2\x18\0",
	    "whole\n"),
	ROW("subscribed before", PROTOCOL_REQUESTS, "\x82\x09\0\1\2\x0b\1\0\1a\1",
	    "SUBSCRIBE  key=80001 11\nwhole\n"),
	CUT_ROW("a long length", PROTOCOL_REQUESTS, "\x30\xff\x7f\0\1tabc"),
	ROW("too long a length", PROTOCOL_REQUESTS, "\x30\x80\x80\x80\x80\1", "lost\n"),
	ROW("of the server", PROTOCOL_REQUESTS, "\x20\2\0\0", "lost\n"),
	ROW("wrong flags", PROTOCOL_REQUESTS, "\x80\6\0\1\0\1a\1", "lost\n"),
	ROW("wrong quality", PROTOCOL_REQUESTS, "\x36\5\0\1t\0\5", "lost\n"),
	ROW("too short", PROTOCOL_REQUESTS, "\x82\2\0\1", "lost\n"),
	CUT_ROW("not all", PROTOCOL_REQUESTS, "\x30\7\0\3a/"),
};

static const struct spoken_row responses[] = {
	ROW("version 3.1.1", PROTOCOL_RESPONSES,
	    "\x20\2\0\0\x90\4\0\1\1\2\x90\4\0\1\x80\1\xb0\2\0\2\xd0\0",
	    "0 key=10000 4\n- key=80001 6\n128 error=unspecified error key=80001 6\n"
	    "- key=a0002 4\n- key=c0000 2\nwhole\n"),
	ROW("version 5", PROTOCOL_RESPONSES,
	    "\x20\6\0\0\3\x21\0\x14\x90\5\0\1\0\1\x87\xb0\4\0\2\0\x11\xf0\2\x18\0",
	    "0 key=10000 8\n135 error=not authorized key=80001 7\n17 key=a0002 6\nwhole\n"),
	ROW("refused", PROTOCOL_RESPONSES, "\x20\2\0\5",
	    "5 error=not authorized key=10000 4\nwhole\n"),
	ROW("refused, version 5", PROTOCOL_RESPONSES, "\x20\3\0\x8a\0\xe0\1\x8e\xe0\2\xc0\0",
	    "138 error=banned key=10000 5\n142 error=session taken over alone 3\n"
	    "192 error=reason 192 alone 4\nwhole\n"),
	ROW("delivered", PROTOCOL_RESPONSES, "\x30\7\0\3a/bhi\x32\5\0\1t\0\5\x62\2\0\6",
	    "- alone DELIVER a/b 9\n- alone DELIVER t 7\nwhole\n"),
	ROW("acknowledged", PROTOCOL_RESPONSES,
	    "\x40\2\0\1\x40\3\0\2\x10\x40\3\0\3\x97\x50\2\0\4\x70\2\0\4\x50\4\0\5\x83\0",
	    "- key=30001 4\n16 key=30002 5\n151 error=quota exceeded key=30003 5\n"
	    "- key=30004 aside 4\n- key=30004 4\n"
	    "131 error=implementation specific error key=30005 6\nwhole\n"),
	ROW("nothing known of the version", PROTOCOL_RESPONSES, "\x90\4\0\1\x80\1",
	    "- key=80001 6\nwhole\n"),
	ROW("of the client", PROTOCOL_RESPONSES, CONNECT_4, "lost\n"),
};

SPOKEN_CASES(protocol_mqtt)

/* Only CONNECT is sure; packets of a connection that is older are likely. */
static void test_recognition(void **state)
{
	static const struct spoken_sample rows[] = {
		SAMPLE(PROTOCOL_REQUESTS, CONNECT_4, PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, CONNECT_5, PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, CONNECT_BRIDGE, PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "\x10\x0e\0\4MQTT\7\2\0\x3c\0\2id", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\x10\x0e\0\4MQ", PROTOCOL_SHORT),
		SAMPLE(PROTOCOL_REQUESTS, "\x10\x0e\0\4HTTP", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\x30\7\0\3a/bhi\xc0\0", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\x30\7\0\3a/bhiHTTP", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\x30\7\0\3a\1bhi", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\x30\7\0\0\3\x23\0\1x", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS,
		       "\x30\7\0\x09"
		       "abchi",
		       PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\x30\x40\0\3a/b", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\x30\x40\0\3a/", PROTOCOL_SHORT),
		SAMPLE(PROTOCOL_REQUESTS, "\x32\4\0\2ab", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\xc0\1x", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\xc0\0", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\x40\2\0\1\x82", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\x40\2\0\0", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\x40\3\0\1\x77", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\x40\4\0\1\x10\0", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\x40\4\0\1\x10\1", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\xe0\0", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\xe0\2\4\1", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\x82\6\0\1\0\1a\1", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\x82\6\0\1\0\1a", PROTOCOL_SHORT),
		SAMPLE(PROTOCOL_REQUESTS, "\x82\6\0\1\0\2a\1", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\x82\x09\0\1\2\x0b\1\0\1a\1", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\xa2\6\0\2\0\0\1a", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "\x20\2\0\0\xd0\0", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "\x20\6\0\0\3\x21\0\x14", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "\x90\5\0\1\0\1\x87", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "\x90\4\0\1\x70\1", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "\x20\2\7\0", PROTOCOL_NO),
	};

	spoken_expect_verdicts(&protocol_mqtt, ROWS(rows));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_both_sides),
	cmocka_unit_test(test_changed_bytes),
	cmocka_unit_test(test_recognition),
};

UNIT_GROUP(tests);
