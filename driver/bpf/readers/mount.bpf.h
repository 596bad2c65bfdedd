/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What the calls on mounts, namespaces and security modules point to. */
#ifndef LANNER_MOUNT_BPF_H
#define LANNER_MOUNT_BPF_H

#include "bpf/readers/buffer.bpf.h"
#include "bpf/readers/user_memory.bpf.h"

enum {
	RULE_PATH_BENEATH = 1,
	RULE_NET_PORT = 2,
	STATMOUNT_HAS_ROOT = 0x8,
	STATMOUNT_HAS_POINT = 0x10,
	STATMOUNT_HAS_FS_TYPE = 0x20,
	STATMOUNT_TEXT_AT = 512,
	NUMBERS_MAX = 512,
};

DEFINE_SIZED_STRUCT(mount_attr)
DEFINE_SIZED_STRUCT(mount_request)
DEFINE_SIZED_STRUCT(ns_request)
DEFINE_SIZED_STRUCT(ruleset_attr)
DEFINE_USER_STRUCT(rule_path)
DEFINE_USER_STRUCT(rule_port)
DEFINE_USER_STRUCT(lsm_context)
DEFINE_SIZED_STRUCT(statmount)

/* The descriptor made; asked for its version, the kernel makes none and returns that. */
static __always_inline __s32 ruleset_fd(struct filler *f, __u64 flags)
{
	f->absent = f->ret < 0 || (__u32)flags;
	return f->ret;
}

/* The address of a rule if it is of the wanted type. */
static __always_inline __u64 rule_of(__u64 type, __u32 wanted, __u64 address)
{
	return (__u32)type == wanted ? address : 0;
}

/* Larger ids than any module has show as the largest. */
static __always_inline __u32 lsm_context_id(struct filler *f)
{
	f->absent = !f->struct_read;
	return min_u64(f->lsm_context.id, 0xffffffff);
}

static __always_inline void put_lsm_context(struct filler *f, __u64 address)
{
	put_bytes(f, address + sizeof(f->lsm_context), min_u64(f->lsm_context.bytes, snaplen));
}

/* The first form of the struct ends ahead of it. */
static __always_inline __u64 mount_request_ns(struct filler *f)
{
	f->absent = !f->struct_read || f->mount_request.size < sizeof(f->mount_request);
	return f->mount_request.ns_id;
}

/* The address of one of the strings of statmount, or 0. */
static __always_inline __u64 statmount_text(struct filler *f, __u64 buffer, __u64 which, __u32 at)
{
	return f->statmount.mask & which ? buffer + STATMOUNT_TEXT_AT + at : 0;
}

/* Numbers of 64 bits that the call wrote, as many as it returned. */
static __always_inline void put_result_numbers(struct filler *f, __u64 address)
{
	put_bytes(f, address, f->ret > 0 ? min_u64(f->ret, NUMBERS_MAX) * sizeof(__u64) : 0);
}

#endif
