/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Structs of the caller's memory that calls on files, mounts and descriptors take or fill, as
 * 64-bit programs have them and as far as they are read. user_memory.bpf.h reads them into the filler.
 */
#ifndef LANNER_LAYOUT_USER_FILE_BPF_H
#define LANNER_LAYOUT_USER_FILE_BPF_H

#include "bpf/layouts/user.bpf.h"

struct user_times {
	struct user_time access, change;
};

struct user_utimbuf {
	__s64 actime, modtime;
};

struct user_statx {
	__u32 mask, blksize;
	__u64 attributes;
	__u32 nlink, uid, gid;
	__u16 mode, pad;
	__u64 ino, size, blocks, attributes_mask;
	struct user_time access, birth, status, change;
	__u32 rdev_major, rdev_minor, dev_major, dev_minor;
};

struct user_statfs {
	__s64 type, bsize;
	__u64 blocks, bfree, bavail, files, ffree, fsid;
	__s64 namelen, frsize;
	__u64 flags;
};

struct user_ustat {
	__s32 free_blocks, pad;
	__u64 free_inodes;
};

struct user_file_attr {
	__u64 xflags;
	__u32 extsize, nextents, projid, cowextsize;
};

/* What precedes the bytes of a handle. */
struct user_file_handle {
	__u32 bytes;
	__s32 type;
};

struct user_cache_range {
	__u64 offset, len;
};

struct user_cache_state {
	__u64 cached, dirty, writeback, evicted, recently_evicted;
};

struct user_xattr_args {
	__u64 value;
	__u32 size, flags;
};

/* The kernel packs it on x86_64 only (include/uapi/linux/eventpoll.h). */
struct user_epoll_event {
	__u32 events;
	__u64 data;
#ifdef __TARGET_ARCH_x86
} __attribute__((packed));
#else
};
#endif

/* What the last argument of pselect6 and io_pgetevents leads to. */
struct user_mask_argument {
	__u64 address, size;
};

struct user_aio_control {
	__u64 data;
	__u32 key, rw_flags;
	__u16 opcode;
	__s16 priority;
	__s32 fd;
	__u64 buffer, bytes;
	__s64 offset;
};

struct user_aio_event {
	__u64 data, object;
	__s64 result;
};

struct user_ruleset_attr {
	__u64 access_fs, access_net, scoped;
};

struct user_rule_path {
	__u64 access;
	__s32 parent_fd;
} __attribute__((packed));

struct user_rule_port {
	__u64 access, port;
};

/* What precedes the bytes of an attribute of a security module. */
struct user_lsm_context {
	__u64 id, flags, len, bytes;
};

struct user_mount_attr {
	__u64 set, clear, propagation, userns_fd;
};

/* `ns_id` exists if `size` includes it. */
struct user_mount_request {
	__u32 size, ns_fd;
	__u64 id, param, ns_id;
};

struct user_ns_request {
	__u32 size, pad;
	__u64 id;
	__u32 type, pad2;
	__u64 user_ns_id;
};

/* The offsets of strings count from STATMOUNT_TEXT_AT (mount.bpf.h). */
struct user_statmount {
	__u32 size, options;
	__u64 mask;
	__u32 dev_major, dev_minor;
	__u64 magic;
	__u32 sb_flags, fs_type;
	__u64 id, parent_id;
	__u32 id_old, parent_id_old;
	__u64 attributes, propagation, peer_group, master, propagate_from;
	__u32 root, point;
};

#endif
