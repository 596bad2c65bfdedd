/* SPDX-License-Identifier: MIT */
/*
 * Values of which only a part was captured. Arguments and paths that are too long have "..." where
 * something is missing, at places that tell them from others; so does what the state keeps of them.
 * Getters note it in scratch->cut, for the filter.
 */
#ifndef SINSP_FIELDS_CUT_H
#define SINSP_FIELDS_CUT_H

#include <stddef.h>

#include "sinsp/state/event.h"

/* Where a part of the value is missing; bits. */
enum cut_bits {
	CUT_SHOWN = 1 << 0, /* where it has "...": between the first of them and the last */
	CUT_END = 1 << 1, /* at its end, which does not show it */
	CUT_PLACES = 1 << 2, /* somewhere; what it has is right */
	CUT_WHOLE = 1 << 3, /* it may be another value altogether */
};

#define CUT_MARK "..."

/* Of an absolute path, and of one below it. */
unsigned int cut_of_path(const char *path, size_t len);

/* Of argv[1] and on, and of the environment. */
unsigned int cut_of_args(const struct state_program *program);
unsigned int cut_of_env(const struct state_program *program);

/* Of argv[0]. */
unsigned int cut_of_exe(const struct state_program *program);

/* Of a parameter, by the marks of the event. */
unsigned int cut_of_param(const struct event *ev, unsigned int param);

#endif
