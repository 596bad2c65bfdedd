/* SPDX-License-Identifier: MIT */
/* Making and releasing the parts of a run. */
#include "agent/run/run.h"

#include <unistd.h>

#include "agent/run/record.h"
#include "sinsp/sinsp.h"

int run_plan(struct run *run, const struct options *options, struct buf *messages,
	     struct error *err)
{
	int code;

	*run = (struct run){.options = options};
	output_init(&run->output, STDOUT_FILENO);
	code = printer_init(&run->printer, options, err);
	return code ? code : plan_create(options, &run->printer, &run->plan, messages, err);
}

int run_open(struct run *run, struct error *err)
{
	int code = input_open(run->plan, &run->input, err);

	return code ? code : run->input->ops->create_state(run->input, &run->sinsp, err);
}

int run_record(struct run *run, struct error *err)
{
	int code;

	if (!run->options->write)
		return 0;
	code = record_create(run->options, run->sinsp, &run->record, err);
	run->recording = code == 0;
	return code;
}

void run_finish(struct run *run)
{
	record_destroy(run->record);
	sinsp_destroy(run->sinsp);
	input_destroy(run->input);
	plan_destroy(run->plan);
	printer_finish(&run->printer);
	output_finish(&run->output);
	*run = (struct run){0};
}
