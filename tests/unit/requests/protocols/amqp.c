/* SPDX-License-Identifier: MIT */
/* AMQP 0-9-1: methods of channels and their contents, however the bytes come. */
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
#define FRAME(type, channel, size, payload) type "\0" channel "\0\0\0" size payload "\xce"
#define METHOD(channel, size, class, method, arguments)                                            \
	FRAME("\1", channel, size, "\0" class "\0" method arguments)
#define HEADER(channel, body) FRAME("\2", channel, "\x0e", "\0\x3c\0\0\0\0\0\0\0\0\0" body "\0\0")
#define BODY(channel, size, bytes) FRAME("\3", channel, size, bytes)
#define GREETING "AMQP\0\0\x09\1"
#define PUBLISH(channel) METHOD(channel, "\x0d", "\x3c", "\x28", "\0\0\1e\3r.k\0")

/* Keys are the channel, the class and the method that asks. */
static const struct spoken_row requests[] = {
	ROW("a connection", PROTOCOL_REQUESTS,
	    GREETING METHOD("\0", "\6", "\x0a", "\x0b", "..") METHOD("\0", "\4", "\x0a", "\x1f", "")
		    METHOD("\0", "\6", "\x0a", "\x28", "\1/")
			    METHOD("\1", "\5", "\x14", "\x0a", "\0") FRAME("\x08", "\0", "\0", ""),
	    "connection.start-ok  key=a000b 14\nconnection.open / key=a0028 14\n"
	    "channel.open  key=10014000a 13\nwhole\n"),
	ROW("queues", PROTOCOL_REQUESTS,
	    METHOD("\1", "\x0d", "\x32", "\x0a", "\0\0\1q\x02....")
		    METHOD("\1", "\x0d", "\x32", "\x0a", "\0\0\1q\x10....")
			    METHOD("\1", "\x0b", "\x3c", "\x14", "\0\0\1q\1t\x08")
				    METHOD("\1", "\7", "\x3c", "\x46", "\0\0\0")
					    METHOD("\1", "\5", "\x55", "\x0a", "\0"),
	    "queue.declare q key=10032000a 21\nqueue.declare q key=10032000a oneway 21\n"
	    "basic.consume q key=1003c0014 oneway 19\nbasic.get  key=1003c0046 15\n"
	    "confirm.select  key=10055000a 13\nwhole\n"),
	ROW("published", PROTOCOL_REQUESTS,
	    PUBLISH("\1") HEADER("\1", "\5") BODY("\1", "\2", "he") BODY("\1", "\3", "llo")
		    METHOD("\1", "\x09", "\x3c", "\x28", "\0\0\0\1q") HEADER("\1", "\0"),
	    "basic.publish e:r.k key=1003c0028 oneway 64\nbasic.publish q key=1003c0028 oneway "
	    "39\nwhole\n"),
	ROW("other channels between", PROTOCOL_REQUESTS,
	    PUBLISH("\1") METHOD("\2", "\x0d", "\x3c", "\x50", "\0\0\0\0\0\0\0\1\0")
		    HEADER("\1", "\1") PUBLISH("\2") BODY("\1", "\1", "x") HEADER("\2", "\1")
			    BODY("\2", "\1", "y"),
	    "basic.publish e:r.k key=1003c0028 oneway 64\n"
	    "basic.publish e:r.k key=2003c0028 oneway 61\nwhole\n"),
	{"another end", PROTOCOL_REQUESTS, "\1\0\1\0\0\0\5\0\x14\0\x0a\0\xcf", "lost\n", .len = 13,
	 .looks_ahead = true},
	ROW("no frame", PROTOCOL_REQUESTS, "\4\0\1\0\0\0\0\xce", "lost\n"),
	ROW("another version", PROTOCOL_REQUESTS, "AMQP\0\1\0\0", "lost\n"),
	CUT_ROW("a large content", PROTOCOL_REQUESTS,
		PUBLISH("\1") HEADER("\1", "\5") "\3\0\1\0\0\0\5he"),
};

static const struct spoken_row responses[] = {
	ROW("a connection", PROTOCOL_RESPONSES,
	    METHOD("\0", "\x0a", "\x0a", "\x0a", "\0\x09....")
		    METHOD("\0", "\x0c", "\x0a", "\x1e", "........")
			    METHOD("\0", "\5", "\x0a", "\x29", "\0")
				    METHOD("\1", "\x08", "\x14", "\x0b", "\0\0\0\0"),
	    "- key=a000b 20\n- key=a0028 13\n- key=10014000a 16\nwhole\n"),
	ROW("a message that was asked for", PROTOCOL_RESPONSES,
	    METHOD("\1", "\7", "\x3c", "\x47", "...") HEADER("\1", "\2") BODY("\1", "\2", "hi")
		    METHOD("\1", "\5", "\x3c", "\x48", "\0"),
	    "- key=1003c0046 47\n- key=1003c0046 13\nwhole\n"),
	ROW("delivered", PROTOCOL_RESPONSES,
	    METHOD("\1", "\x14", "\x3c", "\x3c", "\1t\0\0\0\0\0\0\0\1\0\1e\2rk") HEADER("\1", "\2")
		    BODY("\1", "\2", "hi")
			    METHOD("\1", "\x0d", "\x3c", "\x50", "\0\0\0\0\0\0\0\1\0"),
	    "- alone basic.deliver e:rk 60\nwhole\n"),
	ROW("returned", PROTOCOL_RESPONSES,
	    METHOD("\1", "\x12", "\x3c", "\x32", "\1\x38\x08NO_ROUTE\0\1r") HEADER("\1", "\0"),
	    "312 error=NO_ROUTE alone basic.return r 48\nwhole\n"),
	ROW("closed", PROTOCOL_RESPONSES,
	    METHOD("\1", "\x17", "\x14", "\x28", "\1\x94\x0cNOT_FOUND - \0\x32\0\x0a")
		    METHOD("\1", "\x0c", "\x14", "\x28", "\1\x94\1N\0\x3c\0\x28")
			    METHOD("\0", "\x0b", "\x0a", "\x32", "\1\x40\0\0\0\0\0")
				    METHOD("\0", "\x0b", "\x0a", "\x32", "\0\xc8\0\0\0\0\0"),
	    "404 error=NOT_FOUND key=10032000a 31\n404 error=N alone 20\n320 error=320 alone 19\n"
	    "200 alone 19\nwhole\n"),
};

/* The connection is closed on channel 0, whatever the channel was. */
static const struct spoken_row closes[] = {
	ROW("closed for a method of a channel", PROTOCOL_RESPONSES,
	    METHOD("\0", "\x12", "\x0a", "\x32", "\2\x12\7NOT_A B\0\x3c\0\x14"),
	    "530 error=NOT_A alone 26\nwhole\n"),
	ROW("closed for a log-in", PROTOCOL_RESPONSES,
	    METHOD("\0", "\x0b", "\x0a", "\x32", "\1\x93\0\0\x0a\0\x0b"),
	    "403 error=403 key=a000b 19\nwhole\n"),
};

static void test_both_sides(void **state)
{
	spoken_expect(&protocol_amqp, ROWS(requests));
	spoken_expect(&protocol_amqp, ROWS(responses));
	spoken_expect(&protocol_amqp, ROWS(closes));
}

static void test_changed_bytes(void **state)
{
	spoken_expect_flips(&protocol_amqp, ROWS(requests));
	spoken_expect_flips(&protocol_amqp, ROWS(responses));
}

static void test_recognition(void **state)
{
	static const struct spoken_sample rows[] = {
		SAMPLE(PROTOCOL_REQUESTS, GREETING, PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "AMQP\3\1\0\0", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, PUBLISH("\1") HEADER("\1", "\5"), PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, METHOD("\1", "\4", "\x33", "\1", ""), PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\1\0\1\0\0\0\4\0\x14\0\x0a\xcf", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "\1\0\0\0\0\1\xda\0\x0a\0\x0a\0\x09", PROTOCOL_YES),
		SAMPLE(PROTOCOL_RESPONSES, "\1\0\0\0\0\1\xda\0\x0a", PROTOCOL_SHORT),
	};

	spoken_expect_verdicts(&protocol_amqp, ROWS(rows));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_both_sides),
	cmocka_unit_test(test_changed_bytes),
	cmocka_unit_test(test_recognition),
};

UNIT_GROUP(tests);
