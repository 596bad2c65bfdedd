/* SPDX-License-Identifier: MIT */
/*
 * From the events of old captures to those of the current table: parameters that were added since,
 * events that were replaced, and pairs of enter and exit that are one event now.
 */
#ifndef SCAP_FILE_UPGRADE_H
#define SCAP_FILE_UPGRADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scap/model/source.h"

struct scap_upgrade;

/* Returns 0 or -ENOMEM. */
int scap_upgrade_create(struct scap_upgrade **upgrade);
void scap_upgrade_destroy(struct scap_upgrade *upgrade); /* accepts NULL */

/*
 * Brings an event into the current form. Its frame is `event->len` bytes of which nothing is
 * checked so far. Returns 1 and an event to give out: the one given, or one in memory of the
 * upgrade that is valid until the next call, and hidden when it only keeps the state up to date; 0
 * when there is nothing to give out; -ENOENT for an id that is not known; -EBADMSG when it is
 * corrupt. What comes out is to be decoded, which checks the values.
 *
 * native: ids, parameters and latencies may be ours, and the event was current when it was written.
 * Otherwise parameters beyond those of the .scap world are a later version's, and are dropped.
 */
int scap_upgrade_event(struct scap_upgrade *upgrade, bool native, struct scap_event *event);

/* Enter events that were not given out: they became part of their exit event. */
uint64_t scap_upgrade_joined(const struct scap_upgrade *upgrade);

/*
 * The number of parameters of a frame of the first version, whose header does not tell it: of a
 * frame of `len` bytes, with the header of today. Returns it, -ENOENT or -EBADMSG; 0 as well for
 * enter events that are dropped whatever they hold.
 */
int scap_upgrade_count_params(const void *frame, size_t len);

#endif
