/* SPDX-License-Identifier: MIT */
/* What the struct of options owns. */
#include <stdlib.h>
#include <string.h>

#include "agent/options/options.h"
#include "unit.h"

static void test_rules(void **state)
{
	struct options options = {0};

	assert_int_equal(options_add_rules(&options, "a"), 0);
	assert_int_equal(options_add_rules(&options, "b"), 0);
	assert_int_equal(options.rules_count, 2);
	assert_string_equal(options.rules[0], "a");
	assert_string_equal(options.rules[1], "b");
	options_finish(&options);
	assert_null(options.rules);
}

static void test_samples(void **state)
{
	struct options options = {0};

	assert_int_equal(options_add_sample(&options, "cpu-clock"), 0);
	assert_int_equal(options_add_sample(&options, "cs"), 0);
	assert_int_equal(options.samples_count, 2);
	assert_string_equal(options.samples[1], "cs");
	assert_int_equal(options_add_tracepoint(&options, "sched:*"), 0);
	assert_string_equal(options.tracepoints[0], "sched:*");
	assert_int_equal(options_add_probe(&options, "u:/bin/x:main"), 0);
	assert_string_equal(options.probes[0], "u:/bin/x:main");
	options_finish(&options);
	assert_null(options.samples);
}

static void test_counters(void **state)
{
	struct options options = {0};

	assert_int_equal(options_add_counters(&options, "cs"), 0);
	assert_int_equal(options_add_counters(&options, "cycles,faults"), 0);
	assert_int_equal(options.counters_count, 2);
	assert_int_equal(options_add_on_rule(&options, "a rule"), 0);
	assert_string_equal(options.on_rules[0], "a rule");
	assert_string_equal(options.counters[1], "cycles,faults");
	options_finish(&options);
	assert_null(options.counters);
	assert_null(options.on_rules);
}

static void test_runtime_sockets(void **state)
{
	struct options options = {0};

	assert_int_equal(options_add_runtime_socket(&options, "/run/a.sock"), 0);
	assert_int_equal(options_add_runtime_socket(&options, "/run/b.sock"), 0);
	assert_int_equal(options.runtime_sockets_count, 2);
	assert_string_equal(options.runtime_sockets[1], "/run/b.sock");
	assert_int_equal(options.rules_count, 0);
	options_finish(&options);
	assert_null(options.runtime_sockets);
}

/* Also twice, and what was never filled. */
static void test_finish(void **state)
{
	struct options options = {.filter = strdup("evt.num=1")};

	options_finish(&options);
	assert_null(options.filter);
	options_finish(&options);
	options = (struct options){0};
	options_finish(&options);
}

/* What there is to read again, or somebody who can ask for it. */
static void test_reload(void **state)
{
	assert_false(options_can_reload(&(struct options){.filter = "evt.num=1"}));
	assert_true(options_can_reload(&(struct options){.rules_count = 1}));
	assert_true(options_can_reload(&(struct options){.config = "a.yaml"}));
	assert_true(options_can_reload(&(struct options){.pid_file = "a.pid"}));
}

static void test_input_name(void **state)
{
	assert_string_equal(options_input_name(&(struct options){.read = "a.scap"}), "a.scap");
	assert_string_equal(options_input_name(&(struct options){.read = "-"}), "standard input");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rules),	   cmocka_unit_test(test_runtime_sockets),
	cmocka_unit_test(test_counters),   cmocka_unit_test(test_samples),
	cmocka_unit_test(test_finish),	   cmocka_unit_test(test_reload),
	cmocka_unit_test(test_input_name),
};

UNIT_GROUP(tests);
