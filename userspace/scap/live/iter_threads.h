/* SPDX-License-Identifier: MIT */
/*
 * The threads of all processes but the first of each, from an iterator of the kernel: what is a
 * thread's own, as /proc shows it, with one read for hundreds of them instead of seven files for
 * each. The state engine seeds its table from it. It is of one pass.
 */
#ifndef SCAP_LIVE_ITER_THREADS_H
#define SCAP_LIVE_ITER_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/proc/proc.h"

struct scap_threads;

/* Members as in scap_thread. All others are those of the first thread of its process. */
struct scap_other_thread {
	int64_t tid, pid, vtid;
	uint32_t uid, gid, loginuid;
	uint64_t start_ns;
	uint64_t caps_permitted, caps_effective, caps_inheritable;
	uint64_t faults_major, faults_minor;
	char comm[16];
	bool own_cgroups; /* not those of the first thread; only /proc knows them */
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

#endif
