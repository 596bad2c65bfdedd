/* SPDX-License-Identifier: MIT */
/*
 * One run of the agent, put together: first the plan (filter, output, what to capture), which needs
 * no privilege, then what it takes from the kernel and /proc.
 */
#ifndef AGENT_CAPTURE_H
#define AGENT_CAPTURE_H

#include "agent/options.h"
#include "agent/selection.h"
#include "util/error.h"

struct capture {
	const struct options *options; /* borrowed */
	enum agent_format format;      /* that of the options, AUTO resolved */
	struct filter *filter;	       /* NULL: everything passes */
	struct formatter *formatter;   /* NULL: events are only counted */
	struct selection selection;
	struct scap_live *live;
	struct scap_proc *proc;
	struct sinsp *sinsp;
};

/*
 * Compiles the filter and selects the events. Returns 0 or -errno with a message; release with
 * capture_finish() in every case.
 */
int capture_plan(struct capture *capture, const struct options *options, struct error *err);

/*
 * Whether the filter speaks of the direction of events and lets no system call through: these have
 * exit events only.
 */
bool capture_wants_entries(const struct capture *capture);

/* Loads and attaches the programs of the plan; events gather from here on. As above. */
int capture_open(struct capture *capture, struct error *err);

/* Fills the state from /proc: after capture_open(), so that nothing falls between. As above. */
int capture_seed(struct capture *capture, struct error *err);

void capture_finish(struct capture *capture);

#endif
