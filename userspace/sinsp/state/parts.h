/* SPDX-License-Identifier: MIT */
/*
 * The parts of threads: program, directory and descriptors, shared or private, and attributes that
 * several events change. For the files that apply events.
 */
#ifndef SINSP_STATE_PARTS_H
#define SINSP_STATE_PARTS_H

#include "sinsp/state/core.h"

/*
 * Replaces the shared directory or descriptors of a thread by a copy. If out of memory, they stay
 * shared.
 */
void state_unshare_fs(struct sinsp *sinsp, struct sinsp_thread *thread);
void state_unshare_fds(struct sinsp_thread *thread);

/* Replaces the thread's name, by up to 15 bytes; NULL: no change. */
void state_set_comm(struct sinsp_thread *thread, const char *comm);

/*
 * Gives a thread the program of its creator, and its directory and descriptors: shared where the
 * clone flags say so, otherwise copied. If out of memory, a part stays as it is.
 */
void state_share(struct sinsp *sinsp, struct sinsp_thread *thread,
		 const struct sinsp_thread *creator, uint32_t flags);

/* The addresses of a unix socket and of its peer. They stay unknown if memory runs out. */
void state_set_unix_ends(struct sinsp *sinsp, struct sinsp_fd *fd, uint64_t own, uint64_t peer);

/* The thread enters another user namespace, where it has all capabilities. */
void state_enter_userns(struct sinsp_thread *thread);

#endif
