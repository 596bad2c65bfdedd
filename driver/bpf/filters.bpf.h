/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Reads from seccomp filters whether they can answer calls in place of the kernel: when one is
 * installed, and of all that there are when a capture begins.
 */
#ifndef LANNER_FILTERS_BPF_H
#define LANNER_FILTERS_BPF_H

#include "bpf/core/answers.bpf.h"

#include <linux/filter.h>

enum {
	SCAN_INSNS = 32, /* read at once */
	CHAIN_MAX = 64,	 /* filters of a thread, of which each is asked */
	ACTION_UNIT = 1 << 16, /* of what a filter returns, the lower half is data */
	RETURNS_CONSTANT = BPF_RET | BPF_K,
	RETURNS_ACCUMULATOR = BPF_RET | BPF_A,
};

/*
 * 1 if they are equal, else 0. No branch, so that the verifier walks a loop once; and no mask, as
 * Linux 6.18 walks both values of one, and crashes when these become too many.
 */
static __always_inline __u64 is_equal(__u64 a, __u64 b)
{
	__u64 difference = a ^ b, equal;

	CHECKED(difference);
	equal = (difference - 1) >> 63;
	CHECKED(equal);
	return equal;
}

/* By the upper half of what a filter returns. */
static const volatile __u8 action_answers[SECCOMP_RET_ACTION / ACTION_UNIT + 1] = {
	[SECCOMP_RET_ERRNO / ACTION_UNIT] = ANSWER_ZERO, /* with the error number 0 */
	[SECCOMP_RET_TRAP / ACTION_UNIT] = ANSWER_REGISTER,
	[SECCOMP_RET_USER_NOTIF / ACTION_UNIT] = ANSWER_ANY,
	[SECCOMP_RET_TRACE / ACTION_UNIT] = ANSWER_ANY,
};

/* What an instruction of a filter (struct sock_filter) can answer. */
static __always_inline __u64 insn_answers(__u64 insn)
{
	__u64 code = insn & 0xffff, value = insn >> 32;
	__u64 constant = action_answers[(value & SECCOMP_RET_ACTION) / ACTION_UNIT];

	constant = (constant & ~ANSWER_ZERO) |
		   (constant & ANSWER_ZERO) * is_equal(value & SECCOMP_RET_DATA, 0);
	return is_equal(code, RETURNS_CONSTANT) * constant |
	       is_equal(code, RETURNS_ACCUMULATOR) * ANSWER_ANY;
}

/* The same of those from number `at` on, SCAN_INSNS or fewer, of `count` at an address. */
static __always_inline __u64 scan_some(__u64 address, __u64 at, __u64 count)
{
	__u64 insns[SCAN_INSNS] = {0}, found = 0, left = count - at, missing = SCAN_INSNS - left;

	/* No more than there are, without a branch. */
	left += missing * is_equal(missing >> 63, 1);
	left &= 2 * SCAN_INSNS - 1;
	if (left > SCAN_INSNS || bpf_probe_read_kernel(insns, left * sizeof(*insns),
						       (void *)(address + at * sizeof(*insns))))
		return ANSWER_ANY;
	for (__u32 i = 0; i < SCAN_INSNS; i++)
		found |= insn_answers(insns[i]);
	return found;
}

/* The same of all. Not inlined: the verifier walks it once. */
__attribute__((noinline)) int insns_answers(__u64 address, __u32 count)
{
	struct bpf_iter_num turns;
	__u64 found = 0;
	int *turn;

	if (CAN_ITERATE) {
		kernel_iter_new(&turns, 0, BPF_MAXINSNS / SCAN_INSNS);
		while ((turn = kernel_iter_next(&turns))) {
			__u64 at = (__u64)*turn * SCAN_INSNS;

			if (at >= count)
				break;
			found |= scan_some(address, at, count);
		}
		kernel_iter_destroy(&turns);
		return found;
	}
	for (__u64 at = 0; at < BPF_MAXINSNS && at < count; at += SCAN_INSNS)
		found |= scan_some(address, at, count);
	return found;
}

/* What a filter itself can answer. */
static __always_inline __u32 filter_scan(struct seccomp_filter *filter)
{
	struct sock_fprog_kern *program = READ(filter, prog, orig_prog);

	return program ? insns_answers((__u64)READ(program, filter), READ(program, len)) :
			 ANSWER_ANY;
}

static __always_inline __u32 *filter_known(struct seccomp_filter *filter)
{
	__u64 key = (__u64)filter;

	return bpf_map_lookup_elem(&filter_answers, &key);
}

static __always_inline void filter_note(struct seccomp_filter *filter, __u32 found,
					struct answers_state *state)
{
	__u64 key = (__u64)filter;

	found |= ANSWER_KNOWN;
	bpf_map_update_elem(&filter_answers, &key, &found, BPF_ANY);
	if (found & ANSWER_MADE)
		answers_want(state);
}

/*
 * Of a filter and those before it, scans the first one that is not known. Returns whether there was
 * one: then there may be more.
 */
static __always_inline bool scan_first(struct seccomp_filter *filter, struct answers_state *state)
{
	struct seccomp_filter *first = NULL;
	__u32 before = 0, *known;

	for (__u32 i = 0; i < CHAIN_MAX && filter; i++) {
		known = filter_known(filter);
		if (known) {
			before = *known;
			filter = NULL;
			break;
		}
		first = filter;
		filter = READ(filter, prev);
	}
	/* There are more than this program looks at. */
	if (filter)
		before = ANSWER_ANY;
	if (first)
		filter_note(first, before | filter_scan(first), state);
	return first != NULL;
}

/* Scans the last filter of a thread, whatever was known of its address before. */
static __always_inline void scan_last(struct seccomp_filter *filter, struct answers_state *state)
{
	struct seccomp_filter *before = READ(filter, prev);
	__u32 *known = before ? filter_known(before) : NULL;
	__u32 found = known ? *known : before ? ANSWER_ANY : 0;

	filter_note(filter, found | filter_scan(filter), state);
}

/* As the kernel passes it to programs. */
struct filters_context {
	struct bpf_iter_meta *meta;
	struct task_struct *task; /* NULL: no more */
};

/* Of all tasks: writes a byte for each filter that was scanned, so that user space reads again. */
static __always_inline int scan_filters_run(struct filters_context *ctx)
{
	struct answers_state *state = answers_state();
	struct task_struct *task = ctx->task;
	__u8 one = 1;

	if (!task || !state)
		return 0;
	if (READ(task, ptrace))
		answers_want(state);
	if (READ(task, seccomp.mode) == SECCOMP_MODE_FILTER &&
	    scan_first(READ(task, seccomp.filter), state))
		bpf_seq_write(ctx->meta->seq, &one, sizeof(one));
	return 0;
}

#endif
