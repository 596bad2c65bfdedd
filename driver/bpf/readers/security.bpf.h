/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What the calls of Landlock and on the attributes of security modules point to. */
#ifndef LANNER_SECURITY_BPF_H
#define LANNER_SECURITY_BPF_H

#include "bpf/readers/user_memory.bpf.h"

enum {
	RULE_PATH_BENEATH = 1,
	RULE_NET_PORT = 2,
};

DEFINE_SIZED_STRUCT(ruleset_attr)
DEFINE_USER_STRUCT(rule_path)
DEFINE_USER_STRUCT(rule_port)
DEFINE_USER_STRUCT(lsm_context)

/* The new descriptor; absent with flags, as the call then creates none. */
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

/* Ids larger than any module has are stored as the largest. */
static __always_inline __u32 lsm_context_id(struct filler *f, const struct lsm_context_copy *context)
{
	f->absent = !context->is_read;
	return min_u64(context->value.id, 0xffffffff);
}

static __always_inline void put_lsm_context(struct filler *f, __u64 address,
					    const struct lsm_context_copy *context)
{
	put_bytes(f, address + sizeof(context->value), min_u64(context->value.bytes, snaplen));
}

#endif
