/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Arguments as they were on entry, kept until the exit: another thread may rewrite the caller's
 * memory in between. Only if `compares_arguments`: a program on entry of one call costs every call of
 * the machine. Notes are in a table by thread id, where two threads may share an entry; then
 * one of them has no note. A failed call whose note is missing is counted.
 */
#ifndef LANNER_ENTRY_COPY_BPF_H
#define LANNER_ENTRY_COPY_BPF_H

#include "bpf/readers/socket.bpf.h"

enum {
	NOTES = 1024, /* a power of two */
	NOTE_BLOCK = 32, /* bytes compared at once */
	NOTE_BLOCKS_MAX = STRING_BYTES_MAX / NOTE_BLOCK,
};

/* A parameter as the event would hold it. */
struct note {
	__u32 writers; /* the thread that makes it 1 may write */
	__u32 tid;     /* thread that has the note; 0: none */
	__u64 bytes;
	__u8 value[STRING_BYTES_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NOTES);
	__type(key, __u32);
	__type(value, struct note);
} notes SEC(".maps");

static __always_inline struct note *note_of(__u32 tid)
{
	__u32 key = tid & (NOTES - 1);

	return bpf_map_lookup_elem(&notes, &key);
}

static __always_inline struct note *note_begin(__u32 tid)
{
	struct note *note = note_of(tid);

	if (!note)
		return NULL;
	if (!users_enter(&note->writers)) {
		users_leave(&note->writers);
		return NULL;
	}
	*(volatile __u32 *)&note->tid = 0;
	return note;
}

static __always_inline void note_end(struct note *note, __u32 tid, __u64 bytes)
{
	note->bytes = bytes;
	*(volatile __u32 *)&note->tid = tid;
	users_leave(&note->writers);
}

/* Notes a string argument, as put_string() would put it. */
static __always_inline int note_string(__u64 address)
{
	__u32 tid = current_tid();
	struct note *note = note_begin(tid);
	long n;

	if (!note)
		return 0;
	n = address ? read_user_string(note->value, STRING_BYTES_MAX, (void *)address) : 0;
	note_end(note, n < 0 ? 0 : tid, n);
	return 0;
}

/* Notes an address argument, as put_sockaddr() would put it. */
static __always_inline int note_sockaddr(__u64 address, __u64 len)
{
	__u32 tid = current_tid();
	struct note *note = note_begin(tid);

	if (note)
		note_end(note, tid, write_sockaddr(note->value, address, len));
	return 0;
}

static __always_inline bool words_differ(const __u8 *a, const __u8 *b)
{
	__u64 differences = 0;

	for (int i = 0; i < NOTE_BLOCK; i += sizeof(__u64))
		differences |= *(__u64 *)(a + i) ^ *(__u64 *)(b + i);
	return differences;
}

/*
 * Whether `bytes` of the frames of a slot, from `at` on, differ from a thread's note. False if that
 * note does not exist, or no longer. Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) int note_differs(__u32 slot_key, __u64 at, __u64 bytes, __u32 tid)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct note *note;
	__u8 *put;
	__u32 i;

	CHECKED(at);
	if (!slot || at > BATCH_BYTES_MAX + FRAME_BYTES_MAX)
		return false;
	put = slot->frames + at;
	note = note_of(tid);
	if (!note || note->tid != tid)
		return false;
	if (note->bytes != bytes)
		return true;
	for (i = 0; i < NOTE_BLOCKS_MAX && (i + 1) * NOTE_BLOCK <= bytes; i++)
		if (words_differ(put + i * NOTE_BLOCK, note->value + i * NOTE_BLOCK))
			return true;
	/*
	 * The rest, with values unknown to the verifier, so that it walks this once for all blocks.
	 */
	at = forget(slot, i * NOTE_BLOCK);
	bytes = forget(slot, bytes);
	for (i = 0; i < NOTE_BLOCK && at + i < bytes; i++) {
		__u64 byte = at + i;

		CHECKED(byte);
		if (byte < STRING_BYTES_MAX && put[byte] != note->value[byte])
			return true;
	}
	return false;
}

/* The offset in its frame of a parameter that has been put. */
static __always_inline __u64 value_at(struct filler *f, __u32 nparams, __u32 param)
{
	__u64 at = LENGTHS_AT + nparams * sizeof(__u16);

	for (__u32 i = 0; i < param; i++)
		at += length_put(f, i);
	return at;
}

/* Removes the note if it is the thread's. */
static __always_inline void note_forget(struct note *note, __u32 tid)
{
	if (note->tid == tid)
		note->tid = 0;
}

/* For a successful call: there is nothing to compare. */
static __always_inline void put_none_noted(struct filler *f)
{
	__u32 tid = current_tid();
	struct note *note;

	put_absent(f);
	note = compares_arguments ? note_of(tid) : NULL;
	if (note)
		note_forget(note, tid);
}

/*
 * For a failed call: what a parameter was on entry, if that differs from its value in the event.
 * Absent otherwise: what a successful call did is known from the kernel. 32-bit programs have none:
 * they do not pass the tracepoints on entry, so their note is of an earlier program of the thread.
 */
static __always_inline void put_noted(struct filler *f, __u32 nparams, __u32 param)
{
	__u32 tid = current_tid();
	struct note *note;
	__u64 at, n;
	__u8 *room;

	if (!compares_arguments || !call_failed(f) || f->caller.compat) {
		put_none_noted(f);
		return;
	}
	put_absent(f);
	note = note_of(tid);
	if (!note)
		return;
	if (note->tid != tid && length_put(f, param))
		count_unnoted();
	at = f->slot->state.batch.bytes + value_at(f, nparams, param);
	if (note_differs(f->slot_key, at, length_put(f, param), tid)) {
		room = frame_room(f);
		n = note->bytes;
		CHECKED(n);
		if (room && n <= STRING_BYTES_MAX) {
			bpf_probe_read_kernel(room, n, note->value);
			/* If it is still this thread's note, it was all the time. */
			if (*(volatile __u32 *)&note->tid == tid)
				frame_advance(f, n);
		}
	}
	note_forget(note, tid);
}

#endif
