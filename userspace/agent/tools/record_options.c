/* SPDX-License-Identifier: MIT */
/* The table of options of `agent record`, and what they set. */
#include "agent/tools/record_options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/count.h"
#include "util/value.h"

static int set_events(void *options, const char *value, struct error *err)
{
	struct record_options *record = options;

	buf_printf(&record->events, record->events.len ? ",%s" : "%s", value);
	return 0;
}

static int set_frequency(void *options, const char *value, struct error *err)
{
	struct record_options *record = options;
	uint64_t max = perf_record_rate_max();

	if (strcmp(value, "max") == 0) {
		record->sampled.frequency_hz = max;
		return 0;
	}
	if (value_read_count(value, UINT32_MAX, &record->sampled.frequency_hz))
		return error_set(err, -EINVAL, "record: -F %s: expected a number from 1, or max",
				 value);
	if (record->sampled.frequency_hz > max)
		return error_set(err, -EINVAL,
				 "record: -F %s: the kernel allows %llu samples in a second; use "
				 "-F max, or raise kernel.perf_event_max_sample_rate",
				 value, (unsigned long long)max);
	return 0;
}

static int set_period(void *options, const char *value, struct error *err)
{
	struct record_options *record = options;

	if (value_read_count(value, INT64_MAX, &record->sampled.period) == 0)
		return 0;
	return error_set(err, -EINVAL, "record: -c %s: expected a number from 1", value);
}

static int set_stacks(void *options, const char *value, struct error *err)
{
	struct record_options *record = options;

	record->sampled.call_graph = PERF_CALL_GRAPH_FP;
	return 0;
}

/* "dwarf,4096": bytes of the stack, a multiple of eight. */
static int set_stack_bytes(struct record_options *options, const char *text, struct error *err)
{
	uint64_t bytes;

	if (value_read_bytes(text, PERF_RECORD_STACK_BYTES_MAX, &bytes) || bytes < 8 ||
	    bytes > PERF_RECORD_STACK_BYTES_MAX)
		return error_set(err, -EINVAL,
				 "record: --call-graph dwarf,%s: expected bytes from 8 to %d", text,
				 PERF_RECORD_STACK_BYTES_MAX);
	options->sampled.stack_bytes = (uint32_t)(bytes + 7) / 8 * 8;
	return 0;
}

static int set_call_graph(void *options, const char *value, struct error *err)
{
	struct record_options *record = options;
	static const struct {
		const char *name;
		enum perf_call_graph kind;
	} kinds[] = {
		{"no", PERF_CALL_GRAPH_NONE},
		{"fp", PERF_CALL_GRAPH_FP},
		{"dwarf", PERF_CALL_GRAPH_DWARF},
		{"lbr", PERF_CALL_GRAPH_LBR},
	};
	size_t len = strcspn(value, ",");

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (strlen(kinds[i].name) != len || strncmp(value, kinds[i].name, len) != 0)
			continue;
		record->sampled.call_graph = kinds[i].kind;
		if (!value[len])
			return 0;
		if (kinds[i].kind == PERF_CALL_GRAPH_DWARF)
			return set_stack_bytes(record, value + len + 1, err);
	}
	return error_set(err, -EINVAL,
			 "record: --call-graph %s: expected fp, dwarf, dwarf,BYTES, lbr or no",
			 value);
}

static int set_clock(void *options, const char *value, struct error *err)
{
	struct record_options *record = options;
	static const struct {
		const char *name, *other;
		int32_t clock;
	} clocks[] = {
		{"monotonic", "mono", CLOCK_MONOTONIC},
		{"monotonic_raw", "raw", CLOCK_MONOTONIC_RAW},
		{"realtime", "real", CLOCK_REALTIME},
		{"boottime", "boot", CLOCK_BOOTTIME},
		{"tai", "tai", CLOCK_TAI},
		{"perf", "sched", -1},
	};

	for (size_t i = 0; i < COUNT(clocks); i++)
		if (strcmp(value, clocks[i].name) == 0 || strcmp(value, clocks[i].other) == 0) {
			record->sampled.clock = clocks[i].clock;
			return 0;
		}
	return error_set(err, -EINVAL,
			 "record: -k %s: expected monotonic, monotonic_raw, realtime, boottime, "
			 "tai or perf",
			 value);
}

/* Pages, or bytes with a unit; as many pages as the next power of two. */
static int set_pages(void *options, const char *value, struct error *err)
{
	struct record_options *record = options;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes, size = page;
	bool has_unit = *value && strchr("BKMG", value[strlen(value) - 1]);

	if (value_read_bytes(value, 1 << 30, &bytes) || !bytes || bytes > 1 << 30 ||
	    (!has_unit && bytes > (1 << 30) / page))
		return error_set(err, -EINVAL,
				 "record: -m %s: expected pages, or a size as 512K or 8M, up to 1G",
				 value);
	bytes = has_unit ? bytes : bytes * page;
	while (size < bytes)
		size *= 2;
	record->ring_bytes = (uint32_t)size;
	return 0;
}

static int set_level(void *options, const char *value, struct error *err)
{
	struct record_options *record = options;
	enum { LEVEL = 1, LEVEL_MAX = 22 };
	uint64_t level = LEVEL;

	if (value && *value == '=')
		value++;
	if (value && value_read_count(value, LEVEL_MAX, &level))
		return error_set(err, -EINVAL, "record: -z %s: expected a level from 1 to %d",
				 value, LEVEL_MAX);
	record->level = (int)level;
	return 0;
}

/* "signal", a size as 100M, or a time as 30s. */
static int set_switch(void *options, const char *value, struct error *err)
{
	struct record_options *record = options;
	size_t len = value ? strlen(value) : 0;

	record->switches.wanted = true;
	if (!value || strcmp(value, "signal") == 0)
		return 0;
	if (len && strchr("BKMG", value[len - 1]) &&
	    value_read_bytes(value, INT64_MAX, &record->switches.bytes) == 0 &&
	    record->switches.bytes)
		return 0;
	if (len && strchr("smhd", value[len - 1]) &&
	    value_read_time(value, &record->switches.ns) == 0 && record->switches.ns)
		return 0;
	return error_set(err, -EINVAL,
			 "record: --switch-output=%s: expected signal, a size as 100M, or a time "
			 "as 30s",
			 value);
}

#define STORES(member) offsetof(struct record_options, member)

static const struct own_row rows[] = {
	{'e', "event", "EVENTS", "sample these events: see agent perf-list", OWN_SET,
	 .set = set_events},
	{'F', "freq", "N", "samples in a second of each event and CPU, or max; default 4000",
	 OWN_SET, .set = set_frequency},
	{'c', "count", "N", "sample each N-th time", OWN_SET, .set = set_period},
	{'g', NULL, NULL, "record stacks, by frame pointers", OWN_SET, .set = set_stacks},
	{0, "call-graph", "KIND",
	 "record stacks: fp, dwarf[,BYTES] (copies, to unwind later) or lbr", OWN_SET,
	 .set = set_call_graph},
	{'p', "pid", "PID,...", "of these processes", OWN_TEXT, STORES(pids)},
	{'t', "tid", "TID,...", "of these threads", OWN_TEXT, STORES(tids)},
	{'u', "uid", "USER", "of the processes of this user", OWN_TEXT, STORES(user)},
	{'a', "all-cpus", NULL, "of all tasks, on all CPUs", OWN_FLAG, STORES(all_cpus)},
	{'C', "cpu", "CPUS", "of all tasks, on these CPUs: 0-3,8", OWN_TEXT, STORES(cpus)},
	{'G', "cgroup", "NAME", "of the tasks of this control group", OWN_TEXT, STORES(cgroup)},
	{'i', "no-inherit", NULL, "without the children of the tasks", OWN_FLAG,
	 STORES(no_inherit)},
	{'o', "output", "FILE", "write to this file; -: standard output; default perf.data",
	 OWN_TEXT, STORES(output)},
	{'z', "compression-level", "[=N]", "compress by zstd, with this level from 1 to 22",
	 OWN_SET, .set = set_level},
	{0, "switch-output", "[=WHEN]",
	 "go on in another file at SIGUSR2, or also after a size (100M) or time (30s)", OWN_SET,
	 .set = set_switch},
	{'m', "mmap-pages", "PAGES", "size of the ring of each CPU: pages, or as 8M", OWN_SET,
	 .set = set_pages},
	{'k', "clockid", "CLOCK", "times are of this clock; default monotonic", OWN_SET,
	 .set = set_clock},
	{0, "namespaces", NULL, "record the namespaces of tasks", OWN_FLAG,
	 STORES(sampled.has_namespaces)},
	{0, "all-cgroups", NULL, "record the control group of each sample", OWN_FLAG,
	 STORES(sampled.has_cgroup)},
	{'q', "quiet", NULL, "print no account at the end", OWN_FLAG, STORES(quiet)},
	{'v', "verbose", NULL, "print how events are opened", OWN_FLAG, STORES(verbose)},
	{'h', "help", NULL, "print this", OWN_FLAG, STORES(help)},
};

static int record_options_check(struct record_options *options, struct error *err)
{
	bool has_tasks = options->pids || options->tids || options->user;
	bool has_cpus = options->all_cpus || options->cpus || options->cgroup;

	if (has_tasks && has_cpus)
		return error_set(err, -EINVAL,
				 "record: tasks are sampled on all CPUs: not both -p, -t or -u and "
				 "-a, -C or --cgroup");
	if (options->sampled.period && options->sampled.frequency_hz)
		return error_set(err, -EINVAL, "record: -c or -F: one of them");
	if (options->switches.wanted && strcmp(options->output, "-") == 0)
		return error_set(err, -EINVAL, "record: --switch-output needs a file, not -o -");
	if (!has_tasks && !has_cpus && !options->command)
		options->all_cpus = true;
	return 0;
}

static int record_options_complete(void *chosen, int count, char **words, struct error *err)
{
	struct record_options *options = chosen;
	int r;

	if (count)
		options->command = words;
	r = record_options_check(options, err);
	if (options->events.len)
		buf_append_char(&options->events, '\0');
	if (r == 0 && options->events.failed)
		r = error_set(err, -ENOMEM, "out of memory");
	return r;
}

static void record_options_reset(void *options)
{
	*(struct record_options *)options = (struct record_options){
		.output = "perf.data",
		.sampled = {.clock = CLOCK_MONOTONIC},
	};
}

void record_options_finish(void *options)
{
	buf_finish(&((struct record_options *)options)->events);
}

const struct own_options record_own_options = {
	.command = "record",
	.usage = "Usage: agent record [OPTION]... [[--] COMMAND [ARG]...]\n\n"
		 "Samples perf events while a command runs, or of other tasks until they end or "
		 "^C, and "
		 "writes\nperf.data, which perf report and agent -r read.\n",
	.rows = rows,
	.count = COUNT(rows),
	.help = STORES(help),
	.reset = record_options_reset,
	.complete = record_options_complete,
	.finish = record_options_finish,
};
