/* SPDX-License-Identifier: MIT */
/* Makes the kernel measure how long BPF programs run. */
#ifndef AGENT_RUN_MEASURE_H
#define AGENT_RUN_MEASURE_H

#include "util/error.h"

/*
 * The kernel measures until *fd is closed; *fd is -1 if it does so anyway, as sysctl: the name of
 * the file in /proc, "/proc/sys/kernel/bpf_stats_enabled", says 1. Needs CAP_SYS_ADMIN otherwise.
 * Returns 0, or -errno with a message.
 */
int budget_measure(const char *sysctl, int *fd, struct error *err);

#endif
