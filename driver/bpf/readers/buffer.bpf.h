/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Bytes that calls read and write: buffers and vectors of buffers. */
#ifndef LANNER_BUFFER_BPF_H
#define LANNER_BUFFER_BPF_H

#include "bpf/readers/snaplen.bpf.h"
#include "bpf/readers/user_memory.bpf.h"

enum {
	VECTOR_ENTRIES_MAX = 1024, /* as many as a call can have: IOV_MAX */
	VECTOR_ENTRIES_FEW = 32, /* where the verifier walks each, and of calls that have too many */
	VECTOR_AT_ONCE = 32,
	IMAGE_BYTES_MAX = FRAME_BYTES_MAX - STRING_BYTES_MAX - 128, /* what follows a module fits */
};

static __always_inline __u32 bytes_read(struct filler *f)
{
	return f->ret > 0 ? f->ret : 0;
}

/* An offset in the caller's memory; 0 if the address is NULL. */
static __always_inline __u64 user_offset(struct filler *f, __u64 address)
{
	const __u64 narrow = narrow_before(f, NR32_SENDFILE64);
	union {
		__s64 wide;
		__s32 narrow;
	} offset = {};

	read_user(f, &offset, FORM_BYTES(f->slot, offset, narrow), address);
	return (offset.wide & ~narrow) | (offset.narrow & narrow);
}

/* The data of a failed write is shown too. */
static __always_inline __u64 bytes_written(struct filler *f, __u64 size)
{
	return f->ret > 0 ? f->ret : size;
}

/* Of what does not go over a descriptor. */
static __always_inline void put_data_read(struct filler *f, __u64 address)
{
	put_bytes(f, address, min_u64(bytes_read(f), snaplen));
}

/* What the call wrote to a buffer of `size` bytes; with 0 it only returns how many are needed. */
static __always_inline void put_result(struct filler *f, __u64 address, __u64 size)
{
	put_bytes(f, address, f->ret > 0 && size ? min_u64(f->ret, snaplen) : 0);
}

/* Text that the call wrote, without its NUL. */
static __always_inline void put_result_text(struct filler *f, __u64 address)
{
	__u8 *room = frame_room(f);
	__u64 n = f->ret > 0 ? min_u64(f->ret, STRING_BYTES_MAX - 1) : 0;

	if (!room)
		return;
	CHECKED(n);
	if (n >= STRING_BYTES_MAX)
		return;
	if (n && bpf_probe_read_user(room, n, (void *)address)) {
		count_unreadable(f);
		n = 0;
	}
	room[n] = '\0';
	frame_advance(f, n ? n + 1 : 0);
}

static __always_inline void put_data_written(struct filler *f, __u64 address, __u64 size)
{
	put_bytes(f, address, min_u64(bytes_written(f, size), snaplen));
}

/* `name`: the call's address argument, 0 if it has none. */
static __always_inline void put_fd_data(struct filler *f, __u64 fd, __u64 address, __u64 n,
					__u64 name)
{
	__u64 limit = forget(f->slot, min_u64(n, data_limit(f, fd, name, address, n)));
	__u8 *room = frame_room(f);

	put_bytes(f, address, limit);
	follow_http2(f, fd, room);
}

static __always_inline void put_fd_data_read(struct filler *f, __u64 fd, __u64 address, __u64 name)
{
	put_fd_data(f, fd, address, bytes_read(f), name);
}

static __always_inline void put_fd_data_written(struct filler *f, __u64 fd, __u64 address,
						__u64 size, __u64 name)
{
	put_fd_data(f, fd, address, bytes_written(f, size), name);
}

/* Beside a number of entries: */
#define VECTOR_IS_COPY (1ULL << 63) /* they are in the kernel's memory, */
#define VECTOR_IS_NARROW (1ULL << 62) /* or as 32-bit programs have them */

/* A vector that is being read; what it has come to is in its slot, unknown to the verifier. */
struct vector_walk {
	struct scratch_slot *slot;
	__u32 slot_key;
	__u8 *room;
	__u64 vector, entries; /* those that are left */
	__u64 narrow;
	bool is_copy; /* in the kernel's memory */
};

/* Whether entries of which no bytes are copied any more are read many at a time. */
static __always_inline bool sums_rest(const struct vector_walk *walk)
{
	return CAN_ITERATE && !walk->narrow && !walk->is_copy;
}

/*
 * Adds the lengths of so many entries of a vector to the progress of a slot. Returns whether they
 * could be read. Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) int vector_add(__u32 slot_key, __u64 vector, __u64 count)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	const struct user_iovec *entries;
	__u64 bytes = count * sizeof(*entries);

	if (!slot)
		return false;
	entries = (void *)slot->work;
	CHECKED(bytes);
	if (bytes > VECTOR_AT_ONCE * sizeof(*entries) ||
	    bpf_probe_read_user(slot->work, bytes, (void *)vector))
		return false;
#pragma clang loop unroll(disable)
	for (__u64 i = 0; i < VECTOR_AT_ONCE; i++) {
		if (i >= count)
			break;
		*(volatile __u64 *)&slot->vector.bytes += entries[i].len;
	}
	return true;
}

/* Adds those of the next entries. Returns whether there may be more. */
static __always_inline bool vector_sum(struct vector_walk *walk)
{
	__u64 count = forget(walk->slot, min_u64(walk->entries, VECTOR_AT_ONCE));

	if (!count)
		return false;
	if (!vector_add(walk->slot_key, walk->vector, count)) {
		walk->slot->vector.unreadable = true;
		walk->slot->vector.at = walk->slot->vector.bytes = 0;
		return false;
	}
	walk->vector = forget(walk->slot, walk->vector + count * sizeof(struct user_iovec));
	walk->entries = forget(walk->slot, walk->entries - count);
	return true;
}

static __always_inline bool vector_step(struct vector_walk *walk)
{
	struct scratch_slot *slot = walk->slot;
	volatile struct vector_progress *progress = &slot->vector;
	const __u64 narrow = walk->narrow;
	union user_any_iovec any = {};
	__u64 bytes = FORM_BYTES(slot, any, narrow), at, n;
	struct user_iovec entry;

	if (walk->entries == 0 || (sums_rest(walk) && progress->left == 0))
		return false;
	walk->entries = forget(slot, walk->entries - 1);
	if (walk->is_copy ? bpf_probe_read_kernel(&any, bytes, (void *)walk->vector)
			  : bpf_probe_read_user(&any, bytes, (void *)walk->vector)) {
		progress->unreadable = true;
		progress->at = progress->bytes = 0;
		return false;
	}
	walk->vector = forget(slot, walk->vector + bytes);
	entry = widen_iovec(&any, narrow);
	entry.len = forget(slot, entry.len);
	progress->bytes += entry.len;
	at = progress->at;
	n = min_u64(entry.len, progress->left);
	CHECKED(n);
	if (n == 0 || n > SNAPLEN_MAX || at > SNAPLEN_MAX)
		return true;
	if (bpf_probe_read_user(walk->room + at, n, (void *)entry.base)) {
		progress->unreadable = true;
		progress->left = 0;
		return true;
	}
	progress->at = at + n;
	progress->left -= n;
	return true;
}

/*
 * Writes the bytes of a vector one after the other to `pos`, among the first values, of the current
 * frame of a slot, truncated to `limit`; they end at a buffer that cannot be read, and for a vector
 * that cannot be read neither bytes nor size are known. Leaves its progress in the slot. Not
 * inlined: the verifier walks it once.
 */
__attribute__((noinline)) int vector_read(__u32 slot_key, __u64 pos, __u64 vector, __u64 entries,
					  __u64 limit)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct vector_walk walk = {.slot = slot,
				   .slot_key = slot_key,
				   .vector = vector,
				   .entries = entries & ~(VECTOR_IS_COPY | VECTOR_IS_NARROW),
				   .narrow = -(entries >> 62 & 1),
				   .is_copy = entries & VECTOR_IS_COPY};

	if (!slot || pos > FIXED_BYTES_MAX)
		return 0;
	if (walk.entries > VECTOR_ENTRIES_MAX)
		walk.entries = VECTOR_ENTRIES_FEW;
	walk.entries = forget(slot, walk.entries);
	slot->vector = (struct vector_progress){.left = limit};
	walk.room = slot_frame(slot) + pos;
	REPEAT(CAN_ITERATE ? VECTOR_ENTRIES_MAX : VECTOR_ENTRIES_FEW, vector_step, &walk);
	if (sums_rest(&walk) && !slot->vector.left)
		REPEAT(VECTOR_ENTRIES_MAX / VECTOR_AT_ONCE, vector_sum, &walk);
	return 0;
}

/* Returns the sum of the entries' lengths, as all functions that put a vector do. */
static __always_inline __u32 put_vector(struct filler *f, __u64 vector, __u64 entries, __u64 limit)
{
	struct vector_progress *progress = &f->slot->vector;
	__u32 bytes;

	entries &= ~(VECTOR_IS_COPY | VECTOR_IS_NARROW);
	if (f->of_request && !f->has_memory)
		entries = 0;
	if (is_copy(f, vector))
		entries |= VECTOR_IS_COPY;
	else
		entries |= narrow_words(f) & VECTOR_IS_NARROW;
	vector_read(f->slot_key, f->pos, vector, entries, limit);
	frame_advance(f, progress->at);
	bytes = progress->bytes;
	if (progress->unreadable)
		count_unreadable(f);
	return bytes;
}

/* Of what does not go over a descriptor. */
static __always_inline __u32 put_vector_read(struct filler *f, __u64 vector, __u64 entries)
{
	return put_vector(f, vector, f->ret > 0 ? entries : 0, min_u64(bytes_read(f), snaplen));
}

/* Where the first buffer of a vector is; 0: not known. */
static __always_inline __u64 first_buffer(struct filler *f, __u64 vector)
{
	const __u64 narrow = narrow_words(f);
	union user_any_iovec any = {};
	__u64 bytes = FORM_BYTES(f->slot, any, narrow);

	if (f->of_request && !f->has_memory)
		return 0;
	if (is_copy(f, vector))
		return bpf_probe_read_kernel(&any, sizeof(any.wide), (void *)vector)
			       ? 0
			       : (__u64)any.wide.base;
	if (bpf_probe_read_user(&any, bytes, (void *)vector))
		return 0;
	return (__u64)widen_iovec(&any, narrow).base;
}

static __always_inline __u32 put_fd_vector(struct filler *f, __u64 fd, __u64 vector, __u64 entries,
					   __u64 n, __u64 name)
{
	__u64 data = forget(f->slot, depends_on_start(f->stream, n) ? first_buffer(f, vector) : 0);
	__u64 limit = forget(f->slot, min_u64(n, data_limit(f, fd, name, data, n)));
	__u8 *room = frame_room(f);
	__u32 bytes = put_vector(f, vector, entries, limit);

	follow_http2(f, fd, room);
	return bytes;
}

static __always_inline __u32 put_fd_vector_read(struct filler *f, __u64 fd, __u64 vector,
						__u64 entries, __u64 name)
{
	__u64 n = bytes_read(f);

	return put_fd_vector(f, fd, vector, n ? entries : 0, n, name);
}

static __always_inline __u32 put_fd_vector_written(struct filler *f, __u64 fd, __u64 vector,
						   __u64 entries, __u64 name)
{
	return put_fd_vector(f, fd, vector, entries, bytes_written(f, SNAPLEN_MAX), name);
}

#endif
