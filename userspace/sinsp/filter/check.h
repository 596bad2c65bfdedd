/* SPDX-License-Identifier: MIT */
/* Trying out the checks of a tree one by one, for whoever wants to know of all that is wrong. */
#ifndef SINSP_FILTER_CHECK_H
#define SINSP_FILTER_CHECK_H

#include "sinsp/expr/options.h"
#include "sinsp/expr/tree.h"

/*
 * Whether a check (FILTER_NODE_CHECK), whose positions are of `text`, has a meaning. Returns 0;
 * -EINVAL with the error, and whether the reason is a field that does not exist; or -ENOMEM.
 */
int filter_check_node(const struct filter_node *check, const char *text,
		      const struct filter_options *options, bool *unknown_field,
		      struct filter_error *err);

#endif
