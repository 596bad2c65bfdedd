/* SPDX-License-Identifier: MIT */
/* Each is read while programs add to it and remove from it, so that a walk may begin anew. */
#include "scap/live/maps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "abi.h"

/*
 * Steps from one entry to the next. One that is removed meanwhile makes the kernel begin anew;
 * at most so many steps are made as there can be entries, twice.
 */
struct walk {
	int map;
	unsigned int steps;
	uint32_t pid;
	struct followed_process process;
};

static bool walk_next(struct walk *walk)
{
	uint32_t *before = walk->steps ? &walk->pid : NULL, next;

	while (walk->steps++ < 2 * FOLLOWED_MAX &&
	       bpf_map_get_next_key(walk->map, before, &next) == 0) {
		walk->pid = next;
		before = &walk->pid;
		if (bpf_map_lookup_elem(walk->map, &next, &walk->process) == 0)
			return true;
	}
	return false;
}

int live_followed_add(int map, pid_t pid, bool kin)
{
	struct followed_process process = {.kin = kin};
	uint32_t key = (uint32_t)pid;

	if (bpf_map_update_elem(map, &key, &process, kin ? BPF_NOEXIST : BPF_ANY) == 0 ||
	    errno == EEXIST)
		return 0;
	return -errno;
}

/* A child of a process that was added is added by the kernel: so each turn finds fewer. */
int live_followed_copy(int map, int from)
{
	bool added;

	do {
		struct walk walk = {.map = from};

		added = false;
		while (walk_next(&walk)) {
			walk.process.held = 0;
			if (bpf_map_update_elem(map, &walk.pid, &walk.process, BPF_NOEXIST) == 0)
				added = true;
			else if (errno != EEXIST)
				return -errno;
		}
	} while (added);
	return 0;
}

void live_followed_continue(int map)
{
	struct walk walk = {.map = map};

	while (walk_next(&walk)) {
		if (!walk.process.held)
			continue;
		/* The note first: the program may stop it again at once. */
		walk.process.held = 0;
		bpf_map_update_elem(map, &walk.pid, &walk.process, BPF_EXIST);
		kill((pid_t)walk.pid, SIGCONT);
	}
}

/* Each change is one call, so that it meets those of the programs before or after it as a whole. */
static int muted_update(int map, pid_t pid, uint64_t program, uint64_t how)
{
	uint32_t key = (uint32_t)pid;

	return bpf_map_update_elem(map, &key, &program, how) < 0 ? -errno : 0;
}

int live_muted_propose(int map, pid_t pid)
{
	return muted_update(map, pid, 0, BPF_NOEXIST);
}

int live_muted_set(int map, pid_t pid, uint64_t program)
{
	return muted_update(map, pid, program, BPF_EXIST);
}

void live_muted_remove(int map, pid_t pid)
{
	uint32_t key = (uint32_t)pid;

	bpf_map_delete_elem(map, &key);
}

/* A key that the kernel removed meanwhile makes it begin again: then the look-ups have an end. */
enum { LOOKUPS_MAX = 16384 };

/* Puts one into the list, which is sorted, if it belongs there. Returns the new length. */
static size_t throttled_insert(struct scap_live_throttled *list, size_t count, size_t max,
			       const struct rate_key *key, const struct rate *rate)
{
	size_t at = count;

	while (at > 0 && list[at - 1].lost < rate->lost)
		at--;
	if (!rate->lost || at == max)
		return count;
	if (count < max)
		count++;
	memmove(list + at + 1, list + at, (count - 1 - at) * sizeof(*list));
	list[at] = (struct scap_live_throttled){
		.kind = (enum rate_kind)key->kind,
		.pid = (pid_t)rate->pid,
		.lost = rate->lost,
	};
	memcpy(list[at].name, rate->name, sizeof(list[at].name) - 1);
	return count;
}

size_t live_throttled_read(int map, struct scap_live_throttled *list, size_t count, size_t max)
{
	struct rate_key key, previous;
	const void *from = NULL;
	struct rate rate;

	for (int i = 0; i < LOOKUPS_MAX && map >= 0; i++) {
		if (bpf_map_get_next_key(map, from, &key) < 0)
			break;
		if (bpf_map_lookup_elem(map, &key, &rate) == 0)
			count = throttled_insert(list, count, max, &key, &rate);
		previous = key;
		from = &previous;
	}
	return count;
}
