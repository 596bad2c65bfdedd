/* SPDX-License-Identifier: MIT */
/* The programs at functions of TLS libraries, of a capture: who sets them gets them, and gives them
 * back. */
#ifndef SCAP_LIVE_LIVE_TLS_H
#define SCAP_LIVE_LIVE_TLS_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/live/loaded.h"

struct live_tls {
	struct tls_follower *follower; /* borrowed, if it has these programs; else NULL */
	unsigned int capture; /* their number there */
	uint64_t until_ns; /* boot clock: how long the end is waited for; 0: they do not leave */
};

/*
 * They run from here on, if the configuration wants that; if the kernel rejects one of them, there
 * are no such events. `loaded` outlives it. Returns 0, or -errno with a message.
 */
int live_tls_begin(struct live_tls *tls, const struct live_loaded *loaded,
		   const struct scap_live_config *config, struct error *err);

/* They are removed, in the background. It may not have begun. */
void live_tls_leave(struct live_tls *tls);

/*
 * Whether they still run somewhere, after waiting a moment for that to end; false after two
 * seconds, too: events that come later are not accounted for.
 */
bool live_tls_awaits(struct live_tls *tls);

#endif
