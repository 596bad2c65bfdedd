/* SPDX-License-Identifier: MIT */
/*
 * What a machine can count, as sysfs and tracefs say: its PMUs with their formats and named events,
 * and its tracepoints.
 */
#ifndef PERF_MACHINE_H
#define PERF_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/cpus.h"
#include "util/arena.h"
#include "util/error.h"

/* The words of an attr that formats name: config, config1, config2, config3. */
enum { PERF_WORDS = 4 };

/* Where the value of a term goes: its bits, from the lowest one, into those of the mask. */
struct perf_format {
	const char *name;
	unsigned int word;
	uint64_t mask;
	const struct perf_format *next;
};

/* An event that the kernel names. */
struct perf_alias {
	const char *name;
	const char *terms; /* "event=0x3c,umask=?": of '?' the user says the value */
	const char *unit; /* NULL: none */
	double scale;
	bool per_package, is_gauge;
	const struct perf_alias *next;
};

struct perf_pmu {
	const char *name;
	uint32_t type;
	bool is_core; /* counts what a CPU executes, also generic events */
	bool is_uncore;
	const struct perf_cpus *cpus; /* NULL: all */
	const struct perf_format *formats; /* sorted by name, as are */
	const struct perf_alias *aliases;
	const struct perf_pmu *next; /* as are PMUs */
};

struct perf_machine {
	const struct perf_pmu *pmus;
	size_t cores; /* the number of PMUs that are of a core: several kinds of cores */
	int tracefs; /* its root; or -errno */
	struct arena arena;
};

/*
 * Reads the PMUs below a sysfs, and opens a tracefs. NULL: those of this machine; tracefs is
 * mounted for this process alone if it is mounted nowhere. A machine without PMUs or tracefs is no
 * error, and a PMU with files that cannot be understood lacks what they describe. Returns 0 or
 * -ENOMEM.
 */
int perf_machine_open(struct perf_machine *machine, const char *sysfs, const char *tracefs,
		      struct error *err);
void perf_machine_close(struct perf_machine *machine);

/* Names of any length, not terminated; NULL: there is none. */
const struct perf_pmu *perf_machine_pmu(const struct perf_machine *machine, const char *name,
					size_t len);
const struct perf_format *perf_machine_format(const struct perf_pmu *pmu, const char *name,
					      size_t len);
const struct perf_alias *perf_machine_alias(const struct perf_pmu *pmu, const char *name,
					    size_t len);

/*
 * Whether a name means this PMU: its name; that name without a number at its end, or without
 * "uncore_"; or a pattern with '*', '?' or '[' that matches it.
 */
bool perf_machine_pmu_is_meant(const struct perf_pmu *pmu, const char *name, size_t len);

/*
 * Calls a function for each tracepoint that two patterns select, in order of names, until it
 * returns something else than 0, which is returned. Returns -errno if tracefs cannot be read.
 */
typedef int perf_tracepoint_visit(void *context, const char *group, const char *name,
				  uint64_t number);
int perf_machine_tracepoints(const struct perf_machine *machine, const char *group,
			     const char *name, perf_tracepoint_visit *visit, void *context);

/*
 * Offers the names of groups, or of the tracepoints of a group, to a function, sorted; they are
 * gone when it returns. A folder that cannot be read has none.
 */
typedef void perf_name_visit(void *context, const char *name);
void perf_machine_tracepoint_names(const struct perf_machine *machine, const char *group,
				   perf_name_visit *visit, void *context);

#endif
