/* SPDX-License-Identifier: MIT */
/* The commands ps, lsof and netstat: tables of the machine, and what they reject. */
#include "agent/tools/machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/tools/run.h"
#include "printed.h"
#include "sinsp/sinsp.h"
#include "unit.h"

static void splits_lists(void **state)
{
	char list[] = "a,b  c,";
	const char *words[2];

	assert_int_equal(machine_split(list, words, 2), 2);
	assert_string_equal(words[1], "b");
	assert_true(machine_has(words, 2, "b") && !machine_has(words, 2, "c"));
	assert_int_equal(machine_split(NULL, words, 2), 0);
}

static void names_terminals(void **state)
{
	static const struct {
		uint32_t device;
		const char *name;
	} rows[] = {{0, "?"},
		    {136 << 8 | 3, "pts/3"},
		    {137 << 8 | 1, "pts/257"},
		    {4 << 8 | 1, "tty1"},
		    {4 << 8 | 64, "ttyS0"},
		    {5 << 8 | 1, "console"},
		    {9 << 8 | 2, "9,2"}};
	char memory[32];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(machine_tty(rows[i].device, memory), rows[i].name);
}

static const struct machine_column one = {"ONE", "a.one", .right = true, .number = true},
				   two = {"TWO", "two"};

static void print_table(void *context)
{
	struct machine_table table = {
		.columns = {&one, &two}, .columns_count = 2, .format = context, .rows = 2};

	machine_cell_u64(&table, 1);
	machine_cell(&table, "a,\"b\"\033");
	buf_append_char(&table.cells, '?');
	machine_end_cell(&table);
	machine_cell(&table, "");
	(void)machine_print(&table);
}

static void prints_tables(void **state)
{
	static const struct {
		const char *format, *text;
	} rows[] = {
		{"text", "ONE TWO\n  1 a,\"b\".\n  ? \n"},
		{"json",
		 "{\"a.one\":1,\"two\":\"a,\\\"b\\\".\"}\n{\"a.one\":\"?\",\"two\":\"\"}\n"},
		{"csv", "a.one,two\n1,\"a,\"\"b\"\".\"\n?,\n"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct printed printed;

		printed_call(print_table, (void *)machine_format(rows[i].format), &printed);
		assert_string_equal(printed.out, rows[i].text);
		printed_finish(&printed);
	}
	assert_null(machine_format("none"));
}

static void finds_users_and_containers(void **state)
{
	static const char groups[] =
		"cpu=/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	const struct scap_thread thread = {.cgroups = groups, .cgroups_len = sizeof(groups)};
	struct state_cgroup_match match;
	struct machine_listing machine;
	struct error err = {""};
	char memory[16];

	assert_string_equal(machine_container(&thread, &match), "0123456789ab");
	assert_int_equal(machine_open(&machine, NULL, &err), 0);
	assert_string_equal(machine_user(&machine, 0, memory), "root");
	assert_string_equal(machine_user(&machine, 4000000000, memory), "4000000000");
	machine_close(&machine);
}

/* The numbers of this process. */
static void shows_itself(void **state)
{
	char line[64], pid[24];
	const char *const words[] = {pid, "test_agent_tool", NULL};

	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(line, sizeof(line), "ps -p %d", getpid());
	printed_expect_run(line, words);
	snprintf(line, sizeof(line), "ps -p %d -f -L", getpid());
	printed_expect_run(line, (const char *const[]){pid, "LWP", "STIME", NULL});
	snprintf(line, sizeof(line), "lsof -p %d", getpid());
	printed_expect_run(line, (const char *const[]){pid, "cwd", "DIR", NULL});
	snprintf(line, sizeof(line), "lsof -p %d -o json", getpid());
	printed_expect_run(line, (const char *const[]){"{\"proc.name\":", "container.id", NULL});
	printed_expect_run("netstat -tlnp", (const char *const[]){"Proto", "PID/Program", NULL});
	printed_expect_run("netstat -ax -o csv", (const char *const[]){"proto,refs", NULL});
}

static void has_help(void **state)
{
	printed_expect_run("ps --help", (const char *const[]){"-o LIST", NULL});
	printed_expect_run("lsof --help", (const char *const[]){"-i[46]", NULL});
	printed_expect_run("netstat --help", (const char *const[]){"-t, -u", NULL});
}

static void rejects_options(void **state)
{
	static const char *const lines[] = {
		"ps -o nosuch",	    "ps --nosuch",   "ps ef",
		"lsof -i 4nosuch",  "lsof --nosuch", "lsof /no/such/file",
		"netstat --nosuch", "netstat word",  "netstat -o nosuch",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct printed printed;

		printed_run(lines[i], &printed);
		if (printed.exit_code == EXIT_SUCCESS || !printed.err[0])
			fail_msg("agent %s: %d", lines[i], printed.exit_code);
		printed_finish(&printed);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(splits_lists),	   cmocka_unit_test(names_terminals),
	cmocka_unit_test(prints_tables),   cmocka_unit_test(finds_users_and_containers),
	cmocka_unit_test(shows_itself),	   cmocka_unit_test(has_help),
	cmocka_unit_test(rejects_options),
};

UNIT_GROUP(tests);
