/* SPDX-License-Identifier: MIT */
/* Opens files step by step: nothing is opened for reading before it is known what it is. */
#include "scap/proc/root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "scap/proc/text.h"
#include "util/count.h"

enum {
	LINK_BYTES = 64,
	FDINFO_BYTES_MAX = 4096,
	MOUNTS_BYTES_MAX = 8 << 20,
	FOLDER_BYTES = 256,
};

/* File systems that the kernel answers for. */
static const char *const local_types[] = {
	"overlay", "ext2", "ext3",     "ext4",	  "xfs",    "btrfs",	"bcachefs",
	"zfs",	   "f2fs", "tmpfs",    "ramfs",	  "rootfs", "squashfs", "erofs",
	"aufs",	   "jfs",  "reiserfs", "iso9660", "vfat",
};

static bool is_local(struct proc_text type)
{
	size_t len = (size_t)(type.end - type.at);

	for (size_t i = 0; i < COUNT(local_types); i++)
		if (strlen(local_types[i]) == len && memcmp(local_types[i], type.at, len) == 0)
			return true;
	return false;
}

/* The id of the mount that a descriptor is on. */
static int mount_id(int fd, uint64_t *id)
{
	struct buf text = {0};
	struct proc_text rest, line;
	char path[LINK_BYTES];
	int r;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	r = proc_read_file(AT_FDCWD, path, FDINFO_BYTES_MAX, &text);
	if (r == 0)
		r = -EOPNOTSUPP;
	rest = proc_text_of(&text);
	while (r == -EOPNOTSUPP && proc_text_line(&rest, &line)) {
		struct proc_text number;

		if (proc_text_prefix(&line, "mnt_id:") && proc_text_word(&line, &number) &&
		    proc_text_u64(&number, 10, id))
			r = 0;
	}
	buf_finish(&text);
	return r;
}

/*
 * The type of a mount: the word after that which is '-'. What follows stays in `rest_of_line`.
 * Returns false if it is not listed.
 */
static bool root_find_mount(const struct buf *mounts, uint64_t id, struct proc_text *type,
			    struct proc_text *rest_of_line)
{
	struct proc_text rest = proc_text_of(mounts), line, word;

	while (proc_text_line(&rest, &line)) {
		uint64_t number;

		if (!proc_text_u64(&line, 10, &number) || number != id)
			continue;
		while (proc_text_word(&line, &word))
			if (word.end - word.at == 1 && word.at[0] == '-') {
				bool found = proc_text_word(&line, type);

				*rest_of_line = line;
				return found;
			}
	}
	return false;
}

static int check_file_system(const struct proc_root *root, int fd)
{
	struct proc_text type, more;
	uint64_t id;
	int r = mount_id(fd, &id);

	if (r)
		return r;
	return root_find_mount(&root->mounts, id, &type, &more) && is_local(type) ? 0 : -EOPNOTSUPP;
}

/* What the kernel knows of a file, without asking a server. */
static int stat_cached(int fd, unsigned int mask, struct statx *file)
{
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, mask, file) ? -errno : 0;
}

/* What is mounted: the device of a line of mountinfo and the root of it. Takes these from the line.
 */
static bool take_mounted(struct proc_text *line, struct proc_text *device, struct proc_text *root)
{
	return proc_text_skip(line, 1) && proc_text_word(line, device) &&
	       proc_text_word(line, root);
}

static bool equals_text(struct proc_text text, struct proc_text other)
{
	size_t len = (size_t)(text.end - text.at);

	return len == (size_t)(other.end - other.at) && memcmp(text.at, other.at, len) == 0;
}

/* What is mounted by the mount of that id, or else what a process has as its root. */
static bool find_mounted(const struct buf *mounts, const uint64_t *id, struct proc_text *device,
			 struct proc_text *root)
{
	struct proc_text rest = proc_text_of(mounts), line, place;
	bool found = false;

	while (proc_text_line(&rest, &line)) {
		struct proc_text its_device, its_root;
		uint64_t number;

		if (!proc_text_u64(&line, 10, &number) ||
		    !take_mounted(&line, &its_device, &its_root) || !proc_text_word(&line, &place))
			continue;
		if (id ? number != *id : place.end - place.at != 1)
			continue;
		/* Of those at "/" the last one covers the others. */
		*device = its_device;
		*root = its_root;
		found = true;
	}
	return found;
}

/*
 * Whether a root is a mount of what the first process has as its root. What it has mounted can be
 * read also where a security module keeps its root from all.
 */
static bool is_mounted_as_of_first(const struct proc_root *root, int proc)
{
	struct proc_text device, top, its_device, its_top;
	struct buf first = {0};
	struct statx file;
	uint64_t id;
	bool same = statx(root->dir, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &file) == 0 &&
		    file.stx_attributes & STATX_ATTR_MOUNT_ROOT && mount_id(root->dir, &id) == 0 &&
		    find_mounted(&root->mounts, &id, &device, &top) &&
		    proc_read_file(proc, "1/mountinfo", MOUNTS_BYTES_MAX, &first) == 0 &&
		    find_mounted(&first, NULL, &its_device, &its_top);

	same = same && equals_text(device, its_device) && equals_text(top, its_top);
	buf_finish(&first);
	return same;
}

/* Whether a root is that of the first process of `proc`. Returns -errno if that one is out of
 * reach. */
static int is_of_machine(int proc, int dir)
{
	int first = openat(proc, "1/root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statx ours, its;
	bool same;

	if (first < 0)
		return -errno;
	same = stat_cached(first, STATX_INO, &ours) == 0 &&
	       stat_cached(dir, STATX_INO, &its) == 0 && ours.stx_ino == its.stx_ino &&
	       ours.stx_dev_major == its.stx_dev_major && ours.stx_dev_minor == its.stx_dev_minor;
	close(first);
	return same;
}

int proc_root_open(struct proc_root *root, int proc, int process)
{
	int r, is_machine;

	*root = (struct proc_root){
		.dir = openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC)};
	if (root->dir < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	is_machine = is_of_machine(proc, root->dir);
	if (is_machine > 0)
		return -EAGAIN;
	r = proc_read_file(process, "mountinfo", MOUNTS_BYTES_MAX, &root->mounts);
	if (r)
		return r == -ENOENT || r == -EINVAL ? -ESRCH : r;
	if (is_machine < 0 && is_mounted_as_of_first(root, proc))
		return -EAGAIN;
	return check_file_system(root, root->dir);
}

void proc_root_close(struct proc_root *root)
{
	if (root->dir >= 0)
		close(root->dir);
	root->dir = -1;
	buf_finish(&root->mounts);
}

int proc_root_open_path(int dir, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | flags,
		.resolve = RESOLVE_NO_MAGICLINKS | resolve,
	};
	long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

/*
 * A file that is a mount of its own, as a runtime makes them of single files: only the last step
 * leads to another file system, which is not asked for it.
 */
static int open_mounted(const struct proc_root *root, const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[FOLDER_BYTES];
	int dir, fd, r;

	if (!slash || (size_t)(slash - path) >= sizeof(folder))
		return -EXDEV;
	snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
	dir = proc_root_open_path(root->dir, folder, O_DIRECTORY,
				  RESOLVE_IN_ROOT | RESOLVE_NO_XDEV);
	if (dir < 0)
		return dir;
	fd = proc_root_open_path(dir, slash + 1, O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	close(dir);
	if (fd < 0)
		return fd;
	r = check_file_system(root, fd);
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

int proc_root_read(const struct proc_root *root, const char *path, size_t max, struct buf *text)
{
	int fd = proc_root_open_path(root->dir, path, 0, RESOLVE_IN_ROOT | RESOLVE_NO_XDEV), r;

	if (fd == -EXDEV)
		fd = open_mounted(root, path);
	if (fd < 0)
		return fd;
	r = proc_read_regular(fd, max, text);
	close(fd);
	return r;
}

/*
 * Of the options of a file system that a program answers for, one is who mounted it. They stand
 * behind the source, which is any text of that one's choice.
 */
static bool is_mounted_by_root(struct proc_text rest)
{
	static const char by_root[] = ",user_id=0,";
	struct proc_text source;

	return proc_text_word(&rest, &source) &&
	       memmem(rest.at, (size_t)(rest.end - rest.at), by_root, sizeof(by_root) - 1);
}

bool proc_mount_is_served_as(int fd, int dir, const char *mountinfo)
{
	struct proc_text type, more;
	struct buf mounts = {0};
	bool is_served = true;
	uint64_t id;

	if (mount_id(fd, &id) == 0 &&
	    proc_read_file(dir, mountinfo, MOUNTS_BYTES_MAX, &mounts) == 0 &&
	    root_find_mount(&mounts, id, &type, &more))
		is_served = proc_text_prefix(&type, "fuse");
	buf_finish(&mounts);
	return is_served;
}

bool proc_mount_is_of_user_as(int fd, int dir, const char *mountinfo)
{
	struct proc_text type, more;
	struct buf mounts = {0};
	bool is_users = true;
	uint64_t id;

	if (mount_id(fd, &id) == 0 &&
	    proc_read_file(dir, mountinfo, MOUNTS_BYTES_MAX, &mounts) == 0 &&
	    root_find_mount(&mounts, id, &type, &more))
		is_users = proc_text_prefix(&type, "fuse") && !is_mounted_by_root(more);
	buf_finish(&mounts);
	return is_users;
}

bool proc_mount_is_of_user(int fd)
{
	return proc_mount_is_of_user_as(fd, AT_FDCWD, "/proc/self/mountinfo");
}
