/* SPDX-License-Identifier: MIT */
/* NATS: what is asked, answered and delivered, however the bytes come. */
#include "unit.h"
#include "spoken_rows.h"

/* Keys of inboxes are hashes: what they are stands in test_keys(). */
static const struct spoken_row requests[] = {
	{"a connection", PROTOCOL_REQUESTS,
	 "CONNECT {\"verbose\":false,\"name\":\"n\"}\r\nPING\r\nPONG\r\n",
	 "CONNECT  key=2 oneway 38\nPING  key=1 6\nwhole\n"},
	{"publishing", PROTOCOL_REQUESTS,
	 "PUB a.b 5\r\nPING\n\r\npub  a\tother 0\r\n\r\nHPUB h 12 14\r\nNATS/1.0\r\n\r\nhi\r\n",
	 "PUB a.b key=2 oneway 18\nPUB a key=2 oneway 18\nHPUB h key=2 oneway 30\nwhole\n"},
	{"subscribing", PROTOCOL_REQUESTS,
	 "SUB a.* 1\r\nSUB b workers 2\r\nUNSUB 1 5\r\nUNSUB 2\r\n",
	 "SUB a.* key=2 oneway 11\nSUB b key=2 oneway 17\nUNSUB  key=2 oneway 11\n"
	 "UNSUB  key=2 oneway 9\nwhole\n"},
	{"no size", PROTOCOL_REQUESTS, "PUB a b c\r\n", "lost\n"},
	{"no size of headers", PROTOCOL_REQUESTS, "HPUB a 9 5\r\n", "lost\n"},
	{"too many words", PROTOCOL_REQUESTS, "PUB a b c d e f 5\r\n", "lost\n"},
	{"unknown", PROTOCOL_REQUESTS, "PING\r\nHELLO\r\n", "PING  key=1 6\nlost\n"},
	{"payload that comes", PROTOCOL_REQUESTS, "PUB a 5\r\nhe",
	 "PUB a key=2 oneway 16\nskips\n"},
};

static const struct protocol_message pings[] = {{.method = "PING"}, {.method = "PING"}};

static const struct spoken_row responses[] = {
	{"a connection", PROTOCOL_RESPONSES,
	 "INFO {\"server_id\":\"N\"} \r\nPONG\r\nPING\r\n+OK\r\npong\r\n",
	 "- key=1 6\n- aside 5\n- key=1 6\nwhole\n", pings, 2},
	{"deliveries", PROTOCOL_RESPONSES,
	 "MSG a.b 1 4\r\n+OK\n\r\nMSG c 9 reply 0\r\n\r\nHMSG h 1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n",
	 "- alone MSG a.b 19\n- alone MSG c 19\n- alone MSG h 32\nwhole\n"},
	{"errors", PROTOCOL_RESPONSES,
	 "-ERR 'Authorization Violation'\r\n-ERR 'Permissions Violation for Publish to \"a\"'\r\n",
	 "- error=Authorization Violation alone 32\n- error=Permissions Violation alone "
	 "49\nwhole\n"},
	{"no responders", PROTOCOL_RESPONSES, "HMSG i 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n",
	 "503 error=No Responders alone MSG i 34\nwhole\n"},
	{"no messages", PROTOCOL_RESPONSES,
	 "HMSG i 1 28 28\r\nNATS/1.0 404 No Messages\r\n\r\n\r\n", "404 alone MSG i 46\nwhole\n"},
	{"other states", PROTOCOL_RESPONSES,
	 "HMSG i 1 16 16\r\nNATS/1.0 100\r\n\r\n\r\nHMSG i 1 16 16\r\nNATS/1.0 409\r\n\r\n\r\n",
	 "100 alone MSG i 34\n409 error=409 alone MSG i 34\nwhole\n"},
	{"no size", PROTOCOL_RESPONSES, "MSG a 1 x\r\n", "lost\n"},
	{"a line that comes", PROTOCOL_RESPONSES, "MSG a 1 5", "waits\n"},
};

SPOKEN_CASES(protocol_nats)

/* The message of the first line, and of what is behind it. */
static struct protocol_message first(enum protocol_side side, const char *bytes,
				     const struct protocol_message *request)
{
	struct protocol_input input = {(const uint8_t *)bytes, strlen(bytes), false};
	_Alignas(16) uint8_t state[PROTOCOL_STATE_BYTES] = {0};
	struct protocol_message message = {0};
	struct protocol_step step = protocol_nats.step(side, state, &input, &message, request);

	assert_true(step.begins);
	if (step.ends)
		return message;
	input.data += step.used;
	input.len -= step.used;
	step = protocol_nats.step(side, state, &input, &message, request);
	assert_true(step.ends);
	return message;
}

/* A message to an inbox answers what named that one for the reply, and is else alone. */
static void test_keys(void **state)
{
	struct protocol_message asked =
		first(PROTOCOL_REQUESTS, "PUB a _INBOX.x.1 2\r\nhi\r\n", NULL);
	struct protocol_message other =
		first(PROTOCOL_REQUESTS, "HPUB a _INBOX.x.2 12 14\r\nNATS/1.0\r\n\r\nhi\r\n", NULL);
	struct protocol_message answer =
		first(PROTOCOL_RESPONSES, "MSG _INBOX.x.1 9 2\r\nho\r\n", &asked);
	struct protocol_message delivery =
		first(PROTOCOL_RESPONSES, "MSG _INBOX.x.1 9 2\r\nho\r\n", NULL);

	assert_false(asked.is_oneway || other.is_oneway);
	assert_true(asked.has_key && other.has_key && answer.has_key);
	assert_true(asked.key == answer.key && asked.key != other.key);
	assert_false(answer.is_alone);
	assert_true(delivery.is_alone && !delivery.has_key);
	assert_string_equal(delivery.target, "_INBOX.x.1");
	asked = first(PROTOCOL_REQUESTS, "PUB a reply.x 2\r\nhi\r\n", NULL);
	assert_true(asked.is_oneway);
}

/* What is longer than anybody waits for. */
static void test_long_line(void **state)
{
	struct spoken spoken = {
		.protocol = &protocol_nats, .side = PROTOCOL_REQUESTS, .first = 100};
	struct buf bytes = {0}, text = {0};

	buf_append(&bytes, "CONNECT {\"jwt\":\"", 16);
	for (int i = 0; i < 20000; i++)
		buf_append_char(&bytes, 'x');
	buf_append(&bytes, "\"}\r\nPING\r\n", 10);
	assert_null(spoken_text(&spoken, bytes.data, bytes.len, &text));
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, "CONNECT  key=2 oneway 20020\nPING  key=1 6\nwhole\n");
	buf_finish(&bytes);
	buf_finish(&text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_both_sides),
	cmocka_unit_test(test_changed_bytes),
	cmocka_unit_test(test_keys),
	cmocka_unit_test(test_long_line),
};

UNIT_GROUP(tests);
