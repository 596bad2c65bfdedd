/* SPDX-License-Identifier: MIT */
/*
 * Upgrade of events of old captures to the current event table: parameters added since, replaced
 * events, and pairs of entry and exit that are one event now.
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
 * Upgrades an event to the current form. Its frame is `event->len` unchecked bytes. Returns 1 if
 * `event` is to be returned: unchanged, or replaced by one in memory of the upgrade that is valid
 * until the next call, hidden if it only updates the state; 0 if there is none to return; -ENOENT
 * for an unknown id; -EBADMSG if it is corrupt. The caller decodes the result, which checks the
 * values.
 *
 * native: the section may have extension ids, extension parameters and latencies, and the event was
 * current when it was written. Otherwise parameters beyond those of the .scap world are from a
 * later version, and are dropped.
 */
int scap_upgrade_event(struct scap_upgrade *upgrade, bool native, struct scap_event *event);

/* The number of entry events that were not returned but merged into their exit event. */
uint64_t scap_upgrade_joined(const struct scap_upgrade *upgrade);

/*
 * The number of parameters of a frame of the first version, whose header did not contain it. The
 * frame has `len` bytes and the current header. Returns it, -ENOENT or -EBADMSG; also 0 for entry
 * events that are always dropped.
 */
int scap_upgrade_count_params(const void *frame, size_t len);

#endif
