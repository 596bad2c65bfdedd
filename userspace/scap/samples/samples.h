/* SPDX-License-Identifier: MIT */
/*
 * Samples of perf events of all CPUs, in the order of their times, as events. Used by
 * the live capture, which merges them with the events of its programs.
 */
#ifndef SCAP_SAMPLES_SAMPLES_H
#define SCAP_SAMPLES_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "perf/event.h"
#include "scap/samples/frame.h"
#include "util/error.h"

enum {
	/*
	 * How long after its time a sample is in its ring: interrupts and faults are short, but a
	 * virtual machine may lose its processor meanwhile.
	 */
	SAMPLES_LAG_NS = 5000000,
	SAMPLES_FREQUENCY_HZ = 99, /* of events without a term that says it */
};

struct samples_config {
	const struct perf_event_list *events; /* borrowed while there are samples */
	const uint8_t *kinds; /* borrowed by samples_open(): enum sample_kind of each of them */
	const struct perf_machine *machine; /* borrowed by samples_open() */
	uint32_t ring_bytes; /* per CPU, a power of two, at least one page */
	uint32_t self_pids[SELF_PIDS]; /* processes that are not sampled; 0: none */
	int proc; /* borrowed by samples_open(): a descriptor of the folder of processes */
	bool symbols; /* samples have symbols, and stacks if they have frames */
};

struct samples_stats {
	uint64_t taken[SAMPLE_KINDS]; /* returned by samples_take() */
	uint64_t lost[SAMPLE_KINDS]; /* by the kernel, as rings were full */
	uint64_t corrupt; /* records that could not be decoded */
	uint64_t throttled; /* times that the kernel stopped an event, as there were too many */
	uint64_t unmapped; /* records of mappings that were lost, as rings were full */
	uint64_t mixed; /* of `lost`: records of any kind, as Linux before 6.0 counts them together
			 */
	uint64_t nameless; /* samples taken before their symbols were there: a file took too long */
	uint64_t unread; /* files whose symbols were not read: too large, too many, or not found */
	uint64_t unfollowed; /* CPUs that came and are not sampled, as events cannot be opened */
	int follow_error; /* -errno of the last of them */
	uint64_t slow; /* files and others that took longer than SYMBOLS_SLOW_NS; or do so now */
};

struct samples;

/* Whether an event that can be counted can also be sampled. Returns 0, or -EINVAL with a message.
 */
int samples_check_event(const struct perf_event *event, enum sample_kind kind, struct error *err);

/*
 * Opens all events on all CPUs; nothing is sampled yet. Returns 0, or -errno with a message that
 * names the event and says what to do.
 */
int samples_open(const struct samples_config *config, struct samples **samples, struct error *err);
void samples_close(struct samples *samples); /* accepts NULL */

/* The offset of the times of frames from the boot clock; before the first round. */
void samples_set_offset(struct samples *samples, uint64_t boot_offset_ns);

/*
 * Who takes them: whoever asks first has them, until he passes them on. Returns whether it is
 * `reader`.
 */
bool samples_claim(struct samples *samples, const void *reader);
void samples_pass_on(struct samples *samples, const void *reader);

void samples_begin(struct samples *samples);
/* What is in the rings can still be read. */
void samples_stop(struct samples *samples);

/*
 * Descriptors that become readable when a ring fills, for epoll. Returns how many; i: below that. A
 * CPU that is not there has -1.
 */
size_t samples_fds(const struct samples *samples);
int samples_fd(const struct samples *samples, size_t i);

/* Grows in rounds when there are other descriptors. */
uint64_t samples_opened(const struct samples *samples);

/* Reads what the rings have now. */
void samples_round(struct samples *samples);

/* Whether all that was read was taken. */
bool samples_are_taken(const struct samples *samples);

/*
 * Whether there is a sample before a time, and its time: both as in frames. Returns 1; 0: none;
 * -EAGAIN: there is one, but it waits for its symbols.
 */
int samples_peek(struct samples *samples, uint64_t before_ns, uint64_t *ts_ns);

/* Takes that sample, after a 1. The frame is valid until the next call. Returns the id of the
 * event. */
uint16_t samples_take(struct samples *samples, const void **frame, uint32_t *len, uint16_t *cpu);

void samples_stats(const struct samples *samples, struct samples_stats *stats);

/* An event, as it is sampled. */
struct samples_described {
	const char *name; /* valid while the samples are */
	enum sample_kind kind;
	uint64_t frequency_hz; /* of each CPU; 0: each `period`-th time */
	uint64_t period;
	uint32_t cpus; /* on which it is open */
};

/* The i-th event. Returns false: there are no more. */
bool samples_describe(const struct samples *samples, size_t i, struct samples_described *described);

#endif
