/* SPDX-License-Identifier: MIT */
/*
 * Containers that run whose id is a name that somebody chose, as runc and crun alone leave it to the
 * user: their control groups do not tell that they are containers, but files of root do.
 */
#ifndef META_FILES_NAMED_H
#define META_FILES_NAMED_H

#include <stdint.h>

#include "sinsp/state/cgroup_path.h"

enum { NAMED_MAX = 4096 }; /* that are looked at */

struct named {
	const char *id;
	int64_t pid; /* of its first process, in the pid namespace of the host; it may have ended */
	enum sinsp_container_type type;
};

/*
 * Reports each, of files that root alone can have written. host_root: a prefix of all paths; NULL:
 * none. What cannot be read is left out.
 */
void named_each(const char *host_root, void (*found)(void *data, const struct named *named),
		void *data);

#endif
