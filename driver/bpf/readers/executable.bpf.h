/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The executable of a task: its path, whether the task may write it, when it changed. */
#ifndef LANNER_EXECUTABLE_BPF_H
#define LANNER_EXECUTABLE_BPF_H

#include "bpf/readers/file.bpf.h"
#include "bpf/readers/task.bpf.h"

enum {
	EXE_WRITABLE = 1,
	EXE_UPPER_LAYER = 2,
	EXE_FROM_MEMFD = 4,
	EXE_LOWER_LAYER = 8,
	SB_RDONLY_BIT = 1,
	S_IMMUTABLE_BIT = 8,
	MODE_TYPE = 0170000,
	MODE_REGULAR = 0100000,
	MODE_DIRECTORY = 0040000,
	MODE_LINK = 0120000,
	CAP_DAC_OVERRIDE_BIT = 1,
	CAP_FOWNER_BIT = 3,
	GROUPS_SEARCHED = 64,
	EXTENTS_IN_PLACE = 5, /* UID_GID_MAP_MAX_BASE_EXTENTS */
	EXTENTS_SEARCHES = 9, /* for UID_GID_MAP_MAX_EXTENTS, which is 340 */
};

static __always_inline struct file *exe_file(struct filler *f)
{
	return READ(current_task(f), mm, exe_file);
}

static __always_inline bool is_group(struct group_info *groups, int i, __u32 gid)
{
	__u32 member = 0;

	bpf_core_read(&member, sizeof(member), &groups->gid[i]);
	return member == gid;
}

/* Whether a group is among the supplementary ones of the credentials at that address. */
__attribute__((noinline)) int in_supplementary_group(__u64 cred, __u32 gid)
{
	struct group_info *groups = GET((struct cred *)cred, group_info);
	int n = GET(groups, ngroups), *turn = NULL;
	struct bpf_iter_num turns;

	if (n > GROUPS_SEARCHED)
		n = GROUPS_SEARCHED;
	if (CAN_ITERATE) {
		kernel_iter_new(&turns, 0, n);
		while ((turn = kernel_iter_next(&turns)))
			if (is_group(groups, *turn & (GROUPS_SEARCHED - 1), gid))
				break;
		kernel_iter_destroy(&turns);
		return turn != NULL;
	}
	for (int i = 0; i < GROUPS_SEARCHED && i < n; i++)
		if (is_group(groups, i, gid))
			return true;
	return false;
}

static __always_inline bool in_group(const struct cred *cred, __u32 gid)
{
	return GET(cred, fsgid.val) == gid || in_supplementary_group((__u64)cred, gid);
}

/* Whether a user namespace maps a user's or group's id, by its map at that address. */
__attribute__((noinline)) int id_is_mapped(__u64 map_at, __u32 id)
{
	struct uid_gid_map *map = (void *)map_at;
	struct uid_gid_extent extent, *extents = READ(map, reverse);
	__u32 n = READ(map, nr_extents), low = 0, high = n;

	if (n <= EXTENTS_IN_PLACE) {
		for (__u32 i = 0; i < EXTENTS_IN_PLACE && i < n; i++) {
			if (bpf_probe_read_kernel(&extent, sizeof(extent), map->extent + i))
				return false;
			if (id - extent.lower_first < extent.count)
				return true;
		}
		return false;
	}
	/* Larger maps are sorted. */
	for (int i = 0; i < EXTENTS_SEARCHES && low < high; i++) {
		__u32 middle = (low + high) / 2;

		if (bpf_probe_read_kernel(&extent, sizeof(extent), extents + middle))
			return false;
		if (id - extent.lower_first < extent.count)
			return true;
		if (id < extent.lower_first)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

/* Whether the task may write the file, as the kernel would decide. */
static __always_inline bool exe_is_writable(const struct cred *cred, struct inode *inode)
{
	__u16 mode = GET(inode, i_mode), type = mode & MODE_TYPE;
	__u32 uid = GET(inode, i_uid.val), gid = GET(inode, i_gid.val);
	struct user_namespace *users;
	__u64 caps = 0;

	if ((GET(inode, i_sb, s_flags) & SB_RDONLY_BIT) &&
	    (type == MODE_REGULAR || type == MODE_DIRECTORY || type == MODE_LINK))
		return false;
	if ((GET(inode, i_flags) & S_IMMUTABLE_BIT) || uid == (__u32)-1 || gid == (__u32)-1)
		return false;
	if (GET(cred, fsuid.val) == uid)
		return true;
	if (in_group(cred, gid) ? mode & 0020 : mode & 0002)
		return true;
	bpf_core_read(&caps, sizeof(caps), &cred->cap_effective);
	if (!(caps & (1ULL << CAP_DAC_OVERRIDE_BIT | 1ULL << CAP_FOWNER_BIT)))
		return false;
	users = READ(cred, user_ns);
	if (!id_is_mapped((__u64)&users->uid_map, uid))
		return false;
	return caps & 1ULL << CAP_FOWNER_BIT || id_is_mapped((__u64)&users->gid_map, gid);
}

/* Files of memfd_create() have a dentry of their own named "memfd:…". */
static __always_inline bool exe_is_memfd(struct file *file)
{
	struct dentry *dentry = GET(file, f_path.dentry);
	char name[6] = {};

	if (GET(dentry, d_parent) != dentry)
		return false;
	bpf_probe_read_kernel(name, sizeof(name), GET(dentry, d_name.name));
	return name[0] == 'm' && name[1] == 'e' && name[2] == 'm' && name[3] == 'f' &&
	       name[4] == 'd' && name[5] == ':';
}

/*
 * Of the file and the credentials of a task, at these addresses. Not inlined: many paths lead here,
 * and out of here.
 */
__attribute__((noinline)) int exe_flags_at(__u64 cred_at, __u64 file_at)
{
	const struct cred *cred = (struct cred *)cred_at;
	struct file *file = (struct file *)file_at;
	struct inode *inode = GET(file, f_inode);
	enum overlay_layer layer = inode_layer(inode, GET(inode, i_sb));
	__u32 flags = 0;

	if (exe_is_writable(cred, inode))
		flags |= EXE_WRITABLE;
	if (layer == OVERLAY_UPPER)
		flags |= EXE_UPPER_LAYER;
	else if (layer == OVERLAY_LOWER)
		flags |= EXE_LOWER_LAYER;
	if (exe_is_memfd(file))
		flags |= EXE_FROM_MEMFD;
	return flags;
}

static __always_inline __u32 exe_flags(struct filler *f)
{
	struct file *file = exe_file(f);

	return file ? exe_flags_at((__u64)READ(current_task(f), cred), (__u64)file) : 0;
}

static __always_inline __u64 exe_ino(struct filler *f)
{
	return file_ino(exe_file(f));
}

static __always_inline __u64 exe_ctime(struct filler *f)
{
	struct file *file = exe_file(f);

	return file ? inode_ctime_ns(GET(file, f_inode)) : 0;
}

static __always_inline __u64 exe_mtime(struct filler *f)
{
	struct file *file = exe_file(f);

	return file ? inode_mtime_ns(GET(file, f_inode)) : 0;
}

/* The path; for a file that is in no tree, such as a memfd, its name. */
static __always_inline void put_exe_path(struct filler *f)
{
	struct file *file = exe_file(f);

	put_path(f, file ? &file->f_path : NULL);
	if (file && length_put(f, f->param) == 0)
		put_kernel_string(f, GET(file, f_path.dentry, d_name.name), STRING_BYTES_MAX);
}

/* At sched_process_exec: the name of the new program as it was passed. */
static __always_inline void put_program_name(struct filler *f)
{
	struct linux_binprm *program = (void *)((__u64 *)f->ctx)[2];

	put_kernel_string(f, READ(program, filename), STRING_BYTES_MAX);
}

#endif
