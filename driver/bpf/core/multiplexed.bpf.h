/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Calls of 32-bit programs that are multiplexed, or have their arguments in memory: their event,
 * and its arguments (driver/events/syscalls/i386_layouts.def).
 */
#ifndef LANNER_MULTIPLEXED_BPF_H
#define LANNER_MULTIPLEXED_BPF_H

#include "bpf/core/call.bpf.h"
#include "bpf/core/event_ids.bpf.h"

enum {
	IPC_VERSION_SHIFT = 16, /* of the first argument of ipc(); lower bits: operation */
	IPC_ADDRESS = 3,	/* its argument: the address of the result of shmat */
	IPC_64 = 0x100,		/* in a command: structs are of the newer layout */
};

/*
 * Where 32-bit programs may have the arguments of an event's call. A compile-time constant for each
 * event.
 */
struct layout {
	__u16 number; /* of the call that has them there; 0: none */
	bool in_memory;
	__u8 pointer, count;	  /* in memory: the argument that points there; how many words */
	__u8 order[ARGUMENTS_MAX]; /* otherwise: the index of each */
};

static __always_inline struct layout layout_of(__u32 event)
{
	switch (event) {
#define IN_MEMORY(name, pointer, count)                                                            \
	case EVENT_##name:                                                                         \
		return (struct layout){NR32_##name, true, pointer, count, {}};
#define SOCKETCALL(operation, name, count)                                                         \
	case EVENT_##name:                                                                         \
		return (struct layout){NR32_socketcall, true, 1, count, {}};
#define IPC(operation, name, ...)                                                                  \
	case EVENT_##name:                                                                         \
		return (struct layout){NR32_ipc, .order = {__VA_ARGS__}};
#include "events/syscalls/i386_layouts.def"
	default:
		return (struct layout){};
	}
}

static __always_inline bool unpack_memory(struct filler *f, struct layout layout)
{
	__u32 words[ARGUMENTS_MAX] = {};

	if (bpf_probe_read_user(words, layout.count * sizeof(words[0]),
				(void *)f->args[layout.pointer]))
		return false;
	for (int i = 0; i < ARGUMENTS_MAX; i++)
		f->args[i] = words[i];
	return true;
}

static __always_inline bool read_word(__u64 *value, __u64 address)
{
	__u32 word = 0;
	bool is_read = !bpf_probe_read_user(&word, sizeof(word), (void *)address);

	*value = word;
	return is_read;
}

/* The first form of ipc() has two of the arguments of msgrcv after its pointer. */
static __always_inline bool unpack_message(struct filler *f)
{
	struct {
		__u32 message, type;
	} kludge = {};

	if (bpf_probe_read_user(&kludge, sizeof(kludge), (void *)f->args[1]))
		return false;
	f->args[1] = kludge.message;
	f->args[3] = kludge.type;
	return true;
}

/* A command also says which layout its struct has. */
static __always_inline __u64 unpack_command(struct filler *f, __u64 command)
{
	f->ipc_is_older = !(command & IPC_64);
	return command & ~(__u64)IPC_64;
}

static __always_inline bool unpack_ipc(struct filler *f, __u32 event, struct layout layout)
{
	__u64 of_ipc[ARGUMENTS_MAX];

	for (int i = 0; i < ARGUMENTS_MAX; i++)
		of_ipc[i] = f->args[i];
	for (int i = 0; i < ARGUMENTS_MAX; i++)
		f->args[i] = of_ipc[layout.order[i]];
	switch (event) {
	case EVENT_semctl:
		f->args[2] = unpack_command(f, f->args[2]);
		return read_word(&f->args[3], f->args[3]);
	case EVENT_msgctl:
	case EVENT_shmctl:
		f->args[1] = unpack_command(f, f->args[1]);
		return true;
	case EVENT_msgrcv:
		return of_ipc[0] >> IPC_VERSION_SHIFT || unpack_message(f);
	case EVENT_shmat:
		return f->ret < 0 || read_word((__u64 *)&f->ret, of_ipc[IPC_ADDRESS]);
	default:
		return true;
	}
}

static __always_inline bool unpack(struct filler *f, __u32 event, struct layout layout)
{
	return layout.in_memory ? unpack_memory(f, layout) : unpack_ipc(f, event, layout);
}

/*
 * Before an event: gets its arguments, if they may be elsewhere. Returns false if they cannot be
 * read; then the call is counted, and not reported.
 */
static __always_inline bool take_arguments(struct filler *f, __u32 event)
{
	const struct layout layout = layout_of(event);

	if (!layout.number)
		return true;
	for (int i = 0; i < ARGUMENTS_MAX; i++)
		f->args[i] = call_argument(f->regs, f->caller, i);
	f->args_taken = true;
	if (f->caller.compat && call_number(f->regs) == layout.number &&
	    !unpack(f, event, layout)) {
		count_compat();
		return false;
	}
	for (int i = 0; i < ARGUMENTS_MAX; i++)
		CHECKED(f->args[i]);
	return true;
}

/* The event that is wanted for a multiplexed call. */
static __always_inline __u32 multiplexed_event(struct pt_regs *regs)
{
	bool is_ipc = call_number(regs) == NR32_ipc;
	__u64 operation = (__u32)call_argument(regs, call_caller(this_task()), 0);

	if (is_ipc)
		operation &= (1 << IPC_VERSION_SHIFT) - 1;
	CHECKED(operation);
	if (operation >= MULTIPLEXED_OPERATIONS)
		return COMPAT_COUNTED;
	return multiplexed_events[is_ipc ? MULTIPLEXED_IPC : MULTIPLEXED_SOCKETCALL].of_operation[operation];
}

#endif
