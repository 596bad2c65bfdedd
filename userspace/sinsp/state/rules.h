/* SPDX-License-Identifier: MIT */
/* The rules by which events change the state: one row for each event that changes it. */
#ifndef SINSP_STATE_RULES_H
#define SINSP_STATE_RULES_H

#include "sinsp/state/apply.h"

struct state_rule {
	state_handler *handle; /* NULL: the event changes nothing */
	uint8_t keeps; /* enum sinsp_part: the parts that need the event */
	bool finds_thread; /* the handler finds or adds the thread itself */
	bool copies_fd; /* the descriptor that it creates is one of another table */
	struct state_object object; /* for state_make_object() */
};

/* The rule of an event id; one without a handler for ids that change nothing. Never NULL. */
const struct state_rule *state_rule_of(unsigned int id);

/*
 * Whether an event creates its descriptor and says all about it: no earlier event of any descriptor
 * is needed to know what it is.
 */
bool state_rule_describes_fd(unsigned int id);

#endif
