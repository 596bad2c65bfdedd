/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Open files: from a descriptor of the current task to the file, its inode, its device, its path.
 */
#ifndef LANNER_FILE_BPF_H
#define LANNER_FILE_BPF_H

#include "bpf/core/frame.bpf.h"

#include <linux/openat2.h>

enum {
	FMODE_CREATED = 0x100000,
	OVERLAYFS_MAGIC = 0x794c7630,
	STORED_CREATED = 0x4000,
	STORED_UPPER_LAYER = 0x8000,
	STORED_LOWER_LAYER = 0x10000,
	PATH_COMPONENTS_MAX = 96,
	PATH_BYTES = 8192,
	NAME_BYTES_MAX = 255,
};

enum overlay_layer { OVERLAY_NONE, OVERLAY_UPPER, OVERLAY_LOWER };

struct opened_file {
	struct file *file; /* NULL if the call failed */
	__u64 ino;
	__u32 dev, flags;
	__u16 layer; /* enum overlay_layer, as stored for creat */
};

struct fd_pair {
	__s32 first, second;
};

/* The kernel's device number in the form of the .scap format. */
static __always_inline __u32 device_encode(__u32 dev)
{
	__u32 major = dev >> 20, minor = dev & 0xfffff;

	return (minor & 0xff) | (major << 8) | ((minor & ~0xffU) << 12);
}

/* The file of a descriptor of the current task, or NULL. */
static __always_inline struct file *fd_file(__s32 fd)
{
	struct files_struct *files = current_files();
	struct fdtable *table = GET(files, fdt);
	struct file **entries, *file = NULL;

	if (fd < 0 || (__u32)fd >= GET(table, max_fds))
		return NULL;
	entries = GET(table, fd);
	bpf_core_read(&file, sizeof(file), &entries[fd]);
	return file;
}

static __always_inline __u64 file_ino(struct file *file)
{
	return file ? GET(file, f_inode, i_ino) : 0;
}

/*
 * The layer of an overlay that an inode is in. The overlay's data of an inode follows it in memory.
 */
static __always_inline enum overlay_layer inode_layer(struct inode *inode, struct super_block *sb)
{
	struct dentry *upper = NULL;

	if ((__u32)GET(sb, s_magic) != OVERLAYFS_MAGIC)
		return OVERLAY_NONE;
	bpf_probe_read_kernel(&upper, sizeof(upper),
			      (void *)inode + bpf_core_type_size(struct inode));
	return upper && GET(upper, d_inode, i_ino) ? OVERLAY_UPPER : OVERLAY_LOWER;
}

/*
 * What the current call opened: its file, flags of the stored kind, device and inode; zeros if it
 * failed. Descriptor 0 counts as a failure except for the file and the created bit, as in the .scap
 * format.
 */
static __always_inline struct opened_file opened_file(struct filler *f)
{
	struct file *file = f->ret >= 0 ? fd_file(f->ret) : NULL;
	struct opened_file opened = {.file = file};
	struct inode *inode;
	struct super_block *sb;

	if (!file)
		return opened;
	if (GET(file, f_mode) & FMODE_CREATED)
		opened.flags |= STORED_CREATED;
	if (f->ret == 0)
		return opened;
	inode = GET(file, f_inode);
	sb = GET(inode, i_sb);
	opened.dev = device_encode(GET(sb, s_dev));
	opened.ino = GET(inode, i_ino);
	opened.layer = inode_layer(inode, sb);
	if (opened.layer == OVERLAY_UPPER)
		opened.flags |= STORED_UPPER_LAYER;
	else if (opened.layer == OVERLAY_LOWER)
		opened.flags |= STORED_LOWER_LAYER;
	return opened;
}

/* The struct of openat2; zeros if it cannot be read. */
static __always_inline struct open_how open_how(struct filler *f, __u64 address)
{
	struct open_how how = {};

	if (bpf_probe_read_user(&how, sizeof(how), (void *)address))
		count_unreadable(f);
	return how;
}

/* The two descriptors that a call wrote to the caller's memory; -1 if it cannot be read. */
static __always_inline struct fd_pair fd_pair(struct filler *f, __u64 address)
{
	struct fd_pair pair;

	if (bpf_probe_read_user(&pair, sizeof(pair), (void *)address))
		pair = (struct fd_pair){-1, -1};
	return pair;
}

/* The same, also -1 if the call failed. */
static __always_inline struct fd_pair made_fd_pair(struct filler *f, __u64 address)
{
	return fd_pair(f, f->ret == 0 ? address : 0);
}

static __always_inline __u64 pipe_ino(struct filler *f, struct fd_pair pair)
{
	return f->ret == 0 ? file_ino(fd_file(pair.first)) : 0;
}

/*
 * Builds the path of a dentry on a mount in the work area of a slot, from its end: each component
 * is written before the one below it. Returns the offset of its start, PATH_BYTES if the dentry is
 * in no directory tree. Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) __u32 path_build(__u32 slot_key, __u64 dentry_at, __u64 mount_at)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct dentry *dentry = (void *)dentry_at;
	struct mount *mount = (void *)mount_at - bpf_core_field_offset(struct mount, mnt);
	__u64 at;

	if (!slot)
		return PATH_BYTES;
	at = forget(slot, PATH_BYTES - 1);
	slot->work[PATH_BYTES - 1] = '\0';
	for (int i = 0; i < PATH_COMPONENTS_MAX; i++) {
		struct dentry *parent = GET(dentry, d_parent);
		__u64 len, start;

		if (dentry == GET(mount, mnt.mnt_root)) {
			struct mount *above = (void *)forget(slot, (__u64)GET(mount, mnt_parent));

			if (above == mount)
				break;
			dentry = (void *)forget(slot, (__u64)GET(mount, mnt_mountpoint));
			mount = above;
			continue;
		}
		if (dentry == parent)
			break;
		len = GET(dentry, d_name.len) & NAME_BYTES_MAX;
		start = forget(slot, at - len - 1);
		if (start >= PATH_BYTES)
			break;
		at = start;
		slot->work[at] = '/';
		bpf_probe_read_kernel(slot->work + at + 1, len, GET(dentry, d_name.name));
		dentry = (void *)forget(slot, (__u64)parent);
	}
	if (at < PATH_BYTES - 1)
		return at;
	if (dentry != GET(mount, mnt.mnt_root))
		return PATH_BYTES;
	slot->work[PATH_BYTES - 2] = '/';
	return PATH_BYTES - 2;
}

/*
 * A path from the root of the mount tree, as the kernel has it; absent if it is in no tree, or
 * NULL.
 */
static __always_inline void put_path(struct filler *f, struct path *path)
{
	__u64 at = path ? path_build(f->slot_key, (__u64)READ(path, dentry), (__u64)READ(path, mnt)) :
			  PATH_BYTES;
	__u64 n = PATH_BYTES - at;
	__u8 *room = frame_room(f);

	if (!room)
		return;
	CHECKED(n);
	if (n > STRING_BYTES_MAX)
		n = STRING_BYTES_MAX;
	bpf_probe_read_kernel(room, n, f->slot->work + (at & (PATH_BYTES - 1)));
	if (n)
		room[(n - 1) & (STRING_BYTES_MAX - 1)] = '\0';
	frame_advance(f, n);
}

/* The path of a file, which may be NULL. */
static __always_inline void put_file_path(struct filler *f, struct file *file)
{
	put_path(f, file ? &file->f_path : NULL);
}

/* The current directory of the task after a call that may have changed it. */
static __always_inline void put_directory(struct filler *f)
{
	struct fs_struct *fs = f->ret >= 0 ? current_fs() : NULL;

	put_path(f, fs ? &fs->pwd : NULL);
}

#endif
