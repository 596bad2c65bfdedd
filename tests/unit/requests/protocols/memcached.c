/* SPDX-License-Identifier: MIT */
/* Memcached: what its commands and replies are, however the bytes come. */
#include "unit.h"
#include "spoken_rows.h"

#define BINARY(magic, op, key, extras, status, body, opaque)                                       \
	magic op "\0" key extras "\0" status "\0\0\0" body opaque "\0\0\0\0\0\0\0\0"
#define ROW(what, side, bytes, text)                                                               \
	{                                                                                          \
		what, side, bytes, text, .len = sizeof(bytes) - 1                                  \
	}

static const struct spoken_row requests[] = {
	{"keys", PROTOCOL_REQUESTS, "get a\r\ngets bb c\r\ngat 60 d e\r\n",
	 "GET a 7\nGETS bb 11\nGAT d 12\nwhole\n"},
	{"values", PROTOCOL_REQUESTS,
	 "set a 0 0 5\r\nget x\r\nadd b 1 -1 0\r\n\r\ncas c 0 0 1 99\r\nv\r\n",
	 "SET a 20\nADD b 16\nCAS c 19\nwhole\n"},
	{"no reply", PROTOCOL_REQUESTS,
	 "set a 0 0 1 noreply\r\nv\r\ndelete a noreply\r\nincr n 1\r\nget noreply\r\n",
	 "SET a oneway 24\nDELETE a oneway 18\nINCR n 10\nGET noreply 13\nwhole\n"},
	{"no reply, where it is none", PROTOCOL_REQUESTS,
	 "flush_all noreply\r\nflush_all 10 noreply\r\nget a noreply\r\nset noreply 0 0 0\r\n\r\n",
	 "FLUSH_ALL  oneway 19\nFLUSH_ALL  oneway 22\nGET a 15\nSET noreply 21\nwhole\n"},
	{"meta", PROTOCOL_REQUESTS, "mg a v k\r\nms b 2 T0\r\nhi\r\nmd c\r\nma d\r\nme e\r\nmn\r\n",
	 "MG a 10\nMS b 15\nMD c 6\nMA d 6\nME e 6\nMN  4\nwhole\n"},
	{"quiet", PROTOCOL_REQUESTS,
	 "mg a q v\r\nmg b\r\nmn\r\nmg c\r\nmg d q\r\nget e\r\nmg f\r\n",
	 "MG a oneway 10\nMG b oneway 6\nMN  4\nMG c 6\nMG d oneway 8\nGET e 7\nMG f 6\nwhole\n"},
	{"others", PROTOCOL_REQUESTS, "stats items\r\nversion\nflush_all 10\r\nquit\r\n",
	 "STATS  13\nVERSION  8\nFLUSH_ALL  14\nQUIT  oneway 6\nwhole\n"},
	{"unknown", PROTOCOL_REQUESTS, "get a\r\nfoo b\r\n", "GET a 7\nlost\n"},
	{"no size", PROTOCOL_REQUESTS, "set a 0 0 x\r\nget b\r\n", "SET a 13\nGET b 7\nwhole\n"},
	{"not all", PROTOCOL_REQUESTS, "get a", "waits\n"},
	{"a value that comes", PROTOCOL_REQUESTS, "set a 0 0 5\r\nhe", "SET a 20\nskips\n"},
	ROW("binary", PROTOCOL_REQUESTS,
	    BINARY("\x80", "\0", "\1", "\0", "\0\0", "\1", "\0\0\0\5") "k" BINARY(
		    "\x80", "\1", "\2", "\x08", "\0\0", "\x0b",
		    "\0\0\0\6") "ffffeeeekey" BINARY("\x80", "\x11", "\1", "\0", "\0\0", "\1",
						     "\0\0\0\7") "q",
	    "GET k key=5 25\nSET ke key=100000006 35\nSET q key=1100000007 oneway 25\nwhole\n"),
	ROW("no command", PROTOCOL_REQUESTS,
	    BINARY("\x80", "\x70", "\0", "\0", "\0\0", "\0", "\0\0\0\0"), "lost\n"),
	ROW("a key behind the end", PROTOCOL_REQUESTS,
	    BINARY("\x80", "\0", "\5", "\0", "\0\0", "\1", "\0\0\0\0"), "lost\n"),
};

static const struct protocol_message values[] = {
	{.method = "GET", .note = 1}, {.method = "GET", .note = 1}, {.method = "GET", .note = 1}};
static const struct protocol_message stored[] = {{.method = "SET", .note = 2},
						 {.method = "SET", .note = 2},
						 {.method = "INCR", .note = 4},
						 {.method = "DELETE", .note = 4}};
static const struct protocol_message meta[] = {{.method = "MG", .note = 8},
					       {.method = "MG", .note = 8},
					       {.method = "MN", .note = 16},
					       {.method = "GET", .note = 1}};
static const struct protocol_message others[] = {{.method = "STATS", .note = 32},
						 {.method = "WATCH", .note = 32 | 64}};

static const struct spoken_row responses[] = {
	{"values", PROTOCOL_RESPONSES,
	 "VALUE a 0 5\r\nEND\r\n\r\nVALUE b 0 0 77\r\n\r\nEND\r\nEND\r\nSERVER_ERROR out of "
	 "memory\r\n",
	 "- 43\n- 5\n- error=SERVER_ERROR 28\nwhole\n", values, 3},
	{"stored", PROTOCOL_RESPONSES, "STORED\r\nEXISTS\r\n12\r\nNOT_FOUND\r\n",
	 "- 8\n- 8\n- 4\n- 11\nwhole\n", stored, 4},
	{"errors", PROTOCOL_RESPONSES, "ERROR\r\nCLIENT_ERROR bad data chunk\r\n",
	 "- error=ERROR 7\n- error=CLIENT_ERROR 29\nwhole\n"},
	{"of another command", PROTOCOL_RESPONSES, "STORED\r\n", "lost\n", values, 1},
	{"meta", PROTOCOL_RESPONSES, "VA 2 k\r\nhi\r\nEN\r\nMN\r\nHD\r\nEND\r\nMN\r\n",
	 "- 12\n- 4\n- 4\n- aside 4\n- 5\n- aside 4\nwhole\n", meta, 4},
	{"quiet before mn", PROTOCOL_RESPONSES, "VA 1\r\nx\r\nCLIENT_ERROR a\r\nMN\r\n",
	 "- aside 9\n- error=CLIENT_ERROR aside 16\n- 4\nwhole\n", meta + 2, 1},
	{"statistics", PROTOCOL_RESPONSES, "STAT pid 1\r\nSTAT uptime 2\r\nEND\r\nOK\r\nts=1\r\n",
	 "- 32\n- 4\nleaves\n", others, 2},
	{"a dump", PROTOCOL_RESPONSES, "key=a exp=-1\r\nkey=b exp=-1\r\nEND\r\n", "- 33\nwhole\n",
	 others, 1},
	{"no size", PROTOCOL_RESPONSES, "VALUE a 0\r\n", "lost\n", values, 1},
	{"not all", PROTOCOL_RESPONSES, "VALUE a 0 1\r\nx\r\nEN", "waits\n", values, 1},
	ROW("binary in a reply", PROTOCOL_RESPONSES,
	    "VALUE a 0 1\r\nx\r\n" BINARY("\x81", "\0", "\0", "\4", "\0\0", "\5",
					  "\0\0\0\5") "fff\r\n",
	    "lost\n"),
	ROW("binary", PROTOCOL_RESPONSES,
	    BINARY("\x81", "\0", "\0", "\4", "\0\0", "\5", "\0\0\0\5") "ffffv" BINARY(
		    "\x81", "\0", "\0", "\0", "\0\1", "\x09",
		    "\0\0\0\6") "Not found" BINARY("\x81", "\1", "\0", "\0", "\0\x82", "\0",
						   "\0\0\0\7")
		    BINARY("\x81", "\1", "\0", "\0", "\0\x99", "\0", "\0\0\0\7"),
	    "0 key=5 29\n1 key=6 33\n130 error=OUT_OF_MEMORY key=100000007 24\n"
	    "153 error=STATUS153 key=100000007 24\nwhole\n"),
	ROW("binary, of one that is quiet, and of many", PROTOCOL_RESPONSES,
	    BINARY("\x81", "\x09", "\0", "\0", "\0\0", "\0", "\0\0\0\5")
		    BINARY("\x81", "\x10", "\1", "\0", "\0\0", "\2", "\0\0\0\6") "a1" BINARY(
			    "\x81", "\x10", "\0", "\0", "\0\0", "\0", "\0\0\0\6"),
	    "0 key=900000005 aside 24\n0 key=1000000006 aside 26\n0 key=1000000006 24\nwhole\n"),
};

SPOKEN_CASES(protocol_memcached)

static void test_recognition(void **state)
{
	static const struct spoken_sample rows[] = {
		SAMPLE(PROTOCOL_REQUESTS, "set a 0 0 5\r\n", PROTOCOL_YES),
		SAMPLE(PROTOCOL_REQUESTS, "set a 0 0 x\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "get a\r\n", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "get\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "ge", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "get a", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_REQUESTS, "gex", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "gex a", PROTOCOL_NO),
		SAMPLE(PROTOCOL_REQUESTS, "get \1", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "STOR", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "12", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "VALUE a 0 1\r\n", PROTOCOL_MAYBE),
		SAMPLE(PROTOCOL_RESPONSES, "VALUE a\r\n", PROTOCOL_NO),
		SAMPLE(PROTOCOL_RESPONSES, "WHAT 1\r\n", PROTOCOL_NO),
	};

	spoken_expect_verdicts(&protocol_memcached, ROWS(rows));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_both_sides),
	cmocka_unit_test(test_changed_bytes),
	cmocka_unit_test(test_recognition),
};

UNIT_GROUP(tests);
