/* SPDX-License-Identifier: MIT */
/* A server of HTTP/1.1 on a port of this machine that gives the answers of a list, one by one. */
#ifndef TESTS_FAKE_SERVER_H
#define TESTS_FAKE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

struct fake_response {
	const char *bytes; /* with status line and headers */
	bool goes_on; /* the connection stays open; false: it is closed */
	size_t len; /* 0: that of the text */
};

#define FAKE_OK(headers, body) "HTTP/1.1 200 OK\r\n" headers "\r\n" body
#define FAKE_STREAM(body) FAKE_OK("Content-Type: application/json\r\n", body)

enum { FAKE_BODY_MAX = 8192 };

struct fake_server;

/* After the last answer connections are closed at once. */
struct fake_server *fake_server_start(const struct fake_response *responses, size_t count);
void fake_server_stop(struct fake_server *server);

/* "http://127.0.0.1:PORT" */
const char *fake_server_url(const struct fake_server *server);

/* The whole head of a request, "" if there was no such one. */
const char *fake_server_request(struct fake_server *server, size_t number);

/* Its body, as text, with at most FAKE_BODY_MAX bytes of it; and how long it was. */
const char *fake_server_body(struct fake_server *server, size_t number);
size_t fake_server_body_len(struct fake_server *server, size_t number);

size_t fake_server_requests(struct fake_server *server);
size_t fake_server_connections(struct fake_server *server);

#endif
