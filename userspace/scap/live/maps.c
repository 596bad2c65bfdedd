/* SPDX-License-Identifier: MIT */
/* The map is read while programs add to it and remove from it: so it is read until nothing is new.
 */
#include "scap/live/maps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>

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
