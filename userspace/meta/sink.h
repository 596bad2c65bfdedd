/* SPDX-License-Identifier: MIT */
/*
 * The queue of updates between the threads of meta.h and the event thread, and their counters. Each
 * thread has a reference: one that hangs may outlive the others. Updates come out in the order in
 * which they went in.
 */
#ifndef META_SINK_H
#define META_SINK_H

#include "meta/follower.h"

/* Pushed updates that were not taken; then followers wait. Answers are limited by requests. */
enum { META_SINK_PUSHED_MAX = 256 };

/* With one reference; NULL if out of memory. */
struct meta_sink *meta_sink_create(void);
struct meta_sink *meta_sink_ref(struct meta_sink *sink);
void meta_sink_unref(struct meta_sink *sink);

/* Nobody takes updates any more: those that wait in meta_post() return. */
void meta_sink_close(struct meta_sink *sink);

/* Adds an answer, without a wait. Owns it from here on. */
void meta_sink_answer(struct meta_sink *sink, struct meta_update *answer);

/* Whether there are updates: cheap enough for each event. */
bool meta_sink_is_ready(const struct meta_sink *sink);

/* The next update, which the caller destroys; NULL if there is none. */
struct meta_update *meta_sink_take(struct meta_sink *sink);

/* Waits until an update is there, for at most so long. Returns whether there is one. */
bool meta_sink_wait(struct meta_sink *sink, uint64_t timeout_ns);

/* Counts a request whose data came after so long. */
void meta_sink_count_time(struct meta_sink *sink, uint64_t ns);

/* Requests whose data took less than 2^power us, but not less than half of that. */
uint64_t meta_sink_time(struct meta_sink *sink, unsigned int power);

uint64_t meta_sink_counter(struct meta_sink *sink, enum meta_counter counter);

#endif
