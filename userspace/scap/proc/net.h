/* SPDX-License-Identifier: MIT */
/*
 * The sockets of network namespaces, by inode number, as /proc/PID/net lists them. One table for
 * each namespace, kept for about a second.
 */
#ifndef SCAP_PROC_NET_H
#define SCAP_PROC_NET_H

#include <stddef.h>
#include <stdint.h>

#include "scap/proc/fd.h"
#include "util/buf.h"

/* Tables of several namespaces. A zeroed struct is empty. */
struct proc_net {
	struct net_table *tables; /* owned */
	size_t count;
	struct buf text; /* for reading */
};

void proc_net_finish(struct proc_net *net);

/* The inode number of a task's network namespace, or 0. `task_dir` is its directory in /proc. */
uint64_t proc_net_namespace(int task_dir);

/*
 * Fills type, l4, ends, name and unix_socket of a socket of the task's namespace. The name is
 * valid until the next call. Returns 0, -ENOENT when no table lists the socket, or -ENOMEM.
 */
int proc_net_find(struct proc_net *net, int task_dir, uint64_t namespace, uint64_t ino,
		  struct scap_fd *fd);

#endif
