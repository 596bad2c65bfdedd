/* SPDX-License-Identifier: MIT */
/*
 * Counters of a run as text: parts of the report that all inputs have, and those of descriptions of
 * containers.
 */
#ifndef AGENT_INPUT_ACCOUNT_H
#define AGENT_INPUT_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meta/meta.h"
#include "sinsp/sinsp.h"
#include "util/buf.h"

/* Counters of a run with any input, as text: parts of the report. */

struct recording;
struct ruleset;

/* Of descriptions of containers. */
struct account_containers {
	struct meta_stats meta;
	uint64_t users_late; /* programs that began in containers whose users came too late */
	uint64_t late; /* events given out without a description: it came too late */
	uint64_t again; /* containers that were asked for again, since that could help */
	uint64_t unverified; /* groups of users that are named like those of root's containers */
	uint64_t full; /* events given out without a description, because a ring buffer was more
			  than half full */
};

struct account {
	uint64_t matched; /* events that passed the filter, up to the end of the run */
	uint64_t filter_unknown; /* of these, passed because what decides was not captured */
	uint64_t printed; /* of these, written to standard output */
	struct state_stats state;
	uint64_t muted, muted_total; /* processes: at the end, and each time */
	uint64_t cgroups[FILTER_DECISIONS_COUNT]; /* what the filter says of control groups */
	struct account_containers containers; /* zero if no field needs their descriptions */
	const struct recording *recording; /* NULL: nothing was recorded */
	const struct ruleset *ruleset; /* NULL: without rules */
	const uint16_t *reasons; /* enum selection_why by event id: why they are captured */
	bool has_command; /* events are those of a command */
	bool verbose;
};

struct account_trouble {
	uint64_t count;
	const char *what;
};

/* Of struct state_stats: what of the events cannot be stated as fact. */
/* clang-format off */
#define ACCOUNT_MARKS(state)                                                                       \
	{(state)->faked, "calls that never ran, although they returned success"},                  \
	{(state)->contested, "events with a parameter that may be forged"},                        \
	{(state)->truncated, "events with a parameter of which only a part was captured"}
/* clang-format on */

/* "; matched 7, printed 7", the end of the first line. */
void account_append_matches(const struct account *account, struct buf *text);

/* How many of these passed because it cannot be known whether they do; nothing if none did. */
void account_append_unknown(const struct account *account, struct buf *text);

/* What was recorded; "agent: rule NAME: matched 7" for rules that matched. */
void account_append_recording(const struct account *account, struct buf *text);
void account_append_rules(const struct account *account, struct buf *text);

/* "agent: state: threads 7, descriptors 20", without a newline. */
void account_append_state(const struct account *account, struct buf *text);

/* How many control groups the filter decides about; nothing if there are none. */
void account_append_cgroups(const struct account *account, struct buf *text);

/* Problems: a line for each that occurred. */
void account_append_troubles(const struct account_trouble *troubles, size_t count,
			     struct buf *text);

/* The account of descriptions of containers and pods: parts of the report of a live capture. */

/* What was asked for and found: "agent: containers: looked for 7, found 7, without data 0", … */
void account_meta_append_work(const struct meta_stats *meta, struct buf *text);

/* What is missing or failed: a line for each cause that occurred. */
void account_meta_append_troubles(const struct account_containers *containers, struct buf *text);

#endif
