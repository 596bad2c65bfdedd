/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What calls get or set of a file: its times, status, attributes, handle, cache, file system. */
#ifndef LANNER_FILE_ATTRIBUTES_BPF_H
#define LANNER_FILE_ATTRIBUTES_BPF_H

#include "bpf/readers/file.bpf.h"
#include "bpf/readers/time.bpf.h"

enum {
	HANDLE_BYTES_MAX = 128,
	HANDLE_MOUNT_ID_UNIQUE = 1,
	SYSFS_INDEX_OF_NAME = 1,
	SYSFS_NAME_OF_INDEX = 2,
};

DEFINE_USER_STRUCT_OF_TWO_FORMS(utimbuf, narrow_words)
DEFINE_USER_STRUCT(statx)
DEFINE_USER_STRUCT_OF_TWO_FORMS(statfs, narrow_words)
DEFINE_USER_STRUCT_OF_TWO_FORMS(ustat, narrow_words)
DEFINE_USER_STRUCT(file_handle)
DEFINE_USER_STRUCT(cache_range)
DEFINE_USER_STRUCT(cache_state)
DEFINE_SIZED_STRUCT(file_attr)
DEFINE_SIZED_STRUCT(xattr_args)

/*
 * The result of statfs and fstatfs. For 32-bit programs the later calls have a third form of it,
 * after an argument with its size.
 */
static __always_inline struct statfs_copy read_room(struct filler *f)
{
	struct user32_statfs64 wide = {};
	bool is_read;

	if (!(narrow_words(f) & ~narrow_before(f, NR32_STATFS64)))
		return read_statfs(f, ON_SUCCESS(argument(f, 1)));
	is_read = read_user(f, &wide, sizeof(wide), ON_SUCCESS(argument(f, 2)));
	return (struct statfs_copy){widen_statfs64(&wide), is_read};
}

/* A time in whole seconds. */
static __always_inline __u64 utimbuf_ns(struct filler *f, bool is_read, __s64 seconds)
{
	return member_ns(f, is_read, (struct user_time){.seconds = seconds}, 1);
}

static __always_inline __u32 statx_device(struct filler *f, const struct statx_copy *status)
{
	f->absent = !status->is_read;
	return device_encode(status->value.dev_major << 20 | status->value.dev_minor);
}

static __always_inline __s32 handle_type(struct filler *f, const struct file_handle_copy *handle)
{
	f->absent = !handle->is_read || f->ret < 0;
	return handle->value.type;
}

static __always_inline void put_handle(struct filler *f, __u64 address,
				       const struct file_handle_copy *handle)
{
	put_bytes(f, address + sizeof(handle->value),
		  f->ret < 0 ? 0 : min_u64(handle->value.bytes, HANDLE_BYTES_MAX));
}

/* Unique mount ids have 64 bits, the others 32. */
static __always_inline __u64 handle_mount_id(struct filler *f, __u64 address, __u64 flags)
{
	return flags & HANDLE_MOUNT_ID_UNIQUE ? user__u64(f, address) : user__u32(f, address);
}

#endif
