/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Completions of io_uring that find no room in the ring of the program, which gets them later. The
 * tracepoint tells the ring, user_data and the result, but not the request: that is the next one of
 * the list whose completions the kernel is posting, in their order, or what a worker of the kernel
 * is doing. A request without a note is counted as it is where it completes.
 */
#ifndef LANNER_URING_OVERFLOW_BPF_H
#define LANNER_URING_OVERFLOW_BPF_H

#include "bpf/uring_complete.bpf.h"

enum {
	URING_POSTED_WALKED = 1 << 15, /* as many as the kernel lets a program submit at once */
	URING_POSTED_WALKED_OLDER = 128, /* where the verifier walks each round */
	URING_PASSED = URING_POSTED_WALKED, /* entries behind one that has not ended, of a list */
	URING_PASSED_STILL = 64, /* in one search, when these are used up */
};

/* Looks for a request among those whose completions are being posted. */
struct uring_overflow {
	__u64 user_data;
	__s32 result;
	__u32 passed; /* entries since one that is wanted, and has not ended; that as well */
	__u32 may_pass; /* at most that many */
	__u64 node; /* of the next one; 0: there is none */
	__u64 ended; /* as in struct uring_posted */
	__u64 begin; /* where the next search begins */
	__u64 request; /* 0: not found */
	__u64 state; /* of the place of the last one; 0: it has none */
};

/*
 * The next request of the list, and in walk->state what its place has, 0: none. NULL: it is not
 * wanted, or has no completion.
 */
static __always_inline struct io_kiocb *uring_overflow_next(struct uring_overflow *walk)
{
	struct io_kiocb *request = uring_request_of(walk->node);
	struct uring_place place;

	walk->node = GET_WORD(request, comp_list.next);
	if (READ(request, flags) & REQUEST_CQE_SKIP ||
	    !uring_any_event(uring_events_of(GET(request, opcode))))
		return NULL;
	place = uring_find((__u64)request);
	walk->state = place.note ? uring_look(place.word) : 0;
	return request;
}

/* Finds behind which request none has ended. Returns whether there may be others. */
static __always_inline bool uring_ended_step(struct uring_overflow *walk)
{
	struct io_kiocb *request;

	if (!walk->node)
		return false;
	request = uring_overflow_next(walk);
	if (request && (walk->state ? walk->state & URING_FREE : (__u64)request == walk->ended))
		walk->begin = walk->node;
	return true;
}

/* Returns whether there may be others. */
static __always_inline bool uring_overflow_step(struct uring_overflow *walk)
{
	struct io_kiocb *request;
	bool is_open;

	if (!walk->node)
		return false;
	request = uring_overflow_next(walk);
	is_open = request && !(walk->state & URING_FREE);
	if (is_open && GET(request, cqe.user_data) == walk->user_data &&
	    GET(request, cqe.res) == walk->result && (walk->state || !walk->passed)) {
		walk->request = (__u64)request;
		if (!walk->passed)
			walk->begin = walk->node;
		return false;
	}
	/* What is looked for was before it and has no event, or the kernel posts none of it. */
	if (is_open || walk->passed)
		return ++walk->passed < walk->may_pass;
	walk->begin = walk->node;
	return true;
}

#define URING_WALK(step, walk)                                                                     \
	REPEAT(CAN_ITERATE ? URING_POSTED_WALKED : URING_POSTED_WALKED_OLDER, step, walk)

/*
 * Where the requests of a list begin that have not ended. Not inlined, as uring_prepare_ended();
 * nor do pointers live through a walk.
 */
__attribute__((noinline)) __u64 uring_unended(__u64 first, __u64 ended)
{
	struct uring_overflow walk = {.node = first, .ended = ended, .begin = first};

	URING_WALK(uring_ended_step, &walk);
	return walk.begin;
}

static __always_inline struct uring_posted *uring_posted(void)
{
	__u32 zero = 0;
	struct uring_hands *hands = bpf_map_lookup_elem(&uring_hands, &zero);

	return hands ? &hands->posted : NULL;
}

/*
 * How many entries a search may pass. All searches of a list together pass as many as it may have:
 * a program can fill it with entries that no search finds, while the kernel holds a lock.
 */
static __always_inline __u32 uring_may_pass(const struct uring_posted *posted)
{
	return posted->passed < URING_PASSED ? URING_PASSED - posted->passed + URING_PASSED_STILL
					     : URING_PASSED_STILL;
}

/* Where the list of a ring ends when `entry` is added, of which the kernel may have got none: 0. */
static __always_inline __u64 uring_tail_with(__u64 tail, __u64 entry)
{
	struct io_overflow_cqe *at = (void *)entry;

	if (!entry || !bpf_core_field_exists(at->list))
		return tail;
	return entry + bpf_core_field_offset(at->list);
}

/*
 * Where a search in the list of a ring begins: where the last one on this CPU ended, if it was the
 * same list. `entry` is what is added to those that find no room. Likewise.
 */
__attribute__((noinline)) __u64 uring_posted_next(__u64 at, __u64 entry)
{
	struct io_ring_ctx *ring = (void *)at;
	__u64 first = GET_WORD(ring, submit_state.compl_reqs.first), next, ended;
	__u64 last = GET_WORD(ring, submit_state.compl_reqs.last);
	__u64 tail = (__u64)READ(ring, cq_overflow_list.prev);
	__u32 submitted = READ(ring, cached_sq_head);
	struct uring_posted *posted = uring_posted();
	bool is_same;

	if (!posted)
		return 0;
	is_same = posted->ring == at && posted->first == first && posted->last == last &&
		  posted->submitted == submitted && posted->tail == tail;
	posted->tail = uring_tail_with(tail, entry);
	if (is_same)
		return posted->next;
	ended = posted->ended_ring == at && posted->ended_submitted == submitted ? posted->ended
										 : 0;
	next = uring_unended(first, ended);
	posted = uring_posted();
	if (!posted)
		return 0;
	posted->ring = at;
	posted->first = first;
	posted->last = last;
	posted->submitted = submitted;
	posted->passed = 0;
	posted->next = next;
	return next;
}

/*
 * The request whose completion found no room, and becomes `entry`; 0: it is not known. Likewise.
 */
__attribute__((noinline)) __u64 uring_overflowed(__u64 ring, __u64 user_data, __u32 result,
						 __u64 entry)
{
	struct uring_overflow walk = {.user_data = user_data, .result = result};
	struct uring_posted *posted;

	walk.node = uring_posted_next(ring, entry);
	walk.begin = walk.node;
	posted = uring_posted();
	if (!posted)
		return 0;
	walk.may_pass = uring_may_pass(posted);
	URING_WALK(uring_overflow_step, &walk);
	posted = uring_posted();
	if (!posted)
		return walk.request;
	posted->next = walk.begin;
	if (posted->passed < URING_PASSED)
		posted->passed += walk.passed;
	return walk.request;
}

/*
 * What the current thread works on for a process, if that is the request: before 6.16 (seen in
 * 6.12) workers post completions themselves. 0: it is none.
 */
static __always_inline __u64 uring_worked_on(const struct uring_completion *done)
{
	struct task_struct___worker *task = (void *)bpf_get_current_task();
	struct io_kiocb *request;
	struct io_worker *worker;
	__u64 work;

	if (!bpf_core_type_exists(struct io_worker) || !(flags_of(this_task()) & TASK_IO_WORKER))
		return 0;
	worker = READ(task, worker_private);
	work = (__u64)READ(worker, cur_work);
	request = (void *)work;
	request = (void *)(work - bpf_core_field_offset(request->work));
	if (!work || (__u64)READ(request, ctx) != done->ring ||
	    READ(request, cqe.user_data) != done->user_data ||
	    READ(request, cqe.res) != done->result)
		return 0;
	return (__u64)request;
}

/* Tells or counts a request whose completion found no room. */
static __always_inline void uring_end_overflowed(__u64 *ctx, __u64 request)
{
	struct io_kiocb *at = (void *)request;
	struct uring_events events = uring_events_of(READ(at, opcode));
	struct uring_place place = uring_find(request);
	__u64 state;

	uring_note_ended(request);
	if (!uring_any_event(events))
		return;
	/* So that the verifier of 6.1 knows that there is a place. */
	if (place.note) {
		state = uring_look(place.word);
		if (state == (request | URING_TOLD)) {
			store_in_order(place.word, request | URING_FREE);
			return;
		}
		if (state == request && uring_tell_end(ctx, URING_AT_OVERFLOW, place, at))
			return;
	}
	uring_count_unnoted(at, events);
}

static __always_inline int dispatch_overflowed_run(__u64 *ctx)
{
	struct uring_completion done = {argument_word(ctx, 0), ctx[1], ctx[2]};
	__u64 request = uring_worked_on(&done);

	if (!request)
		request = uring_overflowed(done.ring, done.user_data, done.result, ctx[4]);
	if (request)
		uring_end_overflowed(ctx, request);
	else
		uring_tell_going_on(ctx, URING_AT_OVERFLOW, &done);
	return 0;
}

#endif
