/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Calls that somebody answers in place of the kernel: a seccomp filter of the caller, or whoever
 * traces it. The call never runs, yet sys_exit fires with the result that its caller gets.
 *
 * What a filter can answer is read from it when it is installed (bpf/filters.bpf.h). Only results
 * that a filter or tracer of the thread can have made are doubted. What tells them apart is that
 * sys_enter did not fire: programs note there that a call began, but cost each call of the machine,
 * so user space attaches them only while such results come (userspace/scap/live/answers.c). A thread
 * without a note made no call since: then its result is contested; with one that says that no call
 * is running, it is faked.
 */
#ifndef LANNER_ANSWERS_BPF_H
#define LANNER_ANSWERS_BPF_H

#include "bpf/core/call.bpf.h"
#include "bpf/core/frame.bpf.h"

#include <linux/seccomp.h>

enum {
	FILTERS_MAX = 4096,
	CALLS_BEGUN_MAX = 16384,
	NO_CALL = 0xffffffff, /* in place of the number of a call */
};

DEFINE_CURRENT(seccomp_mode, int, seccomp.mode)
DEFINE_CURRENT(ptrace, unsigned int, ptrace)

/* Shared with user space, which maps it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct answers_state);
} answers SEC(".maps");

/* Key: address of a seccomp filter. enum answer bits of it and those before it. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FILTERS_MAX);
	__type(key, __u64);
	__type(value, __u32);
} filter_answers SEC(".maps");

/* What a thread that may be answered for is doing. */
struct call_begun {
	__u64 start_ns; /* of the thread, as ids are used again */
	__u32 epoch;	/* of struct answers_state, when this was noted */
	__u32 number;	/* NO_CALL: none since the last one ended */
};

/* Key: thread. One that is displaced makes a result contested. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, CALLS_BEGUN_MAX);
	__type(key, __u32);
	__type(value, struct call_begun);
} calls_begun SEC(".maps");

static __always_inline struct answers_state *answers_state(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&answers, &zero);
}

/* Of the current task; cheap: most tasks have neither a filter nor a tracer. */
static __always_inline bool may_be_answered(struct task_struct *task)
{
	return ptrace_of(task) || seccomp_mode_of(task) == SECCOMP_MODE_FILTER;
}

/* Which results its filters or its tracer can have made; of a filter that is not known, any. */
static __always_inline __u32 answers_for(struct task_struct *task, struct answers_state *state)
{
	__u64 filter;
	__u32 *known;

	if (ptrace_of(task))
		return ANSWER_ANY;
	if (seccomp_mode_of(task) != SECCOMP_MODE_FILTER)
		return 0;
	filter = (__u64)READ(task, seccomp.filter);
	known = bpf_map_lookup_elem(&filter_answers, &filter);
	if (known)
		return *known;
	return state->knows_filters ? ANSWER_ANY : 0;
}

static __always_inline bool can_be_answer(__u32 possible, __s64 ret, __s64 of_signal)
{
	return (possible & ANSWER_ANY) || (ret == 0 && (possible & ANSWER_ZERO)) ||
	       (ret == of_signal && (possible & ANSWER_REGISTER));
}

/* User space, which may sleep, is to attach the programs soon. */
static __always_inline void answers_want(struct answers_state *state)
{
	state->used_ns = bpf_ktime_get_boot_ns();
	if (state->wanted)
		return;
	state->wanted = 1;
	bell_ring();
}

/* The note of the current thread; NULL: it made no call since notes are made. */
static __always_inline struct call_begun *call_noted(struct task_struct *task,
						     struct answers_state *state)
{
	__u32 tid = tid_of(task);
	struct call_begun *begun = bpf_map_lookup_elem(&calls_begun, &tid);

	if (!begun || !state->epoch || begun->epoch != state->epoch ||
	    begun->start_ns != READ(task, start_time))
		return NULL;
	return begun;
}

/* Calls that restore the registers of another call, and its number as none. */
static __always_inline bool restores_registers(__u32 number)
{
	return number == NR_rt_sigreturn || number == NR32_rt_sigreturn ||
	       number == NR32_sigreturn;
}

/*
 * The number of the call that the current thread makes: not what its tracer has put in its place
 * since it began.
 */
static __always_inline __u64 number_begun(struct task_struct *task, __u64 number)
{
	struct call_begun *begun;
	struct answers_state *state;

	if (!ptrace_of(task))
		return number;
	state = answers_state();
	begun = state ? call_noted(task, state) : NULL;
	if (!begun || begun->number == NO_CALL || restores_registers(begun->number))
		return number;
	return begun->number;
}

/*
 * Marks the event in a slot if the kernel may not have run its call, which succeeded. Not inlined:
 * the verifier walks it once for each filler.
 */
__attribute__((noinline)) int result_judge(__u32 slot_key, __s64 ret, __u64 number,
						__s64 of_signal)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct answers_state *state = answers_state();
	struct task_struct *task = this_task();
	struct call_begun *begun;

	if (!slot || !state || !can_be_answer(answers_for(task, state), ret, of_signal))
		return 0;
	answers_want(state);
	begun = call_noted(task, state);
	if (!begun)
		slot_marks(slot)->contested |= 1; /* the result, which is the first parameter */
	else if (begun->number == NO_CALL)
		slot_marks(slot)->is_faked = 1;
	else if (begun->number != number)
		slot_marks(slot)->contested = ~0ULL; /* a tracer put another call in its place */
	return 0;
}

static __always_inline void judge_result(struct filler *f)
{
	if (may_be_answered(f->self) && !call_failed(f))
		result_judge(f->slot_key, f->ret, call_number(f->regs),
			     result_of_signal(f->regs));
}

static __always_inline bool has_note(__u32 tid)
{
	return bpf_map_lookup_elem(&calls_begun, &tid) != NULL;
}

static __always_inline void call_note(struct task_struct *task, __u32 tid, __u32 number,
				      struct answers_state *state)
{
	struct call_begun begun = {READ(task, start_time), state->epoch, number};

	bpf_map_update_elem(&calls_begun, &tid, &begun, BPF_ANY);
}

/* At sys_enter. */
static __always_inline int note_begun_run(__u64 *ctx)
{
	struct answers_state *state = answers_state();
	struct task_struct *task = this_task();
	__u32 tid = tid_of(task);

	/* What is noted of a thread stays true when its tracer leaves: another one may come. */
	if (!state || !(has_note(tid) || (may_be_answered(task) &&
					  (answers_for(task, state) & ANSWER_MADE))))
		return 0;
	if (may_be_answered(task))
		state->used_ns = bpf_ktime_get_boot_ns();
	call_note(task, tid, call_number((void *)ctx[0]), state);
	return 0;
}

/* At sys_exit, behind the program that writes the event of the call. */
static __always_inline int note_ended_run(__u64 *ctx)
{
	__u32 tid = current_tid();
	struct call_begun *begun = bpf_map_lookup_elem(&calls_begun, &tid);

	if (begun)
		begun->number = NO_CALL;
	return 0;
}

/*
 * A new thread, which has the filters of its creator, begins at the exit of its creator's call;
 * where CHILD_EVENT_AT_FORK, it begins without a call.
 */
static __always_inline int note_born_run(__u64 *ctx)
{
	struct task_struct *child = (void *)ctx[1];
	struct answers_state *state = answers_state();
	struct task_struct *self = this_task();
	struct call_begun *begun;

	if (!state || !may_be_answered(self))
		return 0;
	begun = call_noted(self, state);
	if (begun)
		call_note(child, READ(child, pid), CHILD_EVENT_AT_FORK ? NO_CALL : begun->number,
			  state);
	return 0;
}

static __always_inline int forget_begun_run(__u64 *ctx)
{
	__u32 tid = current_tid();

	bpf_map_delete_elem(&calls_begun, &tid);
	return 0;
}

#endif
