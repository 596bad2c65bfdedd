/* SPDX-License-Identifier: MIT */
/*
 * Stacks are read once for a set: what they are there is kept by their hash and by what they are
 * used for, as the frames of the scheduler and of interrupts are cut off those of waits.
 */
#include "profile/capture/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

_Static_assert((int)PROFILE_FRAMES_MAX == (int)STACK_FRAMES_MAX, "parts have room for stacks");
_Static_assert((int)PROFILE_BY_FRAME_POINTER == (int)STACK_BY_FRAME_POINTER,
	       "the reasons have the same order");
_Static_assert((int)PROFILE_COMM_BYTES == (int)STACK_COMM_BYTES, "names have the same length");

enum {
	CACHE_MIN = 1024,
	ASKED_MAX = 64, /* processes, in one go, for files that were closed */
};

/* What a stack is of. */
enum use { OF_SAMPLE, OF_WAIT, OF_WAKER, OF_USER };

struct collected_stack {
	uint64_t hash; /* 0: free */
	struct stack_part part;
	uint8_t use;
	uint8_t reason; /* of a wait: enum stack_reason */
	bool is_interrupt; /* of a waker */
	bool has_anonymous;
};

void collect_into(struct collect_job *collector, struct stacks *stacks)
{
	collector->asked = 0;
	collector->asked_pid = 0;
	if (collector->stacks == stacks)
		return;
	collector->stacks = stacks;
	for (size_t i = 0; i < collector->files->count; i++)
		collector->files->list[i].in_set = UINT32_MAX;
	for (size_t i = 0; i < collector->processes->count; i++)
		collector->processes->list[i].in_set = UINT32_MAX;
	free(collector->cache);
	collector->cache = NULL;
	collector->cache_count = collector->cache_used = 0;
}

void collect_finish(struct collect_job *collector)
{
	free(collector->cache);
	*collector = (struct collect_job){0};
}

/* Files. */

static int file_index(struct collect_job *collector, struct captured_file *captured,
		      uint32_t *index)
{
	struct stack_file file = captured->file;
	int r;

	if (captured->in_set != UINT32_MAX) {
		*index = captured->in_set;
		return 0;
	}
	if (captured->is_closed) {
		/* What has run may be another file, by the same inode. */
		file = (struct stack_file){.kind = STACK_FILE, .path = "", .fd = -1};
		collector->files->vanished++;
	}
	file.fd = file.fd >= 0 ? fcntl(file.fd, F_DUPFD_CLOEXEC, 0) : -1;
	r = stacks_add_file(collector->stacks, &file, &captured->in_set);
	*index = captured->in_set;
	return r;
}

/* What is not in a file is in this one. */
static int anonymous_index(struct collect_job *collector, uint32_t *index)
{
	const struct stack_file file = {.kind = STACK_ANONYMOUS, .path = "[anonymous]", .fd = -1};
	const struct stacks *stacks = collector->stacks;

	for (uint32_t i = 0; i < stacks->files_count; i++)
		if (stacks->files[i].kind == STACK_ANONYMOUS) {
			*index = i;
			return 0;
		}
	return stacks_add_file(collector->stacks, &file, index);
}

/* The file with an index; one that was closed is opened again if the process still has it. */
static int find_file(struct collect_job *collector, uint32_t index, struct captured_file **file)
{
	int r = 0;

	*file = captured_files_find(collector->files, index);
	if (!*file || !(*file)->is_closed || (*file)->in_set != UINT32_MAX ||
	    collector->pid == collector->asked_pid || collector->asked >= ASKED_MAX)
		return 0;
	collector->asked++;
	collector->asked_pid = collector->pid;
	r = captured_files_add_mapped(collector->files, collector->pid);
	*file = captured_files_find(collector->files, index);
	return r;
}

/* A frame of a process. */
static int read_frame(struct collect_job *collector, uint64_t frame, struct stack_frame *to,
		      bool *is_anonymous)
{
	const uint64_t offset_mask = (UINT64_C(1) << PROFILE_OFFSET_BITS) - 1;
	const uint32_t index_mask = (1 << PROFILE_INDEX_BITS) - 1;
	struct captured_file *captured;
	int r;

	*to = (struct stack_frame){.at = frame};
	if (!(frame & PROFILE_IN_FILE)) {
		*is_anonymous = true;
		return anonymous_index(collector, &to->file);
	}
	to->at = frame & offset_mask;
	r = find_file(collector, frame >> PROFILE_OFFSET_BITS & index_mask, &captured);
	if (r)
		return r;
	if (!captured)
		return anonymous_index(collector, &to->file);
	return file_index(collector, captured, &to->file);
}

/* Parts. */

static struct collected_stack *cache_place(const struct collect_job *collector, uint64_t hash,
					   enum use use)
{
	size_t mask = collector->cache_count - 1;
	size_t i = (hash >> 8) & mask;

	while (collector->cache[i].hash &&
	       (collector->cache[i].hash != hash || collector->cache[i].use != use))
		i = (i + 1) & mask;
	return &collector->cache[i];
}

static int cache_grow(struct collect_job *collector)
{
	struct collect_job grown = *collector;

	if (2 * (collector->cache_used + 1) <= collector->cache_count)
		return 0;
	grown.cache_count = collector->cache_count ? 2 * collector->cache_count : CACHE_MIN;
	grown.cache = calloc(grown.cache_count, sizeof(*grown.cache));
	if (!grown.cache)
		return -ENOMEM;
	for (size_t i = 0; i < collector->cache_count; i++)
		if (collector->cache[i].hash)
			*cache_place(&grown, collector->cache[i].hash, collector->cache[i].use) =
				collector->cache[i];
	free(collector->cache);
	*collector = grown;
	return 0;
}

/* Of the kernel: without what measured, and what was interrupted. */
static int make_kernel_part(struct collect_job *collector, const struct profile_stack *stack,
			    struct collected_stack *made)
{
	const struct kernel_functions *functions = collector->functions;
	struct stack_frame frames[PROFILE_FRAMES_MAX];
	size_t first = 0, count = stack->count;

	if (made->use == OF_WAIT) {
		first = kernel_functions_inner(functions, KERNEL_SWITCHES, stack->frames, count);
		made->reason = kernel_functions_reason(functions, stack->frames, count);
	}
	if (made->use == OF_WAKER) {
		size_t interrupt = kernel_functions_interrupt(functions, stack->frames, count);

		first = kernel_functions_inner(functions, KERNEL_WAKES, stack->frames, count);
		first -= first > 0;
		made->is_interrupt = interrupt > 0;
		if (interrupt > first)
			count = interrupt;
	}
	for (size_t i = first; i < count; i++)
		frames[i - first] = (struct stack_frame){.at = stack->frames[i] -
							       (i > 0 || made->use != OF_SAMPLE)};
	return stacks_add_part(collector->stacks, frames, count - first, stack->lack, &made->part);
}

static int make_user_part(struct collect_job *collector, const struct profile_stack *stack,
			  struct collected_stack *made)
{
	struct stack_frame frames[PROFILE_FRAMES_MAX];

	for (size_t i = 0; i < stack->count; i++) {
		int r = read_frame(collector, stack->frames[i], &frames[i], &made->has_anonymous);

		if (r)
			return r;
	}
	return stacks_add_part(collector->stacks, frames, stack->count, stack->lack, &made->part);
}

/* A stack that was lost is a part without frames. */
static int make_part(struct collect_job *collector, struct collected_stack *made)
{
	struct profile_stack stack;
	int r;

	if (made->hash == PROFILE_STACK_LOST ||
	    bpf_map_lookup_elem(collector->stacks_map, &made->hash, &stack) ||
	    stack.count > PROFILE_FRAMES_MAX || stack.lack >= STACK_LACKS)
		return stacks_add_part(collector->stacks, NULL, 0, STACK_NO_ROOM, &made->part);
	r = made->use == OF_USER ? make_user_part(collector, &stack, made)
				 : make_kernel_part(collector, &stack, made);
	/* It is counted; the rest of the row is not lost by that. */
	if (r == -E2BIG)
		r = stacks_add_part(collector->stacks, NULL, 0, STACK_NO_ROOM, &made->part);
	return r == -E2BIG ? 0 : r;
}

/* Sets the stack with a hash. Returns 0 or -errno. */
static int find_stack(struct collect_job *collector, uint64_t hash, enum use use,
		      struct collected_stack *found)
{
	struct collected_stack *place;
	int r;

	*found = (struct collected_stack){.hash = hash, .use = (uint8_t)use, .reason = STACK_OTHER};
	if (hash == PROFILE_NO_STACK)
		return 0;
	r = cache_grow(collector);
	if (r)
		return r;
	place = cache_place(collector, hash, use);
	if (!place->hash) {
		r = make_part(collector, found);
		if (r)
			return r;
		*place = *found;
		collector->cache_used++;
	}
	*found = *place;
	return 0;
}

/* Rows. */

static void copy_comm(char to[STACK_COMM_BYTES + 1], const char from[PROFILE_COMM_BYTES])
{
	memcpy(to, from, STACK_COMM_BYTES);
	to[STACK_COMM_BYTES] = '\0';
}

static uint8_t reason_of(const struct profile_row *row, const struct collected_stack *kernel)
{
	switch (row->how) {
	case PROFILE_RUNNABLE:
		return STACK_RUN_QUEUE;
	case PROFILE_WAITED_FOR_IO:
		return kernel->reason == STACK_OTHER ? STACK_DISK : kernel->reason;
	case PROFILE_WAITED:
		return kernel->reason;
	default:
		return STACK_NO_REASON;
	}
}

/* The waker; if it was an interrupt, the thread that it interrupted has nothing to do with it. */
static int set_waker(struct collect_job *collector, const struct profile_row *row,
		     const struct profile_count *count, struct stack_waker *waker)
{
	struct collected_stack kernel, user;
	int r = find_stack(collector, row->stacks.waker_kernel, OF_WAKER, &kernel);

	if (r)
		return r;
	waker->kernel = kernel.part;
	if (kernel.is_interrupt || row->waker_pid == 0)
		return 0;
	collector->pid = row->waker_pid;
	r = find_stack(collector, row->stacks.waker_user, OF_USER, &user);
	waker->user = user.part;
	waker->pid = (int32_t)row->waker_pid;
	waker->tid = (int32_t)row->waker_tid;
	copy_comm(waker->comm, count->waker_comm);
	return r;
}

/* Who has code without a file may have its names in a file of its own. */
static int process_index(struct collect_job *collector, struct captured_process *captured,
			 bool has_anonymous, uint32_t *index)
{
	struct stack_process *added;
	int r = 0;

	if (captured->in_set == UINT32_MAX)
		r = stacks_add_process(collector->stacks, &captured->process, &captured->in_set);
	if (r)
		return r;
	added = &collector->stacks->processes[captured->in_set];
	if (has_anonymous && added->root_fd < 0 && added->was_read)
		added->root_fd = captured_processes_open_root(collector->processes, &captured->key);
	*index = captured->in_set;
	return 0;
}

static int add_row(struct collect_job *collector, const struct profile_row *row,
		   const struct profile_count *count)
{
	const struct profile_process_key key = {row->start_ns, row->exec_id, row->pid, 0};
	struct captured_process *process = captured_processes_get(collector->processes, &key);
	bool is_sample = row->how == PROFILE_ON_CPU;
	struct stack_row made = {.tid = (int32_t)row->tid,
				 .kind = is_sample ? STACK_ON_CPU : STACK_OFF_CPU,
				 .value = count->value,
				 .times = count->times};
	struct collected_stack kernel, user;
	int r;

	if (!process || !process->is_wanted)
		return process ? 0 : -ENOMEM;
	collector->pid = row->pid;
	r = find_stack(collector, row->stacks.kernel, is_sample ? OF_SAMPLE : OF_WAIT, &kernel);
	if (r == 0)
		r = find_stack(collector, row->stacks.user, OF_USER, &user);
	if (r == 0)
		r = process_index(collector, process, user.has_anonymous, &made.process);
	if (r == 0 && !is_sample)
		r = set_waker(collector, row, count, &made.waker);
	if (r)
		return r;
	made.kernel = kernel.part;
	made.user = user.part;
	made.reason = reason_of(row, &kernel);
	copy_comm(made.comm, count->comm);
	/* The kernel had no room for what it knew of the process. */
	if (!collector->stacks->processes[made.process].comm[0])
		memcpy(collector->stacks->processes[made.process].comm, made.comm,
		       sizeof(made.comm));
	return stacks_add_row(collector->stacks, &made);
}

/* What has no room is counted, and the others are added. */
static int go_on(int r)
{
	return r == -E2BIG ? 0 : r;
}

/*
 * Maps are read by parts, as a call for each entry takes longer than to count it. An entry that
 * comes meanwhile may be read or not.
 */
struct part_reader {
	int map;
	uint32_t at; /* where the kernel goes on */
	bool begun, ended;
};

/* Reads `count` entries at most. Returns how many. */
static uint32_t read_part(struct part_reader *reader, void *keys, void *values, uint32_t count)
{
	uint32_t next = 0;

	if (reader->ended)
		return 0;
	if (bpf_map_lookup_batch(reader->map, reader->begun ? &reader->at : NULL, &next, keys,
				 values, &count, NULL)) {
		reader->ended = true;
		/* The last part. */
		if (errno != ENOENT)
			count = 0;
	}
	reader->begun = true;
	reader->at = next;
	return count;
}

static void delete_part(int map, const void *keys, uint32_t count)
{
	if (count)
		(void)bpf_map_delete_batch(map, keys, &count, NULL);
}

enum { ROWS_OF_PART = 1024, STACKS_OF_PART = 256 };

struct rows_part {
	struct profile_row rows[ROWS_OF_PART], read[ROWS_OF_PART];
	struct profile_count counts[ROWS_OF_PART];
};

int collect_rows(struct collect_job *collector, uint8_t generation)
{
	struct part_reader reader = {.map = collector->rows_map};
	struct rows_part *part = malloc(sizeof(*part));
	uint32_t count, read;
	int r = part ? 0 : -ENOMEM;

	while (r == 0 && (count = read_part(&reader, part->rows, part->counts, ROWS_OF_PART))) {
		read = 0;
		for (uint32_t i = 0; i < count && r == 0; i++) {
			if (part->rows[i].generation == generation)
				continue;
			r = go_on(add_row(collector, &part->rows[i], &part->counts[i]));
			part->read[read++] = part->rows[i];
		}
		delete_part(reader.map, part->read, read);
	}
	free(part);
	return r;
}

static int compare_hashes(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/*
 * The stacks of threads that wait, sorted; the caller frees them. Returns 0; -ENOMEM; -EAGAIN: they
 * come and go too fast.
 */
static int find_waiting(const struct collect_job *collector, uint64_t **hashes, size_t *count)
{
	enum { EACH = sizeof(struct profile_stacks) / sizeof(uint64_t) };
	struct profile_wait wait;
	uint32_t tid, *before = NULL, next, steps = 0;
	size_t capacity = 0;

	*hashes = NULL;
	*count = 0;
	while (bpf_map_get_next_key(collector->waits_map, before, &next) == 0) {
		/* Behind one that was removed meanwhile the first one follows again. */
		if (steps++ == PROFILE_WAITS)
			return -EAGAIN;
		tid = next;
		before = &tid;
		if (bpf_map_lookup_elem(collector->waits_map, &tid, &wait))
			continue;
		if (*count + EACH > capacity) {
			uint64_t *more;

			capacity = capacity ? 2 * capacity : 64 * EACH;
			more = reallocarray(*hashes, capacity, sizeof(**hashes));
			if (!more)
				return -ENOMEM;
			*hashes = more;
		}
		memcpy(*hashes + *count, &wait.stacks, sizeof(wait.stacks));
		*count += EACH;
	}
	if (*count)
		qsort(*hashes, *count, sizeof(**hashes), compare_hashes);
	return 0;
}

/* How often a number is in a sorted list. */
static uint32_t count_equal(const uint64_t *list, size_t count, uint64_t number)
{
	const uint64_t *found =
		count ? bsearch(&number, list, count, sizeof(number), compare_hashes) : NULL;
	const uint64_t *first = found, *last = found;

	if (!found)
		return 0;
	while (first > list && first[-1] == number)
		first--;
	while (last + 1 < list + count && last[1] == number)
		last++;
	return (uint32_t)(last - first) + 1;
}

/* What each has of the stacks that stay. The kernel may count meanwhile: the next time is right. */
static void set_shares(int map, uint64_t *staying, size_t count)
{
	struct profile_share share;
	uint64_t key, *before = NULL, next;
	uint32_t steps = 0;

	if (count)
		qsort(staying, count, sizeof(*staying), compare_hashes);
	while (steps++ < PROFILE_SHARES && bpf_map_get_next_key(map, before, &next) == 0) {
		key = next;
		before = &key;
		if (bpf_map_lookup_elem(map, &key, &share))
			continue;
		share.taken[PROFILE_SHARED_STACKS] = count_equal(staying, count, key);
		(void)bpf_map_update_elem(map, &key, &share, BPF_EXIST);
	}
}

struct stacks_part {
	uint64_t hashes[STACKS_OF_PART], unused[STACKS_OF_PART];
	struct profile_stack stacks[STACKS_OF_PART];
	uint64_t staying[PROFILE_STACKS]; /* shares of those that stay, of all parts */
};

static bool is_unused(const struct profile_stack *stack, uint8_t generation, const uint64_t *hash,
		      const uint64_t *waiting, size_t count)
{
	return (uint8_t)(generation - stack->generation) > 1 &&
	       (!count || !bsearch(hash, waiting, count, sizeof(*hash), compare_hashes));
}

static void remove_unused(struct collect_job *collector, uint8_t generation,
			  const uint64_t *waiting, size_t waiting_count, struct stacks_part *part)
{
	struct part_reader reader = {.map = collector->stacks_map};
	uint32_t count, unused;
	size_t stay = 0;

	while ((count = read_part(&reader, part->hashes, part->stacks, STACKS_OF_PART))) {
		unused = 0;
		for (uint32_t i = 0; i < count; i++) {
			if (is_unused(&part->stacks[i], generation, &part->hashes[i], waiting,
				      waiting_count))
				part->unused[unused++] = part->hashes[i];
			else if (stay < PROFILE_STACKS)
				part->staying[stay++] = part->stacks[i].share;
		}
		delete_part(reader.map, part->unused, unused);
	}
	__atomic_store_n(collector->stacks_taken, stay, __ATOMIC_RELAXED);
	set_shares(collector->shares_map, part->staying, stay);
}

int collect_remove_stacks(struct collect_job *collector, uint8_t generation)
{
	struct stacks_part *part = malloc(sizeof(*part));
	uint64_t *waiting = NULL;
	size_t count = 0;
	int r = part ? find_waiting(collector, &waiting, &count) : -ENOMEM;

	if (r == 0)
		remove_unused(collector, generation, waiting, count, part);
	free(waiting);
	free(part);
	return r == -EAGAIN ? 0 : r;
}

/* A thread that was woken, and waits for a CPU, has waited for two things. */
static int add_wait(struct collect_job *collector, uint32_t tid, const struct profile_wait *wait,
		    uint64_t begin_ns, uint64_t now_ns)
{
	uint64_t since_ns = wait->since_ns > begin_ns ? wait->since_ns : begin_ns;
	struct profile_row row = {.start_ns = wait->start_ns,
				  .exec_id = wait->exec_id,
				  .stacks = wait->stacks,
				  .pid = wait->pid,
				  .tid = tid,
				  .waker_pid = wait->waker_pid,
				  .waker_tid = wait->waker_tid,
				  .how = wait->how};
	struct profile_count count = {.times = 1};
	uint64_t woken_ns = wait->woken_ns ? wait->woken_ns : now_ns;
	int r = 0;

	memcpy(count.comm, wait->comm, sizeof(count.comm));
	memcpy(count.waker_comm, wait->waker_comm, sizeof(count.waker_comm));
	if (wait->how == PROFILE_RUNNABLE || woken_ns < since_ns)
		woken_ns = since_ns;
	count.value = woken_ns > since_ns ? woken_ns - since_ns : 0;
	if (count.value)
		r = go_on(add_row(collector, &row, &count));
	/* It is one switch. */
	count.times = count.value == 0;
	count.value = now_ns > woken_ns ? now_ns - woken_ns : 0;
	if (r || !count.value)
		return r;
	row.how = PROFILE_RUNNABLE;
	row.waker_pid = row.waker_tid = 0;
	row.stacks.waker_kernel = row.stacks.waker_user = 0;
	return go_on(add_row(collector, &row, &count));
}

int collect_waits(struct collect_job *collector, uint64_t begin_ns, uint64_t now_ns)
{
	struct profile_wait wait;
	uint32_t tid, *before = NULL, next, steps = 0;
	int r = 0;

	while (r == 0 && steps++ < PROFILE_WAITS &&
	       bpf_map_get_next_key(collector->waits_map, before, &next) == 0) {
		tid = next;
		before = &tid;
		if (bpf_map_lookup_elem(collector->waits_map, &tid, &wait) == 0)
			r = add_wait(collector, tid, &wait, begin_ns, now_ns);
	}
	return r;
}
