/* SPDX-License-Identifier: MIT */
/* Recognizes the copies of an event that several captures have seen. */
#ifndef TAKEOVER_FRAME_HASH_H
#define TAKEOVER_FRAME_HASH_H

#include <stdint.h>
#include <string.h>

#include "event/event.h"
#include "scap/model/source.h"

/* The header of the frame; zeroed if the frame is too short for one. */
static inline struct ppm_evt_hdr frame_header(const struct scap_event *event)
{
	struct ppm_evt_hdr header = {0};

	if (event->len >= sizeof(header))
		memcpy(&header, event->frame, sizeof(header));
	return header;
}

/*
 * The hash of all that is the same in each capture: each reads the clock itself. The upper half is
 * that of the header, so thread and type, the lower one that of the values. The frame has a header.
 */
uint64_t frame_hash(const struct scap_event *event);

#endif
