/* SPDX-License-Identifier: MIT */
/*
 * A process whose threads read for this one what other processes may let wait forever: arguments
 * and environments, which are pages of their memory, and files below their roots; or what they make
 * as long as they want: the sockets of a network namespace. Such a wait cannot be ended, sometimes
 * not even by a signal. So each read has a limit of time; a reader beyond it is given up until it
 * comes back, and the agent goes on, and ends, without it. The time that it takes is charged to the
 * share of the user, also where it ends just in time; what turns out to have been a wait for a CPU
 * is not.
 */
#ifndef SCAP_PROC_READERS_H
#define SCAP_PROC_READERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "scap/proc/fd.h"
#include "util/buf.h"
#include "util/error.h"

/*
 * How long is waited for reads of what users can make slow: events, or the containers of others,
 * wait meanwhile. Each user has a share of the time, whether his reads end or not, and all together
 * have one for what events wait for.
 */

enum {
	PROC_SHARES_OWNERS = 16, /* that are told apart at a time */
	PROC_SHARES_SPAN_MS = 10000, /* after that all shares are whole again */
};

/* What is waited for. */
enum proc_share {
	PROC_SHARE_STRINGS, /* arguments and environments: events wait */
	PROC_SHARE_SOCKET, /* the same */
	PROC_SHARE_FILE, /* no event waits */
	PROC_SHARE_KINDS
};

/* Zeroed before the first use. */
struct proc_shares {
	uint64_t span_ms; /* when it began */
	uint64_t spent_ms; /* in it, while events waited */
	struct {
		uint32_t owner;
		uint64_t events_ms, files_ms; /* what he spent while these waited */
	} owners[PROC_SHARES_OWNERS];
	unsigned int count;
};

/* For how many ms a read of what is `owner`'s is waited for now. */
int proc_shares_patience(struct proc_shares *shares, uint32_t owner, enum proc_share share,
			 uint64_t now_ms);

/* That long it was waited for. */
void proc_shares_charge(struct proc_shares *shares, uint32_t owner, enum proc_share share,
			unsigned int spent_ms);

/* Takes back what was charged in the time that began at `span_ms`, if that goes on. */
void proc_shares_discharge(struct proc_shares *shares, uint32_t owner, enum proc_share share,
			   unsigned int spent_ms, uint64_t span_ms);

enum {
	PROC_READERS = 32,
	PROC_STRINGS_BYTES_MAX = 4096, /* of arguments and environment, as in events */
};

enum proc_read_what {
	PROC_READ_ARGUMENTS,
	PROC_READ_ENVIRONMENT,
	PROC_READ_SOCKET, /* by proc_readers_socket() alone */
	PROC_READ_PASSWD, /* files of its root: as proc_root_read() */
	PROC_READ_GROUP,
	PROC_READ_KINDS
};

struct proc_target {
	int64_t pid, tid;
	uint32_t owner; /* its user, by proc_owner(), who never has more than half of the readers
			   wait */
	uint64_t network, ino; /* of a socket: the namespace that it is searched for in */
};

struct proc_readers;

/* What a reader does, done here. proc, task: open directories. Returns 0 or -errno. */
int proc_read_here(int proc, int task, enum proc_read_what what, struct buf *text);

/*
 * Starts the process, for the proc file system at `path`; before there are threads. Returns 0 or
 * -errno with a message.
 */
int proc_readers_start(const char *path, struct proc_readers **readers, struct error *err);

struct proc_readers *proc_readers_ref(struct proc_readers *readers); /* accepts NULL */

/* The last reference ends the process; without a wait if a reader was given up. Accepts NULL. */
void proc_readers_unref(struct proc_readers *readers);

pid_t proc_readers_pid(const struct proc_readers *readers);

/*
 * Reads up to the limit of what is read; a NUL follows that `text->len` does not count. Returns 0;
 * -ETIMEDOUT if it was given up, or no reader is left to wait for it; or another -errno. From any
 * thread.
 */
int proc_readers_read(struct proc_readers *readers, const struct proc_target *target,
		      enum proc_read_what what, struct buf *text);

/*
 * Finds a socket, as proc_net_find() does, and returns as proc_readers_read(): the files of a
 * namespace have as many lines as there are sockets. `fd->name` leads to `text`.
 */
int proc_readers_socket(struct proc_readers *readers, const struct proc_target *target,
			struct buf *text, struct scap_fd *fd);

/*
 * Has the readers read it, or reads it here if there are none (NULL). proc, task: as
 * proc_read_here().
 */
int proc_readers_read_or_here(struct proc_readers *readers, int proc, int task,
			      const struct proc_target *target, enum proc_read_what what,
			      struct buf *text);

/* How many reads were given up. */
uint64_t proc_readers_given_up(const struct proc_readers *readers);

#endif
