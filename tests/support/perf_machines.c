/* SPDX-License-Identifier: MIT */
/* Reads lines "FILE CONTENT" and "tracepoint GROUP:NAME NUMBER". */
#include "perf_machines.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "perf/attr.h"

static void unfold_line(const struct tree *tree, const char *line)
{
	char name[TREE_PATH_BYTES], content[256], text[sizeof(content) + 1], group[64], event[64];
	unsigned int number;

	if (sscanf(line, "tracepoint %63[^:]:%63s %u", group, event, &number) == 3) {
		snprintf(name, sizeof(name), "tracing/events/%s/%s/id", group, event);
		snprintf(text, sizeof(text), "%u\n", number);
	} else {
		char file[256];

		assert_int_equal(sscanf(line, "%255s %255[^\n]", file, content), 2);
		snprintf(name, sizeof(name), "sys/bus/event_source/devices/%s", file);
		snprintf(text, sizeof(text), "%s\n", content);
	}
	tree_write(tree, name, text);
}

void described_machine_open(struct described_machine *described, const char *name)
{
	char path[TREE_PATH_BYTES], sysfs[TREE_PATH_BYTES], tracefs[TREE_PATH_BYTES], line[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", MACHINES, name);
	file = fopen(path, "r");
	assert_non_null(file);
	tree_create(&described->tree);
	while (fgets(line, sizeof(line), file))
		if (line[0] != '#' && line[0] != '\n')
			unfold_line(&described->tree, line);
	fclose(file);
	tree_path(&described->tree, "sys", sysfs);
	tree_path(&described->tree, "tracing", tracefs);
	assert_int_equal(perf_machine_open(&described->machine, sysfs, tracefs, NULL), 0);
}

void described_machine_close(struct described_machine *described)
{
	perf_machine_close(&described->machine);
	tree_destroy(&described->tree);
}

/* "type 0x1" in a line becomes "type=0x1", behind a space. */
static void append_attr(const struct perf_event *event, struct buf *out)
{
	struct buf lines = {0};
	char *line, *rest;

	perf_attr_append(&event->attr, event->config3, &lines);
	buf_append_char(&lines, '\0');
	assert_false(lines.failed);
	rest = lines.data;
	while ((line = strsep(&rest, "\n")) && *line) {
		if (strcmp(line, "size 0x80") == 0 || strcmp(line, "exclude_guest 1") == 0)
			continue;
		*strchr(line, ' ') = '=';
		buf_printf(out, " %s", line);
	}
	if (!event->attr.exclude_guest)
		buf_append_string(out, " exclude_guest=0");
	buf_finish(&lines);
}

static void append_flags(const struct perf_event *event, struct buf *out)
{
	const struct {
		bool set;
		const char *name;
	} flags[] = {
		{event->is_uncore, "uncore"},
		{event->is_gauge, "gauge"},
		{event->per_package, "per_package"},
		{event->per_core, "per_core"},
		{event->wants_most_precise, "P"},
		{event->reads_group, "S"},
		{event->is_weak, "W"},
		{event->wants_bpf, "b"},
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].set)
			buf_printf(out, " %s", flags[i].name);
}

void perf_event_append_line(const struct perf_event_list *list, size_t i, struct buf *out)
{
	const struct perf_event *event = &list->events[i];

	if (event->leader != i)
		buf_printf(out, "%zu<", event->leader);
	buf_append_string(out, event->name);
	append_attr(event, out);
	append_flags(event, out);
	if (event->pmu)
		buf_printf(out, " pmu=%s", event->pmu);
	if (event->cpus)
		buf_printf(out, " cpus=%u+%zu", event->cpus->numbers[0], event->cpus->count - 1);
	if (event->unit)
		buf_printf(out, " unit=%s", event->unit);
	if (event->scale != 1)
		buf_printf(out, " scale=%.9g", event->scale);
	if (event->driver_terms)
		buf_printf(out, " driver=%s", event->driver_terms);
	buf_append_char(out, '\n');
}
