/* SPDX-License-Identifier: MIT */
/* What handlers of events have in common: their argument, and copies of parameters. */
#ifndef SINSP_STATE_HANDLER_H
#define SINSP_STATE_HANDLER_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "sinsp/state/thread.h"

struct sinsp;

/* The event that is being applied; a handler may set all but the first. */
struct state_event {
	const struct event *ev;
	struct sinsp_thread *thread; /* NULL if unknown */
	struct sinsp_fd *fd; /* as in sinsp_event */
	bool has_fd;
	int64_t fd_num;
	/* Not next to has_fd: one load of both would wait for the store of either. */
	bool fd_named;
};

/* Whether the result of the call may be made up: somebody can have answered it for the kernel. */
static inline bool state_is_doubtful(const struct state_event *event)
{
	return event->ev->marks.contested & 1;
}

typedef void state_handler(struct sinsp *sinsp, struct state_event *event);

/* The object that a call creates and returns as a descriptor, an object without a path. */
struct state_object {
	uint8_t type; /* enum scap_fd_type */
	uint8_t name; /* the parameter that is its name, or 0 */
	uint8_t flags; /* the parameter with the close-on-exec bit below */
	uint32_t cloexec; /* CLOEXEC_ALWAYS: without a flag */
};

#define CLOEXEC_ALWAYS UINT32_MAX

/* Copies a parameter, unless it is absent. */
static inline void state_set_i64(int64_t *value, const struct event *ev, unsigned int param)
{
	if (event_param_present(ev, param))
		*value = event_param_i64(ev, param);
}

static inline void state_set_u64(uint64_t *value, const struct event *ev, unsigned int param)
{
	if (event_param_present(ev, param))
		*value = event_param_u64(ev, param);
}

static inline void state_set_u32(uint32_t *value, const struct event *ev, unsigned int param)
{
	if (event_param_present(ev, param))
		*value = (uint32_t)event_param_u64(ev, param);
}

#endif
