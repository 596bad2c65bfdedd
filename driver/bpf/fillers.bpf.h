/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The fillers: a program for each event of the table, which writes it at the tracepoint of the
 * event.
 */
#ifndef LANNER_FILLERS_BPF_H
#define LANNER_FILLERS_BPF_H

#include "bpf/core/answers.bpf.h"
#include "bpf/core/budget.bpf.h"
#include "bpf/core/follow.bpf.h"
#include "bpf/table.bpf.h"
#include "bpf/core/kernel_filter.bpf.h"
#include "bpf/core/latency.bpf.h"
#include "bpf/tls_calls.bpf.h"
#include "bpf/call_rows.bpf.h"

static __always_inline bool is_self(struct task_struct *task)
{
	return is_own_pid(pid_of(task));
}

/* Not inlined, as each filler calls it twice: when it has begun, and when it cannot. */
static __attribute__((noinline)) __u64 filler_time_take(struct pt_regs *regs)
{
	return call_time_take(regs);
}

/* The entry time of the current call. A new task begins at the exit of a clone and has none. */
static __always_inline __u64 call_entered(struct filler *f, __u32 event)
{
	if (event_has(event, EF_MAKES_TASK) && f->ret == 0)
		return 0;
	return filler_time_take(f->regs);
}

/*
 * For a call that ends without its event: removes its notes, so that no other call uses them. This
 * is the only way out before an event is begun, so the slot that a call for several messages kept
 * cannot be forgotten whatever rejects one of them.
 */
static __always_inline int call_without_event(struct filler *f, __u32 event)
{
	if (event_has(event, EF_HAS_MESSAGES) && f->slot)
		scratch_give_back(f->slot);
	if (enter_times)
		filler_time_take(f->regs);
	if (event_has(event, EF_SENDS))
		sent_forget();
	note_remove_of(event);
	return 0;
}

/*
 * Whether the program of an event ends it. The others jump to one that does it for all of them, so
 * that the verifier walks that once and not for each event: a jump takes some ten ns.
 */
static __always_inline bool ends_itself(__u32 event)
{
	return !CAN_JUMP_FROM_FUNCTIONS || event_has(event, EF_FREQUENT | EF_HAS_MESSAGES);
}

static __always_inline void end_here(struct filler *f)
{
	filler_end(f);
	if (event_has(f->event, EF_SENDS))
		sent_forget();
}

static __always_inline void jump_to_end(struct filler *f)
{
	mute_end(f);
	f->slot->kept = (struct kept_slot){tid_of(f->self), ending_of(f), f->pos, 0};
	/*
	 * By an index that the verifier does not know: for each jump to a known one the kernel
	 * waits for a grace period when the capture ends, with a worker for each program.
	 */
	bpf_tail_call(f->ctx, &fillers, forget(f->slot, JUMP_end_event));
	f->slot->kept.tid = 0;
	count_lost(f->event, LOSS_OUTPUT);
	scratch_give_back(f->slot);
}

_Static_assert(MESSAGES_MAX <= 32 * MESSAGES_OF_RUN, "older kernels make 32 jumps, one to the filler");

/*
 * Ends the event of a message of a call that has one for each. Returns whether this program goes on
 * with the next one. After some of them it jumps to itself, and finds in the slot where it was. What
 * is beyond the last message that has an event is lost.
 */
static __always_inline bool end_message(struct filler *f)
{
	const __s32 next = f->message_index + 1;
	enum loss_cause cause = LOSS_MESSAGES;

	mute_end(f);
	frame_end(f->ctx, f->slot, f->slot_key, f->pos, ending_of(f), 0);
	if (next < f->messages && next < MESSAGES_MAX) {
		if (++f->turn < MESSAGES_OF_RUN) {
			f->message_index = forget(f->slot, next);
			f->messages = f->ret = forget(f->slot, f->messages);
			f->stream = forget(f->slot, f->stream);
			f->absent = false;
			f->pos = 0;
			f->param = 0;
			return true;
		}
		if (CAN_JUMP_FROM_FUNCTIONS) {
			f->slot->kept = (struct kept_slot){.tid = tid_of(f->self), .next = next};
			bpf_tail_call(f->ctx, &fillers, forget(f->slot, f->event));
			f->slot->kept.tid = 0;
			cause = LOSS_TAIL_CALL;
		}
	}
	messages_lose(f->event, next, f->messages, cause);
	if (event_has(f->event, EF_SENDS))
		sent_forget();
	scratch_give_back(f->slot);
	return false;
}

/* Returns whether the call has another event, which this program writes. */
static __always_inline bool call_end(struct filler *f)
{
	if (event_has(f->event, EF_HAS_MESSAGES))
		return end_message(f);
	if (ends_itself(f->event))
		end_here(f);
	else
		jump_to_end(f);
	return false;
}

/* Which of the two it is, clang knows: only one is compiled. */
static __always_inline bool event_end(struct filler *f)
{
	if (f->timed)
		return call_end(f);
	filler_end(f);
	return false;
}

/* The flags that a call asks to open a file with, if the filter compares them. */
#define FLAGS_ASKED(f, event)                                                                      \
	(opens_of_events[event].argument && exit_compares(event, KERNEL_OPEN_FLAGS)                \
		 ? file_flags(call_argument((f)->regs, call_caller((f)->self),                     \
					    opens_of_events[event].argument))                      \
		 : 0)

/*
 * The descriptor that a transfer used, if the filter compares it: see KERNEL_DESCRIPTOR. Not of a
 * 32-bit program, which may have its arguments in memory.
 */
static __always_inline __u64 descriptor_used(struct filler *f)
{
	struct caller caller = call_caller(f->self);
	__s32 fd = caller.native ? call_argument(f->regs, caller, 0) : -1;
	__u32 kind = file_kind(fd_file(fd));

	return kind ? (__u64)fd << 32 | kind : 0;
}

#define DESCRIPTOR_USED(f, event)                                                                  \
	(event_has(event, EF_TRANSFERS) && exit_compares(event, KERNEL_DESCRIPTOR)                 \
		 ? descriptor_used(f)                                                              \
		 : 0)

/* Successful execs are written at sched_process_exec, where the new program is known. */
#define SYSCALL_EVENT(name, id, ...)                                                               \
	SEC("tp/raw_syscalls/sys_exit")                                                            \
	int FILLER_NAME(name)(__u64 * ctx)                                                         \
	{                                                                                          \
		struct filler filler = {.self = this_task(),                                       \
					.regs = call_registers(ctx),                               \
					.ret = exit_result(ctx),                                   \
					.timed = true},                                            \
			      *f = &filler;                                                        \
                                                                                                   \
		if (event_has(id, EF_EXECS) && f->ret == 0)                                        \
			return call_without_event(f, id);                                          \
		if (event_has(id, EF_HAS_MESSAGES))                                                \
			messages_resume(f);                                                        \
		if (f->message_index == 0 &&                                                       \
		    exit_is_rejected(f->self, id, f->ret, FLAGS_ASKED(f, id),                      \
				     DESCRIPTOR_USED(f, id)))                                      \
			return call_without_event(f, id);                                          \
		if (opens_of_events[id].file && path_is_rejected(f, id, FLAGS_ASKED(f, id)))       \
			return call_without_event(f, id);                                          \
		f->caller = call_caller(f->self);                                                  \
		if (!take_arguments(f, id))                                                        \
			return call_without_event(f, id);                                          \
		if (event_has(id, EF_STREAMS))                                                     \
			tls_meet(f, id);                                                           \
		if (may_be_of_streams(id) && stream_bytes && stream_is_left_out(f, id)) {          \
			count_filtered(id);                                                        \
			return call_without_event(f, id);                                          \
		}                                                                                  \
		do {                                                                               \
			if (!filler_begin(f, ctx, id, name##__count))                              \
				return call_without_event(f, id);                                  \
			if (event_has(id, EF_HAS_MESSAGES))                                        \
				f->message_index = forget(f->slot, f->message_index);              \
			if (event_has(id, EF_TELLS_ANY_FILE) && tells_files) {                     \
				if (event_has(id, EF_DESTROYS_FD))                                 \
					note_next_file(f, argument(f, 0));                         \
				else                                                               \
					file_note(f->slot_key,                                     \
						  event_has(id, EF_CREATES_FD)                     \
							  ? descriptor_made_by(f)                  \
							  : descriptor_used_by(f, argument(f, 0))); \
			}                                                                          \
			if (event_has(id, EF_STREAMS) && stream_bytes)                             \
				note_stream(f, id);                                                \
			if (event_has(id, EF_TELLS_STREAM) && stream_bytes)                        \
				note_new_stream(f, id);                                            \
			if (moves_unseen(id) && keeps_times)                                       \
				f->slot->wants_times = unseen_is_wanted(f, id);                    \
			if (enter_times && f->message_index == 0)                                  \
				f->slot->entered_ns = call_entered(f, id);                         \
			if (ends_itself(id))                                                       \
				judge_result(f);

/* Of switches, in place of an event. */
static __always_inline bool is_counted(struct task_struct *task, __u32 event)
{
	if (event != EVENT_switch || !counts_calls || !counted_calls[EVENT_switch])
		return false;
	switch_row_add(task);
	return true;
}

/* Of a thread that gets its CPU, likewise. */
static __always_inline bool wait_is_counted(struct filler *f)
{
	if (!counts_calls || !counted_calls[EVENT_runqueue])
		return false;
	wait_row_add(f->task, f->since_ns);
	return true;
}

#define TRACEPOINT_EVENT(name, id, tracepoint, ...)                                                \
	SEC("tp_btf/" #tracepoint)                                                                 \
	int FILLER_NAME(name)(__u64 * ctx)                                                         \
	{                                                                                          \
		struct filler filler = {.self = this_task()}, *f = &filler;                        \
                                                                                                   \
		if (event_has(id, EF_OF_SOCKET)                                                    \
			    ? !tcp_event_begin(f, ctx, id, name##__count)                          \
		    : id == EVENT_runqueue                                                         \
			    ? !runqueue_find(f, ctx, id) || wait_is_counted(f) ||                  \
				      !filler_begin(f, ctx, id, name##__count)                     \
			    : is_counted(f->self, id) || is_self(f->self) ||                       \
				      is_left_out(f->self, id) || budget_sheds(id) ||              \
				      !filler_begin(f, ctx, id, name##__count))                    \
			return 0;                                                                  \
		do {

#define ITERATOR_EVENT(name, id, iterator, ...)                                                    \
	SEC("iter/" #iterator)                                                                     \
	int FILLER_NAME(name)(struct sample_context * ctx)                                         \
	{                                                                                          \
		struct filler filler = {.self = this_task()}, *f = &filler;                        \
                                                                                                   \
		if (!sample_begin(f, ctx, id, name##__count))                                      \
			return 0;                                                                  \
		do {

/* What their programs, in tls_programs.bpf.h, do when the event has begun. */
#define PROBE_EVENT(name, id, ...)                                                                 \
	static __always_inline int FILLER_NAME(name)(struct filler * f)                            \
	{                                                                                          \
		do {

/* Only uring_complete.bpf.h has their programs. */
#define URING_EVENT(name, id, ...)                                                                 \
	static __attribute__((unused)) __always_inline int FILLER_NAME(name)(__u64 * ctx)          \
	{                                                                                          \
		struct filler filler = {.self = this_task()}, *f = &filler;                        \
                                                                                                   \
		do {

#define LOCAL PUT_LOCAL
#define PARAM PUT_PARAM
#define EVENT_END(name)                                                                            \
		} while (event_end(f));                                                            \
		return 0;                                                                          \
	}

#include "events/all.def"

#endif
