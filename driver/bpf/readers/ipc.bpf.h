/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Messages, semaphores and what the control calls of System V IPC point to. */
#ifndef LANNER_IPC_BPF_H
#define LANNER_IPC_BPF_H

#include "bpf/readers/flags.bpf.h"
#include "bpf/readers/user_memory.bpf.h"

DEFINE_USER_STRUCT(semaphore)
DEFINE_USER_STRUCT_OF_TWO_FORMS(ipc_perm, narrow_words)
DEFINE_USER_STRUCT_OF_TWO_FORMS(mq_attr, narrow_words)

enum {
	IPC_COMMAND_SET = 1,
	SEMAPHORE_SET_VALUE = 16,
	MQ_CREATE = 0100,
};

/* Commands that read the owner and mode of an object, by family. */
#define SHM_STAT_COMMANDS (BIT(2) | BIT(13) | BIT(15))
#define MSG_STAT_COMMANDS (BIT(2) | BIT(11) | BIT(13))

/*
 * The address of the owner and mode that a control call sets or has read. The older layout is not
 * shown.
 */
static __always_inline __u64 ipc_perm_address(struct filler *f, __u32 command, __u64 buffer,
					      __u32 stat_commands)
{
	if (f->ipc_is_older)
		return 0;
	if (command == IPC_COMMAND_SET)
		return buffer;
	if (f->ret < 0 || command > 31 || !(BIT(command) & stat_commands))
		return 0;
	return buffer;
}

/* Where the text of a message begins: after its type. */
static __always_inline __u64 message_text(struct filler *f, __u64 message)
{
	return message + word_bytes(f->slot, f->caller);
}

/* The n-th of `count` operations of a successful call, else zeros. */
static __always_inline struct user_semaphore semop_done(struct filler *f, __u64 operations,
							__u32 count, __u32 n)
{
	__u64 at = f->ret == 0 && n < count ? operations + n * sizeof(struct user_semaphore) : 0;

	return read_semaphore(f, at).value;
}

/* The last argument of semctl is a number for one command only. */
static __always_inline __s32 semctl_value(__u32 command, __u64 argument)
{
	return command == SEMAPHORE_SET_VALUE ? argument : 0;
}

/* The address of the n-th of `count` operations of a semaphore call; 0: none. */
static __always_inline __u64 semaphore_address(__u64 operations, __u64 count, __u32 n)
{
	return operations && n < count ? operations + n * sizeof(struct user_semaphore) : 0;
}

/* An address that counts only if the queue may be created. */
static __always_inline __u64 mq_create_address(__u64 flags, __u64 address)
{
	return flags & MQ_CREATE ? address : 0;
}

static __always_inline __u32 mq_create_mode(struct filler *f, __u64 flags, __u16 mode)
{
	f->absent = !(flags & MQ_CREATE);
	return mode;
}

/* The bytes of a sent message, by its size: the result does not count them. */
static __always_inline void put_message(struct filler *f, __u64 address, __u64 size)
{
	put_bytes(f, address, min_u64(size, snaplen));
}

#endif
