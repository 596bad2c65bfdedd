/* SPDX-License-Identifier: MIT */
/* Puts what /proc or a capture says of threads and descriptors into the tables. */
#ifndef SINSP_STATE_LOAD_H
#define SINSP_STATE_LOAD_H

#include "sinsp/state/core.h"

/* One thread, or one descriptor, in place of what stands there. NULL if out of memory. */
struct sinsp_thread *state_load_thread(struct sinsp *sinsp, const struct scap_thread *from);
struct sinsp_fd *state_load_fd(struct sinsp *sinsp, struct sinsp_fds *fds,
			       const struct scap_fd *from);

/* All descriptors that /proc shows of a thread. */
void state_load_fds(struct sinsp *sinsp, struct sinsp_thread *thread);

/* When all is there: a listening socket may have come after the connections made to it. */
void state_correct_roles(struct sinsp *sinsp);

#endif
