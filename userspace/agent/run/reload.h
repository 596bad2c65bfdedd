/* SPDX-License-Identifier: MIT */
/*
 * New rules while the old ones work. A thread reads and compiles them and, when they want other
 * events, starts another capture beside the one that runs; then the rules change between two
 * events, and the old capture ends when all that it saw has been taken.
 */
#ifndef AGENT_RUN_RELOAD_H
#define AGENT_RUN_RELOAD_H

#include <stdbool.h>

#include "util/error.h"

struct capture;
struct scap_source;
struct reload;

/* For a capture that runs, which is borrowed. Returns 0 or -ENOMEM. */
int reload_create(struct capture *capture, struct reload **reload);

/* Ends what goes on; the account of the capture is then whole, if its source was drained. */
void reload_destroy(struct reload *reload);

/* Asks for new rules. What was asked for meanwhile is done when the last time is over. */
void reload_request(struct reload *reload);

/*
 * Goes on, between two events: says on stderr what came of the new rules, and puts them in place.
 * Returns the source from which the next event is to be taken.
 */
struct scap_source *reload_step(struct reload *reload);

/* Stops all captures, for good. The source of the last step is then to be drained. */
void reload_stop(struct reload *reload);

#endif
