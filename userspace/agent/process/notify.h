/* SPDX-License-Identifier: MIT */
/*
 * What the agent reports to the service manager that started it, as sd_notify(3) describes it:
 * datagrams to the socket that $NOTIFY_SOCKET names, and a watchdog if $WATCHDOG_USEC asks for one.
 * Without these variables, and with a zeroed `struct notify`, every function succeeds and sends
 * nothing.
 */
#ifndef AGENT_PROCESS_NOTIFY_H
#define AGENT_PROCESS_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/error.h"

/* How long a change of the state waits for a manager that does not read. */
enum { NOTIFY_PATIENCE_MS = 1000 };

enum notify_state {
	NOTIFY_READY, /* the start, or a reload, is complete */
	NOTIFY_RELOADING,
	NOTIFY_STOPPING,
	NOTIFY_STATES_COUNT,
};

struct notify {
	int fd;
	struct sockaddr_un address;
	socklen_t address_size; /* 0: there is no service manager */
	uint64_t watchdog_ns; /* time between two messages, half of what is allowed; 0: none */
	uint64_t watchdog_due_ns; /* monotonic clock */
};

/*
 * Reads the environment. Returns 0, or -errno with a message, and then sends nothing. In every case
 * call notify_close().
 */
int notify_open(struct notify *notify, struct error *err);

void notify_close(struct notify *notify);

static inline bool notify_is_on(const struct notify *notify)
{
	return notify->address_size > 0;
}

/*
 * Reports a change of the state; waits for NOTIFY_PATIENCE_MS at most. Returns 0, or -errno with a
 * message.
 */
int notify_state(struct notify *notify, enum notify_state state, struct error *err);

/* Sets the line that `systemctl status` shows; never waits. Returns 0 or -errno. */
int notify_status(struct notify *notify, const char *line);

/*
 * Feeds the watchdog if it is time; never waits. Call it often, and only while everything that
 * should make progress does: the manager ends an agent that it no longer hears of. now_ns:
 * monotonic clock.
 */
void notify_alive(struct notify *notify, uint64_t now_ns);

#endif
