/* SPDX-License-Identifier: MIT */
/*
 * The source of descriptions that needs no socket: the files of runtimes; and containers whose id
 * is a name that somebody chose.
 */
#ifndef META_RUNTIMES_FILES_H
#define META_RUNTIMES_FILES_H

#include <stdint.h>

#include "meta/source.h"
#include "sinsp/state/cgroup_path.h"

/*
 * Containers that run whose id is a name that somebody chose, as runc and crun alone leave it to
 * the user: their control groups do not tell that they are containers, but files of root do.
 */

enum { NAMED_MAX = 4096 }; /* that are looked at */

struct named {
	const char *id;
	int64_t pid; /* of its first process, in the pid namespace of the host; it may have ended */
	enum state_container_type type;
};

/*
 * Reports each, of files that root alone can have written. host_root: a prefix of all paths; NULL:
 * none. What cannot be read is left out.
 */
void named_each(const char *host_root, void (*found)(void *data, const struct named *named),
		void *data);

/*
 * The source of descriptions that needs no socket: the files of runtimes, which exist before the
 * first process of a container runs.
 */

/*
 * host_root: a prefix of all paths, as "/host" if the root of the host is mounted there; borrowed;
 * NULL: none. NULL if out of memory.
 */
struct meta_source *meta_files_create(const char *host_root);

#endif
