/* SPDX-License-Identifier: MIT */
/* Makes a mount that no folder shows where there is none. */
#include "util/kernel_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

int kernel_fs_open(const char *type, const char *folder, const char *entry)
{
	int fs, root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root >= 0 && faccessat(root, entry, F_OK, AT_EACCESS) == 0)
		return root;
	if (root >= 0)
		close(root);
	fs = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		root = -errno;
	else
		root = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	if (root == -1)
		root = -errno;
	close(fs);
	return root;
}
