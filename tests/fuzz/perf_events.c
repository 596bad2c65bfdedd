/* SPDX-License-Identifier: MIT */
/*
 * Perf events: any text is rejected with a position inside it, or is a list of events, which is the
 * same each time, and to which another event can be added. The length chooses the machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "perf_machines.h"

static const char *const names[] = {"hybrid", "amd", "arm64", "power", "intel-server"};

enum { MACHINES_COUNT = sizeof(names) / sizeof(names[0]) };

static struct described_machine machines[MACHINES_COUNT];

static void close_machines(void)
{
	for (size_t i = 0; i < MACHINES_COUNT; i++)
		described_machine_close(&machines[i]);
}

/* The last machine has probes in files: no file of this one is to be opened. */
static const struct perf_machine *choose_machine(const char *text, size_t size)
{
	size_t n = strstr(text, "u:") || strstr(text, "usdt:") || strstr(text, "path")
			   ? MACHINES_COUNT - 1
			   : MACHINES_COUNT;

	if (!machines[0].tree.path[0]) {
		for (size_t i = 0; i < MACHINES_COUNT; i++)
			described_machine_open(&machines[i], names[i]);
		atexit(close_machines);
	}
	return &machines[size % n].machine;
}

/* A message of three lines: what is wrong at which column, the text around it, a caret. */
static void check_message(const char *text, const char *message)
{
	unsigned int column = 0;
	size_t len = strlen(message);

	REQUIRE(sscanf(message, "event, column %u: ", &column) == 1, "'%s'", message);
	REQUIRE(column >= 1 && column <= strlen(text) + 1, "column %u of '%s'", column, text);
	REQUIRE(len && message[len - 1] == '^', "'%s'", message);
	for (size_t i = 0; i < len; i++)
		REQUIRE((unsigned char)message[i] >= ' ' || strchr("\n\t", message[i]),
			"byte %zu of '%s'", i, message);
}

static void check_event(const struct perf_event_list *list, size_t i)
{
	const struct perf_event *event = &list->events[i];
	const struct perf_event *leader = &list->events[event->leader];

	REQUIRE(event->name && event->name[0], "event %zu has no name", i);
	REQUIRE(event->leader <= i && leader->leader == event->leader, "leader of %zu", i);
	REQUIRE(event->origin <= i && list->events[event->origin].origin == event->origin,
		"origin of %zu", i);
	REQUIRE(event->leader == i || (event->is_grouped && leader->is_grouped), "group of %zu", i);
	REQUIRE(!event->cpus || event->cpus->count > 0, "CPUs of %zu", i);
	REQUIRE(event->attr.size == sizeof(event->attr), "size of %zu", i);
	/* What counting and sampling decide is not decided. */
	REQUIRE(!event->attr.sample_type && !event->attr.read_format && !event->attr.disabled &&
			!event->attr.inherit && !event->attr.sample_period,
		"attr of %zu", i);
}

/* The same again; pointers to texts are others then. */
static void check_same(const struct perf_event *a, const struct perf_event *b)
{
	struct perf_event_attr other = b->attr;

	if (a->is_probe)
		other.config1 = a->attr.config1;
	REQUIRE(memcmp(&a->attr, &other, sizeof(other)) == 0, "'%s' and '%s'", a->name, b->name);
	REQUIRE(strcmp(a->name, b->name) == 0, "'%s' and '%s'", a->name, b->name);
}

static void check_list(const char *text, const struct perf_machine *machine,
		       struct perf_event_list *list)
{
	struct buf longer = {0};
	size_t count = list->count;
	struct error err = {""};

	REQUIRE(count > 0, "no event in '%s'", text);
	buf_printf(&longer, "%s,page-faults", text);
	buf_append_char(&longer, '\0');
	REQUIRE(perf_event_parse(longer.data, machine, NULL, list, &err) == 0, "'%s': %s", text,
		err.text);
	REQUIRE(list->count == 2 * count + 1, "%zu of %zu events", list->count, count);
	for (size_t i = 0; i < list->count; i++)
		check_event(list, i);
	for (size_t i = 0; i < count; i++)
		check_same(&list->events[i], &list->events[count + i]);
	buf_finish(&longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	const struct perf_machine *machine = choose_machine(text, size);
	struct perf_event_list list = {0};
	struct error err = {""};
	int r = perf_event_parse(text, machine, NULL, &list, &err);

	REQUIRE(r == 0 || r == -EINVAL, "%d", r);
	if (r) {
		REQUIRE(list.count == 0, "%zu events of '%s'", list.count, text);
		check_message(text, err.text);
	} else {
		check_list(text, machine, &list);
	}
	perf_event_list_finish(&list);
	free(text);
	return 0;
}
