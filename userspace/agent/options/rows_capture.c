/* SPDX-License-Identifier: MIT */
/* Options: events to capture, and their data. */
#include "agent/options/row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/options/setters.h"

enum { RING_BYTES_MAX = 1 << 30, META_WAIT_MS_MAX = 10000, RATE_LIMIT_MAX = 100000000 };

/* Below, one look at the counters costs as much. */
#define BUDGET_MIN 0.1

#define BUFFERS_BYTES_MAX (UINT64_C(64) << 30)
#define MEMORY_LIMIT_MIN (UINT64_C(32) << 20)
#define MEMORY_LIMIT_MAX (UINT64_C(16) << 40)

CONSTANT_SETTER(set_all_rules, all_rules, true)
CONSTANT_SETTER(set_exact_types, exact_types, true)
CONSTANT_SETTER(set_full_state, full_state, true)
CONSTANT_SETTER(set_self, include_self, true)
CONSTANT_SETTER(set_changed_arguments, changed_arguments, true)
CONSTANT_SETTER(set_no_pushdown, no_pushdown, true)
CONSTANT_SETTER(set_host_root, host_root, value)
CONSTANT_SETTER(set_follow, follow, true)
CONSTANT_SETTER(set_no_follow, follow, false)
VALUE_SETTER(set_count, count, value_read_count, UINT64_MAX)
VALUE_SETTER(set_duration, duration_ns, value_read_seconds)
VALUE_SETTER(set_priority, priority, rules_priority_read)

static const char *const privileges_words[] = {
	[PRIVILEGES_KEEP] = "keep", [PRIVILEGES_DROP] = "drop", [PRIVILEGES_LOG] = "log"};
WORD_SETTER(set_privileges, privileges_words, privileges)

static const char *const hooks_words[] = {[CALL_HOOKS_ALL] = "exit", [CALL_HOOKS_EACH] = "calls"};
WORD_SETTER(set_hooks, hooks_words, call_hooks)

static const char *priority(unsigned int i)
{
	return i < PRIORITIES_COUNT ? rules_priority_name(i) : NULL;
}

static int set_filter(struct options *options, const char *value)
{
	if (options->filter)
		return -EINVAL;
	options->filter = strdup(value);
	return options->filter ? 0 : -ENOMEM;
}

static int add_pid(struct options *options, pid_t pid)
{
	pid_t *pids = realloc(options->pids, (options->pids_count + 1) * sizeof(pids[0]));

	if (!pids)
		return -ENOMEM;
	options->pids = pids;
	options->pids[options->pids_count++] = pid;
	return 0;
}

/* "1,2,3" */
static int add_pids(struct options *options, const char *value)
{
	pid_t pid;
	int code;

	do {
		value = value_read_pid(value, &pid);
		code = value ? add_pid(options, pid) : -EINVAL;
	} while (code == 0 && *value++);
	return code;
}

static int set_buffer_size(struct options *options, const char *value)
{
	uint64_t wanted, bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	int code = value_read_bytes(value, RING_BYTES_MAX, &wanted);

	if (code)
		return code;
	if (wanted == 0 || wanted > RING_BYTES_MAX)
		return -EINVAL;
	while (bytes < wanted)
		bytes *= 2;
	options->ring_bytes = (uint32_t)bytes;
	return 0;
}

static int set_ring_memory(struct options *options, const char *value)
{
	uint64_t bytes;
	int code = value_read_bytes(value, BUFFERS_BYTES_MAX, &bytes);

	if (code)
		return code;
	if (bytes == 0 || bytes > BUFFERS_BYTES_MAX)
		return -EINVAL;
	options->buffers_bytes = bytes;
	return 0;
}

static int set_memory_limit(struct options *options, const char *value)
{
	uint64_t bytes;
	int code = value_read_bytes(value, MEMORY_LIMIT_MAX, &bytes);

	if (code)
		return code;
	if (bytes < MEMORY_LIMIT_MIN || bytes > MEMORY_LIMIT_MAX)
		return -EINVAL;
	options->memory_limit = bytes;
	return 0;
}

static int set_rate_limit(struct options *options, enum rate_kind kind, const char *value)
{
	uint64_t events;
	int code = value_read_u64(value, &events);

	if (code)
		return code;
	if (events == 0 || events > RATE_LIMIT_MAX)
		return -EINVAL;
	options->rate_limits[kind] = (uint32_t)events;
	return 0;
}

static int set_process_limit(struct options *options, const char *value)
{
	return set_rate_limit(options, RATE_OF_PROCESS, value);
}

static int set_cgroup_limit(struct options *options, const char *value)
{
	return set_rate_limit(options, RATE_OF_CGROUP, value);
}

static int set_budget(struct options *options, const char *value)
{
	double percent;
	int code = value_read_percent(value, &percent);

	if (code)
		return code;
	if (percent < BUDGET_MIN)
		return -EINVAL;
	options->budget = percent;
	return 0;
}

static int set_snaplen(struct options *options, const char *value)
{
	uint64_t bytes;
	int code = value_read_u64(value, &bytes);

	if (code)
		return code;
	if (bytes > SNAPLEN_MAX)
		return -EINVAL;
	options->snaplen = (uint32_t)bytes;
	options->snaplen_chosen = true;
	return 0;
}

static int set_snaplen_ports(struct options *options, const char *value)
{
	struct snaplen_rules *rules = &options->snaplen_rules;
	uint16_t low, high;
	const char *rest = value_read_port(value, '-', &low);

	if (!rest || !value_read_port(rest, '\0', &high) || low > high)
		return -EINVAL;
	rules->full_low = low;
	rules->full_high = high;
	options->snaplen_chosen = true;
	return 0;
}

static int set_dynamic_snaplen(struct options *options, const char *value)
{
	options->snaplen_rules.dynamic = true;
	options->snaplen_chosen = true;
	return 0;
}

/* Also keeps more data of this port. */
static int set_statsd_port(struct options *options, const char *value)
{
	if (!value_read_port(value, '\0', &options->snaplen_rules.statsd_port))
		return -EINVAL;
	return set_dynamic_snaplen(options, NULL);
}

static int set_meta_wait(struct options *options, const char *value)
{
	uint64_t ms;
	int code = value_read_u64(value, &ms);

	if (code)
		return code;
	if (ms > META_WAIT_MS_MAX)
		return -EINVAL;
	options->meta_wait_ms = (uint32_t)ms;
	return 0;
}

const struct option_row option_rows_capture[] = {
	{0, "filter", "EXPR",
	 "only events that match; the words that are no options are a filter, too", set_filter,
	 .reloads = true, .accepts = "one expression, given once"},
	{0, "rules", "FILE", "rules in YAML, a file or a folder; may be repeated",
	 options_add_rules, .list = LIST_REPEATED, .reloads = true, .about = PRINTS,
	 .offer = OFFER_FILES, .usual = true},
	{0, "priority", "LEVEL", "leave out rules below that priority", set_priority,
	 .words = priority, .reloads = true, .about = RULES | OF_RULE_CHECKS},
	{0, "all-rules", NULL, "a line for each rule that matches, not for the first alone",
	 set_all_rules, .reloads = true, .about = RULES},
	{0, "exact-types", NULL, "evt.type=open is not also openat and openat2", set_exact_types,
	 .reloads = true, .about = OF_CHECKS},
	{0, "pid", "PID,...",
	 "only events of these processes; and, from now on, of their children. May be repeated",
	 add_pids, .list = LIST_REPEATED, .accepts = "process IDs such as 17 or 17,18",
	 .usual = true},
	{0, "follow", NULL, "with --pid or a command: also of children; the default", set_follow,
	 .about = PROCESSES},
	{0, "no-follow", NULL, "with --pid or a command: not of children", set_no_follow,
	 .about = PROCESSES},
	{0, "self", NULL, "include the agent's own events", set_self, .about = LIVE},
	{0, "changed-arguments", NULL,
	 "also show what an argument of a failed call was on entry, if it was changed since",
	 set_changed_arguments, .about = LIVE},
	{0, "hooks", "WHERE",
	 "watch all system calls at their exit, the default; or only the wanted calls, which costs "
	 "others less, but 32-bit programs are not seen then",
	 set_hooks, .words = hooks_words_get, .about = LIVE},
	{0, "no-pushdown", NULL,
	 "let the kernel deliver all events, also those that the filter rejects", set_no_pushdown,
	 .about = LIVE},
	{0, "full-state", NULL, "keep track also of descriptors and directories that nothing shows",
	 set_full_state, .about = LIVE},
	{'n', "numevents", "COUNT", "exit after COUNT events that match", set_count,
	 .accepts = "a number of 1 or more", .usual = true},
	{'M', "duration", "SECONDS", "exit after SECONDS", set_duration,
	 .accepts = "a number above 0", .usual = true},
	{0, "buffer-size", "BYTES",
	 "ring buffer of each CPU, rounded up to a power of two; it does not grow then",
	 set_buffer_size, .accepts = "a size up to 1G such as 65536, 64K or 8M",
	 .about = LIVE | OF_DOCTOR},
	{0, "ring-memory", "BYTES",
	 "all ring buffers together; default 64M, or 1/32 of the machine's memory if that is less",
	 set_ring_memory, .accepts = "a size up to 64G such as 16M or 1G",
	 .about = LIVE | OF_DOCTOR},
	{0, "memory-limit", "BYTES",
	 "memory of the agent; what it knows of threads and descriptors has half of it. Default: "
	 "the "
	 "limit of its control group; without, 1/16 of the machine's memory, 1G at most",
	 set_memory_limit, .accepts = "a size of 32M or more"},
	{0, "process-limit", "EVENTS",
	 "at most EVENTS a second of each process; more are lost, and counted; important ones "
	 "and those of rules never",
	 set_process_limit, .accepts = "a number from 1 to 100000000", .about = LIVE},
	{0, "cgroup-limit", "EVENTS",
	 "the same of all processes that are in the same control groups, such as a container",
	 set_cgroup_limit, .accepts = "a number from 1 to 100000000", .about = LIVE},
	{0, "budget", "PERCENT",
	 "the capture may cost PERCENT of all CPUs; beyond it the least important events are lost, "
	 "and counted",
	 set_budget, .accepts = "a number from 0.1 to 100", .about = LIVE},
	{'s', "snaplen", "BYTES", "keep BYTES of each data buffer; default 80", set_snaplen,
	 .accepts = "a number from 0 to 65000", .about = LIVE, .usual = true},
	{0, "snaplen-ports", "LOW-HIGH", "keep 16000 bytes on sockets with these ports",
	 set_snaplen_ports, .accepts = "two ports such as 8000-8099", .about = LIVE},
	{0, "dynamic-snaplen", NULL, "keep more of DNS, statsd, HTTP and databases",
	 set_dynamic_snaplen, .about = LIVE},
	{0, "statsd-port", "PORT", "the same, with statsd on this port; default 8125",
	 set_statsd_port, .accepts = "a port", .about = LIVE},
	{0, "meta-wait", "MS",
	 "delay the first event of a container until its data is known, at most MS; default 50, "
	 "0: no delay",
	 set_meta_wait, .accepts = "a number from 0 to 10000", .about = LIVE},
	{0, "runtime-socket", "PATH",
	 "also ask the container runtime behind this socket; may be repeated",
	 options_add_runtime_socket, .list = LIST_REPEATED, .about = LIVE | OF_DOCTOR,
	 .offer = OFFER_FILES},
	{0, "host-root", "DIR",
	 "in a container: the root of the host is mounted at DIR; default: HOST_ROOT of the "
	 "environment",
	 set_host_root, .about = LIVE | OF_DOCTOR, .offer = OFFER_FILES},
	{0, "privileges", "MODE",
	 "while capturing: drop those that are not needed any more, the default; keep; or log: "
	 "drop, "
	 "and the kernel logs calls that would be rejected",
	 set_privileges, .words = privileges_words_get, .about = LIVE},
	{0},
};
