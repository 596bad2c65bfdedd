/* SPDX-License-Identifier: MIT */
/*
 * The source of descriptions that needs no socket: the files of runtimes, which exist before the
 * first process of a container runs.
 */
#ifndef META_FILES_FILES_H
#define META_FILES_FILES_H

#include "meta/source.h"

/*
 * host_root: a prefix of all paths, as "/host" if the root of the host is mounted there; borrowed;
 * NULL: none. NULL if out of memory.
 */
struct meta_source *meta_files_create(const char *host_root);

#endif
