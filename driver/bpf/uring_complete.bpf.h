/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Operations of io_uring that end: dispatch finds the note of the request and jumps to the program
 * of its event, which writes it as the filler of the call does, with the arguments of the note.
 */
#ifndef LANNER_URING_COMPLETE_BPF_H
#define LANNER_URING_COMPLETE_BPF_H

#include "bpf/core/answers.bpf.h"
#include "bpf/core/budget.bpf.h"
#include "bpf/table.bpf.h"
#include "bpf/core/kernel_filter.bpf.h"
#include "bpf/opened.bpf.h"
#include "bpf/uring_chosen.bpf.h"
#include "bpf/uring_together.bpf.h"

enum {
	FMODE_STREAM = 0x200000, /* of a file: it has no position */
	FILE_PTR_FLAGS = 7, /* bits of io_rsrc_node.file_ptr that are no address */
	URING_UNTOLD = -1, /* as if it had failed, in place of a result that is not known */
};

/* What user space gets of a request that it has to know by these numbers. */
struct uring_completion {
	__u64 ring, user_data;
	__s32 result;
};

/* Of a request that goes on. */
static __always_inline struct uring_completion uring_completion(__u64 *ctx)
{
	struct io_uring_cqe *entry = (void *)ctx[2];

	if (uring_kernel == URING_ENTRIES)
		return (struct uring_completion){argument_word(ctx, 0), GET(entry, user_data),
						 GET(entry, res)};
	return (struct uring_completion){argument_word(ctx, 0), ctx[2], ctx[3]};
}

static __always_inline bool has_no_position(__u64 file_at)
{
	struct file *file = (void *)file_at;

	return file && GET(file, f_mode) & FMODE_STREAM;
}

/* Which event it is, 0 if that is not wanted. */
static __always_inline __u32 uring_event(const struct uring_note *note, __u64 file)
{
	struct uring_events events = uring_events_of(note->opcode);

	if (note->choice == URING_FIRST ||
	    (note->choice == URING_SECOND_IF_POSITIONED && has_no_position(file)))
		return events.event;
	return events.second;
}

/* The file of a request; NULL if it has none. */
static __always_inline __u64 uring_file(__u64 request)
{
	struct io_kiocb *at = (void *)request;

	return CAN_CAST ? kernel_word(request + bpf_core_field_offset(at->file))
			: (__u64)BPF_CORE_READ(at, file);
}

/* The struct file in a slot of a ring, 0 if it is not known. */
static __always_inline __u64 uring_file_in(__u64 ring, __s32 slot)
{
	struct io_ring_ctx *at = (void *)ring;
	struct io_ring_ctx___files *older = (void *)ring;
	struct io_rsrc_node *node = NULL, **nodes;
	struct io_fixed_file *files;

	if (slot < 0)
		return 0;
	if (!bpf_core_field_exists(at->file_table.data)) {
		files = (__u32)slot < GET(older, nr_user_files) ? GET(older, file_table.files)
								: NULL;
		return files ? READ(&files[slot], file_ptr) & ~(__u64)FILE_PTR_FLAGS : 0;
	}
	if ((__u32)slot >= GET(at, file_table.data.nr))
		return 0;
	nodes = GET(at, file_table.data.nodes);
	bpf_core_read(&node, sizeof(node), &nodes[slot]);
	return node ? GET(node, file_ptr) & ~(__u64)FILE_PTR_FLAGS : 0;
}

/*
 * The file that a request will use, as far as its number tells when it is submitted: of a
 * descriptor only where the event depends on it.
 */
static __always_inline __u64 uring_file_ahead(const struct uring_note *note)
{
	if (note->slot >= 0)
		return uring_file_in(note->ring, note->slot);
	return note->choice == URING_SECOND_IF_POSITIONED ? (__u64)fd_file(note->args[0]) : 0;
}

/* Whether an event is not to be reported, for its process or for what it costs; it is counted. */
static __always_inline bool uring_is_dropped(const struct uring_note *note, __u32 event)
{
	struct task_struct *task = this_task();
	bool is_of_process = note->pid == pid_of(task);

	if (follows && followed_lacks(note->pid, event))
		return true;
	if (kernel_filters.mutes && is_of_process && mute_drops(task, event))
		return true;
	if (holds && is_of_process)
		follow_hold(task);
	return budget_sheds(event);
}

static __always_inline struct uring_hands *uring_all_hands(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&uring_hands, &zero);
}

static __always_inline struct uring_handed *uring_hand(enum uring_origin origin)
{
	struct uring_hands *hands = uring_all_hands();

	return hands ? &hands->from[origin] : NULL;
}

/* A request without a note has ended: see struct uring_posted. */
static __always_inline void uring_note_ended(__u64 request)
{
	__u32 zero = 0;
	struct uring_hands *hands = bpf_map_lookup_elem(&uring_hands, &zero);
	struct io_kiocb *at = (void *)request;
	struct io_ring_ctx *ring = READ(at, ctx);

	if (!hands)
		return;
	hands->posted.ended = request;
	hands->posted.ended_ring = (__u64)ring;
	hands->posted.ended_submitted = READ(ring, cached_sq_head);
}

/*
 * Prepares the event of a request, whose note is of `place`. Returns its number, which is to be
 * jumped to; 0 if it has none.
 */
static __always_inline __u32 uring_prepare(struct uring_place place, enum uring_origin origin,
					   struct uring_handed what)
{
	struct uring_handed *handed;
	__u32 event = uring_event(place.note, what.is_untold ? uring_file_ahead(place.note)
							     : uring_file(what.request));

	if (!event || (drops_calls && uring_is_dropped(place.note, event)))
		return 0;
	handed = uring_hand(origin);
	if (!handed)
		return 0;
	what.number = place.number;
	what.event = event;
	what.thread = current_tid() + 1;
	*handed = what;
	return event;
}

/* Jumps to it. Returns if it cannot, which is counted. */
static __always_inline void uring_jump(__u64 *ctx, enum uring_origin origin, __u32 event)
{
	struct uring_handed *handed;

	bpf_tail_call(ctx, &uring_fillers, event);
	count_lost(event, LOSS_TAIL_CALL);
	handed = uring_hand(origin);
	if (handed)
		handed->thread = 0;
}

/* Of a request that has ended, with the result that is in the kernel's own memory. */
static __always_inline __u32 uring_prepare_end(struct uring_place place, enum uring_origin origin,
					       struct io_kiocb *request)
{
	return uring_prepare(
		place, origin,
		(struct uring_handed){.request = (__u64)request, .result = GET(request, cqe.res)});
}

/*
 * Writes the event of a request that has ended, whose note is at `place`, and ends that. Returns
 * false if another request has just got the place.
 */
static __always_inline bool uring_tell_end(__u64 *ctx, enum uring_origin origin,
					   struct uring_place place, struct io_kiocb *request)
{
	const __u64 address = (__u64)request;
	__u32 event;

	if (!uring_change(place.word, address, address | URING_ENDING))
		return false;
	event = uring_prepare_end(place, origin, request);
	if (event)
		uring_jump(ctx, origin, event);
	uring_end_note(place, address, URING_FREE);
	return true;
}

/* Whether a number may be another file after an operation. */
static __always_inline bool uring_renumbers(__u8 opcode)
{
	return opcode == URING_OP_OPENAT || opcode == URING_OP_OPENAT2 ||
	       opcode == URING_OP_CLOSE || opcode == URING_OP_ACCEPT || opcode == URING_OP_SOCKET ||
	       opcode == URING_OP_PIPE;
}

/*
 * Whether an event is wanted of an operation after which a number may be another file. Then the
 * event of a request is written before the next one of the same submission begins, and not when all
 * of them complete. It is known when the program is loaded.
 */
static __always_inline bool uring_may_renumber(void)
{
	return TELLS_ENDED && (uring_wants(&uring_events[URING_OP_OPENAT]) ||
			       uring_wants(&uring_events[URING_OP_OPENAT2]) ||
			       uring_wants(&uring_events[URING_OP_CLOSE]) ||
			       uring_wants(&uring_events[URING_OP_ACCEPT]) ||
			       uring_wants(&uring_events[URING_OP_SOCKET]) ||
			       uring_wants(&uring_events[URING_OP_PIPE]));
}

/*
 * The request of a ring that ended last, of those whose completions are still to be posted; NULL if
 * there is none. Only while requests are submitted.
 */
static __always_inline struct io_kiocb *uring_ended_last(struct io_ring_ctx *ring)
{
	if (!GET_WORD(ring, submit_state.compl_reqs.first))
		return NULL;
	return uring_request_of(GET_WORD(ring, submit_state.compl_reqs.last));
}

/*
 * Prepares the event of what was submitted before, if it has ended. Returns its number, or 0. Not
 * inlined: the verifier walks what follows once.
 */
__attribute__((noinline)) __u32 uring_prepare_ended(__u64 submitted)
{
	struct io_kiocb *at = (void *)submitted;
	struct io_kiocb *request = uring_ended_last((void *)GET_WORD(at, ctx));
	const __u64 address = (__u64)request;
	struct uring_place place;
	__u32 event;

	if (!request || !uring_any_event(uring_events_of(GET(request, opcode))))
		return 0;
	place = uring_find(address);
	if (!place.note || place.note->is_told ||
	    !uring_change(place.word, address, address | URING_ENDING))
		return 0;
	event = uring_prepare_end(place, URING_AT_NEXT_SUBMISSION, request);
	if (!event)
		uring_end_note(place, address, URING_TOLD);
	return event;
}

/*
 * Of a success that the program does not want to be told there is no completion: it has its event
 * when it is submitted, without a result. If it fails there is one, which has another event.
 */
static __always_inline __u32 uring_prepare_untold(struct uring_place place, __u64 request)
{
	struct uring_note *note = place.note;

	if (!(note->flags & REQUEST_CQE_SKIP))
		return 0;
	note->is_told = 1;
	return uring_prepare(
		place, URING_AT_SUBMISSION,
		(struct uring_handed){
			.request = request, .result = URING_UNTOLD, .is_untold = 1, .goes_on = 1});
}

/* The note of a request, when its place is taken: what comes before it and after it. */
static __always_inline void uring_chain(struct uring_place place, bool after_event)
{
	struct uring_hands *hands;
	bool renumbers = uring_may_renumber() && uring_renumbers(place.note->opcode);

	if (!after_event && !renumbers)
		return;
	hands = uring_all_hands();
	if (!hands)
		return;
	if (after_event)
		hands->from[URING_AT_NEXT_SUBMISSION].begins = place.number + 1;
	if (renumbers)
		hands->renumbers = place.note->ring;
}

/*
 * Notes what is wanted; `after_event`: when that of another one has been written. Returns the
 * number of the event that it has already, 0 if it has none.
 */
static __always_inline __u32 uring_prepare_begun(struct io_kiocb *request,
						 struct uring_events events, bool after_event)
{
	struct task_struct *task = this_task();
	struct uring_place place;

	if (uring_is_left_out(task, events)) {
		uring_lose_stale((__u64)request);
		return 0;
	}
	place = uring_note_request(request, task, after_event ? 0 : bpf_ktime_get_boot_ns());
	if (place.note) {
		uring_chain(place, after_event);
		return uring_prepare_untold(place, (__u64)request);
	}
	uring_count_unplaced(request, uring_any_event(events), pid_of(task));
	return 0;
}

/* The time of what is submitted, of which the program of an event was told. */
static __always_inline void uring_stamp(__u32 begins, __u64 now)
{
	struct uring_note *note = begins ? uring_note(begins - 1) : NULL;

	if (note)
		note->submitted_ns = now;
}

/*
 * Writes the event of what was submitted before. Returns if it cannot, with the time of what begins
 * now.
 */
static __always_inline void uring_jump_ended(__u64 *ctx, __u32 ended)
{
	struct uring_handed *handed;

	uring_jump(ctx, URING_AT_NEXT_SUBMISSION, ended);
	handed = uring_hand(URING_AT_NEXT_SUBMISSION);
	if (handed)
		uring_stamp(handed->begins, bpf_ktime_get_boot_ns());
}

/*
 * Of what is not wanted: the ring may have an event to write before. Until then it is asked for
 * each time, as what a chain of links begins with is executed later.
 */
static __always_inline int uring_note_unwanted(__u64 *ctx, struct io_kiocb *request)
{
	struct uring_hands *hands = uring_all_hands();
	__u32 ended;

	if (!hands || !hands->renumbers || hands->renumbers != GET_WORD(request, ctx))
		return 0;
	ended = uring_prepare_ended((__u64)request);
	if (!ended)
		return 0;
	hands->renumbers = 0;
	uring_jump_ended(ctx, ended);
	return 0;
}

/* The program of the event that ended jumps to that of the one that begins: see uring_next(). */
static __always_inline int note_submitted_run(__u64 *ctx)
{
	struct io_kiocb *request = (void *)argument_word(ctx, 0);
	struct uring_events events = uring_events_of(GET(request, opcode));
	__u32 ended, begun;

	/* Most end here, if events of others are wanted. */
	if (!uring_any_event(events))
		return uring_may_renumber() ? uring_note_unwanted(ctx, request) : 0;
	ended = uring_may_renumber() ? uring_prepare_ended((__u64)request) : 0;
	begun = uring_prepare_begun(request, events, ended);
	if (ended)
		uring_jump_ended(ctx, ended);
	if (begun)
		uring_jump(ctx, URING_AT_SUBMISSION, begun);
	return 0;
}

/* The same, at the tracepoint of that name before 6.4. */
static __always_inline int note_submitted_entry_run(__u64 *ctx)
{
	return note_submitted_run(ctx);
}

/*
 * A request that fails before it is submitted: a note at its address is that of an earlier one,
 * with which it may have all in common that a completion is compared by.
 */
static __always_inline int forget_unsubmitted_run(__u64 *ctx)
{
	uring_lose_stale(argument_word(ctx, 1));
	return 0;
}

/* What the kernel adds to a request that sends without a copy: nobody submits it. */
static __always_inline bool uring_is_notification(struct io_kiocb *request, __u8 opcode)
{
	return opcode == URING_OP_NOP && GET(request, cqe.flags) & CQE_NOTIF;
}

/*
 * Whether a note is that of what completes: an address is used again. Polls may change their
 * number.
 */
static __always_inline bool uring_is_note_of(const struct uring_note *note,
					     struct io_kiocb *request, __u8 opcode)
{
	return note->opcode == opcode && note->ring == GET_WORD(request, ctx) &&
	       (note->user_data == GET(request, cqe.user_data) || opcode == URING_OP_POLL_ADD);
}

/* Takes one from a counter of requests. Returns false if there are none. */
static __always_inline bool uring_uncount(__u64 *counter)
{
	if (!uring_look(counter))
		return false;
	__sync_fetch_and_sub(counter, 1);
	return true;
}

/* Counts what completes, as there is no note of what was asked. */
static __always_inline void uring_count_unnoted(struct io_kiocb *request,
						struct uring_events events)
{
	struct uring_row *row = uring_row_of((__u64)request);
	enum loss_cause cause = LOSS_UNTOLD;

	uring_note_ended((__u64)request);
	if (uring_is_left_out(this_task(), events))
		return;
	if (uring_completes_often(request, GET(request, opcode)))
		uring_multishot_end_unnoted(GET_WORD(request, ctx), GET(request, cqe.user_data),
					    (__u64)request);
	if (uring_forget_taken((__u64)request))
		return;
	if (row && uring_uncount(&row->unplaced))
		cause = LOSS_IN_FLIGHT;
	else if (row && uring_uncount(&row->taken_more))
		return;
	count_lost(uring_any_event(events), cause);
}

/*
 * A completion that does not name its request, which goes on. Programs can post the like to each
 * other, or overwrite what is read here.
 */
static __always_inline void uring_tell_going_on(__u64 *ctx, enum uring_origin origin,
						const struct uring_completion *done)
{
	struct uring_key key = {done->ring, done->user_data};
	struct uring_multishot *multishot = bpf_map_lookup_elem(&uring_multishots, &key);
	struct uring_place place = {};
	__u32 event;

	if (!multishot)
		return;
	if (!multishot->is_shared)
		place = uring_find(multishot->request);
	if (!place.note || place.note->ring != done->ring ||
	    place.note->user_data != done->user_data ||
	    uring_look(place.word) != multishot->request) {
		count_lost(multishot->event, multishot->unnoted ? LOSS_IN_FLIGHT : LOSS_UNTOLD);
		return;
	}
	event = uring_prepare(place, origin,
			      (struct uring_handed){.request = multishot->request,
						    .result = done->result,
						    .is_contested = 1,
						    .goes_on = 1});
	if (event)
		uring_jump(ctx, origin, event);
}

/* What is completed needs no event before another submission. */
static __always_inline void uring_forget_renumbering(void)
{
	struct uring_hands *hands = uring_all_hands();

	if (hands)
		hands->renumbers = 0;
}

static __always_inline int dispatch_completed_run(__u64 *ctx)
{
	struct io_kiocb *request = (void *)argument_word(ctx, 1);
	const __u64 address = (__u64)request;
	struct uring_completion done;
	struct uring_events events;
	struct uring_place place;
	__u64 state;
	__u8 opcode;

	if (!request) {
		done = uring_completion(ctx);
		uring_tell_going_on(ctx, URING_AT_COMPLETION, &done);
		return 0;
	}
	opcode = GET(request, opcode);
	events = uring_events_of(opcode);
	/* Most end here, if events of others are wanted. */
	if (!uring_any_event(events) || uring_is_notification(request, opcode))
		return 0;
	if (uring_may_renumber() && uring_renumbers(opcode))
		uring_forget_renumbering();
	place = uring_find(address);
	if (place.note) {
		state = uring_look(place.word);
		if (state == (address | URING_TOLD)) {
			store_in_order(place.word, address | URING_FREE);
			return 0;
		}
		if (state == address) {
			if (!uring_is_note_of(place.note, request, opcode))
				uring_lose_stale(address);
			else if (uring_tell_end(ctx, URING_AT_COMPLETION, place, request))
				return 0;
		}
	}
	uring_count_unnoted(request, events);
	return 0;
}

/* The registered file that a request made, if it succeeded; -1: none. */
static __always_inline __s32 uring_made_slot(const struct uring_note *note, __s32 result)
{
	if (!note->file_slot || result < 0)
		return -1;
	return note->file_slot == FILE_SLOT_ALLOC ? result : note->file_slot - 1;
}

/* Or that it makes, if it is not told how it ends. */
static __always_inline __s32 uring_slot_of(const struct uring_note *note,
					   const struct uring_handed *what)
{
	return what->is_untold ? note->file_slot > 0 ? note->file_slot - 1 : -1
			       : uring_made_slot(note, what->result);
}

/*
 * Registered files have numbers that no descriptor has: in the arguments, of an operation whose
 * file is its first one, and as a result.
 */
static __always_inline void uring_number_slots(struct filler *f, const struct uring_note *note,
					       __u32 event)
{
	const __u64 ring = uring_number(note->ring);
	const __s32 made = uring_made_slot(note, f->ret);

	f->made_file = uring_file_in(note->ring, made);
	if (event == EVENT_io_uring_op)
		f->args[5] = note->user_data;
	/* The argument with the file of the request. */
	if (note->slot >= 0 && event == EVENT_splice)
		f->args[2] = slot_fd_of(ring, note->slot);
	else if (note->slot >= 0 && event == EVENT_tee)
		f->args[1] = slot_fd_of(ring, note->slot);
	else if (note->slot >= 0)
		f->args[0] = slot_fd_of(ring, note->slot);
	if (made >= 0)
		f->ret = slot_fd_of(ring, made);
}

/* The flags that an operation asks to open a file with, if the filter compares them. */
static __always_inline __u32 uring_flags_asked(const struct uring_note *note, __u32 event)
{
	return opens_of_events[event].argument && exit_compares(event, KERNEL_OPEN_FLAGS)
		       ? file_flags(note->args[opens_of_events[event].argument])
		       : 0;
}

/* The descriptor that it used, likewise; 0, which decides nothing, of a registered file. */
static __always_inline __u64 uring_descriptor(struct filler *f, const struct uring_note *note,
					      __u32 event)
{
	__u32 kind;

	if (!event_has(event, EF_TRANSFERS) || !exit_compares(event, KERNEL_DESCRIPTOR) ||
	    note->slot >= 0)
		return 0;
	kind = file_kind((void *)f->file);
	return kind ? (note->args[0] << 32) | kind : 0;
}

/*
 * Whether the filter rejects it; it is counted then. What a thread is compared by is that of the
 * current one: if another one submitted the request, user space decides.
 */
static __always_inline bool uring_is_rejected(struct filler *f, const struct uring_note *note,
					      __u32 event)
{
	return note->tid == tid_of(f->self) &&
	       exit_is_rejected(f->self, event, f->ret, uring_flags_asked(note, event),
				uring_descriptor(f, note, event));
}

/*
 * Whether the number of the file that an operation made may be another one's by now: then it is not
 * known which file that was. What has its event before the next one of its submission begins is the
 * last one that ended.
 */
static __always_inline bool uring_made_is_gone(const struct uring_note *note, __u32 event,
					       const struct uring_handed *what)
{
	__s32 made = uring_slot_of(note, what);

	if (!event_has(event, EF_CREATES_FD) || event == EVENT_pipe2 || what->is_untold ||
	    what->goes_on || what->result < 0)
		return false;
	return uring_may_be_later(what->request, made < 0 ? what->result : made, made >= 0);
}

/*
 * What does not matter before an event is begun. The verifier forgets what was decided so far, so
 * that it walks the rest once.
 */
static __always_inline void uring_fill_rest(struct filler *f, const struct uring_note *note,
					    const struct uring_handed *what, __u32 event)
{
	struct task_struct *task = f->self; /* CO-RE would keep all of the filler in memory */
	bool is_gone = uring_made_is_gone(note, event, what);

	f->has_memory = forget(f->slot, note->mm && note->mm == (__u64)GET(task, mm));
	f->not_its_files = forget(
		f->slot, note->files == (__u64)files_of(task) && !is_gone ? 0 : NO_DESCRIPTOR);
	f->number_mask = forget(f->slot, f->number_mask);
	f->copy = forget(f->slot, (__u64)note->text);
	f->file = forget(f->slot, f->file);
	f->made_file = forget(f->slot, is_gone ? 0 : f->made_file);
	f->args[0] = forget(f->slot, f->args[0]);
	f->ret = forget(f->slot, f->ret);
	f->is_untold = forget(f->slot, what->is_untold) & 1;
	if (event == EVENT_recvmsg)
		f->caller.compat = forget(f->slot, note->is_narrow) & 1;
}

/*
 * Whether the program can have changed what a number means since the operation was done: a worker
 * of the kernel did it, and the completion waited for the program.
 */
static __always_inline bool uring_is_late(struct filler *f, const struct uring_handed *what)
{
	struct io_kiocb *request = (void *)what->request;

	return !what->is_untold && !what->goes_on && GET(request, flags) & uring_worker_flag &&
	       !(flags_of(f->self) & TASK_IO_WORKER);
}

/* Notes which operation it is, and what stands behind the values of all events of its kind. */
static __always_inline void uring_fill_extras(struct filler *f, const struct uring_note *note,
					      __u32 event, const struct uring_handed *what)
{
	f->slot->uring = (struct frame_uring){
		.ring = uring_number(note->ring),
		.slot = note->slot,
		.made_slot = uring_slot_of(note, what),
		.opcode = note->opcode,
		.flags = note->flags,
		.is_late = event_has(event, EF_CREATES_FD) && uring_is_late(f, what),
	};
	f->slot->entered_ns = note->submitted_ns;
	/* Of a close it is the file that has the number when it has ended. */
	if (event == EVENT_close && what->is_untold)
		f->slot->file.ino = 0;
	else if (event_has(event, EF_TELLS_ANY_FILE) && tells_files)
		file_note(f->slot_key, event_has(event, EF_CREATES_FD)
					       ? descriptor_made_by(f)
					       : descriptor_used_by(f, f->args[0]));
	if (event_has(event, EF_STREAMS) && stream_bytes)
		note_stream(f, event);
	if (event_has(event, EF_TELLS_STREAM) && stream_bytes)
		note_new_stream(f, event);
}

/*
 * Which of `uring_hands` the current thread has handed something over by; URING_ORIGINS: none. Not
 * inlined: the verifier walks what follows once for all.
 */
__attribute__((noinline)) __u32 uring_handed_by(__u32 thread)
{
	__u32 zero = 0;
	struct uring_hands *hands = bpf_map_lookup_elem(&uring_hands, &zero);

	if (!hands)
		return URING_ORIGINS;
#pragma clang loop unroll(full)
	for (__u32 i = 0; i < URING_ORIGINS; i++)
		if (hands->from[i].thread == thread)
			return i;
	return URING_ORIGINS;
}

/* Takes what this program was handed over; nothing: .thread is 0. */
static __always_inline struct uring_handed uring_take_handed(struct filler *f)
{
	__u32 thread = tid_of(f->self) + 1;
	struct uring_handed *handed, taken = {};
	__u64 origin = uring_handed_by(thread);

	f->origin = origin;
	CHECKED(origin);
	handed = origin < URING_ORIGINS ? uring_hand(origin) : NULL;
	if (!handed)
		return taken;
	taken = *handed;
	handed->thread = 0;
	return taken;
}

/* Jumps to what was submitted after the request whose event has been written, if that has one. */
static __always_inline int uring_next(struct filler *f, __u64 *ctx)
{
	struct uring_handed *handed;

	if (f->origin != URING_AT_NEXT_SUBMISSION)
		return 0;
	handed = uring_hand(URING_AT_SUBMISSION);
	if (handed && handed->thread == tid_of(f->self) + 1)
		bpf_tail_call(ctx, &uring_fillers, handed->event);
	return 0;
}

/*
 * Ends a note whose event is written, if there is one. That it is there clang may conclude from
 * what older kernels do not remember.
 */
static __always_inline void uring_end_checked(const struct filler *f, struct uring_note *note,
					      __u64 *word, __u64 request)
{
	/* A completion follows, which is to find it. */
	bool is_early = f->origin == URING_AT_NEXT_SUBMISSION;

	CHECKED(note);
	CHECKED(word);
	if (note && word)
		uring_end_note((struct uring_place){.note = note, .word = word}, request,
			       is_early ? URING_TOLD : URING_FREE);
}

/* Begins the event of a request; false if there is none, and nothing is left to do. */
static __always_inline bool uring_begin(struct filler *f, __u64 *ctx, __u16 event, __u32 nparams)
{
	struct uring_handed what = uring_take_handed(f);
	struct uring_place place = uring_place(what.thread ? what.number : URING_NO_PLACE);
	struct uring_note *note = place.note;

	if (!note || what.event != event ||
	    (uring_look(place.word) & ~(__u64)URING_STATES) != what.request) {
		count_lost(event, LOSS_UNTOLD);
		if (what.begins)
			uring_stamp(what.begins, bpf_ktime_get_boot_ns());
		return false;
	}
	/* Kept there: programs that read paths have no stack left. */
	note->begins = what.begins;
	f->owner_pid = note->pid;
	f->owner_tid = note->tid;
	f->ret = what.result;
	f->file = what.is_untold && note->slot >= 0 ? uring_file_in(note->ring, note->slot)
						    : uring_file(what.request);
	f->not_its_files = NO_DESCRIPTOR;
	f->number_mask = f->file ? 0 : NO_DESCRIPTOR;
	for (int i = 0; i < ARGUMENTS_MAX; i++)
		f->args[i] = note->args[i];
	uring_number_slots(f, note, event);
	if (stream_only[EVENT_close])
		opened_step_ring(note->files, event, f->args[0], f->ret);
	if (!what.is_untold && uring_is_rejected(f, note, event))
		goto none;
	if (may_be_of_streams(event) && stream_bytes && stream_is_left_out(f, event)) {
		count_filtered(event);
		goto none;
	}
	if (!filler_begin(f, ctx, event, nparams))
		goto none;
	uring_stamp(note->begins, frame_time(f));
	uring_take_chosen(f, note, event, what.request, what.goes_on);
	uring_fill_rest(f, note, &what, event);
	uring_fill_extras(f, note, event, &what);
	if (what.is_contested | what.is_untold)
		mark_contested(f, 0); /* the result */
	if (!what.goes_on) {
		f->note = note;
		f->word = place.word;
		f->request = what.request;
	}
	return true;
none:
	if (note->begins)
		uring_stamp(note->begins, bpf_ktime_get_boot_ns());
	if (!what.goes_on)
		uring_end_checked(f, note, place.word, what.request);
	return false;
}

static __always_inline void uring_end(struct filler *f)
{
	filler_end(f);
	uring_end_checked(f, f->note, f->word, f->request);
}

/*
 * Those of other events are not compiled. They are jumped to from several tracepoints, so that none
 * of them may have the types of its arguments.
 */
#define URING_PROGRAM_OF(name)                                                                     \
	IF_URING_EVENT(name, SEC("raw_tp"))                                                        \
	UNLESS_URING_EVENT(name, static __attribute__((unused)) __always_inline)

#define SYSCALL_EVENT(name, id, ...)                                                               \
	URING_PROGRAM_OF(name) int URING_NAME(name)(__u64 * ctx)                                   \
	{                                                                                          \
		struct filler filler = {.self = this_task(),                                       \
					.caller = {.native = ~0ULL},                               \
					.args_taken = true,                                        \
					.timed = true,                                             \
					.of_request = true},                                       \
			      *f = &filler;                                                        \
                                                                                                   \
		if (!uring_begin(f, ctx, id, name##__count))                                       \
			return uring_next(f, ctx);
#define TRACEPOINT_EVENT(name, id, ...) SYSCALL_EVENT(name, id)
#define LOCAL PUT_LOCAL
#define PARAM PUT_PARAM
#define EVENT_END(name)                                                                            \
	uring_end(f);                                                                              \
	return uring_next(f, ctx);                                                                 \
	}

#include "events/all.def"

#endif
