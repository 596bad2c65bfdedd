/* SPDX-License-Identifier: MIT */
/* How much memory of the machine the ring buffers may take. */
#ifndef SCAP_LIVE_MEMORY_H
#define SCAP_LIVE_MEMORY_H

#include <stdint.h>

enum {
	/* Of one CPU, if there are few CPUs: room for 40,000 small events. */
	SCAP_RING_BYTES = 4 << 20,
	SCAP_RING_BYTES_MIN = 128 << 10, /* of one CPU, even if there are many */
	SCAP_RINGS_BYTES = 128 << 20,	 /* of all CPUs */
	SCAP_RINGS_SHARE = 32,		 /* of all CPUs, at most 1 / 32 of the memory */
};

/*
 * The default size of a ring in bytes, a power of two. `machine_bytes`: all memory of the machine.
 */
uint32_t scap_ring_bytes(uint32_t cpus, uint64_t machine_bytes);

#endif
