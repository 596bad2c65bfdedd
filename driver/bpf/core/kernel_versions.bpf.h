/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What kernels renamed, moved or retyped, each with the commit that did it. The rest of the driver
 * reads these things through the functions here.
 */
#ifndef LANNER_KERNEL_VERSIONS_BPF_H
#define LANNER_KERNEL_VERSIONS_BPF_H

#include "bpf/core/kernel_structs.bpf.h"
#include "bpf/core/maps.bpf.h"

enum { RSS_FILE, RSS_ANON, RSS_SWAP, RSS_SHMEM, RSS_COUNTERS };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct percpu_counter {
	__s64 count;
};

struct mm_struct___percpu {
	struct percpu_counter rss_stat[RSS_COUNTERS];
};

typedef struct {
	long counter;
} atomic_long_t;

struct mm_rss_stat {
	atomic_long_t count[RSS_COUNTERS];
};

struct mm_struct___atomic {
	struct mm_rss_stat rss_stat;
};

struct kernfs_node___rcu {
	struct kernfs_node *__parent;
};

struct kernfs_node___plain {
	struct kernfs_node *parent;
};

struct inode___sec {
	__s64 i_mtime_sec, i_ctime_sec;
	__u32 i_mtime_nsec, i_ctime_nsec;
};

struct timespec64 {
	__s64 tv_sec;
	long tv_nsec;
};

struct inode___timespec {
	struct timespec64 i_mtime, i_ctime;
};

struct inode___mangled {
	struct timespec64 i_mtime, __i_ctime;
};

/* The context of the classic tracepoint on exit of system calls. */
struct trace_event_raw_sys_exit {
	long ret;
};

#pragma clang attribute pop

/*
 * Follows pointers in kernel memory without a helper call for each step if the kernel can:
 * a35b9af4ec2c ("bpf: Add a kfunc for generic type cast"), 6.2. The result may be a pointer that
 * has a type for the verifier: no arithmetic, and not an argument of a function that is not
 * inlined; READ() returns plain numbers.
 */
static void *(*const kernel_cast)(const void *address, __u32 type) = (void *)KERNEL_CAST;

/*
 * A helper of the same version: a test for the kfunc itself costs a search of the kernel's symbols
 * at each place.
 */
enum bpf_func_id___6_2 { BPF_FUNC_cgrp_storage_get___6_2 = 210 };

#define CAN_CAST                                                                                   \
	bpf_core_enum_value_exists(enum bpf_func_id___6_2, BPF_FUNC_cgrp_storage_get___6_2)

#define TYPED(pointer)                                                                             \
	((typeof(pointer))kernel_cast(pointer, bpf_core_type_id_kernel(typeof(*(pointer)))))

#define GET(pointer, ...)                                                                          \
	(CAN_CAST ? ___arrow(TYPED(pointer), ##__VA_ARGS__) : BPF_CORE_READ(pointer, ##__VA_ARGS__))

/*
 * 8 bytes of kernel memory at any address, 0 if they cannot be read; only if CAN_CAST. The type is
 * any that the kernel has and that begins with a number of 64 bits.
 */
static __always_inline __u64 kernel_word(__u64 address)
{
	return TYPED((struct timespec64 *)address)->tv_sec;
}

/* A member of 8 bytes of a struct of the kernel as a number, whatever the verifier knows of it. */
#define GET_WORD(pointer, member)                                                                      \
	(CAN_CAST ? kernel_word((__u64)(pointer) + bpf_core_field_offset((pointer)->member))       \
		  : (__u64)BPF_CORE_READ(pointer, member))

/* An argument of a tracepoint as a number, where the verifier knows it as a pointer. */
static __always_inline __u64 argument_word(__u64 *ctx, int n)
{
	__u64 word = 0;

	if (CAN_CAST)
		return kernel_word((__u64)&ctx[n]);
	bpf_probe_read_kernel(&word, sizeof(word), &ctx[n]);
	return word;
}

/*
 * What user space gave a program for the place where it runs: 7adfc6c9b315 ("bpf: Add
 * bpf_get_attach_cookie() BPF helper to access bpf_cookie value"), 5.15.
 */
#define CAN_GET_COOKIES                                                                            \
	bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_attach_cookie)

/*
 * The current task, whose members are read without a helper call for each step if the kernel can:
 * 3ca1032ab7ab ("bpf: Implement get_current_task_btf and RET_PTR_TO_BTF_ID"), 5.11. The call takes
 * 6 ns: programs make it once and pass the task on.
 */
#define CAN_TYPE_CURRENT                                                                           \
	bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf)

static __always_inline struct task_struct *this_task(void)
{
	return CAN_TYPE_CURRENT ? (void *)bpf_get_current_task_btf()
				: (void *)bpf_get_current_task();
}

/*
 * What this_task() returned, for reading pointers if CAN_TYPE_CURRENT. The task is cast then, as the
 * verifier searches all types by name for each pointer in something that it trusts. Numbers are
 * read without a cast: from what is trusted they are plain loads, without a check of the address.
 */
#define CURRENT(task) (CAN_CAST ? TYPED(task) : (task))

#define DEFINE_CURRENT_AS(name, type, member, typed)                                               \
	static __always_inline type name##_of(struct task_struct *task)                            \
	{                                                                                          \
		if (!CAN_TYPE_CURRENT)                                                             \
			return BPF_CORE_READ(task, member);                                        \
		return (typed)->member;                                                            \
	}                                                                                          \
                                                                                                   \
	static __always_inline type current_##name(void)                                           \
	{                                                                                          \
		return name##_of(this_task());                                                     \
	}

#define DEFINE_CURRENT(name, type, member) DEFINE_CURRENT_AS(name, type, member, task)
#define DEFINE_CURRENT_POINTER(name, type, member)                                                 \
	DEFINE_CURRENT_AS(name, type, member, CURRENT(task))

DEFINE_CURRENT(tid, __u32, pid)
DEFINE_CURRENT(pid, __u32, tgid)
DEFINE_CURRENT_POINTER(files, struct files_struct *, files)
DEFINE_CURRENT_POINTER(fs, struct fs_struct *, fs)
DEFINE_CURRENT_POINTER(cred, const struct cred *, cred)

/*
 * The registers that a task of a tracepoint's argument entered its system call with; NULL before
 * dd6e10fbd9fb ("bpf: Add bpf_task_pt_regs() helper"), 5.15.
 */
static __always_inline struct pt_regs *task_registers(struct task_struct *task)
{
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return (void *)bpf_task_pt_regs(task);
	return NULL;
}

/*
 * f1a7941243c1 ("mm: convert mm's rss stats into percpu_counter"), 6.2. A macro, since the size of
 * an element is the running kernel's for constant indexes only.
 */
#define MM_PAGES(mm, index)                                                                        \
	({                                                                                         \
		struct mm_struct___percpu *percpu = (void *)(mm);                                  \
		struct mm_struct___atomic *atomic = (void *)(mm);                                  \
		__s64 pages = bpf_core_type_exists(struct mm_rss_stat) ?                           \
				      GET(atomic, rss_stat.count[index].counter) :                 \
				      GET(percpu, rss_stat[index].count);                          \
                                                                                                   \
		pages < 0 ? 0 : pages;                                                             \
	})

/*
 * Where a node has its parent: 633488947ef6 ("kernfs: Use RCU to access kernfs_node::parent"),
 * 6.15. To be asked before a loop: out of one the compiler would take the offset, and with it out
 * of its condition, and one that the kernel does not have is a call that the verifier rejects.
 */
static __always_inline __u64 kernfs_parent_at(void)
{
	struct kernfs_node___rcu *rcu = NULL;
	struct kernfs_node___plain *plain = NULL;

	if (bpf_core_field_exists(rcu->__parent))
		return bpf_core_field_offset(rcu->__parent);
	return bpf_core_field_offset(plain->parent);
}

static __always_inline __u64 time_ns(__s64 seconds, __s64 nanoseconds)
{
	return seconds < 0 ? 0 : (__u64)seconds * 1000000000 + nanoseconds;
}

/* The kernel's mark for "was queried" in the change time, not part of the time. */
#define CTIME_QUERIED (1U << 31)

/*
 * 3aa63a569c64 ("fs: switch timespec64 fields in inode to discrete integers"), 6.11
 * 13bc24457850 ("fs: rename i_ctime field to __i_ctime"), 6.6
 */
static __always_inline __u64 inode_ctime_ns(struct inode *inode)
{
	struct inode___sec *sec = (void *)inode;
	struct inode___mangled *mangled = (void *)inode;
	struct inode___timespec *timespec = (void *)inode;

	if (bpf_core_field_exists(sec->i_ctime_nsec))
		return time_ns(READ(sec, i_ctime_sec), READ(sec, i_ctime_nsec) & ~CTIME_QUERIED);
	if (bpf_core_field_exists(mangled->__i_ctime))
		return time_ns(READ(mangled, __i_ctime.tv_sec), READ(mangled, __i_ctime.tv_nsec));
	return time_ns(READ(timespec, i_ctime.tv_sec), READ(timespec, i_ctime.tv_nsec));
}

static __always_inline __u64 inode_mtime_ns(struct inode *inode)
{
	struct inode___sec *sec = (void *)inode;
	struct inode___timespec *timespec = (void *)inode;

	if (bpf_core_field_exists(sec->i_mtime_nsec))
		return time_ns(READ(sec, i_mtime_sec), READ(sec, i_mtime_nsec));
	return time_ns(READ(timespec, i_mtime.tv_sec), READ(timespec, i_mtime.tv_nsec));
}

/*
 * Copies a string of the caller's memory with its NUL. Returns the bytes, or a negative error. The
 * helper itself returns 0 for an empty string on kernels such as 6.1.
 */
static __always_inline long read_user_string(__u8 *to, __u32 size, const void *from)
{
	long n = bpf_probe_read_user_str(to, size, from);

	if (n == 0) {
		*to = '\0';
		n = 1;
	}
	return n;
}

/*
 * Arguments that tracepoints of the network got later, each with the commit that added it. On older
 * kernels the verifier rejects programs that read them:
 * c504e5c2f964 ("net: skb: introduce kfree_skb_reason()"), 5.17: its reason;
 * b533fb9cf4f7 ("rstreason: make it work in trace world"), 6.10: that of tcp_send_reset;
 * the socket of kfree_skb, and the error of tcp_retransmit_skb, as the events of tracefs have them.
 */
enum skb_drop_reason { SKB_DROP_REASON_TCP_LISTEN_OVERFLOW = 40 };
enum sk_rst_reason { SK_RST_REASON_NO_SOCKET = 1 };

struct trace_event_raw_kfree_skb {
	void *rx_sk;
} __attribute__((preserve_access_index));

struct trace_event_raw_tcp_send_reset {
	enum sk_rst_reason reason;
} __attribute__((preserve_access_index));

struct trace_event_raw_tcp_retransmit_skb {
	int err;
} __attribute__((preserve_access_index));

#define HAS_DROP_REASON bpf_core_type_exists(enum skb_drop_reason)
#define HAS_DROP_SOCKET bpf_core_field_exists(struct trace_event_raw_kfree_skb, rx_sk)
#define HAS_RESET_REASON bpf_core_field_exists(struct trace_event_raw_tcp_send_reset, reason)
#define HAS_RETRANSMIT_ERROR bpf_core_field_exists(struct trace_event_raw_tcp_retransmit_skb, err)

/*
 * Loops that the verifier walks once, however many rounds they have: 6018e1f407cc ("bpf: implement
 * numbers iterator"), 6.4.
 */
struct bpf_iter_num {
	__u64 opaque;
} __attribute__((preserve_access_index));

static int (*const kernel_iter_new)(struct bpf_iter_num *iterator, int start,
				    int end) = (void *)KERNEL_ITER_NEW;
static int *(*const kernel_iter_next)(struct bpf_iter_num *iterator) = (void *)KERNEL_ITER_NEXT;
static void (*const kernel_iter_destroy)(struct bpf_iter_num *iterator) = (void *)
	KERNEL_ITER_DESTROY;

#define CAN_ITERATE bpf_core_type_exists(struct bpf_iter_num)

/*
 * Calls step(state) up to `most` times, until it returns false. What it changes and the verifier is
 * to walk once has to be forgotten in it: see forget(). The state is kept in memory: 5.10 takes
 * only a jump for the end of a round, no moves between registers behind it.
 */
#define REPEAT(most, step, state)                                                                  \
	do {                                                                                       \
		struct bpf_iter_num turns;                                                         \
                                                                                                   \
		if (CAN_ITERATE) {                                                                 \
			kernel_iter_new(&turns, 0, (most) - 1);                                    \
			while (step(in_memory(state)) && kernel_iter_next(&turns))                 \
				;                                                                  \
			kernel_iter_destroy(&turns);                                               \
		} else {                                                                           \
			for (int turn = 0; turn < (most) && step(in_memory(state)); turn++)        \
				;                                                                  \
		}                                                                                  \
	} while (0)

#define in_memory(state)                                                                           \
	({                                                                                         \
		typeof(state) in_memory_ = (state);                                                \
		asm volatile("" : : "r"(in_memory_) : "memory");                                   \
		in_memory_;                                                                        \
	})

/*
 * Whether a program that calls functions may jump to another one: on x86-64 ebf7d1f508a7 ("bpf,
 * x64: rework pro/epilogue and tailcall handling in JIT"), 5.10; on arm64 d4609a5d8c70 ("bpf,
 * arm64: Keep tail call count across bpf2bpf calls"), 6.0, recognized here by a helper of 6.1.
 */
#ifdef __TARGET_ARCH_arm64
#define CAN_JUMP_FROM_FUNCTIONS                                                                    \
	bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_user_ringbuf_drain)
#else
#define CAN_JUMP_FROM_FUNCTIONS true
#endif

/*
 * For use before an access at an offset that was just checked: keeps the compiler from checking one
 * copy of the offset and using another, which the verifier cannot follow. Constants stay constants.
 */
#define CHECKED(value)                                                                             \
	do {                                                                                       \
		if (!__builtin_constant_p(value))                                                  \
			asm volatile("" : "+r"(value));                                            \
	} while (0)

/*
 * The registers of the system call that begins or ends, and its result, for either kind of program.
 * Classic ones are used only where there are sleepable ones too, in 7.x, which have the helpers.
 */
static __always_inline struct pt_regs *call_registers(__u64 *ctx)
{
	if (classic_calls)
		return (void *)bpf_task_pt_regs((void *)bpf_get_current_task_btf());
	return (void *)ctx[0];
}

static __always_inline long exit_result(__u64 *ctx)
{
	long ret;

	if (!classic_calls)
		return ctx[1];
	ret = ((struct trace_event_raw_sys_exit *)ctx)->ret;
	CHECKED(ret); /* no common load with a computed offset for both */
	return ret;
}

#endif
