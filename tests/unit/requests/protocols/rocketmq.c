/* SPDX-License-Identifier: MIT */
/* RocketMQ: commands and results, however the bytes come. */
#include "unit.h"
#include "spoken_rows.h"

#include <string.h>

static const struct spoken_row requests[] = {
	{"commands", PROTOCOL_REQUESTS,
	 "\x00\x00\x00\xb6\x00\x00\x00\xae{\"code\":310,\"extFields\":{\"a\":\"group\",\"b\":"
	 "\"orders\",\"c\":\"TBW\",\"e\":\"0\",\"i\":\"K\\\"opaque\\\":7\"},\"flag\":0,"
	 "\"language\":\"JAVA\",\"opaque\":5,\"serializeTypeCurrentRPC\":\"JSON\",\"version\":399}"
	 "body\x00\x00\x00\x43\x00\x00\x00\x3f{\"code\":105,\"extFields\":{\"topic\":\"orders\"},"
	 "\"flag\":0,\"opaque\":6}\x00\x00\x00#\x00\x00\x00\x1f{\"code\":35,\"flag\":2,\"opaque\":"
	 "7}\x00\x00\x00%\x00\x00\x00!{\"code\":1234,\"flag\":0,\"opaque\":8}\x00\x00\x00:"
	 "\x01\x00\x00\x36\x00\x0b\x00\x01\x90\x00\x00\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x02hi"
	 "\x00\x00\x00\x1f\x00\x07queueId\x00\x00\x00\x01\x30\x00\x05topic\x00\x00\x00\x06orders",
	 "SEND_MESSAGE_V2 orders key=5 186\nGET_ROUTEINFO_BY_TOPIC orders key=6 "
	 "71\nUNREGISTER_CLIENT  key=7 oneway 39\n1234  key=8 41\nPULL_MESSAGE orders key=a "
	 "62\nwhole\n",
	 .len = 399},
	{"pop, in a binary header", PROTOCOL_REQUESTS,
	 "\x00\x00\x00\x19\x01\x00\x00\x15\x0d\x72\x00\x01\x90\x00\x00\x00\x0a\x00\x00\x00\x00\x00"
	 "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x19\x01\x00\x00\x15\x0d\x73\x00\x01\x90\x00\x00"
	 "\x00\x0b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
	 "POP_MESSAGE  key=a 29\nACK_MESSAGE  key=b 29\nwhole\n", .len = 58},
	{"an answer to the broker", PROTOCOL_REQUESTS,
	 "\x00\x00\x00\"\x00\x00\x00\x1e{\"code\":0,\"flag\":1,\"opaque\":9}"
	 "\x00\x00\x00\x43\x00\x00\x00\x3f{\"code\":105,\"extFields\":{\"topic\":\"orders\"},"
	 "\"flag\":0,\"opaque\":6}",
	 "GET_ROUTEINFO_BY_TOPIC orders key=6 71\nwhole\n", .len = 109},
	{"no number", PROTOCOL_REQUESTS, "\x00\x00\x00\x17\x00\x00\x00\x13{\"code\":1,\"flag\":0}",
	 "lost\n", .len = 27},
	{"another form", PROTOCOL_REQUESTS, "\x00\x00\x00\x0a\x02\x00\x00\x02{}1234", "lost\n",
	 .len = 14},
};

static const struct spoken_row responses[] = {
	{"results", PROTOCOL_RESPONSES,
	 "\x00\x00\x00\"\x00\x00\x00\x1e{\"code\":0,\"flag\":1,\"opaque\":9}\x00\x00\x00="
	 "\x00\x00\x00\x39{\"code\":17,\"flag\":1,\"opaque\":6,\"remark\":\"No topic "
	 "route\"}\x00\x00\x00#\x00\x00\x00\x1f{\"code\":10,\"flag\":1,\"opaque\":7}\x00\x00\x00#"
	 "\x00\x00\x00\x1f{\"code\":99,\"flag\":1,\"opaque\":8}"
	 "\x00\x00\x00\x19\x01\x00\x00\x15\x00\x02\x00\x01\x90\x00\x00\x00\x0a\x00\x00\x00\x01\x00"
	 "\x00\x00\x00\x00\x00\x00\x00",
	 "0 key=9 38\n17 error=TOPIC_NOT_EXIST key=6 65\n10 key=7 39\n99 error=99 key=8 39\n2 "
	 "error=SYSTEM_BUSY key=a 29\nwhole\n",
	 .len = 210},
	{"nothing to pop", PROTOCOL_RESPONSES,
	 "\x00\x00\x00\x19\x01\x00\x00\x15\x00\xd2\x00\x01\x90\x00\x00\x00\x0a\x00\x00\x00\x01\x00"
	 "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x19\x01\x00\x00\x15\x00\x16\x00\x01\x90\x00\x00"
	 "\x00\x0b\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00",
	 "210 key=a 29\n22 key=b 29\nwhole\n", .len = 58},
	{"what the broker asks", PROTOCOL_RESPONSES,
	 "\x00\x00\x00#\x00\x00\x00\x1f{\"code\":40,\"flag\":2,\"opaque\":1}"
	 "\x00\x00\x00\"\x00\x00\x00\x1e{\"code\":0,\"flag\":1,\"opaque\":9}",
	 "0 key=9 38\nwhole\n", .len = 77},
};

SPOKEN_CASES(protocol_rocketmq)

/* A header with many properties hides the number: its message is none, the next one is. */
static void test_long_header(void **state)
{
	uint64_t states[PROTOCOL_STATE_BYTES / sizeof(uint64_t)] = {0};
	struct protocol_message message = {0};
	static uint8_t bytes[8192];
	struct protocol_input input = {bytes, sizeof(bytes), false};
	struct protocol_step step;

	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, "\0\0\x1f\xf0\0\0\x1f\xe0{\"code\":310,\"extFields\":{\"i\":\"", 37);
	step = protocol_rocketmq.step(PROTOCOL_REQUESTS, states, &input, &message, NULL);
	assert_int_equal(step.action, PROTOCOL_GOES_ON);
	assert_false(step.begins || step.ends);
	assert_int_equal(step.used + step.skip, 4 + 0x1ff0);
}

static void test_recognition(void **state)
{
	spoken_expect_recognised(&protocol_rocketmq, &requests[0], PROTOCOL_YES);
	spoken_expect_recognised(&protocol_rocketmq, &responses[0], PROTOCOL_YES);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_both_sides),
	cmocka_unit_test(test_changed_bytes),
	cmocka_unit_test(test_long_header),
	cmocka_unit_test(test_recognition),
};

UNIT_GROUP(tests);
