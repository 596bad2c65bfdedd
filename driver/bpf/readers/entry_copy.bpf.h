/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Arguments as they were on entry, kept until the exit: another thread may rewrite the caller's
 * memory in between. Only if `compares_arguments`: a program on entry of one call costs every call of
 * the machine. Notes are in a table by thread id, where each thread has two places that it may
 * share with others; if both are taken, one of them has no note. A call whose note is missing is counted, and where nothing else says
 * what the kernel used, its argument is contested.
 */
#ifndef LANNER_ENTRY_COPY_BPF_H
#define LANNER_ENTRY_COPY_BPF_H

#include "bpf/readers/socket.bpf.h"

enum {
	NOTES_BITS = 10,
	NOTES = 1 << NOTES_BITS,
	NOTE_BLOCK = 32, /* bytes compared at once */
	NOTE_BLOCKS_MAX = STRING_BYTES_MAX / NOTE_BLOCK,
	NOTE_VALUES = 2, /* a power of two */
};

#define NOTE_UNREADABLE (~0ULL) /* in place of its bytes */

/* A parameter as the event would hold it. */
struct noted_value {
	__u64 bytes;
	__u8 value[STRING_BYTES_MAX];
};

struct note {
	__u32 writers; /* the thread that makes it 1 may write */
	__u32 tid;     /* thread that has the note; 0: none */
	__u32 left;    /* values that were not compared yet */
	struct noted_value values[NOTE_VALUES];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NOTES);
	__type(key, __u32);
	__type(value, struct note);
} notes SEC(".maps");

static __always_inline struct note *note_at(__u32 key)
{
	return bpf_map_lookup_elem(&notes, &key);
}

static __always_inline struct note *note_first(__u32 tid)
{
	return note_at(tid & (NOTES - 1));
}

/* Threads that share the first place seldom share this one. */
static __always_inline struct note *note_second(__u32 tid)
{
	return note_at((tid * 0x9e3779b1U) >> (32 - NOTES_BITS));
}

/* The note of a thread, or one of another thread if it has none. */
static __always_inline struct note *note_of(__u32 tid)
{
	struct note *note = note_first(tid);

	return note && note->tid == tid ? note : note_second(tid);
}

/* Removes the note if it is the thread's. */
static __always_inline void note_forget(struct note *note, __u32 tid)
{
	if (note->tid == tid)
		note->tid = 0;
}

/* Where a thread makes its note: not in the place of another one's if it can be helped. */
static __always_inline struct note *note_place(__u32 tid)
{
	struct note *first = note_first(tid), *second = note_second(tid);

	if (!first || !second)
		return NULL;
	if (first->tid && first->tid != tid && (!second->tid || second->tid == tid))
		return second;
	if (second != first)
		note_forget(second, tid);
	return first;
}

static __always_inline struct note *note_begin(__u32 tid)
{
	struct note *note = note_place(tid);

	if (!note)
		return NULL;
	if (!users_enter(&note->writers)) {
		users_leave(&note->writers);
		return NULL;
	}
	*(volatile __u32 *)&note->tid = 0;
	return note;
}

static __always_inline void note_end(struct note *note, __u32 tid)
{
	*(volatile __u32 *)&note->tid = tid;
	users_leave(&note->writers);
}

static __always_inline void note_value(struct noted_value *noted, __u64 address)
{
	long n = address ? read_user_string(noted->value, STRING_BYTES_MAX, (void *)address) : 0;

	noted->bytes = n < 0 ? NOTE_UNREADABLE : n;
}

/* Notes string arguments, as put_string() would put them. */
static __always_inline int note_strings(__u64 first, __u64 second)
{
	__u32 tid = current_tid();
	struct note *note = note_begin(tid);

	if (!note)
		return 0;
	note_value(&note->values[0], first);
	note_value(&note->values[1], second);
	note->left = 1 + (second != 0);
	note_end(note, tid);
	return 0;
}

static __always_inline int note_string(__u64 address)
{
	return note_strings(address, 0);
}

/* Notes an address argument, as put_sockaddr() would put it. */
static __always_inline int note_sockaddr(__u64 address, __u64 len)
{
	__u32 tid = current_tid();
	struct note *note = note_begin(tid);

	if (!note)
		return 0;
	note->values[0].bytes = write_sockaddr(note->values[0].value, address, len);
	note_end(note, tid);
	return 0;
}

static __always_inline bool words_differ(const __u8 *a, const __u8 *b)
{
	__u64 differences = 0;

	for (int i = 0; i < NOTE_BLOCK; i += sizeof(__u64))
		differences |= *(__u64 *)(a + i) ^ *(__u64 *)(b + i);
	return differences;
}

enum note_answer { NOTE_EQUAL, NOTE_DIFFERS, NOTE_MISSING };

/*
 * Compares `bytes` of the frames of a slot, from `at` on, with a value of a thread's note. Not
 * inlined: the verifier walks it once.
 */
__attribute__((noinline)) int note_compare(__u32 slot_key, __u64 at, __u64 bytes, __u32 tid,
					   __u32 value)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct noted_value *noted;
	struct note *note;
	__u8 *put;
	__u32 i;

	CHECKED(at);
	if (!slot || at > BATCH_BYTES_MAX + FRAME_BYTES_MAX)
		return NOTE_MISSING;
	put = slot->frames + at;
	note = note_of(tid);
	if (!note || note->tid != tid)
		return NOTE_MISSING;
	noted = &note->values[value & (NOTE_VALUES - 1)];
	if (noted->bytes == NOTE_UNREADABLE)
		return NOTE_MISSING;
	if (noted->bytes != bytes)
		return NOTE_DIFFERS;
	for (i = 0; i < NOTE_BLOCKS_MAX && (i + 1) * NOTE_BLOCK <= bytes; i++)
		if (words_differ(put + i * NOTE_BLOCK, noted->value + i * NOTE_BLOCK))
			return NOTE_DIFFERS;
	/*
	 * The rest, with values unknown to the verifier, so that it walks this once for all blocks.
	 */
	at = forget(slot, i * NOTE_BLOCK);
	bytes = forget(slot, bytes);
	for (i = 0; i < NOTE_BLOCK && at + i < bytes; i++) {
		__u64 byte = at + i;

		CHECKED(byte);
		if (byte < STRING_BYTES_MAX && put[byte] != noted->value[byte])
			return NOTE_DIFFERS;
	}
	return NOTE_EQUAL;
}

/* The offset in its frame of a parameter that has been put. */
static __always_inline __u64 value_at(struct filler *f, __u32 nparams, __u32 param)
{
	__u64 at = LENGTHS_AT + nparams * sizeof(__u16);

	for (__u32 i = 0; i < param; i++)
		at += length_put(f, i);
	return at;
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
	enum note_answer answer;
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
	at = f->slot->state.batch.bytes + value_at(f, nparams, param);
	answer = note_compare(f->slot_key, at, length_put(f, param), tid, 0);
	if (answer == NOTE_MISSING && length_put(f, param))
		count_unnoted();
	if (answer == NOTE_DIFFERS) {
		room = frame_room(f);
		n = note->values[0].bytes;
		CHECKED(n);
		if (room && n <= STRING_BYTES_MAX) {
			bpf_probe_read_kernel(room, n, note->values[0].value);
			/* If it is still this thread's note, it was all the time. */
			if (*(volatile __u32 *)&note->tid == tid)
				frame_advance(f, n);
		}
	}
	note_forget(note, tid);
}

/* Removes the current thread's note when all of its values were compared, or none will be. */
static __always_inline void note_compared(struct filler *f, bool is_last)
{
	__u32 tid = tid_of(f->self);
	struct note *note = note_of(tid);

	if (!note || note->tid != tid)
		return;
	note->left--;
	if (is_last || !note->left)
		note_forget(note, tid);
}

/*
 * A string of the caller's memory of which nothing else says what the kernel used: number `value` of
 * those noted on entry. Contested if it was another one then, or if that is not known.
 */
static __always_inline void put_compared(struct filler *f, __u64 address, __u32 value)
{
	__u64 at = f->slot->state.batch.bytes + f->pos;
	enum note_answer answer;

	put_string(f, address);
	if (!compares_arguments)
		return;
	if (call_failed(f)) {
		note_compared(f, true);
		return;
	}
	/* 32-bit programs do not pass the tracepoints on entry. */
	answer = f->caller.compat ? NOTE_MISSING :
				    note_compare(f->slot_key, at, length_put(f, f->param),
						 tid_of(f->self), value);
	if (answer == NOTE_MISSING)
		count_unnoted();
	if (answer != NOTE_EQUAL)
		mark_contested(f, f->param);
	note_compared(f, false);
}

#endif
