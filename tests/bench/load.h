/* SPDX-License-Identifier: MIT */
/* The events that benchmarks of user space inject: a usual mix, of the host or of containers. */
#ifndef TESTS_BENCH_LOAD_H
#define TESTS_BENCH_LOAD_H

#include <stdint.h>

#include "inject.h"

struct load {
	struct scap_inject *inject; /* owned */
	uint64_t events;
};

/* Which events. */
struct load_config {
	uint64_t wanted; /* at least; not counting the first event of each thread */
	unsigned int threads; /* which open, read, write and close files */
	unsigned int containers; /* of pods, described, which have these threads; 0: of the host */
};

/* Returns 0 or -ENOMEM. */
int load_create(struct load *load, const struct load_config *config);

void load_finish(struct load *load);

#endif
