/* SPDX-License-Identifier: MIT */
/*
 * Network namespaces of tests' own, in processes that hold them, with entries in their tables of
 * connections; and messages of netlink that are written for them.
 */
#ifndef TESTS_NETNS_H
#define TESTS_NETNS_H

#include <stdbool.h>
#include <sys/types.h>

#include "net/conntrack.h"

/* Whether this test may make namespaces, and the kernel has tables of connections. */
bool netns_can_be_made(void);

/*
 * Forks a process into a namespace of its own, in which the table has a connection with these two
 * directions for each pair; it lives until netns_end().
 */
struct netns_entry {
	struct conntrack_tuple original, reply;
};
pid_t netns_begin(const struct netns_entry *entries, size_t count);

/* A pair of devices joins it to the namespace that the caller is in. */
void netns_join(pid_t pid);

/* The caller's process is in a namespace of its own from now on; for netns_leave(): where it was.
 */
int netns_enter_new(void);
void netns_leave(int before);
void netns_end(pid_t pid);

/* "10.0.0.1", 80 and so on. */
struct conntrack_tuple netns_tuple(const char *from, uint16_t from_port, const char *to,
				   uint16_t to_port);

#endif
