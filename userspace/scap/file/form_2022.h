/* SPDX-License-Identifier: MIT */
/*
 * What readers of 2022 understand of an event, such as sysdig 0.29.3: they know the events below
 * SCAP_2022_EVENTS, read a system call from a pair of events on entry and its exit, and take
 * some arguments, descriptors above all, from the first alone. form_2022.def says what becomes of
 * which event. The writer of capture files calls this.
 */
#ifndef SCAP_FILE_FORM_2022_H
#define SCAP_FILE_FORM_2022_H

#include "scap/model/source.h"

enum {
	SCAP_2022_EVENTS = 336, /* ids from here on are not known */
	SCAP_2022_FRAMES_MAX = 2, /* that stand for one event */
};

struct scap_form_2022;

/* Returns 0 or -ENOMEM. */
int scap_form_2022_create(struct scap_form_2022 **form);
void scap_form_2022_destroy(struct scap_form_2022 *form); /* accepts NULL */

/*
 * Gives the frames that stand for an event, in the order they are to be written; they have its
 * time, thread, CPU and `hidden`, and neither parameters of our own nor latencies. `event` was
 * decoded before, so that its frame is known to be whole. The frames are valid until the next call,
 * or are the event's own. Returns their number: 0 for what readers of 2022 have no event for, be it
 * a generic one; for an entry event, which comes with its exit event; and for a frame that is
 * larger than files of theirs may have.
 */
int scap_form_2022_frames(struct scap_form_2022 *form, const struct scap_event *event,
			  struct scap_event out[SCAP_2022_FRAMES_MAX]);

#endif
