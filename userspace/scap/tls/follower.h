/* SPDX-License-Identifier: MIT */
/*
 * The thread that finds libraries of TLS in processes, and has programs of captures run at their
 * functions: for all processes that map them, so that a process is looked at only for files that
 * nobody had before. What no process maps any more is forgotten.
 */
#ifndef SCAP_TLS_FOLLOWER_H
#define SCAP_TLS_FOLLOWER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"
#include "scap/tls/library.h"
#include "util/error.h"

struct tls_follower;

enum {
	TLS_LIBRARIES_MAX = 32,
	TLS_CAPTURES_MAX = 3, /* one, the next, and one that leaves still */
};

/* Of a capture. They are copied, so that what is behind them lives until they are set nowhere. */
struct tls_programs {
	int fds[TLS_PROGRAMS];
	int notes; /* the ring buffer of struct tls_note */
	struct tls_chosen chosen; /* in whose libraries they are set */
};

struct tls_follower_stats {
	uint32_t libraries; /* now */
	uint64_t rejected; /* as there was no room for more, */
	uint64_t failed; /* or a program could not be set in them */
	int error; /* -errno of the last of these */
};

/*
 * Begins the thread, which reads `proc` ("/proc", or that below the root of the host). Before the
 * event thread drops privileges. Returns 0, or -errno with a message.
 */
int tls_follower_create(const char *proc, struct tls_follower **follower, struct error *err);

/*
 * The programs of a capture are set at what is known, after all processes were looked at; from then
 * on at what its notes lead to. Waits for that: a few seconds at most, or 100 ms while another
 * capture runs; then it is done later. *capture: for leave. Returns 0 or -errno.
 */
int tls_follower_join(struct tls_follower *follower, const struct tls_programs *programs,
		      unsigned int *capture);

/* They are to be set nowhere any more; one is removed after the other, which takes its time. */
void tls_follower_leave(struct tls_follower *follower, unsigned int capture);

/* Whether some of them are still set; waits for so long at most until none is. */
bool tls_follower_is_leaving(struct tls_follower *follower, unsigned int capture, uint64_t ms);

void tls_follower_stats(struct tls_follower *follower, struct tls_follower_stats *stats);

/* Ends the thread. Accepts NULL. */
void tls_follower_destroy(struct tls_follower *follower);

#endif
