/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the BPF programs and user space agree on: the frame of an event, its limits, and the
 * counters. Included by both sides; only fixed-width types, every layout asserted.
 */
#ifndef LANNER_ABI_H
#define LANNER_ABI_H

#include <linux/types.h>

#include "share_range.h"

/*
 * A frame is this header, then `nparams` lengths of 16 bits, then the values, all unaligned and in
 * the byte order of the machine. A length of 0 means that the parameter is absent.
 */
struct ppm_evt_hdr {
	__u64 ts; /* ns since the epoch */
	__u64 tid; /* thread id in the initial pid namespace */
	__u32 len; /* bytes of the whole frame, this header included */
	__u16 type; /* event id of the event table */
	__u32 nparams; /* number of lengths that follow; FRAME_EXTRAS */
} __attribute__((packed));

_Static_assert(sizeof(struct ppm_evt_hdr) == 26, "the frame header is part of the .scap format");

/*
 * A bit of `nparams`: the last 8 of the frame's `len` bytes are not a value but the duration of the
 * system call, in ns from its entry to `ts`. Without these bytes and this bit it is a frame of the
 * .scap format. A frame without room for them has neither.
 */
#define FRAME_TIMED 0x80000000U

/*
 * Another bit of `nparams`, of the few events that cannot be stated as fact: behind the values, and
 * before the duration, stands what is doubtful.
 */
#define FRAME_MARKED 0x40000000U

/*
 * Another bit: before these stands which file the call's descriptor was at its end, by which user
 * space notices that it is another one than it believes.
 */
#define FRAME_FILE 0x20000000U

/*
 * Another bit: before these stands where in the stream of its TCP socket the call's bytes are. Only
 * of calls that transfer bytes or make a connection, while requests are followed.
 */
#define FRAME_STREAM 0x10000000U

/*
 * Another bit: before these stands by which operation of io_uring the event came. The call of the
 * event was not made then; its thread is the one that submitted the operation.
 */
#define FRAME_URING 0x08000000U

/*
 * Another bit: before the file stands what the thread did so far, of calls on sockets that may have
 * requests, if it is wanted where their time goes.
 */
#define FRAME_TIMES 0x04000000U
#define FRAME_EXTRAS                                                                               \
	(FRAME_TIMED | FRAME_MARKED | FRAME_FILE | FRAME_STREAM | FRAME_URING | FRAME_TIMES)

/* Parameters are bits, 1 << index. */
struct frame_marks {
	__u64 truncated; /* of their value the frame has only a part */
	__u64 contested; /* only the caller's word, and there is reason to doubt it */
	__u64 is_faked; /* 1: the kernel did not run this call, although its result says success */
} __attribute__((packed));

_Static_assert(sizeof(struct frame_marks) == 24, "part of native capture files");

/* As the kernel has it: some file systems show others by stat(2). */
struct frame_file {
	__u64 ino; /* 0: none */
	__u32 dev; /* in the form of the .scap format */
	__u32 mount; /* its id, as in /proc/PID/fdinfo */
};

_Static_assert(sizeof(struct frame_file) == 16, "part of native capture files");

/* Sequence numbers of TCP: those of the socket when the call has ended. */
struct frame_stream {
	__u32 end; /* behind the last byte that was read by a call that reads, written by others */
	__u32 other; /* behind the last byte of the other direction */
	__u8 is_known; /* 0: these are not, it is no TCP socket */
	__u8 is_ahead; /* 1: `other` has bytes of calls that go on, and are told when they return */
	__u16 is_peek; /* 1: the bytes were only looked at, and will be read again */
};

_Static_assert(sizeof(struct frame_stream) == 12, "part of native capture files");

/*
 * What programs at functions of TLS libraries get with their place: beside it how many bytes the stack
 * pointer is below where it was when the function began, twice. Else they are where it begins or
 * behind its return.
 */
#define TLS_HAS_STACK 1ULL

/* What a thread does, at any time one of these. */
enum thread_part {
	PART_CPU, /* it runs */
	PART_RUNQUEUE, /* it could run, and waits for a CPU */
	PART_DISK, /* it waits for that .. */
	PART_NET,
	PART_LOCK,
	PART_SLEEP,
	PART_POLL, /* it waits for any of several descriptors, as poll(2) does, or a time */
	PART_OTHER, /* it waits for something else, or it is not known for what */
	THREAD_PARTS,
};

/* Sums since the thread was counted first: two of a thread say what it did between them. */
struct frame_times {
	/* Boot clock: since then; another one: they were forgotten, or a switch was not seen; never 0. */
	__u64 since_ns;
	__u64 ns[THREAD_PARTS];
	__u32 unlocked_by; /* the thread that ended its last wait for a lock; 0: not known */
	__u32 pad;
};

_Static_assert(sizeof(struct frame_times) == 80, "part of native capture files");

/* What a call has to do with a lock: the one that waits for it, or that ends waits. */
enum lock_kind {
	LOCK_NONE, /* nothing, or it is not known */
	LOCK_FUTEX_PRIVATE, /* of a process */
	LOCK_FUTEX_SHARED,
	LOCK_FLOCK,
	LOCK_FCNTL,
	LOCK_SEMAPHORE,
};

struct lock_use {
	__u64 at, other; /* addresses of futexes: the first is that which a call waits for */
	__u32 kind; /* enum lock_kind */
	__u32 wakes; /* 1: it may end waits */
};

/* What is kept of a thread. */
struct thread_times {
	__u64 at; /* boot clock: since when it does what it does */
	__u32 part; /* enum thread_part */
	__u32 waited; /* likewise: for what it waited in a call; 0: it did not */
	struct frame_times times; /* up to then */
	struct lock_use lock; /* that it waits for, or waited */
};

struct frame_uring {
	__u64 ring; /* tells rings apart while they live; no address of the kernel, never 0 */
	__s32 slot; /* the registered file that the operation used; -1: it used none */
	__s32 made_slot; /* the registered file that it made; -1: none */
	__u8 opcode; /* IORING_OP_… */
	__u8 flags; /* IOSQE_… */
	__u8 is_late; /* what it made was looked up some time after it was done */
	__u8 pad[5];
} __attribute__((packed));

_Static_assert(sizeof(struct frame_uring) == 24, "part of native capture files");

/*
 * What stands for a registered file of io_uring where an event has a descriptor: no kernel of 64
 * bits lets a process have such numbers, by fs.nr_open, and a result says that the call succeeded.
 */
enum {
	SLOT_FD_FIRST = 1 << 30,
	SLOT_FD_RING_BITS = 9, /* of the ring, so that readers do not confuse those of a process */
	SLOT_FD_SLOT_BITS = 20, /* the kernel has no more slots (IORING_MAX_FIXED_FILES) */
};

static inline __s32 slot_fd_of(__u64 ring, __u32 slot)
{
	return (__s32)(SLOT_FD_FIRST |
		       (__u32)(ring & ((1 << SLOT_FD_RING_BITS) - 1)) << SLOT_FD_SLOT_BITS |
		       (slot & ((1 << SLOT_FD_SLOT_BITS) - 1)));
}

static inline int is_slot_fd(__s64 num)
{
	return num >= SLOT_FD_FIRST && num < 1LL << 31;
}

/* The slot of a number that stands for one. */
static inline __u32 slot_of_fd(__s64 num)
{
	return (__u32)num & ((1 << SLOT_FD_SLOT_BITS) - 1);
}

/*
 * A descriptor that a call waits for. A value of type FDLIST is a 16-bit count and that many
 * entries.
 */
struct fdlist_entry {
	__s64 fd;
	__s16 events; /* poll_flags */
} __attribute__((packed));

_Static_assert(sizeof(struct fdlist_entry) == 10, "lists are part of the .scap format");

/*
 * Identifies the program that a process runs, with the same value from events and from /proc: made
 * of the start time of the process, in clock ticks since boot, and the start of its stack. Never 0.
 */
static inline __u64 exec_id_of(__u64 start_ticks, __u64 start_stack)
{
	return (start_ticks * 0x9e3779b97f4a7c15ULL ^ start_stack) | 1;
}

enum {
	/* The unit of process start times in /proc, on all architectures. */
	TICK_NS = 10000000,
	/* The size of a perf record has 16 bits and includes 20 bytes of headers. */
	RECORD_BYTES_MAX = 65504,
	FRAME_BYTES_MAX = RECORD_BYTES_MAX,
	FRAME_ALIGN = 8,
	/* A slot sends its batch when it has this many frames, or more than this many bytes. */
	BATCH_EVENTS_MAX = 64, /* a power of two */
	BATCH_BYTES_MAX = 4096,
	WORK_BYTES = 8192 + 256,
	EVENT_PARAMS_MAX = 40, /* below 64: struct frame_marks */
	EVENT_EXTENSION_FIRST =
		2048, /* smaller ids are of the .scap format, the others of extension events */
	EVENT_ID_MAX = 2432,
	SYSCALL_NR_MAX = 512,
	ARGUMENTS_MAX = 6, /* of a system call */
	ENTER_TIMES = 1 << 18, /* entries of the table of entry times, by thread id */
	COMPAT_COUNTED =
		0xffff, /* in place of an event id: a call of 32-bit programs, not decoded */
	COMPAT_MULTIPLEXED = 0xfffe, /* likewise: a multiplexed call, by its first argument */
	NOTICED_ONLY = 0xfffd, /* likewise: no event, but the programs look at the call */
	NOTICED_ACCEPT = 0xfffc, /* likewise: the call accepts a connection, which gets an owner */
	NOTICED_OPEN = 0xfffb, /* likewise: the call opens a file, whose close needs no event */
	NOTICED_MAPPING = 0xfffa, /* likewise: the call maps a file, which may be a TLS library */
	/*
	 * The argument of sched_get_priority_max() by which the agent asks the programs of a CPU
	 * whether they run: they answer by a record without events.
	 */
	HEARTBEAT_ARGUMENT = 0x4c414e52,
	MULTIPLEXED_OPERATIONS = 32,
	NO_NATIVE = 0xffff, /* in place of a system call number: there is none */
	STRING_BYTES_MAX = 4096, /* a string from user memory, its NUL included */
	AREA_END_BYTES = 1024, /* of arguments that are too long: what is kept of their end */
	PATH_END_BYTES = STRING_BYTES_MAX / 2, /* of a longer path: what is kept of either end */
	SELF_PIDS = 3, /* processes of the agent itself: their events are left out */
	SNAPLEN_DEFAULT = 80,
	SNAPLEN_MAX = 65000,
	STATSD_PORT_DEFAULT = 8125,
	SCRATCH_SLOTS_PER_CPU = 4,
	MESSAGES_MAX = 64, /* of one call that get an event; below the limit of tail calls */
	MESSAGES_OF_RUN = 2, /* that are written before a tail call */
	MESSAGES_OF_CALL = 1024, /* the kernel takes no more (UIO_MAXIOV) */
};

enum { SOCKETS_OWNED_MAX = 1 << 16 }; /* of which it is known whose they are */

/* Names of the kernel's reasons, which differ between kernels: of drops, then those of resets. */
enum {
	DROP_REASONS_MAX = 192,
	RESET_REASONS_MAX = 64,
	REASONS_MAX = DROP_REASONS_MAX + RESET_REASONS_MAX,
	REASON_BYTES_MAX = 40,
};

enum { STREAM_LIMITS_MAX = 1 << 16 }; /* sockets of which other than the usual bytes are wanted */

enum { THREAD_TIMES_MAX = 1 << 14 }; /* threads of which it is counted what they do */

/* Of which processes the plaintext under TLS is wanted, if of any. */
enum { TLS_CHOSEN_MAX = 16, TLS_NAME_BYTES = 16, TLS_NOTES_BYTES = 1 << 16 };

struct tls_chosen {
	__u8 wanted, all; /* 0 or 1 */
	__u8 is_asked; /* 0 or 1: for itself, and not only for requests */
	__u8 pad[5];
	__u32 pids[TLS_CHOSEN_MAX]; /* in the initial pid namespace; 0: none */
	char names[TLS_CHOSEN_MAX][TLS_NAME_BYTES]; /* of threads, padded with zeros; empty: none */
};

/* A process that may speak TLS: it executes a program, or has mapped a file of such a library. */
struct tls_note {
	__u32 pid;
	__u32 dev; /* of the file; in the form of the .scap format */
	__u64 ino; /* 0: it executes a program */
};

/*
 * What the inode of a socket is combined with to be the key of its plaintext; no inode has these
 * bits. Without a socket, a number that the driver makes has both.
 */
#define TLS_KEY (1ULL << 62)
#define TLS_KEY_LOOSE (1ULL << 61)

/* For which data of sockets more than snaplen bytes are kept. */
struct snaplen_rules {
	__u16 full_low, full_high; /* ports whose data is kept up to 16000 bytes; high 0: none */
	__u16 statsd_port;
	__u16 dynamic; /* whether the rules for other ports and for protocols apply */
};

/*
 * 1 where a new task does not begin at the exit of a system call: the child's side of every clone
 * is then a clone event that is written at sched_process_fork.
 */
#if defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
#define CHILD_EVENT_AT_FORK 1
#else
#define CHILD_EVENT_AT_FORK 0
#endif

/* Behind event ids, among what is jumped to: the JUMP_PROGRAMs of events/programs.def. */
enum jump {
	JUMP_answer_heartbeat = EVENT_ID_MAX,
	JUMP_scan_installed,
	JUMP_end_event,
	JUMPS_END,
};

/* The wanted events of a system call number; 0: none. */
struct call_events {
	__u16 native;
	__u16 compat; /* if a 32-bit program makes the call */
};

/* The multiplexed calls of 32-bit programs: the first argument is the operation. */
enum multiplexed_call { MULTIPLEXED_SOCKETCALL, MULTIPLEXED_IPC, MULTIPLEXED_CALLS };

/* The wanted events of one of them. */
struct multiplexed_events {
	__u16 of_operation[MULTIPLEXED_OPERATIONS];
};

/* What the tracepoints of io_uring tell, which differ between kernels. */
enum uring_kernel {
	URING_NONE, /* they are not looked at */
	URING_VALUES, /* the request when it is submitted, and on completion what user space gets */
	URING_ENTRIES, /* likewise, and that is behind a pointer */
	URING_NUMBERS, /* numbers: with the operation when it is submitted, and with the result */
	URING_NUMBERS_AND_FLAGS, /* likewise, and the flags of a completion */
	URING_NUMBERS_OF_REQUESTS, /* likewise, and the request when it is submitted */
};

enum { URING_OPCODES = 256 }; /* that a request can have: most are not known yet */

/* The wanted events of an operation of a ring; 0: none. */
struct uring_events {
	__u16 event;
	__u16 second; /* likewise, for some of its kind: see events/uring.def */
};

/* What the generic event reports of a call of 32-bit programs. */
struct compat_call {
	__u16 code; /* of the .scap format */
	__u16 native; /* its number for 64-bit programs, or NO_NATIVE */
};

/*
 * Functions of the kernel that the programs call: KERNEL_FUNCTION(name of a constant, name). Their
 * numbers are set before a program is loaded; until then a call has the constant. As external
 * symbols, libbpf would also search them in the types of modules, which takes CAP_SYS_ADMIN, where
 * the kernel lacks them.
 */
#define KERNEL_FUNCTIONS(KERNEL_FUNCTION)                                                          \
	KERNEL_FUNCTION(CAST, bpf_rdonly_cast)                                                     \
	KERNEL_FUNCTION(ITER_NEW, bpf_iter_num_new)                                                \
	KERNEL_FUNCTION(ITER_NEXT, bpf_iter_num_next)                                              \
	KERNEL_FUNCTION(ITER_DESTROY, bpf_iter_num_destroy)

/* No number of a helper. */
enum {
	KERNEL_FUNCTIONS_BEGIN = 0x4c414e00,
#define KERNEL_FUNCTION(name, function) KERNEL_##name,
	KERNEL_FUNCTIONS(KERNEL_FUNCTION)
#undef KERNEL_FUNCTION
		KERNEL_FUNCTIONS_END,
};

/* The license of the BPF programs, which the kernel checks. */
#define DRIVER_LICENSE "Dual MIT/GPL"

/* The names of the programs of a row of the event table, or of events/programs.def. */
#define FILLER_NAME(event) fill_##event
#define EXIT_NAME(event) event##_called
#define ENTRY_NAME(event) enter_##event
#define URING_NAME(event) uring_##event

/* Why an event that was wanted did not reach user space: LOSS(name, text). */
#define LOSS_CAUSES(LOSS)                                                                          \
	LOSS(RING_FULL, "ring full")                                                               \
	LOSS(SCRATCH_BUSY, "scratch busy")                                                         \
	LOSS(TOO_LARGE, "too large")                                                               \
	LOSS(TAIL_CALL, "tail call missing")                                                       \
	LOSS(OUTPUT, "output failed")                                                              \
	LOSS(RESERVED, "reserved for important events")                                            \
	LOSS(PROCESS_LIMIT, "over the limit of a process")                                         \
	LOSS(CGROUP_LIMIT, "over the limit of a control group")                                    \
	LOSS(BUDGET, "over the budget")                                                            \
	LOSS(MESSAGES, "messages beyond the first of a call")                                      \
	LOSS(SHARE, "over the share of a process")                                                 \
	LOSS(IN_FLIGHT, "too many requests in flight")                                             \
	LOSS(UNTOLD, "requests whose begin or end is not told")                                    \
	LOSS(UNSHOWN, "operations of rings that this kernel does not describe")

enum loss_cause {
#define LOSS(name, text) LOSS_##name,
	LOSS_CAUSES(LOSS)
#undef LOSS
		LOSS_CAUSES_COUNT,
};

/* What a bpf() call is about. */
enum bpf_object_kind { BPF_OBJECT_MAP = 1, BPF_OBJECT_PROGRAM, BPF_OBJECT_LINK };

/* What can answer calls in place of the kernel, and with which results. */
enum answer {
	ANSWER_KNOWN = 1 << 0, /* it was looked at */
	ANSWER_ZERO = 1 << 1, /* 0 */
	ANSWER_REGISTER = 1 << 2, /* what was in a register: the number or an argument */
	ANSWER_ANY = 1 << 3,
	ANSWER_MADE = ANSWER_ZERO | ANSWER_REGISTER | ANSWER_ANY,
};

/* What programs and user space tell each other of such answers; user space maps it. */
struct answers_state {
	__u32 epoch; /* user space: which beginning of the notes this is; 0: none are made */
	__u32 knows_filters; /* user space: those of all threads were looked at */
	__u32 wanted; /* programs: such a filter or a tracer is there; user space sets it to 0 */
	__u32 pad;
	__u64 used_ns; /* programs: boot clock, when a call was made that may be answered */
};

/* Whose events are captured, if processes were chosen: FOLLOWED_MAX of them at most. */
enum { FOLLOWED_MAX = 16384 };

enum followed_whose {
	FOLLOWED_CHOSEN, /* of an event: only those of the chosen processes */
	FOLLOWED_KIN, /* and those of processes whose names these show */
	FOLLOWED_ALL,
};

struct followed_process {
	__u64 group; /* that of its threads in the kernel; 0: not known, added by user space */
	__u32 kin; /* whether it was not chosen itself */
	__u32 held; /* it was sent SIGSTOP as its ring was full; user space sets it to 0 */
};

/* Whose events are limited to a number in each second. Of each kind RATES_MAX are counted at once.
 */
enum { RATES_MAX = 4096 };

enum rate_kind {
	RATE_OF_PROCESS,
	RATE_OF_CGROUP, /* of the tasks that are in the same control groups of all hierarchies */
	RATE_LIMITS, /* the kinds above, which the user limits */
	RATE_OF_SHARE = RATE_LIMITS, /* of a ring; see core/ring.bpf.h */
	RATE_KINDS,
};

struct rate_key {
	__u64 id; /* of the process; of a cgroup a word that the same tasks have; see share_key() */
	__u64 kind; /* enum rate_kind */
};

struct rate {
	__u64 began; /* its current second, by the boot clock in ns; of a share a ring_use.read */
	__u64 used; /* events that it delivered since; of a share their bytes */
	__u64 lost; /* events that were over the limit, at any time */
	__u64 pid; /* of the process that was over the limit first */
	char name[16]; /* of its thread, NUL-terminated */
};

/* What is lost where a capture costs more than its budget: the first of these, then the next. */
enum shed_class {
	SHED_NEVER, /* important events */
	SHED_TRANSFERS, /* reads, writes, waits, other I/O, the scheduler, page faults */
	SHED_OTHERS, /* other calls that change nothing that the agent keeps track of */
	SHED_DESCRIPTORS, /* opens, closes and the like */
	SHED_STATE, /* what else the agent keeps track of */
	SHED_CLASSES,
};

#define SHED_ALL 0xffffffffU

struct shed {
	__u32 shares[SHED_CLASSES]; /* of the events of a class, in 1/2^32; SHED_ALL: each */
};

/*
 * Calls that are counted in place of their events, and switches: what rows are told apart by. What
 * is not asked for is 0. Event 0 has the rows of all for which there was none, by the cause.
 */
enum {
	CALL_ROWS_MAX = 1 << 16,
	CALL_ROWS_BYTES_MAX = 32 << 20,
	CALL_ROW_USERS = 1024, /* places of those who have shares, by a hash */
};

enum call_rows_by {
	BY_CPU = 1 << 0,
	BY_RESULT = 1 << 1,
	BY_THREAD = 1 << 2,
	BY_KIND = 1 << 3, /* of the descriptor that is used; and bytes are counted */
	/* The power of two of the time, in whole numbers of one of these units: */
	BY_NS = 1 << 4,
	BY_US = 1 << 5,
	BY_MS = 1 << 6,
	BY_S = 1 << 7,
	BY_TIME = BY_NS | BY_US | BY_MS | BY_S,
	CALL_ROWS_BY_ALL = (1 << 8) - 1,
};

/* The descriptor of a call: what its file is, as far as views tell them apart. */
enum call_row_kind {
	ROW_KIND_NONE, /* the call uses none, or its number is not one */
	ROW_KIND_FILE,
	ROW_KIND_DIRECTORY,
	ROW_KIND_IPV4,
	ROW_KIND_IPV6,
	ROW_KIND_UNIX,
	ROW_KIND_PIPE,
	ROW_KIND_OTHER,
	ROW_KINDS,
};

/* Why a call is in no row of its own. */
enum call_row_loss {
	ROW_LOSS_FULL, /* the map is */
	ROW_LOSS_SHARE, /* whose thread it is has its share of rows */
	ROW_LOSSES,
};

struct call_row_key {
	__u16 cpu;
	__u8 kind; /* enum call_row_kind */
	__u8 power; /* the times are from 2^power (0: from 0) up to, without, 2^(power + 1) */
	__u16 event;
	__u16 error; /* errno; 0: the call succeeded. Of event 0: enum call_row_loss */
	/* Of the thread: */
	__u32 tid;
	__u32 uid; /* effective */
	__u64 program; /* another one for each that a thread executes, and for each thread */
	__u64 name[2]; /* NUL-terminated, and zeros */
};

_Static_assert(sizeof(struct call_row_key) == 40, "keys are compared as bytes");

/* Of threads there is one, as they run on one CPU at a time; else one per CPU. */
struct call_row {
	__u64 count;
	__u64 timed; /* of these, the calls with a latency; the switches with a time on the CPU; all waits for one */
	__u64 latency_ns; /* of all these */
	__u64 latency_max_ns;
	__u64 bytes; /* that calls without an error returned */
	/* Of threads: */
	__u64 last_ns; /* boot clock: of the last one */
	__u64 exec_id; /* of the process, as events have it; 0: not known, as it was ending */
	__u32 pid;
	__u32 vm_size_kib, vm_rss_kib; /* of switches: at the last one */
	__u32 place; /* of call_row_users */
};

/*
 * Per CPU and event id. For every id: the slots' seen + those that got no slot (SCRATCH_BUSY,
 * TAIL_CALL, BUDGET, IN_FLIGHT, UNTOLD, UNSHOWN) + filtered = delivered + filtered + the sum of lost.
 */
struct event_counters {
	__u64 lost[LOSS_CAUSES_COUNT]; /* by cause */
	__u64 unreadable; /* parameters left empty: their memory could not be read */
	__u64 filtered; /* rejected by the kernel's part of the filter, before an event was begun */
	__u64 muted; /* of these: see core/mute.bpf.h */
};

/* Per CPU, beside the counters by event. */
struct driver_counters {
	__u64 compat; /* system calls of 32-bit and x32 programs, which are not decoded */
	__u64 unnoted; /* calls whose argument could not be compared with that on entry */
	__u64 untimed; /* calls without latency: another thread used their entry of the table */
	__u64 ownerless; /* events of sockets of which it is not known whose they are */
	__u64 owners_dropped; /* sockets of which there were too many to keep whose they are */
	__u64 tls_notes_lost; /* struct tls_note: of who made too many, or without room */
	__u64 counted_seen; /* calls and switches that rows are of, with or without room */
	__u64 rates_begun[RATE_LIMITS]; /* struct rate added: at most RATES_MAX of each are kept */
};

/*
 * The part of the filter that the kernel decides: for an event a list of checks, each of which
 * continues at a later one, or decides. An event that the filter passes also passes this part.
 */
enum {
	KERNEL_FILTERS_MAX = 32,
	KERNEL_CHECKS_MAX = 16,
	KERNEL_PASS = 254, /* in place of the index of the next check */
	KERNEL_REJECT = 255,
};

/*
 * What the kernel knows of a system call and its thread: the place in struct kernel_facts. A text
 * is two words, a number one.
 */
enum kernel_fact {
	KERNEL_RESULT, /* of the call: not known on its entry */
	KERNEL_PID,
	KERNEL_TID,
	KERNEL_PPID,
	KERNEL_UID, /* effective */
	KERNEL_GID, /* likewise */
	KERNEL_OPEN_FLAGS, /* asked for by an open: bits of file_flags; not known on its entry */
	/*
	 * The descriptor that a transfer used: its number in the upper half, then S_IFMT of its
	 * file's mode, and KERNEL_DESCRIPTOR_KNOWN; 0: not known. Not compared on entry.
	 */
	KERNEL_DESCRIPTOR,
	KERNEL_NAME, /* of the thread: 16 bytes, NUL-terminated */
	/* Of the file that an open opened; known when its path was read, which ends with a NUL. */
	KERNEL_PATH = KERNEL_NAME + 2, /* its first 16 bytes */
	KERNEL_PATH_2 = KERNEL_PATH + 2, /* the next 16 */
	/* The last 16 before the NUL; zeros, if it is shorter, before it. */
	KERNEL_PATH_END = KERNEL_PATH_2 + 2,
	KERNEL_FACTS,
};

enum {
	KERNEL_DESCRIPTOR_KNOWN = 1,
	KERNEL_FACTS_OF_PATHS = 1 << KERNEL_PATH | 1 << KERNEL_PATH_2 | 1 << KERNEL_PATH_END,
};

/* Subsystems of control groups, in the order of the .scap format. */
enum cgroup_index { CGROUP_CPUSET, CGROUP_CPU, CGROUP_CPUACCT, CGROUP_IO, CGROUP_MEMORY, CGROUPS };

/*
 * Adds a control group, by its id, which is the number of its folder's inode, to the key of a set
 * of groups, at first 0. Ids are not used again.
 */
static inline __attribute__((always_inline)) __u64 cgroup_key_add(__u64 key, __u64 id)
{
	key = (key ^ id) * 0x9e3779b97f4a7c15ULL;
	return key ^ key >> 32;
}

enum kernel_op {
	KERNEL_EQUAL, /* two words, of which the mask selects bits: of a number those of one */
	KERNEL_LESS, /* the first word, with a sign */
	KERNEL_OPS,
};

struct kernel_check {
	__u8 fact, op;
	__u8 on_true, on_false; /* index of a later check, KERNEL_PASS or KERNEL_REJECT */
	__u32 pad;
	__u64 value[2], mask[2];
};

struct kernel_filter {
	__u32 facts; /* that its checks compare, as bits */
	__u32 pad;
	struct kernel_check checks[KERNEL_CHECKS_MAX];
};

/* Of which calls of an event the control groups of the thread decide. */
enum kernel_groups {
	KERNEL_GROUPS_OF_NONE,
	KERNEL_GROUPS_OF_FAILED, /* those that fail: the state needs the others */
	KERNEL_GROUPS_OF_ALL,
	KERNEL_GROUPS_COUNT,
};

/* What a call means to a muted process: see core/mute.bpf.h. At most MUTED_MAX are, at once. */
enum kernel_mute {
	KERNEL_MUTE_KEEPS, /* it is captured all the same */
	KERNEL_MUTE_DROPS,
	KERNEL_MUTE_ENDS, /* it is captured, and the process is not muted any more */
	KERNEL_MUTE_COUNT,
};

enum { MUTED_MAX = 4096 };

struct kernel_filters {
	/*
	 * By event id: 1 + index of the filter at its call's exit, at its entry, and of an open
	 * when its path was read; 0: all pass.
	 */
	__u8 at_exit[EVENT_ID_MAX], at_entry[EVENT_ID_MAX], at_path[EVENT_ID_MAX];
	__u8 groups[EVENT_ID_MAX]; /* enum kernel_groups */
	__u8 mute[EVENT_ID_MAX]; /* enum kernel_mute */
	/*
	 * Whose groups make a key, in this order: bits 1 << enum cgroup_index of subsystems that
	 * have one of their own, then 1 << CGROUPS of that of version 2; 0: groups decide nothing.
	 */
	__u32 hierarchies;
	__u32 mutes; /* 1: processes may be muted; 0: none is */
	struct kernel_filter filters[KERNEL_FILTERS_MAX];
};

struct kernel_facts {
	__u64 words[KERNEL_FACTS + 1];
};

static inline __attribute__((always_inline)) int
kernel_check_holds(const volatile struct kernel_check *check, const struct kernel_facts *facts)
{
	const __u64 *words = &facts->words[check->fact];

	if (check->op == KERNEL_LESS)
		return (__s64)words[0] < (__s64)check->value[0];
	/* The second word of a number is another fact. */
	return (words[0] & check->mask[0]) == check->value[0] &&
	       (!check->mask[1] || (words[1] & check->mask[1]) == check->value[1]);
}

static inline __attribute__((always_inline)) int
kernel_filter_passes(const volatile struct kernel_filter *filter, const struct kernel_facts *facts)
{
	__u32 at = 0;

	while (at < KERNEL_CHECKS_MAX) {
		const volatile struct kernel_check *check = &filter->checks[at];

		at = kernel_check_holds(check, facts) ? check->on_true : check->on_false;
	}
	return at == KERNEL_PASS;
}

/*
 * A perf record holds this header, then consecutive whole frames, each at a multiple of
 * FRAME_ALIGN, in time order. Records of one slot are in time order; those of different slots of a
 * CPU need not be.
 */
struct batch_header {
	__u32 bytes; /* of the frames, padding included */
	__u16 slot; /* of its CPU */
	__u16 count; /* frames */
};

_Static_assert(sizeof(struct batch_header) == 8, "frames behind it stay aligned");

/*
 * The owner of a scratch slot, and its batch; user space maps it.
 *
 * A writer owns the slot while it is the only one that has added 1 to `users`: it adds 1, and
 * subtracts 1 again if it then reads more than 1. It owns the slot before it reads the clock. So if
 * user space reads the clock first and then finds `users` 0, all further frames of this slot are
 * later. Frames stay in the slot until there are enough for a record; `since_ns` is the time (boot
 * clock) of the first of them, 0 if there is none. User space takes out frames that stay for long,
 * as an owner like any other.
 */
struct scratch_state {
	__u32 users;
	__u8 important; /* whether the batch has such an event: EF_IMPORTANT */
	__u8 crowded; /* whether the ring was, when the owner looked last: see core/ring.bpf.h */
	__u16 awaited; /* user space sleeps until an owner sets it to 0 and rings the bell */
	__u64 since_ns;
	struct batch_header batch; /* of the frames in the slot */
};

_Static_assert(sizeof(struct scratch_state) == 24, "read by user space from mapped memory");

/* The progress of copying a vector of buffers. */
struct vector_progress {
	__u64 at; /* bytes copied */
	__u64 left; /* bytes that may still be copied */
	__u64 bytes; /* sum of the entries' lengths */
	__u64 unreadable; /* whether a part of it could not be read */
};

/* What a program that jumps to another one, and keeps its slot, tells that one. */
struct kept_slot {
	__u32 tid; /* of its thread; 0: it is not kept */
	__u32 ending; /* what is left to know of the event: enum ending of the driver */
	__u64 pos; /* the end of its values in the frame */
	__s32 next; /* the message of the next event */
};

/*
 * How full the ring of a CPU is: bytes sent - bytes read. User space sets `read` so that this is
 * exact when it releases memory of the ring.
 */
struct ring_use {
	__u64 sent, read;
	__u64 limit; /* beyond it, only important events are sent; 0: none */
	__u64 part; /* bytes beyond the limit; the ring is crowded when so many are left before it */
	__u64 mark; /* beyond it, chosen processes are stopped; 0: none */
	__u64 held_ns; /* boot clock: when one was stopped first; 0: none; user space sets it to 0 */
};

/* What the writer of a slot's last event has taken from its share of the ring beforehand. */
struct share_lump {
	__u64 sharer; /* process, and what for: see core/ring.bpf.h */
	__u64 bytes; /* that are left */
	__u64 began; /* of the share: struct rate */
};

/* A slot: user space reads `state` and `seen`, and the frames when it takes them out. */
struct scratch_slot {
	struct scratch_state state;
	struct ring_use ring; /* in the first slot of each CPU */
	__u64 seen[EVENT_ID_MAX]; /* events begun in this slot, by id, lost ones included */
	__u16 event_ids[BATCH_EVENTS_MAX]; /* ids of the frames, to count a lost record */
	struct share_lump lump;
	__u64 forgotten; /* see forget() in the driver */
	__u64 entered_ns; /* boot clock: entry of the event's call; 0: not known */
	__u64 is_marked; /* of the event that is being written; 0: `marks` are of an earlier one */
	struct frame_marks marks;
	struct frame_file file; /* likewise, if EF_TELLS_ANY_FILE */
	struct frame_stream stream; /* likewise, if EF_TELLS_ANY_STREAM and streams are followed */
	__u64 wants_times; /* of the event; 0 or 1, if EF_TELLS_ANY_STREAM or bytes are unseen */
	struct thread_times thread; /* likewise, if it wants them */
	struct frame_uring uring; /* likewise, of an operation of a ring */
	__u64 path_is_part; /* of the path that was built last: it has no beginning */
	struct vector_progress vector; /* the one read last */
	struct kept_slot kept; /* over a jump */
	__u8 work[WORK_BYTES]; /* where longer values are built */
	struct batch_header record; /* written before the frames when they are sent */
	__u8 frames[BATCH_BYTES_MAX + 2 * (FRAME_BYTES_MAX + 32)];
};

_Static_assert(__builtin_offsetof(struct scratch_slot, frames) ==
		       __builtin_offsetof(struct scratch_slot, record) +
			       sizeof(struct batch_header),
	       "a record is its header and its frames");

#endif
