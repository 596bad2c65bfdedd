/* SPDX-License-Identifier: MIT */
/*
 * Which programs of the BPF object the kernel rejects, all of them found in one load. libbpf ends a
 * load at the first one; so each program is tried here by itself right before libbpf loads it, and
 * libbpf gets one in its place that does nothing.
 */
#ifndef SCAP_LIVE_PROBE_H
#define SCAP_LIVE_PROBE_H

#include <stdbool.h>

struct bpf_object;

enum { LIVE_PROBE_HANDLERS = 3 };

struct live_probe {
	bool verbose;	/* print what the verifier says of each, on stderr */
	bool *rejected; /* owned; by row of live_programs */
	int handlers[LIVE_PROBE_HANDLERS], handlers_count; /* of libbpf */
};

/*
 * From here to live_probe_end() every object that is opened is for trying alone. `classic`: see
 * live_kind_is_classic(). Not for two threads at a time: libbpf has one list of handlers. Returns 0
 * or -errno.
 */
int live_probe_begin(struct live_probe *probe, bool classic);

/* To be called on that object before its load, which sets `rejected`. Returns 0 or -errno. */
int live_probe_prepare(struct live_probe *probe, struct bpf_object *object);

void live_probe_end(struct live_probe *probe);

#endif
