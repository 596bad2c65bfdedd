/* SPDX-License-Identifier: MIT */
/*
 * Of the initial pid namespace process 2 is kthreadd, whichever program is process 1, which may have
 * more rights than the agent, and then does not show its namespaces.
 */
#include "meta/files/namespaces.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

/* Of the initial pid namespace, in include/linux/proc_ns.h. */
#define PID_NAMESPACE_INO 0xEFFFFFFCU

static int look(const char *host_root, const char *path, struct stat *file)
{
	char full[PATH_MAX];

	if (snprintf(full, sizeof(full), "%s%s", host_root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	return stat(full, file) ? -errno : 0;
}

int host_namespaces_read(const char *host_root, struct host_namespaces *hosts)
{
	static const char *const paths[HOST_NAMESPACES] = {
		[HOST_NAMESPACE_PID] = "/proc/2/ns/pid",
		[HOST_NAMESPACE_NETWORK] = "/proc/2/ns/net",
		[HOST_NAMESPACE_IPC] = "/proc/2/ns/ipc",
	};
	struct host_namespaces found = {.host_root = host_root};
	struct stat file;
	int code = 0;

	*hosts = found;
	for (unsigned int i = 0; code == 0 && i < HOST_NAMESPACES; i++) {
		code = look(host_root, paths[i], &file);
		if (code == 0 && i == HOST_NAMESPACE_PID && file.st_ino != PID_NAMESPACE_INO)
			code = -EXDEV;
		found.dev = file.st_dev;
		found.inos[i] = file.st_ino;
	}
	if (code == 0)
		*hosts = found;
	return code;
}

enum sinsp_answer host_namespaces_compare(const struct host_namespaces *hosts,
					  enum host_namespace kind, const char *path)
{
	struct stat file;

	/* The file may be gone, or a mount that is not seen here. */
	if (!hosts->inos[kind] || look(hosts->host_root, path, &file) || file.st_dev != hosts->dev)
		return SINSP_UNKNOWN;
	return file.st_ino == hosts->inos[kind] ? SINSP_YES : SINSP_NO;
}
