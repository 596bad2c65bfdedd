/* SPDX-License-Identifier: MIT */
/*
 * Who was over a limit of events in a second, or over a share, from the maps in which the programs
 * count that. Called by the live source.
 */
#ifndef SCAP_LIVE_THROTTLED_H
#define SCAP_LIVE_THROTTLED_H

#include <stddef.h>

#include "scap/live/live.h"

/*
 * Adds those of a map (-1: there is none) to a list of at most `max` that has `count` already, the
 * largest loss first; those that lost nothing are left out. Returns how many the list has then.
 */
size_t live_throttled_read(int map, struct scap_live_throttled *list, size_t count, size_t max);

#endif
