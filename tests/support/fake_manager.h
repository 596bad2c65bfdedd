/* SPDX-License-Identifier: MIT */
/* A service manager: the socket that $NOTIFY_SOCKET names, and the datagrams that arrive there. */
#ifndef TESTS_FAKE_MANAGER_H
#define TESTS_FAKE_MANAGER_H

#include <stdbool.h>
#include <stddef.h>

struct fake_manager {
	int fd;
	bool abstract;
	char name[64]; /* as in $NOTIFY_SOCKET */
};

/* Sets the environment, with no watchdog. abstract: a name that is no file. */
void fake_manager_open(struct fake_manager *manager, bool abstract);

/* Clears the environment. */
void fake_manager_close(struct fake_manager *manager);

/* The socket ends and begins; the name stays. */
void fake_manager_leave(struct fake_manager *manager);
void fake_manager_return(struct fake_manager *manager);

/* Takes the next datagram, as a string. Returns whether there is one. */
bool fake_manager_take(struct fake_manager *manager, char *text, size_t size);

/* The next datagram is `text`; NULL: there is none. */
void fake_manager_expect(struct fake_manager *manager, const char *text);

#endif
