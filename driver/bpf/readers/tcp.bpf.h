/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * TCP sockets where the kernel works on them: which changes of their state are events, their ends,
 * and what the kernel measured. None of it is read from memory of a process.
 */
#ifndef LANNER_TCP_BPF_H
#define LANNER_TCP_BPF_H

#include "bpf/core/frame.bpf.h"
#include "bpf/core/socket_owner.bpf.h"
#include "bpf/readers/socket.bpf.h"

enum {
	MICROSECONDS_SHIFT = 3, /* of a smoothed round trip time */
	DEVIATION_SHIFT = 2,
	NO_ROUND_TRIP = ~0U,
	NO_THRESHOLD = 0x7fffffff, /* slow start has not ended yet */
	NO_PORT_ERROR = -99, /* EADDRNOTAVAIL: no segment was sent */
	CANCELED_ERROR = -125, /* ECANCELED: the process closed the socket */
};

/* The socket is the first argument of all tracepoints here. */
static __always_inline struct sock *tcp_socket(struct filler *f)
{
	return (void *)((__u64 *)f->ctx)[0];
}

static __always_inline struct tcp_sock *tcp_of(struct filler *f)
{
	return (void *)tcp_socket(f);
}

/* At inet_sock_set_state. */
static __always_inline __u8 tcp_old_state(struct filler *f)
{
	return ((__u64 *)f->ctx)[1];
}

static __always_inline __u8 tcp_new_state(struct filler *f)
{
	return ((__u64 *)f->ctx)[2];
}

/* How a connection failed that was not made. */
static __always_inline __s64 tcp_connect_error(struct sock *sk)
{
	__u32 error = GET(sk, sk_err);

	if (error)
		return -(__s64)error;
	return GET((struct tcp_sock *)sk, segs_out) ? CANCELED_ERROR : NO_PORT_ERROR;
}

/* The ends of simultaneous connections receive a SYN, too, but began to connect themselves. */
static __always_inline bool tcp_is_connect(struct filler *f, __u32 from, __u32 to)
{
	bool begun = from == TCP_STATE_SYN_SENT ||
		     (from == TCP_STATE_SYN_RECV && f->owner.role == ROLE_CLIENT);

	return begun && (to == TCP_STATE_ESTABLISHED || to == TCP_STATE_CLOSE);
}

/* Whether a change of a socket's state is an event of that id. */
static __always_inline bool tcp_change_is(struct filler *f, __u32 event, __u32 from, __u32 to)
{
	switch (event) {
	case EVENT_tcp_connect:
		return tcp_is_connect(f, from, to);
	case EVENT_tcp_established:
		return from == TCP_STATE_SYN_RECV && to == TCP_STATE_ESTABLISHED &&
		       f->owner.role != ROLE_CLIENT;
	case EVENT_tcp_close:
		return to == TCP_STATE_CLOSE && from != TCP_STATE_LISTEN &&
		       from != TCP_STATE_SYN_SENT && from != TCP_STATE_SYN_RECV &&
		       from != TCP_STATE_CLOSE;
	default:
		return true;
	}
}

/* Begins an event of a socket; false if there is none. */
static __always_inline bool tcp_event_begin(struct filler *f, __u64 *ctx, __u16 event,
					    __u32 nparams)
{
	struct sock *sk = (void *)ctx[0];

	if (!socket_is_tcp(sk))
		return false;
	socket_owner_find(f, sk);
	if (!tcp_change_is(f, event, (__u32)ctx[1], (__u32)ctx[2]) ||
	    socket_owner_is_left_out(f, event) || budget_sheds(event))
		return false;
	if (!f->owner.pid)
		count_ownerless();
	return filler_begin(f, ctx, event, nparams);
}

/* A number that the kernel has only with a value. */
static __always_inline __u64 tcp_if_known(struct filler *f, __u64 value)
{
	f->absent = !value;
	return value;
}

static __always_inline __u8 tcp_role(struct filler *f)
{
	return tcp_if_known(f, f->owner.role);
}

static __always_inline __u64 tcp_inode(struct filler *f)
{
	return tcp_if_known(f, f->owner.ino ? f->owner.ino : socket_inode(tcp_socket(f)));
}

/* The time since a moment, 0: not known. Clocks of two CPUs may differ by some ns. */
static __always_inline __u64 tcp_time_since(struct filler *f, __u64 since)
{
	__u64 now = *(__u64 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, ts)) -
		    boot_offset_ns;

	f->absent = !since;
	return now > since ? now - since : 0;
}

static __always_inline __u32 tcp_srtt(struct filler *f)
{
	return tcp_if_known(f, GET(tcp_of(f), srtt_us) >> MICROSECONDS_SHIFT);
}

/* As the kernel tells processes (TCP_INFO). */
static __always_inline __u32 tcp_rttvar(struct filler *f)
{
	return tcp_if_known(f, GET(tcp_of(f), mdev_us) >> DEVIATION_SHIFT);
}

static __always_inline __u32 tcp_min_rtt(struct filler *f)
{
	__u32 least = GET(tcp_of(f), rtt_min.s[0].v);

	return tcp_if_known(f, least == NO_ROUND_TRIP ? 0 : least);
}

static __always_inline __u32 tcp_ssthresh(struct filler *f)
{
	__u32 threshold = GET(tcp_of(f), snd_ssthresh);

	return tcp_if_known(f, threshold >= NO_THRESHOLD ? 0 : threshold);
}

/* The ends of any kind of TCP socket, the local one first. Returns the bytes written. */
static __always_inline __u64 write_tcp_ends(__u8 *out, struct sock *sk)
{
	__u16 local_port = socket_local_port(sk);
	__u16 remote_port = bpf_ntohs(GET(sk, __sk_common.skc_dport));

	if (GET(sk, __sk_common.skc_family) == FAMILY_INET) {
		out[0] = FAMILY_INET;
		*(__u32 *)(out + 1) = GET(sk, __sk_common.skc_rcv_saddr);
		*(__u16 *)(out + 5) = local_port;
		*(__u32 *)(out + 7) = GET(sk, __sk_common.skc_daddr);
		*(__u16 *)(out + 11) = remote_port;
		return 13;
	}
	out[0] = FAMILY_INET6;
	bpf_core_read(out + 1, sizeof(struct in6_addr), &sk->__sk_common.skc_v6_rcv_saddr);
	*(__u16 *)(out + 17) = local_port;
	bpf_core_read(out + 19, sizeof(struct in6_addr), &sk->__sk_common.skc_v6_daddr);
	*(__u16 *)(out + 35) = remote_port;
	return 37;
}

static __always_inline void put_tcp_ends(struct filler *f)
{
	__u8 *room = frame_room(f);

	if (room)
		frame_advance(f, write_tcp_ends(room, tcp_socket(f)));
}

#endif
