/* SPDX-License-Identifier: MIT */
/* PostgreSQL: what a request is in both protocols of queries, and where its response ends. */
#include "unit.h"
#include "spoken_rows.h"

#include <string.h>

#define REQUEST(what, bytes, text)                                                                 \
	{                                                                                          \
		what, PROTOCOL_REQUESTS, bytes, text, .len = sizeof(bytes) - 1                     \
	}
#define RESPONSE(what, bytes, text, asked, count)                                                  \
	{                                                                                          \
		what, PROTOCOL_RESPONSES, bytes, text, asked, count, .len = sizeof(bytes) - 1      \
	}

#define QUERY_1 "Q\0\0\0\x0dSELECT 1\0"
#define SYNC "S\0\0\0\4"
#define PARSE(name) "P\0\0\0\x11" name "SELECT $1\0\0\0"
#define BIND(len, name) "B\0\0\0" len "\0" name "\0\0\0\0\0\0"
#define EXECUTE "E\0\0\0\x09\0\0\0\0\0"
#define STARTUP "\0\0\0\x1b\0\3\0\0user\0u\0database\0d\0\0"
#define READY "Z\0\0\0\5I"
#define COMPLETE "C\0\0\0\x0dSELECT 1\0"
#define ERROR "E\0\0\0\x19SERROR\0C42P01\0Mno t\0\0"
#define NOTICE "N\0\0\0\x0bSINFO\0\0"

static const struct spoken_row requests[] = {
	REQUEST("simple", QUERY_1 "Q\0\0\0\x1aSELECT 'secret', a; b\0",
		"SELECT SELECT ? 14\nSELECT SELECT ?, a; b 27\nwhole\n"),
	REQUEST("begins", STARTUP QUERY_1, "STARTUP d 27\nSELECT SELECT ? 14\nwhole\n"),
	REQUEST("begins without database", "\0\0\0\x10\0\3\0\2user\0u\0\0" QUERY_1,
		"STARTUP u 16\nSELECT SELECT ? 14\nwhole\n"),
	REQUEST("asks for encryption",
		"\0\0\0\x08\4\xd2\x16\x2f" STARTUP "p\0\0\0\x0bsecret\0" QUERY_1,
		"STARTUP d 27\nSELECT SELECT ? 14\nwhole\n"),
	REQUEST("asks for GSS", "\0\0\0\x08\4\xd2\x16\x30" STARTUP, "STARTUP d 27\nwhole\n"),
	REQUEST("cancel", "\0\0\0\x10\4\xd2\x16\x2e\1\2\3\4\5\6\7\x08",
		"CANCEL  oneway 16\nwhole\n"),
	REQUEST("extended", PARSE("\0") BIND("\x0c", "\0") "D\0\0\0\6P\0" EXECUTE SYNC QUERY_1,
		"SELECT SELECT $1 keeps 48\nSELECT SELECT ? 14\nwhole\n"),
	REQUEST("prepared", BIND("\x0e", "s1\0") EXECUTE SYNC, "EXECUTE s1 uses 25\nwhole\n"),
	REQUEST("a pipeline",
		PARSE("\0") BIND("\x0c", "\0") EXECUTE BIND("\x0e", "s1\0") EXECUTE PARSE("\0")
			SYNC BIND("\x0e", "s2\0") EXECUTE,
		"SELECT SELECT $1 keeps 41\nEXECUTE s1 uses 25\nPREPARE SELECT $1 keeps 23\n"
		"EXECUTE s2 uses 25\nwhole\n"),
	/* Portals p and q, bound to s1 and s2, and executed the other way round. */
	REQUEST("portals",
		"B\0\0\0\x0fp\0s1\0\0\0\0\0\0\0B\0\0\0\x0fq\0s2\0\0\0\0\0\0\0"
		"E\0\0\0\x0aq\0\0\0\0\0E\0\0\0\x0ap\0\0\0\0\0E\0\0\0\x0ar\0\0\0\0\0",
		"EXECUTE  uses 43\nEXECUTE  uses 11\nEXECUTE  11\nwhole\n"),
	REQUEST("only prepares", PARSE("\0") "D\0\0\0\6S\0" SYNC,
		"PREPARE SELECT $1 keeps 30\nwhole\n"),
	REQUEST("flushes between", PARSE("\0") "H\0\0\0\4" BIND("\x0c", "\0") EXECUTE SYNC,
		"SELECT SELECT $1 keeps 46\nwhole\n"),
	REQUEST("describes", "D\0\0\0\7Sa\0" SYNC, "DESCRIBE  13\nwhole\n"),
	REQUEST("closes", "C\0\0\0\7Sa\0" SYNC, "whole\n"),
	REQUEST("closes what it executes", EXECUTE "C\0\0\0\6P\0" SYNC, "EXECUTE  10\nwhole\n"),
	REQUEST("a portal goes on", EXECUTE SYNC, "EXECUTE  10\nwhole\n"),
	REQUEST("syncs alone", SYNC, "whole\n"),
	REQUEST("calls a function", "F\0\0\0\x0c\0\0\0\1\0\0\0\0", "FUNCTION  13\nwhole\n"),
	REQUEST("copies",
		"Q\0\0\0\x16"
		"COPY t FROM STDIN\0"
		"d\0\0\0\6a\nc\0\0\0\4" QUERY_1 "X\0\0\0\4",
		"COPY COPY t FROM STDIN 23\nSELECT SELECT ? 14\nwhole\n"),
	REQUEST("no tag", "y\0\0\0\4", "lost\n"),
	REQUEST("a length too short", "Q\0\0\0\3", "lost\n"),
	REQUEST("a length too long", "Q\x7f\0\0\0a", "lost\n"),
	REQUEST("another code", "\0\0\0\x08\0\2\0\0", "lost\n"),
	REQUEST("not yet all", "P\0\0\0\x13\0SELE", "waits\n"),
	REQUEST("not yet a Sync", PARSE("\0"), "inside\n"),
};

static const struct protocol_message select_ = {.method = "SELECT"};
static const struct protocol_message selects[] = {{.method = "SELECT"}, {.method = "SELECT"}};
/* With the ends and groups that they have by their notes. */
#define NOTE(group, end) ((group) << 2 | (end))
static const struct protocol_message executes[] = {{.method = "SELECT", .note = NOTE(7, 1)},
						   {.method = "UPDATE", .note = NOTE(7, 1)},
						   {.method = "PREPARE", .note = NOTE(7, 2)},
						   {.method = "INSERT", .note = NOTE(8, 1)}};
static const struct protocol_message startups[] = {{.method = "STARTUP"}, {.method = "SELECT"}};

static const struct spoken_row responses[] = {
	RESPONSE("rows", "T\0\0\0\6\0\0D\0\0\0\x0b\0\1\0\0\0\1x" COMPLETE READY, "- 39\nwhole\n",
		 &select_, 1),
	RESPONSE("two statements", COMPLETE COMPLETE READY COMPLETE READY, "- 34\n- 20\nwhole\n",
		 selects, 2),
	RESPONSE("error", ERROR READY COMPLETE READY, "- error=42P01 32\n- 20\nwhole\n", selects,
		 2),
	RESPONSE("error without code", "E\0\0\0\x0cSERROR\0\0" READY, "- error=ERROR 19\nwhole\n",
		 &select_, 1),
	RESPONSE("notices", NOTICE "1\0\0\0\4" NOTICE COMPLETE READY "A\0\0\0\x0a\0\0\0\1c\0",
		 "- 37\nwhole\n", &select_, 1),
	RESPONSE("begins",
		 "R\0\0\0\x08\0\0\0\0S\0\0\0\x08"
		 "a\0b\0K\0\0\0\x0c\0\0\0\1\0\0\0\2" READY COMPLETE READY,
		 "- 37\n- 20\nwhole\n", startups, 2),
	RESPONSE("refused", "R\0\0\0\x08\0\0\0\3" ERROR, "- error=42P01 35\nwhole\n", startups, 1),
	RESPONSE("copies", "G\0\0\0\7\0\0\0" COMPLETE READY, "- 28\nwhole\n", &select_, 1),
	RESPONSE("replicates", "W\0\0\0\7\0\0\0w\0\0\0", "- 8\nleaves\n", &select_, 1),
	RESPONSE("of Sync alone", READY COMPLETE READY, "- aside 6\n- 20\nwhole\n", &select_, 1),
	RESPONSE("a pipeline",
		 "1\0\0\0\4"
		 "2\0\0\0\4" COMPLETE "2\0\0\0\4"
		 "D\0\0\0\x0b\0\1\0\0\0\1xs\0\0\0\4"
		 "1\0\0\0\4" READY "2\0\0\0\4"
		 "I\0\0\0\4" READY,
		 "- 24\n- 22\n- 11\n- 10\n- aside 6\nwhole\n", executes, 4),
	RESPONSE("what is behind an error is skipped",
		 "2\0\0\0\4" ERROR NOTICE READY "2\0\0\0\4" COMPLETE READY,
		 "- error=42P01 31\n- error=aborted 0\n- error=aborted 6\n- 19\n- aside 6\nwhole\n",
		 executes, 4),
	RESPONSE("the second one fails", "2\0\0\0\4" COMPLETE ERROR READY,
		 "- 19\n- error=42P01 26\n- error=aborted 6\nwhole\n", executes, 4),
	RESPONSE("nothing is skipped", "2\0\0\0\4" ERROR READY COMPLETE READY,
		 "- error=42P01 31\n- aside 6\n- 20\nwhole\n",
		 ((const struct protocol_message[]){{.method = "SELECT", .note = NOTE(0, 1)},
						    {.method = "SELECT", .note = NOTE(1, 0)}}),
		 2),
	RESPONSE("of requests that nobody knows",
		 "1\0\0\0\4"
		 "2\0\0\0\4" COMPLETE READY COMPLETE COMPLETE READY,
		 "- 24\n- aside 6\n- 34\nwhole\n", NULL, 0),
	RESPONSE("closes", "3\0\0\0\4" READY, "- aside 6\nwhole\n", NULL, 0),
	RESPONSE("no tag", "y\0\0\0\4", "lost\n", &select_, 1),
	RESPONSE("ready, too long", "Z\0\0\0\6II", "lost\n", &select_, 1),
	RESPONSE("a long row", COMPLETE "D\0\1\0\0abc", "skips\n", &select_, 1),
};

static void test_requests(void **state)
{
	spoken_expect(&protocol_postgres, ROWS(requests));
}

static void test_responses(void **state)
{
	spoken_expect(&protocol_postgres, ROWS(responses));
}

static void test_changed_bytes(void **state)
{
	spoken_expect_flips(&protocol_postgres, ROWS(requests));
	spoken_expect_flips(&protocol_postgres, ROWS(responses));
}

/* One step of responses without a request. */
static struct protocol_step step_over(const char *bytes, size_t len, bool is_cut,
				      const struct protocol_message *request)
{
	struct protocol_input input = {(const uint8_t *)bytes, len, is_cut};
	_Alignas(16) uint8_t zeros[PROTOCOL_STATE_BYTES] = {0};
	struct protocol_message message = {0};

	return protocol_postgres.step(PROTOCOL_RESPONSES, zeros, &input, &message, request);
}

static void test_encryption(void **state)
{
	struct protocol_step step = step_over("S", 1, false, NULL);

	assert_true(step.action == PROTOCOL_LEAVES && step.used == 1 && !step.begins);
	step = step_over("N", 1, false, NULL);
	assert_true(step.action == PROTOCOL_GOES_ON && step.used == 1 && !step.begins);
	/* The beginning of a message. */
	assert_int_equal(step_over("S", 1, false, &select_).action, PROTOCOL_WAITS);
	assert_int_equal(step_over("S\0", 2, false, NULL).action, PROTOCOL_WAITS);
}

/* Behind a cut there may be an error: only one that came says what the response is. */
static void test_cut_responses(void **state)
{
	struct protocol_step step = step_over(COMPLETE, sizeof(COMPLETE) - 1, true, &select_);

	assert_true(step.action == PROTOCOL_GOES_ON && step.wants_all && step.begins &&
		    step.stands);
	step = step_over(COMPLETE "C\0", sizeof(COMPLETE) + 1, true, &select_);
	assert_true(step.action == PROTOCOL_GOES_ON && step.used == sizeof(COMPLETE) - 1);
	step = step_over("1\0\0\0\4", 5, true, &select_);
	assert_true(step.action == PROTOCOL_GOES_ON && step.begins && !step.stands);
	step = step_over("1\0\0", 3, true, &select_);
	assert_true(step.action == PROTOCOL_LOST && !step.begins && !step.ends);
	step = step_over(ERROR, sizeof(ERROR) - 1, true, &select_);
	assert_true(step.action == PROTOCOL_LOST && step.wants_all && step.begins && step.ends);
}

static void test_recognises(void **state)
{
	static const struct spoken_sample rows[] = {
		SAMPLE(PROTOCOL_REQUESTS, STARTUP, PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "\0\0\0\x08\4\xd2\x16\x2f", PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "\0\0\0\x08\4\xd2", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\0\0\0\x1d\0\3\0\0", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "\0\0\0\x1d\0\3\0\0\1", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "\0\0\0\x1d\0\3\0\1user", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, QUERY_1, PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "Q\0\0\0\x0dSEL", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "Q\0\0\0\x0dSELECT 1x", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "Q\0\0\0\x0dSEL\0CT 1\0", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, PARSE("\0") BIND("\x0c", "\0") EXECUTE SYNC,
		       PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, PARSE("\0") BIND("\x0c", "\0"), PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, SYNC, PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "POST / HTTP/1.1\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "QUIT\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, COMPLETE READY, PROTOCOL_YES),
		SAMPLE(PROTOCOL_RESPONSES, READY, PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, COMPLETE, PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "Z\0\0\0\5x", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, COMPLETE "y", PROTOCOL_NO),
	};

	spoken_expect_verdicts(&protocol_postgres, ROWS(rows));
}

static void test_finds_after_a_gap(void **state)
{
	static const struct spoken_sample rows[] = {
		FOUND(PROTOCOL_REQUESTS, QUERY_1, 0),
		FOUND(PROTOCOL_REQUESTS, "xx" QUERY_1, 16),
		FOUND(PROTOCOL_RESPONSES, COMPLETE READY, 0),
		FOUND(PROTOCOL_RESPONSES, "xx" COMPLETE READY COMPLETE READY, 22),
		FOUND(PROTOCOL_RESPONSES, "xx" COMPLETE READY, 22),
	};

	spoken_expect_found(&protocol_postgres, ROWS(rows));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_requests),	  cmocka_unit_test(test_responses),
	cmocka_unit_test(test_changed_bytes),	  cmocka_unit_test(test_encryption),
	cmocka_unit_test(test_cut_responses),	  cmocka_unit_test(test_recognises),
	cmocka_unit_test(test_finds_after_a_gap),
};

UNIT_GROUP(tests);
