/* SPDX-License-Identifier: MIT */
/* Who was over a limit of events in a second, or over a share, from the map in which the programs count that. */
#ifndef SCAP_LIVE_THROTTLED_H
#define SCAP_LIVE_THROTTLED_H

#include <stddef.h>

#include "scap/live/live.h"

/*
 * As scap_live_throttled(), from the descriptor of a map (-1: there is none), into a list that has
 * `count` already.
 */
size_t live_throttled_read(int map, struct scap_live_throttled *list, size_t count, size_t max);

#endif
