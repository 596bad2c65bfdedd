/* SPDX-License-Identifier: MIT */
/*
 * A loader that asks another process. Several threads may use it. If the other process ends, or
 * does not answer in time, it is lost for good: every call fails then, and what is open goes on.
 */
#ifndef SCAP_LIVE_LOADER_CLIENT_H
#define SCAP_LIVE_LOADER_CLIENT_H

#include <pthread.h>
#include <stdatomic.h>

#include "scap/live/loaded.h"

struct loader_client {
	struct live_loader loader; /* use this */
	int socket; /* owned */
	pthread_mutex_t mutex; /* of one request and its answers */
	atomic_bool lost;
};

/* Takes the socket, whose other side loader_serve() has. */
void loader_client_init(struct loader_client *client, int socket);
void loader_client_finish(struct loader_client *client);

#endif
