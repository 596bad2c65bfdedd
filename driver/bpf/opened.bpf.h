/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Which numbers of descriptors are files. While calls are captured for requests alone, opens of
 * files have no event, and their closes need none: nobody knows what is closed. So the exit of an
 * open notes its number, and the close of a noted one is left out. Of a number that is not noted
 * nobody knows what it is, and its close is captured: notes may be lost at any time.
 *
 * A number may be another file's before its close has ended, or be closed where no program sees it.
 * So a note is used once, and only by a close behind which the number is free; and whatever gives a
 * number to a file removes its note, by a call or an operation of io_uring. What may give numbers
 * that are not in its result removes all notes of its table.
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
	/* Who noted them: an exec closes some, and the addresses of tables are used again. */
	__u64 program, pid;
	__u32 numbers[OPENED_NUMBERS]; /* of a file, plus 1, at its remainder; 0: none */
};

/*
 * Key: the address of a table of descriptors. User space makes it small if closes of files are
 * captured.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, OPENED_PROCESSES);
	__type(key, __u64);
	__type(value, struct opened_numbers);
} opened SEC(".maps");

static const struct opened_numbers no_opened_numbers;

static __always_inline void opened_forget(void)
{
	__u64 files = (__u64)current_files();

	if (bpf_map_lookup_elem(&opened, &files))
		bpf_map_delete_elem(&opened, &files);
}

/*
 * Those of the current process; NULL: it has none. Of processes that share a table each forgets
 * what another one noted, as no note may outlive what is done to its number.
 */
static __always_inline struct opened_numbers *opened_find(struct task_struct *task)
{
	__u64 files = (__u64)current_files();
	struct opened_numbers *found = bpf_map_lookup_elem(&opened, &files);

	if (found && (found->pid != pid_of(task) || found->program != program_of(task))) {
		bpf_map_delete_elem(&opened, &files);
		found = NULL;
	}
	return found;
}

static __always_inline struct opened_numbers *opened_make(struct task_struct *task)
{
	struct opened_numbers *made = opened_find(task);
	__u64 files = (__u64)current_files();

	if (made || bpf_map_update_elem(&opened, &files, &no_opened_numbers, BPF_ANY))
		return made;
	made = bpf_map_lookup_elem(&opened, &files);
	if (made) {
		made->program = program_of(task);
		made->pid = pid_of(task);
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

/* Removes the note of a number, if it has one. */
static __always_inline bool opened_remove(struct opened_numbers *numbers, __s32 fd)
{
	__u32 at = fd & (OPENED_NUMBERS - 1);

	if (!numbers || fd < 0 || numbers->numbers[at] != (__u32)fd + 1)
		return false;
	numbers->numbers[at] = 0;
	return true;
}

/* Whether that number was noted; it is not any more. Not inlined, likewise. */
static __attribute__((noinline)) bool opened_take(struct task_struct *task, __s32 fd)
{
	return opened_remove(opened_find(task), fd);
}

/* Whether the result may be the number of a new descriptor. */
static __always_inline bool opened_makes_number(__u32 event)
{
	return event_has(event, EF_CREATES_FD) || event == EVENT_fcntl || event == NOTICED_ACCEPT;
}

/* Whether it may make descriptors whose numbers it does not return, or close several. */
static __always_inline bool opened_changes_many(__u32 event)
{
	return event == EVENT_close_range || event == EVENT_socketpair || event == EVENT_recvmsg ||
	       event == EVENT_recvmmsg;
}

/* What a call changes of the numbers. Returns whether it closed a file, and needs no event. */
static __always_inline bool opened_step(struct task_struct *task, struct pt_regs *regs, __u32 event,
					__s32 result)
{
	__s32 fd;

	if (event == NOTICED_OPEN) {
		opened_note(task, result);
	} else if (event == EVENT_close) {
		fd = call_argument(regs, call_caller(task), 0);
		return opened_take(task, fd) && !fd_file(fd);
	} else if (opened_changes_many(event)) {
		opened_forget();
	} else if (opened_makes_number(event)) {
		opened_take(task, result);
	}
	return false;
}

/* Likewise, of an operation of io_uring, which any task may complete. closed: its first argument. */
static __always_inline void opened_step_ring(__u64 files, __u32 event, __s32 closed, __s32 result)
{
	if (opened_changes_many(event))
		bpf_map_delete_elem(&opened, &files);
	else if (event == EVENT_close)
		opened_remove(bpf_map_lookup_elem(&opened, &files), closed);
	else if (opened_makes_number(event) || event == EVENT_io_uring_op)
		opened_remove(bpf_map_lookup_elem(&opened, &files), result);
}

#endif
