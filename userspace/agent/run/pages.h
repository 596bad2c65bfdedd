/* SPDX-License-Identifier: MIT */
/* The pages of a run: metrics, health, status (option --http). */
#ifndef AGENT_RUN_PAGES_H
#define AGENT_RUN_PAGES_H

#include "agent/options/options.h"
#include "agent/run/canary.h"
#include "util/error.h"

struct control;
struct run;

/* Part of `struct run`; zeroed: none are served. */
struct pages {
	struct control *controls[HTTP_MAX]; /* one an address that pages are served at */
	struct canary canary; /* by which they find out whether events come through */
};

/*
 * Starts to serve them at each address of the options: run->pages. The run must be open. Returns 0
 * or -errno with a message; pages_end() before anything of the run is destroyed.
 */
int pages_begin(struct run *run, struct error *err);
void pages_end(struct pages *pages);

/* For the loop: does what pages ask for. Cheap if there is nothing. */
void pages_serve(struct pages *pages);

#endif
