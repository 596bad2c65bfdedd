/* SPDX-License-Identifier: MIT */
/*
 * The programs on entry and exit of system calls can be loaded as either kind.
 *
 * Raw ones, at the tracepoints "sys_enter" and "sys_exit", cost least. But if the kernel can
 * preempt them, it skips all other runs of the same program on that CPU during that time, and the
 * events of these calls are missing. Then classic ones, at the tracepoints of "raw_syscalls", are
 * used instead; these always run to their end.
 */
#ifndef SCAP_LIVE_KIND_H
#define SCAP_LIVE_KIND_H

#include <stdbool.h>

/* Whether the kernel may skip runs of raw programs. */
bool live_kind_raw_is_skipped(void);

/* Whether classic programs are needed and available: the kernel may lack tracefs. */
bool live_kind_is_classic(void);

#endif
