/* SPDX-License-Identifier: MIT */
/* Options: events to capture, and their data. */
#include "agent/options/row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/options/setters.h"

enum { RING_BYTES_MAX = 1 << 30, META_WAIT_MS_MAX = 10000 };

CONSTANT_SETTER(set_all_rules, all_rules, true)
CONSTANT_SETTER(set_exact_types, exact_types, true)
CONSTANT_SETTER(set_self, include_self, true)
CONSTANT_SETTER(set_host_root, host_root, value)
CONSTANT_SETTER(set_follow, follow, true)
CONSTANT_SETTER(set_no_follow, follow, false)
VALUE_SETTER(set_count, count, option_read_count, UINT64_MAX)
VALUE_SETTER(set_duration, duration_ns, option_read_seconds)
VALUE_SETTER(set_priority, priority, rules_priority_read)

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
		value = option_read_pid(value, &pid);
		code = value ? add_pid(options, pid) : -EINVAL;
	} while (code == 0 && *value++);
	return code;
}

static int set_buffer_size(struct options *options, const char *value)
{
	uint64_t wanted, bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	int code = option_read_bytes(value, RING_BYTES_MAX, &wanted);

	if (code)
		return code;
	if (wanted == 0 || wanted > RING_BYTES_MAX)
		return -EINVAL;
	while (bytes < wanted)
		bytes *= 2;
	options->ring_bytes = (uint32_t)bytes;
	return 0;
}

static int set_snaplen(struct options *options, const char *value)
{
	uint64_t bytes;
	int code = option_read_u64(value, &bytes);

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
	const char *rest = option_read_port(value, '-', &low);

	if (!rest || !option_read_port(rest, '\0', &high) || low > high)
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
	if (!option_read_port(value, '\0', &options->snaplen_rules.statsd_port))
		return -EINVAL;
	return set_dynamic_snaplen(options, NULL);
}

static int set_meta_wait(struct options *options, const char *value)
{
	uint64_t ms;
	int code = option_read_u64(value, &ms);

	if (code)
		return code;
	if (ms > META_WAIT_MS_MAX)
		return -EINVAL;
	options->meta_wait_ms = (uint32_t)ms;
	return 0;
}

const struct option_row option_rows_capture[] = {
	{0, "filter", "EXPR",
	 "only events that match; the words that are no options are a filter, too",
	 set_filter, .accepts = "one expression, given once"},
	{0, "rules", "FILE", "rules in YAML, a file or a folder; may be repeated", options_add_rules,
	 .about = PRINTS, .offer = OFFER_FILES, .usual = true},
	{0, "priority", "LEVEL", "leave out rules below that priority", set_priority,
	 .words = priority, .about = RULES | OF_RULE_CHECKS},
	{0, "all-rules", NULL, "a line for each rule that matches, not for the first alone",
	 set_all_rules, .about = RULES},
	{0, "exact-types", NULL, "evt.type=open is not also openat and openat2", set_exact_types,
	 .about = OF_CHECKS},
	{0, "pid", "PID,...",
	 "only events of these processes; and, from now on, of their children. May be repeated",
	 add_pids, .accepts = "process IDs such as 17 or 17,18", .usual = true},
	{0, "follow", NULL, "with --pid or a command: also of children; the default", set_follow,
	 .about = PROCESSES},
	{0, "no-follow", NULL, "with --pid or a command: not of children", set_no_follow,
	 .about = PROCESSES},
	{0, "self", NULL, "include the agent's own events", set_self, .about = LIVE},
	{'n', NULL, "COUNT", "exit after COUNT events that match", set_count,
	 .accepts = "a number of 1 or more", .usual = true},
	{'M', NULL, "SECONDS", "exit after SECONDS", set_duration, .accepts = "a number above 0",
	 .usual = true},
	{0, "buffer-size", "BYTES",
	 "ring buffer of each CPU, rounded up to a power of two; default 4M, less on many CPUs", set_buffer_size,
	 .accepts = "a size up to 1G such as 65536, 64K or 8M", .about = LIVE},
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
	 options_add_runtime_socket, .about = LIVE, .offer = OFFER_FILES},
	{0, "host-root", "DIR",
	 "in a container: the root of the host is mounted at DIR; default: HOST_ROOT of the environment",
	 set_host_root, .about = LIVE, .offer = OFFER_FILES},
	{0},
};
