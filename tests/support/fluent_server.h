/* SPDX-License-Identifier: MIT */
/* A server of the forward protocol on the loopback, on a thread: it knows one client after the
 * other. */
#ifndef TESTS_FLUENT_SERVER_H
#define TESTS_FLUENT_SERVER_H

#include <stddef.h>
#include <stdint.h>

struct fluent_server_config {
	const char *shared_key; /* NULL: does not ask who the client is */
	const char *user, *password; /* NULL: no user */
	unsigned int unconfirmed; /* so many messages are taken, but the connection is ended then */
	const char *chunk; /* confirms this one in place of the right one; NULL: the right one */
	const char *raw; /* sent at once in place of all else; NULL: not */
};

struct fluent_server;

struct fluent_server *fluent_server_start(const struct fluent_server_config *config,
					  uint16_t *port);

/* Ends it. Returns the number of records that it got, also unconfirmed ones. */
size_t fluent_server_stop(struct fluent_server *server);

#endif
