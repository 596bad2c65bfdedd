/* SPDX-License-Identifier: MIT */
/* Makes the outputs that the options name: the filter and the formatter of each. */
#ifndef AGENT_PLAN_OUTPUT_VIEWS_H
#define AGENT_PLAN_OUTPUT_VIEWS_H

#include "agent/options/options.h"
#include "agent/plan/printer.h"
#include "agent/record/captures.h"
#include "output/delivery/outputs.h"

/*
 * Takes over the configurations of options->outputs, and lets the printer know the outputs, which
 * are not open. Warnings are appended to `messages` as whole lines. Returns 0 or -errno with a
 * message; release with outputs_finish() and captures_finish() in every case.
 */
int output_views_make(const struct options *options, struct printer *printer,
		      struct outputs *outputs, struct captures *captures, struct buf *messages,
		      struct error *err);

/*
 * Makes only the output of options->outputs[i], and takes over its configuration; the printer does
 * not know it. After an error others can still be made.
 */
int output_views_add(const struct options *options, size_t i, struct printer *printer,
		     struct outputs *outputs, struct captures *captures, struct buf *messages,
		     struct error *err);

/* Lets the printer know all of them, if there are any: they print. */
void output_views_show(struct printer *printer, const struct outputs *outputs,
		       const struct captures *captures);

#endif
