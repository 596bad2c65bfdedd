/* SPDX-License-Identifier: MIT */
/*
 * The table of options: those of captures, of capture files, of Kubernetes, of what is printed, and
 * others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/listen.h"
#include "agent/options/options.h"
#include "agent/options/row.h"
#include "agent/options/tls.h"
#include "requests/metrics/request_metrics.h"
#include "util/count.h"
#include "util/value.h"

/* Macros that define setters of options, for the files of rows. */

/* Stores a constant; or `value` itself. */
#define CONSTANT_SETTER(setter, member, constant)                                                  \
	static int setter(struct options *options, const char *value)                              \
	{                                                                                          \
		options->member = constant;                                                        \
		return 0;                                                                          \
	}

/* Reads the value into the member with a function of util/value.h, with its limit if any. */
#define VALUE_SETTER(setter, member, read, ...)                                                    \
	static int setter(struct options *options, const char *value)                              \
	{                                                                                          \
		return read(value, ##__VA_ARGS__, &options->member);                               \
	}

/* One of the words of an array, whose indices are the values of the member. */
#define WORD_SETTER(setter, words, member)                                                         \
	static const char *words##_get(unsigned int i)                                             \
	{                                                                                          \
		return i < COUNT(words) ? words[i] : NULL;                                         \
	}                                                                                          \
	static int setter(struct options *options, const char *value)                              \
	{                                                                                          \
		unsigned int place;                                                                \
		int code = option_words_find(words##_get, value, &place);                          \
                                                                                                   \
		if (code == 0)                                                                     \
			options->member = place;                                                   \
		return code;                                                                       \
	}

/* Options: events to capture, and their data. */

/* Fewer bytes without a unit are KiB or MiB to who types them, as they are in other programs. */
enum { RING_BYTES_MIN = 4 << 10, RING_BYTES_PLAIN_MIN = 64 << 10, RING_BYTES_MAX = 1 << 30 };

enum { BUFFERS_BYTES_MIN = 128 << 10, FLIGHT_BYTES_MIN = 2 << 20 };

enum { META_WAIT_MS_MAX = 10000, RATE_LIMIT_MAX = 100000000 };

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
	int r;

	do {
		value = value_read_pid(value, &pid);
		r = value ? add_pid(options, pid) : -EINVAL;
	} while (r == 0 && *value++);
	return r;
}

static int set_buffer_size(struct options *options, const char *value)
{
	uint64_t wanted, bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	int r = value_read_bytes(value, RING_BYTES_MAX, &wanted);

	if (r)
		return r;
	if (wanted < RING_BYTES_MIN || wanted > RING_BYTES_MAX ||
	    (wanted < RING_BYTES_PLAIN_MIN && !value[strspn(value, "0123456789")]))
		return -EINVAL;
	while (bytes < wanted)
		bytes *= 2;
	options->ring_bytes = (uint32_t)bytes;
	return 0;
}

static int set_ring_memory(struct options *options, const char *value)
{
	uint64_t bytes;
	int r = value_read_bytes(value, BUFFERS_BYTES_MAX, &bytes);

	if (r)
		return r;
	if (bytes < BUFFERS_BYTES_MIN || bytes > BUFFERS_BYTES_MAX)
		return -EINVAL;
	options->buffers_bytes = bytes;
	return 0;
}

static int set_memory_limit(struct options *options, const char *value)
{
	uint64_t bytes;
	int r = value_read_bytes(value, MEMORY_LIMIT_MAX, &bytes);

	if (r)
		return r;
	if (bytes < MEMORY_LIMIT_MIN || bytes > MEMORY_LIMIT_MAX)
		return -EINVAL;
	options->memory_limit = bytes;
	return 0;
}

static int set_rate_limit(struct options *options, enum rate_kind kind, const char *value)
{
	uint64_t events;
	int r = value_read_u64(value, &events);

	if (r)
		return r;
	if (events == 0 || events > RATE_LIMIT_MAX)
		return -EINVAL;
	options->rate_limits[kind] = (uint32_t)events;
	return 0;
}

CONSTANT_SETTER(set_lossless, lossless, true)

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
	int r = value_read_percent(value, &percent);

	if (r)
		return r;
	if (percent < BUDGET_MIN)
		return -EINVAL;
	options->budget = percent;
	return 0;
}

static int set_snaplen(struct options *options, const char *value)
{
	uint64_t bytes;
	int r = value_read_bytes(value, SNAPLEN_MAX, &bytes);

	if (r)
		return r;
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
	uint64_t ms, ns = 0;
	int r = value_read_u64(value, &ms);

	/* Without a unit it is milliseconds. */
	if (r) {
		r = value_read_time(value, &ns);
		ms = ns / 1000000;
	}
	if (r)
		return r;
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
	 options_add_rules, .list = LIST_REPEATED, .reloads = true, .about = PRINTS | OF_RULE_LISTS,
	 .offer = OFFER_FILES, .usual = true},
	{0, "priority", "LEVEL", "leave out rules below that priority", set_priority,
	 .words = priority, .reloads = true, .about = RULES | OF_RULE_CHECKS},
	{0, "tag", "TAG", "only rules that have the tag, or one of several; may be repeated",
	 options_add_tag, .list = LIST_REPEATED, .reloads = true, .about = RULES | OF_RULE_CHECKS},
	{0, "exclude-tag", "TAG", "leave out rules that have the tag; may be repeated",
	 options_add_excluded_tag, .list = LIST_REPEATED, .reloads = true,
	 .about = RULES | OF_RULE_CHECKS},
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
	{0, "lossless", NULL,
	 "with --pid: stop these processes while ring buffers are full, so that none of their "
	 "events is lost; a command is always treated so",
	 set_lossless, .about = PROCESSES | LIVE},
	{0, "self", NULL, "include the agent's own events", set_self, .about = LIVE},
	{0, "changed-arguments", NULL,
	 "also show what an argument of a failed call was on entry, if it was changed since",
	 set_changed_arguments, .about = LIVE},
	{0, "hooks", "WHERE",
	 "watch all system calls at their exit, the default; or only the wanted calls, which costs "
	 "others less, but 32-bit programs are not seen then",
	 set_hooks, .words = hooks_words_get, .about = LIVE},
	{0, "sample", "EVENT",
	 "samples of a perf event, by its name in perf, as events perf_sample: "
	 "cpu-clock/freq=99,call-graph=fp/; may be repeated. Default: 99 a second of each CPU, of "
	 "tracepoints, breakpoints and probes each",
	 options_add_sample, .list = LIST_REPEATED, .about = LIVE},
	{0, "tracepoint", "GROUP:NAME",
	 "tracepoints of the kernel as events tracepoint with their fields; patterns are allowed; "
	 "may be repeated",
	 options_add_tracepoint, .list = LIST_REPEATED, .about = LIVE},
	{0, "probe", "PROBE",
	 "u:FILE:SYMBOL[+OFFSET], with %return for returns, or usdt:FILE:PROVIDER:NAME: each time "
	 "that a program comes there as an event probe with arguments; may be repeated",
	 options_add_probe, .list = LIST_REPEATED, .about = LIVE},
	{0, "no-pushdown", NULL,
	 "let the kernel deliver all events, also those that the filter rejects", set_no_pushdown,
	 .about = LIVE},
	{0, "full-state", NULL, "keep track also of descriptors and directories that nothing shows",
	 set_full_state, .about = LIVE},
	{'n', "numevents", "COUNT", "exit after COUNT events that match", set_count,
	 .accepts = "a number of 1 or more", .usual = true},
	{'M', "duration", "SECONDS", "exit after SECONDS, or a time such as 90s, 5m or 1h",
	 set_duration, .accepts = "a number above 0, or a time such as 90s, 5m or 1h",
	 .usual = true},
	{0, "buffer-size", "BYTES",
	 "ring buffer of each CPU, as 8M, rounded up to a power of two; it does not grow then",
	 set_buffer_size,
	 .accepts = "a size from 4K to 1G such as 64K or 8M; without a unit bytes, from 65536 on",
	 .about = LIVE | OF_DOCTOR},
	{0, "ring-memory", "BYTES",
	 "all ring buffers together; default 64M, or 1/32 of the machine's memory if that is less",
	 set_ring_memory, .accepts = "a size from 128K to 64G such as 16M or 1G",
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
	{'s', "snaplen", "BYTES", "keep BYTES of each data buffer; default 80, 0: none",
	 set_snaplen, .accepts = "a number from 0 to 65000", .about = LIVE, .usual = true},
	{0, "snaplen-ports", "LOW-HIGH", "keep 16000 bytes on sockets with these ports",
	 set_snaplen_ports, .accepts = "two ports such as 8000-8099", .about = LIVE},
	{0, "dynamic-snaplen", NULL, "keep more of DNS, statsd, HTTP and databases",
	 set_dynamic_snaplen, .about = LIVE},
	{0, "statsd-port", "PORT", "the same, with statsd on this port; default 8125",
	 set_statsd_port, .accepts = "a port", .about = LIVE},
	{0, "meta-wait", "MS",
	 "delay the first event of a container until its data is known, at most MS; default 50, "
	 "0: no delay",
	 set_meta_wait, .accepts = "a number from 0 to 10000, or a time such as 50ms or 1s",
	 .about = LIVE},
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

/* Options: capture files to read and write. */

enum { MEGABYTES_MAX = 1000000000, FILE_BYTES_MIN = 1000000, FILES_MAX = 1000000 };

CONSTANT_SETTER(set_read, read, value)
CONSTANT_SETTER(set_strict, strict, true)
CONSTANT_SETTER(set_progress, progress, true)
CONSTANT_SETTER(set_write, write, value)

CONSTANT_SETTER(set_on_crash, flight_on_crash, true)

/* The unit tells which: 5m is a time, 5M a size. */
static int set_flight_recorder(struct options *options, const char *value)
{
	const size_t len = strlen(value);
	uint64_t ns = 0, bytes = 0;
	int r = len && strchr("KMG", value[len - 1])
			? value_read_bytes(value, BUFFERS_BYTES_MAX, &bytes)
			: value_read_seconds(value, &ns);

	if (r)
		return r;
	if (bytes ? bytes < FLIGHT_BYTES_MIN || bytes > BUFFERS_BYTES_MAX : !ns)
		return -EINVAL;
	options->flight_ns = ns;
	options->flight_bytes = bytes;
	return 0;
}
CONSTANT_SETTER(set_gzip, writer.compression, SCAP_GZIP)
CONSTANT_SETTER(set_zstd, writer.compression, SCAP_ZSTD)
CONSTANT_SETTER(set_fat, fat, true)
CONSTANT_SETTER(set_container_env, container_env, true)
CONSTANT_SETTER(set_native, writer.native, true)
VALUE_SETTER(set_file_time, limits.ns, value_read_seconds)
VALUE_SETTER(set_file_events, limits.events, value_read_count, UINT64_MAX)
VALUE_SETTER(set_files, limits.files, value_read_count, FILES_MAX)

static int set_file_size(struct options *options, const char *value)
{
	uint64_t bytes;
	int r = value_read_count(value, MEGABYTES_MAX, &bytes);

	if (r == 0)
		bytes *= 1000000;
	else
		r = value_read_bytes(value, MEGABYTES_MAX, &bytes);
	if (r == 0 && bytes < FILE_BYTES_MIN)
		r = -EINVAL;
	if (r == 0)
		options->limits.bytes = bytes;
	return r;
}

static const char *compat_year(unsigned int i)
{
	return i == 0 ? "2022" : NULL;
}

static int set_compat(struct options *options, const char *value)
{
	unsigned int place;
	int r = option_words_find(compat_year, value, &place);

	if (r == 0)
		options->writer.form_2022 = true;
	return r;
}

const struct option_row option_rows_file[] = {
	{'r', "read", "FILE", "take events from a capture file; -: standard input", set_read,
	 .offer = OFFER_FILES, .usual = true},
	{0, "strict", NULL,
	 "corruption or truncation of it is a failure; so are lost events, which are exit status 3 "
	 "if a command was started",
	 set_strict},
	{'P', "progress", NULL, "print on stderr how much was read", set_progress, .about = INPUT},
	{'w', "write", "FILE",
	 "write events to a capture file; -: standard output. Prints them only if an option says "
	 "what to print",
	 set_write, .offer = OFFER_FILES, .usual = true},
	{0, "flight-recorder", "TIME|BYTES",
	 "keep the latest events in memory, of a time such as 30s or in rings of 64M, and write "
	 "the file when agent dump or SIGUSR2 asks for it",
	 set_flight_recorder,
	 .accepts = "a time such as 30s or 5m, or a size from 2M to 64G such as 64M",
	 .about = OUTPUT | LIVE},
	{0, "on-crash", NULL,
	 "with --flight-recorder: also when a process is ended by SIGSEGV, SIGABRT and the like",
	 set_on_crash, .about = OUTPUT | LIVE},
	{0, "on-rule", "NAME",
	 "with --flight-recorder: also when this rule of --rules matches an event; may be repeated",
	 options_add_on_rule, .list = LIST_REPEATED, .about = OUTPUT | LIVE | RULES},
	{'z', "compress", NULL, "compress it with gzip", set_gzip, .about = OUTPUT | COMPRESSES},
	{0, "zstd", NULL, "compress it with zstd: for Lanner alone", set_zstd,
	 .about = OUTPUT | COMPRESSES},
	{'F', "fatfile", NULL,
	 "also, hidden, what keeps the names of descriptors and processes right", set_fat,
	 .about = OUTPUT},
	{0, "container-env", NULL, "also the environment of containers, which often has secrets",
	 set_container_env, .about = OUTPUT},
	{0, "native", NULL, "keep extension events unchanged, for Lanner only", set_native,
	 .about = OUTPUT},
	{0, "scap-compat", "YEAR", "for readers of that year; 2022: sysdig 0.29", set_compat,
	 .words = compat_year, .about = OUTPUT},
	{'C', "file-size", "MB",
	 "another file after that many million bytes; a counter is added to the name",
	 set_file_size,
	 .accepts = "a number of megabytes of 1 or more, or a size such as 100M or 1G",
	 .about = OUTPUT | SPLITS},
	{'G', "seconds", "SECONDS",
	 "another file after SECONDS; the name may have a time such as %H%M, as in strftime(3), "
	 "not a counter",
	 set_file_time, .accepts = "a number above 0, or a time such as 10m or 1h",
	 .about = OUTPUT | SPLITS},
	{'e', "events", "COUNT", "another file after COUNT events", set_file_events,
	 .accepts = "a number of 1 or more", .about = OUTPUT | SPLITS},
	{'W', "limit", "COUNT",
	 "with -C, -G or -e: keep the last COUNT files; of a view: show the first COUNT rows",
	 set_files, .accepts = "a number from 1 to 1000000", .about = SPLIT},
	{0},
};

/* Options: the server that is asked for the pods of this node. */

CONSTANT_SETTER(set_node, kubernetes.node, value)
CONSTANT_SETTER(set_token, kubernetes.token_path, value)
CONSTANT_SETTER(set_ca, kubernetes.ca_path, value)
CONSTANT_SETTER(set_kubelet_ca, kubernetes.kubelet_ca_path, value)
CONSTANT_SETTER(set_kubelet_insecure, kubernetes.kubelet_insecure, true)

static bool is_url(const char *text)
{
	return strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
}

static int set_api(struct options *options, const char *value)
{
	if (!is_url(value) && strcmp(value, "auto") != 0 && strcmp(value, "none") != 0)
		return -EINVAL;
	options->kubernetes.api = value;
	return 0;
}

static int set_kubelet(struct options *options, const char *value)
{
	if (!is_url(value))
		return -EINVAL;
	options->kubernetes.kubelet = value;
	return 0;
}

static int set_cluster(struct options *options, const char *value)
{
	if (!*value)
		return -EINVAL;
	options->k8s_cluster = value;
	return 0;
}

const struct option_row option_rows_kubernetes[] = {
	{0, "k8s-api", "URL",
	 "the API server; auto, the default: that of the cluster in which the agent runs, if any; "
	 "none: it is not asked",
	 set_api, .accepts = "auto, none, or a URL with https://", .about = LIVE | OF_DOCTOR},
	{0, "k8s-node", "NAME", "the name of this node; default: the variable NODE_NAME", set_node,
	 .about = LIVE | OF_DOCTOR},
	{0, "k8s-token", "FILE",
	 "the token for the API server, or the kubelet; default: that of the pod", set_token,
	 .about = LIVE | OF_DOCTOR, .offer = OFFER_FILES},
	{0, "k8s-ca", "FILE",
	 "certificates that the API server's is checked with; default: those of the pod", set_ca,
	 .about = LIVE | OF_DOCTOR, .offer = OFFER_FILES},
	{0, "kubelet", "URL", "ask this kubelet in place of the API server", set_kubelet,
	 .accepts = "a URL with https://", .about = LIVE | OF_DOCTOR},
	{0, "kubelet-ca", "FILE", "the same as --k8s-ca for the kubelet", set_kubelet_ca,
	 .about = LIVE | OF_DOCTOR, .offer = OFFER_FILES},
	{0, "kubelet-insecure", NULL, "do not check the kubelet's certificate",
	 set_kubelet_insecure, .about = LIVE | OF_DOCTOR},
	{0, "k8s-cluster", "NAME", "name of the cluster, for k8s.cluster.name", set_cluster,
	 .accepts = "a name"},
	{0},
};

/* Options: output of events and its format. */

/* ", json, text" and so on. */
#define WORD(name) ", " #name
static const char format_help[] = OUTPUT_FORMATS(WORD) "; default json, on a terminal text";

static const char *const time_words[] = {
	[TEXT_TIME_OF_DAY] = "h",  [TEXT_TIME_EPOCH] = "a", [TEXT_TIME_RELATIVE] = "r",
	[TEXT_TIME_LATENCY] = "d", [TEXT_TIME_DELTA] = "D",
};
static const char *const color_words[] = {
	[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

CONSTANT_SETTER(set_json, format, &format_json)
CONSTANT_SETTER(set_quiet, quiet, true)
CONSTANT_SETTER(set_json_fields, json_fields, value)
CONSTANT_SETTER(set_json_base64, json_base64, true)
CONSTANT_SETTER(set_no_redact, no_redact, true)
CONSTANT_SETTER(set_print, print, value)
CONSTANT_SETTER(set_wide, wide, true)
CONSTANT_SETTER(set_port_names, port_names, true)
CONSTANT_SETTER(set_ascii, style.bytes, TEXT_BYTES_ASCII)
CONSTANT_SETTER(set_base64, style.bytes, TEXT_BYTES_BASE64)
CONSTANT_SETTER(set_hex, style.bytes, TEXT_BYTES_HEX)
CONSTANT_SETTER(set_hex_ascii, style.bytes, TEXT_BYTES_HEX_ASCII)
WORD_SETTER(set_time, time_words, style.time)
WORD_SETTER(set_color, color_words, color)

static const char *format_word(unsigned int i)
{
	const struct output_format *format = output_format_get(i);

	return format ? format->name : NULL;
}

static int set_format(struct options *options, const char *value)
{
	const struct output_format *format = output_format_find(value);

	if (!format)
		return -EINVAL;
	options->format = format;
	return 0;
}

/* What other programs write is no file. */
static const char *words_no_format(const char *value)
{
	static const char *const formats[] = {"xml", "yaml", "yml", "tsv", "html", "raw"};

	for (size_t i = 0; i < COUNT(formats); i++)
		if (strcmp(formats[i], value) == 0)
			return NULL;
	return "a file: -w FILE (capture), --output file:FILE,format=text (lines)";
}

const struct option_row option_rows_print[] = {
	{'o', "format", "KIND", format_help + 2, set_format, .words = format_word,
	 .otherwise = words_no_format, .about = PRINTS | OF_LISTS, .usual = true},
	{'j', "json", NULL, "the same as -o json", set_json, .about = PRINTS | OF_LISTS},
	{'q', "quiet", NULL, "print no events", set_quiet},
	{0, "output", "KIND:TARGET,...",
	 "deliver events there, not to standard output; with keys such as format=, policy=, spool= "
	 "and, as the last one, filter=. May be repeated; see --list-outputs",
	 options_add_output, .list = LIST_REPEATED, .key = "outputs", .reloads = true},
	{0, "json-fields", "LIST", "fields with commas between; also 'default' and 'all'",
	 set_json_fields, .list = LIST_COMMAS, .about = PRINTS, .offer = OFFER_FIELD_LIST},
	{0, "json-b64", NULL, "in JSON, NAME_b64 beside text that is not UTF-8", set_json_base64,
	 .about = PRINTS},
	{'p', "print", "FORMAT",
	 "text with %FIELD in it; with * in front also when a field is missing. -pc, -pk: the "
	 "usual line with the container or the pod",
	 set_print, .about = PRINTS, .offer = OFFER_FORMAT, .usual = true},
	{0, "wide", NULL, "on a terminal, do not cut the usual lines to its width", set_wide,
	 .about = PRINTS},
	{'t', "timetype", "h|a|r|d|D",
	 "time: of day (default), since 1970, since the start, that the call took, since the "
	 "event before",
	 set_time, .words = time_words_get, .about = PRINTS},
	{'A', "print-ascii", NULL, "buffers as text of several lines", set_ascii, .about = PRINTS},
	{'b', "print-base64", NULL, "buffers in base64", set_base64, .about = PRINTS},
	{'x', "print-hex", NULL, "buffers in hexadecimal", set_hex, .about = PRINTS},
	{'X', "print-hex-ascii", NULL, "buffers in hexadecimal and as text", set_hex_ascii,
	 .about = PRINTS},
	{'R', "resolve-ports", NULL,
	 "in text, ports of sockets as names of services; numbers stay in numeric fields",
	 set_port_names, .about = PRINTS},
	{0, "no-redact", NULL, "show passwords, tokens, keys, which become asterisks by default",
	 set_no_redact, .about = PRINTS},
	{0, "color", "WHEN", "auto, always or never; default auto: on a terminal", set_color,
	 .words = color_words_get, .about = PRINTS},
	{0},
};

/* Options: reports about a capture, and commands instead of one. */

CONSTANT_SETTER(set_summary, summary, true)
CONSTANT_SETTER(set_explain, explain, true)
CONSTANT_SETTER(set_verbose, verbose, true)
CONSTANT_SETTER(set_config, config, value)
CONSTANT_SETTER(set_force, force, true)
CONSTANT_SETTER(set_pid_file, pid_file, value)

static const char *const takeover_words[] = {"exit", "wait"};

static const char *takeover_word(unsigned int i)
{
	return i < COUNT(takeover_words) ? takeover_words[i] : NULL;
}

static int set_takeover(struct options *options, const char *value)
{
	unsigned int place = 0;
	int r = value ? option_words_find(takeover_word, value, &place) : 0;

	options->takeover = place ? TAKEOVER_WAIT : TAKEOVER_EXIT;
	return r;
}

/* More frequent lines are unreadable and slow the run. */
enum { STATS_LEAST_NS = 100000000 };

/* A pass over as many sockets as there may be takes about a second. */
enum { SAMPLE_LEAST_NS = 1000000000 };

static int set_stats(struct options *options, const char *value)
{
	uint64_t ns;
	int r = value_read_seconds(value, &ns);

	if (r)
		return r;
	if (ns < STATS_LEAST_NS)
		return -EINVAL;
	options->stats_ns = ns;
	return 0;
}

static int set_http(struct options *options, const char *value)
{
	int r = listen_check(value, NULL);

	for (size_t i = 0; r == 0 && i < HTTP_MAX; i++)
		if (!options->http[i]) {
			options->http[i] = value;
			return 0;
		}
	return r ? r : -EINVAL;
}

static int set_tls(struct options *options, const char *value)
{
	return options_read_tls(value, &options->tls);
}

static int set_why(struct options *options, const char *value)
{
	options->why = true;
	options->why_ns = 0;
	return value ? value_read_time(value, &options->why_ns) : 0;
}

CONSTANT_SETTER(set_unknown_protocols, unknown_protocols, true)
CONSTANT_SETTER(set_request_metrics, request_metrics, true)
CONSTANT_SETTER(set_tcp_metrics, tcp_metrics, true)

static int set_tcp_sample(struct options *options, const char *value)
{
	uint64_t ns;
	int r = value_read_seconds(value, &ns);

	if (r)
		return r;
	if (ns < SAMPLE_LEAST_NS)
		return -EINVAL;
	options->tcp_sample_ns = ns;
	return 0;
}

VALUE_SETTER(set_metrics_series, metrics_series, value_read_count, REQUEST_METRICS_SERIES_MAX)

static const char *const metrics_schema_words[] = {
	[KINDS_OTEL] = "otel", [KINDS_KINDLING] = "kindling"};
WORD_SETTER(set_metrics_schema, metrics_schema_words, metrics_schema)

static const char *help_word(unsigned int i)
{
	return i == 0 ? "all" : NULL;
}

static int set_help(struct options *options, const char *value)
{
	unsigned int place;

	options->operand = value;
	return value ? option_words_find(help_word, value, &place) : 0;
}

const struct option_row option_rows_other[] = {
	{'c', "config", "FILE",
	 "take options from a file, too; their long names are its keys. The command line comes "
	 "before it",
	 set_config, .offer = OFFER_FILES, .usual = true,
	 .not_a_key = "files are named by 'include'"},
	{0, "pid-file", "FILE",
	 "while the agent runs, FILE has its process ID and a lock; for agent reload. Default "
	 "there: "
	 "/run/lanner/agent.pid",
	 set_pid_file, .about = OF_RELOAD, .offer = OFFER_FILES},
	{0, "force", NULL,
	 "take a configuration that has no outputs, although the one that runs has some", set_force,
	 .about = OF_RELOAD, .not_a_key = "it is for one reload"},
	{0, "take-over", "exit|wait",
	 "take over from the agent that runs with the same --pid-file, without a gap; when another "
	 "one takes "
	 "over from this one, exit, or wait for a signal. Default: exit",
	 set_takeover, .words = takeover_word, .about = LIVE, .optional = true},
	{'S', "summary", NULL, "at the end, count calls, processes and descriptors", set_summary,
	 .usual = true},
	{0, "stats", "SECONDS", "print counters to stderr every SECONDS", set_stats,
	 .accepts = "a number of 0.1 or more, or a time such as 30s or 5m"},
	{0, "http", "ADDRESS",
	 "serve /metrics, /healthz, /readyz and /status at 127.0.0.1:PORT or unix:PATH. May be "
	 "repeated",
	 set_http, .list = LIST_REPEATED,
	 .accepts = "127.0.0.1:9100, [::1]:9100, :9100 (all addresses) or unix:PATH; up to 4 of "
		    "them"},
	{0, "tls", "all|NAME,...",
	 "make requests of what processes send and receive by TLS, too, where they call functions "
	 "of OpenSSL or GnuTLS: of all, or of those with these ids and names of threads",
	 set_tls, .list = LIST_COMMAS, .about = LIVE,
	 .accepts = "all, or up to 16 ids of processes and names of up to 15 characters"},
	{0, "why", "LIMIT",
	 "tell of requests where their time went: on CPUs, in the run queue, waiting for disks, "
	 "the network, locks; of those that took LIMIT or longer (default: of all). Costs some "
	 "work at each switch between threads",
	 set_why, .optional = true, .accepts = "a number of seconds, or a time such as 100ms"},
	{0, "unknown-protocols", NULL,
	 "make requests of connections of unknown protocols, too: what one side sends and the "
	 "other one answers, with sizes and times. Costs an event for each call on them",
	 set_unknown_protocols},
	{0, "request-metrics", NULL,
	 "make requests of what all processes transfer; serve metrics of them at /metrics, or send "
	 "them to outputs otlp-metrics:",
	 set_request_metrics, .about = PAGES},
	{0, "tcp-metrics", NULL,
	 "serve or send metrics of what the kernel does on all sockets of TCP: round trips, "
	 "connections, resets, what is dropped and sent again",
	 set_tcp_metrics, .about = PAGES},
	{0, "tcp-sample", "SECONDS",
	 "have an event tcp_sample of each open connection every SECONDS, if a filter names it or "
	 "for "
	 "--tcp-metrics. Default: 10 if a filter names it",
	 set_tcp_sample, .accepts = "a number of 1 or more, or a time such as 30s or 5m",
	 .about = LIVE},
	{0, "container-counters", "EVENTS",
	 "count perf events such as page-faults,cycles of each container, and serve metrics of "
	 "them "
	 "at /metrics; see agent perf-list. May be repeated",
	 options_add_counters, .list = LIST_REPEATED, .about = LIVE | SERVED},
	{0, "profile", "KEY=VALUE,...",
	 "take a profile of each container every minute: folder=FOLDER for pprof files, "
	 "endpoint=URL for OTLP; interval=, frequency=, off-cpu=, keep=, keep-time=",
	 options_set_profile, .list = LIST_KEYS,
	 .accepts = "folder=FOLDER (absolute) or endpoint=URL (http or https, without a user), or "
		    "both; interval=1s to 1h, "
		    "frequency=1 to 1000, off-cpu=true, keep=SIZE, keep-time=TIME",
	 .about = LIVE},
	{0, "metrics-series", "N",
	 "make metrics of at most N sets of labels of requests and TCP; others are counted in one "
	 "of their kind. Of containers and their counters, too. Default: 2000",
	 set_metrics_series, .accepts = "a number from 1 to 1000000", .about = SERIES},
	{0, "metrics-schema", "NAME",
	 "names and labels of metrics of requests and TCP: those of OpenTelemetry's conventions "
	 "(otel), or those of Kindling. Default: otel",
	 set_metrics_schema, .words = metrics_schema_words_get, .about = METRICS},
	{0, "explain", NULL, "print what would be hooked, and why; then exit", set_explain,
	 .not_a_key = "it prints in place of a capture", .about = LIVE, .usual = true},
	{'v', "verbose", NULL, "print more on stderr; do not cut buffers in text", set_verbose,
	 .about = OF_LISTS | OF_RULE_CHECKS, .usual = true},
	{'l', "list", NULL, "the same as agent fields", .subcommand = "fields", .about = OF_LISTS},
	{'L', "list-events", NULL, "the same as agent events; with --rules as agent rules",
	 .subcommand = "events", .with_rules = "rules", .about = OF_LISTS},
	{0, "list-outputs", NULL, "the same as agent outputs", .subcommand = "outputs",
	 .about = OF_LISTS},
	{'V', "version", NULL, "print the version", .subcommand = "version"},
	{'h', "help", "all", "print the usual options, or all", set_help, .words = help_word,
	 .subcommand = "help", .optional = true, .usual = true},
	{0},
};

/* The groups of options. */

const struct option_group option_groups[] = {
	{"What to capture", option_rows_capture},
	{"Pods of Kubernetes", option_rows_kubernetes},
	{"Capture files", option_rows_file},
	{"What to print", option_rows_print},
	{"Views", option_rows_views},
	{"Other", option_rows_other},
	{0},
};

const struct option_row *option_row(unsigned int place)
{
	for (const struct option_group *group = option_groups; group->title; group++)
		for (const struct option_row *row = group->rows; row->name; row++)
			if (place-- == 0)
				return row;
	return NULL;
}

const struct option_row *option_find(const char *name, unsigned int *place)
{
	const struct option_row *row;

	for (unsigned int i = 0; (row = option_row(i)); i++) {
		if (strcmp(row->name, name) == 0) {
			*place = i;
			return row;
		}
	}
	return NULL;
}

size_t option_help_clause(const char *help)
{
	size_t len = strcspn(help, ";.");

	while (help[len] && help[len + 1] != ' ')
		len += 1 + strcspn(help + len + 1, ";.");
	return len;
}
