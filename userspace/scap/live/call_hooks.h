/* SPDX-License-Identifier: MIT */
/*
 * How programs are attached to system calls: as which kind, and at the tracepoints of single calls,
 * so that others cost less.
 */
#ifndef SCAP_LIVE_CALL_HOOKS_H
#define SCAP_LIVE_CALL_HOOKS_H

#include <stdbool.h>

#include "scap/live/live.h"

/*
 * The programs on entry and exit of system calls can be loaded as either kind.
 *
 * Raw ones, at the tracepoints "sys_enter" and "sys_exit", cost least. But if the kernel can
 * preempt them, it skips all other runs of the same program on that CPU during that time, and the
 * events of these calls are missing. Then classic ones, at the tracepoints of "raw_syscalls", are
 * used instead; these always run to their end.
 */

/* Whether the kernel may skip runs of raw programs. */
bool live_kind_raw_is_skipped(void);

/* Whether classic programs are needed and available: the kernel may lack tracefs. */
bool live_kind_is_classic(void);

/*
 * The tracepoints of single system calls, in place of those of all calls: other calls cost less
 * then. The kernel runs them only for native calls, not for those of 32-bit programs.
 */

/* With more wanted calls the start takes too long: a perf event for each. */
enum { CALL_HOOKS_MAX = 32 };

struct live_call_hooks {
	enum live_hooks used;
	unsigned int count; /* of the following, if each call has a hook */
	const char *calls[CALL_HOOKS_MAX]; /* constants: "openat" for sys_exit_openat */
};

/*
 * What this kernel allows of what the configuration asks for. `hooks->used`: CALL_HOOKS_EACH only
 * if there is a tracepoint for each wanted call.
 */
void live_call_hooks_choose(const struct scap_live_config *config, struct live_call_hooks *hooks);

#endif
