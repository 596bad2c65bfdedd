/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Open files: from a descriptor of the current task to the file, its inode, its device, its path. */
#ifndef LANNER_FILE_BPF_H
#define LANNER_FILE_BPF_H

#include "frame.bpf.h"

enum {
	FMODE_CREATED = 0x100000,
	OVERLAYFS_MAGIC = 0x794c7630,
	STORED_CREATED = 0x4000,
	STORED_UPPER_LAYER = 0x8000,
	STORED_LOWER_LAYER = 0x10000,
	PATH_COMPONENTS_MAX = 96,
};

enum overlay_layer { OVERLAY_NONE, OVERLAY_UPPER, OVERLAY_LOWER };

/* The kernel's device number in the form of the .scap format. */
static __always_inline __u32 device_encode(__u32 dev)
{
	__u32 major = dev >> 20, minor = dev & 0xfffff;

	return (minor & 0xff) | (major << 8) | ((minor & ~0xffU) << 12);
}

/* The file of a descriptor of the current task, or NULL. */
static __always_inline struct file *fd_file(__s32 fd)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct fdtable *table = READ(task, files, fdt);
	struct file **slots, *file = NULL;

	if (fd < 0 || (__u32)fd >= READ(table, max_fds))
		return NULL;
	slots = READ(table, fd);
	bpf_core_read(&file, sizeof(file), &slots[fd]);
	return file;
}

static __always_inline __u64 file_ino(struct file *file)
{
	return file ? READ(file, f_inode, i_ino) : 0;
}

/* Which layer of an overlay a file comes from. The overlay's part of an inode lies behind it. */
static __always_inline enum overlay_layer file_layer(struct file *file)
{
	struct inode *inode = READ(file, f_inode);
	struct dentry *upper = NULL;

	if ((__u32)READ(inode, i_sb, s_magic) != OVERLAYFS_MAGIC)
		return OVERLAY_NONE;
	bpf_probe_read_kernel(&upper, sizeof(upper),
			      (void *)inode + bpf_core_type_size(struct inode));
	return upper && READ(upper, d_inode, i_ino) ? OVERLAY_UPPER : OVERLAY_LOWER;
}

/* The file that the call at hand opened, or NULL. */
static __always_inline struct file *opened_file(struct filler *f)
{
	if (!f->opened_known) {
		f->opened = f->ret >= 0 ? fd_file(f->ret) : NULL;
		f->opened_known = true;
	}
	return f->opened;
}

/* Descriptor 0 counts as a failure here: the .scap world has it so. */
static __always_inline __u32 opened_flags(struct filler *f)
{
	struct file *file = opened_file(f);
	__u32 flags = 0;

	if (!file)
		return 0;
	if (READ(file, f_mode) & FMODE_CREATED)
		flags |= STORED_CREATED;
	if (f->ret > 0) {
		enum overlay_layer layer = file_layer(file);

		if (layer == OVERLAY_UPPER)
			flags |= STORED_UPPER_LAYER;
		else if (layer == OVERLAY_LOWER)
			flags |= STORED_LOWER_LAYER;
	}
	return flags;
}

static __always_inline __u16 created_layer(struct filler *f)
{
	return f->ret > 0 && opened_file(f) ? file_layer(opened_file(f)) : 0;
}

static __always_inline __u32 opened_dev(struct filler *f)
{
	struct file *file = opened_file(f);

	return file && f->ret > 0 ? device_encode(READ(file, f_inode, i_sb, s_dev)) : 0;
}

static __always_inline __u64 opened_ino(struct filler *f)
{
	return f->ret > 0 ? file_ino(opened_file(f)) : 0;
}

/* The struct of openat2; zeros when it cannot be read. */
static __always_inline struct open_how *open_how(struct filler *f, __u64 address)
{
	struct open_how how = {};

	if (bpf_probe_read_user(&how, sizeof(how), (void *)address))
		count(&f->counters->unreadable);
	f->how = how;
	return &f->how;
}

/* The two descriptors that a call wrote to the caller's memory; -1 when it cannot be read. */
static __always_inline struct fd_pair *fd_pair(struct filler *f, __u64 address)
{
	struct fd_pair pair;

	if (bpf_probe_read_user(&pair, sizeof(pair), (void *)address))
		pair = (struct fd_pair){-1, -1};
	f->pair = pair;
	return &f->pair;
}

/* The same, -1 too when the call failed. */
static __always_inline struct fd_pair *made_fd_pair(struct filler *f, __u64 address)
{
	return fd_pair(f, f->ret == 0 ? address : 0);
}

static __always_inline __u64 pipe_ino(struct filler *f)
{
	return f->ret == 0 ? file_ino(fd_file(f->pair.first)) : 0;
}

/*
 * The path of a file from the root of the mount tree, put together from its end: each component is
 * written ahead of the one below it, in the part of the slot that no frame reaches.
 */
static __always_inline void put_file_path(struct filler *f, struct file *file)
{
	enum { WORK_BYTES = 8192, NAME_BYTES_MAX = 255 };
	struct dentry *dentry = READ(file, f_path.dentry);
	struct vfsmount *vfsmount = READ(file, f_path.mnt);
	struct mount *mount = (void *)vfsmount - bpf_core_field_offset(struct mount, mnt);
	__u8 *work = f->slot->frame + WORK_AT;
	__u64 at = WORK_BYTES - 1;
	__u8 *room;
	__u64 n;

	work[at] = '\0';
	for (int i = 0; i < PATH_COMPONENTS_MAX; i++) {
		struct dentry *parent = READ(dentry, d_parent);
		struct dentry *root = READ(mount, mnt.mnt_root);
		__u64 len, start;

		if (dentry == root) {
			struct mount *above = READ(mount, mnt_parent);

			if (above == mount)
				break;
			dentry = READ(mount, mnt_mountpoint);
			mount = above;
			continue;
		}
		if (dentry == parent)
			break;
		len = READ(dentry, d_name.len) & NAME_BYTES_MAX;
		start = at - len - 1;
		if (start >= WORK_BYTES)
			break;
		at = forget(f, start) & (WORK_BYTES - 1);
		work[at] = '/';
		bpf_probe_read_kernel(work + at + 1, len & NAME_BYTES_MAX,
				      READ(dentry, d_name.name));
		dentry = parent;
	}
	if (at == WORK_BYTES - 1) {
		put_kernel_string(f, READ(dentry, d_name.name), STRING_BYTES_MAX);
		return;
	}
	room = frame_room(f);
	if (!room)
		return;
	n = WORK_BYTES - at;
	CHECKED(n);
	if (n > STRING_BYTES_MAX)
		n = STRING_BYTES_MAX;
	bpf_probe_read_kernel(room, n, work + (at & (WORK_BYTES - 1)));
	room[(n - 1) & (STRING_BYTES_MAX - 1)] = '\0';
	frame_advance(f, n);
}

#endif
