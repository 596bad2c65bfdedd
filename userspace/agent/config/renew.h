/* SPDX-License-Identifier: MIT */
/* Reads the configuration of a running agent again. */
#ifndef AGENT_CONFIG_RENEW_H
#define AGENT_CONFIG_RENEW_H

#include "agent/options/options.h"
#include "util/buf.h"
#include "util/error.h"

/*
 * Makes options of the command line and the files of `running` as they are now. Options that take
 * effect without a restart (`reloads` in their rows) have new values, all others those of
 * `running`, which must outlive `renewed`. The keys of others whose values differ are appended to
 * `restart`, with commas between; errors in files to `messages`, as whole lines. Returns 0, or
 * -errno with a message; release `renewed` with options_finish() in every case. One call at a time,
 * in any thread.
 */
int config_renew(const struct options *running, struct options *renewed, struct buf *messages,
		 struct buf *restart, struct error *err);

#endif
