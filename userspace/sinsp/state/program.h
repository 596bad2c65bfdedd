/* SPDX-License-Identifier: MIT */
/*
 * The shared parts of threads other than descriptors: programs and directories, and attributes that
 * several events change.
 */
#ifndef SINSP_STATE_PROGRAM_H
#define SINSP_STATE_PROGRAM_H

#include "sinsp/state/core.h"
#include "sinsp/state/thread.h"
#include "util/pool.h"

/* A copy of `from`, strings included, with one reference and an id of its own; NULL if out of
 * memory. */
struct state_program *state_program_create(struct pool *pool, const struct state_program *from);
struct state_program *state_program_ref(struct state_program *program);
void state_program_unref(struct pool *pool, struct state_program *program); /* accepts NULL */

/*
 * The executable becomes that of another program, for all who share it, with an id of its own; all
 * else remains. Returns false, and changes nothing, if out of memory.
 */
bool state_program_learn(struct pool *pool, struct state_program *program,
			 const struct state_program *from);

/* The argument after `arg`, or the first one for NULL; NULL after the last. */
const char *state_program_argument(const struct state_program *program, const char *arg);
bool state_program_has_argument(const struct state_program *program, const char *text);

/* A directory with one reference; a '/' is added to its end. NULL if out of memory. */
struct state_fs *state_fs_create(struct pool *pool, const char *cwd, size_t len);

/* A copy with one reference, or NULL if out of memory. */
struct state_fs *state_fs_copy(struct pool *pool, const struct state_fs *fs);
struct state_fs *state_fs_ref(struct state_fs *fs);
void state_fs_unref(struct pool *pool, struct state_fs *fs); /* accepts NULL */

/* Changes the directory of all threads that share it; no change if out of memory. */
void state_fs_set(struct pool *pool, struct state_fs *fs, const char *cwd, size_t len);

/* Changes the root directory of all threads that share it; no change if out of memory. */
void state_fs_set_root(struct pool *pool, struct state_fs *fs, const char *root);

/*
 * The parts of threads: program, directory and descriptors, shared or private, and attributes that
 * several events change. For the files that apply events.
 */

/*
 * Replaces the shared directory or descriptors of a thread by a copy. If out of memory, they stay
 * shared.
 */
void state_unshare_fs(struct state *state, struct state_thread *thread);
void state_unshare_fds(struct state_thread *thread);

/* Replaces the thread's program by a copy of `from`; no change if out of memory. */
void state_set_program(struct state *state, struct state_thread *thread,
		       const struct state_program *from);

/* Replaces the thread's name, by up to 15 bytes; NULL: no change. */
void state_set_comm(struct state_thread *thread, const char *comm);

/*
 * Gives a thread the program of its creator, and its directory and descriptors: shared where the
 * clone flags say so, otherwise copied. If out of memory, a part stays as it is.
 */
void state_share(struct state *state, struct state_thread *thread,
		 const struct state_thread *creator, uint32_t flags);

/* The addresses of a unix socket and of its peer. They stay unknown if memory runs out. */
void state_set_unix_ends(struct state *state, struct state_fd *fd, uint64_t own, uint64_t peer);

/* The thread enters another user namespace, where it has all capabilities. */
void state_enter_userns(struct state_thread *thread);

#endif
