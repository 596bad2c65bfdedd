/* SPDX-License-Identifier: MIT */
/*
 * Whether the threads of outputs move. A target that is dead or slow is not ill health: its calls
 * end at their deadlines, and what they cost is in the account.
 */
#ifndef OUTPUT_DELIVERY_HEALTH_H
#define OUTPUT_DELIVERY_HEALTH_H

#include <stdint.h>

#include "output/delivery/outputs.h"
#include "util/buf.h"

enum health {
	HEALTH_MOVES,
	HEALTH_BLOCKED, /* a thread has been in a call of its target or its disk for a minute */
	HEALTH_HANGS, /* in our own code, or beyond each deadline: only a restart helps */
};

/*
 * The worst of all threads. Appends a line for each that does not move, by the place of its output,
 * from 1, and its kind: "output 2 (http): its thread has been in a call of its target for 75 s".
 */
enum health outputs_health(const struct outputs *outputs, uint64_t now_ns, struct buf *text);

#endif
