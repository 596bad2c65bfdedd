/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Whose the TCP sockets are that were open before the capture, as an iterator over open
 * descriptors, which runs when the programs are attached and writes nothing to its reader. A
 * process that inherited a socket is as good an owner as the one that made it: the first one is.
 */
#ifndef LANNER_FIND_OWNERS_BPF_H
#define LANNER_FIND_OWNERS_BPF_H

#include "bpf/core/socket_owner.bpf.h"
#include "bpf/open_fds.bpf.h"

static __always_inline bool is_ip_family(__u16 family)
{
	return family == FAMILY_INET || family == FAMILY_INET6;
}

/* One that listens is added once, by the descriptor that is found first. */
static __always_inline void find_owner_of(struct sock *sk, struct socket_owner *found)
{
	struct listener_key port;
	__u64 key = (__u64)sk;
	long r;

	if (!is_ip_family(GET(sk, __sk_common.skc_family)) || !socket_is_tcp(sk))
		return;
	r = socket_owner_keep(key, found, BPF_NOEXIST);
	if (r || GET(sk, __sk_common.skc_state) != TCP_STATE_LISTEN)
		return;
	port = listener_key_of(sk);
	listener_add(port, found->pid);
}

static __always_inline int find_owners_run(struct open_fds_context *ctx)
{
	struct socket_owner found = {.is_accepted = 1};
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct socket_alloc *alloc;
	struct inode *inode;
	struct sock *sk;

	if (!task || !file || task->pid != task->tgid)
		return 0;
	inode = file->f_inode;
	if ((__u32)inode->i_sb->s_magic != SOCKET_FS_MAGIC)
		return 0;
	alloc = (void *)inode - bpf_core_field_offset(struct socket_alloc, vfs_inode);
	sk = GET(alloc, socket.sk);
	if (!sk)
		return 0;
	found.pid = task->tgid;
	found.ino = inode->i_ino;
	find_owner_of(sk, &found);
	return 0;
}

#endif
