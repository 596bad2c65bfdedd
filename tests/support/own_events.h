/* SPDX-License-Identifier: MIT */
/*
 * Live captures that are judged by what the test itself does: others may make any number of calls
 * meanwhile.
 */
#ifndef TESTS_OWN_EVENTS_H
#define TESTS_OWN_EVENTS_H

#include <stdint.h>

#include "scap/live/live.h"

/* The kernel drops the events of all processes but this one and its children. */
void own_events_only(struct scap_live_config *config);

/* Events of that id that were seen and are not those of others; that were lost, whatever the cause.
 */
uint64_t own_events_seen(const struct scap_live_stats *stats, unsigned int id);
uint64_t own_events_lost(const struct scap_live_stats *stats, unsigned int id);

#endif
