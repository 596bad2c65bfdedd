/* SPDX-License-Identifier: MIT */
/* The thread that asks a source for the containers of a queue, and gives the answers. */
#ifndef META_STAGE_H
#define META_STAGE_H

#include "meta/requests.h"
#include "meta/sink.h"
#include "meta/thread.h"

/*
 * Owns the source from here on, also after a failure; takes references of the queues. Closing `in`
 * stops it. Returns 0 or -errno.
 */
int meta_stage_start(struct meta_source *source, struct meta_requests *in, struct meta_sink *out,
		     struct meta_thread **thread);

#endif
