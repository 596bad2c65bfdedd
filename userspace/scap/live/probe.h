/* SPDX-License-Identifier: MIT */
/*
 * Finds all programs of the BPF object that the kernel rejects, in one load. libbpf ends a load at
 * the first of them; so each program is loaded separately right before libbpf loads it, and libbpf
 * gets an empty program in its place.
 */
#ifndef SCAP_LIVE_PROBE_H
#define SCAP_LIVE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "scap/live/handlers.h"

struct bpf_object;

struct live_probe {
	bool verbose; /* print the verifier's log of each on stderr */
	/*
	 * NULL, or called with each row of live_programs that the kernel was asked for. `error`: 0
	 * or -errno; `log`: why it was rejected, and the verifier's statistics.
	 */
	void (*report)(void *context, size_t row, int error, const char *log);
	void *context;
	bool *rejected; /* owned; by row of live_programs */
	struct live_handlers handlers;
};

/*
 * Until live_probe_end(), every object that is opened serves only this probe. `classic`: see
 * live_kind_is_classic(). Only one thread at a time: libbpf has one list of handlers. Returns 0 or
 * -errno.
 */
int live_probe_begin(struct live_probe *probe, bool classic);

/* Prepares the opened object; loading it then sets `rejected`. Returns 0 or -errno. */
int live_probe_prepare(struct live_probe *probe, struct bpf_object *object);

void live_probe_end(struct live_probe *probe);

#endif
