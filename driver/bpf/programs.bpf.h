/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The programs other than the fillers, from events/programs.def. An EVENT_PROGRAM puts the
 * parameters of an event as its filler does; that it has all of them, in their order, is asserted.
 */
#ifndef LANNER_PROGRAMS_BPF_H
#define LANNER_PROGRAMS_BPF_H

#include "bpf/fillers.bpf.h"
#include "bpf/filters.bpf.h"
#include "bpf/find_owners.bpf.h"
#include "bpf/open_fds.bpf.h"
#include "bpf/opened.bpf.h"
#include "bpf/threads.bpf.h"
#include "bpf/tls_go.bpf.h"
#include "bpf/tls_programs.bpf.h"
#include "bpf/uring_older.bpf.h"
#include "bpf/uring_overflow.bpf.h"
#include "bpf/waits.bpf.h"

/* The events that are wanted for a call by its number. Most calls end here, so this is cheap. */
static __always_inline bool call_wanted(__u64 number, struct call_events *events)
{
	if (number >= SYSCALL_NR_MAX)
		return false;
	*events = call_events[number];
	return events->native || events->compat;
}

/* The one that is wanted for the current call, 0 if there is none. */
static __always_inline __u32 event_of_caller(struct call_events events, struct pt_regs *regs,
					     struct task_struct *task)
{
	__u32 event = call_is_compat(regs, task) ? events.compat : events.native;

	return event == COMPAT_MULTIPLEXED ? multiplexed_event(regs) : event;
}

static __always_inline __u32 call_event(struct pt_regs *regs, struct task_struct *task)
{
	struct call_events events;

	return call_wanted(call_number(regs), &events) ? event_of_caller(events, regs, task) : 0;
}

/*
 * A call that does not return: its registers are still available while the task exits. A task that
 * a signal ends on entry of the call has not made it.
 */
static __always_inline bool exit_begin(struct filler *f, __u64 *ctx, __u16 event, __u32 nparams)
{
	struct task_struct *task = (void *)ctx[0];

	f->regs = task_registers(task);
	if (!f->regs || call_event(f->regs, f->self) != event || is_self(f->self) ||
	    is_left_out(f->self, event) || (READ(task, exit_code) & 0x7f) || budget_sheds(event) ||
	    !filler_begin(f, ctx, event, nparams))
		return false;
	f->caller = call_caller(f->self);
	return true;
}

/*
 * The entry time of an exec of the thread that had that id on entry: exec may have changed it to
 * that of the first thread.
 */
static __always_inline __u64 exec_entered(__u32 tid)
{
	struct enter_time *time = enter_time_of(tid);
	__u32 id, event;

	if (!time)
		return 0;
	id = enter_time_id(time);
	event = id & CALL_ID_COMPAT ? call_events[id & CALL_ID_NUMBER].compat
				    : call_events[id & CALL_ID_NUMBER].native;
	return event_has(event, EF_EXECS) ? enter_time_take(time, tid, id) : 0;
}

static __always_inline bool exec_success_begin(struct filler *f, __u64 *ctx)
{
	f->timed = true;
	if (!filler_begin(f, ctx, EVENT_execve, execve__count))
		return false;
	if (enter_times)
		f->slot->entered_ns = exec_entered(ctx[1]);
	return true;
}

static __always_inline bool page_fault_kernel_begin(struct filler *f, __u64 *ctx)
{
	return filler_begin(f, ctx, EVENT_page_fault, page_fault__count);
}

#if CHILD_EVENT_AT_FORK
static __always_inline bool clone_child_begin(struct filler *f, __u64 *ctx)
{
	struct task_struct *child = (void *)ctx[1];

	f->task = child;
	f->of_child = true;
	if (!READ(child, mm) || !filler_begin(f, ctx, EVENT_clone, clone__count))
		return false;
	/* Functions that are not inlined take it only as a number. */
	f->task = (void *)forget(f->slot, (__u64)child);
	return true;
}
#endif

static __always_inline int note_clone3_run(__u64 *ctx)
{
	struct task_struct *caller = (void *)ctx[0], *child = (void *)ctx[1];
	struct pt_regs *regs = task_registers(caller);

	if (regs && call_number(regs) == NR_clone3)
		clone3_note(caller, child, call_argument(regs, call_caller(this_task()), 0));
	return 0;
}

/* Whether a thread is in a call that names it, and whose event tells user space. */
static __always_inline bool names_itself(struct task_struct *task)
{
	struct pt_regs *regs = task_registers(task);
	__u64 number;

	if (!regs || (__u32)READ(task, pid) != current_tid())
		return false;
	number = call_number(regs);
	if (call_is_compat(regs, this_task()))
		return number == NR32_prctl || number == NR32_execve || number == NR32_execveat;
	return number == NR_prctl || number == NR_execve || number == NR_execveat;
}

/* A thread gets a name, maybe from another one that writes it to a file. */
static __always_inline int note_renamed_run(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];

	if (names_itself(task))
		rename_forget(READ(task, pid));
	else
		rename_note(READ(task, pid));
	return 0;
}

/*
 * A datagram that is about to be sent: not one of io_uring, whose call is another one, or of a call
 * whose exit nobody watches. Kernels before 5.15 do not tell (see task_registers()).
 */
static __always_inline int note_sent(struct sent_address to)
{
	struct task_struct *task = this_task();
	struct pt_regs *regs;

	if (is_self(task) || (flags_of(task) & (TASK_KERNEL_THREAD | TASK_IO_WORKER)))
		return SEND_ALLOWED;
	regs = task_registers(task);
	if (!regs || event_has(call_event(regs, task), EF_SENDS))
		sent_note_message(task, to);
	return SEND_ALLOWED;
}

static __always_inline int note_sent4_run(struct bpf_sock_addr *ctx)
{
	return note_sent((struct sent_address){
		{0, 0, bpf_htonl(0xffff), ctx->user_ip4}, ctx->user_port, true});
}

static __always_inline int note_sent6_run(struct bpf_sock_addr *ctx)
{
	return note_sent((struct sent_address){
		{ctx->user_ip6[0], ctx->user_ip6[1], ctx->user_ip6[2], ctx->user_ip6[3]},
		ctx->user_port,
		false});
}

static __always_inline int forget_renamed_run(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];

	rename_forget(READ(task, pid));
	return 0;
}

/* The context of the tracepoint on entry of one system call. */
struct entry_context {
	__u64 common;
	__s64 number;
	__u64 args[6];
};

/* Whether the call of a wanted event returns. */
static __always_inline bool has_latency(__u32 event)
{
	return event && event < EVENT_ID_MAX && event != EVENT_exit && event != EVENT_exit_group;
}

static __always_inline int note_enter_time_run(__u64 *ctx)
{
	struct pt_regs *regs = call_registers(ctx);
	struct call_events events;
	struct task_struct *task;
	__u32 event;

	if (!call_wanted(call_number(regs), &events))
		return 0;
	task = this_task();
	event = event_of_caller(events, regs, task);
	if (has_latency(event) && !is_self(task) && !is_left_out(task, event))
		enter_time_note(tid_of(task), call_id(regs, task));
	return 0;
}

static __always_inline void forget_notes(__u32 event)
{
	if (event_has(event, EF_SENDS) && notes_sends)
		sent_forget();
	note_remove_of(event);
}

/* For a wanted call whose filler does not run: removes what was noted of it. */
static __always_inline void forget_call(struct pt_regs *regs, __u32 event)
{
	if (enter_times)
		call_time_take(regs);
	forget_notes(event);
}

/* Numbers of x32 calls: counted, not decoded. */
static __always_inline void count_x32(__u64 number)
{
	number = call_number_x32(number);
	if (number < SYSCALL_NR_MAX && call_events[number].native)
		count_compat();
}

/* A call of the agent, whose events are left out: only its question is answered. */
static __always_inline int own_call(__u64 *ctx, struct pt_regs *regs)
{
	if (call_number(regs) == NR_sched_get_priority_max &&
	    (__u32)call_argument(regs, call_caller(this_task()), 0) == HEARTBEAT_ARGUMENT)
		bpf_tail_call(ctx, &fillers, JUMP_answer_heartbeat);
	return 0;
}

/* On the way of all events: a jump, and a record of the CPU's ring. */
static __always_inline int answer_heartbeat_run(__u64 *ctx)
{
	struct batch_header none = {};

	bpf_perf_event_output(ctx, &rings, BPF_F_CURRENT_CPU, &none, sizeof(none));
	return 0;
}

/* What the fillers of calls jump to when the values are in the frame. */
static __always_inline int end_event_run(__u64 *ctx)
{
	struct filler filler = {.self = this_task(),
				.regs = call_registers(ctx),
				.ret = exit_result(ctx)},
		      *f = &filler;
	struct kept_slot *kept;

	slot_resume(f);
	if (!f->slot)
		return 0;
	kept = &f->slot->kept;
	judge_result(f);
	frame_end(ctx, f->slot, f->slot_key, kept->pos, kept->ending & ~ENDING_OF_REQUEST, 0);
	scratch_give_back(f->slot);
	return 0;
}

static __always_inline bool accepts_connection(__u32 event)
{
	return event == EVENT_accept || event == EVENT_accept4 || event == NOTICED_ACCEPT;
}

/* Not inlined, as kernel_filter_run(). */
static __attribute__((noinline)) int note_accepted(struct task_struct *task, long result)
{
	struct sock *sk = result >= 0 ? fd_sock((__s32)result) : NULL;

	if (sk && socket_is_tcp(sk))
		socket_owner_accept(task, sk);
	return 0;
}

/* Whether a call has no event although that is wanted: of a process, or for what it costs. */
static __always_inline bool call_is_dropped(struct task_struct *task, struct pt_regs *regs,
					    __u32 event)
{
	if (is_left_out(task, event))
		return true;
	if (kernel_filters.mutes && mute_drops(task, event)) {
		forget_call(regs, event);
		return true;
	}
	if (holds)
		follow_hold(task);
	if (budget_sheds(event)) {
		forget_call(regs, event);
		return true;
	}
	return false;
}

/* Of others it is only known with the event whether a filter or a tracer made it up. */
static __always_inline bool has_own_result(struct task_struct *task)
{
	return !(call_rows_by & BY_RESULT) || !may_be_answered(task);
}

/* In place of an event. Returns false if there has to be one. */
static __always_inline bool count_call(struct task_struct *task, struct pt_regs *regs,
				       __u32 event, long result)
{
	if (!has_own_result(task) || !call_row_add(task, regs, event, result))
		return false;
	forget_notes(event);
	return true;
}

/*
 * Jumps to the filler of an event that is frequent, by a number that the kernel knows when it
 * compiles the program: it writes a direct jump there, where an indirect one takes 10 ns more with
 * its defence against speculation.
 */
static __always_inline void jump_to_frequent(__u64 *ctx, __u32 event)
{
	switch (event) {
#define SYSCALL_EVENT(name, id, syscall, category, flags)                                          \
	case (flags) & EF_FREQUENT ? id : EVENT_ID_MAX + id:                                       \
		if ((flags) & EF_FREQUENT)                                                         \
			bpf_tail_call_static(ctx, &fillers, id);                                   \
		break;
#include "events/all.def"
	default:
		break;
	}
}

/*
 * Jumps to the filler of the event of the current call, if one is wanted. is_usual: of a call like
 * most; others do without direct jumps, as for each the kernel waits when the capture ends.
 */
static __always_inline int dispatch(__u64 *ctx, struct pt_regs *regs, struct task_struct *task,
				    bool is_usual)
{
	__u64 number = number_begun(task, call_number(regs));
	struct call_events events;
	__u32 event;

	if (!COMPAT_HAS_NUMBERS && call_is_compat(regs, task)) {
		count_compat();
		return 0;
	}
	if (!call_wanted(number, &events)) {
		count_x32(number);
		return 0;
	}
	event = event_of_caller(events, regs, task);
	if (!event)
		return 0;
	if (is_self(task))
		return own_call(ctx, regs);
	if (tls_chosen.wanted && number == NR_mmap && !call_is_compat(regs, task))
		tls_note_mapping(task, regs);
	if (owns_sockets && accepts_connection(event))
		note_accepted(task, exit_result(ctx));
	if (stream_only[EVENT_close] && opened_step(task, regs, event, exit_result(ctx))) {
		if (!is_left_out(task, event))
			count_filtered(event);
		forget_call(regs, event);
		return 0;
	}
	if (event >= EVENT_ID_MAX) {
		if (event == COMPAT_COUNTED)
			count_compat();
		return 0;
	}
	if (drops_calls && call_is_dropped(task, regs, event))
		return 0;
	if (counts_calls && counted_calls[event] &&
	    count_call(task, regs, event, exit_result(ctx)))
		return 0;
	/* A read here lets the kernel refuse a tracepoint without the result that fillers read. */
	exit_result(ctx);
	if (is_usual && JUMPS_DIRECTLY)
		jump_to_frequent(ctx, event);
	bpf_tail_call(ctx, &fillers, event);
	count_lost(event, LOSS_TAIL_CALL);
	forget_call(regs, event);
	return 0;
}

/*
 * A call that may have installed a filter: scans the last one of its thread, whatever was known of
 * its address before. dispatch_sys_exit jumps here.
 */
static __always_inline int scan_installed_run(__u64 *ctx)
{
	struct answers_state *state = answers_state();
	struct task_struct *task = this_task();

	if (state)
		scan_last(READ(task, seccomp.filter), state);
	return dispatch(ctx, call_registers(ctx), task, false);
}

/*
 * A call that may install a seccomp filter, of 64-bit, 32-bit or x32 programs: of one that is not
 * scanned, what was known of an earlier one at its address would be believed.
 */
static __always_inline bool may_install_filter(__u64 number)
{
	number &= ~(__u64)X32_BIT;
	return number == NR_seccomp || number == NR_prctl || number == NR32_seccomp ||
	       number == NR32_prctl;
}

static __always_inline int dispatch_sys_exit_run(__u64 *ctx)
{
	struct pt_regs *regs = call_registers(ctx);
	struct task_struct *task = this_task();

	/* Without that program results of these threads are contested. */
	if (seccomp_mode_of(task) == SECCOMP_MODE_FILTER && may_install_filter(call_number(regs)))
		bpf_tail_call(ctx, &fillers, JUMP_scan_installed);
	return dispatch(ctx, regs, task, true);
}

/* The index of each row of an EVENT_PROGRAM. */
/* clang-format off */
#define EVENT_PROGRAM(name, ...) enum name##_rows {
#define EXIT_PROGRAM(event) enum event##_rows {
#define URING_OLDER_EVENT EVENT_PROGRAM
#define PARAM(event, name, ...) row_of_##event##__##name,
#define EVENT_PROGRAM_END(name, event) name##_rows_count };
/* clang-format on */
#include "events/programs.def"

#define PARAM(event, name, ...)                                                                    \
	_Static_assert((int)row_of_##event##__##name == (int)event##__##name,                      \
		       "the rows of " #event                                                       \
		       " in events/programs.def are not those of the event");
#define EVENT_PROGRAM_END(name, event)                                                             \
	_Static_assert((int)name##_rows_count == (int)event##__count,                              \
		       #name " in events/programs.def misses a parameter of " #event);
#include "events/programs.def"

#define ENTRY_ARG(n) (ctx->args[n])
#define ENTRY_PROGRAM(name, note, ...)                                                             \
	SEC("tracepoint/syscalls/sys_enter_" #name)                                                \
	int ENTRY_NAME(name)(struct entry_context * ctx)                                           \
	{                                                                                          \
		struct task_struct *task = this_task();                                            \
                                                                                                   \
		return is_self(task) || is_left_out(task, EVENT_##name) ||                         \
				       entry_is_rejected(task, EVENT_##name)                       \
			       ? 0                                                                 \
			       : note;                                                             \
	}

#define EVENT_PROGRAM(name, event, tracepoint)                                                     \
	SEC("tp_btf/" #tracepoint)                                                                 \
	int name(__u64 *ctx)                                                                       \
	{                                                                                          \
		struct filler filler = {.self = this_task()}, *f = &filler;                        \
                                                                                                   \
		if (!event_has(EVENT_##event, EF_OF_SOCKET) &&                                     \
		    (is_self(f->self) || is_left_out(f->self, EVENT_##event) ||                    \
		     budget_sheds(EVENT_##event)))                                                 \
			return 0;                                                                  \
		if (!name##_begin(f, ctx))                                                         \
			return 0;
#define EXIT_PROGRAM(event)                                                                        \
	SEC("tp_btf/sched_process_exit")                                                           \
	int EXIT_NAME(event)(__u64 * ctx)                                                          \
	{                                                                                          \
		struct filler filler = {.self = this_task()}, *f = &filler;                        \
                                                                                                   \
		if (!exit_begin(f, ctx, EVENT_##event, event##__count))                            \
			return 0;
#define URING_OLDER_EVENT(name, event, tracepoint)                                                 \
	SEC("tp_btf/" #tracepoint)                                                                 \
	int name(__u64 *ctx)                                                                       \
	{                                                                                          \
		struct filler filler = {.self = this_task(),                                       \
					.caller = {.native = ~0ULL},                               \
					.args_taken = true,                                        \
					.timed = true,                                             \
					.of_request = true},                                       \
			      *f = &filler;                                                        \
                                                                                                   \
		if (!name##_begin(f, ctx))                                                         \
			return 0;
#define LOCAL PUT_LOCAL
#define PARAM PUT_PARAM
#define EVENT_PROGRAM_END(...)                                                                     \
	filler_end(f);                                                                             \
	return 0;                                                                                  \
	}

#define HELPER_PROGRAM(name, event, tracepoint)                                                    \
	SEC("tp_btf/" #tracepoint)                                                                 \
	int name(__u64 *ctx)                                                                       \
	{                                                                                          \
		return name##_run(ctx);                                                            \
	}

#define NAME_PROGRAM(name, tracepoint) HELPER_PROGRAM(name, , tracepoint)

#define FOLLOW_PROGRAM(name, tracepoint) HELPER_PROGRAM(name, , tracepoint)

#define SOCKET_PROGRAM(name, tracepoint) HELPER_PROGRAM(name, , tracepoint)

#define WAIT_PROGRAM(name, tracepoint) HELPER_PROGRAM(name, , tracepoint)

#define SEND_PROGRAM(name, hook, ...)                                                              \
	SEC("cgroup/" #hook)                                                                       \
	int name(struct bpf_sock_addr *ctx)                                                        \
	{                                                                                          \
		return name##_run(ctx);                                                            \
	}

/* As what they jump to. */
#define URING_PROGRAM(name, tracepoint)                                                            \
	SEC("raw_tp")                                                                              \
	int name(__u64 *ctx)                                                                       \
	{                                                                                          \
		return name##_run(ctx);                                                            \
	}

#define URING_OLDER_PROGRAM(name, tracepoint) HELPER_PROGRAM(name, , tracepoint)

#define JUMP_PROGRAM(name) CALLS_PROGRAM(name, sys_exit, )

#define CALLS_PROGRAM(name, hook, ...)                                                             \
	SEC("tp/raw_syscalls/" #hook)                                                              \
	int name(__u64 *ctx)                                                                       \
	{                                                                                          \
		return name##_run(ctx);                                                            \
	}

#define ANSWER_PROGRAM(name, tracepoint) HELPER_PROGRAM(name, , tracepoint)

#define TLS_PROGRAM(name, tracepoint) HELPER_PROGRAM(name, , tracepoint)

#define PROBE_PROGRAM(name)                                                                        \
	SEC("uprobe")                                                                              \
	int name(struct probe_registers *regs)                                                     \
	{                                                                                          \
		return name##_run(regs);                                                           \
	}

#include "events/programs.def"

SEC("raw_tp")
int cgroup_roots(void *ctx)
{
	return cgroup_roots_run();
}

SEC("raw_tp")
int own_groups(void *ctx)
{
	return own_groups_run();
}

SEC("iter/task_file")
int open_fds(struct open_fds_context *ctx)
{
	return open_fds_run(ctx);
}

SEC("iter/task_file")
int find_owners(struct open_fds_context *ctx)
{
	return find_owners_run(ctx);
}

SEC("iter/task")
int threads(struct threads_context *ctx)
{
	return threads_run(ctx);
}

SEC("iter/task")
int scan_filters(struct filters_context *ctx)
{
	return scan_filters_run(ctx);
}

#endif
