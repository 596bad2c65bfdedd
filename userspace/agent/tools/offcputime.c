/* SPDX-License-Identifier: MIT */
/* The command offcputime: a profile of waits with the options and the output of bcc's tool. */
#include <errno.h>
#include <stddef.h>

#include "agent/tools/own_options.h"
#include "agent/tools/profile_options.h"
#include "agent/tools/run.h"
#include "util/count.h"
#include "util/value.h"

/* Until a signal, as bcc has it. */
#define FOR_EVER_NS (UINT64_C(99999999) * 1000000000)

enum { NS_PER_US = 1000 };

#define STORES(member) offsetof(struct profile_options, member)

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
	{'v', "verbose", NULL, "say when it begins to count, and what that cost", OWN_FLAG,
	 STORES(verbose)},
	{'h', "help", NULL, "print this", OWN_FLAG, STORES(help)},
};

static const struct own_options own = {
	"offcputime",
	"Usage: agent offcputime [OPTION]... [SECONDS]\n\n"
	"Prints stacks with the microseconds that threads were off their CPUs there, as bcc's\n"
	"offcputime does: agent profile --off-cpu has more.\n",
	rows, COUNT(rows)};

static int offcputime_read(int argc, char **argv, struct profile_options *options,
			   struct error *err)
{
	int operands, r;

	*options = (struct profile_options){.off_cpu = true,
					    .format = PROFILE_WAITS,
					    .no_inline = true, /* it prints none */
					    .duration_ns = FOR_EVER_NS};
	r = own_options_read(&own, argc, argv, options, &operands, err);
	if (r || options->help)
		return r;
	if (options->no_kernel_threads && options->no_user_threads)
		return error_set(err, -EINVAL, "offcputime: not both -u and -k");
	if (options->waits.no_kernel && options->waits.no_user)
		return error_set(err, -EINVAL, "offcputime: not both -U and -K");
	if (argc - operands > 1 ||
	    (operands < argc && value_read_seconds(argv[operands], &options->duration_ns)))
		return error_set(err, -EINVAL, "offcputime: '%s' is no time in seconds",
				 argv[operands]);
	return 0;
}

int offcputime_run(const struct options *options)
{
	struct profile_options chosen = {0};
	struct error err = {""};

	if (own_options_check_place("offcputime", options, &err) != 0 ||
	    offcputime_read(options->argc - 1, options->argv + 1, &chosen, &err) != 0)
		return command_fail(EXIT_USAGE, &err);
	if (chosen.help) {
		own_options_print_help(&own);
		return command_finish_output();
	}
	return profile_run_with(&chosen, options);
}
