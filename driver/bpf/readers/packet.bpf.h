/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Packets of IP that the kernel has in its hands: their protocol, their ends, their namespace. */
#ifndef LANNER_PACKET_BPF_H
#define LANNER_PACKET_BPF_H

#include "bpf/core/frame.bpf.h"
#include "bpf/readers/socket.bpf.h"

enum {
	ETHERNET_IPV4 = 0x0800,
	ETHERNET_IPV6 = 0x86dd,
	IPV4_HEADER_MIN = 20,
	IPV4_FRAGMENT_OFFSET = 0x1fff,
	IPV6_HEADER = 40,
};

struct ipv4_header {
	__u8 version_length, service;
	__be16 bytes, id, fragment;
	__u8 ttl, protocol;
	__be16 checksum;
	__be32 source, dest;
};

struct ipv6_header {
	__be32 version_flow;
	__be16 bytes;
	__u8 next, hops;
	__u8 source[16], dest[16];
};

_Static_assert(sizeof(struct ipv4_header) == IPV4_HEADER_MIN, "as on the wire");
_Static_assert(sizeof(struct ipv6_header) == IPV6_HEADER, "as on the wire");

struct ports {
	__be16 source, dest;
};

static __always_inline __u64 packet_header(struct sk_buff *skb)
{
	return (__u64)GET(skb, head) + GET(skb, network_header);
}

/* The protocol above IP; 0: it is no packet of IP. Extension headers of IPv6 are not followed. */
static __always_inline __u8 packet_protocol(struct sk_buff *skb)
{
	__u16 kind = bpf_ntohs(GET(skb, protocol));
	__u64 at = packet_header(skb);
	__u8 protocol = 0;

	if (kind == ETHERNET_IPV4)
		at += __builtin_offsetof(struct ipv4_header, protocol);
	else if (kind == ETHERNET_IPV6)
		at += __builtin_offsetof(struct ipv6_header, next);
	else
		return 0;
	bpf_probe_read_kernel(&protocol, sizeof(protocol), (void *)at);
	return protocol;
}

/* One that arrived, as opposed to one that this machine made. */
static __always_inline bool packet_is_received(struct sk_buff *skb)
{
	return GET(skb, skb_iif) != 0;
}

static __always_inline __u32 packet_netns(struct sk_buff *skb)
{
	struct net_device *dev = GET(skb, dev);

	return dev ? GET(dev, nd_net.net, ns.inum) : 0;
}

/* The ports of a packet of IPv4, zeros if it is a fragment without them. */
static __always_inline struct ports packet_ports(const struct ipv4_header *header, __u64 at)
{
	struct ports ports = {};

	if (!(bpf_ntohs(header->fragment) & IPV4_FRAGMENT_OFFSET))
		bpf_probe_read_kernel(&ports, sizeof(ports),
				      (void *)(at + (header->version_length & 0xf) * 4));
	return ports;
}

/* `local_first`: the destination is written first. Returns the bytes. */
static __always_inline __u64 write_packet_v4(__u8 *out, __u64 at, bool local_first)
{
	struct ipv4_header header = {};
	struct ports ports;

	if (bpf_probe_read_kernel(&header, sizeof(header), (void *)at))
		return 0;
	ports = packet_ports(&header, at);
	out[0] = FAMILY_INET;
	*(__u32 *)(out + 1) = local_first ? header.dest : header.source;
	*(__u16 *)(out + 5) = bpf_ntohs(local_first ? ports.dest : ports.source);
	*(__u32 *)(out + 7) = local_first ? header.source : header.dest;
	*(__u16 *)(out + 11) = bpf_ntohs(local_first ? ports.source : ports.dest);
	return 13;
}

static __always_inline __u64 write_packet_v6(__u8 *out, __u64 at, bool local_first)
{
	__u32 source_at = local_first ? 19 : 1, dest_at = 20 - source_at;
	struct ipv6_header header = {};
	struct ports ports = {};

	if (bpf_probe_read_kernel(&header, sizeof(header), (void *)at))
		return 0;
	bpf_probe_read_kernel(&ports, sizeof(ports), (void *)(at + sizeof(header)));
	out[0] = FAMILY_INET6;
	__builtin_memcpy(out + source_at, header.source, sizeof(header.source));
	*(__u16 *)(out + source_at + 16) = bpf_ntohs(ports.source);
	__builtin_memcpy(out + dest_at, header.dest, sizeof(header.dest));
	*(__u16 *)(out + dest_at + 16) = bpf_ntohs(ports.dest);
	return 37;
}

/*
 * Writes the ends of a packet to `pos` of the current frame of a slot, the local one first: of one
 * that arrived that is its destination. Returns the bytes, 0 if it has none. Not inlined: the
 * verifier walks it once.
 */
__attribute__((noinline)) __u64 packet_write(__u32 slot_key, __u64 pos, __u64 packet)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct sk_buff *skb = (void *)packet;
	__u64 at;

	if (!slot || pos > FRAME_BYTES_MAX)
		return 0;
	at = packet_header(skb);
	if (bpf_ntohs(GET(skb, protocol)) == ETHERNET_IPV6)
		return write_packet_v6(slot_frame(slot) + pos, at, packet_is_received(skb));
	return write_packet_v4(slot_frame(slot) + pos, at, packet_is_received(skb));
}

static __always_inline void put_packet_ends(struct filler *f, struct sk_buff *skb)
{
	if (frame_room(f))
		frame_advance(f, packet_write(f->slot_key, f->pos, forget(f->slot, (__u64)skb)) &
					 TUPLE_BYTES_MAX);
}

#endif
