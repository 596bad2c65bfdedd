/* SPDX-License-Identifier: MIT */
/* The real path of a directory that another thread named. */
#include "scap/proc/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scap/proc/impl.h"
#include "scap/proc/root.h"
#include "scap/proc/text.h"

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

enum { LINK_BYTES = 64 };

static int open_in_root(int root, const char *path, uint64_t resolve)
{
	return proc_root_open_path(root, path, O_DIRECTORY, RESOLVE_IN_ROOT | resolve);
}

/* The target of a descriptor, as seen by this process. */
static int read_path(int fd, char path[PATH_MAX])
{
	char link[LINK_BYTES];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return proc_read_link(AT_FDCWD, link, path, PATH_MAX);
}

/* Leaves the path of the thread's root in proc->root. */
static int open_directory(struct scap_proc *proc, int64_t tid, const char *path)
{
	char link[LINK_BYTES];
	int root, fd;

	snprintf(link, sizeof(link), "%" PRId64 "/root", tid);
	root = openat(proc->dir, link, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	/* Only from the kernel's cache, so that a dead file server cannot block. */
	fd = open_in_root(root, path, RESOLVE_CACHED);
	if (fd == -EINVAL) /* not supported before Linux 5.12 */
		fd = -EAGAIN;
	/* For links only the access time may be missing; the rest may no longer exist. */
	else if (fd == -EAGAIN)
		fd = open_in_root(root, path, RESOLVE_CACHED | RESOLVE_NO_SYMLINKS);
	if (fd >= 0 && read_path(root, proc->root) < 0)
		snprintf(proc->root, sizeof(proc->root), "/");
	close(root);
	return fd;
}

/* The path as seen from a root; unchanged if it is outside of it. */
static const char *below_root(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (strcmp(root, "/") == 0 || strncmp(path, root, len) != 0)
		return path;
	if (path[len] == '\0')
		return "/";
	return path[len] == '/' ? path + len : path;
}

int scap_proc_real_directory(struct scap_proc *proc, int64_t tid, const char *path,
			     const char **real)
{
	static const char proc_prefix[] = "/proc/";
	int fd = open_directory(proc, tid, path), r;

	if (fd < 0)
		return fd;
	r = read_path(fd, proc->cwd);
	close(fd);
	if (r < 0)
		return r;
	proc_cut_deleted(proc->cwd, (size_t)r); /* it may be removed at this moment */
	/* "/proc/self" differs between this process and that thread. */
	if (strncmp(proc->cwd, proc_prefix, sizeof(proc_prefix) - 1) == 0)
		return -EXDEV;
	*real = below_root(proc->cwd, proc->root);
	return 0;
}
