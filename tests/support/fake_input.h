/* SPDX-License-Identifier: MIT */
/* An input of a run that gives no events: it notes which operations are called; and such a run. */
#ifndef TESTS_FAKE_INPUT_H
#define TESTS_FAKE_INPUT_H

#include "agent/input/input.h"
#include "agent/run/run.h"

enum { FAKE_INPUT_CALLS_BYTES = 256 };

struct fake_input {
	struct input input;
	char calls[FAKE_INPUT_CALLS_BYTES]; /* "begin prepare take " */
	/* What the operations return. */
	int begin_code, prepare_code, take_code, counters_code, report_code, percent;
	bool incomplete;
};

/* All operations succeed, half of the input is read, and nothing is missing. */
void fake_input_init(struct fake_input *fake);

/* An input whose events do not depend on the plan: without operations that change it. */
void fake_input_init_fixed(struct fake_input *fake);

/* Plans a run with an empty state and such an input. Fails the test if it cannot. */
void fake_input_run(struct fake_input *fake, struct run *run, struct options *options);

#endif
