/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * TCP sockets where the kernel works on them: which changes of their state are events, their ends,
 * and what the kernel measured. None of it is read from memory of a process.
 */
#ifndef LANNER_TCP_BPF_H
#define LANNER_TCP_BPF_H

#include "bpf/core/frame.bpf.h"
#include "bpf/core/socket_owner.bpf.h"
#include "bpf/readers/packet.bpf.h"
#include "bpf/readers/socket.bpf.h"

enum {
	MICROSECONDS_SHIFT = 3, /* of a smoothed round trip time */
	DEVIATION_SHIFT = 2,
	NO_ROUND_TRIP = ~0U,
	NO_THRESHOLD = 0x7fffffff, /* slow start has not ended yet */
	NO_PORT_ERROR = -99, /* EADDRNOTAVAIL: no segment was sent */
	CANCELED_ERROR = -125, /* ECANCELED: the process closed the socket */
	NO_BUFFERS_ERROR = -105, /* ENOBUFS: the host dropped it before it left */
	STATE_FIN_WAIT1 = 4,
	STATE_FIN_WAIT2,
	STATE_CLOSE_WAIT = 8,
	STATE_LAST_ACK,
	STATE_CLOSING = 11,
	STATE_NEW_SYN_RECV,
	CONGESTION_RECOVERY = 3, /* TCP_CA_Recovery */
	CONGESTION_LOSS, /* TCP_CA_Loss */
};

/* tcp_retransmit_reasons */
enum { RETRANSMIT_TIMEOUT = 1, RETRANSMIT_FAST, RETRANSMIT_PROBE, RETRANSMIT_HANDSHAKE };

/* What was found, as an expression for GET(): of a member it would search the place in the kernel. */
static __always_inline struct sock *tcp_socket(struct filler *f)
{
	return f->sk;
}

static __always_inline struct sk_buff *tcp_packet(struct filler *f)
{
	return f->skb;
}

static __always_inline struct tcp_sock *tcp_of(struct filler *f)
{
	return (void *)f->sk;
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

/* Finds the socket of an event at a change of its state; false if there is no event. */
static __always_inline bool tcp_find_changed(struct filler *f, __u64 *ctx, __u32 event)
{
	f->sk = (void *)ctx[0];
	if (!socket_is_tcp(f->sk))
		return false;
	socket_owner_find(f, f->sk);
	return tcp_change_is(f, event, (__u32)ctx[1], (__u32)ctx[2]);
}

/*
 * Finds the socket of a reset that is sent, if it has one: what comes to a port where nobody
 * listens has none, kernels before 6.10 do not tell then.
 */
static __always_inline bool tcp_find_reset(struct filler *f, __u64 *ctx)
{
	f->sk = (void *)ctx[0];
	f->skb = f->sk ? NULL : (void *)ctx[1];
	if (f->sk)
		socket_owner_find(f, f->sk);
	return f->sk || f->skb;
}

/* Whether the kernel drops a packet since so many connections wait to be accepted. */
static __always_inline bool drop_is_overflow(__u64 *ctx)
{
	if (!HAS_DROP_REASON || !bpf_core_enum_value_exists(enum skb_drop_reason,
							    SKB_DROP_REASON_TCP_LISTEN_OVERFLOW))
		return false;
	return (__u32)ctx[2] == bpf_core_enum_value(enum skb_drop_reason,
						    SKB_DROP_REASON_TCP_LISTEN_OVERFLOW);
}

/* Finds a packet that is dropped, and the socket that it was for, as far as the kernel says. */
static __always_inline bool tcp_find_dropped(struct filler *f, __u64 *ctx, __u32 event)
{
	__u8 protocol;

	if (event == EVENT_listen_overflow && !drop_is_overflow(ctx))
		return false;
	f->skb = (void *)ctx[0];
	protocol = packet_protocol(f->skb);
	if (protocol != TCP_PROTOCOL && protocol != PROTOCOL_UDP)
		return false;
	if (HAS_DROP_SOCKET)
		f->sk = (void *)ctx[3];
	if (!f->sk)
		f->sk = GET(tcp_packet(f), sk);
	if (f->sk)
		socket_owner_find(f, f->sk);
	return true;
}

/* Finds what an event is about; false if there is no event. */
static __always_inline bool tcp_find(struct filler *f, __u64 *ctx, __u32 event)
{
	switch (event) {
	case EVENT_tcp_retransmit:
	case EVENT_tcp_reset_received:
		f->sk = (void *)ctx[0];
		socket_owner_find(f, f->sk);
		return true;
	case EVENT_tcp_reset_sent:
		return tcp_find_reset(f, ctx);
	case EVENT_skb_drop:
	case EVENT_listen_overflow:
		return tcp_find_dropped(f, ctx, event);
	default:
		return tcp_find_changed(f, ctx, event);
	}
}

/* The namespace of what was found: of a packet that of its device, of a socket its own. */
static __always_inline __u32 tcp_netns(struct filler *f)
{
	__u32 netns = f->skb ? packet_netns(f->skb) : 0;

	return netns || !f->sk ? netns : socket_netns(f->sk);
}

/* Begins an event of what was found; false if it is left out. Packets without a socket are nobody's. */
static __always_inline bool socket_event_begin(struct filler *f, __u64 *ctx, __u16 event,
					       __u32 nparams)
{
	if (socket_owner_is_left_out(f, event) || budget_sheds(event))
		return false;
	if (!f->owner.pid && f->sk)
		count_ownerless();
	return filler_begin(f, ctx, event, nparams);
}

static __always_inline bool tcp_event_begin(struct filler *f, __u64 *ctx, __u16 event,
					    __u32 nparams)
{
	return tcp_find(f, ctx, event) && socket_event_begin(f, ctx, event, nparams);
}

/* A SYN and ACK that is sent again: the first argument is the socket that listens. */
static __always_inline bool synack_again_begin(struct filler *f, __u64 *ctx)
{
	f->sk = (void *)ctx[1];
	socket_owner_find(f, (void *)ctx[0]);
	f->owner.role = ROLE_SERVER;
	return socket_event_begin(f, ctx, EVENT_tcp_retransmit, tcp_retransmit__count);
}

/* As the kernel passes it to programs that go through a map. */
struct sample_context {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
	__u64 *key; /* NULL: no more */
	struct socket_owner *value;
};

/* Sockets in these states have a connection. */
#define SAMPLED_STATES                                                                             \
	(1U << TCP_STATE_ESTABLISHED | 1U << STATE_FIN_WAIT1 | 1U << STATE_FIN_WAIT2 |             \
	 1U << STATE_CLOSE_WAIT | 1U << STATE_LAST_ACK | 1U << STATE_CLOSING)

/*
 * The next socket of the map. Whoever reads the iterator gets a byte for each, and so chooses how
 * many of them a read goes through. While it runs no socket's memory becomes anything else, but the
 * kernel may have destroyed it: then it is not in the map any more.
 */
static __always_inline bool sample_begin(struct filler *f, struct sample_context *ctx, __u16 event,
					 __u32 nparams)
{
	struct socket_owner *known;
	__u64 *at = ctx->key, key;
	__u32 state;

	if (!at)
		return false;
	key = *at;
	bpf_seq_write(ctx->meta->seq, &key, 1);
	known = bpf_map_lookup_elem(&socket_owners, &key);
	if (!known)
		return false;
	f->owner = *known;
	f->sk = (void *)key;
	state = GET(tcp_socket(f), __sk_common.skc_state);
	CHECKED(state);
	if (state >= 32 || !(SAMPLED_STATES & (1U << state)))
		return false;
	return socket_event_begin(f, (void *)ctx, event, nparams);
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
	return tcp_if_known(f, f->owner.ino ? f->owner.ino : socket_inode(f->sk));
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

/* Bytes that the process has not read yet. */
static __always_inline __u32 tcp_receive_queue(struct filler *f)
{
	__u32 bytes = GET(tcp_of(f), rcv_nxt) - GET(tcp_of(f), copied_seq);

	return (__s32)bytes > 0 ? bytes : 0;
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
		frame_advance(f, write_tcp_ends(room, f->sk));
}

/* Those of a packet, or of a socket if there is none. */
static __always_inline void put_ends_found(struct filler *f)
{
	if (f->skb)
		put_packet_ends(f, f->skb);
	else
		put_tcp_ends(f);
}

/* The state of any kind of TCP socket; none without one. */
static __always_inline __u8 tcp_state(struct filler *f)
{
	return tcp_if_known(f, f->sk ? GET(tcp_socket(f), __sk_common.skc_state) : 0);
}

/* The segment that is sent again. */
static __always_inline struct tcp_skb_cb *tcp_segment(struct filler *f)
{
	struct sk_buff *skb = (void *)((__u64 *)f->ctx)[1];

	return (void *)&skb->cb;
}

/* As the kernel counts them: what goes on the wire as several segments is several. */
static __always_inline __u32 tcp_segments(struct filler *f)
{
	return GET(tcp_segment(f), tcp_gso_segs);
}

static __always_inline __u32 tcp_segment_bytes(struct filler *f)
{
	return GET(tcp_segment(f), end_seq) - GET(tcp_segment(f), seq);
}

/* Kernels without the argument tell of segments alone that could be sent. */
static __always_inline __s64 tcp_retransmit_error(struct filler *f)
{
	__s32 error = HAS_RETRANSMIT_ERROR ? (__s32)((__u64 *)f->ctx)[2] : 0;

	return error > 0 ? NO_BUFFERS_ERROR : error;
}

/* Why a segment is sent again, by what the socket does at that time. */
static __always_inline __u8 tcp_retransmit_reason(struct filler *f)
{
	struct inet_connection_sock *icsk = (void *)f->sk;
	__u8 state = GET(tcp_socket(f), __sk_common.skc_state);

	if (state == TCP_STATE_SYN_SENT || state == TCP_STATE_SYN_RECV)
		return RETRANSMIT_HANDSHAKE;
	switch (BPF_CORE_READ_BITFIELD_PROBED(icsk, icsk_ca_state)) {
	case CONGESTION_RECOVERY:
		return RETRANSMIT_FAST;
	case CONGESTION_LOSS:
		return RETRANSMIT_TIMEOUT;
	default:
		return RETRANSMIT_PROBE;
	}
}

/* The name of a reason; absent if the kernel has none, or is one that names nothing. */
static __always_inline void put_reason(struct filler *f, bool is_known, __u32 index)
{
	CHECKED(index);
	if (!is_known || index >= REASONS_MAX || !reason_names[index][0])
		put_absent(f);
	else
		put_kernel_string(f, (const void *)reason_names[index], REASON_BYTES_MAX);
}

static __always_inline void put_drop_reason(struct filler *f)
{
	__u32 reason = HAS_DROP_REASON ? (__u32)((__u64 *)f->ctx)[2] : 0;

	put_reason(f, HAS_DROP_REASON && reason < DROP_REASONS_MAX, reason);
}

static __always_inline void put_reset_reason(struct filler *f)
{
	__u32 reason = HAS_RESET_REASON ? (__u32)((__u64 *)f->ctx)[2] : 0;

	put_reason(f, HAS_RESET_REASON && reason < RESET_REASONS_MAX, DROP_REASONS_MAX + reason);
}

#endif
