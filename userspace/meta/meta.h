/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of containers, from their runtimes: a thread asks the sources (meta/source.h) in
 * turn, so that the event path never waits for a file or a socket.
 */
#ifndef META_META_H
#define META_META_H

#include <stdbool.h>
#include <stdint.h>

#include "meta/source.h"

struct meta;

struct meta_config {
	const char *host_root; /* prefix of the host's paths, as "/host"; "" or NULL: none */
	uint32_t requests_max; /* waiting ones; 0: default */
};

/* Counters since the start. */
struct meta_stats {
	uint64_t requests, described, missing, failed;
	uint64_t rejected; /* not made: too many were waiting */
};

struct meta_answer {
	char *id; /* whole; owned by the receiver */
	struct sinsp_container_info *info; /* owned by the receiver; NULL: no source knows it */
};

/* Starts the thread. Returns 0, or -errno with a message. */
int meta_create(const struct meta_config *config, struct meta **meta, struct error *err);

/* Ends the thread, which may take as long as the current call of a source. Accepts NULL. */
void meta_destroy(struct meta *meta);

/* Asks for a container; never blocks. Returns 0, -EAGAIN (counted) or -ENOMEM. */
int meta_request(struct meta *meta, const struct meta_request *request);

/* Whether meta_take() has an answer: cheap enough for each event. */
bool meta_is_ready(const struct meta *meta);

/* Takes the next answer. Returns false if there is none. */
bool meta_take(struct meta *meta, struct meta_answer *answer);

/* Waits until an answer is there, for at most so long. Returns whether there is one. */
bool meta_wait(struct meta *meta, uint64_t timeout_ns);

/* Requests without an answer yet. */
uint32_t meta_pending(const struct meta *meta);

void meta_stats(const struct meta *meta, struct meta_stats *stats);

#endif
