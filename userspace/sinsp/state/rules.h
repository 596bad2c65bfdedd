/* SPDX-License-Identifier: MIT */
/*
 * The rules by which events change the state, one row for each event that changes it, and the plan
 * of each event that is made of them.
 */
#ifndef SINSP_STATE_RULES_H
#define SINSP_STATE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "sinsp/state/apply.h"

/* The processing of each event, computed once from its descriptor and its rule. */

enum { PLAN_BASES_MAX = 2 };

struct state_plan {
	apply_handler *handle; /* NULL: nothing to apply */
	struct state_object object; /* that the event makes; type 0: none */
	int8_t fd_param; /* parameter with the event's descriptor, or -1 */
	uint8_t tuple_param; /* that with the ends of its socket, or 0 */
	bool uses_fd; /* which is open before the event */
	bool closes_fd; /* and closed by it */
	bool makes_fd; /* or made by it */
	bool finds_thread; /* the handler finds or adds the thread itself */
	bool is_call; /* an event of a system call */
	uint8_t paths_count;
	uint8_t paths[PLAN_BASES_MAX]; /* parameters relative to a directory descriptor */
};

/* The rules by which events change the state: one row for each event that changes it. */

struct state_rule {
	apply_handler *handle; /* NULL: the event changes nothing */
	uint16_t keeps; /* enum state_part: the parts that need the event */
	bool copies_fd; /* the descriptor that it creates is one of another table */
};

/* The rule of an event id; one without a handler for ids that change nothing. Never NULL. */
const struct state_rule *state_rule_of(unsigned int id);

/*
 * Whether an event creates its descriptor and says all about it: no earlier event of any descriptor
 * is needed to know what it is.
 */
bool state_rule_describes_fd(unsigned int id);

/* The plans of all events, from their descriptors and rules. */

/* A plan for each event id below EVENT_ID_MAX; made by the first call, and never freed. */
const struct state_plan *state_plans(void);

#endif
