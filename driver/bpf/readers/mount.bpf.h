/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What the calls on mounts, new file systems and namespaces point to. */
#ifndef LANNER_MOUNT_BPF_H
#define LANNER_MOUNT_BPF_H

#include "bpf/readers/file.bpf.h"
#include "bpf/readers/flags.bpf.h"
#include "bpf/readers/user_memory.bpf.h"

#include <linux/mount.h>

enum {
	STATMOUNT_HAS_ROOT = 0x8,
	STATMOUNT_HAS_POINT = 0x10,
	STATMOUNT_HAS_FS_TYPE = 0x20,
	STATMOUNT_TEXT_AT = 512,
};

DEFINE_SIZED_STRUCT(mount_attr)
DEFINE_SIZED_STRUCT(mount_request)
DEFINE_SIZED_STRUCT(ns_request)
DEFINE_SIZED_STRUCT(statmount)

/* Absent in the first form of the struct, which ends before it. */
static __always_inline __u64 mount_request_ns(struct filler *f,
						const struct mount_request_copy *request)
{
	f->absent = !request->is_read || request->value.size < sizeof(request->value);
	return request->value.ns_id;
}

/* Those that open(2) has for a descriptor of a tree: it is a path alone. 0 if the call failed. */
static __always_inline __u32 tree_flags(struct file *file, __u64 asked)
{
	__u32 kind = file_kind(file) & S_IFMT;

	if (!kind)
		return 0;
	return file_flags((asked & OPEN_TREE_CLOEXEC) | (kind == S_IFDIR ? O_DIRECTORY : 0));
}

/* The address of one of the strings of statmount, or 0. */
static __always_inline __u64 statmount_text(const struct statmount_copy *status, __u64 buffer,
					    __u64 which, __u32 at)
{
	return status->value.mask & which ? buffer + STATMOUNT_TEXT_AT + at : 0;
}

/* The value of fsconfig, as bytes or as a string; shown only if the call succeeded. */
static __always_inline void put_setting_bytes(struct filler *f, __u32 command, __u64 value,
					      __u32 size)
{
	put_bytes(f, value, f->ret == 0 && command == FSCONFIG_SET_BINARY ? size : 0);
}

static __always_inline void put_setting_string(struct filler *f, __u32 command, __u64 value)
{
	bool is_string = command == FSCONFIG_SET_STRING || command == FSCONFIG_SET_PATH ||
			 command == FSCONFIG_SET_PATH_EMPTY;

	put_string(f, f->ret == 0 && is_string ? value : 0);
}

#endif
