/* SPDX-License-Identifier: MIT */
/*
 * Signals that end the agent: SIGINT, SIGTERM, and SIGPIPE (nobody reads the output any more).
 * They are only counted; whoever waits or writes gets EINTR and looks at the count.
 */
#ifndef AGENT_SIGNALS_H
#define AGENT_SIGNALS_H

#include "util/error.h"

/* How long the agent waits, after a signal, for a reader that does not read. */
enum { SIGNALS_PATIENCE_S = 2 };

/* Installs the handlers. Returns 0, or -errno with a message. */
int signals_init(struct error *err);

/*
 * How many came, an alarm SIGNALS_PATIENCE_S after the first among them. From one on the agent ends
 * cleanly; from two on it no longer waits for its reader.
 */
int signals_count(void);

#endif
