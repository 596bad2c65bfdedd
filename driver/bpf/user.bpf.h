/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Numbers and structs of the caller's memory. A NULL pointer and memory that cannot be read both
 * leave the values absent; only the latter is counted.
 */
#ifndef LANNER_USER_BPF_H
#define LANNER_USER_BPF_H

#include "frame.bpf.h"

/* For what the kernel writes: its address when the call succeeded, else none. */
#define ON_SUCCESS(address) (f->ret >= 0 ? (__u64)(address) : 0)

/* `to` must not be part of the filler. */
static __always_inline bool read_user(struct filler *f, void *to, __u32 size, __u64 address)
{
	if (!address)
		return false;
	if (!bpf_probe_read_user(to, size, (void *)address))
		return true;
	count_unreadable(f);
	return false;
}

#define DEFINE_USER_NUMBER(type)                                                                   \
	static __always_inline type user##type(struct filler *f, __u64 address)                    \
	{                                                                                          \
		type value = 0;                                                                    \
                                                                                                   \
		f->absent = !read_user(f, &value, sizeof(value), address);                         \
		return value;                                                                      \
	}

/* user__u32(f, address) and so on: the number that the caller's pointer points to. */
DEFINE_USER_NUMBER(__s32)
DEFINE_USER_NUMBER(__u32)
DEFINE_USER_NUMBER(__s64)
DEFINE_USER_NUMBER(__u64)

/* For parameters that are 0 where others are absent. */
#define OR_ZERO(value)                                                                             \
	({                                                                                         \
		typeof(value) number = value;                                                      \
                                                                                                   \
		f->absent = false;                                                                 \
		number;                                                                            \
	})

/*
 * read_<member>(f, address): a struct of the caller's memory into that member of the filler, for
 * the parameters that follow. They take it apart with MEMBER(), which is absent with the struct.
 */
#define DEFINE_USER_STRUCT(member)                                                                 \
	static __always_inline void read_##member(struct filler *f, __u64 address)                 \
	{                                                                                          \
		struct user_##member copy = {};                                                    \
                                                                                                   \
		f->struct_read = read_user(f, &copy, sizeof(copy), address);                       \
		f->member = copy;                                                                  \
	}

#define MEMBER(member, ...) (f->absent = !f->struct_read, f->member.__VA_ARGS__)

#endif
