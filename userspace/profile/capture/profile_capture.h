/* SPDX-License-Identifier: MIT */
/*
 * Captures a profile: loads the programs, opens the events, follows what the kernel tells of new
 * files and processes, and adds what was counted to a set of stacks. One thread uses it.
 */
#ifndef PROFILE_CAPTURE_PROFILE_CAPTURE_H
#define PROFILE_CAPTURE_PROFILE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/stacks.h"
#include "util/error.h"

struct profile_capture;

struct profile_capture_config {
	int proc; /* borrowed: a descriptor of the folder of processes */
	bool on_cpu, off_cpu;
	bool cycles; /* samples are of cycles of processors, not of their time */
	uint64_t frequency_hz; /* of samples on each CPU */
	const pid_t *pids; /* borrowed by the call that opens: these processes alone */
	size_t pids_count; /* 0: all but the agent */
	/* Waits of that thread alone, 0: of all; of threads of processes, or the kernel, alone. */
	pid_t tid;
	bool no_kernel_threads, no_user_threads;
	uint64_t wait_min_ns, wait_max_ns; /* only waits that took that long; 0: any */
	/* Only waits that begin in one of these states, which are bits of the kernel's; 0: in that
	 * of a thread that can run. */
	bool has_states;
	uint64_t states;
	/*
	 * Sets what is known of a process beside its id: uid, comm, ids and was_read are set. Texts
	 * are valid until the next call. Returns whether its stacks are wanted: if not, the kernel
	 * counts none from then on. NULL: nothing, and they are.
	 */
	bool (*describe)(void *context, struct stack_process *process);
	void *context;
};

/*
 * Loads the programs and opens what they run on; nothing is counted yet. Returns 0, or -errno with
 * a message.
 */
int profile_capture_open(const struct profile_capture_config *config,
			 struct profile_capture **capture, struct error *err);
void profile_capture_close(struct profile_capture *capture); /* accepts NULL */

/* Begins to count. Returns 0, or -errno with a message. */
int profile_capture_begin(struct profile_capture *capture, struct error *err);

/* Ends it; what was counted can still be read. */
void profile_capture_stop(struct profile_capture *capture);

/* Becomes readable when there is something to follow. */
int profile_capture_fd(const struct profile_capture *capture);

/* Follows what is new. Returns 0; 1: there is more to do, without waiting; or -errno. */
int profile_capture_step(struct profile_capture *capture);

/*
 * Adds what was counted since the last time to a set, which is the same one each time, or a new
 * one. The capture goes on meanwhile. Sets what the set says of events, and adds to its losses; not
 * its times. Returns 0 or -errno.
 */
int profile_capture_read(struct profile_capture *capture, struct stacks *stacks);

/*
 * Closes files that no process has mapped any more; those that the set has stay open with it.
 * Called behind profile_capture_read(), before the set is another's. Returns 0 or -errno.
 */
int profile_capture_release(struct profile_capture *capture, const struct stacks *stacks);

/*
 * The time after which it is to be read again, in ns, so that the maps have room for what is
 * counted meanwhile: the more samples there are, the sooner.
 */
uint64_t profile_capture_read_each(const struct profile_capture *capture);

/*
 * Forgets what was counted so far, but not what is known of files and processes: waits count from
 * then on, the time (monotonic) that is set. Returns 0 or -errno.
 */
int profile_capture_restart(struct profile_capture *capture, uint64_t *begin_ns);

/* Threads that wait when a capture has stopped have waited until now: adds them. */
int profile_capture_read_waits(struct profile_capture *capture, struct stacks *stacks);

/* The time that the programs took so far, in ns, and how often they ran; 0 unless the kernel
 * measures it. */
void profile_capture_cost(const struct profile_capture *capture, uint64_t *run_ns, uint64_t *runs);

#endif
