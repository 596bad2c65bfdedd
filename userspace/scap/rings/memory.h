/* SPDX-License-Identifier: MIT */
/* How much memory of the machine ring buffers and scratch slots may take, and who gets it. */
#ifndef SCAP_RINGS_MEMORY_H
#define SCAP_RINGS_MEMORY_H

#include <stdint.h>

enum {
	SCAP_RING_BYTES = 4 << 20, /* of one CPU at the start, if there are few CPUs */
	SCAP_RING_BYTES_AT_ONCE = 16 << 20, /* at most, of one CPU, if rings do not grow */
	SCAP_RING_BYTES_MIN = 128 << 10, /* of one CPU, even if there are many */
	SCAP_RING_BYTES_MAX = 64 << 20, /* to which it may grow */
	SCAP_FLIGHT_BYTES_MAX = 1 << 30, /* of one CPU, of a flight recorder */
	SCAP_BUFFERS_BYTES = 64 << 20, /* all ring buffers and slots together */
	SCAP_BUFFERS_SHARE = 32, /* all together, at most 1 / 32 of the memory */
};

struct scap_hardware {
	uint32_t cpus; /* possible ones: each has slots */
	uint32_t online; /* each has a ring */
	uint64_t bytes; /* of memory */
};

struct scap_memory {
	uint32_t ring_bytes; /* at the start: a power of two */
	uint64_t rings_bytes; /* to which all rings may grow together; 0: they do not grow */
};

/*
 * Divides `buffers_bytes` (0: what suits the machine) among the slots, which take theirs at the
 * start, the rings at the start, and as much again for the rings of CPUs that turn out to be busy.
 * On a machine with very many CPUs the smallest rings may exceed it.
 */
struct scap_memory scap_memory_divide(const struct scap_hardware *machine, uint64_t buffers_bytes);

/*
 * Divides them for a capture whose processes wait when a ring is full: all of it is in use from the
 * start, and rings do not grow.
 */
struct scap_memory scap_memory_divide_at_once(const struct scap_hardware *machine,
					      uint64_t buffers_bytes);

/*
 * The size of each of the rings of a flight recorder, which have `bytes` together (0: what suits
 * the machine): a power of two, `least` at least.
 */
uint32_t scap_memory_flight(const struct scap_hardware *machine, uint64_t bytes, uint32_t least);

/*
 * The size of the ring that takes the place of one of `bytes`, while all of them have `all_bytes`
 * and may have `rings_bytes`. Both exist until the smaller one is read to its end. 0: none.
 */
uint32_t scap_ring_grown(uint32_t bytes, uint64_t all_bytes, uint64_t rings_bytes);

#endif
