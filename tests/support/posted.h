/* SPDX-License-Identifier: MIT */
/* An output over HTTP and the server that it sends to, which gives the answers of a test. */
#ifndef TESTS_POSTED_H
#define TESTS_POSTED_H

#include "fake_server.h"
#include "output/target.h"
#include "sent.h"

struct posted {
	struct fake_server *server;
	struct sent_target target;
	struct sent sent; /* the last batch */
	struct error err; /* of the last send() */
};

/* An answer that keeps the connection: "200 OK" or so, and its body. */
struct posted_answer {
	const char *status, *headers, *body; /* headers: each with its end; NULL: none */
};

enum { POSTED_ANSWERS_MAX = 8 };

/* Opens the output "http://127.0.0.1:PORT" with `rest` behind it, a path and keys. */
void posted_open(struct posted *posted, const struct output_kind *kind,
		 const struct posted_answer *answers, size_t count, const char *rest);
void posted_close(struct posted *posted);

/* Sends records with these texts, from number 7 on. Returns what send() did. */
int posted_send(struct posted *posted, const char *const *texts, size_t count);

/* The same for one record. */
int posted_send_one(struct posted *posted, const char *text);

/* The body of a request. */
const char *posted_body(struct posted *posted, size_t number);

/* The results of the last batch as letters: r for OUTPUT_RETRY, d for delivered, x for rejected. */
void posted_expect(const struct posted *posted, const char *results);

/* Whether the message of the last send() has a text. */
void posted_expect_error(const struct posted *posted, const char *text);

#endif
