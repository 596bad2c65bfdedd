/* SPDX-License-Identifier: MIT */
/*
 * Section handlers of libbpf: while they are registered, it calls a function with each program
 * right before it loads it, completely relocated. What libbpf would search in the kernel's
 * description of its types is found here, in one pass: the tracepoints of programs, and the
 * functions of the kernel that they call. Used by the probe (probe.c), and for loading (side.c).
 */
#ifndef SCAP_LIVE_HANDLERS_H
#define SCAP_LIVE_HANDLERS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "scap/live/kernel_types.h"

struct bpf_object;
struct bpf_program;

enum { LIVE_HANDLERS = 8 };

struct live_handlers {
	int ids[LIVE_HANDLERS], count; /* of libbpf */
	bool classic;
	struct live_kernel_type *types; /* owned: what the programs need */
	size_t types_count;
};

/* A program as the kernel is to get it. */
struct live_prepared {
	enum bpf_prog_type type;
	struct bpf_prog_load_opts opts;
	struct bpf_insn *insns; /* owned */
	size_t insns_count;
};

/*
 * Returns 0, or -errno, which ends the load. `cookie` is the caller's; libbpf takes no pointer.
 */
typedef int (*live_handler_fn)(struct bpf_program *program, struct bpf_prog_load_opts *opts,
			       long cookie);

/*
 * For all programs in objects that are opened and loaded until live_handlers_end(). `classic`: see
 * live_kind_is_classic(). Only one thread at a time: libbpf has one list of handlers. Returns 0 or
 * -errno; the caller calls live_handlers_end() in any case.
 */
int live_handlers_begin(struct live_handlers *handlers, bool classic, live_handler_fn call,
			long cookie);

/* Objects that were opened before may be used after this, but not loaded. */
void live_handlers_end(struct live_handlers *handlers);

/*
 * Looks up what the opened object's programs need. A tracepoint that is missing ends it with
 * -ESRCH; but if `missing` is not NULL, the program is excluded, and that is called with it.
 * Returns 0 or -errno.
 */
int live_handlers_prepare(struct live_handlers *handlers, struct bpf_object *object,
			  void (*missing)(void *context, const struct bpf_program *program),
			  void *context);

/* Called by a handler: what the kernel is to get. Returns 0 or -ENOMEM; free `insns`. */
int live_handlers_resolve(const struct live_handlers *handlers, const struct bpf_program *program,
			  const struct bpf_prog_load_opts *opts, struct live_prepared *prepared);

/*
 * Called by a handler: libbpf loads an empty program instead, and frees the instructions. Returns 0
 * or -errno.
 */
int live_handlers_empty(struct bpf_program *program, struct bpf_prog_load_opts *opts);

#endif
