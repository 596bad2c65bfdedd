/* SPDX-License-Identifier: MIT */
/* The state of a spool, kept in the two slots of its file `state`. */
#ifndef OUTPUT_SPOOL_STATE_H
#define OUTPUT_SPOOL_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "output/spool/frame.h"

struct spool_state {
	int fd; /* owned */
	struct spool_slot slot; /* what was stored last */
};

/*
 * Opens the file in a folder, or makes it, and loads the state. Returns 1 if there is one; 0 if
 * not, because the file is new or both slots are corrupt (`*corrupt`): then only its sequence is
 * meaningful; -EPROTONOSUPPORT (of a later version) or -errno. In case of an error nothing is open.
 */
int spool_state_open(struct spool_state *state, int folder, bool *corrupt);

/* Loads it from a descriptor that stays the caller's. Returns as spool_state_open(). */
int spool_state_load(int fd, struct spool_slot *slot, bool *corrupt);

/*
 * Stores it in the slot that is not the current one, after a change of `slot`. sync: and waits
 * until it is on disk. Returns 0 or -errno: then the state before it is still valid.
 */
int spool_state_store(struct spool_state *state, const struct spool_slot *slot, bool sync);

/* The id of the running kernel's boot; zero if there is none. */
void spool_boot_id(uint8_t id[SPOOL_BOOT_BYTES]);

#endif
