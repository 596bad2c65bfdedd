/* SPDX-License-Identifier: MIT */
/* Answers as they come, servers that are missing, silent or cut them, and the end by another
 * thread. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fake_server.h"
#include "net/fetch.h"
#include "patience.h"
#include "unit.h"
#include "util/buf.h"
#include "util/clock.h"

enum { NS_PER_MS = 1000000, LONG_MS = 10 * PATIENCE_MS };

/* Who takes an answer. */
struct taker {
	struct buf text;
	long status;
	size_t most; /* bytes that are wanted */
	bool waits;
};

static bool take(void *data, long status, const char *bytes, size_t len)
{
	struct taker *taker = data;

	taker->status = status;
	buf_append(&taker->text, bytes, len);
	return taker->text.len < taker->most;
}

static bool waits(void *data)
{
	return ((struct taker *)data)->waits;
}

static struct fetch *fetch;
static struct taker taker;

static int setup(void **state)
{
	taker = (struct taker){.most = SIZE_MAX, .waits = true};
	return fetch_create(&fetch, NULL);
}

static int teardown(void **state)
{
	fetch_destroy(fetch);
	buf_finish(&taker.text);
	return 0;
}

/* Sends GET to a URL, with more options in `request`. */
static int get_from(const char *url, struct fetch_request request, struct fetch_end *end,
		    struct error *err)
{
	struct fetch_end ignored;

	request.url = url;
	request.timeout_ms = request.timeout_ms ? request.timeout_ms : LONG_MS;
	request.take = take;
	request.waits = waits;
	request.data = &taker;
	buf_clear(&taker.text);
	return fetch_get(fetch, &request, end ? end : &ignored, err);
}

static void expect_text(const char *text)
{
	assert_int_equal(taker.text.len, strlen(text));
	assert_memory_equal(taker.text.data, text, strlen(text));
}

static void test_answer(void **state)
{
	static const struct fake_response responses[] = {
		{FAKE_OK("Content-Length: 3\r\n", "abc"), true, 0},
		{"HTTP/1.1 429 No\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\n{}", true, 0},
		{"HTTP/1.1 302 No\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n", true, 0},
	};
	struct fake_server *server = fake_server_start(responses, 3);
	struct fetch_request request = {.token = "secret"};
	struct fetch_end end;

	assert_int_equal(get_from(fake_server_url(server), request, &end, NULL), 0);
	assert_int_equal(end.status, 200);
	assert_int_equal(taker.status, 200);
	expect_text("abc");
	assert_non_null(strstr(fake_server_request(server, 0), "GET / HTTP/1.1\r\n"));
	assert_non_null(strstr(fake_server_request(server, 0), "\r\nAccept: application/json\r\n"));
	assert_null(strstr(fake_server_request(server, 0), "Accept-Encoding"));
	/* Not without encryption. */
	assert_null(strstr(fake_server_request(server, 0), "secret"));
	assert_int_equal(get_from(fake_server_url(server), request, &end, NULL), 0);
	assert_int_equal(end.status, 429);
	assert_int_equal(end.retry_after_s, 7);
	/* A redirection is not followed. */
	assert_int_equal(get_from(fake_server_url(server), request, &end, NULL), 0);
	assert_int_equal(end.status, 302);
	assert_int_equal(end.retry_after_s, 0);
	assert_int_equal(fake_server_requests(server), 3);
	/* All by one connection. */
	assert_int_equal(fake_server_connections(server), 1);
	fake_server_stop(server);
}

static void test_compressed(void **state)
{
	static const char gzip[] = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
				   "\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35"
				   "\x03\0\0\0";
	static const struct fake_response responses[] = {{gzip, false, sizeof(gzip) - 1}};
	struct fake_server *server = fake_server_start(responses, 1);
	struct fetch_request request = {.compressed = true};

	assert_int_equal(get_from(fake_server_url(server), request, NULL, NULL), 0);
	expect_text("abc");
	assert_non_null(strstr(fake_server_request(server, 0), "\r\nAccept-Encoding: gzip\r\n"));
	fake_server_stop(server);
}

/* A body of several parts; headers in place of those that are sent by default. */
static void test_body(void **state)
{
	static const struct fake_response responses[] = {
		{FAKE_OK("Content-Length: 0\r\n", ""), true, 0},
		{FAKE_OK("Content-Length: 0\r\n", ""), true, 0},
	};
	static const char *const headers[] = {"Content-Type: a/b", "user-agent: me", NULL};
	static char large[2000000];
	struct iovec parts[] = {{"one ", 4}, {"", 0}, {"two", 3}, {large, sizeof(large)}};
	struct fake_server *server = fake_server_start(responses, 2);
	struct fetch_request request = {.body = parts, .body_parts = 3};
	struct fetch_end end;

	assert_int_equal(get_from(fake_server_url(server), request, &end, NULL), 0);
	assert_true(end.sent);
	assert_string_equal(fake_server_body(server, 0), "one two");
	assert_non_null(strstr(fake_server_request(server, 0), "POST / HTTP/1.1\r\n"));
	assert_non_null(strstr(fake_server_request(server, 0), "\r\nUser-Agent: lanner/"));
	memset(large, 'x', sizeof(large));
	request.body_parts = 4;
	request.headers = headers;
	assert_int_equal(get_from(fake_server_url(server), request, &end, NULL), 0);
	assert_int_equal(fake_server_body_len(server, 1), 7 + sizeof(large));
	assert_memory_equal(fake_server_body(server, 1), "one twoxxx", 10);
	assert_null(strstr(fake_server_request(server, 1), "lanner"));
	assert_null(strstr(fake_server_request(server, 1), "Expect"));
	assert_non_null(strstr(fake_server_request(server, 1), "\r\nuser-agent: me\r\n"));
	fake_server_stop(server);
}

/* A body that a server took before it ended the connection is not sent a second time. */
static void test_sent_once(void **state)
{
	static const struct fake_response responses[] = {
		{FAKE_OK("Content-Length: 0\r\n", ""), true, 0},
		{"", false, 0},
		{FAKE_OK("Content-Length: 0\r\n", ""), true, 0},
	};
	struct iovec part = {"once", 4};
	struct fake_server *server = fake_server_start(responses, 3);
	struct fetch_request request = {.body = &part, .body_parts = 1};
	struct fetch_end end;

	assert_int_equal(get_from(fake_server_url(server), request, &end, NULL), 0);
	assert_int_equal(get_from(fake_server_url(server), request, &end, NULL), -EMSGSIZE);
	assert_true(end.sent);
	assert_int_equal(end.status, 0);
	assert_int_equal(fake_server_requests(server), 2);
	fake_server_stop(server);
	assert_int_equal(get_from("http://127.0.0.1:1", request, &end, NULL), -ECONNREFUSED);
	assert_false(end.sent);
}

/* The rest of an endless answer is not waited for. */
static void test_unwanted(void **state)
{
	static const struct fake_response responses[] = {{FAKE_STREAM("a line\n"), true, 0}};
	struct fake_server *server = fake_server_start(responses, 1);
	uint64_t start = clock_ns(CLOCK_MONOTONIC);

	taker.most = 3;
	assert_int_equal(get_from(fake_server_url(server), (struct fetch_request){0}, NULL, NULL),
			 0);
	assert_true(clock_ns(CLOCK_MONOTONIC) - start < PATIENCE_NS);
	fake_server_stop(server);
}

static void test_silence(void **state)
{
	static const struct fake_response responses[] = {{FAKE_STREAM("a"), true, 0},
							 {FAKE_STREAM("b"), true, 0}};
	struct fake_server *server = fake_server_start(responses, 2);
	struct fetch_request request = {.timeout_ms = 300};
	struct fetch_end end;

	assert_int_equal(get_from(fake_server_url(server), request, &end, NULL), -ETIMEDOUT);
	/* On a slow machine an answer takes longer to begin. */
	while (end.status == 0 && request.timeout_ms < PATIENCE_MS) {
		request.timeout_ms *= 2;
		fake_server_stop(server);
		server = fake_server_start(responses, 2);
		assert_int_equal(get_from(fake_server_url(server), request, &end, NULL),
				 -ETIMEDOUT);
	}
	assert_int_equal(end.status, 200);
	expect_text("a");
	taker.waits = false;
	request.timeout_ms = LONG_MS;
	assert_int_equal(get_from(fake_server_url(server), request, &end, NULL), 0);
	fake_server_stop(server);
}

static void test_failures(void **state)
{
	static const struct {
		const char *bytes;
		int code;
	} rows[] = {
		{FAKE_OK("Content-Length: 100\r\n", "abc"), -EMSGSIZE},
		{FAKE_OK("Transfer-Encoding: chunked\r\n", "5\r\nab"), -EMSGSIZE},
		{"", -EMSGSIZE},
		{"SSH-2.0-x\r\n", -EHOSTUNREACH},
	};
	struct error err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake_response response = {rows[i].bytes, false, 0};
		struct fake_server *server = fake_server_start(&response, 1);

		assert_int_equal(
			get_from(fake_server_url(server), (struct fetch_request){0}, NULL, &err),
			rows[i].code);
		assert_true(err.text[0]);
		fake_server_stop(server);
	}
	assert_int_equal(get_from("http://127.0.0.1:1", (struct fetch_request){0}, NULL, &err),
			 -ECONNREFUSED);
	assert_non_null(strstr(err.text, "127.0.0.1"));
	assert_true(get_from("http://127.0.0.1:1",
			     (struct fetch_request){.proxy = "ftp://u:secret@p"}, NULL, &err) < 0);
	assert_null(strstr(err.text, "secret"));
	assert_non_null(strstr(err.text, "the proxy cannot be used"));
	assert_int_equal(get_from("file:///etc/passwd", (struct fetch_request){0}, NULL, &err),
			 -EHOSTUNREACH);
}

static void test_tls(void **state)
{
	static const struct fake_response responses[] = {{"no TLS", false, 0}};
	struct fake_server *server = fake_server_start(responses, 1);
	struct fetch_request request = {.token = "secret"};
	struct error err;
	char url[80];

	snprintf(url, sizeof(url), "https%s", fake_server_url(server) + strlen("http"));
	request.ca_path = "/no/such/file";
	assert_int_equal(get_from(url, request, NULL, &err), -EKEYREJECTED);
	assert_non_null(strstr(err.text, "/no/such/file"));
	fake_server_stop(server);
}

static void *stop_soon(void *context)
{
	usleep(100000);
	fetch_stop(fetch);
	return NULL;
}

static void test_stop(void **state)
{
	static const struct fake_response responses[] = {{FAKE_STREAM("a"), true, 0}};
	struct fake_server *server = fake_server_start(responses, 1);
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, stop_soon, NULL), 0);
	assert_int_equal(get_from(fake_server_url(server), (struct fetch_request){0}, NULL, NULL),
			 -ECANCELED);
	pthread_join(thread, NULL);
	/* For good. */
	assert_true(fetch_is_stopped(fetch));
	assert_int_equal(get_from(fake_server_url(server), (struct fetch_request){0}, NULL, NULL),
			 -ECANCELED);
	fetch_wait(fetch, (uint64_t)LONG_MS * NS_PER_MS);
	assert_true(clock_ns(CLOCK_MONOTONIC) - start < PATIENCE_NS);
	fake_server_stop(server);
}

/* The same, by a descriptor. */
static void test_stop_by(void **state)
{
	static const struct fake_response responses[] = {{FAKE_STREAM("a"), true, 0}};
	struct fake_server *server = fake_server_start(responses, 1);
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	int fd = eventfd(0, EFD_CLOEXEC);

	fetch_stop_by(fetch, fd);
	taker.most = 1;
	assert_int_equal(get_from(fake_server_url(server), (struct fetch_request){0}, NULL, NULL),
			 0);
	taker.most = SIZE_MAX;
	eventfd_write(fd, 1);
	assert_int_equal(get_from(fake_server_url(server), (struct fetch_request){0}, NULL, NULL),
			 -ECANCELED);
	assert_true(fetch_is_stopped(fetch));
	assert_true(clock_ns(CLOCK_MONOTONIC) - start < PATIENCE_NS);
	fake_server_stop(server);
	close(fd);
}

static void test_wait(void **state)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);

	fetch_wait(fetch, (uint64_t)20 * NS_PER_MS);
	assert_true(clock_ns(CLOCK_MONOTONIC) - start >= (uint64_t)20 * NS_PER_MS);
	/* One that comes before the wait counts. */
	fetch_wake(fetch);
	fetch_wait(fetch, (uint64_t)LONG_MS * NS_PER_MS);
	assert_true(clock_ns(CLOCK_MONOTONIC) - start < PATIENCE_NS);
	fetch_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_answer, setup, teardown),
	cmocka_unit_test_setup_teardown(test_compressed, setup, teardown),
	cmocka_unit_test_setup_teardown(test_body, setup, teardown),
	cmocka_unit_test_setup_teardown(test_sent_once, setup, teardown),
	cmocka_unit_test_setup_teardown(test_unwanted, setup, teardown),
	cmocka_unit_test_setup_teardown(test_silence, setup, teardown),
	cmocka_unit_test_setup_teardown(test_failures, setup, teardown),
	cmocka_unit_test_setup_teardown(test_tls, setup, teardown),
	cmocka_unit_test_setup_teardown(test_stop, setup, teardown),
	cmocka_unit_test_setup_teardown(test_stop_by, setup, teardown),
	cmocka_unit_test_setup_teardown(test_wait, setup, teardown),
};

UNIT_GROUP(tests);
