/* SPDX-License-Identifier: MIT */
/*
 * The shared parts of threads other than descriptors: programs and directories, and attributes that
 * several events change.
 */
#ifndef SINSP_STATE_PROGRAM_H
#define SINSP_STATE_PROGRAM_H

#include "memory/pool.h"
#include "sinsp/state/core.h"
#include "sinsp/state/thread.h"

/* The shared parts of threads other than descriptors: programs and directories. */

/* A copy of `from`, strings included, with one reference and an id of its own; NULL if out of
 * memory. */
struct sinsp_program *sinsp_program_create(struct pool *pool, const struct sinsp_program *from);
struct sinsp_program *sinsp_program_ref(struct sinsp_program *program);
void sinsp_program_unref(struct pool *pool, struct sinsp_program *program); /* accepts NULL */

/*
 * The executable becomes that of another program, for all who share it, with an id of its own; all
 * else remains. Returns false, and changes nothing, if out of memory.
 */
bool sinsp_program_learn(struct pool *pool, struct sinsp_program *program,
			 const struct sinsp_program *from);

/* The argument after `arg`, or the first one for NULL; NULL after the last. */
const char *sinsp_program_argument(const struct sinsp_program *program, const char *arg);
bool sinsp_program_has_argument(const struct sinsp_program *program, const char *text);

/* A directory with one reference; a '/' is added to its end. NULL if out of memory. */
struct sinsp_fs *sinsp_fs_create(struct pool *pool, const char *cwd, size_t len);

/* A copy with one reference, or NULL if out of memory. */
struct sinsp_fs *sinsp_fs_copy(struct pool *pool, const struct sinsp_fs *fs);
struct sinsp_fs *sinsp_fs_ref(struct sinsp_fs *fs);
void sinsp_fs_unref(struct pool *pool, struct sinsp_fs *fs); /* accepts NULL */

/* Changes the directory of all threads that share it; no change if out of memory. */
void sinsp_fs_set(struct pool *pool, struct sinsp_fs *fs, const char *cwd, size_t len);

/* The same for the root directory. */
void sinsp_fs_set_root(struct pool *pool, struct sinsp_fs *fs, const char *root);

/*
 * The parts of threads: program, directory and descriptors, shared or private, and attributes that
 * several events change. For the files that apply events.
 */

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
