/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Bytes that calls read and write: buffers, vectors of buffers, messages. */
#ifndef LANNER_DATA_BPF_H
#define LANNER_DATA_BPF_H

#include "user.bpf.h"

enum {
	VECTOR_ENTRIES_MAX = 32,
	VECTOR_POS_MAX = 512, /* only values of a fixed size stand ahead of a vector's bytes */
	CONTROL_END_MAX = FRAME_BYTES_MAX - 64, /* what follows control data fits behind it */
};

struct user_iovec {
	__u64 base;
	__u64 len;
};

static __always_inline __u64 min_u64(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

static __always_inline __u32 bytes_read(struct filler *f)
{
	return f->ret > 0 ? f->ret : 0;
}

/* An offset in the caller's memory; 0 when none is given. */
static __always_inline __u64 user_offset(struct filler *f, __u64 address)
{
	__u64 offset = 0;

	read_user(f, &offset, sizeof(offset), address);
	return offset;
}

static __always_inline void put_data_read(struct filler *f, __u64 address)
{
	put_bytes(f, address, f->ret > 0 ? min_u64(f->ret, snaplen) : 0);
}

/* What a failed write was to write is shown too. */
static __always_inline void put_data_written(struct filler *f, __u64 address, __u64 size)
{
	put_bytes(f, address, min_u64(f->ret > 0 ? f->ret : size, snaplen));
}

/*
 * Writes the bytes of a vector one behind the other into the frame that a slot is getting, at
 * `pos`, cut to `limit`; a buffer that cannot be read ends them, and of a vector that cannot be read
 * neither bytes nor size are known. Leaves in the slot how far it came. Not inlined, and with its
 * numbers in memory: the verifier walks it once, and each round on one path.
 */
__attribute__((noinline)) int vector_read(__u32 slot_key, __u64 pos, __u64 vector, __u64 entries,
					  __u64 limit)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	volatile struct vector_progress *progress;
	__u8 *room;

	if (!slot || pos > VECTOR_POS_MAX)
		return 0;
	progress = &slot->vector;
	progress->at = progress->bytes = progress->unreadable = 0;
	progress->left = limit;
	room = slot_frame(slot) + pos;
	for (__u32 i = 0; i < VECTOR_ENTRIES_MAX && i < entries; i++) {
		struct user_iovec entry;
		__u64 at, n;

		if (bpf_probe_read_user(&entry, sizeof(entry), (void *)(vector + i * sizeof(entry)))) {
			progress->unreadable = true;
			progress->at = progress->bytes = 0;
			break;
		}
		progress->bytes += entry.len;
		at = progress->at;
		n = min_u64(entry.len, progress->left);
		CHECKED(n);
		if (n == 0 || n > SNAPLEN_MAX || at > SNAPLEN_MAX)
			continue;
		if (bpf_probe_read_user(room + at, n, (void *)entry.base)) {
			progress->unreadable = true;
			progress->left = 0;
			continue;
		}
		progress->at = at + n;
		progress->left -= n;
	}
	return 0;
}

/* Leaves the sum of the entries' lengths in f->vector_bytes. */
static __always_inline void put_vector(struct filler *f, __u64 vector, __u64 entries, __u64 limit)
{
	struct vector_progress *progress = &f->slot->vector;

	vector_read(f->slot_key, f->pos, vector, entries, limit);
	frame_advance(f, progress->at);
	f->vector_bytes = progress->bytes;
	if (progress->unreadable)
		count_unreadable(f);
}

static __always_inline void put_vector_read(struct filler *f, __u64 vector, __u64 entries)
{
	put_vector(f, vector, f->ret > 0 ? entries : 0, min_u64(bytes_read(f), snaplen));
}

static __always_inline void put_vector_written(struct filler *f, __u64 vector, __u64 entries)
{
	put_vector(f, vector, entries, f->ret > 0 ? min_u64(f->ret, snaplen) : snaplen);
}

static __always_inline bool read_message(struct filler *f, __u64 address)
{
	struct user_message message = {};

	f->message_read = !bpf_probe_read_user(&message, sizeof(message), (void *)address);
	if (!f->message_read)
		count_unreadable(f);
	f->message = message;
	return f->message_read;
}

static __always_inline void put_message_sent(struct filler *f, __u64 address)
{
	if (read_message(f, address))
		put_vector_written(f, f->message.vector, f->message.vector_len);
	else
		put_absent(f);
}

/* Of a message that could not be read the size is not known either. */
static __always_inline __u32 message_bytes(struct filler *f)
{
	f->absent = !f->message_read;
	return f->vector_bytes;
}

static __always_inline void put_message_received(struct filler *f, __u64 address)
{
	if (f->ret >= 0 && read_message(f, address))
		put_vector_read(f, f->message.vector, f->message.vector_len);
	else
		put_absent(f);
}

/* Cut to what the frame has left, so that the event is not lost for it. */
static __always_inline void put_message_control(struct filler *f)
{
	__u64 left = f->pos < CONTROL_END_MAX ? CONTROL_END_MAX - f->pos : 0;

	if (f->ret >= 0 && f->message.control)
		put_bytes(f, f->message.control, min_u64(f->message.control_len, left));
	else
		put_absent(f);
}

#endif
