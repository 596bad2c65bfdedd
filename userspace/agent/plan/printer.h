/* SPDX-License-Identifier: MIT */
/*
 * The output format of events, created once from the options. It has state from event to event
 * (evt.deltatime), so it is kept if rules are reloaded.
 */
#ifndef AGENT_PLAN_PRINTER_H
#define AGENT_PLAN_PRINTER_H

#include "agent/options/options.h"
#include "sinsp/sinsp.h"
#include "util/error.h"
#include "util/services.h"

struct printer {
	const struct output_format *format; /* that of the options, or the default */
	struct text_style style; /* that of the options, with colours and lengths resolved */
	struct services *services; /* owned; NULL: ports are numbers */
	struct formatter *formatter; /* owned; NULL: only rules print */
	const char *container_info; /* for outputs of rules: see struct ruleset_config */
};

/*
 * Warnings are appended to `messages` as whole lines. Returns 0 or -errno with a message; release
 * with printer_finish() in every case.
 */
int printer_init(struct printer *printer, const struct options *options, struct buf *messages,
		 struct error *err);
void printer_finish(struct printer *printer);

/* The state needed for output: enum field_needs bits. */
unsigned int printer_needs(const struct printer *printer);

#endif
