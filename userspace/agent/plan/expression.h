/* SPDX-License-Identifier: MIT */
/* Errors in expressions of the command line, as messages of several lines. */
#ifndef AGENT_PLAN_EXPRESSION_H
#define AGENT_PLAN_EXPRESSION_H

#include "sinsp/sinsp.h"
#include "util/error.h"

/*
 * Sets the message for an expression that a library rejected with `code`: the option before it
 * ("-p: ", or ""), and the expression with the position marked. Returns `code`.
 */
int expression_error(const char *option, const char *expression, const struct filter_error *wrong,
		     int code, struct error *err);

#endif
