/* SPDX-License-Identifier: MIT */
/* Validating the checks of a tree one by one, for callers that report all errors. */
#ifndef SINSP_FILTER_CHECK_H
#define SINSP_FILTER_CHECK_H

#include "sinsp/filter/tree.h"

/*
 * Whether a check (FILTER_NODE_CHECK) of `text` is valid. Returns 0; -EINVAL with the error, and
 * whether it is an unknown field; or -ENOMEM.
 */
int filter_check_node(const struct filter_node *check, const char *text,
		      const struct filter_options *options, bool *unknown_field,
		      struct filter_error *err);

#endif
