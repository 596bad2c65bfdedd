/* SPDX-License-Identifier: MIT */
/*
 * Perf events by their names: what the kernel is to be asked for. Nothing here says whether they
 * are counted or sampled; who does that adds what it needs to a copy of `attr`.
 */
#ifndef PERF_EVENT_H
#define PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/cpus.h"
#include "perf/machine.h"
#include "util/arena.h"
#include "util/buf.h"
#include "util/error.h"

enum perf_call_graph {
	PERF_CALL_GRAPH_NONE, /* "no" */
	PERF_CALL_GRAPH_FP, /* frame pointers */
	PERF_CALL_GRAPH_DWARF, /* registers and a copy of the stack */
	PERF_CALL_GRAPH_LBR, /* last branch records */
};

/* What terms of an event say of its samples. Those that were given have their bit. */
struct perf_sampling {
	uint32_t given; /* bits of enum perf_sampling_term */
	enum perf_call_graph call_graph;
	uint64_t period, freq_hz;
	uint64_t branch_sample_type; /* PERF_SAMPLE_BRANCH_* */
	uint64_t aux_sample_bytes;
	uint64_t stack_bytes, frames_max;
	uint64_t samples_max;
	uint64_t time, inherit, overwrite, aux_output;
};

enum perf_sampling_term {
	PERF_GIVES_CALL_GRAPH = 1 << 0,
	PERF_GIVES_PERIOD = 1 << 1,
	PERF_GIVES_FREQ = 1 << 2,
	PERF_GIVES_BRANCH_TYPE = 1 << 3,
	PERF_GIVES_AUX_SAMPLE_BYTES = 1 << 4,
	PERF_GIVES_STACK_BYTES = 1 << 5,
	PERF_GIVES_FRAMES_MAX = 1 << 6,
	PERF_GIVES_SAMPLES_MAX = 1 << 7,
	PERF_GIVES_TIME = 1 << 8,
	PERF_GIVES_INHERIT = 1 << 9,
	PERF_GIVES_OVERWRITE = 1 << 10,
	PERF_GIVES_AUX_OUTPUT = 1 << 11,
};

/* One event for the kernel. Texts and lists belong to the list of events. */
struct perf_event {
	/*
	 * Type, config and its other words, precise_ip, pinned, exclusive, exclude_*. Of probes,
	 * config1 points to the path or the function.
	 */
	struct perf_event_attr attr;
	uint64_t config3; /* Linux 6.3; the headers of older kernels end before it */
	const char *name; /* as it was written, or of the term name= */
	const char *pmu; /* the PMU in sysfs that counts it, or NULL: it has no name there */
	const struct perf_cpus *cpus; /* the only CPUs where that PMU counts; NULL: all */
	bool is_uncore; /* counts what no task does: opened for all tasks, on `cpus` alone */
	const char *unit; /* of what `scale` makes of the count; NULL: it is a number of events */
	double scale; /* the count is multiplied by it */
	bool is_gauge; /* shows a value at the moment: not the difference to an earlier one */
	bool per_package; /* each of its CPUs counts the whole package */
	bool per_core; /* all threads of a core belong together: the term percore */
	/*
	 * Indices in the list. All of a group have the same leader, its first event; an event that
	 * is alone leads itself. All that were made of one name have the same origin, the first.
	 */
	size_t leader, origin;
	bool is_grouped;
	bool wants_most_precise; /* P: the highest precise_ip that can be opened */
	bool reads_group; /* S: samples of the leader carry the counts of all */
	bool is_weak; /* W: without the group if that does not fit */
	bool wants_bpf; /* b: counted by a BPF program */
	bool chose_guest; /* G, H or precision: exclude_guest is wanted, not only usual */
	/*
	 * config1 points to a text, which the kernel reads in the memory of the task that creates
	 * the event. Such an event must not be inherited: fork() would fail in the task.
	 */
	bool is_probe;
	/* Of probes: the file (NULL: of the kernel), and the symbol that offsets begin at, or NULL.
	 */
	const char *probe_path, *probe_symbol;
	const struct perf_probe_file *probe_file; /* `probe_path`, of the list; NULL: none */
	/* Of static ones: where the arguments are, as the file says. NULL: they have none. */
	const char *probe_args;
	const char *driver_terms; /* "@a=1,@b", as written; NULL: none */
	struct perf_sampling sampling;
};

struct perf_event_list {
	struct perf_event *events; /* owned */
	size_t count, capacity;
	struct arena arena; /* what the events refer to */
	struct perf_probe_file *files; /* owned, in the arena: those of probes */
};

/* More of them, of globs of tracepoints, are rejected. */
enum { PERF_EVENTS_MAX = 16384 };

/* What is wrong with a text, for who shows it himself. */
struct perf_parse_wrong {
	size_t position; /* in the text */
	char text[512]; /* one line */
	bool is_of_machine; /* what is named is not there: another machine may have it */
};

/* What the caller can use; the rest is rejected where it stands. */
struct perf_parse_options {
	bool no_sampling_terms;
	bool no_bpf_counters; /* the modifier b */
	struct perf_parse_wrong *wrong; /* filled with -EINVAL; NULL: the message is enough */
};

/*
 * Parses events in the syntax of perf(1), separated by commas, and appends them to a list, which a
 * zeroed struct begins. `options` may be NULL. Returns 0, -EINVAL with a message that shows the
 * place and perhaps the word that was meant, or -ENOMEM; the list is as it was then.
 */
int perf_event_parse(const char *text, const struct perf_machine *machine,
		     const struct perf_parse_options *options, struct perf_event_list *list,
		     struct error *err);

void perf_event_list_finish(struct perf_event_list *list);

#endif
