/* SPDX-License-Identifier: MIT */
/*
 * The budget of a capture: the level of what is lost, what programs cost, and the ticks that
 * compare both.
 */
#include "agent/run/budget.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"

/*
 * The level counts halvings: one more halves what is kept of the class whose turn it is. What the
 * capture costs is then at most halved, so that the step log2(cost / budget) comes nearer to the
 * budget and never misses it by more than it was away before.
 */

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

static bool is_on(const char *sysctl)
{
	FILE *file = fopen(sysctl, "re");
	int value = 0;

	if (!file)
		return false;
	if (fscanf(file, "%d", &value) != 1)
		value = 0;
	fclose(file);
	return value == 1;
}

int budget_measure(const char *sysctl, int *fd, struct error *err)
{
	int made = bpf_enable_stats(BPF_STATS_RUN_TIME), r = -errno;

	if (made >= 0 || is_on(sysctl)) {
		*fd = made >= 0 ? made : -1;
		return 0;
	}
	return error_set(err, r,
			 "--budget: the kernel does not measure BPF programs: %s; give the agent "
			 "CAP_SYS_ADMIN, or set the sysctl kernel.bpf_stats_enabled to 1",
			 strerror(-r));
}

/* Ticks, and what they say. */

#define TICK_NS UINT64_C(100000000)
#define SAY_NS UINT64_C(10000000000) /* at most one message that shedding begins in this time */
#define SYSCTL "/proc/sys/kernel/bpf_stats_enabled"

int budget_open(struct budget *budget, double percent, struct error *err)
{
	*budget = (struct budget){.level.budget = percent, .stats_fd = -1};
	if (!budget_is_set(budget))
		return 0;
	budget->cpus = fmax(1, (double)sysconf(_SC_NPROCESSORS_ONLN));
	return budget_measure(SYSCTL, &budget->stats_fd, err);
}

void budget_close(struct budget *budget)
{
	if (budget_is_set(budget) && budget->stats_fd >= 0)
		close(budget->stats_fd);
	*budget = (struct budget){0};
}

/* How much a counter grew. It begins anew when a reload ends a capture. */
static uint64_t grown(uint64_t *before, uint64_t now)
{
	uint64_t more = now >= *before ? now - *before : 0;

	*before = now;
	return more;
}

/* Takes the cost since the last tick. Returns false if there was none before. */
static bool run_budget_measure(struct budget *budget, uint64_t run_ns, uint64_t now_ns,
			       double *percent)
{
	uint64_t cost_ns = grown(&budget->run_ns, run_ns) +
			   grown(&budget->cpu_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	double span_ns = (double)(now_ns - budget->before_ns) * budget->cpus;
	bool began = budget->began;

	budget->before_ns = now_ns;
	budget->began = true;
	if (!began || span_ns <= 0)
		return false;
	budget->cost_ns += (double)cost_ns;
	budget->span_ns += span_ns;
	if (budget->shed_since_ns) {
		budget->shed_cost_ns += (double)cost_ns;
		budget->shed_span_ns += span_ns;
	}
	*percent = 100 * (double)cost_ns / span_ns;
	return true;
}

static void say_begin(struct budget *budget, uint64_t now_ns, double percent, struct buf *messages)
{
	budget->shed_since_ns = now_ns;
	budget->says = !budget->said_ns || now_ns - budget->said_ns >= SAY_NS;
	if (!budget->says)
		return;
	budget->said_ns = now_ns;
	buf_printf(
		messages,
		"agent: --budget %g: the capture costs %.1f %% of the machine: the least important "
		"events are lost from now on, and counted\n",
		budget->level.budget, percent);
}

static void say_end(struct budget *budget, uint64_t now_ns, struct buf *messages)
{
	if (budget->says)
		buf_printf(messages,
			   "agent: --budget %g: after %.1f s all events are captured again\n",
			   budget->level.budget, (double)(now_ns - budget->shed_since_ns) / 1e9);
	budget->shed_since_ns = 0;
	budget->says = false;
}

static void say_exhausted(struct budget *budget, struct buf *messages)
{
	if (budget->said_exhausted || !budget_level_is_exhausted(&budget->level))
		return;
	budget->said_exhausted = true;
	buf_printf(
		messages,
		"agent: --budget %g: the capture costs %.1f %% though all is lost that may be: the "
		"hooks themselves and important events remain; hook less (--hooks, a narrower "
		"filter), or raise the budget\n",
		budget->level.budget, budget_level_mean(&budget->level));
}

static void say_failed(struct budget *budget, int code, struct buf *messages)
{
	if (!budget->failed)
		buf_printf(messages,
			   "agent: --budget: the cost cannot be measured or bounded: %s\n",
			   strerror(-code));
	budget->failed = code;
}

/* Has the input lose what the level says. A reload may have begun another capture since. */
static int shed_events(struct budget *budget, struct input *input, uint64_t now_ns, double percent,
		       struct buf *messages)
{
	struct shed shed;
	int r;

	if (budget->level.level <= 0 && !budget->shed_since_ns)
		return 0;
	budget_level_shed(&budget->level, &shed);
	r = input->live->shed(input, &shed);
	if (r)
		return r;
	if (budget->level.level > 0 && !budget->shed_since_ns)
		say_begin(budget, now_ns, percent, messages);
	if (budget->level.level <= 0)
		say_end(budget, now_ns, messages);
	return 0;
}

void budget_step(struct budget *budget, struct input *input, uint64_t now_ns, struct buf *messages)
{
	uint64_t run_ns;
	double percent = 0;
	int r;

	if (!budget_is_set(budget) || !input->live || now_ns < budget->due_ns)
		return;
	budget->due_ns = now_ns + TICK_NS;
	r = input->live->run_ns(input, &run_ns);
	if (r) {
		say_failed(budget, r, messages);
		/* What is not measured is not bounded. */
		budget->level.level = 0;
	} else if (run_budget_measure(budget, run_ns, now_ns, &percent)) {
		budget_level_step(&budget->level, percent);
	}
	r = shed_events(budget, input, now_ns, percent, messages);
	if (r)
		say_failed(budget, r, messages);
	say_exhausted(budget, messages);
}

void budget_append_report(const struct budget *budget, struct buf *text)
{
	if (!budget_is_set(budget) || budget->span_ns <= 0)
		return;
	buf_printf(text, "agent: budget %g %%: the capture cost %.2f %% of the machine",
		   budget->level.budget, 100 * budget->cost_ns / budget->span_ns);
	if (budget->shed_span_ns > 0)
		buf_printf(text, "; events were shed for %.1f s, in which it cost %.2f %%",
			   budget->shed_span_ns / budget->cpus / 1e9,
			   100 * budget->shed_cost_ns / budget->shed_span_ns);
	buf_append_char(text, '\n');
}

void budget_append_metrics(const struct budget *budget, struct exposition *exposition)
{
	static const struct exposition_family bound = {
		"lanner_budget_ratio", METRIC_GAUGE, "ratio",
		"What the capture may cost: --budget, of all CPUs."};
	static const struct exposition_family cost = {
		"lanner_cost_ratio", METRIC_GAUGE, "ratio",
		"What it costs, programs in the kernel and agent, as the mean of a second."};
	static const struct exposition_family kept = {
		"lanner_kept_ratio", METRIC_GAUGE, "ratio",
		"The part of the events of a class that is not lost for the budget."};
	static const char *const classes[SHED_CLASSES] = {
		[SHED_NEVER] = "important", [SHED_TRANSFERS] = "transfers",
		[SHED_OTHERS] = "others",   [SHED_DESCRIPTORS] = "descriptors",
		[SHED_STATE] = "state",
	};

	if (!budget_is_set(budget))
		return;
	exposition_begin(exposition, &bound);
	exposition_sample_real(exposition, NULL, budget->level.budget / 100);
	exposition_begin(exposition, &cost);
	exposition_sample_real(exposition, NULL, budget_level_mean(&budget->level) / 100);
	exposition_begin(exposition, &kept);
	for (unsigned int i = 0; i < SHED_CLASSES; i++) {
		const struct exposition_label labels[] = {{"class", classes[i]}, {0}};

		exposition_sample_real(exposition, labels,
				       budget_level_kept(&budget->level, (enum shed_class)i));
	}
}
