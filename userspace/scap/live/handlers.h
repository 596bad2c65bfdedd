/* SPDX-License-Identifier: MIT */
/*
 * Section handlers of libbpf: while they are registered, it calls a function with each program
 * right before it loads it, completely relocated. Used by the probe (probe.c), and for loading side
 * by side (side.c).
 */
#ifndef SCAP_LIVE_HANDLERS_H
#define SCAP_LIVE_HANDLERS_H

#include <stdbool.h>
#include <stddef.h>

struct bpf_object;
struct bpf_prog_load_opts;
struct bpf_program;

enum { LIVE_HANDLERS = 3 };

struct live_handlers {
	int ids[LIVE_HANDLERS], count; /* of libbpf */
};

/*
 * Returns 0, or -errno, which ends the load. `cookie` is the caller's; libbpf takes no pointer.
 */
typedef int (*live_handler_fn)(struct bpf_program *program, struct bpf_prog_load_opts *opts,
			       long cookie);

/*
 * For all programs of live_programs in objects that are opened and loaded until
 * live_handlers_end(). `classic`: see live_kind_is_classic(). Only one thread at a time: libbpf has
 * one list of handlers. Returns 0 or -errno; the caller calls live_handlers_end() in any case.
 */
int live_handlers_begin(struct live_handlers *handlers, bool classic, live_handler_fn call,
			long cookie);

/* Objects that were opened before may be used after this, but not loaded. */
void live_handlers_end(struct live_handlers *handlers);

/*
 * Looks up the tracepoints of the opened object, which libbpf does only in handlers of its own. One
 * that is missing ends it with -errno; but if `missing` is not NULL, the program is excluded, and
 * that is called with its row of live_programs. Returns 0 or -errno.
 */
int live_handlers_prepare(struct bpf_object *object,
			  void (*missing)(void *context, size_t row, int error), void *context);

/*
 * Called by a handler: libbpf loads an empty program of the same kind instead, and frees the
 * instructions. Returns 0 or -errno.
 */
int live_handlers_empty(struct bpf_program *program, struct bpf_prog_load_opts *opts);

#endif
