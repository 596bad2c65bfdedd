/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Open files: from a descriptor of the current task to the file, its inode, its device, its path.
 */
#ifndef LANNER_FILE_BPF_H
#define LANNER_FILE_BPF_H

#include "bpf/core/frame.bpf.h"
#include "bpf/core/kernel_filter.bpf.h"

#include <linux/fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>

enum {
	FMODE_CREATED = 0x100000,
	OVERLAYFS_MAGIC = 0x794c7630,
	STORED_CREATED = 0x4000,
	CREAT_OPENS_WITH = O_WRONLY | O_CREAT | O_TRUNC, /* creat has no argument for these */
	STORED_UPPER_LAYER = 0x8000,
	STORED_LOWER_LAYER = 0x10000,
	PATH_COMPONENTS_MAX = 96,
	PATH_BYTES = 8192,
	NAME_BYTES_MAX = 255,
	NAME_WORDS_MAX = 3, /* longer names, and paths, are copied by a helper */
	PATH_WORDS_MAX = 8,
	NO_DESCRIPTOR = 0xffffffffU, /* -1, as a descriptor */
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
	if (CAN_CAST)
		return (void *)kernel_word((__u64)&entries[fd]);
	bpf_core_read(&file, sizeof(file), &entries[fd]);
	return file;
}

/*
 * A descriptor, or a file itself in its place: the address of a struct file of the kernel. A number
 * of a call has 32 bits, so that nobody passes an address.
 */
static __always_inline struct file *descriptor_file(__u64 descriptor)
{
	return (__s64)descriptor < 0 ? (void *)descriptor : fd_file(descriptor);
}

/* A descriptor that a call names: of a request only its process may know which file that is. */
static __always_inline __u64 descriptor_named_by(struct filler *f, __u64 fd)
{
	return (__u32)fd | f->not_its_files;
}

/*
 * The descriptor that a call uses. For a request it is the file that it used; before it had one, what
 * its process has under that number, if the current task has the same descriptors.
 */
static __always_inline __u64 descriptor_used_by(struct filler *f, __u64 fd)
{
	return f->of_request ? f->file | (descriptor_named_by(f, fd) & f->number_mask) : (__u32)fd;
}

/* The one that it made; only if it succeeded. */
static __always_inline __u64 descriptor_made_by(struct filler *f)
{
	return f->of_request && f->made_file ? f->made_file : descriptor_named_by(f, f->ret);
}

/* The lower half of KERNEL_DESCRIPTOR. */
static __always_inline __u32 file_kind(struct file *file)
{
	return file ? (GET(file, f_inode, i_mode) & S_IFMT) | KERNEL_DESCRIPTOR_KNOWN : 0;
}

static __always_inline __u64 file_ino(struct file *file)
{
	return file ? GET(file, f_inode, i_ino) : 0;
}

/* Which file it is; not NULL. */
static __always_inline struct frame_file file_identity(struct file *file)
{
	struct inode *inode = GET(file, f_inode);
	struct mount *mount =
		(void *)GET(file, f_path.mnt) - bpf_core_field_offset(struct mount, mnt);

	return (struct frame_file){
		.ino = GET(inode, i_ino),
		.dev = device_encode(GET(inode, i_sb, s_dev)),
		.mount = GET(mount, mnt_id),
	};
}

/*
 * Notes which file a descriptor is, for the end of the frame of a slot. Not inlined: the verifier
 * walks it once.
 */
__attribute__((noinline)) int file_note(__u32 slot_key, __u64 descriptor)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct file *file = descriptor_file(descriptor);

	if (!slot)
		return 0;
	slot->file.ino = 0;
	if (file)
		slot->file = file_identity(file);
	return 0;
}

/*
 * Notes which file has the number that the call closed: another thread may have opened it since. The
 * event's time lies between two looks. With one look an interrupt between it and the time were long
 * enough for that thread to open a file, or to close it.
 */
static __always_inline void note_next_file(struct filler *f, __u32 fd)
{
	struct frame_file before;

	file_note(f->slot_key, fd);
	before = f->slot->file;
	frame_set_time(f, bpf_ktime_get_boot_ns());
	file_note(f->slot_key, fd);
	if (!f->slot->file.ino)
		f->slot->file = before;
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
 * failed.
 */
static __always_inline struct opened_file opened_file(struct filler *f)
{
	struct file *file = f->ret >= 0 ? descriptor_file(descriptor_made_by(f)) : NULL;
	struct opened_file opened = {.file = file};
	struct inode *inode;
	struct super_block *sb;

	if (!file)
		return opened;
	if (GET(file, f_mode) & FMODE_CREATED)
		opened.flags |= STORED_CREATED;
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

/* The struct of openat2; zeros if it cannot be read. A request has its members in place of arguments. */
static __always_inline struct open_how open_how(struct filler *f, __u64 address)
{
	struct open_how how = {};

	if (f->of_request)
		return (struct open_how){f->args[2], f->args[3], f->args[4]};
	if (bpf_probe_read_user(&how, sizeof(how), (void *)address))
		count_unreadable(f);
	return how;
}

/* The two descriptors that a call wrote to the caller's memory; -1 if it cannot be read. */
static __always_inline struct fd_pair fd_pair(struct filler *f, __u64 address)
{
	struct fd_pair pair;

	if (read_caller(f, &pair, sizeof(pair), address))
		pair = (struct fd_pair){-1, -1};
	return pair;
}

/* The same, also -1 if the call failed. */
static __always_inline struct fd_pair made_fd_pair(struct filler *f, __u64 address)
{
	return fd_pair(f, f->ret == 0 ? address : 0);
}

/*
 * The ends that pipe2 makes. A request may ask for registered files: `slots` is the first one, + 1,
 * which the kernel does not write to the caller's memory in all versions; negative: the kernel
 * chooses, and writes both there.
 */
static __always_inline struct fd_pair pipe_pair(struct filler *f, __u64 address, __s32 slots)
{
	struct fd_pair pair = fd_pair(f, address);

	if (!f->of_request || !slots)
		return pair;
	if (slots > 0)
		pair = (struct fd_pair){slots - 1, slots};
	if (f->ret || pair.first < 0)
		return (struct fd_pair){-1, -1};
	return (struct fd_pair){slot_fd_of(f->slot->uring.ring, pair.first),
				slot_fd_of(f->slot->uring.ring, pair.second)};
}

static __always_inline __u64 pipe_ino(struct filler *f, struct fd_pair pair)
{
	return f->ret == 0 ? file_ino(descriptor_file(descriptor_named_by(f, pair.first))) : 0;
}

/*
 * Copies a name of up to NAME_WORDS_MAX words to `start` of the work area, from its end on: a read
 * of a word takes 1 ns, a call of the helper 23. Overwrites up to 7 bytes before `start`. What is
 * read beyond the end of a name shorter than a word is in its dentry.
 */
static __always_inline void name_copy(struct scratch_slot *slot, __u64 start, __u64 name, __u64 len)
{
	for (__u64 i = 0; i < NAME_WORDS_MAX && i * 8 < len; i++) {
		__u64 from = len - i * 8 - 8, at = start + from, is_part = from >> 63;

		/* No branch for the verifier: the first bytes of a name go to a word's end. */
		CHECKED(is_part);
		from = kernel_word(name + (from & (is_part - 1))) << (-from * 8 & -is_part & 63);
		CHECKED(at);
		*(__u64 *)(slot->work + (at & (PATH_BYTES - 1))) = from;
	}
}

/* On the way from a file up to the root of the mount tree. */
struct path_walk {
	struct scratch_slot *slot;
	struct dentry *dentry;
	struct mount *mount;
	__u64 at; /* where the path begins in the work area so far */
};

/* Writes a component before the ones below it. Returns whether there is one above, and room. */
static __always_inline bool path_step(struct path_walk *walk)
{
	/* On their own, as GET() takes all that it goes through for the kernel's. */
	struct scratch_slot *slot = walk->slot;
	struct dentry *dentry = walk->dentry, *parent = GET(dentry, d_parent);
	struct mount *mount = walk->mount;
	__u64 len, start, name;

	if (dentry == GET(mount, mnt.mnt_root)) {
		struct mount *above = (void *)forget(slot, (__u64)GET(mount, mnt_parent));

		if (above == mount) {
			slot->path_is_part = 0;
			return false;
		}
		walk->dentry = (void *)forget(slot, (__u64)GET(mount, mnt_mountpoint));
		walk->mount = above;
		return true;
	}
	if (dentry == parent) {
		slot->path_is_part = 0;
		return false;
	}
	len = GET(dentry, d_name.len) & NAME_BYTES_MAX;
	start = forget(slot, walk->at - len - 1);
	if (start >= PATH_BYTES)
		return false;
	walk->at = start;
	name = (__u64)GET(dentry, d_name.name);
	if (CAN_CAST && len <= NAME_WORDS_MAX * 8 && forget(slot, start) >= 8)
		name_copy(slot, start + 1, name, len);
	else
		bpf_probe_read_kernel(slot->work + start + 1, len, (void *)name);
	slot->work[start] = '/';
	walk->dentry = (void *)forget(slot, (__u64)parent);
	return true;
}

/*
 * Builds the path of a dentry on a mount in the work area of a slot, from its end. Returns the
 * offset of its start, PATH_BYTES if the dentry is in no directory tree. slot->path_is_part: it has
 * more components, or bytes, than there is room for. Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) __u32 path_build(__u32 slot_key, __u64 dentry_at, __u64 mount_at)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct path_walk walk = {
		.slot = slot,
		.dentry = (void *)dentry_at,
		.mount = (void *)mount_at - bpf_core_field_offset(struct mount, mnt),
	};
	struct mount *mount;

	if (!slot)
		return PATH_BYTES;
	slot->path_is_part = 1;
	walk.at = forget(slot, PATH_BYTES - 1);
	slot->work[PATH_BYTES - 1] = '\0';
	REPEAT(PATH_COMPONENTS_MAX, path_step, &walk);
	if (walk.at < PATH_BYTES - 1)
		return walk.at;
	mount = walk.mount;
	if (walk.dentry != GET(mount, mnt.mnt_root))
		return PATH_BYTES;
	slot->work[PATH_BYTES - 2] = '/';
	return PATH_BYTES - 2;
}

/* Copies a path of `n` bytes from the work area; up to 7 more if it is short. */
static __always_inline void path_copy(struct filler *f, __u8 *room, __u64 at, __u64 n)
{
	const __u8 *path = f->slot->work + (at & (PATH_BYTES - 1));
	__u64 left = forget(f->slot, n);

	if (left > PATH_WORDS_MAX * 8) {
		bpf_probe_read_kernel(room, n, path);
		return;
	}
	for (__u64 i = 0; i < PATH_WORDS_MAX && i * 8 < left; i++)
		*(__u64 *)(room + i * 8) = *(__u64 *)(path + i * 8);
}

/* Builds a path, or none of NULL. Returns its bytes at the end of the work area. */
static __always_inline __u64 path_bytes(struct filler *f, struct path *path)
{
	f->slot->path_is_part = 0;
	if (!path)
		return 0;
	return PATH_BYTES - path_build(f->slot_key, forget(f->slot, (__u64)GET(path, dentry)),
				       forget(f->slot, (__u64)GET(path, mnt)));
}

/* Of a path that is too long: its beginning, "...", and its end. */
static __always_inline void path_copy_ends(struct filler *f, __u8 *room, __u64 at)
{
	const __u8 *path = f->slot->work + (at & (PATH_BYTES - 1));

	bpf_probe_read_kernel(room, PATH_END_BYTES, path);
	__builtin_memcpy(room + PATH_END_BYTES - 3, "...", 3);
	bpf_probe_read_kernel(room + PATH_END_BYTES, PATH_END_BYTES,
			      f->slot->work + PATH_BYTES - PATH_END_BYTES);
}

/* Of a path without its beginning: "/..." in place of the first bytes of what there is. */
static __always_inline void mark_part(struct filler *f, __u8 *room)
{
	if (!f->slot->path_is_part)
		return;
	mark_truncated(f);
	__builtin_memcpy(room, "/...", 4);
}

/* Puts a path of `n` bytes that was built. */
static __always_inline void put_built_path(struct filler *f, __u64 n)
{
	__u64 at = PATH_BYTES - n;
	__u8 *room = frame_room(f);

	if (!room)
		return;
	CHECKED(n);
	if (n > STRING_BYTES_MAX) {
		mark_truncated(f);
		path_copy_ends(f, room, at);
		mark_part(f, room);
		frame_advance(f, STRING_BYTES_MAX);
		return;
	}
	path_copy(f, room, at, n);
	if (n)
		room[(n - 1) & (STRING_BYTES_MAX - 1)] = '\0';
	mark_part(f, room);
	frame_advance(f, n);
}

/*
 * A path from the root of the mount tree, as the kernel has it; absent if it is in no tree, or
 * NULL.
 */
static __always_inline void put_path(struct filler *f, struct path *path)
{
	put_built_path(f, path_bytes(f, path));
}

/* The path of a file, which may be NULL. */
static __always_inline void put_file_path(struct filler *f, struct file *file)
{
	put_path(f, file ? &file->f_path : NULL);
}

/* The same of the file that a call opened, whose path may have been built for the filter. */
static __always_inline void put_opened_path(struct filler *f, __u32 event, struct file *file)
{
	if (kernel_filters.at_path[event] && !f->of_request)
		put_built_path(f, f->path_bytes);
	else
		put_file_path(f, file);
}

/*
 * Whether the filter rejects a call by the path of the file that it opened; it is then counted.
 * Takes a slot for the path, which the event gets if it passes; without one it is lost. asked: see
 * exit_is_rejected().
 */
static __always_inline bool path_is_rejected(struct filler *f, __u32 event, __u32 asked)
{
	__u32 number = kernel_filters.at_path[event];
	struct file *file;

	_Static_assert(OPENED_PATH_END == PATH_BYTES && OPENED_PATH_MAX <= STRING_BYTES_MAX,
		       "path_build() leaves the path there");
	if (!number || f->ret < 0)
		return false;
	file = fd_file(f->ret);
	if (!file)
		return false;
	f->slot = scratch_take(&f->slot_key);
	if (!f->slot) {
		count_lost(event, LOSS_SCRATCH_BUSY);
		return true;
	}
	f->path_bytes = forget(f->slot, path_bytes(f, &file->f_path));
	if (path_filter_run(f->slot, f->path_bytes, number, f->ret, asked))
		return false;
	scratch_give_back(f->slot);
	count_filtered(event);
	return true;
}

/*
 * For a failed call with a name that is relative, or that starts from `dirfd` in any case: the path
 * of the directory that it starts from. Absent if that is in no tree, or not open. The name has
 * been put at `name_at`.
 */
static __always_inline void put_base_path(struct filler *f, __u32 name, __u64 name_at, __s32 dirfd,
					  bool is_in_root)
{
	struct path *path = NULL;
	struct file *file;
	struct fs_struct *fs;
	__u8 first;

	put_absent(f);
	if (!call_failed(f) || !length_put(f, name))
		return;
	first = f->frame[name_at];
	if (!is_in_root && (!first || first == '/'))
		return;
	if (dirfd == AT_FDCWD) {
		fs = f->not_its_files ? NULL : current_fs();
		path = fs ? &fs->pwd : NULL;
	} else {
		file = descriptor_file(descriptor_named_by(f, dirfd));
		path = file ? &file->f_path : NULL;
	}
	put_path(f, path);
}

/* The current directory of the task after a call that may have changed it. */
static __always_inline void put_directory(struct filler *f)
{
	struct fs_struct *fs = f->ret >= 0 ? current_fs() : NULL;

	put_path(f, fs ? &fs->pwd : NULL);
}

#endif
