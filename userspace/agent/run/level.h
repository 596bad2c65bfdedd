/* SPDX-License-Identifier: MIT */
/*
 * How much of the events is lost so that a capture keeps its budget: arithmetic alone, from what it
 * costs. Classes of events are lost one after the other (enum shed_class).
 */
#ifndef AGENT_RUN_LEVEL_H
#define AGENT_RUN_LEVEL_H

#include <stdbool.h>

#include "abi.h"

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

/* The same for the programs in the kernel. */
void budget_level_shed(const struct budget_level *level, struct shed *shed);

#endif
