/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Operations of io_uring in progress: what was asked for is noted when the kernel has prepared the
 * request, with the copies that it made itself, and becomes the event when the request completes.
 *
 * A note has a place in a row that the address of its request says, or in the next row. The request
 * that a place belongs to stands beside those of its row, so that a search reads one cache line or
 * two. A place is taken by the address that is written there first, which is marked until the note
 * is written. Who completes the request gives it back; so does who finds that the request is gone.
 * Without operations that are wanted the verifier removes all of this.
 */
#ifndef LANNER_URING_BPF_H
#define LANNER_URING_BPF_H

#include "bpf/core/event_ids.bpf.h"
#include "bpf/core/frame.bpf.h"
#include "bpf/core/uring_structs.bpf.h"

enum {
	URING_ROW_BITS = 11,
	URING_ROWS = 1 << URING_ROW_BITS,
	URING_NOTES_OF_ROW = 8,
	URING_ROWS_SEARCHED = 2,
	URING_NO_PLACE = ~0U, /* in place of a number */
	URING_USED_AGAIN = 1U << 31, /* beside a number: there is a note whose end nobody saw */
	URING_UNWRITTEN = 1, /* beside an address: its note is being written */
	URING_MULTISHOTS = 1 << 14, /* requests that complete more than once, at once */
	URING_TEXTS = 256, /* a power of two: places for strings that are too long for a note */
	URING_TEXTS_SEARCHED = 8,
	URING_STRINGS = 2, /* of a request */
};

/* Which of the two events that an operation may have. */
enum uring_choice {
	URING_FIRST,
	URING_SECOND_EVENT,
	URING_SECOND_IF_POSITIONED, /* unless its file has no position */
};

/* What an operation of a ring was asked to do, and by whom. */
struct uring_note {
	__u64 ring, user_data;
	__u64 submitted_ns; /* boot clock */
	__u64 mm, files; /* those of its process, by their addresses */
	__u32 pid, tid;
	__u8 opcode, flags;
	__u16 long_text; /* the number of its place, + 1; 0: none */
	__u8 choice; /* enum uring_choice */
	__u8 is_multishot; /* its completions are found by `uring_multishots` */
	__s32 slot; /* as in struct frame_uring */
	__s32 file_slot; /* that the file it makes is to have, + 1; 0: none */
	__u64 args[ARGUMENTS_MAX]; /* of the call, in its order; strings and addresses: where their
				      copy is */
	__u8 text[URING_TEXT_BYTES];
};

struct uring_row {
	__u64 requests[URING_NOTES_OF_ROW]; /* whose the notes are; 0: the place is free */
	__u64 unplaced; /* requests in flight that found no place in this row and the next */
	struct uring_note notes[URING_NOTES_OF_ROW];
};

/* Where a request has its strings if one of them is long. */
struct uring_long_text {
	__u64 request; /* 0: it is free */
	__u8 strings[URING_STRINGS][STRING_BYTES_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, URING_TEXTS);
	__type(key, __u32);
	__type(value, struct uring_long_text);
} uring_long_texts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, URING_ROWS);
	__type(key, __u32);
	__type(value, struct uring_row);
} uring_notes SEC(".maps");

/* How a completion is told apart that does not name its request. */
struct uring_key {
	__u64 ring, user_data;
};

struct uring_multishot {
	__u64 request;
	__u32 users; /* requests in flight with that key */
	__u16 event; /* as which a completion counts that cannot be told */
	__u8 is_shared; /* there were several: which one completes is not told */
	__u8 pad;
};

/* Of requests that complete several times. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, URING_MULTISHOTS);
	__type(key, struct uring_key);
	__type(value, struct uring_multishot);
} uring_multishots SEC(".maps");

/* Index: event id. What completions jump to. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, EVENT_ID_MAX);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} uring_fillers SEC(".maps");

/* Requests are aligned to cache lines. */
static __always_inline __u32 uring_row_of(__u64 request)
{
	return (request >> 6) * 0x9e3779b97f4a7c15ULL >> (64 - URING_ROW_BITS);
}

static __always_inline struct uring_row *uring_row(__u32 row)
{
	row &= URING_ROWS - 1;
	return bpf_map_lookup_elem(&uring_notes, &row);
}

/*
 * The number of the place of a request's note, URING_NO_PLACE if it has none. Not inlined: the
 * verifier walks it once, and what follows once for all places.
 */
__attribute__((noinline)) __u32 uring_search(__u64 request)
{
	__u32 first = uring_row_of(request);

#pragma clang loop unroll(disable)
	for (__u32 i = first; i < first + URING_ROWS_SEARCHED; i++) {
		struct uring_row *row = uring_row(i);

		if (!row)
			break;
#pragma clang loop unroll(full)
		for (__u32 n = 0; n < URING_NOTES_OF_ROW; n++)
			if (*(volatile __u64 *)&row->requests[n] == request)
				return i * URING_NOTES_OF_ROW + n;
	}
	return URING_NO_PLACE;
}

/* Marks the place of a request as one that is written to; false if it has been taken meanwhile. */
static __always_inline bool uring_mark(__u32 number, __u64 request)
{
	struct uring_row *row = uring_row(number / URING_NOTES_OF_ROW);

	return row && __sync_val_compare_and_swap(&row->requests[number % URING_NOTES_OF_ROW],
						  request, request | URING_UNWRITTEN) == request;
}

/*
 * Takes a place for the note of a request, and marks it; there may be no room. A note that it has
 * is one of which nobody saw the end: its address is used again. Not inlined, as uring_search().
 */
__attribute__((noinline)) __u32 uring_take_place(__u64 request)
{
	__u32 first = uring_row_of(request), place = uring_search(request);

	if (place != URING_NO_PLACE && uring_mark(place, request))
		return place | URING_USED_AGAIN;
#pragma clang loop unroll(disable)
	for (__u32 i = first; i < first + URING_ROWS_SEARCHED; i++) {
		struct uring_row *row = uring_row(i);

		if (!row)
			break;
#pragma clang loop unroll(full)
		for (__u32 n = 0; n < URING_NOTES_OF_ROW; n++)
			if (!*(volatile __u64 *)&row->requests[n] &&
			    !__sync_val_compare_and_swap(&row->requests[n], 0,
							 request | URING_UNWRITTEN))
				return i * URING_NOTES_OF_ROW + n;
	}
	return URING_NO_PLACE;
}

/* Whether what is at the address of a request is not that request any more. */
static __always_inline bool uring_is_gone(const struct uring_note *note, __u64 address)
{
	struct io_kiocb *request = (void *)address;

	return (__u64)READ(request, ctx) != note->ring ||
	       READ(request, cqe.user_data) != note->user_data ||
	       READ(request, opcode) != note->opcode;
}

/*
 * Makes room for a request in the rows that are full: takes the place of one that is gone, of which
 * nobody saw the end. Likewise.
 */
__attribute__((noinline)) __u32 uring_take_gone(__u64 request)
{
	__u32 first = uring_row_of(request) * URING_NOTES_OF_ROW;

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < URING_ROWS_SEARCHED * URING_NOTES_OF_ROW; i++) {
		struct uring_row *row = uring_row((first + i) / URING_NOTES_OF_ROW);
		__u32 n = i % URING_NOTES_OF_ROW;
		__u64 other;

		if (!row)
			break;
		other = *(volatile __u64 *)&row->requests[n];
		if (other && !(other & URING_UNWRITTEN) && uring_is_gone(&row->notes[n], other) &&
		    __sync_val_compare_and_swap(&row->requests[n], other,
						request | URING_UNWRITTEN) == other)
			return (first + i) | URING_USED_AGAIN;
	}
	return URING_NO_PLACE;
}

/* Where the note of a request is. */
struct uring_place {
	struct uring_note *note; /* NULL: it has none */
	__u64 *request;
};

/* Of that number. */
static __always_inline struct uring_place uring_place(__u32 number)
{
	struct uring_row *row;

	if (number == URING_NO_PLACE)
		return (struct uring_place){};
	row = uring_row(number / URING_NOTES_OF_ROW);
	number %= URING_NOTES_OF_ROW;
	return row ? (struct uring_place){&row->notes[number], &row->requests[number]}
		   : (struct uring_place){};
}

/* The note of a place that was taken is written. */
static __always_inline void uring_publish(struct uring_place place, __u64 request)
{
	__sync_lock_test_and_set(place.request, request);
}

static __always_inline struct uring_place uring_find(__u64 request)
{
	return uring_place(uring_search(request));
}

static __always_inline struct uring_long_text *uring_long_text(__u32 number)
{
	return bpf_map_lookup_elem(&uring_long_texts, &number);
}

/*
 * Takes a place for long strings of a request. Returns its number, + 1, or 0 if there is none. Not
 * inlined: the verifier walks it once.
 */
__attribute__((noinline)) __u32 uring_long_text_take(__u64 request)
{
	__u32 first = uring_row_of(request);

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < URING_TEXTS_SEARCHED; i++) {
		__u32 number = (first + i) & (URING_TEXTS - 1);
		struct uring_long_text *text = uring_long_text(number);

		if (text && !*(volatile __u64 *)&text->request &&
		    !__sync_val_compare_and_swap(&text->request, 0, request))
			return number + 1;
	}
	return 0;
}

/* Gives back what belongs to a note. */
static __always_inline void uring_note_clear(struct uring_note *note)
{
	struct uring_long_text *text =
		note->long_text ? uring_long_text(note->long_text - 1) : NULL;
	struct uring_key key = {note->ring, note->user_data};
	struct uring_multishot *found;

	if (text)
		*(volatile __u64 *)&text->request = 0;
	note->long_text = 0;
	if (!note->is_multishot)
		return;
	note->is_multishot = 0;
	found = bpf_map_lookup_elem(&uring_multishots, &key);
	if (found && __sync_fetch_and_sub(&found->users, 1) == 1)
		bpf_map_delete_elem(&uring_multishots, &key);
}

static __always_inline void uring_give_back(struct uring_note *note, __u64 *request)
{
	uring_note_clear(note);
	*(volatile __u64 *)request = 0;
}

/*
 * Copies a string of the kernel, number `index` of the `count` that a request has. Returns where
 * the copy is, with URING_TEXT_IS_PART if there was no room for all of it; 0 if there is no name.
 */
static __always_inline __u64 uring_text(struct uring_note *note, __u64 request, const void *from,
					__u32 index, __u32 count)
{
	const __u32 room = URING_TEXT_BYTES / count;
	__u8 *copy = note->text + index * room;
	struct uring_long_text *text;

	if (bpf_probe_read_kernel_str(copy, room, from) < (long)room)
		return (__u64)copy;
	if (!note->long_text)
		note->long_text = uring_long_text_take(request);
	text = note->long_text ? uring_long_text(note->long_text - 1) : NULL;
	if (!text) {
		/* No bit of an address for the verifier. */
		CHECKED(copy);
		return (__u64)(copy + URING_TEXT_IS_PART);
	}
	bpf_probe_read_kernel_str(text->strings[index], STRING_BYTES_MAX, from);
	return (__u64)text->strings[index];
}

/* A number of a ring that does not tell where it is in the kernel's memory. */
static __always_inline __u64 uring_number(__u64 ring)
{
	__u64 number = (ring ^ uring_secret[0]) * (uring_secret[1] | 1);

	number = (number ^ number >> 32) * (uring_secret[1] | 1);
	number ^= number >> 32;
	return number + !number;
}

#endif
