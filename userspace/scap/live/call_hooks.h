/* SPDX-License-Identifier: MIT */
/*
 * The tracepoints of single system calls, in place of those of all calls: other calls cost less
 * then. The kernel runs them only for native calls, not for those of 32-bit programs.
 */
#ifndef SCAP_LIVE_CALL_HOOKS_H
#define SCAP_LIVE_CALL_HOOKS_H

#include "scap/live/live.h"

/* With more wanted calls the start takes too long: a perf event for each. */
enum { CALL_HOOKS_MAX = 32 };

struct live_call_hooks {
	enum call_hooks used;
	unsigned int count; /* of the following, if each call has a hook */
	const char *calls[CALL_HOOKS_MAX]; /* constants: "openat" for sys_exit_openat */
};

/*
 * What this kernel allows of what the configuration asks for. `hooks->used`: CALL_HOOKS_EACH only
 * if there is a tracepoint for each wanted call.
 */
void live_call_hooks_choose(const struct scap_live_config *config, struct live_call_hooks *hooks);

#endif
