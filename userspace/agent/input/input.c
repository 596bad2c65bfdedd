/* SPDX-License-Identifier: MIT */
/* Selects the input. */
#include "agent/input/input.h"

int input_open(const struct plan *plan, struct input_helpers *helpers, struct input **input,
	       struct error *err)
{
	return plan->options->read ? input_file_open(plan, input, err)
				   : input_live_open(plan, helpers, input, err);
}

void input_destroy(struct input *input)
{
	if (input)
		input->ops->destroy(input);
}
