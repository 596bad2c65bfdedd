/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The BPF programs. Dispatch runs at the exit of every system call and jumps to the filler of its
 * event; fillers are expanded from the event table (driver/events/), whose source column says how
 * each value is read.
 */
#include "bpf/core/call.bpf.h"
#include "bpf/core/dyn.bpf.h"
#include "bpf/core/frame.bpf.h"
#include "bpf/core/latency.bpf.h"
#include "bpf/readers/aio.bpf.h"
#include "bpf/readers/arguments.bpf.h"
#include "bpf/readers/buffer.bpf.h"
#include "bpf/readers/cgroup.bpf.h"
#include "bpf/readers/clone.bpf.h"
#include "bpf/readers/entry_copy.bpf.h"
#include "bpf/readers/epoll.bpf.h"
#include "bpf/readers/executable.bpf.h"
#include "bpf/readers/exit.bpf.h"
#include "bpf/readers/fd_set.bpf.h"
#include "bpf/readers/file.bpf.h"
#include "bpf/readers/file_attributes.bpf.h"
#include "bpf/readers/flags.bpf.h"
#include "bpf/readers/futex.bpf.h"
#include "bpf/readers/io_uring.bpf.h"
#include "bpf/readers/ipc.bpf.h"
#include "bpf/readers/keyctl.bpf.h"
#include "bpf/readers/message.bpf.h"
#include "bpf/readers/mount.bpf.h"
#include "bpf/readers/page_fault.bpf.h"
#include "bpf/readers/poll.bpf.h"
#include "bpf/readers/prctl.bpf.h"
#include "bpf/readers/ptrace.bpf.h"
#include "bpf/readers/quota.bpf.h"
#include "bpf/readers/rlimit.bpf.h"
#include "bpf/readers/sched.bpf.h"
#include "bpf/readers/security.bpf.h"
#include "bpf/readers/semaphore.bpf.h"
#include "bpf/readers/siginfo.bpf.h"
#include "bpf/readers/signal.bpf.h"
#include "bpf/readers/snaplen.bpf.h"
#include "bpf/readers/socket.bpf.h"
#include "bpf/readers/sockopt.bpf.h"
#include "bpf/readers/system.bpf.h"
#include "bpf/readers/task.bpf.h"
#include "bpf/readers/time.bpf.h"
#include "bpf/readers/user_memory.bpf.h"

enum event_id {
#define SYSCALL_EVENT(name, id, ...) EVENT_##name = id,
#define TRACEPOINT_EVENT(name, id, ...) EVENT_##name = id,
#define PARAM(...)
#define EVENT_END(name)
#include "events/all.def"
};

#include "bpf/core/multiplexed.bpf.h"

#define SYSCALL_EVENT(name, ...) enum event_##name##_params {
#define TRACEPOINT_EVENT(name, ...) enum event_##name##_params {
#define PARAM(event, name, ...) event##__##name,
#define EVENT_END(name) name##__count };
#include "events/all.def"

/* How a value of each type goes into the frame; sources of variable types put it themselves. */
#define PUT_INT8(source) put_u8(f, source)
#define PUT_INT16(source) put_u16(f, source)
#define PUT_INT32(source) put_u32(f, source)
#define PUT_INT64(source) put_u64(f, source)
#define PUT_UINT8(source) put_u8(f, source)
#define PUT_UINT16(source) put_u16(f, source)
#define PUT_UINT32(source) put_u32(f, source)
#define PUT_UINT64(source) put_u64(f, source)
#define PUT_FLAGS8(source) put_u8(f, source)
#define PUT_FLAGS16(source) put_u16(f, source)
#define PUT_FLAGS32(source) put_u32(f, source)
#define PUT_FLAGS64(source) put_u64(f, source)
#define PUT_ENUMFLAGS8(source) put_u8(f, source)
#define PUT_ENUMFLAGS16(source) put_u16(f, source)
#define PUT_ENUMFLAGS32(source) put_u32(f, source)
#define PUT_MODE(source) put_u32(f, source)
#define PUT_FD(source) put_u64(f, (__s64)(source))
#define PUT_PID(source) put_u64(f, (__s64)(source))
#define PUT_ERRNO(source) put_u64(f, (__s64)(source))
#define PUT_UID(source) put_u32(f, source)
#define PUT_GID(source) put_u32(f, source)
#define PUT_SYSCALLID(source) put_u16(f, source)
#define PUT_SIGTYPE(source) put_u8(f, source)
#define PUT_SIGSET(source) put_u32(f, source)
#define PUT_RELTIME(source) put_u64(f, source)
#define PUT_ABSTIME(source) put_u64(f, source)
#define PUT_BOOL(source) put_u32(f, source)
#define PUT_CHARBUF(source) source
#define PUT_FSPATH(source) source
#define PUT_FSRELPATH(source) source
#define PUT_BYTEBUF(source) source
#define PUT_SOCKADDR(source) source
#define PUT_SOCKTUPLE(source) source
#define PUT_FDLIST(source) source
#define PUT_DYN(source) source
#define PUT_UINT32LIST(source) source
#define PUT_BITSET(source) source
#define PUT_CHARBUFARRAY(source) source
#define PUT_UINT64LIST(source) source

/* What the sources in the table may name, besides the functions of the readers. */
#define RET (f->ret)
#define ARG(n) argument(f, n)
#define SIGNED_ARG(n) signed_word(f, argument(f, n))
#define ID_ARG(n) id_value(f, argument(f, n))
/* `compat`: the place that 32-bit programs have for it. */
#define MOVED_ARG(n, compat) argument_moved(f, n, compat)
#define WIDE_ARG(n, compat) argument_wide(f, n, compat)

/* The number that 64-bit programs have for the call at hand. */
static __always_inline __u16 syscall_number(struct filler *f)
{
	__u64 number = call_number(f->regs);

	if (!f->caller.compat)
		return number;
	CHECKED(number);
	number = number < SYSCALL_NR_MAX ? compat_calls[number].native : NO_NATIVE;
	f->absent = number == NO_NATIVE;
	return number;
}

static __always_inline __u16 syscall_code(struct filler *f)
{
	__u64 number = call_number(f->regs);

	CHECKED(number);
	if (number >= SYSCALL_NR_MAX)
		return 0;
	return f->caller.compat ? compat_calls[number].code : syscall_codes[number];
}

/* A row's variable is seen by the rows behind it; that it is absent is said where it is put. */
#define LOCAL(event, name, value)                                                                  \
	__auto_type name = value;                                                                  \
	f->absent = false;

#define PARAM(event, name, type, format, source, ...)                                              \
	f->param = event##__##name;                                                                \
	PUT_##type(source);

#define EVENT_END(name)                                                                            \
	if (HAS_MESSAGES(EVENT_##name))                                                            \
		messages_end(f);                                                                   \
	else                                                                                       \
		filler_end(f);                                                                     \
	return 0;                                                                                  \
	}

#define HAS_MESSAGES(id) ((id) == EVENT_sendmmsg || (id) == EVENT_recvmmsg)
#define MAKES_TASK(id)                                                                             \
	((id) == EVENT_clone || (id) == EVENT_clone3 || (id) == EVENT_fork || (id) == EVENT_vfork)

/* When the call at hand began. What a clone made begins at the end of one. */
static __always_inline __u64 call_entered(struct filler *f, __u32 event)
{
	if (MAKES_TASK(event) && f->ret == 0)
		return 0;
	return enter_time_take(current_tid(), call_id(f->regs));
}

/* For a call that ends without its event: its time is not to be found by another one. */
static __always_inline int call_untold(struct pt_regs *regs)
{
	if (enter_times)
		enter_time_take(current_tid(), call_id(regs));
	return 0;
}

/* Successful execs are written at sched_process_exec, where the new program is known. */
#define SYSCALL_EVENT(name, id, ...)                                                               \
	SEC("tp/raw_syscalls/sys_exit")                                                            \
	int fill_##name(__u64 *ctx)                                                                \
	{                                                                                          \
		struct filler filler = {.regs = call_registers(ctx),                               \
					.ret = exit_result(ctx),                                   \
					.timed = true},                                            \
			      *f = &filler;                                                        \
                                                                                                   \
		if ((id == EVENT_execve || id == EVENT_execveat) && f->ret == 0)                   \
			return call_untold(f->regs);                                               \
		if (HAS_MESSAGES(id))                                                              \
			messages_resume(f);                                                        \
		f->caller = call_caller();                                                         \
		if (!take_arguments(f, id))                                                        \
			return call_untold(f->regs);                                               \
		if (!filler_begin(f, ctx, id, name##__count))                                      \
			return call_untold(f->regs);                                               \
		if (enter_times && f->message_index == 0)                                          \
			f->slot->entered_ns = call_entered(f, id);

#define TRACEPOINT_EVENT(name, id, tracepoint, ...)                                                \
	SEC("tp_btf/" #tracepoint)                                                                 \
	int fill_##name(__u64 *ctx)                                                                \
	{                                                                                          \
		struct filler filler = {}, *f = &filler;                                           \
                                                                                                   \
		if (is_self() || !filler_begin(f, ctx, id, name##__count))                         \
			return 0;

static __always_inline bool is_self(void)
{
	return self_pid && current_pid() == self_pid;
}

#include "events/all.def"

/* Programs of their own put the parameters of an event as its filler does. */
#define LOCAL(event, name, value)                                                                  \
	__auto_type name = value;                                                                  \
	f->absent = false;

#define PARAM(event, name, type, format, source, ...)                                              \
	f->param = event##__##name;                                                                \
	PUT_##type(source);

#define EXTENSION_PARAM PARAM

/*
 * The event that is wanted for a call, 0 when there is none. The table is looked at first because
 * most calls end there.
 */
static __always_inline __u32 call_event(struct pt_regs *regs)
{
	__u64 number = call_number(regs);
	struct call_events events;
	__u32 event;

	if (number >= SYSCALL_NR_MAX)
		return 0;
	events = call_events[number];
	if (!events.native && !events.compat)
		return 0;
	event = call_is_compat(regs) ? events.compat : events.native;
	return event == COMPAT_MULTIPLEXED ? multiplexed_event(regs) : event;
}

/* When the exec of a thread began that had that id then: it may have got the first thread's. */
static __always_inline __u64 exec_entered(__u32 tid)
{
	__u32 id = enter_time_id(tid), event;

	event = id & CALL_ID_COMPAT ? call_events[id & CALL_ID_NUMBER].compat
				    : call_events[id & CALL_ID_NUMBER].native;
	return event == EVENT_execve || event == EVENT_execveat ? enter_time_take(tid, id) : 0;
}

SEC("tp_btf/sched_process_exec")
int exec_success(__u64 *ctx)
{
	struct linux_binprm *program = (void *)ctx[2];
	struct filler filler = {.timed = true}, *f = &filler;

	if (is_self() || !filler_begin(f, ctx, EVENT_execve, execve__count))
		return 0;
	if (enter_times)
		f->slot->entered_ns = exec_entered(ctx[1]);
	EXEC_PARAMS(execve, 0, 0)
	f->param = execve__filename;
	put_kernel_string(f, READ(program, filename), STRING_BYTES_MAX);
	f->param = execve__filename_at_enter;
	put_none_noted(f);
	EXEC_ID_PARAM(execve)
	filler_end(f);
	return 0;
}

SEC("tp_btf/page_fault_kernel")
int page_fault_kernel(__u64 *ctx)
{
	struct filler filler = {}, *f = &filler;

	if (is_self() || !filler_begin(f, ctx, EVENT_page_fault, page_fault__count))
		return 0;
	PAGE_FAULT_PARAMS(page_fault)
	filler_end(f);
	return 0;
}

/*
 * A call that does not come back: its registers are still there when the task is on its way out. One
 * that a signal ends as it enters the call has not made it.
 */
#define EXIT_PROGRAM(name)                                                                         \
	SEC("tp_btf/sched_process_exit")                                                           \
	int name##_called(__u64 *ctx)                                                              \
	{                                                                                          \
		struct task_struct *task = (void *)ctx[0];                                         \
		struct pt_regs *regs = task_registers(task);                                       \
		struct filler filler = {}, *f = &filler;                                           \
                                                                                                   \
		if (!regs || call_event(regs) != EVENT_##name || is_self() ||                      \
		    (READ(task, exit_code) & 0x7f) ||                                              \
		    !filler_begin(f, ctx, EVENT_##name, name##__count))                            \
			return 0;                                                                  \
		f->param = name##__status;                                                         \
		put_u32(f, call_argument(regs, call_caller(), 0));                                 \
		filler_end(f);                                                                     \
		return 0;                                                                          \
	}

EXIT_PROGRAM(exit)
EXIT_PROGRAM(exit_group)

#if CHILD_EVENT_AT_FORK
/* Kernel threads, which have no memory of their own, are not made by system calls. */
SEC("tp_btf/sched_process_fork")
int clone_child(__u64 *ctx)
{
	struct task_struct *maker = (void *)ctx[0], *child = (void *)ctx[1];
	struct filler filler = {.task = child, .of_child = true}, *f = &filler;

	if (is_self() || !READ(child, mm) || !filler_begin(f, ctx, EVENT_clone, clone__count))
		return 0;
	/* Functions that are not inlined take it as a number only. */
	f->task = (void *)forget(f->slot, (__u64)child);
	CLONE_PARAMS(clone, child_flags(maker, child))
	filler_end(f);
	return 0;
}
#endif

SEC("tp_btf/sched_process_fork")
int note_clone3(__u64 *ctx)
{
	struct task_struct *caller = (void *)ctx[0], *child = (void *)ctx[1];
	struct pt_regs *regs = task_registers(caller);

	if (regs && call_number(regs) == NR_clone3)
		clone3_note(caller, child, call_argument(regs, call_caller(), 0));
	return 0;
}

/* What the tracepoint of one system call's enter gives. */
struct enter_context {
	__u64 common;
	__s64 number;
	__u64 args[6];
};

#define ENTER_PROGRAM(name, note)                                                                  \
	SEC("tracepoint/syscalls/sys_enter_" #name)                                                \
	int enter_##name(struct enter_context *ctx)                                                \
	{                                                                                          \
		return is_self() ? 0 : note;                                                       \
	}

ENTER_PROGRAM(open, note_string(ctx->args[0]))
ENTER_PROGRAM(creat, note_string(ctx->args[0]))
ENTER_PROGRAM(openat, note_string(ctx->args[1]))
ENTER_PROGRAM(openat2, note_string(ctx->args[1]))
ENTER_PROGRAM(execve, note_string(ctx->args[0]))
ENTER_PROGRAM(execveat, note_string(ctx->args[1]))
ENTER_PROGRAM(connect, note_sockaddr(ctx->args[1], ctx->args[2]))

/* Numbers of the x32 kind: counted, not guessed. */
static __always_inline void count_x32(__u64 number)
{
	number = call_number_x32(number);
	if (number < SYSCALL_NR_MAX && call_events[number].native)
		count_compat();
}

/* Whether the call of an event that is wanted comes back. */
static __always_inline bool has_latency(__u32 event)
{
	return event && event != COMPAT_COUNTED && event != EVENT_exit && event != EVENT_exit_group;
}

SEC("tp/raw_syscalls/sys_enter")
int note_enter_time(__u64 *ctx)
{
	struct pt_regs *regs = call_registers(ctx);

	if (has_latency(call_event(regs)) && !is_self())
		enter_time_note(current_tid(), call_id(regs));
	return 0;
}

SEC("tp/raw_syscalls/sys_exit")
int dispatch_sys_exit(__u64 *ctx)
{
	struct pt_regs *regs = call_registers(ctx);
	__u32 event;

	if (!COMPAT_HAS_NUMBERS && call_is_compat(regs)) {
		count_compat();
		return 0;
	}
	if (call_number(regs) >= SYSCALL_NR_MAX) {
		count_x32(call_number(regs));
		return 0;
	}
	event = call_event(regs);
	if (!event || is_self())
		return 0;
	if (event == COMPAT_COUNTED) {
		count_compat();
		return 0;
	}
	bpf_tail_call(ctx, &fillers, event);
	count_lost(event, LOSS_TAIL_CALL);
	return call_untold(regs);
}

char driver_license[] SEC("license") = "Dual MIT/GPL";
