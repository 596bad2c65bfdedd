/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Stacks of processes, read frame by frame: by the unwind tables of files, and by frame pointers
 * where code has none. What is read of a stack before it cannot go on is kept, with the reason.
 */
#ifndef PROFILE_UNWIND_BPF_H
#define PROFILE_UNWIND_BPF_H

#include "bpf/profile/mapping.bpf.h"
#include "bpf/profile/registers.bpf.h"

enum {
	ROW_STEPS = 18, /* of a search among as many rows as a page can have */
	FRAME_BYTES_MAX = 1 << 24, /* of a function by its frame pointer */
	START_BYTES_MAX = 64, /* that the first function of a program has, to align its stack */
};

enum { STEP_END, STEP_ON };

static __always_inline int end_stack(struct work *work, __u8 lack)
{
	work->stack.lack = lack;
	return STEP_END;
}

static __always_inline bool read_word(__u64 address, __u64 *word)
{
	return bpf_probe_read_user(word, sizeof(*word), (void *)address) == 0;
}

/* Adds to the stack and to its hash. Returns whether there was room. */
static __always_inline bool push(struct work *work, __u64 frame)
{
	__u32 at = work->stack.count;

	if (at >= PROFILE_FRAMES_MAX)
		return false;
	work->stack.frames[at & (PROFILE_FRAMES_MAX - 1)] = frame;
	work->stack.count = at + 1;
	work->hash = (work->hash ^ frame) * 0x9e3779b97f4a7c15ULL;
	work->hash ^= work->hash >> 29;
	return true;
}

static __always_inline __u64 offset_in_file(const struct work *work)
{
	return work->ip - work->mapping.begin + work->mapping.offset;
}

static __always_inline __u64 current_frame(const struct work *work)
{
	if (!work->mapping.is_file)
		return work->ip;
	return PROFILE_IN_FILE | (__u64)work->mapping.file << PROFILE_OFFSET_BITS |
	       (offset_in_file(work) & ((1ULL << PROFILE_OFFSET_BITS) - 1));
}

/* Rows. */

/* A row, or one behind all offsets if there is none. */
static __always_inline __u32 row_at(__u32 at)
{
	__u32 index = at / PROFILE_CHUNK_ROWS;
	struct profile_chunk *chunk = bpf_map_lookup_elem(&chunks, &index);

	return chunk ? chunk->rows[at % PROFILE_CHUNK_ROWS] : ~0U;
}

/* The index of the rule of the last row of a page that is not behind an offset. */
static __always_inline __u32 find_row(const struct profile_page *page, __u32 offset)
{
	__u32 at = page->first, left = page->count;

	for (int step = 0; step < ROW_STEPS && left > 1; step++) {
		__u32 half = left / 2;

		if (row_at(at + half) >> 16 <= offset)
			at += half;
		left -= half;
	}
	return row_at(at) & 0xffff;
}

static __always_inline void want_page(const struct profile_page_key *key)
{
	struct profile_page wanted = {.state = PROFILE_PAGE_WANTED};
	struct profile_news told = {.kind = PROFILE_NEWS_PAGE, .page = *key};

	if (bpf_map_update_elem(&pages, key, &wanted, BPF_NOEXIST) == 0)
		tell(&told);
}

enum { TABLE_NONE = -1 }; /* beside enum profile_lack: go on by frame pointers */

/* Sets work->rule. Returns PROFILE_WHOLE, TABLE_NONE, or why it cannot be known. */
__noinline int find_rule(__u32 slot)
{
	struct work *work = work_of(slot);
	struct profile_page_key key = {};
	struct profile_page *page;
	struct profile_rule *rule;
	__u64 offset;
	__u32 index;

	if (!work)
		return TABLE_NONE;
	if (!work->mapping.is_file || work->mapping.state == PROFILE_FILE_BARE)
		return TABLE_NONE;
	if (work->mapping.state == PROFILE_FILE_NEW)
		return PROFILE_TABLE_LATE;
	if (work->mapping.state == PROFILE_FILE_FULL)
		return PROFILE_TABLE_FULL;
	offset = offset_in_file(work);
	key.file = work->mapping.file;
	key.page = offset >> PROFILE_PAGE_BITS;
	page = bpf_map_lookup_elem(&pages, &key);
	if (!page) {
		want_page(&key);
		return PROFILE_TABLE_LATE;
	}
	if (page->state != PROFILE_PAGE_LOADED)
		return page->state == PROFILE_PAGE_FULL ? PROFILE_TABLE_FULL : PROFILE_TABLE_LATE;
	if (!page->count)
		return TABLE_NONE;
	index = find_row(page, offset & 0xffff);
	rule = bpf_map_lookup_elem(&rules, &index);
	if (!rule)
		return TABLE_NONE;
	work->rule = *rule;
	return PROFILE_WHOLE;
}

/* To the caller. */

static __always_inline int go_to(struct work *work, __u64 ip, __u64 sp, __u64 bp)
{
	ip = plain_address(ip);
	if (!ip)
		return end_stack(work, PROFILE_WHOLE);
	work->ip = ip - !work->rule.is_signal;
	work->sp = sp;
	work->bp = bp;
	work->lr = 0;
	return STEP_ON;
}

/*
 * Whether this is where the program began: the stack is as the kernel made it. The dynamic linker
 * begins there, without a table.
 */
static __always_inline bool is_start(const struct work *work)
{
	struct mm_struct *mm = (void *)work->mm;
	__u64 top = BPF_CORE_READ(mm, start_stack);

	return work->sp + START_BYTES_MAX >= top && work->sp <= top;
}

/*
 * By frame pointers. Code without them has anything in the register: frames lie above each other,
 * and none is huge.
 */
static __always_inline int step_by_pointer(struct work *work)
{
	__u64 bp = work->bp, saved, ra;

	if (is_start(work))
		return end_stack(work, PROFILE_WHOLE);
	if (!bp)
		return end_stack(work, PROFILE_BY_FRAME_POINTER);
	if (bp < work->sp || bp - work->sp > FRAME_BYTES_MAX || bp & 7)
		return end_stack(work, PROFILE_NO_TABLE);
	if (!read_word(bp, &saved) || !read_word(bp + 8, &ra))
		return end_stack(work, PROFILE_UNREADABLE);
	if (!ra)
		return end_stack(work, PROFILE_BY_FRAME_POINTER);
	work->rule.is_signal = 0;
	return go_to(work, ra, bp + 16, saved);
}

/*
 * Code that returns at once where it goes on, by "add $N,%rsp; ret", needs neither table nor frame
 * pointer: the trampolines that Python has for profilers, one for each function, are such.
 */
static __always_inline bool returns_at_once(const struct work *work, __u64 *ra_at)
{
#ifdef __TARGET_ARCH_x86
	const __u64 known = 0xc300c48348ULL, mask = 0xff87ffffffULL;
	/* Callers are known by the byte before. */
	__u64 code, at = work->ip + (work->stack.count > 1);

	if (work->mapping.is_file || !read_word(at, &code) || (code & mask) != known)
		return false;
	*ra_at = work->sp + (code >> 24 & 0x78);
	return true;
#else
	return false;
#endif
}

static __always_inline int step_without_table(struct work *work)
{
	__u64 at, ra;

	if (!returns_at_once(work, &at))
		return step_by_pointer(work);
	if (!read_word(at, &ra))
		return end_stack(work, PROFILE_UNREADABLE);
	work->rule.is_signal = 0;
	return go_to(work, ra, at + 8, work->bp);
}

/* The canonical frame address. Returns false if memory cannot be read. */
static __always_inline bool find_cfa(const struct work *work, __u64 *cfa)
{
	__s64 offset = work->rule.cfa_offset;

	switch (work->rule.cfa) {
	case PROFILE_CFA_SP:
		*cfa = work->sp + offset;
		return true;
	case PROFILE_CFA_BP:
		*cfa = work->bp + offset;
		return true;
	case PROFILE_CFA_SP_DEREF:
		return read_word(work->sp + offset, cfa);
	case PROFILE_CFA_BP_DEREF:
		return read_word(work->bp + offset, cfa);
	case PROFILE_CFA_PLT:
		*cfa = work->sp + offset + ((work->ip & 15) >= (__u32)work->rule.bp_offset ? 8 : 0);
		return true;
	default:
		*cfa = work->r10 + offset;
		return true;
	}
}

static __always_inline bool find_register(const struct work *work, __u8 place, __s32 offset,
					  __u64 cfa, __u64 *value)
{
	if (place == PROFILE_AT_CFA)
		return read_word(cfa + (__s64)offset, value);
	if (place == PROFILE_AT_SP)
		return read_word(work->sp + (__s64)offset, value);
	if (place == PROFILE_AT_BP)
		return read_word(work->bp + (__s64)offset, value);
	return true;
}

static __always_inline int step_by_rule(struct work *work)
{
	__u64 cfa, ra = work->lr, bp = work->bp;

	if (work->rule.is_fixed == PROFILE_RULE_END)
		return end_stack(work, PROFILE_WHOLE);
	if (work->rule.is_fixed == PROFILE_RULE_BAD ||
	    (work->rule.cfa == PROFILE_CFA_R10 && work->stack.count > 1))
		return end_stack(work, PROFILE_NO_RULE);
	if (!find_cfa(work, &cfa) ||
	    !find_register(work, work->rule.ra, work->rule.ra_offset, cfa, &ra) ||
	    !find_register(work, work->rule.bp, work->rule.bp_offset, cfa, &bp))
		return end_stack(work, PROFILE_UNREADABLE);
	return go_to(work, ra, cfa, bp);
}

/* One frame: it is added, and its caller found. Returns STEP_ON or STEP_END. */
__noinline int step_frame(__u32 slot)
{
	struct work *work = work_of(slot);
	int found;

	if (!work)
		return STEP_END;
	if (work->ip < work->mapping.begin || work->ip >= work->mapping.end)
		find_mapping(slot);
	if (!work->mapping.end)
		return end_stack(work, PROFILE_UNMAPPED);
	if (!push(work, current_frame(work)))
		return end_stack(work, PROFILE_TOO_DEEP);
	found = find_rule(slot);
	if (found > PROFILE_WHOLE)
		return end_stack(work, found);
	if (found == TABLE_NONE || work->rule.is_fixed == PROFILE_RULE_NONE)
		return step_without_table(work);
	return step_by_rule(work);
}

static __always_inline void begin_stack(struct work *work)
{
	work->stack.count = 0;
	work->stack.lack = PROFILE_WHOLE;
	work->hash = secret;
	work->mapping.begin = work->mapping.end = 0;
}

/* The stack of the current process, by work->registers, into work->stack. */
static __always_inline void read_user_stack(__u32 slot, struct work *work, struct mm_struct *mm)
{
	begin_stack(work);
	if (registers_are_compat(&work->registers)) {
		work->stack.lack = PROFILE_NOT_64_BIT;
		return;
	}
	take_registers(work);
	work->mm = (__u64)mm;
	for (int i = 0; i <= PROFILE_FRAMES_MAX; i++)
		if (step_frame(slot) == STEP_END)
			break;
}

#endif
