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
#include "bpf/uring_submit.bpf.h"

enum {
	FMODE_STREAM = 0x200000, /* of a file: it has no position */
	FILE_PTR_FLAGS = 7, /* bits of io_rsrc_node.file_ptr that are no address */
	FILE_SLOT_ALLOC = -1, /* in place of a number: the kernel chooses one, and returns it */
};

/* What user space gets of a request. */
struct uring_completion {
	__u64 request; /* 0: it goes on, and is found by the two that follow */
	__u64 ring, user_data;
	__s32 result;
	__u32 flags;
	__u8 opcode; /* of a request that is named */
};

/*
 * Of the kernel's memory if it names its request: an entry is in memory that the program shares,
 * and may write to meanwhile.
 */
static __always_inline struct uring_completion uring_completion(__u64 *ctx)
{
	struct uring_completion done = {.request = argument_word(ctx, 1)};

	if (done.request) {
		struct io_kiocb *request = (void *)done.request;

		done.user_data = GET(request, cqe.user_data);
		done.result = GET(request, cqe.res);
		done.flags = GET(request, cqe.flags);
		done.opcode = GET(request, opcode);
	} else if (uring_kernel == URING_ENTRIES) {
		struct io_uring_cqe *entry = (void *)ctx[2];

		done.user_data = GET(entry, user_data);
		done.result = GET(entry, res);
		done.flags = GET(entry, flags);
	} else {
		done.user_data = ctx[2];
		done.result = ctx[3];
		done.flags = ctx[4];
	}
	done.ring = argument_word(ctx, 0);
	return done;
}

/*
 * Whether a note is that of what completes: an address is used again. Polls may change their
 * number.
 */
static __always_inline bool uring_is_note_of(const struct uring_note *note,
					     const struct uring_completion *done)
{
	if (note->ring != done->ring || (done->request && note->opcode != done->opcode))
		return false;
	return note->user_data == done->user_data ||
	       (done->request && done->opcode == URING_OP_POLL_ADD);
}

/* Of what completes without its name; NULL: no request that is noted. */
static __always_inline struct uring_multishot *
uring_find_multishot(const struct uring_completion *done)
{
	struct uring_key key = {done->ring, done->user_data};

	return bpf_map_lookup_elem(&uring_multishots, &key);
}

/*
 * The place of the note of what completes; that of an earlier request at its address is given back.
 */
static __always_inline struct uring_place uring_find_completed(const struct uring_completion *done)
{
	struct uring_multishot *multishot;
	__u64 request = done->request;
	struct uring_place place;

	if (!request) {
		multishot = uring_find_multishot(done);
		request = multishot && !multishot->is_shared ? multishot->request : 0;
	}
	place = request ? uring_find(request) : (struct uring_place){};
	if (!place.note || uring_is_note_of(place.note, done))
		return place;
	if (done->request)
		uring_lose_stale(place);
	return (struct uring_place){};
}

/* A completion that does not name its request is not the last one. */
static __always_inline void uring_note_end(struct uring_note *note, __u64 *request,
					   const struct uring_completion *done)
{
	if (done->request)
		uring_give_back(note, request);
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

/* What the kernel adds to a request that sends without a copy: nobody submits it. */
static __always_inline bool uring_is_notification(const struct uring_completion *done)
{
	return done->opcode == URING_OP_NOP && done->flags & CQE_NOTIF;
}

/* Counts what completes, as there is no note of what was asked. */
static __always_inline void uring_count_unnoted(const struct uring_completion *done)
{
	struct uring_events events = uring_events_of(done->opcode);
	struct uring_multishot *multishot;
	__u32 cause = LOSS_UNTOLD;
	struct uring_row *row;

	if (!done->request) {
		multishot = uring_find_multishot(done);
		if (multishot)
			count_lost(multishot->event, cause);
		return;
	}
	if (uring_is_left_out(this_task(), events))
		return;
	row = uring_row(uring_row_of(done->request));
	if (row && *(volatile __u64 *)&row->unplaced) {
		__sync_fetch_and_sub(&row->unplaced, 1);
		cause = LOSS_IN_FLIGHT;
	}
	count_lost(uring_any_event(events), cause);
}

static __always_inline int dispatch_completed_run(__u64 *ctx)
{
	struct uring_completion done = uring_completion(ctx);
	struct uring_place place;
	__u32 event;

	/* Most end here, if events of others are wanted. */
	if (done.request &&
	    (!uring_any_event(uring_events_of(done.opcode)) || uring_is_notification(&done)))
		return 0;
	place = uring_find_completed(&done);
	if (!place.note) {
		uring_count_unnoted(&done);
		return 0;
	}
	if (done.request)
		uring_count_untold(place.note, -1);
	event = uring_event(place.note, uring_file(*place.request));
	if (event && !(drops_calls && uring_is_dropped(place.note, event))) {
		bpf_tail_call(ctx, &uring_fillers, event);
		count_lost(event, LOSS_TAIL_CALL);
	}
	uring_note_end(place.note, place.request, &done);
	return 0;
}

/* The registered file that a request made, if it succeeded; -1: none. */
static __always_inline __s32 uring_made_slot(const struct uring_note *note, __s32 result)
{
	if (!note->file_slot || result < 0)
		return -1;
	return note->file_slot == FILE_SLOT_ALLOC ? result : note->file_slot - 1;
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
 * What does not matter before an event is begun. The verifier forgets what was decided so far, so
 * that it walks the rest once.
 */
static __always_inline void uring_fill_rest(struct filler *f, const struct uring_note *note)
{
	struct task_struct *task = f->self; /* CO-RE would keep all of the filler in memory */

	f->has_memory = forget(f->slot, note->mm && note->mm == (__u64)GET(task, mm));
	f->has_files = forget(f->slot, note->files == (__u64)files_of(task));
	f->copy = forget(f->slot, (__u64)note->text);
	f->file = forget(f->slot, f->file);
	f->made_file = forget(f->slot, f->made_file);
	f->args[0] = forget(f->slot, f->args[0]);
	f->ret = forget(f->slot, f->ret);
}

/* Notes which operation it is, and what stands behind the values of all events of its kind. */
static __always_inline void uring_fill_extras(struct filler *f, const struct uring_note *note,
					      __u32 event, __s32 result)
{
	f->slot->uring = (struct frame_uring){
		.ring = uring_number(note->ring),
		.slot = note->slot,
		.made_slot = uring_made_slot(note, result),
		.opcode = note->opcode,
		.flags = note->flags,
	};
	f->slot->entered_ns = note->submitted_ns;
	if (event_has(event, EF_TELLS_ANY_FILE) && tells_files)
		note_file(f, event_has(event, EF_CREATES_FD) ? descriptor_made_by(f)
							     : descriptor_used_by(f, f->args[0]));
	if (event_has(event, EF_STREAMS) && stream_bytes)
		note_stream(f, event);
	if (event_has(event, EF_TELLS_STREAM) && stream_bytes)
		note_new_stream(f, event);
}

/* What names no request may have been changed since the jump to here: then it is another one. */
static __always_inline bool uring_has_event(const struct uring_note *note, __u32 event)
{
	struct uring_events events = uring_events_of(note->opcode);

	return events.event == event || events.second == event;
}

/* Begins the event of a request; false if there is none, and nothing is left to do. */
static __always_inline bool uring_begin(struct filler *f, __u64 *ctx, __u16 event, __u32 nparams)
{
	struct uring_completion done = uring_completion(ctx);
	struct uring_place place = uring_find_completed(&done);
	struct uring_note *note = place.note;

	if (!note || !uring_has_event(note, event)) {
		count_lost(event, LOSS_UNTOLD);
		return false;
	}
	f->owner_pid = note->pid;
	f->owner_tid = note->tid;
	f->ret = done.result;
	f->file = uring_file(*place.request);
	for (int i = 0; i < ARGUMENTS_MAX; i++)
		f->args[i] = note->args[i];
	uring_number_slots(f, note, event);
	if (stream_only[EVENT_close])
		opened_step_ring(note->files, event, f->args[0], f->ret);
	if (uring_is_rejected(f, note, event))
		goto none;
	if (may_be_of_streams(event) && stream_bytes && stream_is_left_out(f, event)) {
		count_filtered(event);
		goto none;
	}
	if (!filler_begin(f, ctx, event, nparams))
		goto none;
	uring_fill_rest(f, note);
	uring_fill_extras(f, note, event, done.result);
	if (done.request) {
		f->note = note;
		f->request = place.request;
	} else if (uring_kernel == URING_ENTRIES) {
		mark_contested(
			f, 0); /* the result: the program shares the memory that it was read from */
	}
	return true;
none:
	uring_note_end(note, place.request, &done);
	return false;
}

static __always_inline void uring_end(struct filler *f)
{
	filler_end(f);
	if (f->note)
		uring_give_back(f->note, f->request);
}

/* Those of other events are not compiled. */
#define URING_PROGRAM_OF(name)                                                                     \
	IF_URING_EVENT(name, SEC("tp_btf/io_uring_complete"))                                      \
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
			return 0;
#define TRACEPOINT_EVENT(name, id, ...) SYSCALL_EVENT(name, id)
#define LOCAL PUT_LOCAL
#define PARAM PUT_PARAM
#define EVENT_END(name)                                                                            \
	uring_end(f);                                                                              \
	return 0;                                                                                  \
	}

#include "events/all.def"

#endif
