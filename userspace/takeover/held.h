/* SPDX-License-Identifier: MIT */
/*
 * A source whose events can be taken into memory while they cannot be handled yet, so that ring
 * buffers have room meanwhile.
 */
#ifndef TAKEOVER_HELD_H
#define TAKEOVER_HELD_H

#include <stdbool.h>
#include <stddef.h>

#include "scap/model/source.h"

struct scap_held;

/* inner: borrowed. bytes_max: of the memory for events. Returns 0 or -ENOMEM. */
int scap_held_create(struct scap_source *inner, size_t bytes_max, struct scap_held **held);

struct scap_source *scap_held_source(struct scap_held *held);

/*
 * Takes what the inner source has at present, as far as there is room: the rest stays where it is.
 * Waits `timeout_ms` for the first event. Returns 0, or
 * -ENOMEM, or -errno of the inner source.
 */
int scap_held_fill(struct scap_held *held, int timeout_ms);

/* Whether nothing is in memory. */
bool scap_held_is_empty(const struct scap_held *held);

#endif
