/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Requests of io_uring that complete several times. Completions after which one goes on do not name
 * it: it is known by its ring and number (user_data), until no request with these is in flight. Of
 * requests with the same number, and of those without a note, completions are counted and not told.
 */
#ifndef LANNER_URING_MULTISHOT_BPF_H
#define LANNER_URING_MULTISHOT_BPF_H

#include "bpf/core/filler.bpf.h"

enum {
	URING_MULTISHOTS = 1 << 14, /* at once */
	URING_MULTISHOT_TRIES = 4, /* while another CPU removes the last one with that number */
};

#define URING_MULTISHOT_GOES (1U << 31) /* in place of users: it is being removed */

struct uring_key {
	__u64 ring, user_data;
};

struct uring_multishot {
	__u64 request; /* the first one with that key */
	__u32 users; /* requests in flight with it, */
	__u32 unnoted; /* of these without a note */
	__u16 event; /* as which a completion counts that cannot be told */
	__u8 is_shared; /* there were several: which one completes is not told */
	__u8 pad[5];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, URING_MULTISHOTS);
	__type(key, struct uring_key);
	__type(value, struct uring_multishot);
} uring_multishots SEC(".maps");

/* Whether the count of users was as expected, and is changed. */
static __always_inline bool uring_multishot_count(struct uring_multishot *multishot, __u32 from,
						  __u32 to)
{
	return __sync_val_compare_and_swap(&multishot->users, from, to) == from;
}

/*
 * A request begins that may complete several times, with a note or without. Returns whether its
 * completions are known by its key; else it is counted. Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) bool uring_multishot_begin(__u64 ring, __u64 user_data, __u64 request,
						     __u32 event, __u32 unnoted)
{
	struct uring_key key = {ring, user_data};
	struct uring_multishot made = {.request = request,
				       .users = 1,
				       .unnoted = unnoted,
				       .event = event,
				       .is_shared = unnoted};

#pragma clang loop unroll(disable)
	for (int i = 0; i < URING_MULTISHOT_TRIES; i++) {
		struct uring_multishot *found = bpf_map_lookup_elem(&uring_multishots, &key);
		__u32 users;

		if (!found && !bpf_map_update_elem(&uring_multishots, &key, &made, BPF_NOEXIST))
			return true;
		if (!found)
			continue;
		users = *(volatile __u32 *)&found->users;
		if (users & URING_MULTISHOT_GOES || !uring_multishot_count(found, users, users + 1))
			continue;
		found->is_shared = 1;
		__sync_fetch_and_add(&found->unnoted, unnoted);
		return true;
	}
	count_lost(event, LOSS_IN_FLIGHT);
	return false;
}

/* Returns whether it needs no other try. */
static __always_inline bool uring_multishot_try_end(struct uring_multishot *found,
						    const struct uring_key *key)
{
	__u32 users = *(volatile __u32 *)&found->users;

	if (users == 1 && uring_multishot_count(found, 1, URING_MULTISHOT_GOES)) {
		bpf_map_delete_elem(&uring_multishots, key);
		return true;
	}
	return users & URING_MULTISHOT_GOES ||
	       (users > 1 && uring_multishot_count(found, users, users - 1));
}

/*
 * It ends. Likewise. URING_MULTISHOT_TRIES without a loop: the verifier of 6.1 takes none that goes
 * on behind a call.
 */
__attribute__((noinline)) int uring_multishot_end(__u64 ring, __u64 user_data)
{
	struct uring_key key = {ring, user_data};
	struct uring_multishot *found = bpf_map_lookup_elem(&uring_multishots, &key);

	return found &&
	       (uring_multishot_try_end(found, &key) || uring_multishot_try_end(found, &key) ||
		uring_multishot_try_end(found, &key) || uring_multishot_try_end(found, &key));
}

/* Its note is given up. */
static __always_inline void uring_multishot_lose(__u64 ring, __u64 user_data)
{
	struct uring_key key = {ring, user_data};
	struct uring_multishot *found = bpf_map_lookup_elem(&uring_multishots, &key);

	if (!found)
		return;
	found->is_shared = 1;
	__sync_fetch_and_add(&found->unnoted, 1);
}

/*
 * Takes one from those without a note. Returns false if there is none, or if others were quicker
 * each time: two of them end at once on several CPUs.
 */
static __always_inline bool uring_multishot_uncount(struct uring_multishot *found)
{
#pragma clang loop unroll(full)
	for (int i = 0; i < URING_MULTISHOT_TRIES; i++) {
		__u32 unnoted = *(volatile __u32 *)&found->unnoted;

		if (!unnoted)
			return false;
		if (__sync_val_compare_and_swap(&found->unnoted, unnoted, unnoted - 1) == unnoted)
			return true;
	}
	return false;
}

/*
 * What may complete several times has ended, and has no note. It need not be one that has begun: if
 * there is one such request alone, it is known by its address.
 */
static __always_inline void uring_multishot_end_unnoted(__u64 ring, __u64 user_data, __u64 request)
{
	struct uring_key key = {ring, user_data};
	struct uring_multishot *found = bpf_map_lookup_elem(&uring_multishots, &key);

	if (found && (found->users != 1 || found->request == request) &&
	    uring_multishot_uncount(found))
		uring_multishot_end(ring, user_data);
}

#endif
