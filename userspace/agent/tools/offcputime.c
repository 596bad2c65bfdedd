/* SPDX-License-Identifier: MIT */
/* The command offcputime: a profile of waits with the options and the output of bcc's tool. */
#include <errno.h>
#include <stddef.h>

#include "agent/tools/profile_options.h"
#include "agent/tools/run.h"
#include "util/count.h"
#include "util/value.h"

/* Until a signal, as bcc has it. */
#define FOR_EVER_NS (UINT64_C(99999999) * 1000000000)

enum { NS_PER_US = 1000 };

#define STORES(member) offsetof(struct profile_options, member)

static int set_state(void *options, const char *value, struct error *err)
{
	struct profile_options *profile = options;

	profile->has_states = true;
	if (value_read_u64(value, &profile->states) == 0)
		return 0;
	return error_set(err, -EINVAL, "offcputime: --state %s: expected a number from 0", value);
}

static const struct own_row rows[] = {
	{'p', "pid", "PID,...", "of these processes", OWN_SET, .set = profile_options_set_pids},
	{'t', "tid", "TID", "of this thread", OWN_COUNT, STORES(tid)},
	{'u', "user-threads-only", NULL, "of threads of processes, not of the kernel", OWN_FLAG,
	 STORES(no_kernel_threads)},
	{'k', "kernel-threads-only", NULL, "of threads of the kernel", OWN_FLAG,
	 STORES(no_user_threads)},
	{'U', "user-stacks-only", NULL, "without frames of the kernel", OWN_FLAG,
	 STORES(waits.no_kernel)},
	{'K', "kernel-stacks-only", NULL, "without frames of processes", OWN_FLAG,
	 STORES(waits.no_user)},
	{'f', "folded", NULL, "a line for each stack", OWN_FLAG, STORES(waits.folded)},
	{'d', "delimited", NULL, "mark where frames of the kernel begin", OWN_FLAG,
	 STORES(waits.delimited)},
	{'m', "min-block-time", "US", "of waits of so many microseconds or more", OWN_COUNT,
	 STORES(wait_min_us)},
	{'M', "max-block-time", "US", "of waits of so many microseconds or less", OWN_COUNT,
	 STORES(wait_max_us)},
	{0, "state", "BITS",
	 "of waits in one of these states: 1, 2 (no signal ends it), both: 3; 0: it can run",
	 OWN_SET, .set = set_state},
	{'v', "verbose", NULL, "say when it begins to count, and what that cost", OWN_FLAG,
	 STORES(verbose)},
	{'h', "help", NULL, "print this", OWN_FLAG, STORES(help)},
};

static void offcputime_reset(void *options)
{
	*(struct profile_options *)options = (struct profile_options){
		.command = "offcputime",
		.off_cpu = true,
		.format = PROFILE_WAITS,
		.no_inline = true, /* it prints none */
		.duration_ns = FOR_EVER_NS,
	};
}

static int offcputime_complete(void *chosen, int count, char **words, struct error *err)
{
	struct profile_options *options = chosen;

	if (options->no_kernel_threads && options->no_user_threads)
		return error_set(err, -EINVAL, "offcputime: not both -u and -k");
	if (options->waits.no_kernel && options->waits.no_user)
		return error_set(err, -EINVAL, "offcputime: not both -U and -K");
	if (count && value_read_seconds(words[0], &options->duration_ns))
		return error_set(err, -EINVAL, "offcputime: '%s' is no time in seconds", words[0]);
	if (count > 1)
		return error_set(err, -EINVAL, "offcputime takes one time, not also '%s'",
				 words[1]);
	return 0;
}

const struct own_options offcputime_own_options = {
	.command = "offcputime",
	.usage = "Usage: agent offcputime [OPTION]... [SECONDS]\n\n"
		 "Prints stacks with the microseconds that threads were off their CPUs there, as "
		 "bcc's\noffcputime does: agent profile --off-cpu has more.\n",
	.rows = rows,
	.count = COUNT(rows),
	.help = STORES(help),
	.options_anywhere = true,
	.reset = offcputime_reset,
	.complete = offcputime_complete,
};

int offcputime_run(const struct options *options)
{
	struct profile_options chosen;
	int code;

	if (!own_options_begin(&offcputime_own_options, options, &chosen, &code))
		return code;
	return profile_run_with(&chosen, options);
}
