/* SPDX-License-Identifier: MIT */
/*
 * The table of habits: options of sysdig, Falco, strace, tcpdump, perf, tetra and tracee. A row
 * that names no kind of value is about an option that the agent does not have.
 */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "agent/options/habits.h"
#include "util/count.h"

/* What values are like. */

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static bool consists_of(const char *value, const char *set)
{
	return value && *value && value[strspn(value, set)] == '\0';
}

static bool is_numbers(const char *value)
{
	return consists_of(value, DIGITS ",");
}

static bool is_list_of_numbers(const char *value)
{
	return consists_of(value, DIGITS ",") && strchr(value, ',');
}

/* -c 10; but a file may have that name, too. */
static bool is_count(const char *value)
{
	return consists_of(value, DIGITS) && access(value, F_OK);
}

static bool is_option(const char *value)
{
	return value && value[0] == '-' && value[1] && !strchr(DIGITS, value[1]);
}

/* Without what makes a filter of it. */
static bool is_word(const char *value)
{
	return consists_of(value, LETTERS DIGITS "_-") && strcmp(value, "not") != 0;
}

/* -c topprocs_cpu */
static bool is_missing_word(const char *value)
{
	return is_word(value) && access(value, F_OK);
}

/* "network", but not "h", nor a misspelt one of the values of -t. */
static bool is_tag(const char *value)
{
	return value && strlen(value) > 2 && strchr(LETTERS, value[0]) && is_word(value);
}

static bool has_end(const char *value, const char *end)
{
	size_t len = strlen(value), end_len = strlen(end);

	return len > end_len && strcmp(value + len - end_len, end) == 0;
}

static bool is_yaml(const char *value)
{
	return value && (has_end(value, ".yaml") || has_end(value, ".yml"));
}

static bool is_file(const char *value)
{
	return value && *value && access(value, F_OK) == 0;
}

static bool is_capture(const char *value)
{
	return value && (has_end(value, ".scap") || has_end(value, ".scap.gz"));
}

static bool is_path(const char *value)
{
	return value && value[0] == '/';
}

/* Paths that are relative, too; but not fd.name=/etc/passwd. */
static bool is_any_path(const char *value)
{
	return value && strchr(value, '/') && !strpbrk(value, "=<> ");
}

static bool is_assignment(const char *value)
{
	return value && strchr(value, '=');
}

static bool is_name_of_file(const char *value)
{
	return value && strpbrk(value, "./|!");
}

/* The name of a file: a kind of output, as "stdout,format=text", has no such character in its word.
 */
static bool is_no_target(const char *value)
{
	char first = value ? value[strcspn(value, ":,./")] : '\0';

	return first == '.' || first == '/';
}

/* What is typed after -t alone: "-t evt.type=open", "-t -f". */
static bool is_no_time(const char *value)
{
	return !value || is_option(value) || strpbrk(value, ".=");
}

static bool is_url(const char *value)
{
	return value && strstr(value, "://");
}

static bool is_no_number(const char *value)
{
	return value && *value && !strchr(DIGITS "-+", value[0]);
}

static bool is_tampering(const char *value)
{
	return value && (strncmp(value, "inject=", 7) == 0 || strncmp(value, "fault=", 6) == 0);
}

static bool is_dump(const char *value)
{
	return value && (strncmp(value, "read=", 5) == 0 || strncmp(value, "write=", 6) == 0);
}

static bool is_signals(const char *value)
{
	return value && strncmp(value, "signal=", 7) == 0;
}

/* Of strace, besides these: -e abbrev=none, -e quiet=all. */
static bool is_of_decoder(const char *value)
{
	static const char *const keys[] = {
		"abbrev=", "verbose=", "raw=", "decode-fds=", "decode-pids=", "quiet="};

	for (size_t i = 0; value && i < COUNT(keys); i++)
		if (strncmp(value, keys[i], strlen(keys[i])) == 0)
			return true;
	return false;
}

static bool is_calls(const char *value)
{
	return is_no_number(value) && (strncmp(value, "trace=", 6) == 0 || !strpbrk(value, "=.*"));
}

static bool is_sort_key(const char *value)
{
	static const char *const keys[] = {"time",     "time-total", "min-time", "max-time",
					   "avg-time", "calls",	     "count",	 "errors",
					   "error",    "name",	     "syscall",	 "nothing"};

	for (size_t i = 0; value && i < COUNT(keys); i++)
		if (strcmp(value, keys[i]) == 0)
			return true;
	return false;
}

static bool is_packet_word(const char *value)
{
	static const char *const words[] = {"host", "port", "net", "tcp", "udp", "src", "dst"};

	for (size_t i = 0; value && i < COUNT(words); i++)
		if (strcmp(value, words[i]) == 0)
			return true;
	return false;
}

/* -e status=failed, --status=failed */
static bool is_status(const char *value, const char *word)
{
	static const char key[] = "status=";

	if (value && strncmp(value, key, sizeof(key) - 1) == 0)
		value += sizeof(key) - 1;
	return value && strcmp(value, word) == 0;
}

/* --absolute-timestamps=format:unix,precision:us */
static bool is_unix_time(const char *value)
{
	return value && strstr(value, "unix");
}

static bool is_failed(const char *value)
{
	return is_status(value, "failed");
}

static bool is_successful(const char *value)
{
	return is_status(value, "successful");
}

/* Page faults in perf: -F all, -F maj */
static bool is_faults(const char *value)
{
	return value && (strcmp(value, "all") == 0 || strcmp(value, "maj") == 0 ||
			 strcmp(value, "min") == 0);
}

/* Of tracee: -C bypass */
static bool is_capabilities(const char *value)
{
	return value && (strcmp(value, "bypass") == 0 || strncmp(value, "add=", 4) == 0 ||
			 strncmp(value, "drop=", 5) == 0);
}

/* -pm, -pmesos */
static bool is_mesos(const char *value)
{
	return value && (strcmp(value, "m") == 0 || strcmp(value, "mesos") == 0);
}

/* Those of words that have one form. */
#define IS_EQUAL(name, text)                                                                       \
	static bool name(const char *value)                                                        \
	{                                                                                          \
		return value && strcmp(value, text) == 0;                                          \
	}
IS_EQUAL(is_n, "n")
IS_EQUAL(is_t, "t")
IS_EQUAL(is_tt, "tt")
IS_EQUAL(is_ttt, "ttt")
IS_EQUAL(is_tttt, "tttt")
IS_EQUAL(is_l, "l")
IS_EQUAL(is_any, "any")
IS_EQUAL(is_compact, "compact")
IS_EQUAL(is_table, "table")

/* The table. */

#define HINT(typed, when, text)                                                                    \
	{                                                                                          \
		typed, when, HABIT_HINT, text, NULL, false                                         \
	}
#define NOTHING(typed)                                                                             \
	{                                                                                          \
		typed, NULL, HABIT_NOTHING, NULL, NULL, false                                      \
	}
#define NOTHING_WITH(typed, when)                                                                  \
	{                                                                                          \
		typed, when, HABIT_NOTHING, NULL, NULL, true                                       \
	}
#define OPTION(typed, when, name, value)                                                           \
	{                                                                                          \
		typed, when, HABIT_OPTION, name, value, false                                      \
	}
#define OPTION_WITH(typed, when, name)                                                             \
	{                                                                                          \
		typed, when, HABIT_OPTION, name, NULL, true                                        \
	}
#define FILTER(typed, when, text)                                                                  \
	{                                                                                          \
		typed, when, HABIT_FILTER, text, NULL, false                                       \
	}
#define FILTER_WITH(typed, when, text)                                                             \
	{                                                                                          \
		typed, when, HABIT_FILTER, text, NULL, true                                        \
	}
#define CALLS(typed, when)                                                                         \
	{                                                                                          \
		typed, when, HABIT_CALLS, NULL, NULL, true                                         \
	}

/* Of one option the first row that fits counts. */
static const struct habit habits[] = {
	/* Letters that the agent has with another meaning. */
	HINT("-V --version", is_yaml, "it prints the version; rules: agent check-rules {}"),
	HINT("-V --version", is_file, "it prints the version; several files: agent -r {}, each"),
	HINT("-V --version", is_name_of_file, "it prints the version; rules: agent check-rules {}"),
	HINT("-p --print", is_numbers, "it is a format; a process is --pid {}"),
	HINT("-p --print", is_mesos, "there is no format of Mesos; -pc, -pk"),
	HINT("-p --print", is_option, "it needs a format: -p '%proc.name %evt.type', -pc or -pk"),
	HINT("-p", is_yaml, "it is a format; rules: --rules {}"),
	HINT("-o", is_assignment, "an option of a file: -c FILE, or --output KIND:TARGET,{}"),
	HINT("-o", is_name_of_file,
	     "events to a file: -w {} (capture), --output file:{},format=text (lines)"),
	HINT("-o", is_compact, "lines of text: -o text"),
	HINT("-o", is_table, "lines of text: -o text"),
	OPTION_WITH("-c", is_count, "numevents"),
	HINT("-c", is_option, "it takes a file of options; counts of calls: -S"),
	HINT("-c", is_l, "there are no chisels: -S counts, -p prints fields"),
	HINT("-c", is_missing_word,
	     "there is no file {}, and there are no chisels: -S counts, -p prints fields"),
	HINT("-n", is_n, "names are off without it; -n takes a number of events"),
	HINT("-n", is_option, "it takes a number of events; names are off without it"),
	HINT("-n", is_packet_word, "it takes a number of events; packets of one port: fd.port=80"),
	HINT("-n", is_tag, "it takes a number of events; a namespace: k8s.ns.name={}"),
	HINT("-e", is_tampering, "the agent only watches, it changes no call"),
	HINT("-e", is_dump, "data of descriptors: agent -X 'evt.is_io=true and fd.num=3'"),
	HINT("-e", is_of_decoder, "all is decoded; raw values: evt.rawarg.NAME with -p"),
	FILTER_WITH("-e --status", is_failed, "evt.failed=true"),
	FILTER_WITH("-e --status", is_successful, "evt.failed=false"),
	FILTER_WITH("-e", is_signals, "evt.type=signaldeliver"),
	HINT("-e", is_capture, "a capture file is read with -r {}"),
	CALLS("-e --event --events --expr", is_calls),
	HINT("-e", is_assignment, "no set of calls; a filter is like evt.type=open"),
	HINT("-r --read", is_yaml, "it reads a capture file; Falco's rules: --rules {}"),
	HINT("-r", is_option, "it reads a capture file; the time since the event before: -t D"),
	HINT("-r", is_count, "it reads a capture file; the time since the event before: -t D"),
	HINT("-r", NULL, "it reads a capture file; the time since the event before: -t D"),
	OPTION("-t", is_t, "timetype", "h"),
	OPTION("-t", is_tt, "timetype", "a"),
	HINT("-t", is_ttt, "with the date: -p '%evt.datetime %proc.name %evt.type %evt.args'"),
	OPTION("-t", is_tttt, "timetype", "r"),
	HINT("-t --tid", is_numbers, "a thread: thread.tid={}"),
	OPTION("-t", is_no_time, "timetype", "h"),
	OPTION_WITH("-t", is_tag, "tag"),
	HINT("-s", is_option, "it takes a number of bytes; counts of calls: -S"),
	HINT("-s", is_assignment, "it takes a number of bytes; events of a user: user.uid=0"),
	HINT("-S --summary", is_numbers, "it takes no value; bytes of each buffer: -s {}"),
	HINT("-S --summary", is_sort_key, "it takes no value, and counts most first"),
	HINT("-C", is_list_of_numbers, "events of CPUs: evt.cpu in ({})"),
	HINT("-C", is_capabilities,
	     "it takes a size of files; privileges: --privileges drop, or keep"),
	HINT("-C", is_option, "it takes a size of files; counts of calls: -S"),
	HINT("-G", is_tag, "events of a control group: thread.cgroups contains {}"),
	HINT("-F --fatfile", is_numbers, "there is no sampling: each event is seen"),
	HINT("-F --fatfile", is_faults, "page faults: evt.type=page_fault"),
	FILTER_WITH("-P --trace-path", is_any_path, "fd.name={}"),
	HINT("--output", is_no_target,
	     "expected KIND:TARGET: --output file:{},format=text; or -w {} for a capture file"),
	OPTION("--list", is_word, "list", NULL),

	/* Letters and names that the agent does not have: they work, or say what does. */
	NOTHING("-f --follow-forks"),
	HINT("--output-append-mode", NULL, "-o text >> FILE"),
	HINT("--output-separately", NULL,
	     "all is one stream, with proc.pid; -w, then -r with a filter"),
	NOTHING("-y -Y --decode-fds --decode-pids"),
	OPTION_WITH("-T", is_tag, "exclude-tag"),
	OPTION("-T --syscall-times", NULL, "timetype", "d"),
	OPTION("--relative-timestamps", NULL, "timetype", "D"),
	OPTION("--absolute-timestamps --timestamps", is_unix_time, "timetype", "a"),
	OPTION("--absolute-timestamps --timestamps", NULL, "timetype", "h"),
	NOTHING("-D --daemonize --seccomp-bpf --kill-on-exit --interruptible"),
	HINT("--argv0", NULL, "agent -- bash -c 'exec -a {} PROGRAM'"),
	HINT("--debug", NULL, "more messages: -v; the agent's own events: --self"),
	HINT("-E --env", is_assignment, "a variable of the command: agent -- env {} PROGRAM"),
	NOTHING("-E --exclude-users"),
	NOTHING_WITH("-i --interface", is_any),
	HINT("-i --input", is_file, "a capture file is read with -r {}"),
	HINT("-i --interface", is_word,
	     "all interfaces are seen, calls and not packets; an address: fd.ip=, a port: "
	     "fd.port="),
	HINT("-i --input", NULL, "events that there are: agent events; a capture file: -r FILE"),
	HINT("-U --suppress-comm", is_word, "without a process: proc.name!={}"),
	NOTHING("-U --unbuffered --packet-buffered --immediate-mode"),
	HINT("-a --columns", is_numbers, "columns are those of -p FORMAT"),
	NOTHING("-a --all-cpus"),
	HINT("-B", is_numbers, "the ring buffer of each CPU: --buffer-size {}K"),
	NOTHING("-B --bpf --modern-bpf --kmod"),
	NOTHING_WITH("--cpus-for-each-buffer", is_numbers),
	HINT("-k", is_url, "the API server: --k8s-api {}"),
	HINT("-k -g --stack-trace --stack-traces --call-graph", NULL, "stacks are not kept"),
	HINT("-K --k8s-api-cert", NULL, "--k8s-token FILE, --k8s-ca FILE"),
	HINT("-m --mmap-pages", is_numbers, "the ring buffer of each CPU: --buffer-size BYTES"),
	HINT("-m --mesos-api", NULL, "Mesos is not asked; Kubernetes: --k8s-api"),
	HINT("-u --uid --user", is_word, "events of a user: user.name={} or user.uid={}"),
	HINT("-u --udig --gvisor-config", NULL, "the only driver is eBPF"),
	HINT("-I --interval-print", is_numbers, "counters now and then: --stats SECONDS"),
	HINT("-H -I -Il --plugin --list-plugins --plugin-info --plugin-config-file", NULL,
	     "there are no plugins"),
	HINT("-N", NULL, "arguments have their names; names of fields: agent fields"),
	NOTHING("--arg-names --always-show-pid --comm"),
	HINT("-d -O --no-optimize --debug-filter-parser", NULL,
	     "what becomes of the filter: agent --explain"),
	NOTHING("--displayflt"),
	HINT("-Q --direction", NULL, "evt.is_io_read=true, evt.is_io_write=true"),
	HINT("-J --linktype --list-interfaces --list-data-link-types --time-stamp-type "
	     "--list-time-stamp-types --monitor-mode",
	     NULL, "events are calls, not packets; of sockets: fd.type in (ipv4, ipv6)"),
	NOTHING("--no-promiscuous-mode --micro --nano --time-stamp-precision -# --number"),
	HINT("-Z --relinquish-privileges", is_word,
	     "privileges are dropped without it: --privileges drop"),
	FILTER("-Z --failed-only --failure", NULL, "evt.failed=true"),
	FILTER("--successful-only", NULL, "evt.failed=false"),
	HINT("-z", NULL, "failed calls: evt.failed=true, others: evt.failed=false"),
	CALLS("--trace", is_calls),
	HINT("--inject --fault --tamper", NULL, "the agent only watches, it changes no call"),
	HINT("--signal", NULL, "signals: evt.type=signaldeliver"),
	OPTION_WITH("--attach", is_numbers, "pid"),
	OPTION_WITH("--string-limit --snapshot-length", is_numbers, "snaplen"),
	OPTION("--no-abbrev", NULL, "verbose", NULL),
	HINT("--summary-only --summary-sort-by --summary-columns --summary-wall-clock", NULL,
	     "counts alone, most first: -S -q"),
	HINT("--const-print-style --abbrev --raw", NULL,
	     "all is decoded; raw values: evt.rawarg.NAME with -p"),
	OPTION("--strings-in-hex", NULL, "print-hex", NULL),
	HINT("--trace-fds", NULL, "calls on descriptors: fd.num in ({})"),
	OPTION("--with-summary", NULL, "summary", NULL),
	HINT("--count", NULL, "counts alone: -S -q"),
	OPTION_WITH("--max-events --syscall-limit", is_numbers, "numevents"),
	OPTION_WITH("--event-limit", is_numbers, "events"),
	OPTION_WITH("--pidfile", is_path, "pid-file"),
	OPTION_WITH("--cri", is_path, "runtime-socket"),
	NOTHING_WITH("--cri-timeout", is_numbers),
	OPTION("--dry-run", NULL, "explain", NULL),
	OPTION("--libs-version", NULL, "version", NULL),
	OPTION("--no-inherit", NULL, "no-follow", NULL),
	HINT("--validate", NULL, "rules: agent check-rules {}"),
	HINT("--support --bugtool", NULL, "what this machine offers: agent doctor"),
	HINT("--option", NULL, "an option of a file: -c FILE, or the option itself"),
	HINT("--markdown --list-markdown", NULL, "agent fields -o markdown"),
	HINT("--chisel --list-chisels --chisel-info", NULL,
	     "there are no chisels: -S counts, -p prints fields"),
	HINT("--page-faults --pf", NULL, "a filter names them: evt.type=page_fault"),
	HINT("--enable-source --disable-source", NULL, "the only source is system calls"),
	HINT("--large-environment --filter-proclist", NULL, "there is no such choice"),
	HINT("--log-level --logging", NULL, "more messages: -v"),
	HINT("--cpu", NULL, "events of CPUs: evt.cpu in ({})"),
	HINT("--cgroup --for-each-cgroup", NULL,
	     "events of a control group: thread.cgroups contains {}"),
	HINT("--filter-pids", NULL, "without processes: not proc.pid in ({})"),
	HINT("--switch-output", NULL, "another file after a size or a time: -C, -G"),
	HINT("--switch-max-files", NULL, "files that are kept: -W {}"),
	HINT("--sched", NULL, "context switches: evt.type=switch"),
	HINT("--timeout", NULL, "the end after a time: -M SECONDS"),
	OPTION("--json-output", NULL, "json", NULL),
	NOTHING("--exclude-perf"),
	HINT("--comms", NULL, "events of programs: proc.name in ({})"),
	HINT("--fields --sort", NULL, "columns are those of -p FORMAT, or of --json-fields"),
	HINT("--stdio-color", NULL, "--color auto, always or never"),
	OPTION_WITH("--node-name", is_no_number, "k8s-node"),
	HINT("--process", NULL, "events of a program: proc.name={}"),
	HINT("--host", NULL, "events of no container: container.id=host"),
	HINT("--buffers", NULL, "the ring buffer of each CPU: --buffer-size BYTES"),
	HINT("--namespace", NULL, "a namespace: k8s.ns.name={}"),
	HINT("--pod", NULL, "a pod: k8s.pod.name={}"),
	HINT("--policy --scope", NULL, "rules: --rules FILE; a part of the events: a filter"),
	HINT("--capabilities", NULL, "--privileges drop, the default, or keep"),
	HINT("--server", NULL, "--http ADDRESS"),

	/* Words where a filter or a command is expected. */
	HINT("host net src dst tcp udp port icmp", NULL,
	     "a filter is of events, not of packets: fd.ip=ADDRESS, fd.port=80, fd.l4proto=tcp, "
	     "fd.net=10.0.0.0/8"),
	HINT("getevents", NULL, "agent alone prints events; -o json"),
	HINT("bugtool", NULL, "what this machine offers: agent doctor"),
};

const struct habit *habit_row(unsigned int place)
{
	return place < COUNT(habits) ? &habits[place] : NULL;
}
