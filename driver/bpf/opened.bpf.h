/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Which numbers of descriptors are files. While calls are captured for requests alone, opens of files
 * have no event, and their closes need none: nobody knows what is closed. So the exit of an open
 * notes its number, and the close of a noted one is left out. Of a number that is not noted nobody
 * knows what it is, and its close is captured: notes may be lost at any time.
 *
 * A number may be another file's before its close has ended, or be closed where no program sees it
 * (io_uring). So a note is used once, and only by a close behind which the number is free; and what
 * gives a socket a number removes it.
 */
#ifndef LANNER_OPENED_BPF_H
#define LANNER_OPENED_BPF_H

#include "bpf/core/event_ids.bpf.h"
#include "bpf/core/mute.bpf.h"
#include "bpf/readers/file.bpf.h"

enum {
	OPENED_PROCESSES = 1024,
	OPENED_NUMBERS = 256, /* of a process; a power of two */
};

struct opened_numbers {
	/* Whose they are: an exec closes some, and ids of processes are used again. */
	__u64 program, files;
	__u32 numbers[OPENED_NUMBERS]; /* of a file, plus 1, at its remainder; 0: none */
};

/* Key: process. User space makes it small if closes of files are captured. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, OPENED_PROCESSES);
	__type(key, __u32);
	__type(value, struct opened_numbers);
} opened SEC(".maps");

static const struct opened_numbers no_opened_numbers;

/* Those of the current process; NULL: it has none. */
static __always_inline struct opened_numbers *opened_find(struct task_struct *task)
{
	__u32 pid = pid_of(task);
	struct opened_numbers *found = bpf_map_lookup_elem(&opened, &pid);

	return found && found->files == (__u64)current_files() &&
			       found->program == program_of(task)
		       ? found
		       : NULL;
}

static __always_inline struct opened_numbers *opened_make(struct task_struct *task)
{
	struct opened_numbers *made = opened_find(task);
	__u32 pid = pid_of(task);

	if (made || bpf_map_update_elem(&opened, &pid, &no_opened_numbers, BPF_ANY))
		return made;
	made = bpf_map_lookup_elem(&opened, &pid);
	if (made) {
		made->program = program_of(task);
		made->files = (__u64)current_files();
	}
	return made;
}

/* An open gave that number. Not inlined, as kernel_filter_run(). */
static __attribute__((noinline)) int opened_note(struct task_struct *task, __s32 fd)
{
	struct file *file = fd_file(fd);
	struct opened_numbers *numbers;

	if (!file || (GET(file, f_inode, i_mode) & S_IFMT) == S_IFSOCK)
		return 0;
	numbers = opened_make(task);
	if (numbers)
		numbers->numbers[fd & (OPENED_NUMBERS - 1)] = fd + 1;
	return 0;
}

/* Whether that number was noted; it is not any more. Not inlined, likewise. */
static __attribute__((noinline)) bool opened_take(struct task_struct *task, __s32 fd)
{
	struct opened_numbers *numbers = opened_find(task);
	__u32 at = fd & (OPENED_NUMBERS - 1);

	if (!numbers || fd < 0 || numbers->numbers[at] != (__u32)fd + 1)
		return false;
	numbers->numbers[at] = 0;
	return true;
}

/* What a call changes of the numbers. Returns whether it closed a file, and needs no event. */
static __always_inline bool opened_step(struct task_struct *task, struct pt_regs *regs, __u32 event,
					__s32 result)
{
	__u32 pid;
	__s32 fd;

	switch (event) {
	case NOTICED_OPEN:
		opened_note(task, result);
		return false;
	case EVENT_close:
		fd = call_argument(regs, call_caller(task), 0);
		return opened_take(task, fd) && !fd_file(fd);
	case EVENT_close_range:
		pid = pid_of(task);
		bpf_map_delete_elem(&opened, &pid);
		return false;
	case EVENT_accept:
	case EVENT_accept4:
	case EVENT_dup2:
	case EVENT_dup3:
	case EVENT_socket:
		opened_take(task, result);
		return false;
	default:
		return false;
	}
}

#endif
