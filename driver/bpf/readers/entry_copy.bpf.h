/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Arguments as they were on entry, kept until the exit: another thread may rewrite the caller's
 * memory in between. Only if `compares_arguments`: a program on entry of one call costs every call
 * of the machine. The note of a thread is in one of the places of a row, which its id says. So many
 * threads of a row have to be in such calls at once, before the oldest of their notes is lost. A
 * call whose note is missing is counted, and where nothing else says what the kernel used, its
 * argument is contested.
 */
#ifndef LANNER_ENTRY_COPY_BPF_H
#define LANNER_ENTRY_COPY_BPF_H

#include "bpf/readers/socket.bpf.h"

enum {
	NOTE_ROWS = 128, /* a power of two */
	NOTES_OF_ROW = 8, /* likewise */
	NO_NOTE = NOTE_ROWS * NOTES_OF_ROW, /* in place of the number of a place */
	NOTE_TRIES = 4,
	NOTE_BLOCK = 32, /* bytes compared at once */
	NOTE_BLOCKS_MAX = STRING_BYTES_MAX / NOTE_BLOCK,
	NOTE_VALUES = 2, /* a power of two */
};

/* Why an argument is noted on entry of the call of an event. */
enum { OVERWRITTEN = 1, COMPARED };

static const __u8 noted_of_events[EVENT_ID_MAX] = {
#define ENTRY_PROGRAM(name, note, why) [EVENT_##name] = why,
#include "events/programs.def"
};

#define NOTE_UNREADABLE (~0ULL) /* in place of its bytes */

/* Beside those of its row, so that a search reads two cache lines. */
struct note_place {
	__u32 writers; /* the thread that makes it 1 may write */
	__u32 tid;     /* thread that has the note; 0: none, or not all of it is written */
	__u64 since;   /* in jiffies; 0: the place is free */
};

/* A parameter as the event would hold it. */
struct noted_value {
	__u64 bytes;
	__u8 value[STRING_BYTES_MAX];
};

struct state_note {
	__u64 left; /* values that were not compared yet */
	struct noted_value values[NOTE_VALUES];
};

struct note_row {
	struct note_place places[NOTES_OF_ROW];
	struct state_note notes[NOTES_OF_ROW];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NOTE_ROWS);
	__type(key, __u32);
	__type(value, struct note_row);
} notes SEC(".maps");

static __always_inline struct note_row *note_row(__u32 row)
{
	return bpf_map_lookup_elem(&notes, &row);
}

/* Of a place, by its number. */
static __always_inline struct note_place *place_at(__u32 number)
{
	struct note_row *row = note_row(number / NOTES_OF_ROW);

	return row ? &row->places[number % NOTES_OF_ROW] : NULL;
}

static __always_inline struct state_note *note_at(__u32 number)
{
	struct note_row *row = note_row(number / NOTES_OF_ROW);

	return row ? &row->notes[number % NOTES_OF_ROW] : NULL;
}

/* Where a thread's note is, NO_NOTE if it has none. Not inlined: the verifier walks it once. */
__attribute__((noinline)) __u32 note_find(__u32 tid)
{
	__u32 key = tid % NOTE_ROWS;
	struct note_row *row = note_row(key);

	if (!row)
		return NO_NOTE;
#pragma clang loop unroll(full)
	for (__u32 i = 0; i < NOTES_OF_ROW; i++)
		if (*(volatile __u32 *)&row->places[i].tid == tid)
			return key * NOTES_OF_ROW + i;
	return NO_NOTE;
}

/* The place for a new note of a thread: a free one, else that of the oldest note. Likewise. */
__attribute__((noinline)) __u32 note_oldest(__u32 tid)
{
	__u32 key = tid % NOTE_ROWS;
	struct note_row *row = note_row(key);
	__u64 oldest = ~0ULL; /* when, and beside it which */

	if (!row)
		return NO_NOTE;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NOTES_OF_ROW; i++) {
		__u64 since = *(volatile __u64 *)&row->places[i].since;

		oldest = min_u64(oldest, since * NOTES_OF_ROW + i);
		if (!since)
			break;
	}
	return key * NOTES_OF_ROW + oldest % NOTES_OF_ROW;
}

/* Whether a place could be taken, from then on until note_end() nobody's. */
static __always_inline bool note_take(__u32 number)
{
	struct note_place *place = place_at(number);

	if (!place)
		return false;
	if (!users_enter(&place->writers)) {
		users_leave(&place->writers);
		return false;
	}
	*(volatile __u64 *)&place->since = bpf_jiffies64();
	*(volatile __u32 *)&place->tid = 0;
	return true;
}

/* Takes a place for a note of a thread. Returns its number, NO_NOTE if others were faster. */
static __always_inline __u32 note_begin(__u32 tid)
{
	__u32 number = note_find(tid);

	for (int i = 0; i < NOTE_TRIES; i++) {
		if (number == NO_NOTE)
			number = note_oldest(tid);
		if (note_take(number))
			return number;
		number = NO_NOTE;
	}
	return NO_NOTE;
}

static __always_inline void note_end(__u32 number, __u32 tid)
{
	struct note_place *place = place_at(number);

	if (!place)
		return;
	*(volatile __u32 *)&place->tid = tid;
	users_leave(&place->writers);
}

/* Makes the place of a thread's note free, unless another one has displaced it. */
static __always_inline void note_forget(__u32 number, __u32 tid)
{
	struct note_place *place = place_at(number);

	if (!place || *(volatile __u32 *)&place->tid != tid)
		return;
	/* In this order: whoever sees a free place may take it, and no note of his is removed. */
	*(volatile __u32 *)&place->tid = 0;
	*(volatile __u64 *)&place->since = 0;
}

/* Removes the note of the current thread, if it has one. */
static __always_inline void note_remove(void)
{
	__u32 tid = current_tid();

	note_forget(note_find(tid), tid);
}

/* For a call that has no event: its note would be taken for that of a later one. */
static __always_inline void note_remove_of(__u32 event)
{
	if (compares_arguments && event < EVENT_ID_MAX && noted_of_events[event] == COMPARED)
		note_remove();
}

static __always_inline void note_value(struct noted_value *noted, __u64 address)
{
	long n = address ? read_user_string(noted->value, STRING_BYTES_MAX, (void *)address) : 0;

	noted->bytes = n < 0 ? NOTE_UNREADABLE : n;
}

/* Notes string arguments, as put_string() would put them. */
static __always_inline int note_strings(__u64 first, __u64 second)
{
	__u32 tid = current_tid(), place = note_begin(tid);
	struct state_note *note = note_at(place);

	if (!note)
		return 0;
	note_value(&note->values[0], first);
	note_value(&note->values[1], second);
	note->left = 1 + (second != 0);
	note_end(place, tid);
	return 0;
}

static __always_inline int note_string(__u64 address)
{
	return note_strings(address, 0);
}

/* Notes an address argument, as put_sockaddr() would put it. */
static __always_inline int note_sockaddr(__u64 address, __u64 len)
{
	__u32 tid = current_tid(), place = note_begin(tid);
	struct state_note *note = note_at(place);

	if (!note)
		return 0;
	note->values[0].bytes = write_sockaddr(note->values[0].value, address, len, true);
	note_end(place, tid);
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
 * Compares `bytes` of the frames of a slot, from `at` on, with a value of the note in a place. Not
 * inlined: the verifier walks it once.
 */
__attribute__((noinline)) int note_compare(__u32 slot_key, __u64 at, __u64 bytes, __u32 place,
					   __u32 value)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct state_note *note = note_at(place);
	struct noted_value *noted;
	__u8 *put;
	__u32 i;

	CHECKED(at);
	if (!slot || !note || at > BATCH_BYTES_MAX + FRAME_BYTES_MAX)
		return NOTE_MISSING;
	put = slot->frames + at;
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
	put_absent(f);
	if (compares_arguments)
		note_remove();
}

/*
 * For a failed call: what a parameter was on entry, if that differs from its value in the event.
 * Absent otherwise: what a successful call did is known from the kernel. 32-bit programs have none:
 * they do not pass the tracepoints on entry, so their note is of an earlier program of the thread.
 */
static __always_inline void put_noted(struct filler *f, __u32 nparams, __u32 param)
{
	__u32 tid = tid_of(f->self), place;
	enum note_answer answer;
	struct state_note *note;
	__u64 at, n;
	__u8 *room;

	if (f->of_request) {
		put_absent(f);
		return;
	}
	if (!compares_arguments || !call_failed(f) || f->caller.compat) {
		put_none_noted(f);
		return;
	}
	put_absent(f);
	place = note_find(tid);
	at = f->slot->state.batch.bytes + value_at(f, nparams, param);
	answer = note_compare(f->slot_key, at, length_put(f, param), place, 0);
	if (answer == NOTE_MISSING && length_put(f, param))
		count_unnoted();
	note = note_at(place);
	if (note && answer == NOTE_DIFFERS) {
		room = frame_room(f);
		n = note->values[0].bytes;
		CHECKED(n);
		if (room && n <= STRING_BYTES_MAX) {
			bpf_probe_read_kernel(room, n, note->values[0].value);
			/* If it is still this thread's note, it was all the time. */
			if (note_find(tid) == place)
				frame_advance(f, n);
		}
	}
	note_forget(place, tid);
}

/* Removes a thread's note when all of its values were compared. */
static __always_inline void note_compared(__u32 place, __u32 tid)
{
	struct state_note *note = note_at(place);

	if (note && !--note->left)
		note_forget(place, tid);
}

/*
 * A string of the caller's memory of which nothing else says what the kernel used: number `value`
 * of those noted on entry. Contested if it was another one then, or if that is not known.
 */
static __always_inline void put_compared(struct filler *f, __u64 address, __u32 value)
{
	__u64 at = f->slot->state.batch.bytes + f->pos;
	__u32 tid = tid_of(f->self), place;
	enum note_answer answer;

	put_string(f, address);
	if (!compares_arguments || f->of_request)
		return;
	if (call_failed(f)) {
		note_remove();
		return;
	}
	/* 32-bit programs do not pass the tracepoints on entry. */
	place = f->caller.compat ? NO_NOTE : note_find(tid);
	answer = note_compare(f->slot_key, at, length_put(f, f->param), place, value);
	/* Displaced meanwhile, it was another one's that is equal. */
	if (answer == NOTE_EQUAL && note_find(tid) != place)
		answer = NOTE_MISSING;
	if (answer == NOTE_MISSING)
		count_unnoted();
	if (answer != NOTE_EQUAL)
		mark_contested(f, f->param);
	note_compared(place, tid);
}

#endif
