/* SPDX-License-Identifier: MIT */
/*
 * Conversion of events for readers of 2022, such as sysdig 0.29.3: they know the events below
 * SCAP_2022_EVENTS, expect two events for a system call, on entry and on exit, and take some
 * arguments, above all descriptors, only from the first. Rows AS_2022 of driver/events/ say which
 * events are converted, and how. Used by the writer of capture files.
 */
#ifndef SCAP_FILE_FORM_2022_H
#define SCAP_FILE_FORM_2022_H

#include "scap/source.h"

enum {
	SCAP_2022_EVENTS = 336, /* ids from this one on are unknown */
	SCAP_2022_FRAMES_MAX = 2, /* for one event */
};

struct scap_form_2022;

/* Returns 0 or -ENOMEM. */
int scap_form_2022_create(struct scap_form_2022 **form);
void scap_form_2022_destroy(struct scap_form_2022 *form); /* accepts NULL */

/*
 * Stores the frames for an event, in the order to write them. They have its time, thread, CPU and
 * `hidden`, and neither extension parameters nor latencies. `event` must have been decoded, which
 * ensures that its frame is complete. The frames are valid until the next call, or are the event
 * itself. Returns their number: 0 for an event that readers of 2022 do not know, not even as the
 * generic event; for an entry event, which is made from its exit event; and for a frame above their
 * size limit.
 */
int scap_form_2022_frames(struct scap_form_2022 *form, const struct scap_event *event,
			  struct scap_event out[SCAP_2022_FRAMES_MAX]);

#endif
