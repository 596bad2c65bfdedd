/* SPDX-License-Identifier: MIT */
/* How much memory the test has, and the comparison of events that say so. */
#ifndef TESTS_MEMORY_H
#define TESTS_MEMORY_H

#include <stdint.h>

#include "event/event.h"

struct memory {
	uint64_t size_kib, rss_kib, swap_kib;
};

struct memory memory_now(void);

/* Compares vm_size, vm_rss and vm_swap, which follow each other from `param` on. */
void memory_expect(const struct event *ev, unsigned int param, const struct memory *memory);

#endif
