/* SPDX-License-Identifier: MIT */
/* The descriptors of an event's thread as handlers change them. For the files that apply events. */
#ifndef SINSP_STATE_EVENT_FD_H
#define SINSP_STATE_EVENT_FD_H

#include "sinsp/state/core.h"

/* Opens a number of the event's thread as something of that kind. NULL if it is rejected. */
struct sinsp_fd *state_open_fd(struct state_event *event, int64_t num, enum scap_fd_type type,
			       bool cloexec);

/* Sets the event's descriptor. */
void state_set_fd(struct state_event *event, int64_t num, struct sinsp_fd *fd);

/* Notes that the event gave a descriptor its name; `fd` may be NULL. */
void state_note_named(struct sinsp *sinsp, struct sinsp_fd *fd);

/* Gives an entry another name, if it is another, and notes that. */
void state_rename_fd(struct sinsp *sinsp, struct sinsp_fd *fd, const char *name, size_t len);

#endif
