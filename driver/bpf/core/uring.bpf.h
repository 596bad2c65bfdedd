/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Operations of io_uring in progress: what was asked for is noted when the kernel has prepared the
 * request, with the copies that it made itself, and becomes the event when the request completes.
 *
 * A note has a place that the address of its request says, or another one in the same row or in the
 * next. Whose the places of a row are stands in one cache line. A request keeps its place when it
 * has ended, until another one wants it, as its address is used again at once: so most find theirs
 * by the first look. Who completes the request ends its note; so does who finds that the request is
 * gone, or that its process has too many. Without operations that are wanted the verifier removes
 * all of this.
 */
#ifndef LANNER_URING_BPF_H
#define LANNER_URING_BPF_H

#include "bpf/core/event_ids.bpf.h"
#include "bpf/core/frame.bpf.h"
#include "bpf/core/rate.bpf.h"
#include "bpf/core/uring_multishot.bpf.h"
#include "bpf/core/uring_structs.bpf.h"

enum {
	URING_ROW_BITS = 11,
	URING_COLUMN_BITS = 3,
	URING_ROWS = 1 << URING_ROW_BITS,
	URING_TAKEN_OF_ROW = 6,
	URING_NOTES_OF_ROW = 1 << URING_COLUMN_BITS,
	URING_PLACES = URING_ROWS * URING_NOTES_OF_ROW,
	URING_ROWS_SEARCHED = 2,
	URING_SEARCHED = URING_ROWS_SEARCHED * URING_NOTES_OF_ROW, /* places */
	URING_NO_PLACE = ~0U, /* in place of a number */
	URING_USED_AGAIN = 1U << 31, /* beside a number: there is a note whose end nobody saw */
	URING_TEXTS = 256, /* a power of two: places for strings that are too long for a note */
	URING_TEXTS_SEARCHED = 8,
	URING_STRINGS = 2, /* of a request */
};

/* What is known of a place, beside the address of its request; none of these: it is in flight. */
enum uring_state {
	URING_UNWRITTEN = 1 << 0, /* its note is being written, */
	URING_ENDING = 1 << 1, /* or its event */
	URING_TOLD = 1 << 2, /* it has had its event, and its completion is still to be posted */
	URING_FREE = 1 << 3, /* it has ended, or has no note: another one may have the place */
	URING_STATES = URING_UNWRITTEN | URING_ENDING | URING_TOLD | URING_FREE,
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
	__u8 is_told; /* it has had an event, without a result */
	__u8 is_narrow; /* its ring was made by a 32-bit call */
	__s32 slot; /* as in struct frame_uring */
	__s32 file_slot; /* that the file it makes is to have, + 1; 0: none */
	__u32 begins, pad; /* as in struct uring_handed, while its event is written */
	__u64 args[ARGUMENTS_MAX]; /* of the call, in its order; strings and addresses: where their
				      copy is */
	__u8 text[URING_TEXT_BYTES];
};

/* Two cache lines, of which most need the first. */
struct uring_row {
	__u64 requests[URING_NOTES_OF_ROW]; /* whose the notes are, with enum uring_state; 0:
					       nobody's */
	/* Requests in flight without a place that first look for it here: as it was not free, */
	__u64 unplaced;
	/* or as others got it, when they were counted: which these are, and how many more. */
	__u64 taken[URING_TAKEN_OF_ROW];
	__u64 taken_more;
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

/* Values that can be mapped begin at a page, and so each row at a cache line. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, URING_ROWS);
	__type(key, __u32);
	__type(value, struct uring_row);
} uring_rows SEC(".maps");

/* By the number of the place: that of its row, and of the column there. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, URING_PLACES);
	__type(key, __u32);
	__type(value, struct uring_note);
} uring_notes SEC(".maps");

/* Index: event id. What completions jump to. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, EVENT_ID_MAX);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} uring_fillers SEC(".maps");

/* What the program of an event is told by the one that jumps to it. */
struct uring_handed {
	__u64 request;
	__u32 thread; /* the current one, + 1; 0: nothing is handed over */
	__u32 number; /* of the place */
	__s32 result;
	__u16 event; /* that it writes */
	__u8 is_untold; /* its result is not known */
	__u8 is_contested; /* its result is what the program let it be */
	__u8 goes_on; /* its note stays */
	__u8 pad[3];
	__u32 begins; /* the place of what is submitted now, + 1; 0: none waits for the time */
};

/*
 * From where it is handed over. One after the other: who interrupts another one stands before it.
 */
enum uring_origin {
	URING_AT_OVERFLOW,
	URING_AT_COMPLETION,
	URING_AT_NEXT_SUBMISSION, /* of a request that has ended */
	URING_AT_SUBMISSION,
	URING_ORIGINS,
};

/*
 * How far the completions of a ring are that are being posted on this CPU: they are in a list, in
 * which those that find no room are looked for.
 */
struct uring_posted {
	/*
	 * The last wanted request without a note that has ended on this CPU, the ring, and how many
	 * entries of that were submitted: later ones get the memory of earlier ones.
	 */
	__u64 ended, ended_ring;
	__u32 ended_submitted;
	__u64 ring, first, last; /* the ring, and the ends of the list */
	/*
	 * Where the list of what found no room ends when the next one is added: of a ring that is
	 * made when this one is gone all else may be alike.
	 */
	__u64 tail;
	__u64 next; /* in the list: from there on none has ended; 0: all have */
	__u32 submitted; /* entries of the ring, so far */
	__u32 passed; /* entries, in all searches of this list: see uring_may_pass() */
};

struct uring_hands {
	struct uring_handed from[URING_ORIGINS];
	struct uring_posted posted;
	__u64 renumbers; /* the ring with the last operation that uring_renumbers(), 0: it is told
			  */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct uring_hands);
} uring_hands SEC(".maps");

/* The events of an operation, zeros if none is wanted. */
static __always_inline struct uring_events uring_events_of(__u8 opcode)
{
	__u64 index = opcode;

	CHECKED(index);
	return index < URING_OPCODES ? uring_events[index] : (struct uring_events){};
}

/* Of an operation in whose place another one may be counted. */
static __always_inline __u32 uring_any_event(struct uring_events events)
{
	return events.event ? events.event : events.second;
}

/* By its members: what is copied as a whole clang takes for the zeros that it is here. */
static __always_inline bool uring_wants(const volatile struct uring_events *events)
{
	return events->event || events->second;
}

/* The number of the place where a request is looked for first. Requests are aligned to cache lines.
 */
static __always_inline __u32 uring_place_of(__u64 request)
{
	return (request >> 6) * 0x9e3779b97f4a7c15ULL >> (64 - URING_ROW_BITS - URING_COLUMN_BITS);
}

static __always_inline struct uring_row *uring_row(__u32 row)
{
	row &= URING_ROWS - 1;
	return bpf_map_lookup_elem(&uring_rows, &row);
}

/* The first one where it is looked for. */
static __always_inline struct uring_row *uring_row_of(__u64 request)
{
	return uring_row(uring_place_of(request) / URING_NOTES_OF_ROW);
}

/* The place of that number; NULL only while there are no rows. */
static __always_inline __u64 *uring_word(__u32 number)
{
	struct uring_row *row = uring_row(number / URING_NOTES_OF_ROW);

	return row ? &row->requests[number % URING_NOTES_OF_ROW] : NULL;
}

static __always_inline struct uring_note *uring_note(__u32 number)
{
	number &= URING_PLACES - 1;
	return bpf_map_lookup_elem(&uring_notes, &number);
}

static __always_inline __u64 uring_look(const __u64 *word)
{
	return *(volatile const __u64 *)word;
}

static __always_inline bool uring_is_free(__u64 word)
{
	return !word || word & URING_FREE;
}

/* Whether the place was as expected, and is changed. */
static __always_inline bool uring_change(__u64 *word, __u64 from, __u64 to)
{
	return __sync_val_compare_and_swap(word, from, to) == from;
}

/*
 * The place of a request that is not where it is looked for first, in whatever state;
 * URING_NO_PLACE: it has none. Not inlined: the verifier walks it once, and what follows once for
 * all places.
 */
__attribute__((noinline)) __u32 uring_search_rows(__u64 request)
{
	__u32 first = uring_place_of(request) / URING_NOTES_OF_ROW;

#pragma clang loop unroll(disable)
	for (__u32 i = first; i < first + URING_ROWS_SEARCHED; i++) {
		struct uring_row *row = uring_row(i);

		if (!row)
			break;
#pragma clang loop unroll(full)
		for (__u32 n = 0; n < URING_NOTES_OF_ROW; n++)
			if ((uring_look(&row->requests[n]) & ~(__u64)URING_STATES) == request)
				return (i * URING_NOTES_OF_ROW + n) & (URING_PLACES - 1);
	}
	return URING_NO_PLACE;
}

/* Where the note of a request is. */
struct uring_place {
	struct uring_note *note; /* NULL: it has no place */
	__u64 *word;
	__u32 number;
};

static __always_inline struct uring_place uring_place(__u32 number)
{
	struct uring_note *note = number == URING_NO_PLACE ? NULL : uring_note(number);
	__u64 *word = note ? uring_word(number) : NULL;

	return word ? (struct uring_place){note, word, number} : (struct uring_place){};
}

/* Its place, in whatever state. */
static __always_inline struct uring_place uring_find(__u64 request)
{
	__u32 number = uring_place_of(request);
	__u64 *word = uring_word(number);

	if (word && (uring_look(word) & ~(__u64)URING_STATES) == request)
		return uring_place(number);
	return uring_place(uring_search_rows(request));
}

/* Takes a place other than the first one. Not inlined, as uring_search_rows(). */
__attribute__((noinline)) __u32 uring_take_other(__u64 request)
{
	__u32 number = uring_search_rows(request);
	__u64 *word = number == URING_NO_PLACE ? NULL : uring_word(number);
	__u64 seen = word ? uring_look(word) : 0;

	if (word && uring_change(word, seen, request | URING_UNWRITTEN))
		return number | (seen == request ? URING_USED_AGAIN : 0);
	number = uring_place_of(request) & ~(URING_NOTES_OF_ROW - 1);
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < URING_SEARCHED; i++) {
		word = uring_word(number + i);
		if (!word)
			break;
		seen = uring_look(word);
		if (uring_is_free(seen) && uring_change(word, seen, request | URING_UNWRITTEN))
			return (number + i) & (URING_PLACES - 1);
	}
	return URING_NO_PLACE;
}

/*
 * Takes a place for the note of a request, which is marked until that is written; there may be no
 * room. A note that it has is one of which nobody saw the end: its address is used again.
 */
static __always_inline __u32 uring_take_place(__u64 request)
{
	__u32 number = uring_place_of(request);
	__u64 *word = uring_word(number), seen;

	if (!word)
		return URING_NO_PLACE;
	seen = uring_look(word);
	/* Once a place was used it is somebody's, so this request is nowhere else. */
	if ((!seen || (seen & ~(__u64)URING_STATES) == request) &&
	    uring_change(word, seen, request | URING_UNWRITTEN))
		return number | (seen == request ? URING_USED_AGAIN : 0);
	return uring_take_other(request);
}

/* Whether what is at the address of a request is not that request any more. */
static __always_inline bool uring_is_gone(const struct uring_note *note, __u64 address)
{
	struct io_kiocb *request = (void *)address;

	return (__u64)READ(request, ctx) != note->ring ||
	       READ(request, cqe.user_data) != note->user_data ||
	       READ(request, opcode) != note->opcode;
}

enum { URING_OWN = URING_SEARCHED };

/* Whose the places are where a request is looked for, while one of them has to give way. */
struct uring_owner {
	__u64 group; /* as uring_group_of(); 0: the request is not in flight */
	__u64 began; /* boot clock, ns */
	__u32 pid;
	__u32 number; /* of the place */
	__u32 of_group,
		of_process; /* places; counted in memory, so that the verifier forgets them */
};

struct uring_owners {
	struct uring_owner of[URING_SEARCHED + 1]; /* URING_OWN: who wants a place */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct uring_owners);
} uring_owners SEC(".maps");

/*
 * For whom a request counts beside its process: the control groups of its task, and the user who
 * made its ring. Read when it matters, of requests that are in flight.
 */
static __always_inline __u64 uring_group_of(__u64 address)
{
	struct io_kiocb *request = (void *)address;
	struct io_kiocb___task *older = (void *)address;
	struct task_struct *task = bpf_core_field_exists(request->tctx) ? READ(request, tctx, task)
									: READ(older, task);
	__u64 group = (__u64)READ(task, cgroups) ^ (__u64)READ(request, ctx, user) << 16;

	return group + !group;
}

/*
 * Counts the places of the group of an owner, and how many of these its process has. Not inlined:
 * the verifier walks it once, and not for each owner.
 */
__attribute__((noinline)) int uring_count_places(__u32 of)
{
	__u32 zero = 0;
	struct uring_owners *owners = bpf_map_lookup_elem(&uring_owners, &zero);
	struct uring_owner *owner;

	CHECKED(of);
	if (!owners || of > URING_OWN)
		return 0;
	owner = &owners->of[of];
	owner->of_group = 0;
	owner->of_process = 0;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < URING_SEARCHED; i++) {
		if (owners->of[i].group != owner->group)
			continue;
		++*(volatile __u32 *)&owner->of_group;
		if (owners->of[i].pid == owner->pid)
			++*(volatile __u32 *)&owner->of_process;
	}
	return 0;
}

/* How much speaks for taking a place of this owner for the other one; 0: it is not to be taken. */
static __always_inline __u64 uring_weight(const struct uring_owner *owner,
					  const struct uring_owner *own)
{
	if (!owner->group)
		return 0;
	if (owner->group == own->group)
		return owner->of_process > own->of_process ? owner->of_process : 0;
	return owner->of_group > own->of_group ? (__u64)owner->of_group << 32 | owner->of_process
					       : 0;
}

/*
 * Which place gives way to a request: one of the group that has most of them, if it has more than
 * the own one, else one of the own group; there of the process that has most, if these are more
 * than the own ones. Of several it is the one in flight for longest, as operations of those who do
 * not hoard them are short. So a process without a place gets one. Returns its number, or
 * URING_NO_PLACE. Not inlined, likewise.
 */
__attribute__((noinline)) __u32 uring_weigh_owners(__u64 group, __u32 pid)
{
	__u32 zero = 0, number = URING_NO_PLACE;
	struct uring_owners *owners = bpf_map_lookup_elem(&uring_owners, &zero);
	__u64 most = 0, began = 0;

	if (!owners)
		return URING_NO_PLACE;
	owners->of[URING_OWN].group = group;
	owners->of[URING_OWN].pid = pid;
	uring_count_places(URING_OWN);
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < URING_SEARCHED; i++) {
		struct uring_owner *owner = &owners->of[i];
		__u64 weight;

		uring_count_places(i);
		weight = uring_weight(owner, &owners->of[URING_OWN]);
		if (!weight || weight < most || (weight == most && owner->began >= began))
			continue;
		most = weight;
		began = owner->began;
		number = owner->number;
	}
	return number;
}

/* A process that loses a request, as it has its share of the places, or more, is named. */
static __always_inline void uring_name_hoarder(__u32 pid)
{
	struct rate *share = rate_find((struct rate_key){.id = pid, .kind = RATE_OF_SHARE});

	if (share)
		rate_lose(share, pid);
}

/*
 * Remembers that a request lost its place, and was counted: its completion is not to be. Not
 * inlined, nor is the next one: the verifier walks them once.
 */
__attribute__((noinline)) int uring_remember_taken(__u64 request)
{
	struct uring_row *row = uring_row_of(request);

	if (!row)
		return 0;
#pragma clang loop unroll(full)
	for (__u32 i = 0; i < URING_TAKEN_OF_ROW; i++)
		if (!uring_look(&row->taken[i]) && uring_change(&row->taken[i], 0, request))
			return 0;
	__sync_fetch_and_add(&row->taken_more, 1);
	return 0;
}

/* Whether a request was one of these; it is none any more. */
__attribute__((noinline)) bool uring_forget_taken(__u64 request)
{
	struct uring_row *row = uring_row_of(request);

	if (!row)
		return false;
#pragma clang loop unroll(full)
	for (__u32 i = 0; i < URING_TAKEN_OF_ROW; i++)
		if (uring_look(&row->taken[i]) == request &&
		    uring_change(&row->taken[i], request, 0))
			return true;
	return false;
}

/*
 * A note that gives way to that of another process: its event is lost. If it had its event before,
 * it ends without another one, or fails and is counted then.
 */
static __always_inline void uring_lose_taken(struct uring_note *note, __u64 request)
{
	if (!note->is_told) {
		count_lost(uring_any_event(uring_events_of(note->opcode)), LOSS_IN_FLIGHT);
		uring_remember_taken(request);
	}
	if (note->is_multishot)
		uring_multishot_lose(note->ring, note->user_data);
	note->is_multishot = 0;
	note->is_told = 1; /* it is counted */
	uring_name_hoarder(note->pid);
}

/*
 * Looks at one of the places where a request is looked for, `i` behind the first one: takes it if
 * the request there is gone, of which nobody saw the end, else notes whose it is. Returns the place
 * that it took, or URING_NO_PLACE. Not inlined, likewise.
 */
__attribute__((noinline)) __u32 uring_look_at_owner(__u64 request, __u32 i)
{
	__u32 first = uring_place_of(request) & ~(URING_NOTES_OF_ROW - 1), zero = 0;
	struct uring_owners *owners = bpf_map_lookup_elem(&uring_owners, &zero);
	struct uring_place place;
	__u64 seen, address;

	CHECKED(i);
	if (!owners || i >= URING_SEARCHED)
		return URING_NO_PLACE;
	owners->of[i].group = 0;
	place = uring_place((first + i) & (URING_PLACES - 1));
	seen = place.note ? uring_look(place.word) : URING_ENDING;
	address = seen & ~(__u64)URING_STATES;
	if (seen & (URING_UNWRITTEN | URING_ENDING))
		return URING_NO_PLACE;
	if (uring_is_gone(place.note, address) &&
	    uring_change(place.word, seen, request | URING_UNWRITTEN))
		return place.number | (seen & URING_STATES ? 0 : URING_USED_AGAIN);
	if (seen & URING_STATES)
		return URING_NO_PLACE;
	owners->of[i].group = uring_group_of(address);
	owners->of[i].began = place.note->submitted_ns;
	owners->of[i].pid = place.note->pid;
	owners->of[i].number = place.number;
	return URING_NO_PLACE;
}

/*
 * Makes room for a request of a process where all places are taken: that of a request that is gone,
 * or that of another one: see uring_weigh_owners(). Likewise.
 */
__attribute__((noinline)) __u32 uring_make_room(__u64 request, __u32 pid)
{
	struct uring_place place;
	__u64 seen;

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < URING_SEARCHED; i++) {
		__u32 number = uring_look_at_owner(request, i);

		if (number != URING_NO_PLACE)
			return number;
	}
	place = uring_place(uring_weigh_owners(uring_group_of(request), pid));
	seen = place.note ? uring_look(place.word) : URING_ENDING;
	if (seen & URING_STATES || !uring_change(place.word, seen, request | URING_UNWRITTEN))
		return URING_NO_PLACE;
	uring_lose_taken(place.note, seen);
	return place.number | URING_USED_AGAIN;
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
	__u32 first = uring_place_of(request);

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

	if (text)
		*(volatile __u64 *)&text->request = 0;
	note->long_text = 0;
	if (note->is_multishot)
		uring_multishot_end(note->ring, note->user_data);
	note->is_multishot = 0;
}

/* Ends the note of a request, in whose place another one may be. */
static __always_inline void uring_end_note(struct uring_place place, __u64 request,
					   enum uring_state state)
{
	uring_note_clear(place.note);
	store_in_order(place.word, request | state);
}

/*
 * A note whose end nobody saw, as its completion found no room in the ring: it is lost, unless it
 * had its event before.
 */
static __always_inline void uring_lose_note(struct uring_note *note)
{
	if (!note->is_told)
		count_lost(uring_any_event(uring_events_of(note->opcode)), LOSS_UNTOLD);
	uring_note_clear(note);
}

/*
 * Likewise of whatever request had that address, as another one has it now, which has no note. A
 * place that is free may be another one's by now.
 */
static __always_inline void uring_lose_stale(__u64 request)
{
	struct uring_place place = uring_find(request);
	__u64 seen;

	if (!place.note)
		return;
	seen = uring_look(place.word);
	if ((seen != request && seen != (request | URING_TOLD)) ||
	    !uring_change(place.word, seen, request | URING_ENDING))
		return;
	if (seen == request)
		uring_lose_note(place.note);
	store_in_order(place.word, request | URING_FREE);
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
