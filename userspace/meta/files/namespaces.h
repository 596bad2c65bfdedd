/* SPDX-License-Identifier: MIT */
/*
 * The namespaces of the host, with which those that containers join are compared. They are those of
 * the kernel's own threads, as long as the machine runs.
 */
#ifndef META_FILES_NAMESPACES_H
#define META_FILES_NAMESPACES_H

#include <stdint.h>

#include "sinsp/state/container.h"

enum host_namespace { HOST_NAMESPACE_PID, HOST_NAMESPACE_NETWORK, HOST_NAMESPACE_IPC, HOST_NAMESPACES };

struct host_namespaces {
	const char *host_root; /* borrowed */
	uint64_t dev, inos[HOST_NAMESPACES]; /* 0: not known */
};

/*
 * Reads them from /proc below a prefix. Returns 0; -EXDEV if that /proc is not of the initial pid
 * namespace, where nobody knows the host's; or another -errno, as -EACCES without CAP_SYS_PTRACE or
 * -ENOENT with hidepid=: then none is known.
 */
int host_namespaces_read(const char *host_root, struct host_namespaces *hosts);

/* Whether a file below the same prefix is that namespace of the host. SINSP_UNKNOWN: it cannot be known. */
enum sinsp_answer host_namespaces_compare(const struct host_namespaces *hosts,
					  enum host_namespace kind, const char *path);

#endif
