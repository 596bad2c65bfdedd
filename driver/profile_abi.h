/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the BPF programs of `agent profile` and user space agree on: rows and stacks, files and
 * their unwind tables, what user space is told. Included by both sides; only fixed-width types.
 */
#ifndef LANNER_PROFILE_ABI_H
#define LANNER_PROFILE_ABI_H

#include <linux/types.h>

enum {
	PROFILE_FRAMES_MAX = 128, /* of the kernel, or of the process */
	PROFILE_COMM_BYTES = 16,
	PROFILE_NAME_BYTES = 64,
	PROFILE_ROWS = 1 << 16, /* entries of the maps */
	PROFILE_STACKS = 1 << 15, /* with waits, each of which has some; else half of it */
	PROFILE_WAITS = 1 << 16,
	PROFILE_PROCESSES = 1 << 15,
	PROFILE_FILES = 1 << 13,
	PROFILE_PAGES = 1 << 16,
	PROFILE_TARGETS = 1 << 10,
	PROFILE_SHARES = 1 << 12,
	PROFILE_RULES = 1 << 16,
	PROFILE_CHUNKS = 1 << 12,
	PROFILE_CHUNK_ROWS = 1 << 10,
	PROFILE_NEWS_BYTES = 1 << 18,
};

/* The programs, each of which may interrupt the one before it on a CPU. */
enum profile_slot { PROFILE_SWITCH, PROFILE_WAKING, PROFILE_SAMPLE, PROFILE_SLOTS };

/*
 * A frame of a process: an address; or, with this bit, the index of a file and an offset in it. Of
 * a caller it is that of the last byte of the call.
 */
#define PROFILE_IN_FILE (1ULL << 63)
enum { PROFILE_OFFSET_BITS = 44, PROFILE_INDEX_BITS = 19 };

/* Why a stack is not whole, in the order of enum stack_lack. */
enum profile_lack {
	PROFILE_WHOLE,
	PROFILE_TOO_DEEP,
	PROFILE_UNMAPPED,
	PROFILE_NO_TABLE,
	PROFILE_NO_RULE,
	PROFILE_TABLE_LATE,
	PROFILE_TABLE_FULL,
	PROFILE_UNREADABLE,
	PROFILE_NOT_64_BIT,
	PROFILE_NO_ROOM,
	PROFILE_BY_FRAME_POINTER,
};

struct profile_stack {
	__u32 count;
	__u8 lack; /* enum profile_lack */
	__u8 generation; /* in which it was used last */
	__u8 zero[2];
	__u64 share; /* whose process had it first: the key of its profile_share */
	__u64 frames[PROFILE_FRAMES_MAX]; /* the innermost first */
};

/* Maps of which whoever has many processes may not take all. */
enum profile_shared {
	PROFILE_SHARED_ROWS, /* of this generation */
	PROFILE_SHARED_STACKS,
	PROFILE_SHARED_FILES, /* since the begin */
	PROFILE_SHARED_PROCESSES,
	PROFILE_SHARED,
	PROFILE_SHARED_WAITS = PROFILE_SHARED, /* at a time: counted by themselves */
	PROFILE_TAKEN,
};

/* What one has taken: see bpf/core/share_owner.bpf.h. Others, who have no entry, share one. */
#define PROFILE_SHARE_OF_OTHERS (~0ULL)

struct profile_share {
	__u32 generation; /* of `taken[PROFILE_SHARED_ROWS]` */
	__u32 taken[PROFILE_SHARED];
};

/* How a thread went off its CPU. */
enum profile_how {
	PROFILE_ON_CPU,
	PROFILE_WAITED,
	PROFILE_WAITED_FOR_IO, /* and counts as such */
	PROFILE_RUNNABLE, /* preempted, or from waking to running */
};

/* Stacks are named by their hash; 0: there is none, 1: there was no room for it. */
enum { PROFILE_NO_STACK, PROFILE_STACK_LOST };

struct profile_stacks {
	__u64 kernel, user, waker_kernel, waker_user;
};

struct profile_row {
	__u64 start_ns; /* of the process, since boot */
	__u64 exec_id;
	struct profile_stacks stacks;
	__u32 pid, tid, waker_pid, waker_tid;
	__u8 generation, how, zero[6];
};

struct profile_count {
	__u64 value, times; /* samples, or ns and switches */
	char comm[PROFILE_COMM_BYTES], waker_comm[PROFILE_COMM_BYTES];
};

/* A thread that is off its CPU, by its id. */
struct profile_wait {
	__u64 since_ns, woken_ns; /* monotonic; woken_ns 0: not yet */
	__u64 start_ns, exec_id;
	__u64 share; /* of its process */
	struct profile_stacks stacks;
	__u32 pid, waker_pid, waker_tid;
	__u8 how, zero[3];
	char comm[PROFILE_COMM_BYTES], waker_comm[PROFILE_COMM_BYTES];
};

struct profile_process_key {
	__u64 start_ns, exec_id;
	__u32 pid, zero;
};

struct profile_process {
	__u64 cgroup; /* its id in the hierarchy of version 2 */
	/* Where the stack of its program begins; 0: it has none, or it is being executed. */
	__u64 start_stack;
	__u32 ns_pid, uid;
	char comm[PROFILE_COMM_BYTES]; /* of its first thread */
	__u32 is_unwanted, zero; /* user space writes it: nothing of it is counted any more */
};

/*
 * What a file is known by: user space keeps it open while a process has it mapped, so that no other
 * one gets its inode. The vDSO has inode 0.
 */
struct profile_file_key {
	__u64 ino;
	__u32 dev, zero; /* as the kernel has it: 20 bits of minor number */
};

/*
 * Indexes of files are given by each program on each CPU, from a block of its own, and by user space
 * from the last one.
 */
#define PROFILE_BLOCK(cpus) ((1U << PROFILE_INDEX_BITS) / ((cpus) * PROFILE_SLOTS + 1))

/* Of the unwind tables of a file. */
enum profile_file_state {
	PROFILE_FILE_NEW,
	PROFILE_FILE_LOADED, /* tables of pages may yet be wanted */
	PROFILE_FILE_BARE, /* it has none */
	PROFILE_FILE_FULL, /* there was no room for them */
};

struct profile_file {
	__u32 index; /* in frames */
	__u32 state; /* enum profile_file_state; user space writes it */
	__u64 begin, end; /* where it was mapped when it was first seen, by which process */
	__u64 offset; /* of `begin` in it */
	__u32 pid;
	__u32 magic; /* of its file system, as statfs(2) has it */
	char name[PROFILE_NAME_BYTES]; /* the last part of its path, perhaps cut */
};

/*
 * Unwind tables: code of a file is divided into pages of 64 KiB. The rows of a page are in order,
 * the first at 0; each has 16 bits of offset in the page, and below these the index of a rule, which
 * is how to find the caller from there on. Indexes of rows go on from chunk to chunk.
 */
enum { PROFILE_PAGE_BITS = 16 };

struct profile_page_key {
	__u32 file, page;
};

enum profile_page_state { PROFILE_PAGE_WANTED, PROFILE_PAGE_LOADED, PROFILE_PAGE_FULL };

struct profile_page {
	__u32 first, count; /* rows */
	__u32 state, zero;
};

struct profile_chunk {
	__u32 rows[PROFILE_CHUNK_ROWS];
};

enum { PROFILE_RULE_MADE, PROFILE_RULE_NONE, PROFILE_RULE_END, PROFILE_RULE_BAD };

enum profile_cfa {
	PROFILE_CFA_SP, /* SP + offset */
	PROFILE_CFA_BP,
	PROFILE_CFA_SP_DEREF, /* *(SP + offset) */
	PROFILE_CFA_BP_DEREF,
	PROFILE_CFA_PLT, /* of procedure linkage tables: 8 more from byte bp_offset of 16 on */
	PROFILE_CFA_R10, /* of functions that align their stack; only as the innermost frame */
};

enum profile_place {
	PROFILE_SAME, /* the register is as it was */
	PROFILE_AT_CFA, /* it is in memory, at CFA + offset */
	PROFILE_AT_SP,
	PROFILE_AT_BP,
};

/* How the caller is found: its stack pointer is the canonical frame address (CFA). */
struct profile_rule {
	__u8 cfa, ra, bp; /* enum profile_cfa; enum profile_place of the return address, of BP */
	__u8 is_signal : 1; /* the frame was made by a signal: its caller was interrupted, no call */
	__u8 is_fixed : 7; /* a rule that says all by itself; else PROFILE_RULE_MADE */
	__s32 cfa_offset, ra_offset, bp_offset;
};

/* A record of the ring buffer, by which user space learns of new processes and files. */
enum profile_news_kind { PROFILE_NEWS_FILE, PROFILE_NEWS_PAGE, PROFILE_NEWS_PROCESS };

struct profile_news {
	__u32 kind, zero;
	union {
		struct profile_file_key file;
		struct profile_page_key page;
		struct profile_process_key process;
	};
};

/* Losses, by cause. */
enum profile_loss {
	PROFILE_LOST_ROW, /* the map of rows was full */
	PROFILE_LOST_IN_USE, /* the program interrupted itself */
	PROFILE_LOST_START, /* the map of threads that wait was full */
	PROFILE_LOST_START_OF_SHARE, /* their user has as many there as it may */
	PROFILE_LOST_END, /* the thread waits again, and when the wait before ended was not seen */
	PROFILE_LOST_STACK, /* the map of stacks was full */
	PROFILE_LOST_FILE, /* the map of files was full */
	PROFILE_LOST_PROCESS,
	PROFILE_LOST_NEWS, /* the ring buffer was full: user space looks at the maps by itself */
	PROFILE_LOSSES,
};

/* Of the program that names addresses of the kernel: what is asked for, and the answers. */
enum {
	KERNEL_NAMES_BATCH = 256, /* addresses at a time */
	KERNEL_NAME_BYTES = 128, /* longer names are cut */
};

struct kernel_names_batch {
	__u32 count, zero;
	__u64 addresses[KERNEL_NAMES_BATCH];
	/* "schedule", "f [module]", or the address in base 16. */
	char names[KERNEL_NAMES_BATCH][KERNEL_NAME_BYTES];
};

_Static_assert(sizeof(struct profile_row) == 72, "a key without padding");
_Static_assert(sizeof(struct profile_file_key) == 16, "a key without padding");
_Static_assert(sizeof(struct profile_process_key) == 24, "a key without padding");
_Static_assert(sizeof(struct profile_rule) == 16, "rules are small");
_Static_assert(1 + PROFILE_INDEX_BITS + PROFILE_OFFSET_BITS == 64, "what a frame has");

#endif
