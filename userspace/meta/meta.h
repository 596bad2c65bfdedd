/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of containers and what followers learn, on threads of their own, so that the event
 * path never waits for a file or a socket. One thread, the event thread, makes requests and takes
 * updates: the answers, and what followers pushed.
 */
#ifndef META_META_H
#define META_META_H

#include "meta/sink.h"
#include "meta/source.h"

struct meta;

enum {
	META_STAGES_MAX = 4,
	META_REQUESTS_MAX = 4096,
	META_OF_USERS_MAX = 64, /* requests of META_OF_USER, at a time */
	META_OF_USER_MAX = 16, /* of these, for one user */
	META_AWAITED_MAX = 8, /* requests of META_OF_ROOT: beyond them it is a flood */
	META_FOLLOWERS_MAX = 72,
};

/* Counters since the start. */
struct meta_stats {
	uint64_t counts[META_COUNTERS];
	uint64_t times[META_TIMES]; /* requests whose data took less than 2^index us */
};

/*
 * Starts a thread for each source, the fastest first (meta/stage.h); none: no descriptions can be
 * requested. requests_max: of requests of a kind without an answer that was taken, a quarter of it
 * for those of META_OF_ROOT; 0: the default above. Owns the sources from here on, also after a
 * failure. Returns 0, or -errno with a message.
 */
int meta_create(struct meta_source *const *stages, size_t count, uint32_t requests_max,
		struct meta **meta, struct error *err);

/*
 * From now on, each update wakes the event thread. The waker must outlive `meta`. Before any thread
 * starts.
 */
void meta_set_waker(struct meta *meta, const struct waker *waker);

/*
 * Starts threads for sources that were not needed at first. Owns them from here on, also after a
 * failure. Returns 0, or -errno with a message.
 */
int meta_add_stages(struct meta *meta, struct meta_source *const *stages, size_t count,
		    struct error *err);

/*
 * Starts a thread that reads users of containers. Owns `proc` from here on, also after a failure.
 * Returns 0, or -errno with a message.
 */
int meta_read_users(struct meta *meta, struct scap_proc *proc, struct error *err);

/*
 * Starts a thread for the follower. Owns it from here on, also after a failure. Returns 0, or
 * -errno with a message.
 */
int meta_follow(struct meta *meta, struct meta_follower *follower, struct error *err);

/*
 * Ends the threads. Those that do not end in META_END_MS all together, since a call hangs, are left
 * behind: they free their memory when the call returns, or with the process. Accepts NULL.
 */
enum { META_END_MS = 500 };
void meta_destroy(struct meta *meta);

/* Asks for a container; never blocks. Returns 0, or -EAGAIN or -ENOMEM (counted). */
int meta_request(struct meta *meta, const struct meta_request *request);

/* Asks for the users of a container. The same, but not counted: the caller asks again later. */
int meta_request_users(struct meta *meta, const struct state_users_wanted *wanted);

/* Whether meta_take() has an update: cheap enough for each event. */
bool meta_is_ready(const struct meta *meta);

/* The next update, for meta_update_destroy(); NULL if there is none. */
struct meta_update *meta_take(struct meta *meta);

/* Waits until an update is there, for at most so long. Returns whether there is one. */
bool meta_wait(struct meta *meta, uint64_t timeout_ns);

/*
 * Requests whose answer was not taken and is worth a wait: for descriptions, without those of users
 * and floods; and for users.
 */
uint32_t meta_pending(const struct meta *meta);
uint32_t meta_pending_users(const struct meta *meta);

void meta_stats(const struct meta *meta, struct meta_stats *stats);

#endif
