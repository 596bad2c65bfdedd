/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Whose TCP sockets are. What happens to a socket is often seen while another process runs, in an
 * interrupt; so its owner is kept from where it acts itself: the process that connects, or accepts
 * the connection, and before that the one that listens. Sockets that were open before are added by
 * an iterator over open descriptors, which runs when the programs are attached.
 *
 * Entries are removed when the kernel destroys the socket. If there is no room for one, its events
 * have no owner; they are counted. The verifier removes all of this where no event needs it.
 */
#ifndef LANNER_SOCKET_OWNER_BPF_H
#define LANNER_SOCKET_OWNER_BPF_H

#include "bpf/core/filler.bpf.h"
#include "bpf/core/follow.bpf.h"

#include <bpf/bpf_endian.h>

enum {
	TCP_STATE_ESTABLISHED = 1,
	TCP_STATE_SYN_SENT,
	TCP_STATE_SYN_RECV,
	TCP_STATE_CLOSE = 7,
	TCP_STATE_LISTEN = 10,
	TCP_PROTOCOL = 6,
	ROLE_CLIENT = 1, /* request_roles */
	ROLE_SERVER = 2,
	LISTENERS_MAX = 4096,
};

/* Key: the socket, by its address. User space makes it small if no event needs it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SOCKETS_OWNED_MAX);
	__type(key, __u64);
	__type(value, struct socket_owner);
} socket_owners SEC(".maps");

/* Connections do not refer to the socket that listens, but have its port. */
struct listener_key {
	__u32 netns;
	__u32 port;
};

struct listener {
	__u32 pid;
	__u32 sockets; /* on that port */
	__u32 is_shared; /* by several processes: it is not known whose a connection is */
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, LISTENERS_MAX);
	__type(key, struct listener_key);
	__type(value, struct listener);
} listeners SEC(".maps");

static __always_inline __u32 socket_netns(struct sock *sk)
{
	return GET(sk, __sk_common.skc_net.net, ns.inum);
}

/* When a socket is closed, it gives up the port first; the number in network order remains. */
static __always_inline __u16 socket_local_port(struct sock *sk)
{
	__u16 port = GET(sk, __sk_common.skc_num);

	return port ? port : bpf_ntohs(GET((struct inet_sock *)sk, inet_sport));
}

static __always_inline struct listener_key listener_key_of(struct sock *sk)
{
	return (struct listener_key){socket_netns(sk), socket_local_port(sk)};
}

/* The inode of a socket's descriptors; 0: it has none, as before it is accepted and when closed. */
static __always_inline __u64 socket_inode(struct sock *sk)
{
	struct socket *socket = GET(sk, sk_socket);
	struct socket_alloc *alloc = (void *)socket; /* its first member */

	return socket ? GET(alloc, vfs_inode.i_ino) : 0;
}

static __always_inline bool socket_is_tcp(struct sock *sk)
{
	return GET(sk, sk_protocol) == TCP_PROTOCOL;
}

static __always_inline void count_ownerless(void)
{
	__u32 zero = 0;
	struct driver_counters *driver = bpf_map_lookup_elem(&driver_counters, &zero);

	if (driver)
		count(&driver->ownerless);
}

static __always_inline long socket_owner_keep(__u64 key, struct socket_owner *owner, __u64 how)
{
	__u32 zero = 0;
	struct driver_counters *driver;
	long r = bpf_map_update_elem(&socket_owners, &key, owner, how);

	if (r != -E2BIG && r != -ENOMEM)
		return r;
	driver = bpf_map_lookup_elem(&driver_counters, &zero);
	if (driver)
		count(&driver->owners_dropped);
	return r;
}

/* Adds a socket that listens. Those of one process may share a port, as with SO_REUSEPORT. */
static __always_inline void listener_add(struct listener_key key, __u32 pid)
{
	struct listener made = {.pid = pid, .sockets = 1};
	struct listener *known = bpf_map_lookup_elem(&listeners, &key);

	if (!known) {
		bpf_map_update_elem(&listeners, &key, &made, BPF_ANY);
		return;
	}
	__sync_fetch_and_add(&known->sockets, 1);
	if (known->pid != pid)
		known->is_shared = 1;
}

static __always_inline void listener_remove(struct listener_key key)
{
	struct listener *known = bpf_map_lookup_elem(&listeners, &key);

	if (!known)
		return;
	if (known->sockets <= 1)
		bpf_map_delete_elem(&listeners, &key);
	else
		__sync_fetch_and_add(&known->sockets, -1);
}

/*
 * A connection to a socket that listens, which is made as a copy of that: until it is accepted, it
 * is that one's.
 */
static __always_inline void socket_owner_arrive(struct sock *sk, __u64 established_ns)
{
	struct socket_owner made = {.established_ns = established_ns, .role = ROLE_SERVER};
	struct listener_key key = listener_key_of(sk);
	struct listener *listener = bpf_map_lookup_elem(&listeners, &key);

	if (listener && !listener->is_shared)
		made.pid = listener->pid;
	socket_owner_keep((__u64)sk, &made, BPF_NOEXIST);
}

/* A socket changes its state. Runs before the programs of events at that tracepoint. */
static __always_inline void socket_owner_follow(struct sock *sk, __u32 from, __u32 to)
{
	__u64 now = bpf_ktime_get_boot_ns(), key = (__u64)sk;
	struct socket_owner made = {.pid = current_pid(), .is_accepted = 1};
	struct socket_owner *known;

	if (to == TCP_STATE_SYN_SENT || to == TCP_STATE_LISTEN)
		made.ino = socket_inode(sk);
	if (to == TCP_STATE_SYN_SENT) {
		made.role = ROLE_CLIENT;
		made.begun_ns = now;
		socket_owner_keep(key, &made, BPF_ANY);
	} else if (to == TCP_STATE_LISTEN) {
		socket_owner_keep(key, &made, BPF_ANY);
		listener_add(listener_key_of(sk), made.pid);
	} else if (from == TCP_STATE_LISTEN && to == TCP_STATE_CLOSE) {
		listener_remove(listener_key_of(sk));
	} else if (from == TCP_STATE_LISTEN && to == TCP_STATE_SYN_RECV) {
		socket_owner_arrive(sk, 0);
	} else if (to == TCP_STATE_ESTABLISHED) {
		known = bpf_map_lookup_elem(&socket_owners, &key);
		if (known)
			known->established_ns = now;
		else if (from == TCP_STATE_SYN_RECV)
			socket_owner_arrive(sk, now);
	}
}

static __always_inline int note_socket_run(__u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];

	if (socket_is_tcp(sk))
		socket_owner_follow(sk, (__u32)ctx[1], (__u32)ctx[2]);
	return 0;
}

static __always_inline int forget_socket_run(__u64 *ctx)
{
	__u64 key = ctx[0];

	bpf_map_delete_elem(&socket_owners, &key);
	return 0;
}

/* A task accepted a connection. Nobody else has the socket yet. */
static __always_inline void socket_owner_accept(struct task_struct *task, struct sock *sk)
{
	struct socket_owner made = {.pid = pid_of(task),
				    .ino = socket_inode(sk),
				    .role = ROLE_SERVER,
				    .is_accepted = 1};
	__u64 key = (__u64)sk;
	struct socket_owner *known = bpf_map_lookup_elem(&socket_owners, &key);

	if (!known) {
		socket_owner_keep(key, &made, BPF_NOEXIST);
	} else if (!known->is_accepted) {
		known->pid = made.pid;
		known->ino = made.ino;
		known->is_accepted = 1;
	}
}

/* Finds whose a socket is, for the event that is about to begin. */
static __always_inline void socket_owner_find(struct filler *f, struct sock *sk)
{
	__u64 key = (__u64)sk;
	struct socket_owner *known = bpf_map_lookup_elem(&socket_owners, &key);

	if (known)
		f->owner = *known;
}

/* Whether events of that id are not to be written, as whose the socket is. */
static __always_inline bool socket_owner_is_left_out(struct filler *f, __u32 event)
{
	return is_own_pid(f->owner.pid) || (follows && followed_lacks(f->owner.pid, event));
}

#endif
