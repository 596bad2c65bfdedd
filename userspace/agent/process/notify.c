/* SPDX-License-Identifier: MIT */
/* Datagrams to the service manager; each has its address, since a manager may make its socket anew.
 */
#include "agent/process/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/clock.h"

enum {
	STATUS_MAX_BYTES = 512,
	WATCHDOG_RETRY_NS = 100000000, /* after a message that was not taken */
};

static const char *const state_texts[NOTIFY_STATES_COUNT] = {
	[NOTIFY_READY] = "READY=1",
	[NOTIFY_RELOADING] = "RELOADING=1",
	[NOTIFY_STOPPING] = "STOPPING=1",
};

/* flags: MSG_DONTWAIT, or 0 to wait. Returns 0 or -errno. */
static int send_text(const struct notify *notify, const char *text, int flags)
{
	ssize_t sent;

	if (!notify_is_on(notify))
		return 0;
	do
		sent = sendto(notify->fd, text, strlen(text), flags | MSG_NOSIGNAL,
			      (const struct sockaddr *)&notify->address, notify->address_size);
	while (sent < 0 && errno == EINTR && !(flags & MSG_DONTWAIT));
	return sent < 0 ? -errno : 0;
}

static int check_name(const char *name, struct error *err)
{
	const size_t limit = sizeof(((struct sockaddr_un *)NULL)->sun_path);
	size_t length = strlen(name);

	if ((name[0] == '/' || name[0] == '@') && length > 1 && length < limit)
		return 0;
	return error_set(
		err, -EINVAL,
		"NOTIFY_SOCKET=%.200s: expected the path of a socket, or @NAME, of less than "
		"%zu bytes; the service manager is not notified",
		name, limit);
}

/* A path, or with '@' in front a name of the abstract name space, which is not terminated. */
static void notify_set_address(struct notify *notify, const char *name)
{
	size_t length = strlen(name);

	notify->address.sun_family = AF_UNIX;
	memcpy(notify->address.sun_path, name, length);
	if (name[0] == '@')
		notify->address.sun_path[0] = '\0';
	notify->address_size =
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (name[0] == '/'));
}

/* A decimal number of the environment, or 0 if it is missing or is none. */
static uint64_t number_of(const char *name)
{
	const char *text = getenv(name);
	uint64_t number;
	char *end;

	if (!text || text[0] < '0' || text[0] > '9')
		return 0;
	errno = 0;
	number = strtoull(text, &end, 10);
	return errno || *end ? 0 : number;
}

/* The variables may be those of another process, which started the agent without clearing them. */
static bool is_watched(void)
{
	return !getenv("WATCHDOG_PID") || number_of("WATCHDOG_PID") == (uint64_t)getpid();
}

static void set_watchdog(struct notify *notify)
{
	uint64_t allowed_us = is_watched() ? number_of("WATCHDOG_USEC") : 0;

	notify->watchdog_ns = allowed_us > UINT64_MAX / 1000 ? 0 : allowed_us * 1000 / 2;
	notify->watchdog_due_ns = 0;
}

static int notify_open_socket(struct notify *notify)
{
	struct timeval patience = {.tv_sec = NOTIFY_PATIENCE_MS / 1000,
				   .tv_usec = NOTIFY_PATIENCE_MS % 1000 * 1000};

	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), r;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience))) {
		r = -errno;
		if (fd >= 0)
			close(fd);
		return r;
	}
	notify->fd = fd;
	return 0;
}

int notify_open(struct notify *notify, struct error *err)
{
	const char *name = getenv("NOTIFY_SOCKET");
	int r;

	*notify = (struct notify){0};
	if (!name || !name[0])
		return 0;
	r = check_name(name, err);
	if (r)
		return r;
	r = notify_open_socket(notify);
	if (r)
		return error_set(err, r, "cannot make a socket to notify the service manager: %s",
				 strerror(-r));
	notify_set_address(notify, name);
	set_watchdog(notify);
	return 0;
}

void notify_close(struct notify *notify)
{
	if (notify_is_on(notify))
		close(notify->fd);
	*notify = (struct notify){0};
}

int notify_state(struct notify *notify, enum notify_state state, struct error *err)
{
	char text[64];
	int r;

	/* The time tells the manager which of its requests the reload answers. */
	if (state == NOTIFY_RELOADING)
		snprintf(text, sizeof(text), "%s\nMONOTONIC_USEC=%" PRIu64, state_texts[state],
			 clock_ns(CLOCK_MONOTONIC) / 1000);
	else
		snprintf(text, sizeof(text), "%s", state_texts[state]);
	r = send_text(notify, text, 0);
	if (r)
		return error_set(err, r, "cannot notify the service manager of %s: %s",
				 state_texts[state], strerror(-r));
	return 0;
}

int notify_status(struct notify *notify, const char *line)
{
	char text[STATUS_MAX_BYTES];

	/* What follows a newline would be another variable. */
	snprintf(text, sizeof(text), "STATUS=%.*s", (int)strcspn(line, "\n"), line);
	return send_text(notify, text, MSG_DONTWAIT);
}

void notify_alive(struct notify *notify, uint64_t now_ns)
{
	if (!notify->watchdog_ns || now_ns < notify->watchdog_due_ns)
		return;
	notify->watchdog_due_ns =
		now_ns + (send_text(notify, "WATCHDOG=1", MSG_DONTWAIT) ? WATCHDOG_RETRY_NS
									: notify->watchdog_ns);
}
