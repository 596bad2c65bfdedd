/* SPDX-License-Identifier: MIT */
/* Changes to the descriptors of an event's thread. For the files that apply events. */
#ifndef SINSP_STATE_EVENT_FD_H
#define SINSP_STATE_EVENT_FD_H

#include "sinsp/state/core.h"

/* Opens a number of the event's thread as a descriptor of that kind. NULL if it is rejected. */
struct sinsp_fd *state_open_fd(struct state_event *event, int64_t num, enum scap_fd_type type,
			       bool cloexec);

/* Sets the event's descriptor. */
void state_set_fd(struct state_event *event, int64_t num, struct sinsp_fd *fd);

/* Gives the event's descriptor another name, if it is another, and notes that. */
void state_rename_fd(struct sinsp *sinsp, struct state_event *event, const char *name, size_t len);

#endif
