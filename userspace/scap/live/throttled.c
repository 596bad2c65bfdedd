/* SPDX-License-Identifier: MIT */
/* Reads the maps of rates, from the largest loss on. */
#include "scap/live/throttled.h"

#include <bpf/bpf.h>
#include <string.h>
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
