/* SPDX-License-Identifier: MIT */
/*
 * From a plan to a live capture, and what it lacks on this machine, in lines for the user; calls of
 * others that meddle with it.
 */
#ifndef AGENT_INPUT_LIVE_OPEN_H
#define AGENT_INPUT_LIVE_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/options/options.h"
#include "agent/plan/plan.h"
#include "scap/live/live.h"
#include "scap/rings/memory.h"
#include "util/buf.h"
#include "util/error.h"

/* Where captures are opened from. */
struct live_place {
	uint32_t self_pids[SELF_PIDS]; /* of the agent, in the initial pid namespace; 0: none */
	struct live_loader *loader; /* borrowed; NULL: this process */
	struct scap_cgroup_keys *keys; /* borrowed; NULL: keys of control groups are not known */
	struct samples *samples; /* borrowed: among the events; NULL: none */
	struct tls_follower *tls; /* borrowed: sets programs for --tls; NULL: nobody does */
	const struct waker *waker; /* borrowed: ends waits for events, too; NULL: nothing does */
};

/*
 * Loads and attaches the programs that the plan needs; capturing begins. The events of the agent
 * itself are left out unless the options say else. boot_offset_ns: that of a capture that runs in
 * parallel, or 0. Returns 0 or -errno with a message; the capture is destroyed through its source.
 */
int live_open(const struct plan *plan, const struct live_place *place, uint64_t boot_offset_ns,
	      struct scap_live **live, struct error *err);

/*
 * The memory of the ring buffers: each of the size of the option, or what suits the machine, grown
 * for busy CPUs.
 */
struct scap_memory live_memory(const struct options *options);

/* The size of each ring that is overwritten; 0: there are none. */
uint32_t live_flight_bytes(const struct options *options);

/* Whether the keys of control groups are those that the programs of a capture make. */
bool live_knows_groups(const struct live_place *place, const struct scap_live *live);

/* Where the programs of system calls run, and why, in words for the user. */
const char *live_hooks_text(const struct scap_live *live);

/* By which tracepoints operations of io_uring are seen, or why none is, in words for the user. */
const char *live_uring_text(const struct scap_live *live);

/* What a live capture lacks on this machine, in lines for the user. */

/* What the input found out, beside the capture itself. */
struct live_lacks {
	/* Why these were read from /proc: -errno; 0: they were not. */
	int iterator_errors[SCAP_LIVE_ITERATORS];
	bool uring; /* a filter or a rule asks which events are operations of io_uring */
	bool groups; /* the kernel cannot filter by control groups, as the plan wants it to */
};

/* Appends whole lines; none if nothing is lacking. What only costs more is shown by -v. */
void live_warnings_append(const struct scap_live *live, const struct live_lacks *lacks,
			  const struct options *options, struct buf *text);

/* The line for scap_live_answers_error(); nothing if that is 0. */
void live_answers_append(const struct scap_live *live, struct buf *text);

/* Calls of others that change the programs or maps of the capture: counted, and said. */

struct state_event;

struct live_meddling {
	uint64_t calls; /* so far, those that the kernel refused included */
	uint64_t said_ns; /* monotonic clock: when it was said last; at most once a second */
};

/* Whether a bpf event is such a call. The agent's own calls are not captured. */
bool live_meddling_is(const struct scap_live *live, const struct state_event *event);

/* Counts it. */
void live_meddling_note(struct live_meddling *meddling, const struct state_event *event);

#endif
