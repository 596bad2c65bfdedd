/* SPDX-License-Identifier: MIT */
/*
 * Posts bodies to a server: URL, headers, credentials, TLS and compression as the keys of an output
 * say; keeps the beginning of the answer.
 */
#ifndef OUTPUT_TARGETS_HTTP_CLIENT_H
#define OUTPUT_TARGETS_HTTP_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "output/targets/http_keys.h"
#include "output/stop.h"
#include "util/buf.h"
#include "util/error.h"

enum { HTTP_ANSWER_MAX = 16 * 1024 * 1024 }; /* bytes that are kept; the rest is read over */

struct http_client;

struct http_client_config {
	const struct http_keys *keys; /* borrowed for the life of the client */
	const char *scheme; /* of the header Authorization with a token: "Bearer" */
	/* "Name: value", NULL at the end; headers of the keys replace them. Copied. */
	const char *const *headers;
};

/* Zeroed before the first use; may be used again. */
struct http_answer {
	long status; /* 0: there was none */
	bool sent; /* the server may have done what it was asked for */
	bool cut; /* the body is longer than what is kept */
	uint64_t retry_after_ns; /* 0: the server did not say */
	struct buf body; /* owned */
};

/* Returns 0, or -errno with a message. */
int http_client_create(const struct http_client_config *config, const struct output_stop *stop,
		       struct http_client **client, struct error *err);

/* Accepts NULL. */
void http_client_destroy(struct http_client *client);

/*
 * Posts the parts and waits for the answer, of whatever status. Returns 0, or -errno of fetch_get()
 * or of reading a token, with a message; the answer is valid then, too.
 */
int http_client_post(struct http_client *client, const char *url, const struct iovec *parts,
		     size_t count, struct http_answer *answer, struct error *err);

/* The beginning of the answer as a line of a message. */
enum { HTTP_EXCERPT_BYTES = 256 };
void http_answer_excerpt(const struct http_answer *answer, char text[HTTP_EXCERPT_BYTES]);

void http_answer_finish(struct http_answer *answer);

#endif
