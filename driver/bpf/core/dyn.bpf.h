/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Values of type DYN: the index of their kind (driver/events/dyn.def) in one byte, then the value.
 */
#ifndef LANNER_DYN_BPF_H
#define LANNER_DYN_BPF_H

#include "bpf/core/frame.bpf.h"

#define DEFINE_PUT_DYN(name, type)                                                                 \
	static __always_inline void put_dyn_##name(struct filler *f, __u8 kind, type value)        \
	{                                                                                          \
		__u8 *room = frame_room(f);                                                        \
                                                                                                   \
		if (!room)                                                                         \
			return;                                                                    \
		room[0] = kind;                                                                    \
		*(type *)(room + 1) = value;                                                       \
		frame_advance(f, 1 + sizeof(type));                                                \
	}

DEFINE_PUT_DYN(u8, __u8)
DEFINE_PUT_DYN(u32, __u32)
DEFINE_PUT_DYN(u64, __u64)

/* A string of the caller's memory; nothing follows the kind if there is none. */
static __always_inline void put_dyn_string(struct filler *f, __u8 kind, __u64 address)
{
	__u8 *room = frame_room(f);
	long n = 0;

	if (!room)
		return;
	room[0] = kind;
	if (address) {
		n = read_user_string(room + 1, STRING_BYTES_MAX, (void *)address);
		if (n < 0) {
			count_unreadable(f);
			n = 0;
		}
	}
	frame_advance(f, 1 + (n & (2 * STRING_BYTES_MAX - 1)));
}

/* Up to 65534 bytes of the caller's memory, all or none. */
static __always_inline void put_dyn_bytes(struct filler *f, __u8 kind, __u64 address, __u64 n)
{
	__u8 *room = frame_room(f);

	if (!room)
		return;
	CHECKED(n);
	if (n > 65534)
		n = 65534;
	room[0] = kind;
	if (n && (!address || bpf_probe_read_user(room + 1, n, (void *)address))) {
		count_unreadable(f);
		n = 0;
	}
	frame_advance(f, 1 + n);
}

#endif
