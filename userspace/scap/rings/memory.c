/* SPDX-License-Identifier: MIT */
/* The sizes of the ring buffers by the number of CPUs and the memory of a machine. */
#include "scap/rings/memory.h"

#include "abi.h"

/* What all may have together, if nobody says. */
static uint64_t buffers_of(const struct scap_hardware *machine)
{
	uint64_t share = machine->bytes / SCAP_BUFFERS_SHARE;

	return share < SCAP_BUFFERS_BYTES ? share : SCAP_BUFFERS_BYTES;
}

struct scap_memory scap_memory_divide(const struct scap_hardware *machine, uint64_t buffers_bytes)
{
	uint64_t slots =
		(uint64_t)machine->cpus * SCRATCH_SLOTS_PER_CPU * sizeof(struct scratch_slot);
	struct scap_memory memory = {.ring_bytes = SCAP_RING_BYTES};
	uint64_t all = buffers_bytes ? buffers_bytes : buffers_of(machine);

	memory.rings_bytes = all > slots ? all - slots : 0;
	while (memory.ring_bytes > SCAP_RING_BYTES_MIN &&
	       (uint64_t)memory.ring_bytes * machine->online > memory.rings_bytes / 2)
		memory.ring_bytes /= 2;
	return memory;
}

struct scap_memory scap_memory_divide_at_once(const struct scap_hardware *machine,
					      uint64_t buffers_bytes)
{
	struct scap_memory memory = scap_memory_divide(machine, buffers_bytes);

	while (memory.ring_bytes < SCAP_RING_BYTES_AT_ONCE &&
	       2 * (uint64_t)memory.ring_bytes * machine->online <= memory.rings_bytes)
		memory.ring_bytes *= 2;
	memory.rings_bytes = 0;
	return memory;
}

uint32_t scap_memory_flight(const struct scap_hardware *machine, uint64_t bytes, uint32_t least)
{
	uint64_t all = bytes ? bytes : buffers_of(machine);
	uint32_t one = least;

	while (one < SCAP_FLIGHT_BYTES_MAX && 2 * (uint64_t)one * machine->online <= all)
		one *= 2;
	return one;
}

uint32_t scap_ring_grown(uint32_t bytes, uint64_t all_bytes, uint64_t rings_bytes)
{
	return bytes < SCAP_RING_BYTES_MAX && all_bytes + 2 * (uint64_t)bytes <= rings_bytes
		       ? 2 * bytes
		       : 0;
}
