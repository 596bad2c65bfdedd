/* SPDX-License-Identifier: MIT */
/*
 * What /proc says of a process, and the comparison of what clone and exec events say of it: the
 * parameters that these have in common, whatever they are called.
 */
#ifndef TESTS_PROCESS_H
#define TESTS_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "event/event.h"

enum {
	PROCESS_STRINGS_BYTES = 16384,
	CGROUP_COMPONENTS_MAX = 16,
	RSS_TOLERANCE_KIB = 4096, /* it counts pages per CPU and adds them up now and then */
};

struct process {
	int64_t tid, pid, ptid, vtid, vpid, pgid, vpgid;
	uint64_t faults_minor, faults_major;
	uint64_t vm_size_kib, vm_rss_kib, vm_swap_kib;
	uint64_t fd_limit;
	uint64_t start_ticks; /* since boot */
	uint64_t exec_id; /* of its process */
	uint64_t cap_inheritable, cap_permitted, cap_effective;
	uint32_t euid, egid, loginuid, tty;
	char state; /* as ps shows it */
	char comm[32];
	char cmdline[PROCESS_STRINGS_BYTES], environment[PROCESS_STRINGS_BYTES];
	char cgroups[PROCESS_STRINGS_BYTES]; /* in the form of events */
	size_t cmdline_len, environment_len, cgroups_len;
};

/* Reads it for a thread; of the main one when tid is pid. */
void process_read(pid_t pid, pid_t tid, struct process *process);

/* The first child of a process, as the initial pid namespace numbers it. */
pid_t process_child(pid_t pid);

/* Compares exe and args with the command line. */
void process_expect_args(const struct event *ev, const struct process *process);

/*
 * Compares the parameters from tid to cgroups of a clone or exec event. What changes all the time
 * has to lie between `before` (NULL: any less) and `now`, which gives all the rest.
 */
void process_expect(const struct event *ev, const struct process *before,
		    const struct process *now);

/* Compares what only clone events have, but for pidns_init_start_ts. */
void process_expect_clone(const struct event *ev, int64_t res, uint32_t flags,
			  const struct process *process);

/* Compares pidns_init_start_ts with the start of the first process of the namespace. */
void process_expect_pidns_start(const struct event *ev, const struct process *first);

#endif
