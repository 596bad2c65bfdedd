/* SPDX-License-Identifier: MIT */
/* The processing of each event, computed once from its descriptor and its rule. */
#ifndef SINSP_STATE_PLAN_H
#define SINSP_STATE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "sinsp/state/handler.h"

enum { PLAN_BASES_MAX = 2 };

struct state_plan {
	state_handler *handle; /* NULL: nothing to apply */
	struct state_object object; /* of the rule */
	int8_t fd_param; /* parameter with the event's descriptor, or -1 */
	bool uses_fd; /* which is open before the event */
	bool closes_fd; /* and closed by it */
	bool finds_thread; /* the handler finds or adds the thread itself */
	bool is_call; /* an event of a system call */
	uint8_t paths_count;
	uint8_t paths[PLAN_BASES_MAX]; /* parameters relative to a directory descriptor */
};

#endif
