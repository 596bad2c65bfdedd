/* SPDX-License-Identifier: MIT */
/* Loads and attaches the BPF programs in this process, with libbpf. */
#ifndef SCAP_LIVE_LOAD_H
#define SCAP_LIVE_LOAD_H

#include "scap/live/loaded.h"
#include "scap/live/object.h"

struct live_load {
	struct live_loader loader; /* use this */
	struct live_object object; /* between load() and release() */
	bool verbose;
};

/* Release it with release(). */
void live_load_init(struct live_load *load);

#endif
