/* SPDX-License-Identifier: MIT */
/*
 * How long is waited for reads of what users can make slow: events, or the containers of others, wait
 * meanwhile. Each user has a share of the time, whether his reads end or not, and all together have
 * one for what events wait for.
 */
#ifndef SCAP_PROC_SHARES_H
#define SCAP_PROC_SHARES_H

#include <stdint.h>

enum {
	PROC_SHARES_OWNERS = 16, /* that are told apart at a time */
	PROC_SHARES_SPAN_MS = 10000, /* after that all shares are whole again */
};

/* What is waited for. */
enum proc_share {
	PROC_SHARE_STRINGS, /* arguments and environments: events wait */
	PROC_SHARE_SOCKET, /* the same */
	PROC_SHARE_FILE, /* no event waits */
	PROC_SHARE_KINDS
};

/* Zeroed before the first use. */
struct proc_shares {
	uint64_t span_ms; /* when it began */
	uint64_t spent_ms; /* in it, while events waited */
	struct {
		uint32_t owner;
		uint64_t events_ms, files_ms; /* what he spent while these waited */
	} owners[PROC_SHARES_OWNERS];
	unsigned int count;
};

/* For how many ms a read of what is `owner`'s is waited for now. */
int proc_shares_patience(struct proc_shares *shares, uint32_t owner, enum proc_share share,
			 uint64_t now_ms);

/* That long it was waited for. */
void proc_shares_charge(struct proc_shares *shares, uint32_t owner, enum proc_share share,
			unsigned int spent_ms);

#endif
