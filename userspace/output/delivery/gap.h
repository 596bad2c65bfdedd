/* SPDX-License-Identifier: MIT */
/*
 * Gaps: which records an output does not get, and why. Each becomes a drop record in the stream of
 * the output, at the place of what is missing. Behind the last place is the end of the stream.
 */
#ifndef OUTPUT_DELIVERY_GAP_H
#define OUTPUT_DELIVERY_GAP_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "output/record.h"
#include "util/buf.h"

struct format_drop;
struct format_drop_type;

enum gap_cause {
	GAP_QUEUE_FULL,
	GAP_NO_MEMORY,
	GAP_REJECTED, /* by the target */
	GAP_TOO_LARGE, /* one record is more than the target takes */
	GAP_GONE, /* the target is gone for good */
	GAP_SPOOL_CLOSED, /* the spool could not be opened: they had no number */
	GAP_CAPTURE_NO_SPACE, /* on the disk of a capture */
	GAP_CAPTURE_IO,
	GAP_SPOOL_LIMIT, /* the spool dropped its oldest records */
	GAP_SPOOL_NO_SPACE, /* on its disk */
	GAP_SPOOL_IO,
	GAP_SPOOL_CORRUPT,
	GAP_SPOOL_POWER, /* not on disk when the machine stopped */
	GAP_SPOOL_REMOVED, /* with the folder of the spool, while the agent ran */
	GAP_INTERRUPTED, /* with the run before, which did not end well: nobody knows how many */
/* Lost by the driver, before they had a number. */
#define GAP_LOSS(name, text) GAP_KERNEL_##name,
	LOSS_CAUSES(GAP_LOSS)
#undef GAP_LOSS
		GAP_END, /* not delivered in the time that there is for this at the end */
	GAP_TAKEN_OVER, /* by an agent that ended in the middle: it is not known whether it
			   delivered them */
	/* From here on by wish of the user: these events become no records, and have no numbers. */
	GAP_RATE, /* more than rate= */
	GAP_SAMPLED, /* left out by sample= */
	GAP_SAME, /* the same as one before, by dedup= */
	GAP_FORM, /* a capture in that form has nothing for them */
	GAP_CAUSES,
	GAP_LOSSES = GAP_RATE, /* the causes before it are losses */
};

/* "queue_full": the label of a cause in metrics; and "the queue was full", for people. */
const char *gap_cause_name(enum gap_cause cause);
const char *gap_cause_text(enum gap_cause cause);

/* Whether the losses of this cause have a number that is known. */
static inline bool gap_cause_is_counted(enum gap_cause cause)
{
	return cause != GAP_INTERRUPTED;
}

static inline bool gap_cause_is_of_kernel(enum gap_cause cause)
{
	return cause > GAP_INTERRUPTED && cause < GAP_END;
}

/* The cause of a loss by the driver. */
static inline enum gap_cause gap_cause_of_loss(enum loss_cause cause)
{
	return (enum gap_cause)(GAP_KERNEL_RING_FULL + (int)cause - LOSS_RING_FULL);
}

struct gap {
	uint64_t from, to; /* the first and the last number; both 0: they had none */
	uint64_t count; /* 0: not known */
	uint64_t first_ns,
		last_ns; /* times of the first and the last event; of an unknown number: bounds */
	uint64_t types[EVENT_ID_MAX]; /* how many there are of each type of event */
};

/* The end of a run in the stream of an output. */
struct gap_end {
	const char *reason; /* borrowed, constant; NULL: it is not the end */
	uint64_t last; /* number of the last record */
	uint64_t records, dropped; /* of the run; how many of these were lost until then */
	uint64_t ts_ns; /* since the epoch */
};

/* The gaps at one place of the stream, one for each cause; and whether it ends there. All zero:
 * none. */
struct gaps {
	struct gap *by_cause[GAP_CAUSES]; /* owned; NULL: none of that cause */
	struct gap_end end; /* behind them */
};

static inline bool gaps_are_empty(const struct gaps *gaps)
{
	for (int i = 0; i < GAP_CAUSES; i++)
		if (gaps->by_cause[i])
			return false;
	return !gaps->end.reason;
}

/*
 * Adds a record that is no drop record. Without memory for the first gap of a cause there is none;
 * the loss is only counted by the caller.
 */
void gaps_add(struct gaps *gaps, enum gap_cause cause, const struct output_record *record);

/* Adds what another gap has. Without memory there is no gap, as of gaps_add(). */
void gaps_add_gap(struct gaps *gaps, enum gap_cause cause, const struct gap *more);

/* Moves all gaps, and the end, to others, which are empty afterwards. */
void gaps_move(struct gaps *gaps, struct gaps *from);

/* Moves the end alone, if there is one. */
void gaps_move_end(struct gaps *gaps, struct gaps *from);

void gaps_clear(struct gaps *gaps);

/* A gap as formats know it. last_number: of the record before it. types: memory for EVENT_ID_MAX
 * entries; borrowed by `drop`. */
void gap_describe(const struct gap *gap, enum gap_cause cause, uint64_t last_number,
		  struct format_drop_type *types, struct format_drop *drop);

#endif
