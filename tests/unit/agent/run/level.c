/* SPDX-License-Identifier: MIT */
/* The level of loss, against machines whose cost is a formula. */
#include <math.h>

#include "agent/run/budget.h"
#include "unit.h"

/* What a load costs: a part that cannot be lost, and one of each class. */
struct cost {
	double fixed, of_class[SHED_CLASSES];
};

static double cost_of(const struct cost *machine, const struct budget_level *level)
{
	double cost = machine->fixed;

	for (unsigned int i = 0; i < SHED_CLASSES; i++)
		cost += machine->of_class[i] * budget_level_kept(level, (enum shed_class)i);
	return cost;
}

/* Returns the mean cost of the last second. */
static double run(struct budget_level *level, const struct cost *machine, unsigned int ticks)
{
	for (unsigned int i = 0; i < ticks; i++)
		budget_level_step(level, cost_of(machine, level));
	return budget_level_mean(level);
}

static void test_nothing_below(void **state)
{
	const struct cost machine = {.fixed = 1, .of_class = {[SHED_TRANSFERS] = 3}};
	struct budget_level level = {.budget = 5};

	run(&level, &machine, 100);
	assert_true(level.level == 0);
	/* Neither does one short peak. */
	budget_level_step(&level, 9);
	assert_true(level.level == 0);
}

static void test_holds(void **state)
{
	static const struct cost machines[] = {
		{.fixed = 0.5, .of_class = {[SHED_TRANSFERS] = 6}},
		{.fixed = 0.5, .of_class = {[SHED_TRANSFERS] = 60}},
		{.fixed = 4.5, .of_class = {[SHED_TRANSFERS] = 60}},
		{.fixed = 1, .of_class = {[SHED_OTHERS] = 60}},
		{.fixed = 1, .of_class = {[SHED_DESCRIPTORS] = 40}},
		{.fixed = 1, .of_class = {[SHED_STATE] = 40}},
		{.fixed = 1, .of_class = {0, 10, 10, 10, 10}},
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct budget_level level = {.budget = 5};
		double mean = run(&level, &machines[i], 50);

		assert_true(mean > 4 && mean < 6);
		assert_false(budget_level_is_exhausted(&level));
		/* And nothing is lost soon after the load has ended. */
		run(&level, &(struct cost){.fixed = 0.5}, 40);
		assert_true(level.level == 0);
	}
}

/* Where it costs a bit more or less each time, and events of the tick before are still on their
 * way. */
static void test_noise(void **state)
{
	const struct cost machine = {.fixed = 1, .of_class = {[SHED_TRANSFERS] = 40}};
	struct budget_level level = {.budget = 5};
	double late = 0, sum = 0;

	for (unsigned int i = 0; i < 200; i++) {
		double cost = cost_of(&machine, &level) * (1 + 0.2 * sin(i * 2.4));

		budget_level_step(&level, 0.7 * cost + 0.3 * late);
		if (i >= 20)
			sum += cost;
		late = cost;
	}
	assert_true(sum / 180 > 4 && sum / 180 < 6);
}

static void test_order(void **state)
{
	struct budget_level level = {.budget = 5, .level = BUDGET_HALVINGS + 2};
	struct shed shed;

	assert_true(budget_level_kept(&level, SHED_NEVER) == 1);
	assert_true(budget_level_kept(&level, SHED_TRANSFERS) == 0);
	assert_true(budget_level_kept(&level, SHED_OTHERS) == 0.25);
	assert_true(budget_level_kept(&level, SHED_DESCRIPTORS) == 1);
	budget_level_shed(&level, &shed);
	assert_int_equal(shed.shares[SHED_NEVER], 0);
	assert_true(shed.shares[SHED_TRANSFERS] == SHED_ALL);
	assert_true(shed.shares[SHED_OTHERS] >> 16 == 0xbfff);
	assert_int_equal(shed.shares[SHED_DESCRIPTORS], 0);
	level.level = BUDGET_LEVEL_MAX;
	budget_level_shed(&level, &shed);
	assert_int_equal(shed.shares[SHED_NEVER], 0);
	assert_true(shed.shares[SHED_STATE] == SHED_ALL);
}

static void test_exhausted(void **state)
{
	const struct cost machine = {.fixed = 7, .of_class = {[SHED_TRANSFERS] = 10}};
	struct budget_level level = {.budget = 5};

	run(&level, &machine, 60);
	assert_true(budget_level_is_exhausted(&level));
	run(&level, &(struct cost){.fixed = 5.5}, 60);
	assert_false(budget_level_is_exhausted(&level));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nothing_below), cmocka_unit_test(test_holds),
	cmocka_unit_test(test_noise),	      cmocka_unit_test(test_order),
	cmocka_unit_test(test_exhausted),
};

UNIT_GROUP(tests);
