/* SPDX-License-Identifier: MIT */
/* Reads scratch slots, and empties those in which frames have waited for long. */
#include "scap/rings/slots.h"

#include <errno.h>

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

void scap_slot_empty(struct scratch_slot *slot, struct scap_ring *ring)
{
	struct scratch_state *state = &slot->state;

	if (__atomic_add_fetch(&state->users, 1, __ATOMIC_SEQ_CST) == 1 && state->batch.count) {
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
}
