/* SPDX-License-Identifier: MIT */
/* What sysfs and tracefs say. */
#include <errno.h>
#include <string.h>

#include "perf_machines.h"
#include "unit.h"

static void reads_pmus_in_order(void **state)
{
	static const char *const names[] = {
		"cpu",		 "cstate_core",
		"intel_pt",	 "kprobe",
		"msr",		 "power",
		"uncore_imc_0",	 "uncore_imc_1",
		"uncore_imc_10", "uncore_imc_free_running",
		"uncore_pcu",	 "uprobe",
	};
	struct described_machine described;
	const struct perf_pmu *pmu;
	size_t n = 0;

	described_machine_open(&described, "intel-server");
	for (pmu = described.machine.pmus; pmu; pmu = pmu->next)
		assert_string_equal(pmu->name, names[n++]);
	assert_int_equal(n, sizeof(names) / sizeof(names[0]));
	assert_int_equal(described.machine.cores, 1);
	pmu = perf_machine_pmu(&described.machine, "power/x", 5);
	assert_int_equal(pmu->type, 21);
	assert_true(pmu->is_uncore);
	assert_int_equal(pmu->cpus->count, 2);
	assert_int_equal(pmu->cpus->numbers[1], 4);
	assert_null(perf_machine_pmu(&described.machine, "powe", 4));
	described_machine_close(&described);
	described_machine_open(&described, "arm64");
	assert_int_equal(described.machine.cores, 2);
	described_machine_close(&described);
}

static void reads_formats_and_events(void **state)
{
	struct described_machine described;
	const struct perf_pmu *pmu;
	const struct perf_format *format;
	const struct perf_alias *alias;

	described_machine_open(&described, "amd");
	pmu = perf_machine_pmu(&described.machine, "amd_df", 6);
	format = perf_machine_format(pmu, "event", 5);
	assert_int_equal(format->word, 0);
	assert_int_equal(format->mask, 0x1800000f000000ff);
	assert_null(perf_machine_format(pmu, "even", 4));
	described_machine_close(&described);
	described_machine_open(&described, "intel-server");
	pmu = perf_machine_pmu(&described.machine, "power", 5);
	alias = perf_machine_alias(pmu, "Energy-PKG", 10);
	assert_string_equal(alias->name, "energy-pkg");
	assert_string_equal(alias->terms, "event=0x02");
	assert_string_equal(alias->unit, "Joules");
	assert_true(alias->scale > 2.3e-10 && alias->scale < 2.4e-10);
	assert_false(alias->per_package || alias->is_gauge);
	/* Files that say more about an event are none. */
	assert_string_equal(alias->next->name, "energy-ram");
	assert_null(alias->next->next);
	described_machine_close(&described);
}

static void knows_what_names_mean(void **state)
{
	static const struct {
		const char *pmu, *name;
		bool is_meant;
	} rows[] = {
		{"uncore_imc_0", "uncore_imc_0", true},
		{"uncore_imc_0", "uncore_imc", true},
		{"uncore_imc_0", "imc", true},
		{"uncore_imc_10", "imc_1", true}, /* as "imc_10" without its 0 */
		{"uncore_imc_0", "imc_*", true},
		{"uncore_imc_0", "*imc?[0-3]", true},
		{"uncore_imc_0", "unc", false},
		{"uncore_imc_0", "uncore_im", false},
		{"uncore_imc_0", "", false},
		{"uncore_imc_free_running", "uncore_imc", false},
		{"uncore_imc_free_running", "imc_free_running", true},
		{"cpu_core", "cpu", false},
		{"armv8_pmuv3_0", "armv8_pmuv3", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct perf_pmu pmu = {.name = rows[i].pmu};

		assert_int_equal(
			perf_machine_pmu_is_meant(&pmu, rows[i].name, strlen(rows[i].name)),
			rows[i].is_meant);
	}
}

struct visits {
	struct buf seen;
	int result;
};

static int note_tracepoint(void *context, const char *group, const char *name, uint64_t number)
{
	struct visits *visits = context;

	buf_printf(&visits->seen, "%s:%s=%llu ", group, name, (unsigned long long)number);
	return visits->result;
}

static void note_name(void *context, const char *name)
{
	buf_printf(context, "%s ", name);
}

static void check_tracepoints(const struct perf_machine *machine, const char *group,
			      const char *name, const char *expected)
{
	struct visits visits = {.result = 0};

	assert_int_equal(perf_machine_tracepoints(machine, group, name, note_tracepoint, &visits),
			 0);
	buf_append_char(&visits.seen, '\0');
	assert_string_equal(visits.seen.data, expected);
	buf_finish(&visits.seen);
}

static void finds_tracepoints(void **state)
{
	struct visits visits = {.result = 7};
	struct described_machine described;
	struct buf names = {0};

	described_machine_open(&described, "intel-server");
	check_tracepoints(&described.machine, "sched", "sched_switch", "sched:sched_switch=316 ");
	check_tracepoints(&described.machine, "s*", "*_e*",
			  "sched:sched_process_exec=306 sched:sched_process_exit=307 "
			  "syscalls:sys_enter_openat=700 syscalls:sys_exit_openat=699 ");
	check_tracepoints(&described.machine, "nothing", "*", "");
	check_tracepoints(&described.machine, "..", "*", "");
	check_tracepoints(&described.machine, "sched", "../irq/irq_handler_entry", "");
	check_tracepoints(&described.machine, "", "x", "");
	/* A visit ends the walk. */
	assert_int_equal(
		perf_machine_tracepoints(&described.machine, "*", "*", note_tracepoint, &visits),
		7);
	assert_int_equal(visits.seen.len, strlen("irq:irq_handler_entry=150 "));
	buf_finish(&visits.seen);
	perf_machine_tracepoint_names(&described.machine, NULL, note_name, &names);
	perf_machine_tracepoint_names(&described.machine, "irq", note_name, &names);
	perf_machine_tracepoint_names(&described.machine, "nothing", note_name, &names);
	buf_append_char(&names, '\0');
	assert_string_equal(names.data, "irq sched syscalls irq_handler_entry ");
	buf_finish(&names);
	described_machine_close(&described);
}

/* Neither sysfs nor tracefs: software events are all there is. */
static void needs_nothing(void **state)
{
	struct perf_machine machine;
	struct perf_event_list list = {0};
	struct visits visits = {.result = 0};

	assert_int_equal(perf_machine_open(&machine, "/nonexistent", "/nonexistent", NULL), 0);
	assert_null(machine.pmus);
	assert_int_equal(perf_machine_tracepoints(&machine, "sched", "sched_switch",
						  note_tracepoint, &visits),
			 -ENOENT);
	assert_int_equal(perf_event_parse("faults,cycles", &machine, NULL, &list, NULL), 0);
	assert_int_equal(list.count, 2);
	perf_event_list_finish(&list);
	perf_machine_close(&machine);
}

/* This machine, which has at least what every kernel with perf events has. */
static void reads_this_machine(void **state)
{
	struct perf_machine machine;
	const struct perf_pmu *software;

	assert_int_equal(perf_machine_open(&machine, NULL, NULL, NULL), 0);
	software = perf_machine_pmu(&machine, "software", 8);
	if (machine.pmus)
		assert_int_equal(software->type, 1);
	perf_machine_close(&machine);
	perf_machine_close(&machine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_pmus_in_order),	 cmocka_unit_test(reads_formats_and_events),
	cmocka_unit_test(knows_what_names_mean), cmocka_unit_test(finds_tracepoints),
	cmocka_unit_test(needs_nothing),	 cmocka_unit_test(reads_this_machine),
};

UNIT_GROUP(tests);
