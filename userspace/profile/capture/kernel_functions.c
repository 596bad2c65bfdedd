/* SPDX-License-Identifier: MIT */
/* Names with what they say, and the parts of the kernel that have these names. */
#include "profile/capture/kernel_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/count.h"

enum {
	INNER_MAX = 12, /* frames of a measurement and the scheduler */
	NAME_BYTES = 128,
};

/* Those that begin so. */
struct named {
	const char *name;
	uint8_t role, reason;
	bool is_prefix;
};

#define WAITS(name, reason)                                                                        \
	{                                                                                          \
		name, KERNEL_WAITS_FOR, reason, false                                              \
	}
#define WAIT_ALL(name, reason)                                                                     \
	{                                                                                          \
		name, KERNEL_WAITS_FOR, reason, true                                               \
	}

/* Waits for several things at once, as poll(2) does, are of no reason: it is not known for which.
 */
static const struct named named[] = {
	{"__schedule", KERNEL_SWITCHES, 0, false},
	{"try_to_wake_up", KERNEL_WAKES, 0, false},
	{"asm_sysvec_", KERNEL_INTERRUPTS, 0, true},
	{"asm_common_interrupt", KERNEL_INTERRUPTS, 0, false},
	{"common_interrupt_return", KERNEL_NO_ROLE, 0, false},
	{"irq_exit_rcu", KERNEL_INTERRUPTS, 0, false},
	{"el0_interrupt", KERNEL_INTERRUPTS, 0, false},
	{"el1_interrupt", KERNEL_INTERRUPTS, 0, false},
	{"__el1_irq", KERNEL_INTERRUPTS, 0, false},
	WAIT_ALL("futex_wait", STACK_LOCK),
	WAIT_ALL("__futex_wait", STACK_LOCK),
	WAITS("futex_lock_pi", STACK_LOCK),
	WAIT_ALL("__mutex_lock", STACK_LOCK),
	WAIT_ALL("mutex_lock", STACK_LOCK),
	WAIT_ALL("rwsem_down_", STACK_LOCK),
	WAIT_ALL("down_read", STACK_LOCK),
	WAIT_ALL("down_write", STACK_LOCK),
	WAIT_ALL("__down", STACK_LOCK),
	WAIT_ALL("rt_mutex_", STACK_LOCK),
	WAIT_ALL("__rt_mutex_", STACK_LOCK),
	WAIT_ALL("percpu_rwsem_wait", STACK_LOCK),
	WAITS("locks_lock_inode_wait", STACK_LOCK),
	WAITS("fcntl_setlk", STACK_LOCK),
	WAIT_ALL("__do_semtimedop", STACK_LOCK),
	WAITS("do_semtimedop", STACK_LOCK),
	WAITS("do_nanosleep", STACK_SLEEP),
	WAITS("hrtimer_nanosleep", STACK_SLEEP),
	WAIT_ALL("msleep", STACK_SLEEP),
	WAITS("usleep_range_state", STACK_SLEEP),
	WAIT_ALL("io_schedule", STACK_DISK),
	WAIT_ALL("folio_wait_", STACK_DISK),
	WAIT_ALL("wait_on_page_", STACK_DISK),
	WAIT_ALL("submit_bio_wait", STACK_DISK),
	WAIT_ALL("blk_mq_get_tag", STACK_DISK),
	WAITS("bit_wait_io", STACK_DISK),
	WAITS("__wait_on_buffer", STACK_DISK),
	WAIT_ALL("balance_dirty_pages", STACK_DISK),
	WAIT_ALL("blkdev_issue_", STACK_DISK),
	WAIT_ALL("jbd2_log_wait_commit", STACK_DISK),
	WAIT_ALL("xfs_log_force", STACK_DISK),
	WAIT_ALL("__iomap_dio_rw", STACK_DISK),
	WAIT_ALL("filemap_fdatawait", STACK_DISK),
	WAITS("sk_wait_data", STACK_NETWORK),
	WAITS("sk_stream_wait_memory", STACK_NETWORK),
	WAITS("sk_stream_wait_connect", STACK_NETWORK),
	WAITS("inet_csk_accept", STACK_NETWORK),
	WAITS("inet_csk_wait_for_connect", STACK_NETWORK),
	WAITS("__inet_stream_connect", STACK_NETWORK),
	WAITS("inet_wait_for_connect", STACK_NETWORK),
	WAIT_ALL("__skb_wait_for_more_packets", STACK_NETWORK),
	WAIT_ALL("unix_stream_data_wait", STACK_NETWORK),
	WAIT_ALL("unix_stream_read_generic", STACK_NETWORK),
	WAITS("unix_wait_for_peer", STACK_NETWORK),
	WAITS("sock_alloc_send_pskb", STACK_NETWORK),
	WAIT_ALL("tcp_recvmsg", STACK_NETWORK),
	WAIT_ALL("tcp_sendmsg", STACK_NETWORK),
	WAITS("__sys_accept4", STACK_NETWORK),
	WAITS("io_cqring_wait", STACK_OTHER),
};

/* A line: an address, a type, a name. */
struct symbol {
	uint64_t address;
	const struct named *named; /* NULL: it says nothing, but ends the one before it */
};

static const struct named *find_named(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(named); i++) {
		size_t length = strlen(named[i].name);

		if (len >= length && memcmp(name, named[i].name, length) == 0 &&
		    (named[i].is_prefix || len == length))
			return &named[i];
	}
	return NULL;
}

/* Parts that the compiler split off have the name of the function, and a suffix. */
static size_t name_length(const char *name, size_t len)
{
	const char *end = memchr(name, '.', len);

	return end ? (size_t)(end - name) : len;
}

/* Returns whether the line is a function of the kernel itself. */
static bool read_symbol(const char *line, size_t len, struct symbol *symbol)
{
	char *after;
	const char *name, *end = line + len;

	symbol->address = strtoull(line, &after, 16);
	if (after + 3 >= end || after[0] != ' ' || (after[1] | 0x20) != 't' || !symbol->address)
		return false;
	name = after + 3;
	for (const char *at = name; at < end; at++)
		if (*at == '\t' || *at == ' ') {
			end = at;
			break;
		}
	symbol->named = find_named(name, name_length(name, (size_t)(end - name)));
	return true;
}

static int compare_symbols(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->address != b->address)
		return (a->address > b->address) - (a->address < b->address);
	/* Of several names that which says something. */
	return !a->named - !b->named;
}

/* Each goes to the next address. */
static int keep_named(const struct symbol *symbols, size_t count,
		      struct kernel_functions *functions)
{
	size_t kept = 0;

	functions->list = calloc(count ? count : 1, sizeof(*functions->list));
	if (!functions->list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		size_t next = i + 1;

		if (!symbols[i].named || (i && symbols[i - 1].address == symbols[i].address))
			continue;
		while (next < count && symbols[next].address == symbols[i].address)
			next++;
		functions->list[kept++] = (struct kernel_function){
			symbols[i].address,
			next < count ? symbols[next].address : symbols[i].address + 1,
			symbols[i].named->role, symbols[i].named->reason};
	}
	functions->count = kept;
	return 0;
}

int kernel_functions_read(const char *text, size_t len, struct kernel_functions *functions)
{
	const char *end = text + len;
	struct symbol *symbols;
	size_t lines = 1, count = 0;
	int r;

	*functions = (struct kernel_functions){0};
	for (const char *at = text; at < end; at++)
		lines += *at == '\n';
	symbols = calloc(lines, sizeof(*symbols));
	if (!symbols)
		return -ENOMEM;
	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));

		if (!line_end)
			break;
		count += read_symbol(text, (size_t)(line_end - text), &symbols[count]);
		text = line_end + 1;
	}
	qsort(symbols, count, sizeof(*symbols), compare_symbols);
	r = keep_named(symbols, count, functions);
	free(symbols);
	return r;
}

void kernel_functions_finish(struct kernel_functions *functions)
{
	free(functions->list);
	*functions = (struct kernel_functions){0};
}

const struct kernel_function *kernel_functions_at(const struct kernel_functions *functions,
						  uint64_t address)
{
	size_t low = 0, high = functions->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions->list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == functions->count || address < functions->list[low].begin)
		return NULL;
	return &functions->list[low];
}

enum stack_reason kernel_functions_reason(const struct kernel_functions *functions,
					  const __u64 *frames, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct kernel_function *found = kernel_functions_at(functions, frames[i] - 1);

		if (found && found->role == KERNEL_WAITS_FOR)
			return found->reason;
	}
	return STACK_OTHER;
}

size_t kernel_functions_inner(const struct kernel_functions *functions, enum kernel_role role,
			      const __u64 *frames, size_t count)
{
	for (size_t i = 0; i < count && i < INNER_MAX; i++) {
		const struct kernel_function *found = kernel_functions_at(functions, frames[i] - 1);

		if (found && found->role == role)
			return i + 1;
	}
	return 0;
}

size_t kernel_functions_interrupt(const struct kernel_functions *functions, const __u64 *frames,
				  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct kernel_function *found = kernel_functions_at(functions, frames[i] - 1);

		if (found && found->role == KERNEL_INTERRUPTS)
			return i + 1;
	}
	return 0;
}
