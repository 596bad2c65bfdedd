/* SPDX-License-Identifier: MIT */
/* Redis: commands and their keys, replies of all types, what is pushed, however the bytes come. */
#include "unit.h"
#include "spoken_rows.h"

#include <stdio.h>
#include <string.h>

#define REQUEST(what, bytes, text)                                                                 \
	{                                                                                          \
		what, PROTOCOL_REQUESTS, bytes, text                                               \
	}
#define RESPONSE(what, bytes, text, ...)                                                           \
	{                                                                                          \
		what, PROTOCOL_RESPONSES, bytes, text, __VA_ARGS__                                 \
	}

static const struct spoken_row requests[] = {
	REQUEST("get", "*2\r\n$3\r\nGET\r\n$5\r\nkey:1\r\n", "GET key:1 24\nwhole\n"),
	REQUEST("lower case, value unseen", "*3\r\n$3\r\nset\r\n$1\r\nk\r\n$6\r\nse\r\ncr\r\n",
		"SET k 32\nwhole\n"),
	REQUEST("pipelined",
		"*1\r\n$4\r\nPING\r\n*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n*3\r\n$3\r\nDEL\r\n$1\r\na\r\n$"
		"1\r\nb\r\n",
		"PING  14\nINCR n 21\nDEL a 27\nwhole\n"),
	REQUEST("empty arrays", "*0\r\n*-1\r\n*1\r\n$4\r\nPING\r\n", "PING  14\nwhole\n"),
	REQUEST("empty values", "*3\r\n$3\r\nSET\r\n$0\r\n\r\n$0\r\n\r\n", "SET  25\nwhole\n"),
	REQUEST("two words", "*3\r\n$6\r\nconfig\r\n$3\r\nset\r\n$6\r\nsecret\r\n",
		"CONFIG SET  37\nwhole\n"),
	REQUEST("two words and a key", "*3\r\n$5\r\nXINFO\r\n$6\r\nstream\r\n$1\r\ns\r\n",
		"XINFO STREAM s 34\nwhole\n"),
	REQUEST("one of two words", "*1\r\n$7\r\nCOMMAND\r\n", "COMMAND  17\nwhole\n"),
	REQUEST("password", "*3\r\n$4\r\nAUTH\r\n$4\r\nuser\r\n$6\r\nsecret\r\n",
		"AUTH  36\nwhole\n"),
	REQUEST("password of HELLO",
		"*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$1\r\nu\r\n$1\r\np\r\n",
		"HELLO  46\nwhole\n"),
	REQUEST("script", "*4\r\n$4\r\nEVAL\r\n$8\r\nreturn 1\r\n$1\r\n1\r\n$3\r\nkey\r\n",
		"EVAL key 44\nwhole\n"),
	REQUEST("script without key",
		"*4\r\n$4\r\nEVAL\r\n$8\r\nreturn 1\r\n$1\r\n0\r\n$3\r\narg\r\n",
		"EVAL  44\nwhole\n"),
	REQUEST("counted keys", "*4\r\n$6\r\nZUNION\r\n$1\r\n2\r\n$1\r\na\r\n$1\r\nb\r\n",
		"ZUNION a 37\nwhole\n"),
	REQUEST("streams",
		"*6\r\n$5\r\nXREAD\r\n$5\r\nBLOCK\r\n$1\r\n0\r\n$7\r\nstreams\r\n$2\r\nst\r\n$"
		"1\r\n$\r\n",
		"XREAD st 61\nwhole\n"),
	REQUEST("second key", "*4\r\n$5\r\nBITOP\r\n$3\r\nAND\r\n$1\r\nd\r\n$1\r\ns\r\n",
		"BITOP d 38\nwhole\n"),
	REQUEST("of a module", "*3\r\n$8\r\nJSON.GET\r\n$1\r\nj\r\n$1\r\n.\r\n",
		"JSON.GET j 32\nwhole\n"),
	REQUEST("unknown command", "*2\r\n$6\r\nSECRET\r\n$1\r\nv\r\n", "SECRET  23\nwhole\n"),
	REQUEST("no name", "*2\r\n$3\r\na b\r\n$1\r\nv\r\n", "  20\nwhole\n"),
	REQUEST("name too long",
		"*1\r\n$"
		"65\r\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n",
		"  76\nwhole\n"),
	REQUEST("typed", "PING\r\n\r\nset  k v\r\nGET k\n", "PING  6\nSET k 10\nGET k 6\nwhole\n"),
	REQUEST("not of Redis", "HELO example\r\n", "lost\n"),
	REQUEST("typed control", "GET a\x01\r\n", "lost\n"),
	REQUEST("no lengths", "*1\r\nPING\r\n", "lost\n"),
	REQUEST("negative length", "*1\r\n$-1\r\n", "lost\n"),
	REQUEST("no digits", "*\r\n", "lost\n"),
	REQUEST("LF alone", "*1\n$4\nPING\n", "lost\n"),
	REQUEST("too many arguments", "*1048577\r\n", "lost\n"),
	REQUEST("too many digits", "*1\r\n$99999999999999999999999\r\n", "lost\n"),
	REQUEST("long value", "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$3000000\r\nabc",
		"SET k 3000032\nskips\n"),
	REQUEST("no replies",
		"*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$3\r\nOFF\r\n*1\r\n$4\r\nPING\r\n"
		"*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$2\r\nON\r\n*1\r\n$4\r\nPING\r\n",
		"CLIENT REPLY  oneway 36\nPING  oneway 14\nCLIENT REPLY  35\nPING  14\nwhole\n"),
	REQUEST("one reply skipped",
		"*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$4\r\nskip\r\n*1\r\n$4\r\nPING\r\n*1\r\n$"
		"4\r\nPING\r\n",
		"CLIENT REPLY  oneway 37\nPING  oneway 14\nPING  14\nwhole\n"),
	/* Cut there it has its length, as that of the key is known. */
	{"not yet all", PROTOCOL_REQUESTS, "*2\r\n$3\r\nGET\r\n$5\r\nke", "waits\n",
	 .looks_ahead = true},
};

static const struct protocol_message get = {.method = "GET"}, exec = {.method = "EXEC"};
static const struct protocol_message gets[] = {
	{.method = "GET"}, {.method = "GET"}, {.method = "GET"}, {.method = "GET"}};
static const struct protocol_message psync = {.method = "PSYNC"};
/* Their keys say how many replies they have. */
static const struct protocol_message subscriptions[] = {
	{.method = "SUBSCRIBE", .key = 2}, {.method = "SUBSCRIBE", .key = 1}, {.method = "PING"}};

static const struct spoken_row responses[] = {
	RESPONSE("lines", "+OK\r\n:12\r\n-ERR unknown command\r\n-LOADING\r\n",
		 "- 5\n- 5\n- error=ERR 22\n- error=LOADING 10\nwhole\n", gets, 4),
	RESPONSE("values", "$5\r\nhe\r\no\r\n$-1\r\n$0\r\n\r\n*-1\r\n",
		 "- 11\n- 5\n- 6\n- 5\nwhole\n", gets, 4),
	RESPONSE("moved", "-MOVED 3999 127.0.0.1:6381\r\n-ASK 3999 127.0.0.1:6381\r\n",
		 "- error=MOVED 28\n- error=ASK 26\nwhole\n", gets, 4),
	RESPONSE("array", "*3\r\n$1\r\na\r\n$-1\r\n*2\r\n:1\r\n*0\r\n+OK\r\n", "- 28\n- 5\nwhole\n",
		 gets, 4),
	RESPONSE("errors inside", "*2\r\n-WRONGTYPE a\r\n+OK\r\n", "- 23\nwhole\n", &exec, 1),
	RESPONSE("RESP3", "%2\r\n+a\r\n#t\r\n+b\r\n,1.5\r\n~2\r\n_\r\n(123\r\n=7\r\ntxt:abc\r\n",
		 "- 22\n- 13\n- 13\nwhole\n", gets, 4),
	RESPONSE("error as a value", "!21\r\nSYNTAX invalid syntax\r\n!5\r\nOOM a\r\n",
		 "- error=SYNTAX 28\n- error=OOM 11\nwhole\n", gets, 4),
	RESPONSE("attributes", "|1\r\n+ttl\r\n*1\r\n:3\r\n-ERR no\r\n|0\r\n$1\r\na\r\n",
		 "- error=ERR 27\n- 11\nwhole\n", gets, 4),
	RESPONSE("deep",
		 "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*2\r\n:1\r\n:"
		 "2\r\n:3\r\n",
		 "- 56\n- 4\nwhole\n", gets, 4),
	RESPONSE("push between",
		 ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n$1\r\nv\r\n>3\r\n$7\r\nmessage\r\n$"
		 "1\r\nc\r\n$1\r\nm\r\n",
		 "- aside 32\n- 7\n- aside 31\nwhole\n", &get, 1),
	RESPONSE("array that looks like a push", "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n",
		 "- 31\nwhole\n", &get, 1),
	RESPONSE("RESP2 pushes",
		 "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n*4\r\n$8\r\npmessage\r\n$1\r\n*\r\n$"
		 "1\r\nc\r\n$1\r\nm\r\n",
		 "- aside 31\n- aside 39\nwhole\n", NULL, 0),
	RESPONSE("subscribed",
		 "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$"
		 "1\r\nm\r\n"
		 "*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:"
		 "3\r\n"
		 "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nm\r\n*2\r\n$4\r\npong\r\n$0\r\n\r\n",
		 "- 30\n- aside 31\n- aside 30\n- 30\n- aside 31\n- 20\nwhole\n", subscriptions, 3),
	RESPONSE("subscribed by push",
		 ">3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n>3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:"
		 "2\r\n+PONG\r\n",
		 "- 30\n- aside 30\n- 7\nwhole\n", subscriptions, 1),
	RESPONSE("monitor", "+1339518083.107412 [0 127.0.0.1:60866] \"keys\" \"*\"\r\n",
		 "- aside 51\nwhole\n", NULL, 0),
	RESPONSE("replication",
		 "+FULLRESYNC 8de1787ba490483314a4d30f1c628bc5025eb761 0\r\n$175\r\nREDIS",
		 "- 56\nleaves\n", &psync, 1),
	RESPONSE("long value", "$3000000\r\nabc", "- 3000012\nskips\n", &get, 1),
	RESPONSE("long value inside", "*2\r\n$3000000\r\nabc", "skips\n", &get, 1),
	RESPONSE("no type", "hello\r\n", "lost\n", &get, 1),
	RESPONSE("LF alone", "+OK\n", "lost\n", &get, 1),
	RESPONSE("no length", "$?\r\n", "lost\n", &get, 1),
	RESPONSE("too many elements", "*2\r\n*1073741824\r\n", "lost\n", &get, 1),
	RESPONSE("too many pairs", "%1073741824\r\n", "lost\n", &get, 1),
	RESPONSE("not yet all", "*2\r\n:1\r\n", "inside\n", &get, 1),
};

static void test_requests(void **state)
{
	spoken_expect(&protocol_redis, ROWS(requests));
}

static void test_responses(void **state)
{
	spoken_expect(&protocol_redis, ROWS(responses));
}

static void test_changed_bytes(void **state)
{
	spoken_expect_flips(&protocol_redis, ROWS(requests));
	spoken_expect_flips(&protocol_redis, ROWS(responses));
}

/* One step over a text. */
static struct protocol_step step_over(enum protocol_side side, const char *bytes, void *side_state,
				      struct protocol_message *message)
{
	struct protocol_input input = {(const uint8_t *)bytes, strlen(bytes), true};

	return protocol_redis.step(side, side_state, &input, message, &get);
}

static void test_says_what_stands_before_a_cut(void **state)
{
	static const struct {
		enum protocol_side side;
		const char *bytes, *method, *target, *error;
		enum fate { NONE, STANDS, ENDS } fate;
		bool is_passed; /* the cut is in a value of known length: nothing is lost there */
	} rows[] = {
		{PROTOCOL_REQUESTS, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n", "SET", "k", "", STANDS},
		{PROTOCOL_REQUESTS, "*3\r\n$3\r\nSET\r\n", "SET", "", "", STANDS},
		{PROTOCOL_REQUESTS, "*3\r\n$3\r\nSET\r\n$4\r\nab", "SET", "", "", STANDS, true},
		{PROTOCOL_REQUESTS, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$9\r\nab", "SET", "k", "", ENDS,
		 true},
		{PROTOCOL_REQUESTS, "*3\r\n$3", "", "", "", NONE},
		{PROTOCOL_REQUESTS, "GET k", "", "", "", NONE},
		{PROTOCOL_RESPONSES, "-ERR unkno", "", "", "ERR", STANDS},
		{PROTOCOL_RESPONSES, "-WRONGT", "", "", "ERR", STANDS},
		{PROTOCOL_RESPONSES, "!30\r\nSYNTAX inva", "", "", "SYNTAX", ENDS, true},
		{PROTOCOL_RESPONSES, "*2\r\n:1\r\n", "", "", "", STANDS},
		{PROTOCOL_RESPONSES, "*2\r", "", "", "", NONE},
		{PROTOCOL_RESPONSES, "|1\r\n+a\r\n:1\r\n", "", "", "", NONE},
		{PROTOCOL_RESPONSES, ">2\r\n+message\r\n", "", "", "", NONE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_Alignas(16) uint8_t zeros[PROTOCOL_STATE_BYTES] = {0};
		struct protocol_message message = {0};
		struct protocol_step step = step_over(rows[i].side, rows[i].bytes, zeros, &message);

		assert_int_equal(step.action,
				 rows[i].fate == NONE ? PROTOCOL_LOST : PROTOCOL_GOES_ON);
		assert_int_equal(step.ends, rows[i].fate == ENDS);
		assert_int_equal(step.stands && !step.ends, rows[i].fate == STANDS);
		assert_int_equal(step.wants_all, !rows[i].is_passed);
		assert_string_equal(message.method, rows[i].method);
		assert_string_equal(message.target, rows[i].target);
		assert_string_equal(message.error, rows[i].error);
	}
}

/* A target is cut where its room ends, a line that is not needed has no limit. */
static void test_long_texts(void **state)
{
	struct spoken spoken = {.protocol = &protocol_redis};
	struct buf bytes = {0}, text = {0};
	char expected[MESSAGE_TARGET_BYTES + 64];

	BUF_LITERAL(&bytes, "*2\r\n$3\r\nGET\r\n$2000\r\n");
	for (int i = 0; i < 2000; i++)
		buf_append_char(&bytes, 'k');
	BUF_LITERAL(&bytes, "\r\n*1\r\n$4\r\nPING\r\n");
	memset(expected, 'k', sizeof(expected));
	memcpy(expected, "GET ", 4);
	strcpy(expected + 4 + MESSAGE_TARGET_BYTES - 1, " 2022\nPING  14\nwhole\n");
	for (spoken.piece = 0; spoken.piece < 1000; spoken.piece += 111) {
		spoken.first = spoken.piece;
		buf_clear(&text);
		assert_null(spoken_text(&spoken, bytes.data, bytes.len, &text));
		buf_append_char(&text, '\0');
		assert_string_equal(text.data, expected);
	}
	spoken.side = PROTOCOL_RESPONSES;
	buf_clear(&bytes);
	BUF_LITERAL(&bytes, "-ERR ");
	for (int i = 0; i < 30000; i++)
		buf_append_char(&bytes, 'e');
	BUF_LITERAL(&bytes, "\r\n:1\r\n");
	for (spoken.piece = 0; spoken.piece < 20000; spoken.piece += 1009) {
		spoken.first = spoken.piece;
		buf_clear(&text);
		assert_null(spoken_text(&spoken, bytes.data, bytes.len, &text));
		buf_append_char(&text, '\0');
		assert_string_equal(text.data, "- error=ERR 30007\n- 4\nwhole\n");
	}
	buf_finish(&text);
	buf_finish(&bytes);
}

/* One of each letter and way to find the key: the table is sorted. */
static void test_knows_keys(void **state)
{
	static const char *const first[] = {
		"APPEND",  "BITFIELD_RO", "BZPOPMIN",	 "COPY",	   "DECR",
		"DUMP",	   "EXISTS",	  "EXPIRETIME",	 "GEOSEARCHSTORE", "GETSET",
		"HDEL",	   "HVALS",	  "INCRBYFLOAT", "JSON.SET",	   "LCS",
		"LTRIM",   "MGET",	  "MSETNX",	 "PERSIST",	   "PTTL",
		"PUBLISH", "RENAMENX",	  "RPUSHX",	 "SADD",	   "SUNIONSTORE",
		"TOUCH",   "TYPE",	  "UNLINK",	 "VSIM",	   "WATCH",
		"XACK",	   "XTRIM",	  "ZADD",	 "ZUNIONSTORE"};
	static const char *const none[] = {"AUTH", "DBSIZE", "ECHO",	"EXEC", "HELLO",
					   "INFO", "KEYS",   "MONITOR", "PING", "QUIT",
					   "SCAN", "SELECT", "WAITAOF"};
	const size_t count = sizeof(first) / sizeof(first[0]);

	for (size_t i = 0; i < count + sizeof(none) / sizeof(none[0]); i++) {
		const char *name = i < count ? first[i] : none[i - count];
		char bytes[128];
		_Alignas(16) uint8_t zeros[PROTOCOL_STATE_BYTES] = {0};
		struct protocol_message message = {0};

		snprintf(bytes, sizeof(bytes), "*2\r\n$%zu\r\n%s\r\n$1\r\nk\r\n", strlen(name),
			 name);
		assert_true(step_over(PROTOCOL_REQUESTS, bytes, zeros, &message).ends);
		assert_string_equal(message.method, name);
		if (strcmp(message.target, i < count ? "k" : "") != 0)
			fail_msg("%s: %s", name, message.target);
	}
}

static void test_recognises(void **state)
{
	static const struct spoken_sample rows[] = {
		SAMPLE(PROTOCOL_REQUESTS, "*1\r\n$4\r\nPING\r\n", PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "*2\r\n$3\r\nget\r\n$1\r\nk\r\n*1", PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "*", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "*2\r\n$3\r\nGE", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "*2\r\n$3\r\nGET\r\n$9\r\nk", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "PING\r\n", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "GET k", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "QUIT\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "AUTH PLAIN\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "GET / HTTP/1.1\r\n", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "*1\r\n$4\r\nBLAH\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n",
		       PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "*0\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "*1\r\n:1\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "* OK IMAP4rev1\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "+OK\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "+OK\r\n", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "+", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "+OK POP3 ready\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "-ERR unknown\r\n", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "-ERR 'Unknown Protocol Operation'\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "-err\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "$3\r\nabc\r\n", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "$3\r\nabcd\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "$-1\r\n", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, ":12\r\n", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, ":1a\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "*2\r\n$1\r\n", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "*2\r\nabc", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "* OK IMAP4rev1\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "VALUE k 0 1\r\n", PROTOCOL_NO),
	};

	spoken_expect_verdicts(&protocol_redis, ROWS(rows));
}

/* Commands that are longer than any reply that begins like them. */
static void test_recognises_long_commands(void **state)
{
	static const char begin[] = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$9000\r\n",
			  odd[] = "*3\r\n$7\r\nmessage\r\n$1\r\nk\r\n$9000\r\n";
	uint8_t bytes[1024];
	struct protocol_input input = {bytes, sizeof(bytes), false};

	memset(bytes, 'v', sizeof(bytes));
	memcpy(bytes, begin, sizeof(begin) - 1);
	assert_int_equal(protocol_redis.recognise(PROTOCOL_REQUESTS, &input), PROTOCOL_YES);
	input.len = 100;
	assert_int_equal(protocol_redis.recognise(PROTOCOL_REQUESTS, &input), PROTOCOL_MAYBE);
	input.is_cut = true;
	assert_int_equal(protocol_redis.recognise(PROTOCOL_REQUESTS, &input), PROTOCOL_YES);
	/* The name may be another one. */
	input.len = 10;
	assert_int_equal(protocol_redis.recognise(PROTOCOL_REQUESTS, &input), PROTOCOL_MAYBE);
	/* What a channel had for a subscriber. */
	memcpy(bytes, odd, sizeof(odd) - 1);
	input.len = sizeof(bytes);
	assert_int_equal(protocol_redis.recognise(PROTOCOL_REQUESTS, &input), PROTOCOL_NO);
}

static void test_finds_after_a_gap(void **state)
{
	static const struct spoken_sample rows[] = {
		FOUND(PROTOCOL_REQUESTS, "*1\r\n$4\r\nPING\r\n", 0),
		FOUND(PROTOCOL_REQUESTS, "*2\r\n$3\r\nGET\r\n$9", 0),
		FOUND(PROTOCOL_REQUESTS, "value\r\n*1\r\n$4\r\nPING\r\n", 7),
		FOUND(PROTOCOL_REQUESTS, "a\r\n*1\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", 7),
		NOT_FOUND(PROTOCOL_REQUESTS, "value\r\n*1\r\n$4\r\nPI"),
		NOT_FOUND(PROTOCOL_REQUESTS, "GET k\r\n"),
		FOUND(PROTOCOL_RESPONSES, "+OK\r\n", 0),
		NOT_FOUND(PROTOCOL_RESPONSES, "a\r\n+OK\r\n"),
	};

	spoken_expect_found(&protocol_redis, ROWS(rows));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_requests),
	cmocka_unit_test(test_responses),
	cmocka_unit_test(test_changed_bytes),
	cmocka_unit_test(test_says_what_stands_before_a_cut),
	cmocka_unit_test(test_long_texts),
	cmocka_unit_test(test_knows_keys),
	cmocka_unit_test(test_recognises),
	cmocka_unit_test(test_recognises_long_commands),
	cmocka_unit_test(test_finds_after_a_gap),
};

UNIT_GROUP(tests);
