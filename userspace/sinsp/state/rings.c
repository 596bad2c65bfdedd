/* SPDX-License-Identifier: MIT */
/* Tables of registered files: a small set of places for each ring, by its number. */
#include "sinsp/state/rings.h"

#include <stddef.h>

enum { ALL_PROCESSES = -1 };

static struct state_ring *rings_set_of(struct state_rings *rings, uint64_t ring)
{
	/* Numbers may be counted or drawn: all bits decide. */
	return &rings->of[(ring * UINT64_C(0x9e3779b97f4a7c15) >> 56) * RINGS_WAYS];
}

_Static_assert(RINGS_SETS == 1 << 8, "rings_set_of() takes eight bits");

static struct state_ring *find_ring(struct state_rings *rings, uint64_t ring)
{
	struct state_ring *set = rings_set_of(rings, ring);

	for (int i = 0; ring && rings->count && i < RINGS_WAYS; i++)
		if (set[i].number == ring)
			return &set[i];
	return NULL;
}

static void end_ring(struct state_rings *rings, struct state_ring *ring)
{
	state_fds_unref(ring->slots);
	state_fds_unref(ring->before);
	*ring = (struct state_ring){0};
	rings->count--;
}

/* A free place of the set, or that of the ring which was not used for longest. */
static struct state_ring *place_for(struct state_rings *rings, uint64_t ring)
{
	struct state_ring *set = rings_set_of(rings, ring), *oldest = set;

	for (int i = 0; i < RINGS_WAYS; i++) {
		if (!set[i].number)
			return &set[i];
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	end_ring(rings, oldest);
	rings->dropped++;
	return oldest;
}

struct state_fds *state_rings_find(struct state_rings *rings, uint64_t ring)
{
	struct state_ring *found = find_ring(rings, ring);

	if (!found)
		return NULL;
	found->used = ++rings->clock;
	return found->slots;
}

struct state_fds *state_rings_get(struct state_rings *rings, struct state_fd_store *store,
				  uint64_t ring, const struct state_thread *user)
{
	struct state_ring *place = find_ring(rings, ring);
	struct state_fds *slots;

	if (!ring)
		return NULL;
	if (place) {
		place->used = ++rings->clock;
		place->pid = user->pid;
		return place->slots;
	}
	slots = state_fds_create(store);
	if (!slots)
		return NULL;
	state_fds_set_group(slots, user->cgroups->holder);
	place = place_for(rings, ring);
	*place = (struct state_ring){
		.number = ring, .used = ++rings->clock, .pid = user->pid, .slots = slots};
	rings->count++;
	return slots;
}

void state_rings_doubt(struct state_rings *rings, struct state_fd_store *store, uint64_t ring,
		       int64_t slot, const struct state_thread *user)
{
	struct state_ring *found = find_ring(rings, ring);
	struct state_fd *fd = found ? state_fds_find(found->slots, slot) : NULL;

	if (!fd || fd->is_unsure)
		return;
	if (!found->before)
		found->before = state_fds_create(store);
	if (!found->before)
		return;
	state_fds_set_group(found->before, user->cgroups->holder);
	state_fds_share(found->before, slot, fd);
}

void state_rings_settle(struct state_rings *rings, uint64_t ring, int64_t slot)
{
	struct state_ring *found = find_ring(rings, ring);

	if (found && found->before)
		state_fds_close(found->before, slot);
}

struct state_fd *state_rings_before(struct state_rings *rings, uint64_t ring, int64_t slot)
{
	struct state_ring *found = find_ring(rings, ring);

	return found && found->before ? state_fds_find(found->before, slot) : NULL;
}

void state_rings_end(struct state_rings *rings, uint64_t ring)
{
	struct state_ring *found = find_ring(rings, ring);

	if (found)
		end_ring(rings, found);
}

void state_rings_end_process(struct state_rings *rings, int64_t pid)
{
	for (size_t i = 0; rings->count && i < RINGS_MAX; i++)
		if (rings->of[i].number && (pid == ALL_PROCESSES || rings->of[i].pid == pid))
			end_ring(rings, &rings->of[i]);
}
