/* SPDX-License-Identifier: MIT */
/* The server: its pages, requests that it rejects, and pages that wait for the loop. */
#include "net/control.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/listen.h"
#include "unit.h"
#include "util/waker.h"

struct server {
	char path[64], address[80];
	struct control *control;
	struct waker *waker; /* of the loop */
	atomic_bool asking; /* a page waits for the loop */
	bool served; /* and what came of it */
};

static void append_served(void *data)
{
	struct buf *body = data;

	BUF_LITERAL(body, "by the loop\n");
}

static void get_plain(struct control *control, void *context, bool openmetrics,
		      struct control_answer *answer)
{
	buf_append_string(&answer->body, openmetrics ? "openmetrics\n" : "plain\n");
}

static void get_asking(struct control *control, void *context, bool openmetrics,
		       struct control_answer *answer)
{
	struct server *server = context;

	atomic_store(&server->asking, true);
	server->served = control_ask(control, append_served, &answer->body);
}

static const struct control_page pages[] = {
	{"/plain", "a page", get_plain},
	{"/asking", "a page of the loop", get_asking},
	{0},
};

static int setup(void **state)
{
	struct server *server = calloc(1, sizeof(*server));
	struct error err;

	snprintf(server->path, sizeof(server->path), "/tmp/lanner-control-%d", (int)getpid());
	snprintf(server->address, sizeof(server->address), "unix:%s", server->path);
	*state = server;
	assert_int_equal(waker_create(&server->waker), 0);
	return control_create(server->address, pages, server, server->waker, &server->control,
			      &err);
}

static int teardown(void **state)
{
	struct server *server = *state;

	control_destroy(server->control);
	waker_destroy(server->waker);
	free(server);
	return 0;
}

static int send_request(const struct server *server, const char *request)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", server->path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(write(fd, request, strlen(request)), strlen(request));
	return fd;
}

static void read_answer(int fd, char *answer, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len + 1 < size && (n = read(fd, answer + len, size - 1 - len)) > 0)
		len += (size_t)n;
	answer[len] = '\0';
	close(fd);
}

static void check(const struct server *server, const char *request, const char *status,
		  const char *part)
{
	char answer[4096];

	read_answer(send_request(server, request), answer, sizeof(answer));
	assert_memory_equal(answer, status, strlen(status));
	assert_non_null(strstr(answer, part));
}

#define REQUEST(first, more) first " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" more "\r\n"

static void test_pages(void **state)
{
	const struct server *server = *state;

	check(server, REQUEST("GET /plain", ""), "HTTP/1.1 200", "\r\n\r\nplain\n");
	check(server,
	      REQUEST("GET /plain", "Accept: application/openmetrics-text;version=1.0.0\r\n"),
	      "HTTP/1.1 200", "\r\n\r\nopenmetrics\n");
	check(server, REQUEST("HEAD /plain", ""), "HTTP/1.1 200", "Content-Length: 6");
	check(server, REQUEST("GET /", ""), "HTTP/1.1 200", "/asking  a page of the loop\n");
	check(server, REQUEST("GET /none", ""), "HTTP/1.1 404", "there is no such page");
	check(server, REQUEST("POST /plain", "Content-Length: 2\r\n") "ab", "HTTP/1.1 405",
	      "Allow: GET, HEAD");
}

static void test_page_of_the_loop(void **state)
{
	struct server *server = *state;
	int fd = send_request(server, REQUEST("GET /asking", ""));
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN},
		      woken = {.fd = waker_fd(server->waker), .events = POLLIN};
	char answer[4096];

	assert_int_equal(poll(&woken, 1, -1), 1);
	assert_true(atomic_load(&server->asking));
	assert_int_equal(poll(&poll_fd, 1, 50), 0);
	while (poll(&poll_fd, 1, 1) == 0)
		control_serve(server->control);
	read_answer(fd, answer, sizeof(answer));
	assert_non_null(strstr(answer, "\r\n\r\nby the loop\n"));
	assert_true(server->served);
}

/* The loop ended: the page does not wait for it. */
static void test_end_while_a_page_waits(void **state)
{
	struct server *server = *state;
	int fd = send_request(server, REQUEST("GET /asking", ""));

	while (!atomic_load(&server->asking))
		;
	control_destroy(server->control);
	server->control = NULL;
	assert_false(server->served);
	assert_int_equal(access(server->path, F_OK), -1);
	close(fd);
}

/* One that asks for nothing loses its place to others, and they are answered. */
static void test_crowded(void **state)
{
	const struct server *server = *state;
	int idle[CONNECTIONS_OF_ADDRESS_MAX];
	char byte;

	for (int i = 0; i < CONNECTIONS_OF_ADDRESS_MAX; i++)
		idle[i] = send_request(server, "GET /pl");
	check(server, REQUEST("GET /plain", ""), "HTTP/1.1 200", "plain");
	assert_int_equal(control_dropped(server->control, CONTROL_DROPPED_CROWDED), 1);
	assert_int_equal(control_dropped(server->control, CONTROL_DROPPED_LATE), 0);
	assert_int_equal(control_dropped(NULL, CONTROL_DROPPED_LATE), 0);
	assert_int_equal(read(idle[0], &byte, 1), 0);
	for (int i = 0; i < CONNECTIONS_OF_ADDRESS_MAX; i++)
		close(idle[i]);
}

static void test_nothing_to_serve(void **state)
{
	struct server *server = *state;

	control_serve(server->control);
	control_serve(NULL);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_pages),   TEST(test_page_of_the_loop), TEST(test_end_while_a_page_waits),
	TEST(test_crowded), TEST(test_nothing_to_serve),
};

UNIT_GROUP(tests);
