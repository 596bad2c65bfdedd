/* SPDX-License-Identifier: MIT */
/* Looks for the root of control groups of version 2 among the mounts. */
#include "scap/proc/root_group.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "privileges/capabilities.h"

/* The inode of the root; a namespace of control groups, or a mount of a part, begins elsewhere. */
enum { ROOT_INO = 1 };

/* The kernel takes either for programs of networking. */
static bool may_attach(void)
{
	struct capability_sets sets;

	return capability_sets_read(&sets) == 0 &&
	       (sets.effective & (CAPABILITY(CAP_NET_ADMIN) | CAPABILITY(CAP_SYS_ADMIN)));
}

static bool proc_is_root(int dir)
{
	struct statfs system;
	struct stat folder;

	return fstatfs(dir, &system) == 0 && system.f_type == CGROUP2_SUPER_MAGIC &&
	       fstat(dir, &folder) == 0 && folder.st_ino == ROOT_INO;
}

/* O_PATH is no access that limits of files forbid. */
static int open_root(int parent, const char *name)
{
	int dir = openat(parent, name, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return -errno;
	if (proc_is_root(dir))
		return dir;
	close(dir);
	return -ENOENT;
}

int scap_root_group_open(const char *path)
{
	int top, dir;

	if (!may_attach())
		return -EPERM;
	dir = open_root(AT_FDCWD, path);
	if (dir != -ENOENT)
		return dir;
	top = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (top < 0)
		return -errno;
	dir = open_root(top, "unified");
	close(top);
	return dir;
}
