/* SPDX-License-Identifier: MIT */
/* Watches: streaming lists, events, bookmarks, errors, and streams that are cut anywhere. */
#include <stdio.h>
#include <stdlib.h>

#include "reflected.h"
#include "unit.h"

enum { ROUNDS = 200 };

#define STREAM                                                                                     \
	EVENT("ADDED", POD("a", "u-a", "3"))                                                       \
	EVENT("ADDED", POD("b", "u-b", "9"))                                                       \
	LIST_END("12")

static void start(struct reflected *reflected)
{
	reflected_start(reflected, "n1");
	reflected_ask(reflected);
	assert_true(reflected_send(reflected, STREAM));
	reflected_expect(reflected, "+a@n1=u-a +b@n1=u-b ");
}

static void expect_version(struct reflected *reflected, const char *version)
{
	const char *found = strstr(reflected_ask(reflected), "&resourceVersion=");

	assert_non_null(found);
	assert_string_equal(found + strlen("&resourceVersion="), version);
}

static void test_streaming_list(void **state)
{
	struct reflected reflected;
	const char *path;
	long seconds;

	reflected_start(&reflected, "n1");
	path = reflected_ask(&reflected);
	assert_true(reflected.request.is_stream);
	assert_ptr_equal(strstr(path, "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&watch=1&"
				      "allowWatchBookmarks=true&timeoutSeconds="),
			 path);
	seconds = strtol(strstr(path, "Seconds=") + 8, NULL, 10);
	assert_in_range(seconds, 300, 600);
	assert_int_equal(reflected.request.timeout_s, seconds + 30);
	assert_non_null(strstr(path, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"));
	assert_null(strstr(path, "resourceVersion="));
	/* Pods are passed on as they come. */
	assert_true(reflected_send(&reflected, EVENT("ADDED", POD("a", "u-a", "3"))));
	reflected_expect(&reflected, "+a@n1=u-a ");
	assert_true(reflected_send(&reflected, LIST_END("12")));
	/* It goes on as a watch, and the next one where it ends. */
	assert_true(reflected_send(&reflected, EVENT("DELETED", POD("a", "u-a", "13"))));
	reflected_expect(&reflected, "-u-a ");
	reflected_end(&reflected, META_COUNTERS, 300);
	expect_version(&reflected, "13");
	reflected_finish(&reflected);
}

static void test_streaming_list_is_not_offered(void **state)
{
	static const struct {
		long status;
		const char *body;
		unsigned int seconds;
	} rows[] = {
		{422, STATUS("422", ""), 0},
		{400, STATUS("400", ""), 0},
		/* A server that does not know it begins with the pods, and goes on. */
		{200, EVENT("ADDED", POD("a", "u-a", "3")) BOOKMARK("4", ""), 0},
		{200, EVENT("ADDED", POD("a", "u-a", "3")), 300},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reflected reflected;

		reflected_start(&reflected, "n1");
		reflected_ask(&reflected);
		reflected_answer(&reflected, rows[i].status, rows[i].body, rows[i].seconds);
		/* Which is no failure. */
		assert_int_equal(reflected_wait_ms(&reflected), 0);
		assert_string_equal(reflected.failure, "");
		assert_non_null(strstr(reflected_ask(&reflected), "&limit=100&resourceVersion=0"));
		/* It is not tried again. */
		reflected_answer(&reflected, 200, LIST(VERSION("7"), "[]"), 0);
		reflected_ask(&reflected);
		reflected_answer(&reflected, 410, "", 0);
		assert_non_null(strstr(reflected_ask(&reflected), "&limit=100&"));
		reflected_finish(&reflected);
	}
}

static void test_end_of_streaming_list_is_not_waited_for_long(void **state)
{
	struct reflected reflected;

	reflected_start(&reflected, "n1");
	reflected_ask(&reflected);
	reflected_send(&reflected, EVENT("ADDED", POD("a", "u-a", "3")));
	assert_true(reflector_waits(&reflected.reflector, reflected.now_ns + 9 * SECOND));
	assert_false(reflector_waits(&reflected.reflector, reflected.now_ns + 11 * SECOND));
	reflected_end(&reflected, META_COUNTERS, 11);
	assert_non_null(strstr(reflected_ask(&reflected), "&limit=100"));
	reflected_finish(&reflected);
	/* A watch that began may be silent for long. */
	start(&reflected);
	reflector_take_header(&reflected.reflector);
	assert_true(reflector_waits(&reflected.reflector, reflected.now_ns + 500 * SECOND));
	reflected_finish(&reflected);
}

/* The server accepts a watch and says nothing: after a while all is listed, from what was known. */
static void test_watch_without_an_answer(void **state)
{
	struct reflected reflected;

	start(&reflected);
	reflected_end(&reflected, META_COUNTERS, 300);
	assert_non_null(strstr(reflected_ask(&reflected), "&watch=1&"));
	assert_true(reflector_waits(&reflected.reflector, reflected.now_ns + 14 * SECOND));
	assert_false(reflector_waits(&reflected.reflector, reflected.now_ns + 16 * SECOND));
	reflected_end(&reflected, META_COUNTERS, 16);
	assert_string_equal(reflected.failure, "the watch of pods is not answered");
	assert_non_null(strstr(reflected_ask(&reflected), "&sendInitialEvents=true"));
	reflected_finish(&reflected);
}

/* One that sends bookmarks is known by its silence. */
static void test_watch_that_is_silent(void **state)
{
	struct reflected reflected;

	start(&reflected);
	reflected_send(&reflected, BOOKMARK("50", ""));
	assert_true(reflector_waits(&reflected.reflector, reflected.now_ns + 100 * SECOND));
	assert_true(reflector_waits(&reflected.reflector, reflected.now_ns + 270 * SECOND));
	assert_false(reflector_waits(&reflected.reflector, reflected.now_ns + 290 * SECOND));
	reflected_end(&reflected, META_COUNTERS, 290);
	assert_non_null(strstr(reflected_ask(&reflected), "&sendInitialEvents=true"));
	reflected_finish(&reflected);
}

static void test_broken_streaming_list_is_tried_again(void **state)
{
	struct reflected reflected;

	start(&reflected);
	reflected_answer(&reflected, 200, EVENT("ERROR", STATUS("410", "")), 5);
	assert_non_null(strstr(reflected_ask(&reflected), "&sendInitialEvents=true"));
	reflected_send(&reflected, EVENT("ADDED", POD("c", "u-c", "30")));
	reflected_end(&reflected, META_KUBE_CUT, 1);
	/* What was not in the part that came is not gone. */
	reflected_expect(&reflected, "+c@n1=u-c ");
	assert_non_null(strstr(reflected_ask(&reflected), "&sendInitialEvents=true"));
	reflected_send(&reflected, EVENT("ADDED", POD("b", "u-b", "9")) LIST_END("40"));
	reflected_expect(&reflected, "-u-a -u-c ");
	assert_int_equal(reflected.counts[META_KUBE_PODS], 1);
	reflected_finish(&reflected);
}

/* The next watch would not know where to begin. */
static void test_streaming_list_without_version(void **state)
{
	static const char *const ends[] = {LIST_END(""), LIST_END("0")};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct reflected reflected;

		reflected_start(&reflected, "n1");
		reflected_ask(&reflected);
		assert_false(reflected_send(&reflected, ends[i]));
		reflected_end(&reflected, META_COUNTERS, 2);
		assert_int_equal(reflected.counts[META_KUBE_NONSENSE], 1);
		assert_string_equal(reflected.failure, "the list of pods has no version");
		assert_int_equal(reflected.counts[META_KUBE_LINES_BAD], 0);
		assert_non_null(strstr(reflected_ask(&reflected), "&sendInitialEvents=true"));
		reflected_finish(&reflected);
	}
}

static void test_events_and_bookmarks(void **state)
{
	struct reflected reflected;

	start(&reflected);
	reflected_send(&reflected, EVENT("MODIFIED", POD("a", "u-a", "13")));
	/* Nothing that is passed on has changed. */
	reflected_expect(&reflected, "");
	reflected_send(&reflected, EVENT("MODIFIED", POD("a2", "u-a", "14")));
	reflected_expect(&reflected, "+a2@n1=u-a ");
	reflected_send(&reflected, EVENT("ADDED", POD("c", "u-c", "v/1 5")));
	reflected_expect(&reflected, "+c@n1=u-c ");
	reflected_end(&reflected, META_COUNTERS, 300);
	/* The version is opaque. */
	expect_version(&reflected, "v%2F1%205");
	reflected_send(&reflected, BOOKMARK("99", ""));
	reflected_end(&reflected, META_COUNTERS, 300);
	expect_version(&reflected, "99");
	/* The last state of a pod that was not known before counts. */
	reflected_send(&reflected, EVENT("DELETED", POD("d", "u-d", "100")));
	reflected_expect(&reflected, "+d@n1=u-d -u-d ");
	reflected_end(&reflected, META_KUBE_CUT, 1);
	expect_version(&reflected, "100");
	reflected_finish(&reflected);
}

static void test_expired(void **state)
{
	struct reflected reflected;

	start(&reflected);
	/* As a line of the stream ... */
	assert_false(reflected_send(&reflected, EVENT("ERROR", STATUS("410", ""))
							EVENT("ADDED", POD("x", "u-x", "50"))));
	reflected_end(&reflected, META_COUNTERS, 2);
	reflected_expect(&reflected, "");
	assert_int_equal(reflected.counts[META_KUBE_EXPIRED], 1);
	assert_in_range(reflected_wait_ms(&reflected), 799, 1600);
	assert_non_null(strstr(reflected_ask(&reflected), "&sendInitialEvents=true"));
	reflected_send(&reflected, STREAM);
	reflected_end(&reflected, META_COUNTERS, 300);
	/* ... or as the answer. */
	expect_version(&reflected, "12");
	reflected_answer(&reflected, 410, STATUS("410", ""), 0);
	assert_int_equal(reflected.counts[META_KUBE_EXPIRED], 2);
	assert_non_null(strstr(reflected_ask(&reflected), "&sendInitialEvents=true"));
	reflected_finish(&reflected);
}

static void test_other_errors(void **state)
{
	struct reflected reflected;

	start(&reflected);
	reflected_answer(&reflected, 200,
			 EVENT("ERROR", STATUS("429", ",\"details\":{\"retryAfterSeconds\":40}")),
			 2);
	assert_int_equal(reflected.counts[META_KUBE_THROTTLED], 1);
	assert_in_range(reflected_wait_ms(&reflected), 40000, 50000);
	expect_version(&reflected, "12");
	reflected_answer(&reflected, 200, EVENT("ERROR", "{}"), 2);
	assert_int_equal(reflected.counts[META_KUBE_STATUS], 1);
	expect_version(&reflected, "12");
	/* A server whose state is older, after a restore: its list counts. */
	reflected_answer(&reflected, 504, STATUS("504", ""), 2);
	assert_non_null(strstr(reflected_ask(&reflected), "&sendInitialEvents=true"));
	reflected_finish(&reflected);
}

static void test_bad_lines(void **state)
{
	static const char *const lines[] = {
		"nonsense\n",
		"{\"type\":\"ADDED\"}\n",
		"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"uid\":7}}}\n",
		"{\"type\":\"WHAT\",\"object\":{}}\n",
		"{\"object\":{}}\n",
		"[]\n",
		"{\"type\":\"ADDED\",\"object\":\xff}\n",
	};
	const size_t count = sizeof(lines) / sizeof(lines[0]);
	struct reflected reflected;
	size_t i;

	start(&reflected);
	for (i = 0; reflected_send(&reflected, lines[i % count]); i++)
		/* The events between them are taken. */
		assert_true(reflected_send(&reflected, EVENT("MODIFIED", POD("a", "u-a", "77"))));
	assert_int_equal(i + 1, 100);
	assert_int_equal(reflected.counts[META_KUBE_LINES_BAD], 100);
	reflected_end(&reflected, META_COUNTERS, 1);
	assert_int_equal(reflected.counts[META_KUBE_NONSENSE], 1);
	/* Events may have been among them. */
	assert_non_null(strstr(reflected_ask(&reflected), "&sendInitialEvents=true"));
	reflected_finish(&reflected);
}

/* What JSON allows, and no pod has. */
static void test_hostile_lines(void **state)
{
	enum { DEEP = 100000, LABELS = 1000000 };
	struct reflected reflected;
	struct buf line = {0};

	start(&reflected);
	for (int i = 0; i < DEEP; i++)
		buf_append_char(&line, '[');
	buf_append_string(&line, "\n");
	assert_true(reflector_take(&reflected.reflector, 200, line.data, line.len));
	buf_clear(&line);
	for (int i = 0; i < DEEP; i++)
		BUF_LITERAL(&line, "{\"object\":");
	buf_append_string(&line, "\n");
	assert_true(reflector_take(&reflected.reflector, 200, line.data, line.len));
	buf_clear(&line);
	BUF_LITERAL(&line,
		    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"uid\":\"u\",\"labels\":{");
	for (int i = 0; i < LABELS; i++)
		BUF_LITERAL(&line, "\"\":1,");
	BUF_LITERAL(&line, "\"\":1}}}}\n");
	assert_true(reflector_take(&reflected.reflector, 200, line.data, line.len));
	assert_int_equal(reflected.counts[META_KUBE_LINES_BAD], 3);
	/* A NUL ends a text. */
	assert_true(
		reflected_send(&reflected, EVENT("ADDED", POD("c\\u0000d", "u-c\\u0000e", "20"))));
	reflected_expect(&reflected, "+c@n1=u-c ");
	buf_clear(&line);
	buf_append(&line, "\0\0\0\n", 4);
	assert_true(reflector_take(&reflected.reflector, 200, line.data, line.len));
	assert_int_equal(reflected.counts[META_KUBE_LINES_BAD], 4);
	reflected_finish(&reflected);
	buf_finish(&line);
}

static void test_long_line_is_dropped(void **state)
{
	static char filler[LINES_BYTES_MAX + 1];
	struct reflected reflected;

	memset(filler, 'a', sizeof(filler) - 1);
	start(&reflected);
	assert_true(reflected_send(&reflected, "{\"type\":\"ADDED\",\"object\":\""));
	assert_true(reflected_send(&reflected, filler));
	assert_true(reflected_send(&reflected, "\"}\n" EVENT("ADDED", POD("c", "u-c", "20"))));
	assert_int_equal(reflected.counts[META_KUBE_LINES_BAD], 1);
	reflected_expect(&reflected, "+c@n1=u-c ");
	reflected_finish(&reflected);
}

/* The same events, however the network cuts them; and whatever is lost at the end of a stream. */
static void test_random_cuts(void **state)
{
	static const char stream[] = STREAM EVENT("DELETED", POD("a", "u-a", "13"))
		EVENT("ADDED", POD("c", "u-c", "14"));
	const size_t whole = sizeof(stream) - 1;

	srand(7);
	for (int round = 0; round < ROUNDS; round++) {
		struct reflected reflected;
		size_t end = round % 2 ? whole : (size_t)rand() % whole;

		reflected_start(&reflected, "n1");
		reflected_ask(&reflected);
		for (size_t at = 0, len; at < end; at += len) {
			len = 1 + (size_t)rand() % 200;
			len = len < end - at ? len : end - at;
			assert_true(reflector_take(&reflected.reflector, 200, stream + at, len));
		}
		reflected_end(&reflected, META_KUBE_CUT, 1);
		assert_int_equal(reflected.counts[META_KUBE_LINES_BAD], 0);
		if (end == whole) {
			reflected_expect(&reflected, "+a@n1=u-a +b@n1=u-b -u-a +c@n1=u-c ");
			expect_version(&reflected, "14");
		}
		reflected_finish(&reflected);
	}
}

static void test_too_many_pods(void **state)
{
	char line[512];
	struct reflected reflected;

	start(&reflected);
	for (int i = 0; i < KNOWN_PODS_MAX + 8; i++) {
		snprintf(line, sizeof(line), EVENT("ADDED", POD("p%d", "u-%d", "%d")), i, i,
			 20 + i);
		reflected_send(&reflected, line);
		buf_clear(&reflected.log);
	}
	assert_int_equal(reflected.counts[META_KUBE_PODS], KNOWN_PODS_MAX);
	assert_int_equal(reflected.counts[META_KUBE_PODS_REJECTED], 10);
	reflected_finish(&reflected);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_streaming_list),
	cmocka_unit_test(test_streaming_list_is_not_offered),
	cmocka_unit_test(test_end_of_streaming_list_is_not_waited_for_long),
	cmocka_unit_test(test_watch_without_an_answer),
	cmocka_unit_test(test_watch_that_is_silent),
	cmocka_unit_test(test_broken_streaming_list_is_tried_again),
	cmocka_unit_test(test_streaming_list_without_version),
	cmocka_unit_test(test_events_and_bookmarks),
	cmocka_unit_test(test_expired),
	cmocka_unit_test(test_other_errors),
	cmocka_unit_test(test_bad_lines),
	cmocka_unit_test(test_hostile_lines),
	cmocka_unit_test(test_long_line_is_dropped),
	cmocka_unit_test(test_random_cuts),
	cmocka_unit_test(test_too_many_pods),
};

UNIT_GROUP(tests);
