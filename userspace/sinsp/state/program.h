/* SPDX-License-Identifier: MIT */
/* The shared parts of threads other than descriptors: programs and directories. */
#ifndef SINSP_STATE_PROGRAM_H
#define SINSP_STATE_PROGRAM_H

#include "sinsp/state/thread.h"
#include "memory/pool.h"

/* A copy of `from`, strings included, with one reference and an id of its own; NULL if out of
 * memory. */
struct sinsp_program *sinsp_program_create(struct pool *pool, const struct sinsp_program *from);
struct sinsp_program *sinsp_program_ref(struct sinsp_program *program);
void sinsp_program_unref(struct pool *pool, struct sinsp_program *program); /* accepts NULL */

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

#endif
