/* SPDX-License-Identifier: MIT */
/*
 * What was there before a recording began, as records of the kernel: its own code, its modules and
 * BPF programs, processes with their names and mappings, control groups.
 */
#ifndef PERF_DATA_TASKS_H
#define PERF_DATA_TASKS_H

#include <sys/types.h>

#include "perf/data/build_ids.h"
#include "perf/data/writer.h"

/* Where records go, and what else is learnt of them. */
struct perf_tasks {
	struct perf_data_writer *writer; /* borrowed */
	struct perf_build_ids *build_ids; /* borrowed: those of files by their paths are added */
	const char *kallsyms; /* borrowed: the path of the list of the kernel's symbols */
	size_t trailer_bytes; /* of what other records than samples end with */
	bool has_namespaces; /* records of these, too */
	bool has_data; /* and of mappings of files that are not executable */
	struct perf_build_ids files; /* owned: by their numbers, those that were read */
	struct buf record;
};

void perf_tasks_init(struct perf_tasks *tasks, struct perf_data_writer *writer,
		     struct perf_build_ids *build_ids, size_t trailer_bytes);
void perf_tasks_finish(struct perf_tasks *tasks);

/* Appends the kernel and its modules, and with `bpf` its BPF programs. */
void perf_tasks_append_kernel(struct perf_tasks *tasks, bool bpf);

/* Appends a process with its threads, and with `maps` its mappings; nothing if it has ended. */
void perf_tasks_append_process(struct perf_tasks *tasks, pid_t pid, bool maps);

/*
 * Appends the processes of threads as perf_tasks_append_process(), each of them once; with
 * `descendants` also their children, and those of these, as far as their parents are there.
 * Returns 0 or -ENOMEM.
 */
int perf_tasks_append_processes(struct perf_tasks *tasks, const pid_t *tids, size_t count,
				bool maps, bool descendants);

/* Appends all processes. */
void perf_tasks_append_all(struct perf_tasks *tasks);

/* Appends the control groups (version 2), by the numbers that samples have for them. */
void perf_tasks_append_cgroups(struct perf_tasks *tasks);

#endif
