/* SPDX-License-Identifier: MIT */
/* What is wrong with an expression of the command line, as a message of several lines. */
#ifndef AGENT_PLAN_EXPRESSION_H
#define AGENT_PLAN_EXPRESSION_H

#include "sinsp/sinsp.h"
#include "util/error.h"

/*
 * The message for an expression that a library rejected with `code`: the option in front of it
 * ("-p: ", or ""), and the expression with the place marked. Returns `code`.
 */
int expression_error(const char *option, const char *expression, const struct filter_error *wrong,
		     int code, struct error *err);

#endif
