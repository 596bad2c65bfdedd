/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The room in the rings, and who may take it. The last eighth of a ring is for important events.
 * When less than an eighth is left before it, the ring is crowded: a process may then fill, with
 * the events of one type, a sixteenth of the room that is left, until user space has read an eighth
 * of the ring. So the more some write, the less they may, and who writes little finds room.
 *
 * Who writes several events in a row into a slot takes from its share some bytes beforehand, so
 * that the share is not searched for each of them: see struct share_lump.
 *
 * Functions are not inlined, as batch_count_lost().
 */
#ifndef LANNER_RING_BPF_H
#define LANNER_RING_BPF_H

#include "bpf/core/rate.bpf.h"

enum {
	SAMPLE_HEADER_BYTES = 12, /* of a perf record: its header and the size of what follows */
	SHARE_DIVISOR = 16, /* of the room that is left */
	SHARE_IMPORTANT_MIN = 1 << 14, /* bytes; an exec that tries all of PATH fills some KiB */
	SHARE_OF_FAILED = 1 << 15, /* above all types of events; see share_of_call() */
	LUMP_DIVISOR = 4, /* of the share that is left */
	LUMP_BYTES_MAX = 1 << 10,
};

_Static_assert(EVENT_ID_MAX <= SHARE_OF_FAILED, "a share is for a type of 15 bits");

/* What a record of so many bytes of frames takes of its ring. */
static __always_inline __u64 record_bytes(__u64 bytes)
{
	return (SAMPLE_HEADER_BYTES + sizeof(struct batch_header) + bytes + 7) & ~7ULL;
}

static __always_inline struct ring_use *ring_of_slot(__u32 slot_key)
{
	__u32 first = slot_key & ~(SCRATCH_SLOTS_PER_CPU - 1);
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &first);

	return slot ? &slot->ring : NULL;
}

static __always_inline bool ring_is_crowded(const struct ring_use *ring)
{
	return ring->limit && ring->sent - ring->read > ring->limit - ring->part;
}

/* Whether the rest of the ring is for important events. */
__attribute__((noinline)) int ring_is_reserved(__u32 slot_key, __u32 bytes)
{
	struct ring_use *ring = ring_of_slot(slot_key);

	return ring && ring->limit && ring->sent - ring->read + record_bytes(bytes) > ring->limit;
}

/* Accounts for a record that was sent. */
__attribute__((noinline)) int ring_took(__u32 slot_key, __u32 bytes)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct ring_use *ring = ring_of_slot(slot_key);

	if (!ring || !slot)
		return 0;
	__sync_fetch_and_add(&ring->sent, record_bytes(bytes));
	if (ring_is_crowded(ring))
		slot->state.crowded = 1;
	return 0;
}

/*
 * What a process has a share for: each type of event, so that a flood of one does not hide what
 * else it does; and apart from that the calls that fail, which cost nothing: an exec that is looked
 * for in all of PATH leaves room for itself. By the sign and not by a condition, behind which the
 * verifier would walk all that follows once more.
 */
static __always_inline __u32 share_of_call(__u32 event, long ret)
{
	return event | ((__u64)ret >> 63) * SHARE_OF_FAILED;
}

/* Of a process, apart from the CPU. */
static __always_inline __u64 sharer_id(__u32 pid, __u32 what)
{
	return pid | (__u64)what << 32;
}

/* For each CPU, as what user space has read is a position in the ring. */
static __always_inline struct rate_key share_key(__u32 slot_key, __u64 sharer)
{
	__u64 cpu = slot_key / SCRATCH_SLOTS_PER_CPU;

	return (struct rate_key){.id = sharer | cpu << 48, .kind = RATE_OF_SHARE};
}

/* Whether a share began so long ago that its owner has a new one. */
static __always_inline bool share_has_ended(const struct rate *share, const struct ring_use *ring)
{
	return (__s64)(ring->read - share->began) >= (__s64)ring->part;
}

/* In bytes. */
static __always_inline __s64 share_of(const struct ring_use *ring, __u32 important)
{
	__s64 left = ring->limit + (important ? ring->part : 0) - (ring->sent - ring->read);
	__s64 bytes = left > 0 ? (__u64)left / SHARE_DIVISOR : 0;

	return important && bytes < SHARE_IMPORTANT_MIN ? SHARE_IMPORTANT_MIN : bytes;
}

/*
 * Whether a process, whose event is about to be written into a slot whose ring was crowded, has
 * filled its share.
 */
__attribute__((noinline)) int share_is_full(__u32 slot_key, __u32 pid, __u32 what, __u32 important)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	__u64 sharer = sharer_id(pid, what);
	struct rate_key key = share_key(slot_key, sharer);
	struct ring_use *ring;
	struct rate *share;

	if (!slot || (slot->lump.sharer == sharer && slot->lump.bytes))
		return 0;
	ring = ring_of_slot(slot_key);
	if (!ring)
		return 0;
	if (!ring_is_crowded(ring)) {
		slot->state.crowded = 0;
		return 0;
	}
	share = bpf_map_lookup_elem(&shares, &key);
	if (!share || share_has_ended(share, ring) ||
	    (__s64)share->used <= share_of(ring, important))
		return 0;
	rate_lose(share, pid);
	return 1;
}

/* Gives back what is left of a lump, unless its share has ended. */
static __always_inline void lump_give_back(__u32 slot_key, struct share_lump *lump)
{
	struct rate_key key = share_key(slot_key, lump->sharer);
	struct rate *share = bpf_map_lookup_elem(&shares, &key);

	if (share && share->began == lump->began)
		count_times(&share->used, -lump->bytes);
	lump->bytes = 0;
}

/*
 * What may be taken beforehand: a part of what is left of the share, which becomes smaller while
 * others fill the ring.
 */
static __always_inline __u64 lump_bytes(const struct rate *share, const struct ring_use *ring)
{
	__s64 left = share_of(ring, 0) - (__s64)share->used;

	return left > 0 ? min_u64((__u64)left / LUMP_DIVISOR, LUMP_BYTES_MAX) : 0;
}

/* Takes the bytes of an event from the share of a process. */
__attribute__((noinline)) int share_take(__u32 slot_key, __u32 pid, __u32 what, __u32 bytes)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct ring_use *ring = ring_of_slot(slot_key);
	__u64 sharer = sharer_id(pid, what), before = 0;
	struct rate *share;

	if (!slot || !ring)
		return 0;
	if (slot->lump.sharer == sharer && slot->lump.bytes >= bytes) {
		slot->lump.bytes -= bytes;
		return 0;
	}
	if (slot->lump.bytes)
		lump_give_back(slot_key, &slot->lump);
	share = rate_find(share_key(slot_key, sharer));
	if (!share)
		return 0;
	if (share_has_ended(share, ring)) {
		share->began = ring->read;
		share->used = 0;
	}
	if (slot->lump.sharer == sharer)
		before = lump_bytes(share, ring);
	slot->lump = (struct share_lump){sharer, before, share->began};
	count_times(&share->used, bytes + before);
	return 0;
}

#endif
