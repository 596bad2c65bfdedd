/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Events of epoll. */
#ifndef LANNER_EPOLL_BPF_H
#define LANNER_EPOLL_BPF_H

#include "bpf/readers/user_memory.bpf.h"

enum { EPOLL_DELETE = 2 };

DEFINE_USER_STRUCT(epoll_event)

/*
 * The address of the event of epoll_ctl; 0 if a descriptor is removed, as the kernel ignores it
 * then.
 */
static __always_inline __u64 epoll_given(__u64 operation, __u64 address)
{
	return (__u32)operation == EPOLL_DELETE ? 0 : address;
}

#endif
