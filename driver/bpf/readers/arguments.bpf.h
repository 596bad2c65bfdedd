/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The arguments and the environment of a program, or those that a failed exec passed. */
#ifndef LANNER_ARGUMENTS_BPF_H
#define LANNER_ARGUMENTS_BPF_H

#include "bpf/readers/task.bpf.h"

enum {
	EXEC_STRINGS_MAX = 16, /* strings read of a failed exec's vectors */
	AREA_UNREADABLE = 2 * STRING_BYTES_MAX,
	STRINGS_LEFT = 2 * STRING_BYTES_MAX, /* beside their bytes: some are not read */
};

/*
 * Writes the strings between two addresses of the caller, at most `limit` bytes, to `pos` of the
 * current frame of a slot; the last byte is a NUL. Of longer ones the beginning, which then ends
 * with "...", and the end. Returns the bytes, or AREA_UNREADABLE. Not inlined: the verifier walks it
 * once.
 */
__attribute__((noinline)) __u64 area_read(__u32 slot_key, __u64 pos, __u64 start, __u64 end,
					  __u64 limit)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	__u64 n = end - start, kept = n < limit ? n : limit, head;
	__u8 *room;

	if (!slot || pos > FRAME_BYTES_MAX || end <= start || limit == 0)
		return 0;
	room = slot_frame(slot) + pos;
	head = n > limit && limit > 2 * AREA_END_BYTES ? limit - AREA_END_BYTES : kept;
	CHECKED(head);
	if (head > STRING_BYTES_MAX)
		head = STRING_BYTES_MAX;
	if (head == 0 || bpf_probe_read_user(room, head, (void *)start))
		return AREA_UNREADABLE;
	room[head - 1] = '\0';
	if (head == kept || head < sizeof("..."))
		return head;
	__builtin_memcpy(room + head - sizeof("..."), "...", sizeof("..."));
	if (bpf_probe_read_user(room + head, AREA_END_BYTES, (void *)(end - AREA_END_BYTES)))
		return AREA_UNREADABLE;
	room[head + AREA_END_BYTES - 1] = '\0';
	return head + AREA_END_BYTES;
}

static __always_inline void put_area(struct filler *f, __u64 start, __u64 end, __u64 limit)
{
	__u64 n = area_read(f->slot_key, f->pos, start, end, limit);

	if (end > start && end - start > limit)
		mark_truncated(f);
	if (n == AREA_UNREADABLE) {
		count_unreadable(f);
		n = 0;
	}
	frame_advance(f, n & (2 * STRING_BYTES_MAX - 1));
}

/*
 * Writes the strings of a vector from `first` on, one after the other, to `pos` of the current
 * frame of a slot, at most `limit` bytes. Returns the bytes, and STRINGS_LEFT if there may be more:
 * of one that fills the room nobody knows whether it ends there. Not inlined: the verifier walks it
 * once.
 */
__attribute__((noinline)) __u64 strings_read(__u32 slot_key, __u64 pos, __u64 vector, __u32 first,
					     __u64 limit)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	const struct caller caller = call_caller(this_task());
	__u64 at = 0;
	__u8 *room;

	if (!slot || pos > FRAME_BYTES_MAX)
		return 0;
	room = slot_frame(slot) + pos;
	for (__u32 i = 0; i <= EXEC_STRINGS_MAX; i++) {
		__u64 address = 0, left;
		const __u32 bytes = word_bytes(slot, caller);
		long n;

		at = forget(slot, at);
		if (at >= limit || at >= STRING_BYTES_MAX)
			return at | STRINGS_LEFT;
		if (bpf_probe_read_user(&address, bytes, (void *)vector) || !address)
			break;
		if (i == EXEC_STRINGS_MAX)
			return at | STRINGS_LEFT;
		vector += bytes;
		if (i < first)
			continue;
		left = forget(slot, limit - at);
		if (left > STRING_BYTES_MAX)
			left = STRING_BYTES_MAX;
		n = read_user_string(room + at, left, (void *)address);
		if (n <= 0)
			break;
		at += n;
	}
	return at;
}

static __always_inline void put_vector_strings(struct filler *f, __u64 vector, __u32 first,
					       __u64 limit)
{
	__u64 n = strings_read(f->slot_key, f->pos, vector, first, limit);

	if (n & STRINGS_LEFT)
		mark_truncated(f);
	frame_advance(f, n & (2 * STRING_BYTES_MAX - 1));
}

/* In place of an argument vector, for calls that have none. */
#define NO_VECTOR (~0ULL)

/* forget() is worth its cost only for the result of an exec, whose readers are the largest. */
static __always_inline bool exec_failed(struct filler *f, __u64 vector)
{
	if (vector == NO_VECTOR || __builtin_constant_p(f->ret))
		return f->ret < 0;
	return call_failed(f);
}

/*
 * argv[0]. A failed exec has not replaced the caller: its argument is in `argv`. If that has no
 * strings, argv[0] is empty; if it cannot be read, absent.
 */
static __always_inline bool put_exe(struct filler *f, __u64 argv)
{
	struct mm_struct *mm = GET(current_task(f), mm);
	__u64 exe = 0;
	__u8 *room;

	if (exec_failed(f, argv) && argv == NO_VECTOR) {
		put_absent(f);
		return false;
	}
	if (!exec_failed(f, argv)) {
		put_string(f, mm ? GET(mm, arg_start) : 0);
		return false;
	}
	if (argv && bpf_probe_read_user(&exe, word_bytes(f->slot, f->caller), (void *)argv)) {
		count_unreadable(f);
		put_absent(f);
		return false;
	}
	if (exe) {
		put_string(f, exe);
		return false;
	}
	room = frame_room(f);
	if (room) {
		*room = '\0';
		frame_advance(f, 1);
	}
	return true;
}

/* argv[1] and on, together with argv[0] at most 4096 bytes. Put directly after put_exe(). */
static __always_inline void put_args(struct filler *f, __u64 argv, bool argv_ended)
{
	struct mm_struct *mm = GET(current_task(f), mm);
	__u16 exe_len = length_put(f, f->param - 1);
	__u64 limit = STRING_BYTES_MAX - (exe_len & (STRING_BYTES_MAX - 1));

	if (exe_len >= STRING_BYTES_MAX)
		mark_truncated(f);
	if (exe_len >= STRING_BYTES_MAX || !mm || (exec_failed(f, argv) && argv == NO_VECTOR) ||
	    argv_ended)
		put_absent(f);
	else if (exec_failed(f, argv))
		put_vector_strings(f, argv, 1, limit);
	else
		put_area(f, GET(mm, arg_start) + exe_len, GET(mm, arg_end), limit);
}

static __always_inline void put_env(struct filler *f, __u64 envp)
{
	struct mm_struct *mm = GET(current_task(f), mm);

	if (!reads_environments)
		put_absent(f);
	else if (exec_failed(f, envp) && envp)
		put_vector_strings(f, envp, 0, STRING_BYTES_MAX);
	else if (exec_failed(f, envp) || !mm)
		put_absent(f);
	else
		put_area(f, GET(mm, env_start), GET(mm, env_end), STRING_BYTES_MAX);
}

#endif
