/* SPDX-License-Identifier: MIT */
/* The roles of threads, and the capabilities that each keeps: as few as the run and the kernel
 * allow. */
#ifndef PRIVILEGES_KEEP_H
#define PRIVILEGES_KEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"

enum privileges_role {
	ROLE_EVENTS, /* the event thread and what it creates; all that other threads may, it may,
			too */
	ROLE_PROCESSES, /* reads /proc, also the roots of processes */
	ROLE_METADATA, /* asks runtimes and Kubernetes, reads their files */
	ROLE_NAMESPACES, /* asks the kernel in the network namespaces of processes */
	ROLE_OUTPUT, /* sends records, writes spools */
	ROLE_HEARTBEAT, /* makes a call on each CPU */
	ROLE_SAMPLER, /* has an iterator of the kernel run */
	ROLE_CONTROL, /* serves metrics and commands */
	/* Opens perf events for control groups, or CPUs that come; not created by the event thread.
	 */
	ROLE_COUNTERS,
	/* Reads programs and libraries of processes, and sets probes in them; likewise. */
	ROLE_PROBES,
	/* A process of its own: takes profiles of programs that run, reads files of theirs; writes
	   files. */
	ROLE_PROFILES,
	ROLE_PROFILES_SENT, /* the same, and sends them */
	ROLE_LOADER, /* a process of its own: loads programs for the event thread */
	PRIVILEGES_ROLES,
};

/* What a run will do later. */
struct privileges_needs {
	bool reloads; /* has programs loaded again, and rings opened, by a process with ROLE_LOADER
		       */
	bool has_command; /* signals a command, which may have changed its user */
	const char *const
		*writes; /* files, folders and sockets that it writes to; ends with NULL */
};

/* What the kernel and the machine ask for. */
struct privileges_kernel {
	bool guards_maps; /* bpf() with held maps takes CAP_BPF: before 5.19, unless everyone may
			     bpf() */
	bool is_paranoid; /* perf_event_open() takes CAP_SYS_ADMIN */
	bool lacks_tracefs; /* not mounted: to reach it takes CAP_SYS_ADMIN */
	bool needs_override; /* some of `writes` cannot be written by this user without it */
};

/* Reads that; `root` is before /proc and /sys: "" unless for tests. */
void privileges_kernel_read(const struct privileges_needs *needs, const char *root,
			    struct privileges_kernel *kernel);

/* The capabilities that a role keeps if the thread has them; `permitted`: those that it has. */
uint64_t privileges_kept(enum privileges_role role, const struct privileges_needs *needs,
			 const struct privileges_kernel *kernel, uint64_t permitted);

/* Appends why those of `kept` are kept that a simple run does not keep: "; BPF: a reload ...". */
void privileges_append_reasons(const struct privileges_needs *needs,
			       const struct privileges_kernel *kernel, uint64_t kept,
			       struct buf *out);

#endif
