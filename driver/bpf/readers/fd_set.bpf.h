/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Sets of descriptors, as pselect6 waits for them, and the mask of signals beside them. */
#ifndef LANNER_FD_SET_BPF_H
#define LANNER_FD_SET_BPF_H

#include "bpf/readers/poll.bpf.h"

enum {
	FD_SET_BITS_MAX = 1024,
	FD_SET_BYTES = FD_SET_BITS_MAX / 8,
	FD_SET_AT = 4096, /* in the work area of a slot */
	FDLIST_AT = sizeof(__u16), /* the entries in a list */
	/* What a set waits for, as bits of poll. */
	FD_SET_READ = 0x1,
	FD_SET_WRITE = 0x4,
	FD_SET_EXCEPT = 0x2,
};

DEFINE_USER_STRUCT_OF_TWO_FORMS(mask_argument, narrow_words)

/*
 * The index of the lowest bit: counts the ones below it, as BPF has no instruction for this, and
 * without branches for the verifier.
 */
static __always_inline __u64 lowest_bit(__u64 word)
{
	__u64 below = (word & -word) - 1;

	below -= below >> 1 & 0x5555555555555555ULL;
	below = (below & 0x3333333333333333ULL) + (below >> 2 & 0x3333333333333333ULL);
	below = (below + (below >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return below * 0x0101010101010101ULL >> 56;
}

/*
 * Turns the set of `bits` descriptors at the end of a slot's work area into a list at its start.
 * Returns the list's bytes. Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) __u32 fdlist_build(__u32 slot_key, __u32 bits, __u32 events)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	__u64 word = 0, at = 0, count = 0;

	if (!slot)
		return 0;
	/* Each turn takes one descriptor out of the current word, or takes the next word. */
	for (int i = 0; i < FDLIST_MAX + FD_SET_BITS_MAX / 64; i++) {
		__u8 *entry = slot->work + FDLIST_AT;

		at = forget(slot, at);
		count = forget(slot, count);
		if (!word) {
			if (at >= bits)
				break;
			word = *(__u64 *)(slot->work + FD_SET_AT + (at / 8 & (FD_SET_BYTES - 1)));
			at += 64;
			continue;
		}
		if (count >= FDLIST_MAX)
			break;
		entry += (count & (FDLIST_MAX - 1)) * sizeof(struct fdlist_entry);
		*(__u64 *)entry = at - 64 + lowest_bit(word);
		*(__u16 *)(entry + sizeof(__s64)) = events;
		word &= word - 1;
		count++;
	}
	*(__u16 *)slot->work = count;
	return FDLIST_AT + count * sizeof(struct fdlist_entry);
}

/* Copies a set to where fdlist_build() reads it, without the bits above its last one. */
static __always_inline bool fd_set_read(struct filler *f, __u64 set, __u32 bits)
{
	__u64 bytes = set_bytes(f, bits), last = bits / 64 * 8;
	__u8 *copy = f->slot->work + FD_SET_AT;

	CHECKED(bytes);
	if (bytes > FD_SET_BYTES || bpf_probe_read_user(copy, bytes, (void *)set))
		return false;
	*(__u64 *)(copy + (last & (2 * FD_SET_BYTES - 1))) &= (1ULL << bits % 64) - 1;
	return true;
}

/* A set of descriptors below `nfds`, as a list. */
static __always_inline void put_fd_set(struct filler *f, __u64 set, __s32 nfds, __u32 events)
{
	__u32 bits = nfds < 0 ? 0 : min_u64(nfds, FD_SET_BITS_MAX);
	__u64 n = 0;
	__u8 *room = frame_room(f);

	if (!room)
		return;
	if (set && fd_set_read(f, set, bits))
		n = fdlist_build(f->slot_key, bits, events);
	else if (set)
		count_unreadable(f);
	n = forget(f->slot, n) & 0xff;
	CHECKED(n);
	bpf_probe_read_kernel(room, n, f->slot->work);
	frame_advance(f, n);
}

#endif
