/* SPDX-License-Identifier: MIT */
/*
 * The speed of delivery, without the kernel: injected events of a usual mix pass through state, are
 * formatted for all outputs, and delivered. An output that drops would be fast without a reason, so
 * the queues wait (policy=block). Prints events per second of wall time, and the CPU time of all
 * threads for each event.
 *
 *   delivery_speed EVENTS KIND:TARGET[,KEY=VALUE...]...
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "load.h"
#include "output/delivery/outputs.h"
#include "output/targets/kinds.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"

enum { THREADS = 50, EVENTS_PER_STEP = 256 };

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "delivery_speed: %s\n", what);
	exit(1);
}

static void add_output(struct outputs *outputs, const char *text)
{
	struct output_view view = {.format = &format_json};
	struct output_config *config;
	struct output *output;
	struct error err;

	if (output_config_read(output_kinds, text, &config, &err) ||
	    formatter_create(&format_json, NULL, 0, &view.formatter, &err) ||
	    output_create(config, &view, &output, &err))
		fail(err.text);
	if (outputs_add(outputs, output))
		fail("out of memory");
}

static void deliver(struct load *load, struct state *engine, struct outputs *outputs)
{
	struct buf messages = {0};
	struct state_event event;
	struct scap_event raw;
	uint64_t n = 0;

	while (scap_source_next(scap_inject_source(load->inject), 0, &raw) == 1) {
		if (state_process(engine, &raw, &event))
			fail("a frame was rejected");
		outputs_event(outputs, &event);
		if (++n % EVENTS_PER_STEP == 0)
			outputs_step(outputs, clock_ns(CLOCK_MONOTONIC), &messages);
	}
	outputs_close(outputs, NULL);
	fwrite(messages.data, 1, messages.len, stderr);
	buf_finish(&messages);
}

static void print_accounts(const struct outputs *outputs)
{
	struct buf text = {0};

	for (size_t i = 0; i < outputs->count; i++) {
		struct output_account account;

		output_account(outputs->list[i], &account);
		output_account_append(&account, true, &text);
	}
	fwrite(text.data, 1, text.len, stderr);
	buf_finish(&text);
}

int main(int argc, char **argv)
{
	struct load_config config = {.threads = THREADS};
	struct state_config state = {0};
	struct outputs outputs = {0};
	struct error err;
	struct state *engine;
	struct load load;
	uint64_t begin, cpu, wall;

	if (argc < 3)
		fail("EVENTS KIND:TARGET...");
	config.wanted = strtoull(argv[1], NULL, 10);
	if (load_create(&load, &config) || state_create(&state, &engine, &err))
		fail("out of memory");
	for (int i = 2; i < argc; i++)
		add_output(&outputs, argv[i]);
	if (outputs_open(&outputs, true, NULL, &err))
		fail(err.text);
	begin = clock_ns(CLOCK_MONOTONIC);
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	deliver(&load, engine, &outputs);
	wall = clock_ns(CLOCK_MONOTONIC) - begin;
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	print_accounts(&outputs);
	printf("%.2f million events/s, %.0f ns of CPU time each\n",
	       (double)load.events * 1000 / (double)wall, (double)cpu / (double)load.events);
	outputs_finish(&outputs);
	state_destroy(engine);
	load_finish(&load);
	return 0;
}
