/* SPDX-License-Identifier: MIT */
/* The list of containers and sandboxes of the Container Runtime Interface, and its events. */
#ifndef META_RUNTIMES_CRI_EVENTS_H
#define META_RUNTIMES_CRI_EVENTS_H

#include "meta/runtimes/cri.h"
#include "meta/runtimes/events.h"

/* All of them, also those that do not run. Returns 0, or -errno with a message. */
int cri_events_list(const struct cri *cri, uint64_t deadline_ns, const struct runtime_list *list,
		    struct error *err);

/* Returns 0 or -errno. */
int cri_events_begin(struct runtime_events *events);

#endif
