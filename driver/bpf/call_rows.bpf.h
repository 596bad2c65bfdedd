/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Calls, switches and waits for a CPU that are counted here, in rows, as nobody wants more of their events than
 * numbers. The map does not grow: what has no room is counted in rows that user space adds first.
 * It removes those of threads that have ended. Of the rows that are free, nobody gets more than half
 * (core/share_owner.bpf.h), so that none has all of them; and a thread has rows under some names, and
 * one without for all others that it takes.
 */
#ifndef LANNER_CALL_ROWS_BPF_H
#define LANNER_CALL_ROWS_BPF_H

#include "bpf/core/follow.bpf.h"
#include "bpf/core/kernel_filter.bpf.h"
#include "bpf/core/latency.bpf.h"
#include "bpf/core/share_owner.bpf.h"
#include "bpf/table.bpf.h"

#include <asm/errno.h>

enum {
	ROW_ERRNO_MAX = 4095,
	ROW_NAMES_MAX = 16,
	NAMED_THREADS_MAX = 16384,
	PIPE_FS_MAGIC = 0x50495045,
};

/* User space sets the type: of threads it is BPF_MAP_TYPE_HASH. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, CALL_ROWS_MAX);
	__type(key, struct call_row_key);
	__type(value, struct call_row);
} call_rows SEC(".maps");

struct named_thread {
	__u64 program;
	__u64 tid;
};

struct row_names {
	__u32 hashes[ROW_NAMES_MAX]; /* 0: none yet */
};

/* The names that rows of a thread have. User space makes it small without rows of threads. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, NAMED_THREADS_MAX);
	__type(key, struct named_thread);
	__type(value, struct row_names);
} row_names SEC(".maps");

/*
 * Rows of threads that were made, by owner of a share, and behind these the ones that user space has removed:
 * each side writes its own. Place 0 has those of all users.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2 * CALL_ROW_USERS);
	__type(key, __u32);
	__type(value, __u32);
} call_row_users SEC(".maps");

/* When the CPU switched the last time, by the boot clock. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} switched_at SEC(".maps");

const volatile bool counts_calls; /* any */
const volatile bool counted_calls[EVENT_ID_MAX]; /* these, and there are no events of them */
const volatile __u32 call_rows_by; /* bits of enum call_rows_by */
const volatile __u32 call_rows_max;

static __always_inline __u32 rows_of_user(__u32 place)
{
	__u32 behind = place + CALL_ROW_USERS;
	__u32 *made = bpf_map_lookup_elem(&call_row_users, &place);
	__u32 *removed = bpf_map_lookup_elem(&call_row_users, &behind);

	return made && removed ? *(volatile __u32 *)made - *(volatile __u32 *)removed : 0;
}

static __always_inline __u32 place_of_owner(__u64 owner)
{
	return 1 + (owner * 0x9e3779b97f4a7c15 >> 32) % (CALL_ROW_USERS - 1);
}

static __always_inline void row_of_user_made(__u32 place)
{
	__u32 *made = bpf_map_lookup_elem(&call_row_users, &place);

	if (made)
		__sync_fetch_and_add(made, 1);
}

/* What is written once, when the row is made. A thread that ends has no program any more. */
static __always_inline void row_begin(struct call_row *row, struct task_struct *task)
{
	struct mm_struct *mm = GET(task, mm);

	row->pid = pid_of(task);
	if (!mm && !(flags_of(task) & TASK_KERNEL_THREAD))
		return;
	row->exec_id = exec_id_of(GET(task, group_leader, start_boottime) / TICK_NS,
				  mm ? GET(mm, start_stack) : 0);
}

/* Whether a thread may have a row under the name that it has now. */
static __always_inline bool row_may_be_named(const struct call_row_key *key)
{
	const struct named_thread thread = {key->program, key->tid};
	struct row_names none = {}, *names = bpf_map_lookup_elem(&row_names, &thread);
	__u32 hash = ((key->name[0] * 31 + key->name[1]) * 0x9e3779b97f4a7c15 >> 32) | 1;

	if (!names) {
		none.hashes[0] = hash;
		bpf_map_update_elem(&row_names, &thread, &none, BPF_ANY);
		return true;
	}
	for (int i = 0; i < ROW_NAMES_MAX; i++) {
		if (!names->hashes[i])
			names->hashes[i] = hash;
		if (names->hashes[i] == hash)
			return true;
	}
	return false;
}

/* The row of a key that has none yet, or the one of those without room. */
static __attribute__((noinline)) struct call_row *call_row_make(struct call_row_key *key,
								struct task_struct *task)
{
	const bool of_thread = call_rows_by & BY_THREAD;
	__u32 loss = ROW_LOSS_FULL, place = 0;
	struct call_row row = {}, *nameless;

	if (!key)
		return NULL;
	if (of_thread && !row_may_be_named(key)) {
		key->name[0] = key->name[1] = 0;
		nameless = bpf_map_lookup_elem(&call_rows, key);
		if (nameless)
			return nameless;
	}
	if (of_thread)
		row.place = place = place_of_owner(share_owner(task));
	if (of_thread && rows_of_user(place) >= call_rows_max - rows_of_user(0)) {
		loss = rows_of_user(place) ? ROW_LOSS_SHARE : ROW_LOSS_FULL;
	} else {
		long err;

		if (of_thread)
			row_begin(&row, task);
		err = bpf_map_update_elem(&call_rows, key, &row, BPF_NOEXIST);
		if (err == 0 && of_thread) {
			row_of_user_made(place);
			row_of_user_made(0);
		}
		if (err == 0 || err == -EEXIST)
			return bpf_map_lookup_elem(&call_rows, key);
	}
	*key = (struct call_row_key){.error = loss};
	return bpf_map_lookup_elem(&call_rows, key);
}

static __always_inline void row_key_of_thread(struct call_row_key *key, struct task_struct *task)
{
	key->tid = tid_of(task);
	/* Within a call a file system may act as another user. */
	key->uid = GET(task, real_cred, euid.val);
	key->program = GET(task, start_boottime) + GET(task, self_exec_id);
	read_name(task, key->name);
}

/* What is counted. */
struct row_adds {
	__u64 now; /* boot clock; needed of threads */
	__u64 ns;
	__u64 bytes;
	bool is_timed; /* `ns` is known */
};

/* Numbers are below 2^64 / 1000, but for those that are no times. */
static __always_inline __u8 row_power(__u64 ns)
{
	__u64 number = ns;
	__u8 power = 0;

	if (call_rows_by & BY_US)
		number = ns / 1000;
	else if (call_rows_by & BY_MS)
		number = ns / 1000000;
	else if (call_rows_by & BY_S)
		number = ns / 1000000000;
	for (__u8 step = 32; step; step /= 2)
		if (number >> step) {
			number >>= step;
			power += step;
		}
	return power;
}

static __always_inline void row_count(struct call_row_key *key, const struct row_adds *adds,
				      struct task_struct *task, bool with_memory)
{
	struct call_row *row;

	if (call_rows_by & BY_TIME && adds->is_timed)
		key->power = row_power(adds->ns);
	row = bpf_map_lookup_elem(&call_rows, key);
	if (!row)
		row = call_row_make(key, task);
	if (!row)
		return;
	/* Programs of this CPU can be preempted by each other. */
	__sync_fetch_and_add(&row->count, 1);
	if (adds->bytes)
		__sync_fetch_and_add(&row->bytes, adds->bytes);
	if (call_rows_by & BY_THREAD)
		row->last_ns = adds->now;
	if (with_memory) {
		struct mm_struct *mm = GET(task, mm);

		row->vm_size_kib = mm ? pages_kib(GET(mm, total_vm)) : 0;
		row->vm_rss_kib = mm ? mm_rss_kib(mm) : 0;
	}
	if (!adds->is_timed)
		return;
	__sync_fetch_and_add(&row->timed, 1);
	__sync_fetch_and_add(&row->latency_ns, adds->ns);
	if (adds->ns > row->latency_max_ns)
		row->latency_max_ns = adds->ns;
}

static __always_inline void count_counted(void)
{
	__u32 zero = 0;
	struct driver_counters *driver = bpf_map_lookup_elem(&driver_counters, &zero);

	if (driver)
		count(&driver->counted_seen);
}

static __always_inline __u32 kind_of_socket(struct file *file)
{
	struct sock *sk = file_sock(file);

	switch (sk ? GET(sk, __sk_common.skc_family) : 0) {
	case FAMILY_INET:
		return ROW_KIND_IPV4;
	case FAMILY_INET6:
		return ROW_KIND_IPV6;
	case FAMILY_UNIX:
		return ROW_KIND_UNIX;
	default:
		return ROW_KIND_OTHER;
	}
}

/*
 * As user space knows descriptors: a pipe that was opened by its path is a file, and one that
 * memfd_create() made, which is in no folder, is none.
 */
static __always_inline __u32 kind_of_file(struct file *file)
{
	struct inode *inode = GET(file, f_inode);
	struct dentry *dentry = GET(file, f_path.dentry);

	switch (GET(inode, i_mode) & S_IFMT) {
	case S_IFREG:
		return GET(dentry, d_parent) == dentry ? ROW_KIND_OTHER : ROW_KIND_FILE;
	case S_IFCHR:
	case S_IFBLK:
		return ROW_KIND_FILE;
	case S_IFDIR:
		return ROW_KIND_DIRECTORY;
	case S_IFIFO:
		return (__u32)GET(inode, i_sb, s_magic) == PIPE_FS_MAGIC ? ROW_KIND_PIPE
									  : ROW_KIND_FILE;
	case S_IFSOCK:
		return kind_of_socket(file);
	default:
		return ROW_KIND_OTHER;
	}
}

/*
 * The kind of what a call used. Returns false if it is not known now: another thread may have closed
 * it. Then, and of 32-bit programs, which may have arguments in memory, there is an event.
 */
static __always_inline bool row_kind_find(struct task_struct *task, struct pt_regs *regs,
					  long result, __u8 *kind)
{
	struct caller caller = call_caller(task);
	struct file *file;

	if (!caller.native)
		return false;
	file = fd_file((__s32)call_argument(regs, caller, 0));
	*kind = file ? kind_of_file(file) : ROW_KIND_NONE;
	return file || result < 0;
}

/*
 * Counts the current call in place of its event. Returns false if there has to be an event of it.
 * Not inlined, as kernel_filter_run().
 */
static __attribute__((noinline)) bool call_row_add(struct task_struct *task, struct pt_regs *regs,
						   __u32 event, long result)
{
	struct call_row_key key = {.event = event};
	struct row_adds adds = {};
	__u64 entered;

	if (call_rows_by & BY_KIND) {
		if (event_has(event, EF_TRANSFERS) && !row_kind_find(task, regs, result, &key.kind))
			return false;
		if (event_has(event, EF_TRANSFERS) && result > 0)
			adds.bytes = result;
	}
	entered = enter_times ? call_time_take(regs) : 0;
	if (call_rows_by & BY_CPU)
		key.cpu = bpf_get_smp_processor_id();
	if (call_rows_by & BY_RESULT && result < 0 && result >= -ROW_ERRNO_MAX)
		key.error = -result;
	if (call_rows_by & BY_THREAD)
		row_key_of_thread(&key, task);
	if (entered || call_rows_by & BY_THREAD)
		adds.now = bpf_ktime_get_boot_ns();
	adds.ns = entered ? adds.now - entered : 0;
	adds.is_timed = adds.ns != 0;
	count_counted();
	row_count(&key, &adds, task, false);
	return true;
}

/* Of a task that goes off its CPU. Idle CPUs have none. */
static __always_inline void switch_row_add(struct task_struct *task)
{
	struct call_row_key key = {.event = EVENT_switch};
	struct row_adds adds = {.now = bpf_ktime_get_boot_ns()};
	__u32 zero = 0;
	__u64 *at;

	at = bpf_map_lookup_elem(&switched_at, &zero);
	if (!at)
		return;
	adds.ns = *at ? adds.now - *at : 0;
	adds.is_timed = adds.ns != 0;
	*at = adds.now;
	if (is_own_pid(pid_of(task)) || is_left_out(task, EVENT_switch))
		return;
	if (call_rows_by & BY_CPU)
		key.cpu = bpf_get_smp_processor_id();
	if (call_rows_by & BY_THREAD)
		row_key_of_thread(&key, task);
	count_counted();
	row_count(&key, &adds, task, true);
}

/* Of a task that gets a CPU, for which it has waited so long. */
static __always_inline void wait_row_add(struct task_struct *task, __u64 ns)
{
	struct call_row_key key = {.event = EVENT_runqueue};
	struct row_adds adds = {.ns = ns, .is_timed = true};

	if (call_rows_by & BY_CPU)
		key.cpu = bpf_get_smp_processor_id();
	if (call_rows_by & BY_THREAD) {
		row_key_of_thread(&key, task);
		adds.now = bpf_ktime_get_boot_ns();
	}
	count_counted();
	row_count(&key, &adds, task, false);
}

#endif
