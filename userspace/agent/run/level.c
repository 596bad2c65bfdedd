/* SPDX-License-Identifier: MIT */
/*
 * The level counts halvings: one more halves what is kept of the class whose turn it is. What the
 * capture costs is then at most halved, so that the step log2(cost / budget) comes nearer to the
 * budget and never misses it by more than it was away before.
 */
#include "agent/run/level.h"

#include <math.h>
#include <stdint.h>

/* It settles a little below. */
static const double aim = 0.96;
static const double step_up_max = 4, step_down_max = 1, gain_max = 8;
/* A cost that is higher by this factor, and does not fall to that part of it, is not of the class.
 */
static const double over = 1.1, unchanged = 0.85, exhausted = 1.2;

double budget_level_mean(const struct budget_level *level)
{
	double sum = 0;

	for (unsigned int i = 0; i < BUDGET_TICKS; i++)
		sum += level->costs[i];
	return sum / BUDGET_TICKS;
}

/* A class of which there is nothing is passed faster. */
static void adapt_gain(struct budget_level *level, double cost)
{
	if (cost > over * level->budget && level->level > 0 && cost > unchanged * level->last)
		level->gain = fmin(2 * level->gain, gain_max);
	else
		level->gain = 1;
}

void budget_level_step(struct budget_level *level, double cost)
{
	double step;

	level->costs[level->ticks++ % BUDGET_TICKS] = cost;
	if (level->level == 0 &&
	    (cost <= level->budget || budget_level_mean(level) <= level->budget))
		return;
	adapt_gain(level, cost);
	level->last = cost;
	step = log2(fmax(cost, level->budget / 16) / (aim * level->budget));
	step = fmin(fmax(step, -step_down_max), step_up_max);
	if (step > 0)
		step *= level->gain;
	level->level = fmin(fmax(level->level + step, 0), BUDGET_LEVEL_MAX);
}

bool budget_level_is_exhausted(const struct budget_level *level)
{
	return level->level >= BUDGET_LEVEL_MAX &&
	       budget_level_mean(level) > exhausted * level->budget;
}

double budget_level_kept(const struct budget_level *level, enum shed_class which)
{
	double halvings;

	if (which == SHED_NEVER)
		return 1;
	halvings = level->level - BUDGET_HALVINGS * ((double)which - 1);
	if (halvings <= 0)
		return 1;
	return halvings >= BUDGET_HALVINGS ? 0 : exp2(-halvings);
}

void budget_level_shed(const struct budget_level *level, struct shed *shed)
{
	for (unsigned int i = 0; i < SHED_CLASSES; i++) {
		double kept = budget_level_kept(level, (enum shed_class)i);

		shed->shares[i] = kept > 0 ? (uint32_t)((1 - kept) * (double)SHED_ALL) : SHED_ALL;
	}
}
