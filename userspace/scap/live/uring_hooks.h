/* SPDX-License-Identifier: MIT */
/* Which tracepoints of io_uring the kernel has, and what they pass: that differs between kernels.
 */
#ifndef SCAP_LIVE_URING_HOOKS_H
#define SCAP_LIVE_URING_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/live/live.h"

enum { LIVE_URING_OPTIONAL = 2 };

struct live_uring_hooks {
	enum uring_kernel kernel; /* URING_NONE: nothing is attached there */
	enum live_uring seen;
	const char *submit; /* static; the tracepoint of requests that are submitted, or NULL */
	bool has[LIVE_URING_OPTIONAL]; /* which of the tracepoints that it may lack */
	uint64_t worker_flag; /* of requests that a worker may have done; 0: not known */
	uint64_t secret[2]; /* what numbers of rings are made with */
};

/*
 * Asks the kernel if the configuration wants events of io_uring; else, and for a kernel that tells
 * too little, the result is URING_NONE.
 */
void live_uring_hooks_find(const struct scap_live_config *config, struct live_uring_hooks *hooks);

/*
 * Whether a program with that hook can be attached; NULL: it is jumped to. by_number: it is one for
 * kernels that do not hand over requests.
 */
bool live_uring_hooks_have(const struct live_uring_hooks *hooks, const char *hook, bool by_number);

#endif
