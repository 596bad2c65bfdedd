/* SPDX-License-Identifier: MIT */
/*
 * The parts of threads: program, directory and descriptors, that threads share or have for
 * themselves, and attributes that several events change. For the files that apply events.
 */
#ifndef SINSP_STATE_PARTS_H
#define SINSP_STATE_PARTS_H

#include "sinsp/state/core.h"

/*
 * Gives a thread a copy of the directory or the descriptors that it shares with others. Without
 * memory they stay shared.
 */
void state_unshare_fs(struct sinsp *sinsp, struct sinsp_thread *thread);
void state_unshare_fds(struct sinsp_thread *thread);

/* Puts a name of up to 15 bytes in place of the thread's; NULL: it stays. */
void state_set_comm(struct sinsp_thread *thread, const char *comm);

/*
 * Gives a thread the program of its creator, and its directory and descriptors: shared where the
 * clone flags say so, otherwise copied. What memory does not suffice for stays as it is.
 */
void state_share(struct sinsp *sinsp, struct sinsp_thread *thread,
		 const struct sinsp_thread *creator, uint32_t flags);

/* The thread comes into another user namespace, where it may do everything. */
void state_enter_userns(struct sinsp_thread *thread);

#endif
