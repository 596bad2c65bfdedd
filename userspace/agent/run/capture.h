/* SPDX-License-Identifier: MIT */
/*
 * One run of the agent, put together: first the plan (filter, output, what to capture), which needs
 * no privilege, then what it takes from the kernel and /proc, or from a capture file.
 */
#ifndef AGENT_RUN_CAPTURE_H
#define AGENT_RUN_CAPTURE_H

#include "agent/options/options.h"
#include "agent/run/selection.h"
#include "rules/ruleset.h"
#include "scap/file/reader.h"
#include "scap/live/live.h"
#include "util/error.h"

struct capture {
	const struct options *options; /* borrowed */
	enum agent_format format;      /* that of the options, AUTO resolved */
	struct text_style style;       /* that of the options, with colours and lengths resolved */
	struct filter *filter;	       /* NULL: everything passes; with rules, theirs */
	struct ruleset *ruleset;       /* NULL: without rules */
	struct rules_counts rules_counts;
	struct formatter *formatter;   /* NULL: events are only counted */
	struct selection selection;
	struct scap_live *live;	       /* where events come from: one of the two */
	struct scap_reader *reader;
	struct scap_live_stats *past;  /* of captures that this one took over from; NULL: none */
	struct buf messages;	       /* about the rules, in whole lines: for people */
	struct scap_proc *proc;	       /* NULL for a capture file */
	struct sinsp *sinsp;
	struct record *record;	       /* NULL: nothing is recorded */
};

/*
 * Compiles the filter and selects the events. Returns 0 or -errno with a message; release with
 * capture_finish() in every case.
 */
int capture_plan(struct capture *capture, const struct options *options, struct error *err);

/* Loads the rules of the options for the output of this capture: as rules_load_options(). */
int capture_load_rules(const struct capture *capture, struct ruleset **ruleset,
		       struct rules_counts *counts, struct buf *messages);

/* Selects what a filter, or the rules instead, and their output want captured. As above. */
int capture_select(const struct capture *capture, const struct filter *filter,
		   const struct ruleset *ruleset, struct selection *selection, struct error *err);

/*
 * Whether the filter speaks of the direction of events and lets no system call through: these have
 * exit events only.
 */
bool capture_wants_entries(const struct capture *capture);

/*
 * Loads and attaches the programs of the plan; events gather from here on. Or opens the file that is
 * to be read. As above.
 */
int capture_open(struct capture *capture, struct error *err);

/*
 * A capture of another selection beside the one that runs, with the same clock; it runs from here
 * on. As above.
 */
int capture_open_beside(const struct capture *capture, const struct selection *selection,
			struct scap_live **live, struct error *err);

/*
 * Fills the state from /proc, after capture_open(), so that nothing falls between; or from the file.
 * As above.
 */
int capture_seed(struct capture *capture, struct error *err);

/* Begins the recording that the options ask for: of the state first. As above. */
int capture_record(struct capture *capture, struct error *err);

/* Where the next event is to be taken from. */
struct scap_source *capture_source(const struct capture *capture);

/* No event happens any more: see scap_live_stop(). What a file has is still there. */
void capture_stop(const struct capture *capture);

/* How many events of a file could not be used, because they are damaged. */
uint64_t capture_damaged(const struct capture *capture);

/* The counters of all captures of this run; not for a file. Returns 0 or -errno. */
int capture_stats(const struct capture *capture, struct scap_live_stats *stats);

void capture_finish(struct capture *capture);

#endif
