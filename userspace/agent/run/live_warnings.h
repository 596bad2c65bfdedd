/* SPDX-License-Identifier: MIT */
/* What a live capture lacks on this machine, in lines for the user. */
#ifndef AGENT_RUN_LIVE_WARNINGS_H
#define AGENT_RUN_LIVE_WARNINGS_H

#include <stdbool.h>

#include "agent/options/options.h"
#include "scap/live/live.h"
#include "util/buf.h"

/* What the input found out, beside the capture itself. */
struct live_lacks {
	/* Why these were read from /proc: -errno; 0: they were not. */
	int iterator_errors[SCAP_LIVE_ITERATORS];
	bool groups; /* the kernel cannot filter by control groups, as the plan wants it to */
};

/* Appends whole lines; none if nothing is lacking. What only costs more is shown by -v. */
void live_warnings_append(const struct scap_live *live, const struct live_lacks *lacks,
			  const struct options *options, struct buf *text);

#endif
