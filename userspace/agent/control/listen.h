/* SPDX-License-Identifier: MIT */
/* The address of --http, and the socket that listens there. */
#ifndef AGENT_CONTROL_LISTEN_H
#define AGENT_CONTROL_LISTEN_H

#include "util/error.h"

/* Whether `address` is "HOST:PORT", "[IPV6]:PORT", ":PORT" or "unix:PATH". */
int listen_check(const char *address, struct error *err);

/*
 * Opens the socket; a unix socket has mode 600, and takes the place of one that nobody listens on.
 * Names of hosts are not looked up. Returns a descriptor, or -errno with a message.
 */
int listen_open(const char *address, struct error *err);

/* Removes the file of a unix socket; nothing to do for others. */
void listen_remove(const char *address);

#endif
