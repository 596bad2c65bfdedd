/* SPDX-License-Identifier: MIT */
/*
 * The merge: a binary heap over the rings that have an event, ordered by its time, and the cut-off
 * that says which events may be taken. Called by the live source for every event.
 */
#include "scap/rings/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "abi.h"

/* Reads scratch slots, and empties those in which frames have waited for long. */

/* A filler reads the clock within some hundred cycles, unless it is interrupted there. */
enum { SLOT_READS_MAX = 200 };

static inline void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

int scap_slot_since(const struct scratch_slot *slot, uint64_t *since_ns)
{
	for (int i = 0; i < SLOT_READS_MAX; i++) {
		/*
		 * In this order: a filler that takes the slot after we saw it free reads the clock
		 * after us.
		 */
		uint32_t users = __atomic_load_n(&slot->state.users, __ATOMIC_ACQUIRE);
		uint64_t since = __atomic_load_n(&slot->state.since_ns, __ATOMIC_ACQUIRE);

		if (since && since < *since_ns)
			*since_ns = since;
		if (since || users == 0)
			return 0;
		cpu_relax();
	}
	return -EAGAIN;
}

bool scap_slot_is_free(const struct scratch_slot *slot)
{
	return __atomic_load_n(&slot->state.users, __ATOMIC_ACQUIRE) == 0 &&
	       __atomic_load_n(&slot->state.since_ns, __ATOMIC_ACQUIRE) == 0;
}

bool scap_slot_empty(struct scratch_slot *slot, struct scap_ring *ring)
{
	struct scratch_state *state = &slot->state;
	bool owned = __atomic_add_fetch(&state->users, 1, __ATOMIC_SEQ_CST) == 1;

	if (owned && state->batch.count) {
		struct batch_header batch = state->batch;

		if (batch.bytes > sizeof(slot->frames))
			batch.bytes = 0; /* the events are dropped, and counted as corrupt */
		scap_ring_add(ring, batch, slot->frames);
		state->batch.bytes = 0;
		state->batch.count = 0;
		state->important = 0;
		__atomic_store_n(&state->since_ns, 0, __ATOMIC_RELEASE);
	}
	__atomic_sub_fetch(&state->users, 1, __ATOMIC_SEQ_CST);
	return owned;
}

enum {
	/*
	 * Fillers read their clock without locks: it may lag behind ours by some microseconds while
	 * the kernel adjusts it, or between CPUs.
	 */
	CLOCK_MARGIN_NS = 20000,
	/* Frames that have waited this long in a slot are taken out of it. */
	WAIT_NS_MAX = 5000000,
};

/* A ring with its first event. */
struct merge_head {
	struct scap_frame frame;
	struct scap_ring *ring;
};

struct scap_merge {
	struct scap_merge_config config;
	uint64_t cutoff_ns; /* since the epoch */
	uint64_t last_ts;
	uint64_t out_of_order;
	bool taken; /* heap[0] was returned */
	uint32_t heap_len;
	struct merge_head *heap; /* as many as rings */
};

int scap_merge_create(const struct scap_merge_config *config, struct scap_merge **merge)
{
	struct scap_merge *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->config = *config;
	made->heap = calloc(config->cpus * (config->replaced ? 2 : 1), sizeof(*made->heap));
	if (!made->heap) {
		free(made);
		return -ENOMEM;
	}
	*merge = made;
	return 0;
}

void scap_merge_destroy(struct scap_merge *merge)
{
	if (!merge)
		return;
	free(merge->heap);
	free(merge);
}

/* Puts `head` into the hole at `at` or below it. */
static void sift_down(struct scap_merge *merge, uint32_t at, struct merge_head head)
{
	struct merge_head *heap = merge->heap;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= merge->heap_len)
			break;
		if (child + 1 < merge->heap_len && heap[child + 1].frame.ts < heap[child].frame.ts)
			child++;
		if (heap[child].frame.ts >= head.frame.ts)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = head;
}

static void merge_push(struct scap_merge *merge, struct merge_head head)
{
	struct merge_head *heap = merge->heap;
	uint32_t at = merge->heap_len++;

	while (at > 0 && heap[(at - 1) / 2].frame.ts > head.frame.ts) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = head;
}

/* Removes the event at the top, which was returned, and inserts the next one of its ring. */
static void take_top(struct scap_merge *merge)
{
	struct merge_head head = {.ring = merge->heap[0].ring};

	merge->taken = false;
	scap_ring_take(head.ring);
	if (!scap_ring_peek(head.ring, &head.frame)) {
		if (--merge->heap_len == 0)
			return;
		head = merge->heap[merge->heap_len];
	}
	sift_down(merge, 0, head);
}

static void load_ring(struct scap_merge *merge, struct scap_ring *ring)
{
	struct merge_head head = {.ring = ring};

	scap_ring_load(ring);
	if (scap_ring_peek(ring, &head.frame))
		merge_push(merge, head);
}

/*
 * Loaded events may be earlier than waiting ones, so the heap is rebuilt. A ring that was replaced
 * is like one of another CPU: whichever of the two a program wrote to, both are loaded.
 */
static void load_rings(struct scap_merge *merge)
{
	struct scap_ring *replaced = merge->config.replaced;

	merge->heap_len = 0;
	for (uint32_t i = 0; i < merge->config.cpus; i++) {
		load_ring(merge, &merge->config.rings[i]);
		if (replaced && replaced[i].meta)
			load_ring(merge, &replaced[i]);
	}
}

static uint32_t slots_count(const struct scap_merge *merge)
{
	return merge->config.slots ? merge->config.cpus * SCRATCH_SLOTS_PER_CPU : 0;
}

/* Empties the slots whose first frame is older than a time. */
static void empty_slots(struct scap_merge *merge, uint64_t before_ns)
{
	for (uint32_t i = 0; i < slots_count(merge) && !merge->config.leaves_slots; i++) {
		struct scratch_slot *slot = &merge->config.slots[i];
		uint64_t since = __atomic_load_n(&slot->state.since_ns, __ATOMIC_ACQUIRE);

		if (since && since < before_ns)
			scap_slot_empty(slot, &merge->config.rings[i / SCRATCH_SLOTS_PER_CPU]);
	}
}

/*
 * After the slots have been read, an event that is not in a ring is later than `now_ns`, or not
 * earlier than the time of its slot. For this reason the rings are loaded after that.
 */
int scap_merge_round(struct scap_merge *merge, uint64_t now_ns)
{
	uint64_t since = now_ns > CLOCK_MARGIN_NS ? now_ns - CLOCK_MARGIN_NS : 0;
	int r = 0;

	if (merge->taken)
		take_top(merge);
	if (now_ns > WAIT_NS_MAX)
		empty_slots(merge, now_ns - WAIT_NS_MAX);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < slots_count(merge) && r == 0; i++)
		r = scap_slot_since(&merge->config.slots[i], &since);
	load_rings(merge);
	if (r == 0 && since + merge->config.boot_offset_ns > merge->cutoff_ns)
		merge->cutoff_ns = since + merge->config.boot_offset_ns;
	return r;
}

void scap_merge_last_round(struct scap_merge *merge)
{
	if (merge->taken)
		take_top(merge);
	empty_slots(merge, UINT64_MAX);
	load_rings(merge);
	merge->cutoff_ns = UINT64_MAX;
}

static void release_rings(struct scap_merge *merge)
{
	for (uint32_t i = 0; i < merge->heap_len; i++)
		scap_ring_release(merge->heap[i].ring);
}

int scap_merge_next(struct scap_merge *merge, struct scap_frame *frame, uint16_t *cpu)
{
	if (merge->taken)
		take_top(merge);
	if (merge->heap_len == 0)
		return 0;
	if (merge->heap[0].frame.ts >= merge->cutoff_ns) {
		release_rings(merge);
		return 0;
	}
	merge->taken = true;
	*frame = merge->heap[0].frame;
	*cpu = merge->heap[0].ring->cpu;
	if (frame->ts < merge->last_ts)
		merge->out_of_order++;
	else
		merge->last_ts = frame->ts;
	return 1;
}

bool scap_merge_peek(struct scap_merge *merge, uint64_t *ts)
{
	if (merge->taken)
		take_top(merge);
	if (merge->heap_len == 0 || merge->heap[0].frame.ts >= merge->cutoff_ns)
		return false;
	*ts = merge->heap[0].frame.ts;
	return true;
}

bool scap_merge_is_quiet(const struct scap_merge *merge)
{
	bool quiet = merge->heap_len == 0;

	/* Else they are hardly ever free. The record of an event is sent before its bell is rung.
	 */
	if (merge->config.leaves_slots)
		return quiet;
	for (uint32_t i = 0; i < slots_count(merge) && quiet; i++)
		quiet = scap_slot_is_free(&merge->config.slots[i]);
	return quiet;
}

void scap_merge_await(struct scap_merge *merge, bool awaited)
{
	for (uint32_t i = 0; i < slots_count(merge); i++)
		__atomic_store_n(&merge->config.slots[i].state.awaited, awaited, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

uint64_t scap_merge_out_of_order(const struct scap_merge *merge)
{
	return merge->out_of_order;
}

uint64_t scap_merge_cutoff(const struct scap_merge *merge)
{
	return merge->cutoff_ns;
}
