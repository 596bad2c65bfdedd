/* SPDX-License-Identifier: MIT */
/*
 * From the events of old captures to those of the current table: parameters that were added since,
 * events that were replaced, and pairs of enter and exit that are one event now.
 */
#ifndef SCAP_FOLD_H
#define SCAP_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scap/source.h"

struct scap_fold;

/* Returns 0 or -ENOMEM. */
int scap_fold_create(struct scap_fold **fold);
void scap_fold_destroy(struct scap_fold *fold); /* accepts NULL */

/*
 * Brings an event into the current form. The frame is `event->len` bytes that may be written to,
 * with the header, its lengths and values not yet checked. Returns 1 and an event to give out: the
 * one given, perhaps changed in place, or one in memory of the fold that is valid until the next
 * call; 0 when there is nothing to give out; -ENOENT for an id that is not known; -EBADMSG when it
 * is damaged. native: parameters beyond those of the .scap world are ours, not those of a later
 * version, which are dropped.
 */
int scap_fold_event(struct scap_fold *fold, bool native, struct scap_event *event);

/* Enter events that became part of their exit event. */
uint64_t scap_fold_count(const struct scap_fold *fold);

/*
 * The number of parameters of a frame of the first version, whose header does not tell it: of a
 * frame of `len` bytes, with the header of today. Returns it, -ENOENT or -EBADMSG.
 */
int scap_fold_count_params(const void *frame, size_t len);

#endif
