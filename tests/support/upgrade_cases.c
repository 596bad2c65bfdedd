/* SPDX-License-Identifier: MIT */
/*
 * Prints old events that need every conversion, each call in a thread of its own, and what the model
 * makes of them:
 *
 *   upgrade_cases [alone]
 *
 * A line for each event, tabs between: thread, code, parameters (hexadecimal digits, a comma behind
 * each), then code and parameters of the event that it becomes, "-" if it is none. With "alone" exit
 * events come without their enter events.
 */
#include <stdio.h>
#include <string.h>

#include "upgrade_model.h"

enum { FIRST_TID = 1000, ENTER_SEED = 0x61, EXIT_SEED = 0x21 };

static void print_frame(const struct model_frame *frame)
{
	printf("\t%u\t", frame->code);
	for (unsigned int i = 0; i < frame->nparams; i++) {
		for (uint32_t at = 0; at < frame->params[i].len; at++)
			printf("%02x", frame->params[i].bytes[at]);
		putchar(',');
	}
}

/* Prints an event and makes of it what the model does; returns whether it is kept for the exit. */
static bool print_case(unsigned int tid, struct model_frame *frame, const struct model_frame *enter)
{
	bool keeps;
	int given;

	printf("%u", tid);
	print_frame(frame);
	given = model_upgrade(frame, enter, &keeps);
	if (given == 1)
		print_frame(frame);
	else
		fputs("\t-", stdout);
	putchar('\n');
	return keeps;
}

static void print_row(const struct model_row *row, unsigned int tid, bool alone)
{
	const struct model_event *last = row->code % 2 ? &model_events[row->code - 1] : NULL;
	struct model_frame frame, enter;
	bool keeps = false;

	if (last && !alone && last->managed && model_row_of(row->code - 1, last->nparams)) {
		model_make(&enter, row->code - 1, last->nparams, ENTER_SEED);
		keeps = print_case(tid, &enter, NULL);
	}
	model_make(&frame, row->code, row->nparams, EXIT_SEED);
	print_case(tid, &frame, keeps ? &enter : NULL);
}

int main(int argc, char **argv)
{
	bool alone = argc > 1 && strcmp(argv[1], "alone") == 0;

	model_load();
	for (unsigned int i = 0; i < model_rows_count; i++)
		print_row(&model_rows[i], FIRST_TID + i, alone);
	return 0;
}
