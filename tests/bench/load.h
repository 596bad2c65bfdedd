/* SPDX-License-Identifier: MIT */
/* The events that benchmarks of user space inject: a usual mix, of the host or of containers. */
#ifndef TESTS_BENCH_LOAD_H
#define TESTS_BENCH_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "inject.h"

struct load {
	struct scap_inject *inject; /* owned */
	uint64_t events;
};

/*
 * At least `wanted` events of threads that open, read, write and close files. in_containers: the
 * threads are in containers of pods, described with labels, mounts and annotations. Returns 0 or
 * -ENOMEM.
 */
int load_create(struct load *load, uint64_t wanted, bool in_containers);

void load_finish(struct load *load);

#endif
