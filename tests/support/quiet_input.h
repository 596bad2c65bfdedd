/* SPDX-License-Identifier: MIT */
/* A live input on which nothing happens but that time passes, with a boundary to another agent. */
#ifndef TESTS_QUIET_INPUT_H
#define TESTS_QUIET_INPUT_H

#include "takeover/boundary.h"
#include "agent/input/input.h"

struct quiet_input {
	struct input input;
	struct scap_source source;
	struct boundary boundary;
	bool busy; /* with a change: there is no boundary now */
};

/* Its totals are 10 = 7 + 2 + 1 events. */
void quiet_input_init(struct quiet_input *quiet);
void quiet_input_finish(struct quiet_input *quiet);

#endif
