/* SPDX-License-Identifier: MIT */
/* Answers, and servers that are missing, hang, or answer nonsense. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/http.h"
#include "fake_runtime.h"
#include "patience.h"
#include "unit.h"
#include "util/clock.h"

enum { NS_PER_MS = 1000000, SHORT_MS = 300, NOBODY = 65534, HUGE_BYTES = 17 * 1024 * 1024 };

/* Sends GET to a server that has one answer, within a time. Returns the result. */
static int get_within(uint64_t ns, const struct fake_answer *answer, struct http_reply *reply,
		      struct error *err)
{
	struct fake_runtime *runtime = fake_runtime_start(answer, 1);
	struct http_request request = {
		.path = "/what?a=b",
		.deadline_ns = clock_ns(CLOCK_MONOTONIC) + ns,
	};
	struct http *http;
	int result;

	assert_int_equal(http_open(fake_runtime_path(runtime), &http, NULL), 0);
	result = http_request(http, &request, reply, err);
	assert_true(waited_until(fake_runtime_requests(runtime) > 0));
	assert_string_equal(fake_runtime_request(runtime, 0), "GET /what?a=b HTTP/1.1");
	http_close(http);
	fake_runtime_stop(runtime);
	return result;
}

static int get(const struct fake_answer *answer, struct http_reply *reply, struct error *err)
{
	return get_within(PATIENCE_NS, answer, reply, err);
}

static void assert_fails(const struct fake_answer *answer, int expected, const char *text)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	uint64_t ns = expected == -ETIMEDOUT ? (uint64_t)SHORT_MS * NS_PER_MS : PATIENCE_NS;
	struct http_reply reply = {0};
	struct error err = {0};

	assert_int_equal(get_within(ns, answer, &reply, &err), expected);
	assert_non_null(strstr(err.text, "/socket: "));
	assert_non_null(strstr(err.text, text));
	assert_true(clock_ns(CLOCK_MONOTONIC) - start < PATIENCE_NS);
	assert_true(reply.body.len <= HTTP_BODY_MAX && reply.headers.len <= HTTP_HEADERS_MAX);
	http_reply_finish(&reply);
}

static void test_answer(void **state)
{
	static const struct fake_answer answer = {FAKE_JSON, 404, "{\"message\": \"no\"}", 0};
	struct http_reply reply = {0};
	char value[8];

	assert_int_equal(get(&answer, &reply, NULL), 0);
	assert_int_equal(reply.status, 404);
	assert_int_equal(reply.body.len, strlen(answer.bytes));
	assert_memory_equal(reply.body.data, answer.bytes, reply.body.len);
	assert_true(http_header(&reply, "api-version", value, sizeof(value)));
	assert_string_equal(value, "1.41");
	assert_true(http_header(&reply, "Content-Length", value, 2));
	assert_string_equal(value, "1");
	assert_false(http_header(&reply, "Api", value, sizeof(value)));
	http_reply_finish(&reply);
}

static void test_last_header_counts(void **state)
{
	static const struct fake_answer answer = {
		FAKE_BYTES, 0,
		"HTTP/1.1 200 OK\r\nA: 1\r\na:\t 2 \r\nB:\r\nContent-Length: 0\r\n\r\n", 0};
	struct http_reply reply = {0};
	char value[8] = "?";

	assert_false(http_header(&reply, "A", value, sizeof(value)));
	assert_int_equal(get(&answer, &reply, NULL), 0);
	assert_true(http_header(&reply, "A", value, sizeof(value)));
	assert_string_equal(value, "2");
	assert_true(http_header(&reply, "B", value, sizeof(value)));
	assert_string_equal(value, "");
	http_reply_finish(&reply);
}

static void test_connection_is_used_again(void **state)
{
	static const struct fake_answer answers[] = {
		{FAKE_JSON, 200, "{}", 0},
		{FAKE_BYTES, 0, "", 0}, /* closes it */
		{FAKE_JSON, 200, "{}", 0},
	};
	struct fake_runtime *runtime = fake_runtime_start(answers, 3);
	struct http_request request = {.path = "/", .deadline_ns = UINT64_MAX};
	struct http_reply reply = {0};
	struct http *http;

	assert_int_equal(http_open(fake_runtime_path(runtime), &http, NULL), 0);
	assert_int_equal(http_request(http, &request, &reply, NULL), 0);
	/* A server that closed the connection meanwhile is asked again, by a new one. */
	assert_int_equal(http_request(http, &request, &reply, NULL), 0);
	assert_int_equal(reply.body.len, 2);
	assert_int_equal(fake_runtime_requests(runtime), 3);
	http_reply_finish(&reply);
	http_close(http);
	fake_runtime_stop(runtime);
}

static void test_nobody_listens(void **state)
{
	struct http_request request = {.path = "/", .deadline_ns = UINT64_MAX};
	struct http_reply reply = {0};
	struct error err;
	struct http *http;

	assert_int_equal(http_open("/tmp/no/such/socket", &http, NULL), 0);
	assert_int_equal(http_request(http, &request, &reply, &err), -ECONNREFUSED);
	assert_string_equal(err.text, "/tmp/no/such/socket: No such file or directory");
	request.deadline_ns = 0;
	assert_int_equal(http_request(http, &request, &reply, &err), -ETIMEDOUT);
	assert_string_equal(err.text, "/tmp/no/such/socket: no time left to ask");
	http_reply_finish(&reply);
	http_close(http);
	http_close(NULL);
}

/* Asks a server of nobody's. Returns how many requests it got. */
static size_t ask_nobody(uint32_t owner, int expected, struct error *err)
{
	static const struct fake_answer answers[] = {{FAKE_JSON, 200, "{}", 0},
						     {FAKE_JSON, 200, "{}", 0}};
	struct fake_runtime *runtime = fake_runtime_start_as(NOBODY, answers, 2);
	struct http_request request = {.path = "/", .deadline_ns = UINT64_MAX};
	struct http_reply reply = {0};
	size_t requests;
	struct http *http;

	assert_int_equal(http_open(fake_runtime_path(runtime), &http, NULL), 0);
	http_set_owner(http, owner);
	for (int i = 0; i < 2; i++)
		assert_int_equal(http_request(http, &request, &reply, err), expected);
	requests = fake_runtime_requests(runtime);
	http_reply_finish(&reply);
	http_close(http);
	fake_runtime_stop(runtime);
	return requests;
}

/* The socket is root's, but another user listens: he is not even asked. */
static void test_who_listens_is_checked(void **state)
{
	struct error err = {0};

	if (geteuid() != 0)
		skip();
	assert_int_equal(ask_nobody(0, -EPERM, &err), 0);
	assert_non_null(strstr(err.text, "/socket: user 65534 listens there"));
	assert_int_equal(ask_nobody(NOBODY, 0, NULL), 2);
}

static void test_time_is_bounded(void **state)
{
	static const struct fake_answer silent = {FAKE_SILENT, 0, NULL, 0};
	static const struct fake_answer slow = {
		FAKE_SLOW, 0, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", 0};

	assert_fails(&silent, -ETIMEDOUT, "timed out");
	assert_fails(&slow, -ETIMEDOUT, "timed out");
}

static void test_size_is_bounded(void **state)
{
	static const char head[] = "HTTP/1.1 200 OK\r\n";
	struct fake_answer answer = {.kind = FAKE_BYTES, .len = HUGE_BYTES};
	char *bytes = malloc(HUGE_BYTES);

	assert_non_null(bytes);
	answer.bytes = bytes;
	memset(bytes, 'a', HUGE_BYTES);
	memcpy(bytes, head, sizeof(head) - 1);
	memcpy(bytes + sizeof(head) - 1, "\r\n", 2);
	assert_fails(&answer, -EMSGSIZE, "the answer is too long");
	/* Many headers, and no end of them. */
	for (size_t at = sizeof(head) - 1; at + 100 < HUGE_BYTES; at += 100)
		memcpy(bytes + at, "A: b\r\nCcc: ", 11);
	assert_fails(&answer, -EMSGSIZE, "the answer is too long");
	free(bytes);
}

static void test_nonsense(void **state)
{
	static const struct fake_answer answers[] = {
		{FAKE_BYTES, 0, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"a\":", 0},
		{FAKE_BYTES, 0, "\0\0\0\4\0\0\0\0\0", 9},
		{FAKE_BYTES, 0, "SSH-2.0-x\r\n", 0},
		{FAKE_BYTES, 0, "HTTP/1.1 2x0\r\n\r\n", 0},
	};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		assert_fails(&answers[i], -EPROTO, "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_answer),
	cmocka_unit_test(test_last_header_counts),
	cmocka_unit_test(test_connection_is_used_again),
	cmocka_unit_test(test_nobody_listens),
	cmocka_unit_test(test_who_listens_is_checked),
	cmocka_unit_test(test_time_is_bounded),
	cmocka_unit_test(test_size_is_bounded),
	cmocka_unit_test(test_nonsense),
};

UNIT_GROUP(tests);
