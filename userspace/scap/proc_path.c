/* SPDX-License-Identifier: MIT */
/* The real path of a directory that another thread named. */
#include "scap/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "scap/proc_impl.h"
#include "scap/proc_text.h"

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

enum { LINK_BYTES = 64 };

static int open_in_root(int root, const char *path, uint64_t resolve)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve,
	};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static int open_directory(struct scap_proc *proc, int64_t tid, const char *path)
{
	char link[LINK_BYTES];
	int root, fd;

	snprintf(link, sizeof(link), "%" PRId64 "/root", tid);
	root = openat(proc->dir, link, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	/* From the kernel's cache alone, so that a dead file server cannot stop us. */
	fd = open_in_root(root, path, RESOLVE_CACHED);
	if (fd == -EINVAL) /* before Linux 5.12 */
		fd = open_in_root(root, path, 0);
	close(root);
	return fd;
}

int scap_proc_real_directory(struct scap_proc *proc, int64_t tid, const char *path,
			     const char **real)
{
	static const char proc_prefix[] = "/proc/";
	char link[LINK_BYTES];
	int fd = open_directory(proc, tid, path), r;

	if (fd < 0)
		return fd;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	r = proc_read_link(AT_FDCWD, link, proc->cwd, sizeof(proc->cwd));
	close(fd);
	if (r < 0)
		return r;
	/* "/proc/self" is another directory for us than for that thread. */
	if (strncmp(proc->cwd, proc_prefix, sizeof(proc_prefix) - 1) == 0)
		return -EXDEV;
	*real = proc->cwd;
	return 0;
}
