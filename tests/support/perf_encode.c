/* SPDX-License-Identifier: MIT */
/* Prints the attributes of events of this machine, for a test in Python that compares them with
 * others'. */
#include <stdio.h>
#include <stdlib.h>

#include "perf/attr.h"
#include "perf/event.h"

static void print(const struct perf_event *event)
{
	struct buf out = {0};

	perf_attr_append(&event->attr, event->config3, &out);
	printf("%s\n%.*s\n", event->name, (int)out.len, out.data);
	buf_finish(&out);
}

int main(int argc, char **argv)
{
	struct perf_event_list list = {0};
	struct perf_machine machine;
	struct error err;
	int r;

	if (argc != 2 || perf_machine_open(&machine, NULL, NULL, &err) != 0)
		return EXIT_FAILURE;
	r = perf_event_parse(argv[1], &machine, NULL, &list, &err);
	if (r)
		fprintf(stderr, "%s\n", err.text);
	for (size_t i = 0; i < list.count; i++)
		print(&list.events[i]);
	perf_event_list_finish(&list);
	perf_machine_close(&machine);
	return r ? EXIT_FAILURE : EXIT_SUCCESS;
}
