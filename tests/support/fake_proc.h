/* SPDX-License-Identifier: MIT */
/*
 * A /proc that exists in the test only: it stands in for scap/proc.c with the threads and
 * descriptors that the test lists, and counts what it is asked for.
 */
#ifndef TESTS_FAKE_PROC_H
#define TESTS_FAKE_PROC_H

#include "scap/proc/proc.h"

struct fake_thread {
	int64_t tid, pid, ptid;
	const char *comm, *cwd;
	const struct scap_fd *fds;
	size_t nfds;
	uint64_t start_ns; /* 5 when 0 */
	uint32_t vm_size_kib;
};

struct scap_proc {
	const struct fake_thread *threads;
	size_t count;
	size_t at, fd_at; /* the walks */
	const struct fake_thread *fds_of;
	unsigned int asked_threads, asked_fds, asked_directories;
	char directory[64]; /* what every path is in truth; "" for nothing */
};

/*
 * A machine for tests: init; 50, a client with files and sockets, and its thread 51; 60, a server
 * that listens.
 */
enum { FAKE_MACHINE_THREADS = 4 };
extern const struct fake_thread fake_machine[FAKE_MACHINE_THREADS];

#endif
