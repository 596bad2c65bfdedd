/* SPDX-License-Identifier: MIT */
/* What each option does to the struct of them, and the table. */
#include "agent/options/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/options/values.h"

enum {
	RING_BYTES_MAX = 1 << 30,
	MEGABYTES_MAX = 1000000000,
	FILES_MAX = 1000000,
};

/* What is stored does not depend on what was stored before; perhaps it is `value` itself. */
#define CONSTANT_SETTER(name, member, constant)                                                    \
	static int name(struct options *options, const char *value)                                \
	{                                                                                          \
		options->member = constant;                                                        \
		return 0;                                                                          \
	}

CONSTANT_SETTER(set_ascii, style.bytes, TEXT_BYTES_ASCII)
CONSTANT_SETTER(set_base64, style.bytes, TEXT_BYTES_BASE64)
CONSTANT_SETTER(set_hex, style.bytes, TEXT_BYTES_HEX)
CONSTANT_SETTER(set_hex_ascii, style.bytes, TEXT_BYTES_HEX_ASCII)
CONSTANT_SETTER(set_json_base64, json_base64, true)
CONSTANT_SETTER(set_all_rules, all_rules, true)
CONSTANT_SETTER(set_exact_types, exact_types, true)
CONSTANT_SETTER(set_self, include_self, true)
CONSTANT_SETTER(set_verbose, verbose, true)
CONSTANT_SETTER(set_explain, action, ACTION_EXPLAIN)
CONSTANT_SETTER(set_version, action, ACTION_VERSION)
CONSTANT_SETTER(set_fields, action, ACTION_FIELDS)
CONSTANT_SETTER(set_events, action, ACTION_EVENTS)
CONSTANT_SETTER(set_json, format, FORMAT_JSON)
CONSTANT_SETTER(set_help, action, ACTION_HELP)
CONSTANT_SETTER(set_strict, strict, true)
CONSTANT_SETTER(set_progress, progress, true)
CONSTANT_SETTER(set_gzip, writer.compression, SCAP_GZIP)
CONSTANT_SETTER(set_zstd, writer.compression, SCAP_ZSTD)
CONSTANT_SETTER(set_native, writer.native, true)
CONSTANT_SETTER(set_fat, fat, true)
CONSTANT_SETTER(set_print, print, value)
CONSTANT_SETTER(set_json_fields, json_fields, value)
CONSTANT_SETTER(set_read, read, value)
CONSTANT_SETTER(set_write, write, value)

#define SECONDS_SETTER(name, member)                                                               \
	static int name(struct options *options, const char *value)                                \
	{                                                                                          \
		return option_read_seconds(value, &options->member);                               \
	}

SECONDS_SETTER(set_duration, duration_ns)
SECONDS_SETTER(set_stats, stats_ns)
SECONDS_SETTER(set_file_time, limits.ns)

/* A whole number from 1 on. */
static int read_count(const char *value, uint64_t max, uint64_t *count)
{
	uint64_t wanted;
	int code = option_read_u64(value, &wanted);

	if (code)
		return code;
	if (wanted == 0 || wanted > max)
		return -EINVAL;
	*count = wanted;
	return 0;
}

static int set_filter(struct options *options, const char *value)
{
	if (options->filter)
		return -EINVAL;
	options->filter = strdup(value);
	return options->filter ? 0 : -ENOMEM;
}

static int set_count(struct options *options, const char *value)
{
	return read_count(value, UINT64_MAX, &options->count);
}

static int set_file_events(struct options *options, const char *value)
{
	return read_count(value, UINT64_MAX, &options->limits.events);
}

static int set_file_size(struct options *options, const char *value)
{
	uint64_t megabytes;
	int code = read_count(value, MEGABYTES_MAX, &megabytes);

	if (code == 0)
		options->limits.bytes = megabytes * 1000000;
	return code;
}

static int set_files(struct options *options, const char *value)
{
	return read_count(value, FILES_MAX, &options->limits.files);
}

static int set_compat(struct options *options, const char *value)
{
	options->writer.form_2022 = true;
	return strcmp(value, "2022") ? -EINVAL : 0;
}

static int set_format(struct options *options, const char *value)
{
	static const char *const names[] = {
		[FORMAT_JSON] = "json", [FORMAT_TEXT] = "text", [FORMAT_NONE] = "none",
		[FORMAT_MARKDOWN] = "markdown"};

	for (unsigned int i = FORMAT_JSON; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]) == 0) {
			options->format = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int set_time(struct options *options, const char *value)
{
	static const char letters[] = {
		[TEXT_TIME_OF_DAY] = 'h', [TEXT_TIME_EPOCH] = 'a', [TEXT_TIME_RELATIVE] = 'r',
		[TEXT_TIME_LATENCY] = 'd', [TEXT_TIME_DELTA] = 'D',
	};
	const char *found = memchr(letters, value[0], sizeof(letters));

	if (!found || value[1])
		return -EINVAL;
	options->style.time = (enum text_time)(found - letters);
	return 0;
}

static int set_color(struct options *options, const char *value)
{
	static const char *const names[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]) == 0) {
			options->color = i;
			return 0;
		}
	}
	return -EINVAL;
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

/* Who names the port wants more of it. */
static int set_statsd_port(struct options *options, const char *value)
{
	if (!option_read_port(value, '\0', &options->snaplen_rules.statsd_port))
		return -EINVAL;
	return set_dynamic_snaplen(options, NULL);
}

int option_add_rules(struct options *options, const char *value)
{
	const char **paths = realloc(options->rules,
				     (options->rules_count + 1) * sizeof(options->rules[0]));

	if (!paths)
		return -ENOMEM;
	options->rules = paths;
	options->rules[options->rules_count++] = value;
	return 0;
}

static int set_priority(struct options *options, const char *value)
{
	return rules_priority_read(value, &options->priority);
}

enum {
	LISTS = 1 << ACTION_FIELDS | 1 << ACTION_EVENTS,
	CHECKS = 1 << ACTION_CHECK_FILTER | 1 << ACTION_CHECK_RULES,
};

/* In a help text: goes on below its beginning. */
#define NEXT_LINE "\n                           "

const struct option_row option_rows[] = {
	{"filter", "EXPR", set_filter, "one expression, given once",
	 "which events to print; also as the trailing words", "What to capture"},
	{"rules", "FILE", option_add_rules, NULL, "rules in YAML, a file or a folder; may be repeated",
	 .about = PRINTS},
	{"priority", "LEVEL", set_priority, "emergency, alert, critical, error, warning, notice, "
	 "informational or debug",
	 "leave out rules below that priority",
	 .about = RULES, .commands = 1 << ACTION_CHECK_RULES},
	{"all-rules", NULL, set_all_rules, NULL, "a line for each rule, not for the first alone",
	 .about = RULES},
	{"exact-types", NULL, set_exact_types, NULL, "evt.type=open is not also openat and openat2",
	 .commands = CHECKS},
	{"self", NULL, set_self, NULL, "include the agent's own events",
	 .about = LIVE},
	{"n", "COUNT", set_count, "a number of 1 or more", "end after COUNT events that match"},
	{"M", "SECONDS", set_duration, "a number above 0", "end after SECONDS"},
	{"buffer-size", "BYTES", set_buffer_size, "a size up to 1G such as 65536, 64K or 8M",
	 "ring of each CPU, rounded up to a power of two;" NEXT_LINE "default 4M",
	 .about = LIVE},
	{"s", "BYTES", set_snaplen, "a number from 0 to 65000",
	 "how much of each data buffer to keep; default 80", .also = "snaplen",
	 .about = LIVE},
	{"snaplen-ports", "LOW-HIGH", set_snaplen_ports, "two ports such as 8000-8099",
	 "keep 16000 bytes on sockets with these ports",
	 .about = LIVE},
	{"dynamic-snaplen", NULL, set_dynamic_snaplen, NULL,
	 "keep more of DNS, statsd, HTTP and databases",
	 .about = LIVE},
	{"statsd-port", "PORT", set_statsd_port, "a port",
	 "the same, with statsd on this port; default 8125",
	 .about = LIVE},
	{"r", "FILE", set_read, NULL, "take events from a capture file; -: standard input",
	 "Capture files", .also = "read"},
	{"strict", NULL, set_strict, NULL, "what is damaged or breaks off is a failure",
	 .about = INPUT},
	{"P", NULL, set_progress, NULL, "say on stderr how much was read", .also = "progress",
	 .about = INPUT},
	{"w", "FILE", set_write, NULL, "write events to a capture file; -: standard output." NEXT_LINE
	 "Prints them only if an option says what to print",
	 .also = "write"},
	{"z", NULL, set_gzip, NULL, "compress it with gzip", .also = "compress",
	 .about = OUTPUT | PACKS},
	{"zstd", NULL, set_zstd, NULL, "compress it with zstd: for Lanner alone",
	 .about = OUTPUT | PACKS},
	{"F", NULL, set_fat, NULL, "also, hidden, what keeps the names of descriptors and" NEXT_LINE
	 "processes right", .also = "fatfile", .about = OUTPUT},
	{"native", NULL, set_native, NULL, "keep Lanner's own events whole: for it alone",
	 .about = OUTPUT},
	{"scap-compat", "YEAR", set_compat, "2022", "for readers of that year; 2022: sysdig 0.29",
	 .about = OUTPUT},
	{"C", "MB", set_file_size, "a number of megabytes of 1 or more",
	 "another file after that many million bytes;" NEXT_LINE "a counter is added to the name",
	 .also = "file-size", .about = OUTPUT | SPLITS},
	{"G", "SECONDS", set_file_time, "a number above 0",
	 "another file after SECONDS; the name may have a time" NEXT_LINE
	 "such as %H%M, as in strftime(3), not a counter",
	 .also = "seconds", .about = OUTPUT | SPLITS},
	{"e", "COUNT", set_file_events, "a number of 1 or more",
	 "another file after COUNT events", .about = OUTPUT | SPLITS},
	{"W", "COUNT", set_files, "a number from 1 to 1000000",
	 "with -C, -G or -e: keep the last COUNT files", .also = "limit", .about = OUTPUT | SPLIT},
	{"o", "KIND", set_format, "json, text, none or (for lists) markdown",
	 "json, text or none; default json, on a terminal text", "What to print",
	 .about = PRINTS, .commands = LISTS},
	{"j", NULL, set_json, NULL, "the same as -o json", .also = "json",
	 .about = PRINTS, .commands = LISTS},
	{"json-fields", "LIST", set_json_fields, NULL,
	 "fields with commas between; also 'default' and 'all'",
	 .about = PRINTS},
	{"json-b64", NULL, set_json_base64, NULL,
	 "in JSON, NAME_b64 beside text that is not UTF-8",
	 .about = PRINTS},
	{"p", "FORMAT", set_print, NULL, "text with %FIELD in it; with * in front also when a" NEXT_LINE
	 "field is missing. -pc: the usual line and containers",
	 .about = PRINTS},
	{"t", "h|a|r|d|D", set_time, "one of h, a, r, d, D",
	 "time: of day (default), since 1970, since the start," NEXT_LINE
	 "that the call took, since the event before",
	 .about = PRINTS},
	{"A", NULL, set_ascii, NULL, "buffers as text of several lines",
	 .about = PRINTS},
	{"b", NULL, set_base64, NULL, "buffers in base64",
	 .about = PRINTS},
	{"x", NULL, set_hex, NULL, "buffers in hexadecimal",
	 .about = PRINTS},
	{"X", NULL, set_hex_ascii, NULL, "buffers in hexadecimal and as text",
	 .about = PRINTS},
	{"color", "WHEN", set_color, "auto, always or never",
	 "auto (on a terminal; default), always or never",
	 .about = PRINTS},
	{"stats", "SECONDS", set_stats, "a number above 0",
	 "print counters to stderr every SECONDS", "Other"},
	{"explain", NULL, set_explain, NULL, "print what would be hooked, and why; then end",
	 .about = LIVE},
	{"v", NULL, set_verbose, NULL, "say more on stderr; do not cut buffers in text",
	 .commands = LISTS | 1 << ACTION_CHECK_RULES},
	{"l", NULL, set_fields, NULL, "the same as the command fields", .also = "list",
	 .commands = LISTS},
	{"L", NULL, set_events, NULL, "the same as the command events", .also = "list-events",
	 .commands = LISTS},
	{"V", NULL, set_version, NULL, "print the version", .also = "version"},
	{"h", NULL, set_help, NULL, "print this", .also = "help"},
};

const unsigned int option_rows_count = sizeof(option_rows) / sizeof(option_rows[0]);

/* There is room for so many in the parser's tables. */
_Static_assert(sizeof(option_rows) / sizeof(option_rows[0]) <= OPTIONS_MAX, "too many options");
