/* SPDX-License-Identifier: MIT */
#include "agent/run/measure.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

static bool is_on(const char *sysctl)
{
	FILE *file = fopen(sysctl, "re");
	int value = 0;

	if (!file)
		return false;
	if (fscanf(file, "%d", &value) != 1)
		value = 0;
	fclose(file);
	return value == 1;
}

int budget_measure(const char *sysctl, int *fd, struct error *err)
{
	int made = bpf_enable_stats(BPF_STATS_RUN_TIME), code = -errno;

	if (made >= 0 || is_on(sysctl)) {
		*fd = made >= 0 ? made : -1;
		return 0;
	}
	return error_set(err, code,
			 "--budget: the kernel does not measure BPF programs: %s; give the agent "
			 "CAP_SYS_ADMIN, or set the sysctl kernel.bpf_stats_enabled to 1",
			 strerror(-code));
}
