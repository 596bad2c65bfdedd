/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of containers: a thread asks a source (meta/source.h) for them, so that the event
 * path never waits for a file or a socket. One thread makes the requests and takes the answers.
 */
#ifndef META_META_H
#define META_META_H

#include <stdbool.h>
#include <stdint.h>

#include "meta/source.h"

struct meta;

enum { META_REQUESTS_MAX = 4096 };

/* Counters since the start. */
struct meta_stats {
	uint64_t requests, described, missing;
	uint64_t failed; /* of the last two: something could not be read */
	uint64_t rejected; /* requests that were not made: too many had no answer, or no memory */
	uint64_t left_out; /* labels, mounts and texts beyond the limits of meta/describe.h */
};

struct meta_answer {
	char *id; /* whole; owned by the receiver */
	struct sinsp_container_info *info; /* owned by the receiver; NULL: nobody knows it */
	struct error err; /* what could not be read; "": nothing */
};

/*
 * Starts the thread. requests_max: of requests without an answer that was taken; 0: the default
 * above. Owns the source from here on, also after a failure. Returns 0, or -errno with a message.
 */
int meta_create(struct meta_source *source, uint32_t requests_max, struct meta **meta,
		struct error *err);

/*
 * Ends the thread. If the source does not return from its current call in META_END_MS, the thread
 * is left behind: it frees its memory when the call returns, or with the process. Accepts NULL.
 */
enum { META_END_MS = 500 };
void meta_destroy(struct meta *meta);

/* Asks for a container; never blocks. Returns 0, or -EAGAIN or -ENOMEM (counted). */
int meta_request(struct meta *meta, const struct meta_request *request);

/* Whether meta_take() has an answer: cheap enough for each event. */
bool meta_is_ready(const struct meta *meta);

/* Takes the next answer. Returns false if there is none. */
bool meta_take(struct meta *meta, struct meta_answer *answer);

/* Frees what an answer owns. */
void meta_answer_finish(struct meta_answer *answer);

/* Waits until an answer is there, for at most so long. Returns whether there is one. */
bool meta_wait(struct meta *meta, uint64_t timeout_ns);

/* Requests whose answer was not taken. */
uint32_t meta_pending(const struct meta *meta);

void meta_stats(struct meta *meta, struct meta_stats *stats);

#endif
