/* SPDX-License-Identifier: MIT */
/* The connection of two agents: a unix socket, which only the same user and root can use. */
#ifndef TAKEOVER_CHANNEL_H
#define TAKEOVER_CHANNEL_H

#include <stdbool.h>

#include "takeover/message.h"
#include "util/buf.h"
#include "util/error.h"

struct channel {
	int fd; /* -1: not connected */
	struct buf in; /* what came of messages that were not received */
};

/* The path of the socket beside a pid file: "PATH.sock". Returns 0 or -ENAMETOOLONG. */
int channel_path(const char *pid_file, struct buf *path);

/*
 * Listens at a path; a socket that is there was left behind: the caller has the lock of the pid
 * file. Returns a descriptor that does not block, or -errno with a message.
 */
int channel_listen(const char *path, struct error *err);

/*
 * Accepts a connection of the same user or of root; closes others. Returns 0; -EAGAIN: there is
 * none; or another -errno with a message.
 */
int channel_accept(int listener, struct channel *channel, struct error *err);

/* Returns 0; -ENOENT or -ECONNREFUSED: nobody listens; or another -errno; with a message. */
int channel_connect(const char *path, struct channel *channel, struct error *err);

static inline bool channel_is_open(const struct channel *channel)
{
	return channel->fd >= 0;
}

void channel_close(struct channel *channel);

/* Waits up to `timeout_ms` until all is sent. Returns 0 or -errno with a message. */
int channel_send(struct channel *channel, const struct takeover_message *message, int timeout_ms,
		 struct error *err);

/*
 * Waits up to `timeout_ms` for a message, which the caller finishes. Returns 1; 0: none came; or
 * -errno with a message: -ECONNRESET if the other side has closed, -EBADMSG.
 */
int channel_receive(struct channel *channel, int timeout_ms, struct takeover_message *message,
		    struct error *err);

#endif
