/* SPDX-License-Identifier: MIT */
/* The table of the options of `agent profile`, and what they set. */
#include "agent/tools/profile_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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
			return error_set(err, -EINVAL, "%s: more than %d processes",
					 profile->command, PROFILE_PIDS_MAX);
		end = value_read_pid(value, &profile->pids[profile->pids_count++]);
		if (!end)
			return error_set(err, -EINVAL, "%s: -p %s is no list of processes",
					 profile->command, value);
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

/* All words but the last one, which is the time. */
static int take_filter(struct profile_options *options, int count, char **words, struct error *err)
{
	struct buf text = {0};

	for (int i = 0; i + 1 < count; i++)
		buf_printf(&text, "%s%s", i ? " " : "", words[i]);
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

static int profile_options_complete(void *chosen, int count, char **words, struct error *err)
{
	struct profile_options *options = chosen;

	if (options->frequency_hz > FREQUENCY_MAX_HZ)
		return error_set(err, -EINVAL, "profile: -F: at most %d samples a second",
				 FREQUENCY_MAX_HZ);
	/* Before Linux 5.11 a sample that interrupts the other program there could wait for it. */
	if (options->cycles && (options->wall || options->off_cpu))
		return error_set(err, -EINVAL,
				 "profile: cycles are no time: not both -e cycles and --wall or "
				 "--off-cpu");
	if (!count)
		return error_set(err, -EINVAL, "profile needs one time: agent profile 10");
	if (options->before &&
	    (options->format == PROFILE_PPROF || options->format == PROFILE_SPEEDSCOPE ||
	     options->format == PROFILE_OTLP))
		return error_set(err, -EINVAL,
				 "profile: --before compares in the formats folded, svg and top "
				 "only; pprof compares its own files");
	if (value_read_seconds(words[count - 1], &options->duration_ns))
		return error_set(err, -EINVAL,
				 "profile: '%s' is no time in seconds, which comes last",
				 words[count - 1]);
	return take_filter(options, count, words, err);
}

static void profile_options_reset(void *options)
{
	*(struct profile_options *)options = (struct profile_options){
		.command = "profile", .frequency_hz = FREQUENCY_DEFAULT_HZ};
}

void profile_options_finish(void *options)
{
	struct profile_options *profile = options;

	free(profile->filter);
	profile->filter = NULL;
}

const struct own_options profile_own_options = {
	.command = "profile",
	.usage = "Usage: agent profile [OPTION]... [FILTER] SECONDS\n\n"
		 "Samples what the CPUs execute, or measures what threads wait for, by stack. A "
		 "filter has\nfields of processes, users, containers and pods: proc.name=nginx, "
		 "k8s.ns.name=prod.\n",
	.rows = rows,
	.count = COUNT(rows),
	.help = STORES(help),
	.options_anywhere = true,
	.reset = profile_options_reset,
	.complete = profile_options_complete,
	.finish = profile_options_finish,
};
