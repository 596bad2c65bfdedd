/* SPDX-License-Identifier: MIT */
/* The table of the options of `agent profile`, and what they set. */
#include "agent/tools/profile_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tools/own_options.h"
#include "util/buf.h"
#include "util/count.h"
#include "util/value.h"

enum {
	/* Neither in step with timers of whole milliseconds, nor more than 0.5 % of the time. */
	FREQUENCY_DEFAULT_HZ = 99,
	FREQUENCY_MAX_HZ = 50000,
};

#define STORES(member) offsetof(struct profile_options, member)

int profile_options_set_pids(void *options, const char *value, struct error *err)
{
	struct profile_options *profile = options;

	while (value && *value) {
		const char *end = NULL;

		if (profile->pids_count == PROFILE_PIDS_MAX)
			return error_set(err, -EINVAL, "profile: more than %d processes",
					 PROFILE_PIDS_MAX);
		end = value_read_pid(value, &profile->pids[profile->pids_count++]);
		if (!end)
			return error_set(err, -EINVAL, "profile: -p %s is no list of processes",
					 value);
		value = *end == ',' ? end + 1 : end;
	}
	return 0;
}

static int set_event(void *options, const char *value, struct error *err)
{
	struct profile_options *profile = options;

	profile->cycles = strcmp(value, "cycles") == 0;
	if (profile->cycles || strcmp(value, "cpu-clock") == 0)
		return 0;
	return error_set(err, -EINVAL, "profile: -e %s: expected cpu-clock or cycles", value);
}

static const char *const format_names[PROFILE_FORMATS] = {
	[PROFILE_FOLDED] = "folded",	     [PROFILE_TOP] = "top", [PROFILE_PPROF] = "pprof",
	[PROFILE_SPEEDSCOPE] = "speedscope", [PROFILE_SVG] = "svg", [PROFILE_OTLP] = "otlp",
};

static int set_format(void *options, const char *value, struct error *err)
{
	struct profile_options *profile = options;

	for (int i = PROFILE_CHOOSE + 1; i < PROFILE_FORMATS; i++)
		if (format_names[i] && strcmp(format_names[i], value) == 0) {
			profile->format = i;
			return 0;
		}
	return error_set(err, -EINVAL,
			 "profile: -o %s: expected folded, svg, top, pprof, speedscope or otlp",
			 value);
}

static const struct own_row rows[] = {
	{'F', "freq", "HZ", "take so many samples a second on each CPU; default 99", OWN_COUNT,
	 STORES(frequency_hz)},
	{'p', "pid", "PID,...", "of these processes", OWN_SET, .set = profile_options_set_pids},
	{0, "container", "ID", "of the processes of this container: its id, or the begin of it",
	 OWN_TEXT, STORES(container)},
	{'e', "event", "EVENT", "sample the cpu-clock, the default, or cycles of the processors",
	 OWN_SET, .set = set_event},
	{0, "off-cpu", NULL, "measure how long threads are off the CPU, and for what they wait",
	 OWN_FLAG, STORES(off_cpu)},
	{0, "wall", NULL, "on the CPU and off it", OWN_FLAG, STORES(wall)},
	{0, "containers", NULL, "with the ids of containers above the names of processes", OWN_FLAG,
	 STORES(containers)},
	{0, "threads", NULL, "with the names of threads below those of processes", OWN_FLAG,
	 STORES(threads)},
	{0, "no-inline", NULL, "without frames of functions that are inlined in others", OWN_FLAG,
	 STORES(no_inline)},
	{'o', "format", "FORMAT",
	 "folded, svg, top, pprof, speedscope or otlp; default: top on a terminal", OWN_SET,
	 .set = set_format},
	{'w', "write", "FILE", "write to a file, not to standard output", OWN_TEXT, STORES(write)},
	{0, "before", "FILE", "compare with folded stacks of an earlier profile", OWN_TEXT,
	 STORES(before)},
	{'v', "verbose", NULL, "say when it begins to count, and what that cost", OWN_FLAG,
	 STORES(verbose)},
	{'h', "help", NULL, "print this", OWN_FLAG, STORES(help)},
};

static const struct own_options own = {
	"profile",
	"Usage: agent profile [OPTION]... [FILTER] SECONDS\n\n"
	"Samples what the CPUs execute, or measures what threads wait for, by stack. A filter has\n"
	"fields of processes, users, containers and pods: proc.name=nginx, k8s.ns.name=prod.\n",
	rows, COUNT(rows)};

/* All words but the last one, which is the time. */
static int take_filter(int argc, char **argv, int operands, struct profile_options *options,
		       struct error *err)
{
	struct buf text = {0};

	for (int i = operands; i + 1 < argc; i++)
		buf_printf(&text, "%s%s", i > operands ? " " : "", argv[i]);
	if (!text.len)
		return 0;
	buf_append_char(&text, '\0');
	if (text.failed) {
		buf_finish(&text);
		return error_set(err, -ENOMEM, "out of memory");
	}
	options->filter = text.data;
	return 0;
}

static int check(int argc, char **argv, int operands, struct profile_options *options,
		 struct error *err)
{
	if (options->frequency_hz > FREQUENCY_MAX_HZ)
		return error_set(err, -EINVAL, "profile: -F: at most %d samples a second",
				 FREQUENCY_MAX_HZ);
	/* Before Linux 5.11 a sample that interrupts the other program there could wait for it. */
	if (options->cycles && (options->wall || options->off_cpu))
		return error_set(err, -EINVAL,
				 "profile: cycles are no time: not both -e cycles and --wall or "
				 "--off-cpu");
	if (operands >= argc)
		return error_set(err, -EINVAL, "profile needs one time: agent profile 10");
	if (options->before &&
	    (options->format == PROFILE_PPROF || options->format == PROFILE_SPEEDSCOPE ||
	     options->format == PROFILE_OTLP))
		return error_set(err, -EINVAL,
				 "profile: --before compares in the formats folded, svg and top "
				 "only; pprof compares its own files");
	if (value_read_seconds(argv[argc - 1], &options->duration_ns))
		return error_set(err, -EINVAL,
				 "profile: '%s' is no time in seconds, which comes last",
				 argv[argc - 1]);
	return take_filter(argc, argv, operands, options, err);
}

int profile_options_read(int argc, char **argv, struct profile_options *options, struct error *err)
{
	int operands, r;

	*options = (struct profile_options){.frequency_hz = FREQUENCY_DEFAULT_HZ};
	r = own_options_read(&own, argc, argv, options, &operands, err);
	if (r || options->help)
		return r;
	return check(argc, argv, operands, options, err);
}

void profile_options_finish(struct profile_options *options)
{
	free(options->filter);
	options->filter = NULL;
}

void profile_options_print_help(void)
{
	own_options_print_help(&own);
}
