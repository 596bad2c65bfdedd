/* SPDX-License-Identifier: MIT */
/*
 * The interface of all sources of events: live ring buffers, capture files and injected events. The
 * layers above use nothing else.
 */
#ifndef SCAP_SOURCE_H
#define SCAP_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct scap_event {
	const void *frame; /* borrowed: valid until the next call on the source */
	uint32_t len; /* bytes that may be read at `frame` */
	uint16_t cpu;
	bool hidden; /* updates the state, is not printed */
	bool unmarked; /* from a file, which may have lost its marks */
	/*
	 * The sum of the steps of the wall clock since the source was opened; negative: back. The
	 * time of the frame is monotonic and does not follow them: add this for the wall clock's.
	 */
	int64_t clock_step_ns;
};

struct scap_source;

struct scap_source_ops {
	int (*next)(struct scap_source *source, int timeout_ms, struct scap_event *event);
	void (*destroy)(struct scap_source *source);
	uint64_t (*settled)(const struct scap_source *source); /* may be NULL */
};

/* Sources embed this as their first member. */
struct scap_source {
	const struct scap_source_ops *ops;
};

/*
 * Gives the next event in time order. Returns 1 and the event; 0 if none came within
 * `timeout_ms` or a signal arrived; -ENODATA at the end (nothing will follow); another -errno when
 * the source is broken.
 */
static inline int scap_source_next(struct scap_source *source, int timeout_ms,
				   struct scap_event *event)
{
	event->hidden = event->unmarked = false;
	event->clock_step_ns = 0;
	return source->ops->next(source, timeout_ms, event);
}

/* After a call that returned no event: all events before this time were returned. 0: not known. */
static inline uint64_t scap_source_settled(const struct scap_source *source)
{
	return source->ops->settled ? source->ops->settled(source) : 0;
}

/* Frees the source; accepts NULL. */
static inline void scap_source_destroy(struct scap_source *source)
{
	if (source)
		source->ops->destroy(source);
}

#endif
