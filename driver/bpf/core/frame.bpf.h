/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Writes the parameters of one event in their order: put_…() of numbers, strings and bytes. A value
 * that does not exist is put as absent.
 */
#ifndef LANNER_FRAME_BPF_H
#define LANNER_FRAME_BPF_H

#include "bpf/core/slot.bpf.h"

enum {
	FIXED_BYTES_MAX = 512, /* of a frame, before its first value of variable length */
	URING_TEXT_IS_PART = 1, /* a bit of the address of a string of a request: it is longer */
};

/*
 * For readers that an event has many of: the verifier does not carry what one learns of the result
 * to the next.
 */
static __always_inline bool call_failed(struct filler *f)
{
	return (__s64)forget(f->slot, f->ret) < 0;
}

static __always_inline void put_length(struct filler *f, __u16 n)
{
	*(__u16 *)(f->frame + LENGTHS_AT + f->param * sizeof(__u16)) = n;
}

/* The length of a parameter that has been put. */
static __always_inline __u16 length_put(struct filler *f, __u32 param)
{
	return *(__u16 *)(f->frame + LENGTHS_AT + param * sizeof(__u16));
}

static __always_inline void put_absent(struct filler *f)
{
	put_length(f, 0);
}

/*
 * Where the next value goes, or NULL if the frame is full. From there, 65535 bytes are within
 * the slot.
 */
static __always_inline __u8 *frame_room(struct filler *f)
{
	__u64 pos = f->pos;

	CHECKED(pos);
	if (pos > FRAME_BYTES_MAX) {
		put_length(f, 0);
		return NULL;
	}
	return f->frame + pos;
}

/* Takes over `n` bytes that were written at frame_room(). */
static __always_inline void frame_advance(struct filler *f, __u64 n)
{
	put_length(f, n);
	f->pos += n;
	if (!__builtin_constant_p(n))
		f->pos = forget(f->slot, f->pos);
}

#define DEFINE_PUT_FIXED(name, type)                                                               \
	static __always_inline void put_##name(struct filler *f, type value)                       \
	{                                                                                          \
		__u8 *room;                                                                        \
                                                                                                   \
		if (f->absent) {                                                                   \
			f->absent = false;                                                         \
			put_absent(f);                                                             \
			return;                                                                    \
		}                                                                                  \
		room = frame_room(f);                                                              \
		if (!room)                                                                         \
			return;                                                                    \
		*(type *)room = value;                                                             \
		frame_advance(f, sizeof(type));                                                    \
	}

DEFINE_PUT_FIXED(u8, __u8)
DEFINE_PUT_FIXED(u16, __u16)
DEFINE_PUT_FIXED(u32, __u32)
DEFINE_PUT_FIXED(u64, __u64)

/*
 * A result, or another number of its size. That of a request may be absent, which the verifier does
 * not see: it would walk all that follows twice. Results are the first parameters of these events.
 */
static __always_inline void put_outcome(struct filler *f, __u64 value)
{
	__u64 n = sizeof(value);
	__u8 *room;

	if (!f->of_request || f->param) {
		put_u64(f, value);
		return;
	}
	room = frame_room(f);
	if (!room)
		return;
	n &= f->is_untold - 1;
	*(__u64 *)room = value;
	put_length(f, n);
	f->pos += n;
}

/* A string of kernel memory. */
static __always_inline void put_kernel_string(struct filler *f, const void *address, __u32 size)
{
	__u8 *room = frame_room(f);
	long n;

	if (!room)
		return;
	n = bpf_probe_read_kernel_str(room, size, address);
	frame_advance(f, n < 0 ? 0 : n & (2 * STRING_BYTES_MAX - 1));
}

/* A string of a request, from where uring_text() put it; absent if that is 0. */
static __always_inline void put_request_string(struct filler *f, __u64 text)
{
	if (text & URING_TEXT_IS_PART)
		mark_truncated(f);
	put_kernel_string(f, (void *)(text & ~(__u64)URING_TEXT_IS_PART), STRING_BYTES_MAX);
}

/* A string of the caller's memory, up to its NUL. Absent if the pointer is NULL. */
static __always_inline void put_string(struct filler *f, __u64 address)
{
	__u8 *room = frame_room(f);
	long n = 0;

	if (f->of_request) {
		put_request_string(f, address);
		return;
	}
	if (!room)
		return;
	if (address) {
		n = read_user_string(room, STRING_BYTES_MAX, (void *)address);
		if (n < 0) {
			count_unreadable(f);
			n = 0;
		}
		if (n == STRING_BYTES_MAX)
			mark_truncated(f);
	}
	frame_advance(f, n & (2 * STRING_BYTES_MAX - 1));
}

/* Up to 65535 bytes of the caller's memory, all or nothing. */
static __always_inline void put_bytes(struct filler *f, __u64 address, __u64 n)
{
	__u8 *room = frame_room(f);

	if (!room)
		return;
	CHECKED(n);
	if (n > 65535)
		n = 65535;
	if (n && (!address || read_caller(f, room, n, address))) {
		count_unreadable(f);
		n = 0;
	}
	frame_advance(f, n);
}

#endif
