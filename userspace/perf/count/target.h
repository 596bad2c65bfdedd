/* SPDX-License-Identifier: MIT */
/* What is counted: tasks, CPUs, or a control group on CPUs. */
#ifndef PERF_COUNT_TARGET_H
#define PERF_COUNT_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "perf/cpus.h"
#include "util/arena.h"
#include "util/error.h"

struct perf_target {
	pid_t *tids; /* owned: threads, wherever they run; NULL: all tasks, on `cpus` */
	size_t tids_count;
	struct perf_cpus cpus; /* of the arena, as is */
	size_t *packages; /* of each of them: see perf_cpus_packages() */
	int cgroup; /* a descriptor: only its tasks; -1: none */
	bool on_exec; /* begins when the task executes a program */
	bool no_inherit; /* without what the tasks create */
	struct arena arena;
};

/* No target yet. */
void perf_target_init(struct perf_target *target);
void perf_target_finish(struct perf_target *target);

/* Adds a thread. Returns 0 or -ENOMEM. */
int perf_target_add_thread(struct perf_target *target, pid_t tid);

/* Adds all threads of a process. Returns 0, or -errno with a message. */
int perf_target_add_process(struct perf_target *target, pid_t pid, struct error *err);

/* All tasks on the CPUs of a list; NULL: on all that are online. Returns 0, or -errno with a
 * message. */
int perf_target_set_cpus(struct perf_target *target, const char *list, struct error *err);

/*
 * Where hierarchies of control groups are mounted: events can follow those of the first one that
 * has groups. The last one is NULL.
 */
extern const char *const perf_target_hierarchies[];

/*
 * Only tasks of a control group: a path, or a name below a hierarchy that events can follow.
 * Returns 0, or -errno with a message.
 */
int perf_target_set_cgroup(struct perf_target *target, const char *name, struct error *err);

#endif
