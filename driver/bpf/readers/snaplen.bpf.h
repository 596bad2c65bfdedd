/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * How many bytes of a buffer an event keeps: snaplen, and more for sockets with certain ports and
 * data that begins like certain protocols. Disabled rules cost nothing.
 */
#ifndef LANNER_SNAPLEN_BPF_H
#define LANNER_SNAPLEN_BPF_H

#include "bpf/readers/stream.bpf.h"

enum {
	PORT_DNS = 53,
	PORT_MYSQL = 3306,
	PORT_POSTGRES = 5432,
	PORT_MONGO = 27017,
	KEPT_FULL = 16000,
	KEPT_STATSD = 2000,
	KEPT_DNS = 512,
	KEPT_PROTOCOL = 2000,
	KEPT_HEAD = 16384, /* as user space wants of sockets that need all: REQUESTS_LIMIT_ALL */
	YOUNG_BYTES = 65536, /* that a connection moved before user space surely knows it */
	/* Of a frame of HTTP/2: the high byte of its length, its type, its flags. */
	HTTP2_LENGTH_HIGH = 0x40,
	HTTP2_TYPE_LAST = 9,
	HTTP2_FLAGS = 0x2d,
	CASSANDRA_VERSION = 0x7f, /* without the bit of the direction */
	CASSANDRA_FIRST = 3,
	CASSANDRA_LAST = 5,
	CASSANDRA_FLAGS_END = 0x20,
	CASSANDRA_OPERATION_LAST = 0x10,
	DUBBO_HIGH = 0xda,
	DUBBO_LOW = 0xbb,
	/* Commands of MySQL, messages of PostgreSQL and MongoDB. */
	MYSQL_QUERY = 3,
	MONGO_REPLY = 1,
	MONGO_FIRST = 2001,
	MONGO_LAST = 2007,
};

/* The first bytes of a buffer. */
union data_start {
	__u8 byte[16];
	__u32 word[4];
};

struct port_pair {
	__u16 local, remote;
};

#define WORD(a, b, c, d) ((__u32)(a) | (__u32)(b) << 8 | (__u32)(c) << 16 | (__u32)(d) << 24)

enum { HTTP2_PREFACE = WORD('P', 'R', 'I', ' ') };

static __always_inline bool is_mysql(const union data_start *start, __u64 size)
{
	const __u8 *byte = start->byte;

	if (size < 5)
		return false;
	for (int i = 0; i < 5; i++)
		if (byte[i] == MYSQL_QUERY)
			return true;
	return byte[2] == 0 && byte[3] == 0;
}

static __always_inline bool is_postgres(const union data_start *start, __u64 size)
{
	const __u8 *byte = start->byte;

	if (size < 7)
		return false;
	if (byte[1] == 0 && (byte[0] == 'Q' || byte[0] == 'P' || byte[0] == 'E'))
		return true;
	return byte[4] == 0 && byte[5] == 3 && byte[6] == 0;
}

static __always_inline bool is_mongo(const union data_start *start, __u64 size)
{
	__u32 operation = start->word[3];

	return size >= sizeof(*start) &&
	       (operation == MONGO_REPLY ||
		(operation >= MONGO_FIRST && operation <= MONGO_LAST));
}

static __always_inline bool is_http_request(const union data_start *start)
{
	switch (start->word[0]) {
	case WORD('G', 'E', 'T', ' '):
	case WORD('P', 'O', 'S', 'T'):
	case WORD('P', 'U', 'T', ' '):
	case WORD('D', 'E', 'L', 'E'):
	case WORD('T', 'R', 'A', 'C'):
	case WORD('C', 'O', 'N', 'N'):
	case WORD('O', 'P', 'T', 'I'):
		return true;
	default:
		return false;
	}
}

static __always_inline bool is_http(const union data_start *start, __u64 size)
{
	if (size < 5)
		return false;
	return is_http_request(start) ||
	       (start->word[0] == WORD('H', 'T', 'T', 'P') && start->byte[4] == '/');
}

/* A client of HTTP/2 that begins, or a frame of one of the first streams of either side. */
static __always_inline bool is_http2(const union data_start *start)
{
	const __u8 *byte = start->byte;

	if (start->word[0] == HTTP2_PREFACE)
		return true;
	return byte[0] == 0 && byte[1] <= HTTP2_LENGTH_HIGH && byte[3] <= HTTP2_TYPE_LAST &&
	       !(byte[4] & ~HTTP2_FLAGS) && byte[5] == 0 && byte[6] == 0;
}

/*
 * Frames of Cassandra, Dubbo and RocketMQ, of which many are sent at once: version, flags, stream,
 * operation and length; two magic bytes; two lengths, of which the second says that JSON follows.
 */
static __always_inline bool is_frame(const union data_start *start)
{
	const __u8 *byte = start->byte;
	__u8 version = byte[0] & CASSANDRA_VERSION;

	if (version >= CASSANDRA_FIRST && version <= CASSANDRA_LAST)
		return byte[1] < CASSANDRA_FLAGS_END && byte[4] <= CASSANDRA_OPERATION_LAST && byte[5] == 0;
	if (byte[0] == DUBBO_HIGH)
		return byte[1] == DUBBO_LOW;
	return byte[0] == 0 && byte[4] == 0 && byte[5] == 0 && byte[8] == '{';
}

/*
 * Whether data begins as what is long where it matters: heads of HTTP, frames of HTTP/2, and
 * pipelines of Redis, PostgreSQL and others, of both sides. Messages of PostgreSQL are a letter or
 * digit, and a length.
 */
static __always_inline bool is_long_start(const union data_start *start)
{
	__u8 first = start->byte[0];

	if (first == '*' || first == '$' || first == ':' || first == '+')
		return true;
	if (first >= '1' && first <= 'z' && start->byte[1] == 0 && start->byte[2] == 0)
		return true;
	return is_http_request(start) || is_http2(start) || is_frame(start) ||
	       start->word[0] == WORD('H', 'E', 'A', 'D') ||
	       start->word[0] == WORD('P', 'A', 'T', 'C');
}

#undef WORD

static __always_inline bool has_port(struct port_pair ports, __u16 port)
{
	return ports.local == port || ports.remote == port;
}

static __always_inline bool in_full_range(__u16 port)
{
	return port >= snaplen_rules.full_low && port <= snaplen_rules.full_high;
}

/* The limit by the ports only; 0: none. */
static __always_inline __u32 kept_by_ports(struct port_pair ports)
{
	if (snaplen_rules.full_high && (in_full_range(ports.local) || in_full_range(ports.remote)))
		return KEPT_FULL;
	if (!snaplen_rules.dynamic)
		return 0;
	if (ports.remote == snaplen_rules.statsd_port)
		return KEPT_STATSD;
	return ports.remote == PORT_DNS ? KEPT_DNS : 0;
}

/*
 * The limit by the first bytes, which must be of the protocol of the port if that is a database's;
 * 0: none.
 */
static __always_inline __u32 kept_by_protocol(struct port_pair ports, __u64 data, __u64 size)
{
	union data_start start = {};
	__u64 n = size < sizeof(start) ? size : sizeof(start);
	bool known;

	CHECKED(n);
	if (n > sizeof(start) || bpf_probe_read_user(&start, n, (void *)data))
		return 0;
	if (has_port(ports, PORT_MYSQL))
		known = is_mysql(&start, size);
	else if (has_port(ports, PORT_POSTGRES))
		known = is_postgres(&start, size);
	else
		known = has_port(ports, PORT_MONGO) || is_mongo(&start, size) ||
			is_http(&start, size);
	return known ? KEPT_PROTOCOL : 0;
}

/*
 * The limit for the data of a descriptor: `name` is the call's address argument, `data` a buffer of
 * `size` bytes; 0 if there is none. Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) __u32 socket_snaplen(__u64 descriptor, __u64 name, __u64 data, __u64 size)
{
	struct ip_sockaddr address = {};
	struct port_pair ports;
	struct sock *sk;
	__u16 family;
	__u32 kept;

	if (!snaplen_rules.full_high && !snaplen_rules.dynamic)
		return snaplen;
	sk = descriptor_sock(descriptor);
	family = sk ? READ(sk, __sk_common.skc_family) : 0;
	if (family != FAMILY_INET && family != FAMILY_INET6)
		return snaplen;
	ports.local = bpf_ntohs(READ((struct inet_sock *)sk, inet_sport));
	ports.remote = bpf_ntohs(READ(sk, __sk_common.skc_dport));
	if (!ports.remote && read_ip_argument(&address, name, family, true))
		ports.remote = bpf_ntohs(address.port);
	kept = kept_by_ports(ports);
	if (!kept && snaplen_rules.dynamic && data)
		kept = kept_by_protocol(ports, data, size);
	return kept > snaplen ? kept : snaplen;
}

/*
 * The limit of a socket of which user space has not said more yet: that comes too late for the first
 * calls of a connection. Later it would make large values costly. Not inlined: the verifier walks it
 * once.
 */
__attribute__((noinline)) __u32 stream_snaplen(__u64 descriptor, __u64 data)
{
	union data_start start = {};
	struct sock *sk = descriptor_sock(descriptor);
	struct tcp_sock *tcp = (void *)sk;

	if (is_tcp(sk) && GET(tcp, bytes_sent) + GET(tcp, bytes_received) > YOUNG_BYTES)
		return stream_bytes;
	if (!data || bpf_probe_read_user(&start, sizeof(start), (void *)data))
		return stream_bytes;
	return is_long_start(&start) ? KEPT_HEAD : stream_bytes;
}

/* Whether what data of a stream begins with decides how much of it is kept. stream: of a filler. */
static __always_inline bool depends_on_start(__u32 stream, __u64 size)
{
	return stream_bytes && (stream & ~STREAM_WANTED) == stream_bytes && size > stream_bytes;
}

/*
 * The limit of data that does not fit into snaplen, or that is of a stream: there, who follows it
 * says how much. Not inlined, likewise.
 */
__attribute__((noinline)) __u64 long_data_limit(__u64 descriptor, __u64 name, __u64 data,
						__u64 size, __u32 stream)
{
	__u32 wanted = stream & ~STREAM_WANTED;

	if (!stream_bytes || !stream)
		return socket_snaplen(descriptor, name, data, size);
	if (depends_on_start(stream, size))
		wanted = stream_snaplen(descriptor, data);
	return wanted > snaplen ? wanted : snaplen;
}

/* The same; data that fits into snaplen is not examined. */
static __always_inline __u64 data_limit(struct filler *f, __u64 fd, __u64 name, __u64 data,
					__u64 size)
{
	if (!stream_bytes && !snaplen_rules.full_high && !snaplen_rules.dynamic)
		return snaplen;
	if ((!stream_bytes || !f->stream) && size <= snaplen)
		return snaplen;
	return long_data_limit(descriptor_used_by(f, fd), f->of_request ? 0 : name, data, size,
			       f->stream);
}

/* Not inlined: the verifier walks it once. */
__attribute__((noinline)) int stream_want_all(__u64 descriptor)
{
	__u64 ino = file_ino(descriptor_file(descriptor));
	__u32 bytes = KEPT_HEAD;

	/* What user space said of it stands. */
	return bpf_map_update_elem(&stream_limits, &ino, &bytes, BPF_NOEXIST);
}

/*
 * A client of HTTP/2 says so first, and then each call, of both ends, may have the ends of many
 * requests: user space learns of it too late. room: where the bytes were put, or NULL.
 */
static __always_inline void follow_http2(struct filler *f, __u64 fd, const __u8 *room)
{
	if (stream_bytes && (f->stream & ~STREAM_WANTED) == stream_bytes && room &&
	    length_put(f, f->param) >= sizeof(__u32) && *(__u32 *)room == HTTP2_PREFACE)
		stream_want_all(descriptor_used_by(f, fd));
}

#endif
