/* SPDX-License-Identifier: MIT */
/*
 * A thread that asks a source for the containers of a queue. Stages follow each other, the fastest
 * source first: a container that one does not know, or not wholly, goes on to the next one. The
 * first description is the answer, later ones complete it. One that no stage knows goes back to the
 * first one, after a while, a few times: its runtime may write down or answer later what it knows.
 */
#ifndef META_STAGE_H
#define META_STAGE_H

#include "meta/requests.h"
#include "meta/sink.h"
#include "meta/thread.h"

enum {
	STAGE_RETRIES = 9,
	STAGE_RETRY_FIRST_MS = 30,
	STAGE_RETRY_LAST_MS = 5000,
	STAGE_MISSING_MS = 60000, /* after the last one */
};

/* Each stage takes references of its own. */
struct meta_stage_queues {
	struct meta_requests *in; /* closing it stops the stage */
	struct meta_requests *next; /* of the next stage; NULL: this is the last one */
	struct meta_requests *first; /* of the first stage */
	struct meta_sink *out;
};

/* Owns the source from here on, also after a failure. Returns 0 or -errno. */
int meta_stage_start(struct meta_source *source, const struct meta_stage_queues *queues,
		     struct meta_thread **thread);

#endif
