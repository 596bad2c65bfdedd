/* SPDX-License-Identifier: MIT */
/*
 * A thread that takes sets of stacks one after the other, finds their names, and writes and sends a
 * profile for each container. It reads files of other users, which may take a while: the capture
 * goes on meanwhile.
 */
#ifndef AGENT_CONTINUOUS_WRITER_H
#define AGENT_CONTINUOUS_WRITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/options/continuous.h"
#include "profile/stacks.h"
#include "util/error.h"

enum { WRITER_CONTAINERS_MAX = 256 /* of an interval; the others have one file */ };

/* What became of profiles, in memory that processes share. */
struct continuous_counts {
	_Atomic uint64_t intervals; /* that were written and sent, with or without failures */
	_Atomic uint64_t late; /* ends of an interval at which the one before was not written yet */
	_Atomic uint64_t written, write_failures; /* files */
	_Atomic uint64_t sent, send_failures; /* profiles */
	_Atomic uint64_t removed; /* files that were too old or too many */
	_Atomic uint64_t remove_failures; /* times that one of them could not be removed */
	_Atomic uint64_t nameless; /* places without a name, as there was no room for it */
	_Atomic uint64_t grouped; /* containers that are in the folder `_other` */
	_Atomic uint64_t losses; /* samples and switches that are not in the profiles */
	_Atomic uint64_t deaths; /* of the process, each of which was followed by a restart */
	_Atomic uint64_t hangs; /* deaths of one that was killed, as it hung */
	_Atomic uint64_t given_up; /* intervals that were not written when the process ended */
	/* Signs of life, monotonic: of the capture; of the writer, 0: it has nothing to do. */
	_Atomic uint64_t followed_ns, writing_ns;
};

/* Whether the last sign of life of either is longer ago than that. */
static inline bool continuous_counts_hang(const struct continuous_counts *counts, uint64_t now_ns,
					  uint64_t limit_ns)
{
	uint64_t writing_ns = atomic_load(&counts->writing_ns);

	return atomic_load(&counts->followed_ns) + limit_ns < now_ns ||
	       (writing_ns && writing_ns + limit_ns < now_ns);
}

struct continuous_writer;

struct continuous_writer_config {
	const struct continuous_options *options; /* borrowed */
	int proc; /* borrowed by the call: a descriptor of the folder of processes */
	const char *host_root; /* borrowed: the prefix of the files of runtimes; NULL: none */
	struct continuous_counts *counts; /* borrowed */
};

/* Opens all that the thread needs. Returns 0, or -errno with a message. */
int continuous_writer_create(const struct continuous_writer_config *config,
			     struct continuous_writer **writer, struct error *err);

/* Begins the thread. Returns 0 or -errno. */
int continuous_writer_begin(struct continuous_writer *writer);

/*
 * Hands a set over, which the thread finishes. Returns false if it is not done with the one before:
 * the set is still the caller's then.
 */
bool continuous_writer_give(struct continuous_writer *writer, struct stacks *stacks);

/* Waits until the thread is done, `ns` at most. Returns whether it is. */
bool continuous_writer_wait(struct continuous_writer *writer, uint64_t ns);

/*
 * Of the time that is left for names, what the next one of so many groups may use: half of it if it
 * is that of the machine, where all users are together, and other groups are behind it; else an
 * equal share.
 */
uint64_t continuous_writer_share_ns(uint64_t left_ns, size_t group, size_t count);

/* Ends the thread, which must be done, or not have begun; accepts NULL. */
void continuous_writer_destroy(struct continuous_writer *writer);

#endif
