/* SPDX-License-Identifier: MIT */
/*
 * --budget: measures what the capture costs the machine, the programs in the kernel and the agent,
 * and has events lost so that it keeps its budget. The run calls it in its loop.
 */
#ifndef AGENT_RUN_BUDGET_H
#define AGENT_RUN_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/run/level.h"
#include "agent/run/input.h"
#include "util/buf.h"
#include "util/error.h"

/* Zeros: no budget, all does nothing. */
struct budget {
	struct budget_level level; /* of costs in percent of all CPUs */
	int stats_fd; /* -1: the kernel measures anyway */
	double cpus;
	bool began; /* costs are counted */
	uint64_t due_ns, before_ns; /* monotonic clock: next tick, last one */
	uint64_t run_ns, cpu_ns; /* at the last tick, of the programs and of the agent */
	double cost_ns, span_ns; /* of the whole run; of all CPUs together */
	double shed_cost_ns, shed_span_ns; /* the same while events were shed */
	uint64_t said_ns; /* when the last message that shedding begins was printed; 0: none */
	bool says; /* of the shedding now */
	bool said_exhausted;
	uint64_t shed_since_ns; /* 0: nothing is shed */
	int failed; /* -errno of the kernel, said once */
};

/*
 * Call it before privileges are dropped. percent: 0: no budget. Returns 0, or -errno with a
 * message; release with budget_close() in every case.
 */
int budget_open(struct budget *budget, double percent, struct error *err);
void budget_close(struct budget *budget);

static inline bool budget_is_set(const struct budget *budget)
{
	return budget->level.budget > 0;
}

/* Measures and decides if it is time; appends what is to be said, as whole lines. now_ns:
 * monotonic. */
void budget_step(struct budget *budget, struct input *input, uint64_t now_ns, struct buf *messages);

/* A line of the report at the end. */
void budget_append_report(const struct budget *budget, struct buf *text);

/* The budget, the cost of the last second, and what is kept of each class. */
void budget_append_metrics(const struct budget *budget, struct exposition *exposition);

#endif
