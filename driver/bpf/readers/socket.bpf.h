/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Sockets: addresses of the caller and connection tuples of the kernel. */
#ifndef LANNER_SOCKET_BPF_H
#define LANNER_SOCKET_BPF_H

#include "bpf/core/frame.bpf.h"
#include "bpf/core/uring_structs.bpf.h"
#include "bpf/readers/file.bpf.h"
#include "bpf/readers/sent.bpf.h"

#include <bpf/bpf_endian.h>

enum {
	FAMILY_UNIX = 1,
	FAMILY_INET = 2,
	FAMILY_INET6 = 10,
	MODE_FILE_TYPE = 0170000,
	MODE_SOCKET = 0140000,
	SUN_PATH_BYTES = 108,
	ADDRESS_BYTES_MAX = 28, /* read of an IP address structure */
	EINPROGRESS_RESULT = -115,
	PROTOCOL_UDP = 17,
	PROTOCOL_UDPLITE = 136,
	STATE_CLOSE = 7, /* TCP_CLOSE, also of other protocols */
};

/* The first bytes of struct sockaddr_in and sockaddr_in6, as they are in the caller's memory. */
struct ip_sockaddr {
	__u16 family;
	__be16 port;
	union {
		__be32 v4;
		struct {
			__u32 flow;
			__u8 v6[16];
			__u32 scope;
		};
	};
};

_Static_assert(sizeof(struct ip_sockaddr) == ADDRESS_BYTES_MAX, "as large as struct sockaddr_in6");

enum direction { OUTBOUND, INBOUND };

/* Where the kernel sent a datagram, if that has been noted. */
struct destination {
	const struct sent_address *sent; /* valid if `is_noted` */
	bool is_noted; /* no NULL in its place: the compiler would mask the pointer */
};

/* An address argument and its length; 0 if the call has none. */
struct address_argument {
	__u64 at;
	__u32 len;
	bool is_copy; /* in the kernel's memory */
};

struct accept_queue {
	__u32 percent, length, limit;
};

/* The sock of a file, or NULL if it is not a socket. */
static __always_inline struct sock *file_sock(struct file *file)
{
	struct socket *socket;

	if (!file || (GET(file, f_inode, i_mode) & MODE_FILE_TYPE) != MODE_SOCKET)
		return NULL;
	socket = GET(file, private_data);
	return GET(socket, sk);
}

/* That of a descriptor. */
static __always_inline struct sock *fd_sock(__s32 fd)
{
	return file_sock(fd_file(fd));
}

static __always_inline struct sock *descriptor_sock(__u64 descriptor)
{
	return file_sock(descriptor_file(descriptor));
}

/*
 * Writes the name of a unix socket and its NUL: `bytes` at `path`, in the caller's memory or the
 * kernel's. The NUL that marks an abstract name is written as '@', as /proc does: without a mark,
 * who binds "\0/run/x" would be taken for who owns that path. Returns the bytes written.
 */
static __always_inline __u64 write_unix_name(__u8 *out, const void *path, __u64 bytes, bool is_user)
{
	__u64 size, mark;
	__u8 first = 0;
	long n;

	if (bytes > SUN_PATH_BYTES)
		bytes = SUN_PATH_BYTES;
	if (bytes == 0) {
		*out = '\0';
		return 1;
	}
	if (is_user)
		bpf_probe_read_user(&first, 1, path);
	else
		bpf_probe_read_kernel(&first, 1, path);
	/* An abstract name ends with its length, not with a NUL. */
	mark = !first;
	size = bytes + 1 - mark;
	path += mark;
	*out = '@';
	out += mark;
	CHECKED(size);
	if (size > SUN_PATH_BYTES + 1)
		size = SUN_PATH_BYTES + 1;
	n = is_user ? read_user_string(out, size, path) :
		      bpf_probe_read_kernel_str(out, size, path);
	if (n <= 0) {
		*out = '\0';
		return mark + 1;
	}
	return mark + (n & 127);
}

static __always_inline long read_address(void *to, __u32 bytes, __u64 at, bool is_user)
{
	return is_user ? bpf_probe_read_user(to, bytes, (void *)at)
		       : bpf_probe_read_kernel(to, bytes, (void *)at);
}

/*
 * Writes an address argument of the caller as events store it. Returns the bytes, 0 if there is
 * none.
 */
static __always_inline __u64 write_sockaddr(__u8 *out, __u64 at, __u64 len, bool is_user)
{
	struct ip_sockaddr address = {};
	__u64 bytes = (__u32)len;

	if (bytes > ADDRESS_BYTES_MAX)
		bytes = ADDRESS_BYTES_MAX;
	CHECKED(bytes);
	if (!at || bytes < sizeof(address.family) || bytes > ADDRESS_BYTES_MAX ||
	    read_address(&address, bytes, at, is_user))
		return 0;
	*out = address.family;
	switch (address.family) {
	case FAMILY_INET:
		*(__u32 *)(out + 1) = address.v4;
		*(__u16 *)(out + 5) = bpf_ntohs(address.port);
		return 7;
	case FAMILY_INET6:
		__builtin_memcpy(out + 1, address.v6, sizeof(address.v6));
		*(__u16 *)(out + 17) = bpf_ntohs(address.port);
		return 19;
	case FAMILY_UNIX:
		return 1 + write_unix_name(out + 1, (void *)at + 2, (__u32)len - 2, is_user);
	}
	return 0;
}

/* That of a request has been copied. */
static __always_inline void put_sockaddr(struct filler *f, __u64 at, __u64 len)
{
	__u8 *room = frame_room(f);

	if (room)
		frame_advance(f, write_sockaddr(room, at, len, !f->of_request));
}

/* Reads an address argument of a family; false if it is of another one or unreadable. */
static __always_inline bool read_ip_argument(struct ip_sockaddr *address, __u64 at, __u16 family,
					     bool is_user)
{
	/* IPv4 addresses may end where mapped memory does. */
	__u32 bytes = family == FAMILY_INET ? 16 : ADDRESS_BYTES_MAX;

	return at && !read_address(address, bytes, at, is_user) && address->family == family;
}

/* Without a destination that was noted, a socket without a peer has that of the argument. */
static __always_inline __u64 write_tuple_inet(__u8 *out, struct sock *sk, enum direction direction,
					      struct address_argument argument,
					      struct destination to)
{
	struct inet_sock *inet = (void *)sk;
	__u32 local = GET(inet, inet_saddr), remote = GET(sk, __sk_common.skc_daddr);
	__u16 local_port = bpf_ntohs(GET(inet, inet_sport));
	__u16 remote_port = bpf_ntohs(GET(sk, __sk_common.skc_dport));
	struct ip_sockaddr address = {};

	if (to.is_noted) {
		remote = to.sent->words[3];
		remote_port = bpf_ntohs(to.sent->port);
	} else if (!remote_port && read_ip_argument(&address, argument.at, FAMILY_INET,
						     !argument.is_copy)) {
		remote = address.v4;
		remote_port = bpf_ntohs(address.port);
	}
	out[0] = FAMILY_INET;
	*(__u32 *)(out + 1) = direction == OUTBOUND ? local : remote;
	*(__u16 *)(out + 5) = direction == OUTBOUND ? local_port : remote_port;
	*(__u32 *)(out + 7) = direction == OUTBOUND ? remote : local;
	*(__u16 *)(out + 11) = direction == OUTBOUND ? remote_port : local_port;
	return 13;
}

static __always_inline __u64 write_tuple_inet6(__u8 *out, struct sock *sk, enum direction direction,
					       struct address_argument argument,
					       struct destination to)
{
	struct inet_sock *inet = (void *)sk;
	__u16 local_port = bpf_ntohs(GET(inet, inet_sport));
	__u16 remote_port = bpf_ntohs(GET(sk, __sk_common.skc_dport));
	__u32 local_at = direction == OUTBOUND ? 1 : 19, remote_at = 20 - local_at;
	struct ipv6_pinfo *pinet6 = GET(inet, pinet6);
	struct ip_sockaddr address = {};

	out[0] = FAMILY_INET6;
	bpf_core_read(out + local_at, sizeof(struct in6_addr), &pinet6->saddr);
	if (to.is_noted) {
		remote_port = bpf_ntohs(to.sent->port);
		__builtin_memcpy(out + remote_at, to.sent->words, sizeof(to.sent->words));
	} else if (!remote_port && read_ip_argument(&address, argument.at, FAMILY_INET6,
						     !argument.is_copy)) {
		remote_port = bpf_ntohs(address.port);
		__builtin_memcpy(out + remote_at, address.v6, sizeof(address.v6));
	} else if (!remote_port && GET(sk, __sk_common.skc_state) == STATE_CLOSE) {
		/* The kernel leaves the address of an earlier peer there. */
		__builtin_memset(out + remote_at, 0, sizeof(struct in6_addr));
	} else {
		bpf_core_read(out + remote_at, sizeof(struct in6_addr),
			      &sk->__sk_common.skc_v6_daddr);
	}
	*(__u16 *)(out + local_at + 16) = local_port;
	*(__u16 *)(out + remote_at + 16) = remote_port;
	return 37;
}

static __always_inline __u64 write_tuple_unix(__u8 *out, struct sock *sk, enum direction direction,
					      struct address_argument argument)
{
	struct unix_sock *own = (void *)sk;
	struct unix_sock *peer = (void *)GET(own, peer);
	struct unix_sock *named = direction == OUTBOUND ? peer : own;
	struct unix_address *address = named ? GET(named, addr) : NULL;
	__u64 n;

	out[0] = FAMILY_UNIX;
	*(__u64 *)(out + 1) = direction == OUTBOUND ? (__u64)peer : (__u64)own;
	*(__u64 *)(out + 9) = direction == OUTBOUND ? (__u64)own : (__u64)peer;
	if (address && GET(address, len) > 2)
		n = write_unix_name(out + 17, &address->name[0].sun_path, GET(address, len) - 2,
				    false);
	else if (direction == OUTBOUND && !peer && argument.at && argument.len > 2)
		n = write_unix_name(out + 17, (void *)argument.at + 2, argument.len - 2,
				    !argument.is_copy);
	else
		n = write_unix_name(out + 17, NULL, 0, false);
	return 17 + n;
}

/*
 * The family of the tuple to write. A datagram that went somewhere has one even if the number of
 * its socket has become another file since.
 */
static __always_inline __u16 tuple_family(struct sock *sk, struct destination to)
{
	__u16 family = sk ? GET(sk, __sk_common.skc_family) : 0;

	if (!to.is_noted || family == FAMILY_INET6 || (family == FAMILY_INET && to.sent->is_v4))
		return family;
	return to.sent->is_v4 ? FAMILY_INET : FAMILY_INET6;
}

/* The family of an address in the kernel's memory. */
static __always_inline __u16 address_family(__u64 at)
{
	__u16 family = 0;

	bpf_probe_read_kernel(&family, sizeof(family), (void *)at);
	return family;
}

/* How a tuple is to be written, beside the length of the address argument. */
enum {
	TUPLE_INBOUND = 1,
	TUPLE_SENT = 2, /* to sent_found() */
	TUPLE_OF_COPY = 4, /* the address argument is in the kernel's memory, */
	TUPLE_BY_ADDRESS = 8, /* and its family that of a socket which is still to be made */
	TUPLE_LEN_SHIFT = 8,
};

/*
 * Writes the tuple of a descriptor to `pos` of the current frame of a slot. Returns the bytes, 0 if
 * it has none. Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) __u64 tuple_write(__u32 slot_key, __u64 pos, __u64 descriptor, __u64 at,
					  __u64 how)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	enum direction direction = how & TUPLE_INBOUND ? INBOUND : OUTBOUND;
	struct address_argument argument = {at, how >> TUPLE_LEN_SHIFT,
						    how & TUPLE_OF_COPY};
	struct destination to = {.is_noted = how & TUPLE_SENT};
	struct sock *sk;
	__u16 family;
	__u8 *room;

	CHECKED(pos);
	if (!slot || pos > FRAME_BYTES_MAX)
		return 0;
	to.sent = sent_found(slot);
	room = slot_frame(slot) + pos;
	/* Behind it, so that older kernels need not follow the place over calls. */
	sk = descriptor_sock(descriptor);
	family = tuple_family(sk, to);
	if (!family && how & TUPLE_BY_ADDRESS && argument.at)
		family = address_family(argument.at);
	switch (family) {
	case FAMILY_INET:
		return write_tuple_inet(room, sk, direction, argument, to);
	case FAMILY_INET6:
		return write_tuple_inet6(room, sk, direction, argument, to);
	case FAMILY_UNIX:
		return write_tuple_unix(room, sk, direction, argument);
	}
	return 0;
}

enum { TUPLE_BYTES_MAX = 255 };

static __always_inline void put_tuple_as(struct filler *f, __u64 descriptor,
					 struct address_argument argument, __u64 how)
{
	__u64 n;

	if (!frame_room(f))
		return;
	if (is_copy(f, argument.at))
		how |= TUPLE_OF_COPY;
	else if (f->of_request && !f->has_memory)
		argument = (struct address_argument){};
	n = tuple_write(f->slot_key, f->pos, descriptor, argument.at,
			how | (__u64)argument.len << TUPLE_LEN_SHIFT);
	frame_advance(f, n & TUPLE_BYTES_MAX);
}

static __always_inline void put_tuple(struct filler *f, __u64 descriptor, enum direction direction,
				      struct address_argument argument)
{
	put_tuple_as(f, descriptor, argument, direction == INBOUND ? TUPLE_INBOUND : 0);
}

/*
 * The ends are the socket's: another thread may have rewritten the argument. A socket that may get
 * connected has none yet, and the address is the kernel's copy.
 */
static __always_inline void put_tuple_connected(struct filler *f, __s32 fd)
{
	if (f->of_request && f->is_untold)
		put_tuple_as(f, descriptor_used_by(f, fd),
			     (struct address_argument){f->args[1], f->args[2], false},
			     HAS_ADDRESSES ? TUPLE_BY_ADDRESS : 0);
	else if (f->ret == 0 || f->ret == EINPROGRESS_RESULT)
		put_tuple(f, descriptor_used_by(f, fd), OUTBOUND, (struct address_argument){});
	else
		put_absent(f);
}

/* The result of accept is the new socket. */
static __always_inline void put_tuple_accepted(struct filler *f)
{
	if (f->ret >= 0)
		put_tuple(f, descriptor_made_by(f), INBOUND, (struct address_argument){});
	else
		put_absent(f);
}

/*
 * A send that begins a connection (MSG_FASTOPEN) may fail as connect does: it goes on. A request of
 * which it is not known how it ends may be sent.
 */
static __always_inline bool is_sent(struct filler *f)
{
	return (f->of_request && f->is_untold) || f->ret >= 0 || f->ret == EINPROGRESS_RESULT;
}

/*
 * Whether only the sender's word says where a datagram went, though it should have been noted: more
 * threads send than notes have room for, only some messages of a call have an address, or a message
 * continues one (MSG_MORE).
 */
static __always_inline bool is_unproven(struct sock *sk, __u64 at)
{
	__u16 protocol = sk ? GET(sk, sk_protocol) : 0;

	if (protocol != PROTOCOL_UDP && protocol != PROTOCOL_UDPLITE)
		return false;
	return at || !GET(sk, __sk_common.skc_dport);
}

static __always_inline void put_tuple_sent(struct filler *f, __u64 fd, __u64 at, __u64 len)
{
	__u64 is_known;

	if (!is_sent(f)) {
		put_absent(f);
		return;
	}
	is_known = forget(f->slot, sent_is_known(f)) & 1;
	if (notes_sends && !is_known && !(is_copy(f, at) && HAS_ADDRESSES) &&
	    is_unproven(descriptor_sock(descriptor_used_by(f, fd)), at))
		mark_contested(f, f->param);
	put_tuple_as(f, descriptor_used_by(f, fd), (struct address_argument){at, len, false}, is_known * TUPLE_SENT);
}

static __always_inline void put_tuple_received(struct filler *f, __u64 fd, __u64 at)
{
	if (f->ret >= 0)
		put_tuple(f, descriptor_used_by(f, fd), INBOUND,
			  (struct address_argument){at, SUN_PATH_BYTES, false});
	else
		put_absent(f);
}

/* The fill level of the queue of a listening socket; zeros if the accept failed. */
static __always_inline struct accept_queue accept_queue(struct filler *f, __u64 fd)
{
	struct sock *sk = f->ret >= 0 ? descriptor_sock(descriptor_used_by(f, fd)) : NULL;
	struct accept_queue queue = {};

	if (sk) {
		queue.length = GET(sk, sk_ack_backlog);
		queue.limit = GET(sk, sk_max_ack_backlog);
		if (queue.limit)
			queue.percent = 100ULL * queue.length / queue.limit;
	}
	return queue;
}

/* The two ends of a socketpair by their addresses in the kernel. */
static __always_inline __u64 pair_source(struct filler *f, struct fd_pair pair)
{
	return f->ret == 0 ? (__u64)fd_sock(pair.first) : 0;
}

static __always_inline __u64 pair_peer(struct filler *f, struct fd_pair pair)
{
	struct unix_sock *own = f->ret == 0 ? (void *)fd_sock(pair.first) : NULL;

	if (!own || GET((struct sock *)own, __sk_common.skc_family) != FAMILY_UNIX)
		return 0;
	return (__u64)GET(own, peer);
}

#endif
