/* SPDX-License-Identifier: MIT */
/* The size of the ring buffers by the number of CPUs and the memory of a machine. */
#include "scap/live/memory.h"

uint32_t scap_ring_bytes(uint32_t cpus, uint64_t machine_bytes)
{
	uint64_t all = machine_bytes / SCAP_RINGS_SHARE;
	uint32_t bytes = SCAP_RING_BYTES;

	if (all > SCAP_RINGS_BYTES)
		all = SCAP_RINGS_BYTES;
	while (bytes > SCAP_RING_BYTES_MIN && (uint64_t)bytes * cpus > all)
		bytes /= 2;
	return bytes;
}
