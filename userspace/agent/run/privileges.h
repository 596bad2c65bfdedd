/* SPDX-License-Identifier: MIT */
/* What a live capture needs of its privileges later; the rest is dropped when it runs. */
#ifndef AGENT_RUN_PRIVILEGES_H
#define AGENT_RUN_PRIVILEGES_H

#include "agent/options/options.h"
#include "agent/process/loader.h"
#include "agent/record/captures.h"
#include "output/delivery/outputs.h"
#include "util/error.h"

/*
 * Sets the policy for all threads: before run_open() starts some. reloads: rules or a configuration
 * may be read again. Returns 0, or -ENOMEM with a message.
 */
int run_set_privileges(const struct options *options, const struct outputs *outputs,
		       const struct captures *captures, bool reloads, struct error *err);

/*
 * Starts the process that loads programs if the run is to drop the privileges for it, but can need
 * others later. As above: after that, and before there are threads.
 */
int run_start_loader(const struct options *options, bool reloads, struct loader *loader,
		     struct error *err);

/*
 * Drops what the event thread does not need any more: after all is open that takes privileges. With
 * -v what is kept goes to stderr, and what outputs would be limited to if they are not. Returns 0
 * or -errno with a message.
 */
int run_drop_privileges(const struct options *options, const struct outputs *outputs,
			struct error *err);

#endif
