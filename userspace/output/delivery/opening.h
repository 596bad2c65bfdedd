/* SPDX-License-Identifier: MIT */
/* Opens targets, in threads that have the privileges of outputs alone. */
#ifndef OUTPUT_DELIVERY_OPENING_H
#define OUTPUT_DELIVERY_OPENING_H

#include "output/config.h"
#include "output/reach.h"
#include "output/stop.h"
#include "util/error.h"

/* The files that threads of an output use. Returns 0 or -ENOMEM with a message. */
int opening_reach(const struct output_config *config, struct output_reach *reach,
		  struct error *err);

/* Opens a target. Returns 0 or -errno with a message. */
int opening_open(const struct output_config *config, struct output_stop *stop, void **target,
		 struct error *err);

/*
 * Whether that will succeed: opens the target and closes it. Nothing is sent; another process that
 * uses the same target is not disturbed. As above.
 */
int opening_try(const struct output_config *config, struct error *err);

#endif
