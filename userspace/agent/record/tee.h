/* SPDX-License-Identifier: MIT */
/*
 * Passes on what becomes known of containers, which the state engine reports once, to several
 * recordings.
 */
#ifndef AGENT_RECORD_TEE_H
#define AGENT_RECORD_TEE_H

#include <stddef.h>

#include "scap/proc/snapshot.h"

enum { TEE_MAX = 65 }; /* outputs of this kind, and -w */

struct tee {
	struct scap_snapshot snapshot; /* the receiver; first member */
	struct scap_snapshot *to[TEE_MAX]; /* borrowed; NULL: gets nothing */
	int codes[TEE_MAX]; /* of each: 0, or the first -errno */
	size_t count;
};

/* Without receivers. */
void tee_init(struct tee *tee);

/* Adds a receiver; NULL holds a place. Returns its place, which is below TEE_MAX. */
size_t tee_add(struct tee *tee, struct scap_snapshot *to);

#endif
