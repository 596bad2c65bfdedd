/* SPDX-License-Identifier: MIT */
/*
 * --budget: measures what the capture costs the machine, the programs in the kernel and the agent,
 * and has events lost beyond that.
 */
#ifndef AGENT_RUN_BUDGET_H
#define AGENT_RUN_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"
#include "agent/input/input.h"
#include "util/buf.h"
#include "util/error.h"

/*
 * How much of the events is lost so that a capture keeps its budget: arithmetic alone, from what it
 * costs. Classes of events are lost one after the other (enum shed_class).
 */

enum {
	BUDGET_TICKS = 10, /* of which the mean decides whether it begins */
	/* What is kept of a class is halved so often; then nothing of it is kept. */
	BUDGET_HALVINGS = 8,
	BUDGET_LEVEL_MAX = BUDGET_HALVINGS * (SHED_CLASSES - 1),
};

/* Costs are shares of the same whole as the budget. Zeros but for the budget at first. */
struct budget_level {
	double budget; /* above 0 */
	double level; /* 0: nothing is lost; BUDGET_LEVEL_MAX: all that may be */
	double gain; /* above 1 while more loss does not make it cheaper */
	double last; /* cost of the tick before */
	double costs[BUDGET_TICKS]; /* of the last ticks */
	unsigned int ticks;
};

/* Takes the cost of one tick; call it at regular intervals. */
void budget_level_step(struct budget_level *level, double cost);

/* The mean cost of the last ticks. */
double budget_level_mean(const struct budget_level *level);

/* Whether all that may be lost is, and the budget is exceeded by more than a fifth nevertheless. */
bool budget_level_is_exhausted(const struct budget_level *level);

/* The part of a class that is kept, from 0 to 1. */
double budget_level_kept(const struct budget_level *level, enum shed_class which);

/* Sets which share of each class the programs in the kernel drop. */
void budget_level_shed(const struct budget_level *level, struct shed *shed);

/* Makes the kernel measure how long BPF programs run. */

/*
 * The kernel measures until *fd is closed; *fd is -1 if it does so anyway, as sysctl: the name of
 * the file in /proc, "/proc/sys/kernel/bpf_stats_enabled", says 1. Needs CAP_SYS_ADMIN otherwise.
 * Returns 0, or -errno with a message.
 */
int budget_measure(const char *sysctl, int *fd, struct error *err);

/*
 * --budget: measures what the capture costs the machine, the programs in the kernel and the agent,
 * and has events lost so that it keeps its budget. The run calls it in its loop.
 */

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
