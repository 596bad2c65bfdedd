/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What poll and ppoll wait for: lists of descriptors, how long, and with which signals blocked; events
 * of epoll.
 */
#ifndef LANNER_POLL_BPF_H
#define LANNER_POLL_BPF_H

#include "bpf/core/frame.bpf.h"
#include "bpf/readers/time.bpf.h"
#include "bpf/readers/user_memory.bpf.h"

enum { FDLIST_MAX = 16, EPOLL_DELETE = 2 };

DEFINE_USER_STRUCT(epoll_event)

struct user_pollfd {
	__s32 fd;
	__s16 events, revents;
};

_Static_assert(FDLIST_MAX * sizeof(struct user_pollfd) <= WORK_BYTES, "read into the work area");

/* In the order of the bits: RDHUP moves down, and those from ERR to WRBAND move up by one. */
static __always_inline __u16 poll_events(__u16 native)
{
	return (native & 0x7) | (native & 0x2000) >> 10 | (native & 0x3f8) << 1;
}

/*
 * Writes the count and the entries of a list to `pos` of the current frame of a slot: the returned
 * events of the first descriptors of an array. Returns whether the array could be read; if not, the
 * list is empty. Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) int fdlist_read(__u32 slot_key, __u64 pos, __u64 array, __u32 entries)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct user_pollfd *entry;
	__u8 *out;

	if (!slot || pos > FIXED_BYTES_MAX || entries > FDLIST_MAX)
		return false;
	entry = (void *)slot->work;
	out = slot_frame(slot) + pos;
	*(__u16 *)out = 0;
	if (bpf_probe_read_user(entry, entries * sizeof(*entry), (void *)array))
		return false;
	*(__u16 *)out = entries;
	out += sizeof(__u16);
	for (__u32 i = 0; i < FDLIST_MAX && i < entries; i++) {
		*(__s64 *)out = entry[i].fd;
		*(__u16 *)(out + sizeof(__s64)) = poll_events(entry[i].revents);
		out += sizeof(struct fdlist_entry);
	}
	return true;
}

static __always_inline void put_fdlist(struct filler *f, __u64 array, __u64 entries)
{
	__u32 n = entries < FDLIST_MAX ? entries : FDLIST_MAX;

	if (!fdlist_read(f->slot_key, f->pos, array, n)) {
		count_unreadable(f);
		n = 0;
	}
	frame_advance(f, sizeof(__u16) + n * sizeof(struct fdlist_entry));
}

/* The low half of a signal mask; 0 if there is none. */
static __always_inline __u32 signal_mask(struct filler *f, __u64 address)
{
	__u32 mask = 0;

	read_user(f, &mask, sizeof(mask), address);
	return mask;
}

/*
 * The address of the event of epoll_ctl; 0 if a descriptor is removed, as the kernel ignores it
 * then.
 */
static __always_inline __u64 epoll_given(__u64 operation, __u64 address)
{
	return (__u32)operation == EPOLL_DELETE ? 0 : address;
}

#endif
