/* SPDX-License-Identifier: MIT */
/*
 * CPUs that go and come while they are sampled. A thread looks which are online, and opens events
 * on those that come, for which it keeps the privileges that the event thread drops; the event
 * thread takes them over, and reads the rings of those that went to their end.
 */
#ifndef SCAP_SAMPLES_FOLLOW_H
#define SCAP_SAMPLES_FOLLOW_H

#include <stdbool.h>

#include "scap/samples/open.h"
#include "scap/samples/samples.h"
#include "util/error.h"

struct sample_follower;

/*
 * Starts the thread. Both are borrowed: what the caller changes of the sources changes in
 * sample_follower_step() alone. Returns 0, or -errno with a message.
 */
int sample_follower_start(const struct samples_config *config, struct sample_sources *sources,
			  struct sample_follower **follower, struct error *err);

/* Ends the thread. Accepts NULL. */
void sample_follower_stop(struct sample_follower *follower);

/* Enables all events, also those of CPUs that come; or disables them, and no CPU is followed. */
void sample_follower_run(struct sample_follower *follower, bool runs);

/*
 * Closes CPUs that went and whose rings are read, and uses those that came. Cheap if there are
 * none. Returns whether a CPU came.
 */
bool sample_follower_step(struct sample_follower *follower);

/* Fills `unfollowed` and `follow_error`; called by the event thread. */
void sample_follower_stats(struct sample_follower *follower, struct samples_stats *stats);

#endif
