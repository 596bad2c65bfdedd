/* SPDX-License-Identifier: MIT */
/* Records that a spool lost, by cause. */
#ifndef OUTPUT_SPOOL_LOSS_H
#define OUTPUT_SPOOL_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

enum spool_cause {
	/* That it could not store: spool_append() failed. */
	SPOOL_LOST_NO_SPACE, /* the disk was full */
	SPOOL_LOST_IO, /* the disk could not be written */
	/* The limit was reached: the oldest were removed, or new ones not stored. */
	SPOOL_LOST_LIMIT,
	/* That it stored. */
	SPOOL_LOST_CORRUPT, /* not readable any more */
	SPOOL_LOST_POWER, /* not on disk when the machine stopped; at most so many */
	/* By the target, which got them. */
	SPOOL_LOST_REJECTED,
	SPOOL_LOST_TOO_LARGE,
	SPOOL_CAUSES,
};

/* As drop records say them. */
extern const char *const spool_cause_texts[SPOOL_CAUSES];

/* A zeroed struct is no loss. */
struct spool_loss {
	uint64_t from, to; /* numbers: all that are lost are in this range */
	uint64_t count; /* how many */
	uint64_t first_ns, last_ns; /* of these; 0: not known */
};

struct spool_losses {
	struct spool_loss causes[SPOOL_CAUSES];
	uint64_t events[SPOOL_CAUSES][EVENT_ID_MAX]; /* by type, where that is known */
};

/* Widens `loss` by another one. */
void spool_loss_merge(struct spool_loss *loss, const struct spool_loss *more);

/* Adds one record. */
void spool_losses_add(struct spool_losses *losses, enum spool_cause cause, uint64_t number,
		      uint64_t ts_ns, unsigned int event);

void spool_losses_merge(struct spool_losses *losses, const struct spool_losses *more);

bool spool_losses_any(const struct spool_losses *losses);

#endif
