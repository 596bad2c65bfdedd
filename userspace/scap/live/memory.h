/* SPDX-License-Identifier: MIT */
/* How much memory of the machine the ring buffers may take. */
#ifndef SCAP_LIVE_MEMORY_H
#define SCAP_LIVE_MEMORY_H

#include <stdint.h>

enum {
	/* Of a CPU, where there are few: 40,000 small events wait for the reader in it. */
	SCAP_RING_BYTES = 4 << 20,
	SCAP_RING_BYTES_MIN = 128 << 10, /* of a CPU, however many there are */
	SCAP_RINGS_BYTES = 128 << 20,	 /* of all CPUs */
	SCAP_RINGS_SHARE = 32,		 /* nor more than 1 / 32 of the machine's memory */
};

/* The size of a ring where none was asked for: a power of two. `machine_bytes`: its whole memory. */
uint32_t scap_ring_bytes(uint32_t cpus, uint64_t machine_bytes);

#endif
