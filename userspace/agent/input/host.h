/* SPDX-License-Identifier: MIT */
/*
 * The machine that is captured, as the agent sees it. In a container its root is mounted somewhere
 * (--host-root), and the agent may be in namespaces of its own.
 */
#ifndef AGENT_INPUT_HOST_H
#define AGENT_INPUT_HOST_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "scap/proc/proc.h"
#include "sinsp/sinsp.h"
#include "util/buf.h"
#include "util/error.h"

enum { HOST_NAME_BYTES = 256, HOST_CONTAINER_BYTES = STATE_CONTAINER_ID_BYTES + 16 };

struct host {
	struct scap_proc *proc; /* owned; NULL: not open */
	pid_t self; /* the agent's id, as in events */
	bool has_root; /* mounted below a prefix */
	bool other_network; /* than the agent */
	char etc[PATH_MAX]; /* the folder of its users and hosts */
	char hostname[HOST_NAME_BYTES];
};

/*
 * Opens the machine whose root is mounted at `root`; NULL: at "/". /proc is the one below it, or
 * the agent's own if there is none. Returns 0, or -errno with a message if its processes cannot be
 * seen; close it in every case.
 */
int host_open(struct host *host, const char *root, struct error *err);
void host_close(struct host *host);

/*
 * Starts the process that reads what others may let wait forever; before there are threads.
 * Returns 0, or -errno with a message.
 */
int host_start_readers(const char *root, struct proc_readers **readers, struct error *err);

/* The node of Kubernetes that this is, as the environment says; NULL: it does not. */
const char *host_node_name(void);

/* Whether a process of the machine that host_open() opens of `root` exists. */
bool host_has_process(const char *root, pid_t pid);

/*
 * The container of a process, by its control groups: sets `text`. Of a group that a user could
 * make, with any name, the user is behind the id: "ID@1000". Returns whether it is in one.
 */
bool host_container_of(const struct host *host, pid_t pid, char text[HOST_CONTAINER_BYTES]);

/* Appends what cannot be known of that machine, as whole lines. records: a file is written. */
void host_append_warnings(const struct host *host, bool records, struct buf *text);

#endif
