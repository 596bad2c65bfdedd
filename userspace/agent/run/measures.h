/* SPDX-License-Identifier: MIT */
/* When metrics of requests are handed to the outputs that take them. */
#ifndef AGENT_RUN_MEASURES_H
#define AGENT_RUN_MEASURES_H

#include <stdbool.h>
#include <stdint.h>

struct run;

/* A zeroed struct has not begun. */
struct measures {
	uint64_t interval_ns, due_ns; /* monotonic; 0: not begun */
};

/* Hands them over if it is time for that, or `last`: nothing will follow. */
void measures_step(struct run *run, uint64_t now_ns, bool last);

#endif
