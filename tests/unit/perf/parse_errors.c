/* SPDX-License-Identifier: MIT */
/* Events that are rejected: where, why, and what was perhaps meant. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "perf_machines.h"
#include "unit.h"
#include "util/count.h"

struct rejected {
	const char *text;
	int column;
	const char *message;
};

static const struct rejected on_intel_server[] = {
	{"cpu/event=0x100/", 11, "the value is too large for event: at most 0xff"},
	{"cpu/inv=2/", 9, "the value is too large for inv: at most 0x1"},
	{"cpu/unknown/", 5,
	 "the PMU cpu has no term or event 'unknown'; its terms: cmask, edge, event, frontend, "
	 "in_tx, in_tx_cp, inv, ldat, offcore_rsp, pc, umask"},
	{"cpu/umaks=1/", 5, "the PMU cpu has no term or event 'umaks'; did you mean 'umask'?"},
	{"cpu/event=name/", 11, "event needs a number: event=N"},
	{"uncore_imc/unknown/", 12,
	 "the PMU uncore_imc_0 has no term or event 'unknown'; its terms: event, thresh, umask"},
	{"uncor_imc/event=1/", 1,
	 "this machine has no PMU 'uncor_imc'; did you mean 'uncore_imc_0'?"},
	{"cpu/event=0x3c", 15, "expected ',' and another term, or '/'"},
	{"cpu/event=0x3c,/", 16, "expected a term, as name=value"},
	{"cpu/event=3,event=4/", 13, "the term event is given twice"},
	{"sched:sched_swich", 7, "no tracepoint 'sched:sched_swich'; did you mean 'sched_switch'?"},
	{"shed:sched_switch", 1, "no tracepoint 'shed:sched_switch'; did you mean 'sched'?"},
	{"nothing:nothing", 1, "no tracepoint 'nothing:nothing'"},
	{"k:", 3, "expected a symbol, or '+' and an offset"},
	{"k:+", 4, "expected a number"},
	{"kprobe/retprobe/", 1,
	 "a kprobe needs a function: k:FUNCTION[+OFFSET], or kprobe/symbol=FUNCTION/"},
	{"usdt:/bin/true", 6, "expected a file and, behind a colon, what is in it"},
	{"usdt:/bin/true:a", 17, "expected a provider and a name: usdt:FILE:PROVIDER:NAME"},
	{"usdt:/bin/true:a:", 18, "expected a provider and a name: usdt:FILE:PROVIDER:NAME"},
	{"usdt:/bin/true:a:b", 16, "a:b in /bin/true: it has no static probes"},
	{"uprobe/retprobe/", 1,
	 "a uprobe needs a file: u:FILE:SYMBOL[+OFFSET], or uprobe/path='FILE',symbol=SYMBOL/"},
	{"uprobe/path=/", 13, "expected a value"},
	{"uprobe/offset=x/", 15, "offset needs a number: offset=N"},
	{"u:/bin/true", 3, "expected a file and, behind a colon, what is in it"},
	{"u:/dev/null:main", 3, "main in /dev/null: it is no regular file"},
	{"u:/nonexistent:main", 3, "main in /nonexistent: No such file or directory"},
	{"u:/proc/version:main", 3, "main in /proc/version: it is no ELF file with sections"},
};

static const struct rejected on_hybrid[] = {
	{"cpu_atom/slots/", 10,
	 "the PMU cpu_atom has no term or event 'slots'; its terms: cmask, edge, event, ldat, "
	 "offcore_rsp, umask"},
	{"cpu/cycles/", 1, "this machine has no PMU 'cpu'"},
};

static const struct rejected on_power[] = {
	{"hv_24x7/PM_MBA0_CLK_CYC/", 9, "this event needs a value: chip=N"},
	{"odd/broken/", 5, "the kernel's terms of this event cannot be understood: event==1"},
	{"odd/unknown/", 5, "the PMU odd has no term or event 'nothing'; its terms: ok"},
	{"odd/no_colon/", 5, "the PMU odd has no term or event 'no_colon'; its terms: ok"},
	{"odd/too_high=1/", 5, "the PMU odd has no term or event 'too_high'; its terms: ok"},
	{"odd/backwards=1/", 5, "the PMU odd has no term or event 'backwards'; its terms: ok"},
	{"odd/other=1/", 5, "the PMU odd has no term or event 'other'; its terms: ok"},
	{"odd/behind=1/", 5, "the PMU odd has no term or event 'behind'; its terms: ok"},
	{"without_type/event=1/", 1, "this machine has no PMU 'without_type'"},
	{"odd/ok=", 8, "expected a value"},
	{"odd/ok='1/", 8, "the end of the quotes is missing"},
	{"usdt:/bin/true:a:b", 1, "this machine has no PMU uprobe: its kernel has no such probes"},
	{"u:/bin/true:main", 1, "this machine has no PMU uprobe: its kernel has no such probes"},
	{"sched:sched_switch", 1,
	 "tracepoints are named in tracefs, which cannot be read: No such file or directory; as "
	 "root, mount -t tracefs tracefs /sys/kernel/tracing"},
	{",", 1, "expected an event"},
	{"{", 2, "expected an event"},
	{"{cs", 1, "the end of the group is missing: '}'"},
	{"{cs,{faults}}", 5, "a group cannot have another one in it"},
	{"{cs}x", 5, "expected ',' and another event"},
	{"{cs,faults:u x}", 14, "expected ',' or '}'"},
	{"cs:", 4, "expected modifiers: letters of ukhIGHpPSDeWb"},
	{"cs,", 4, "expected an event"},
	{"cs faults", 4, "expected ',' and another event"},
	{"cs/config=x/", 11, "config needs a number: config=N"},
	{"fualts", 1, "this machine has no event 'fualts'; did you mean 'faults'?"},
	{"L1-dcache-load-missess", 1,
	 "this machine has no event 'L1-dcache-load-missess'; did you mean "
	 "'L1-dcache-load-misses'?"},
	{"L1-icache-stores", 1,
	 "this machine has no event 'L1-icache-stores'; did you mean 'L1-dcache-stores'?"},
	{"rr1", 1, "this machine has no event 'rr1'"},
	{"r0x", 1, "this machine has no event 'r0x'"},
	{"r11111111111111111", 1, "this machine has no event 'r11111111111111111'"},
	{"1:", 3, "expected a number: the config of type 1"},
	{"4294967296:1", 1, "the number of a type has 32 bits"},
	{"mem:x", 5, "expected an address: mem:ADDRESS[/LENGTH][:rwx]"},
	{"mem:0x10/9", 10, "a breakpoint has a length of 1 to 8 bytes"},
	{"mem:0x10:rr", 11, "r is given twice"},
	{"mem:0x10:xk", 11, "expected letters of rwx"},
	{"sched:", 7, "expected a name"},
	{"cs/time=2/", 9, "time is 0 or 1"},
	{"cs/period=0/", 11, "period is at least 1"},
	{"cs/perod=3/", 4, "this event has no term 'perod'; did you mean 'period'?"},
	{"cs/inherit=1/", 12, "inherit takes no value"},
	{"cs/call-graph=dwraf/", 15,
	 "call-graph is one of fp, dwarf, lbr, no, yes; did you mean 'dwarf'?"},
	{"cs/call-graph/", 4, "call-graph is one of fp, dwarf, lbr, no, yes"},
	{"cs/branch_type=any_cal+u/", 16,
	 "branch_type is one of u, k, hv, any, any_call, any_ret, ind_call, abort_tx, in_tx, "
	 "no_tx, cond, ind_jmp, call, save_type, stack; did you mean 'any_call'?"},
	{"cs/name/", 4, "name needs a text: name=TEXT"},
	{"cs/max-stack/", 4, "max-stack needs a number: max-stack=N"},
	{"faults:pppp", 11, "p stands at most 3 times"},
	{"{faults:pp}:pp", 13, "p stands at most 3 times"},
	{"faults:uu", 9, "the modifier u is given twice"},
	{"cs:x", 4, "expected modifiers: letters of ukhIGHpPSDeWb"},
};

/* The message, the text, and a caret below the column. */
static void check_message(const struct rejected *row, const char *message)
{
	char expected[sizeof(struct error)];

	snprintf(expected, sizeof(expected), "event, column %d: %s\n  %s\n  %*s", row->column,
		 row->message, row->text, row->column, "^");
	assert_string_equal(message, expected);
}

static void check(const char *name, const struct rejected *rows, size_t count)
{
	struct described_machine described;

	described_machine_open(&described, name);
	for (size_t i = 0; i < count; i++) {
		struct perf_event_list list = {0};
		struct error err = {""};

		assert_int_equal(
			perf_event_parse(rows[i].text, &described.machine, NULL, &list, &err),
			-EINVAL);
		check_message(&rows[i], err.text);
		assert_int_equal(list.count, 0);
		perf_event_list_finish(&list);
	}
	described_machine_close(&described);
}

#define CHECKS(machine, name)                                                                      \
	static void rejects_on_##machine(void **state)                                             \
	{                                                                                          \
		check(name, on_##machine, sizeof(on_##machine) / sizeof(on_##machine[0]));         \
	}

CHECKS(intel_server, "intel-server")
CHECKS(hybrid, "hybrid")
CHECKS(power, "power")

/* What another machine may have, and what is wrong on each. */
static void tells_machines_from_mistakes(void **state)
{
	static const struct {
		const char *text;
		bool is_of_machine;
	} rows[] = {
		{"sched:nosuch", true},	    {"without_type/event=1/", true},
		{"fualts", true},	    {"cpu/event=0x100/", true},
		{"cpu/unknown/", true},	    {"u:/nosuch:main", true},
		{"u:/nosuch:+4", true},	    {"usdt:/nosuch:a:b", true},
		{"sched:", false},	    {"cs/time=2/", false},
		{"cs/perod=3/", false},	    {"u:/nosuch", false},
		{"cs,nosuch,", true},	    {"cs:x", false},
		{"mem:0x10/9", false},	    {"cs faults", false},
	};
	struct described_machine described;

	described_machine_open(&described, "intel-server");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct perf_parse_wrong wrong = {0};
		const struct perf_parse_options options = {.wrong = &wrong};
		struct perf_event_list list = {0};

		assert_int_equal(perf_event_parse(rows[i].text, &described.machine, &options, &list,
						  NULL),
				 -EINVAL);
		if (wrong.is_of_machine != rows[i].is_of_machine)
			fail_msg("%s: %s", rows[i].text, wrong.text);
		perf_event_list_finish(&list);
	}
	described_machine_close(&described);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rejects_on_intel_server),
	cmocka_unit_test(rejects_on_hybrid),
	cmocka_unit_test(rejects_on_power),
	cmocka_unit_test(tells_machines_from_mistakes),
};

UNIT_GROUP(tests);
