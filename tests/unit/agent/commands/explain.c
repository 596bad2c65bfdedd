/* SPDX-License-Identifier: MIT */
/* --explain: the plan in words, which needs no privilege, before the programs, which need some. */
#include <string.h>
#include <unistd.h>

#include "agent/commands/commands.h"
#include "parsed.h"
#include "printed.h"
#include "unit.h"

enum { NOBODY = 65534 };

struct explained {
	struct options options;
	int exit_code;
};

static void run(void *context)
{
	struct explained *this = context;

	this->exit_code = explain_run(&this->options);
}

/* Without the right to load programs. */
static int explain(const char *line, struct printed *printed)
{
	struct explained this;
	uid_t user = geteuid();

	parse_right(line, &this.options);
	assert_true(user != 0 || seteuid(NOBODY) == 0);
	printed_call(run, &this, printed);
	assert_true(user != 0 || seteuid(user) == 0);
	options_finish(&this.options);
	return this.exit_code;
}

static void test_plan(void **state)
{
	struct printed printed;

	assert_int_equal(explain("--explain -o json evt.type=openat", &printed), 1);
	printed_expect(printed.out,
		       (const char *[]){"\nEVENT ", " TRACEPOINT ", " WHY\n",
					"Filter:        evt.type=openat\n", "Output:        json\n",
					"\nopenat ", " filter", "\nclone ", " threads", NULL});
	assert_null(strstr(printed.out, "\nconnect "));
	assert_null(strstr(printed.out, "Environments:"));
	printed_expect(printed.err, (const char *[]){"agent: ", "CAP_BPF", NULL});
	printed_finish(&printed);
}

/* What options make has their names. */
static void test_samples(void **state)
{
	struct printed printed;

	assert_int_equal(explain("--explain -o none --sample cs --probe u:/bin/sh:main "
				 "evt.category=other",
				 &printed),
			 1);
	printed_expect(printed.out, (const char *[]){"\nperf_sample ", " --sample ", "\nprobe ",
						     " --probe ", NULL});
	assert_null(strstr(printed.out, "\ntracepoint "));
	printed_finish(&printed);
}

/* With the rights, they are opened. */
static void test_opened_samples(void **state)
{
	struct explained this;
	struct printed printed;

	parse_right("--explain -o none --sample cs/period=7/ evt.type=perf_sample", &this.options);
	printed_call(run, &this, &printed);
	options_finish(&this.options);
	if (this.exit_code == 0)
		printed_expect(printed.out,
			       (const char *[]){"\nSampling: ", " samples a second",
						"\nPERF EVENT ", "\ncs/period=7/ ",
						" each time after 7 ", " --sample\n", NULL});
	else
		assert_non_null(strstr(printed.err, "CAP_"));
	printed_finish(&printed);
}

/* Calls without an event of their own are named; nothing else is kept up for -o none. */
static void test_generic(void **state)
{
	struct printed printed;

	assert_int_equal(explain("--explain -o none evt.type=rt_sigreturn", &printed), 1);
	printed_expect(printed.out,
		       (const char *[]){"Output:        none\n", "State kept:    none\n",
					"\nSystem calls of the event 'syscall':\n",
					" rt_sigreturn\n", NULL});
	printed_finish(&printed);
}

static void test_environments(void **state)
{
	struct printed printed;

	assert_int_equal(explain("--explain -o none proc.env[A]=b", &printed), 1);
	printed_expect(printed.out,
		       (const char *[]){"State kept:    threads (filter), environments (filter)\n",
					"Environments:  read at each exec\n", NULL});
	printed_finish(&printed);
}

static void test_wrong_filter(void **state)
{
	struct printed printed;

	assert_int_equal(explain("--explain proc.nam=cat", &printed), EXIT_USAGE);
	assert_string_equal(printed.out, "");
	printed_expect(printed.err, (const char *[]){"agent: ", "proc.name", NULL});
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_plan),	     cmocka_unit_test(test_environments),
	cmocka_unit_test(test_samples),	     cmocka_unit_test(test_generic),
	cmocka_unit_test(test_wrong_filter), cmocka_unit_test(test_opened_samples),
};

UNIT_GROUP(tests);
