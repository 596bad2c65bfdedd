/* SPDX-License-Identifier: MIT */
/* The version, what the agent uses, what it looks for, then the counters so far. */
#include "agent/run/status.h"

#include <inttypes.h>
#include <sys/utsname.h>
#include <time.h>

#include "agent/process/memory.h"
#include "agent/run/report.h"
#include "agent/run/run.h"
#include "output/delivery/outputs.h"
#include "util/clock.h"
#include "util/version.h"

enum { NS_PER_S = 1000000000, BYTES_PER_MIB = 1 << 20, TIME_TEXT_MAX = 32 };

static void append_version(struct buf *out)
{
	struct utsname names;

	BUF_LITERAL(out, "version: " LANNER_VERSION);
	if (uname(&names) == 0)
		buf_printf(out, " on Linux %s %s", names.release, names.machine);
	buf_append_char(out, '\n');
}

/* "3 d 4 h", "4 h 5 min" or "5 min 6 s". */
static void append_duration(uint64_t seconds, struct buf *out)
{
	static const struct {
		const char *name;
		uint64_t seconds;
	} units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
	size_t i = 0;

	while (i < 2 && seconds < units[i].seconds)
		i++;
	buf_printf(out, "%" PRIu64 " %s %" PRIu64 " %s", seconds / units[i].seconds, units[i].name,
		   seconds % units[i].seconds / units[i + 1].seconds, units[i + 1].name);
}

static void append_usage(struct buf *out)
{
	struct process_usage usage;
	char since[TIME_TEXT_MAX] = "";
	uint64_t now_ns = clock_ns(CLOCK_REALTIME), ran_ns;
	struct tm parts;
	time_t start;

	process_usage_read(&usage);
	start = (time_t)(usage.start_ns / NS_PER_S);
	ran_ns = now_ns > usage.start_ns ? now_ns - usage.start_ns : 0;
	if (gmtime_r(&start, &parts))
		strftime(since, sizeof(since), "%Y-%m-%dT%H:%M:%SZ", &parts);
	buf_printf(out, "running: since %s, ", since);
	append_duration(ran_ns / NS_PER_S, out);
	buf_printf(out,
		   "; %.2f %% of a CPU on average, %.1f MiB of memory, %" PRIu64 " descriptors\n",
		   ran_ns ? (double)usage.cpu_ns * 100 / (double)ran_ns : 0.0,
		   (double)usage.resident_bytes / BYTES_PER_MIB, usage.descriptors);
}

static void append_state(const struct run *run, struct buf *out)
{
	struct sinsp_stats state;

	sinsp_stats(run->sinsp, &state);
	buf_printf(out,
		   "state: %" PRIu64 " threads and %" PRIu64
		   " descriptors in %.1f MiB of at most %.1f; dropped to stay below: %" PRIu64
		   " and %" PRIu64 "\n",
		   state.threads, state.fds, (double)state.memory_bytes / BYTES_PER_MIB,
		   (double)state.memory_max / BYTES_PER_MIB, state.threads_evicted,
		   state.fds_evicted);
}

static void append_plan(const struct run *run, struct buf *out)
{
	const struct options *options = run->options;

	if (options->filter)
		buf_printf(out, "filter: %s\n", options->filter);
	if (run->plan->ruleset)
		buf_printf(out, "rules: %zu\n", ruleset_count(run->plan->ruleset));
	if (!options->filter && !run->plan->ruleset)
		BUF_LITERAL(out, "filter: none, every event is shown\n");
}

void status_append(const struct run *run, struct buf *out)
{
	size_t start;

	append_version(out);
	append_usage(out);
	append_state(run, out);
	append_plan(run, out);
	BUF_LITERAL(out, "events: ");
	start = out->len;
	if (report_append_counters(run, out) && !out->failed) {
		out->len = start;
		BUF_LITERAL(out, "the driver's counters cannot be read");
	}
	buf_append_char(out, '\n');
	report_append_outputs(run, out);
	outputs_health(&run->outputs, clock_ns(CLOCK_MONOTONIC), out);
}
