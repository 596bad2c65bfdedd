/* SPDX-License-Identifier: MIT */
/*
 * Environment variables in values of the configuration: ${NAME}, ${NAME:-TEXT} for a variable that
 * is not set or empty, $$ for a dollar sign. Other dollar signs stay.
 */
#ifndef AGENT_CONFIG_EXPAND_H
#define AGENT_CONFIG_EXPAND_H

#include "util/buf.h"
#include "yaml/report.h"
#include "yaml/tree.h"

/* The most that all values of a configuration may have together. */
enum { CONFIG_EXPANDED_BYTES_MAX = 16 << 20 };

/*
 * Writes the value of a scalar, followed by a NUL, to `out` in place of what it has. left: of the
 * limit; it gets less. Returns 0, -EINVAL with an error in the report, or -ENOMEM.
 */
int config_expand(const struct yaml_node *node, size_t *left, struct yaml_report *report,
		  struct buf *out);

#endif
