/* SPDX-License-Identifier: MIT */
/*
 * Passes on what becomes known of containers, which the state engine reports once, to several
 * recordings.
 */
#ifndef AGENT_RECORD_FAN_H
#define AGENT_RECORD_FAN_H

#include <stddef.h>

#include "scap/model/snapshot.h"

enum { FAN_MAX = 65 }; /* outputs of this kind, and -w */

struct fan {
	struct scap_snapshot snapshot; /* the receiver; first member */
	struct scap_snapshot *to[FAN_MAX]; /* borrowed; NULL: gets nothing */
	int codes[FAN_MAX]; /* of each: 0, or the first -errno */
	size_t count;
};

/* Without receivers. */
void fan_init(struct fan *fan);

/* Adds a receiver; NULL holds a place. Returns its place, which is below FAN_MAX. */
size_t fan_add(struct fan *fan, struct scap_snapshot *to);

#endif
