/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Streams of sockets, for the requests in them (userspace/requests/): of which calls the bytes are
 * wanted, how many of them, and where in the stream they are. Without it, it costs nothing.
 */
#ifndef LANNER_STREAM_BPF_H
#define LANNER_STREAM_BPF_H

#include "bpf/readers/socket.bpf.h"

enum {
	PROTOCOL_TCP = 6,
	TYPE_STREAM = 1, /* SOCK_STREAM */
	PEEK = 2, /* MSG_PEEK */
	RECEIVED_ALL = 1, /* RCV_SHUTDOWN */
	EAGAIN_RESULT = -11,
	STREAM_WANTED = 1U << 31, /* beside a number of bytes */
};

/*
 * How many bytes of a call on a descriptor are wanted, and STREAM_WANTED if the event is; 0: it is no
 * socket that may have requests, or user space knows that it has none. Not inlined: the verifier
 * walks it once.
 */
__attribute__((noinline)) __u32 stream_wanted(__u64 descriptor)
{
	struct file *file = descriptor_file(descriptor);
	struct sock *sk = file_sock(file);
	__u16 family = sk ? GET(sk, __sk_common.skc_family) : 0;
	__u32 bytes = stream_bytes, *chosen;
	__u64 ino;

	if (family != FAMILY_INET && family != FAMILY_INET6 && family != FAMILY_UNIX)
		return 0;
	ino = file_ino(file);
	chosen = bpf_map_lookup_elem(&stream_limits, &ino);
	if (chosen)
		bytes = *chosen;
	return bytes && bytes <= SNAPLEN_MAX ? bytes | STREAM_WANTED : 0;
}

/* Whether a call leaves what it received to be received again. */
static __always_inline bool is_peek(struct filler *f, __u32 event)
{
	if (event == EVENT_recvfrom || event == EVENT_recvmmsg)
		return argument(f, 3) & PEEK;
	return event == EVENT_recvmsg && argument(f, 2) & PEEK;
}

/* Whether a call moves bytes that no process has in its memory. */
static __always_inline bool moves_unseen(__u32 event)
{
	return event == EVENT_sendfile || event == EVENT_splice;
}

/* Whether such a call has an end that is a socket that is wanted. */
static __always_inline bool unseen_is_wanted(struct filler *f, __u32 event)
{
	return stream_wanted(descriptor_named_by(f, argument(f, 0))) ||
	       (event == EVENT_splice && stream_wanted(descriptor_used_by(f, argument(f, 2))));
}

static __always_inline bool may_be_of_streams(__u32 event)
{
	return event_has(event, EF_STREAMS) || moves_unseen(event);
}

/* Of these only what went to a socket that is wanted, or came from one, has to do with requests. */
static __always_inline bool unseen_is_left_out(struct filler *f, __u32 event)
{
	if (!stream_only[event])
		return false;
	return f->ret <= 0 || !unseen_is_wanted(f, event);
}

/* Whether an event that is captured for requests alone has nothing to do with them. */
static __always_inline bool stream_is_left_out(struct filler *f, __u32 event)
{
	if (moves_unseen(event))
		return unseen_is_left_out(f, event);
	f->stream = stream_wanted(descriptor_used_by(f, argument(f, 0)));
	return stream_only[event] && (!f->stream || f->ret == EAGAIN_RESULT);
}

/*
 * Behind the last byte that was read. The end of the peer's stream has a number of its own, which the
 * call that reads the last bytes reads, too.
 */
static __always_inline __u32 end_of_read(struct sock *sk)
{
	struct tcp_sock *tcp = (void *)sk;
	__u32 read = GET(tcp, copied_seq);

	return GET(sk, sk_shutdown) & RECEIVED_ALL && read == GET(tcp, rcv_nxt) ? read - 1 : read;
}

static __always_inline bool is_tcp(struct sock *sk)
{
	return sk && GET(sk, sk_protocol) == PROTOCOL_TCP && GET(sk, sk_type) == TYPE_STREAM;
}

enum { STREAM_OF_READ = 1, STREAM_OF_PEEK = 2 };

/*
 * Notes where the bytes of a call on a descriptor are, for the end of the frame of a slot, and
 * whether they are those of a socket. how: STREAM_OF_…. Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) int stream_note(__u32 slot_key, __u64 descriptor, __u32 how)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct sock *sk = descriptor_sock(descriptor);
	struct tcp_sock *tcp = (void *)sk;
	struct frame_stream *stream = slot ? &slot->stream : NULL;

	if (!stream)
		return 0;
	*stream = (struct frame_stream){.is_peek = sk && how & STREAM_OF_PEEK};
	slot->wants_times = sk != NULL;
	if (!is_tcp(sk))
		return 0;
	stream->is_known = 1;
	if (how & STREAM_OF_READ) {
		stream->end = end_of_read(sk);
		stream->other = GET(tcp, write_seq);
	} else {
		stream->end = GET(tcp, write_seq);
		stream->other = end_of_read(sk);
	}
	return 0;
}

static __always_inline void note_stream(struct filler *f, __u32 event)
{
	stream_note(f->slot_key, f->stream ? descriptor_used_by(f, argument(f, 0)) : NO_DESCRIPTOR,
		    (event_has(event, EF_READS_FROM_FD) ? STREAM_OF_READ : 0) |
			    (is_peek(f, event) ? STREAM_OF_PEEK : 0));
}

/*
 * Notes where both directions of a connection begin. While it is still being made, that of the peer
 * is not known: 0. Likewise.
 */
__attribute__((noinline)) int stream_note_new(__u32 slot_key, __u64 descriptor)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct sock *sk = descriptor_sock(descriptor);
	struct tcp_sock *tcp = (void *)sk;
	struct frame_stream *stream = slot ? &slot->stream : NULL;

	if (!stream)
		return 0;
	*stream = (struct frame_stream){0};
	slot->wants_times = 0;
	if (!is_tcp(sk))
		return 0;
	stream->is_known = 1;
	stream->end = GET(tcp, write_seq);
	stream->other = GET(tcp, copied_seq);
	return 0;
}

static __always_inline void note_new_stream(struct filler *f, __u32 event)
{
	stream_note_new(f->slot_key, event_has(event, EF_CREATES_FD)
					     ? descriptor_made_by(f)
					     : descriptor_used_by(f, argument(f, 0)));
}

#endif
