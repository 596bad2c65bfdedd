/* SPDX-License-Identifier: MIT */
/*
 * What iterators of the kernel write: threads, open descriptors, sockets. They see what /proc hides
 * or is slow to say.
 */
#ifndef SCAP_LIVE_ITER_H
#define SCAP_LIVE_ITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "open_fd.h"
#include "scap/proc/fd.h"
#include "scap/proc/proc.h"

/* The bytes that an iterator of the kernel writes, read in large parts. */

enum { ITER_RECORDS_BYTES = 1 << 18 }; /* the kernel fills up to 8 pages at once */

struct iter_records {
	int fd; /* owned by the caller */
	size_t at, len; /* of what is read and not taken yet */
	char bytes[ITER_RECORDS_BYTES];
};

void iter_records_init(struct iter_records *records, int fd);

/*
 * Makes the next `bytes` available at `records->bytes + records->at`, at most ITER_RECORDS_BYTES,
 * until the next call. Returns 1; 0 if there is nothing more; -EBADMSG if there is less; or another
 * -errno.
 */
int iter_records_need(struct iter_records *records, size_t bytes);

/* Sockets of records of the iterator, as /proc/PID/net describes them. */

enum { ITER_NAME_BYTES = 128 };

/*
 * Fills what a socket has besides its number, flags and inode. path: of a unix socket, as many
 * bytes as `from` says; name: where a name is written. Returns 0, or -EOPNOTSUPP: only /proc knows
 * its ends.
 */
int iter_socket_fill(const struct open_fd_socket *from, const char *path, struct scap_fd *fd,
		     char name[ITER_NAME_BYTES]);

/*
 * The threads of all processes, from an iterator of the kernel: what is a thread's own, as /proc
 * shows it, with one read for hundreds of them instead of seven files for each; of the first one of
 * a process, what it executes. The state engine seeds its table from it. It is of one pass.
 */

struct scap_threads;

/*
 * Members as in scap_thread. Of the first thread of a process there are only its ids and its
 * program; of the others, whose program is the same, all but the program.
 */
struct scap_other_thread {
	int64_t tid, pid, vtid;
	uint32_t uid, gid, loginuid;
	uint64_t start_ns;
	uint64_t caps_permitted, caps_effective, caps_inheritable;
	uint64_t faults_major, faults_minor;
	char comm[16];
	bool own_cgroups; /* not those of the first thread; only /proc knows them */
	bool is_first;
	uint64_t exec_id, exe_ino, exe_ctime_ns, exe_mtime_ns;
	uint32_t exe_flags;
	const char *exepath; /* valid until the next call; "": not known */
};

/*
 * fd: of the iterator, which is the object's from then on, also on failure. proc: borrowed; for the
 * time of the boot. Returns 0 or -ENOMEM.
 */
int scap_threads_create(int fd, const struct scap_proc *proc, struct scap_threads **threads);
void scap_threads_destroy(struct scap_threads *threads); /* accepts NULL */

/*
 * The next thread, by ascending ids. Returns 1; 0 at the end; -EBADMSG if what the kernel wrote is
 * malformed; or another -errno.
 */
int scap_threads_next(struct scap_threads *threads, struct scap_other_thread *thread);

/*
 * The open descriptors of all processes, from an iterator of the kernel: as /proc shows them, with
 * one read for hundreds of them instead of several for each. The state engine seeds its tables from
 * it. It is of one pass.
 *
 * Of a socket that is of another network namespace than its process, /proc does not show the ends;
 * the iterator does. The address of a unix socket is the true one, as in events.
 */

struct scap_open_fds;

/*
 * Whether an iterator that this process creates comes to all processes, as the capture does: only
 * from the initial pid namespace.
 */
bool scap_open_fds_sees_all(void);

/*
 * fd: of the iterator, which is the object's from then on, also on failure. proc: borrowed; for
 * what the kernel's memory does not say, such as numbers that a file system makes up. Returns 0 or
 * -ENOMEM.
 */
int scap_open_fds_create(int fd, struct scap_proc *proc, struct scap_open_fds **fds);
void scap_open_fds_destroy(struct scap_open_fds *fds); /* accepts NULL */

/*
 * The next descriptor and its process, by ascending ids and numbers; what `fd` points to is valid
 * until the next call. Returns 1; 0 at the end; -EBADMSG if what the kernel wrote is malformed; or
 * another -errno.
 */
int scap_open_fds_next(struct scap_open_fds *fds, int64_t *pid, struct scap_fd *fd);

#endif
