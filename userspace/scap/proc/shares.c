/* SPDX-License-Identifier: MIT */
/* Shares of users, of whom the one who spent least makes room for another. */
#include "scap/proc/shares.h"

#include <stdbool.h>
#include <stddef.h>

/* How long a read may take, by what was spent. */
struct patience {
	uint64_t spent_ms;
	int patience_ms;
};

/*
 * Ordinary reads take less than a millisecond: even the last rows leave them time. `all`: by what all
 * users spent, so that those of one who spent his share have enough; NULL: no limit.
 */
static const struct {
	const struct patience *own, *all;
	bool of_files;
} rows[PROC_SHARE_KINDS] = {
	[PROC_SHARE_STRINGS] = {(const struct patience[]){{500, 500}, {1000, 20}, {UINT64_MAX, 2}},
				(const struct patience[]){{1000, 500}, {2000, 20}, {UINT64_MAX, 2}},
				false},
	[PROC_SHARE_SOCKET] = {(const struct patience[]){{200, 50}, {1000, 5}, {UINT64_MAX, 1}},
			       (const struct patience[]){{1000, 50}, {2000, 5}, {UINT64_MAX, 1}},
			       false},
	[PROC_SHARE_FILE] = {(const struct patience[]){{1000, 1000}, {3000, 200}, {UINT64_MAX, 50}},
			     NULL, true},
};

static uint64_t *spent_of(struct proc_shares *shares, unsigned int i, enum proc_share share)
{
	return rows[share].of_files ? &shares->owners[i].files_ms : &shares->owners[i].events_ms;
}

static uint64_t sum_of(const struct proc_shares *shares, unsigned int i)
{
	return shares->owners[i].events_ms + shares->owners[i].files_ms;
}

/* Returns whether there is one. */
static bool find(const struct proc_shares *shares, uint32_t owner, unsigned int *found)
{
	for (unsigned int i = 0; i < shares->count; i++)
		if (shares->owners[i].owner == owner) {
			*found = i;
			return true;
		}
	return false;
}

static unsigned int take_place(struct proc_shares *shares, uint32_t owner)
{
	unsigned int least = 0;

	if (find(shares, owner, &least))
		return least;
	if (shares->count < PROC_SHARES_OWNERS)
		least = shares->count++;
	else
		for (unsigned int i = 1; i < PROC_SHARES_OWNERS; i++)
			if (sum_of(shares, i) < sum_of(shares, least))
				least = i;
	shares->owners[least].owner = owner;
	shares->owners[least].events_ms = shares->owners[least].files_ms = 0;
	return least;
}

static int patience_by(const struct patience *row, uint64_t spent_ms)
{
	while (spent_ms >= row->spent_ms)
		row++;
	return row->patience_ms;
}

int proc_shares_patience(struct proc_shares *shares, uint32_t owner, enum proc_share share,
			 uint64_t now_ms)
{
	unsigned int i;
	int own, all;

	if (now_ms - shares->span_ms >= PROC_SHARES_SPAN_MS)
		*shares = (struct proc_shares){.span_ms = now_ms};
	own = patience_by(rows[share].own,
			  find(shares, owner, &i) ? *spent_of(shares, i, share) : 0);
	all = rows[share].all ? patience_by(rows[share].all, shares->spent_ms) : own;
	return own < all ? own : all;
}

void proc_shares_charge(struct proc_shares *shares, uint32_t owner, enum proc_share share,
			unsigned int spent_ms)
{
	if (!spent_ms)
		return;
	*spent_of(shares, take_place(shares, owner), share) += spent_ms;
	if (!rows[share].of_files)
		shares->spent_ms += spent_ms;
}
