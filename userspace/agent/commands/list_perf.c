/* SPDX-License-Identifier: MIT */
/* The command perf-list: what can be counted here, and with -v what cannot, and why. */
#include "agent/commands/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/commands/list.h"
#include "perf/names.h"
#include "perf/open.h"
#include "util/count.h"

enum { FOLD = 2 };

static const char *const titles[] = {"EVENT", "SOURCE", "MEANING", NULL};
static const char *const titles_verbose[] = {"EVENT", "SOURCE", "MEANING", "MISSING BECAUSE", NULL};

struct perf_rows {
	struct list list;
	bool tries_tracepoints; /* each takes the kernel tens of milliseconds */
	size_t lacking; /* rows that the pattern selects, and that only -v shows */
	struct perf_machine machine;
};

struct perf_row {
	const char *name, *other; /* `other`: a second name, or NULL */
	const char *source, *help;
	const char *missing; /* why this machine does not have it; NULL: it has */
	const struct perf_alias *alias; /* that it is; NULL: none */
};

static void add_object(struct list *list, const struct perf_row *row)
{
	list_add_object(list);
	list_add_string(list, "name", row->name);
	list_add_string(list, "other_name", row->other);
	list_add_string(list, "source", row->source);
	list_add_string(list, "help", row->help);
	list_add_string(list, "unit", row->alias ? row->alias->unit : NULL);
	list_add_bool(list, "available", !row->missing);
	list_add_string(list, "missing", row->missing);
	BUF_LITERAL(&list->json, "}\n");
}

static void add_cells(struct list *list, const struct perf_row *row)
{
	buf_printf(&list->table.cells, row->other ? "%s or %s" : "%s", row->name, row->other);
	table_end_cell(&list->table);
	list_add_cell(list, row->source);
	list_add_cell(list, row->help);
	if (list->verbose)
		list_add_cell(list, row->missing ? row->missing : "");
}

static bool row_matches(struct list *list, const struct perf_row *row)
{
	return list_matches(list, row->name) || (row->other && list_matches(list, row->other)) ||
	       (list->verbose &&
		(list_matches(list, row->help) || list_matches(list, row->source)));
}

static void list_perf_add(struct perf_rows *rows, const struct perf_row *row)
{
	struct list *list = &rows->list;

	if (!row_matches(list, row))
		return;
	if (row->missing && !list->verbose) {
		rows->lacking++;
		return;
	}
	list->found++;
	if (list->format->objects)
		add_object(list, row);
	else
		add_cells(list, row);
}

/* An event is tried, so that what is listed can be counted here. */
static void add_tried(struct perf_rows *rows, struct perf_row *row, const struct perf_event *event)
{
	char text[256];
	struct buf reason = buf_fixed(text, sizeof(text) - 1);
	int r;

	if (!row_matches(&rows->list, row))
		return;
	r = perf_open_try(event);
	if (r) {
		perf_open_append_reason(&rows->machine, event, r, &reason);
		text[reason.len] = '\0';
		row->missing = text;
	}
	list_perf_add(rows, row);
}

static void add_generics(struct perf_rows *rows)
{
	struct perf_event event = {.attr.exclude_kernel = 1};

	for (const struct perf_generic *generic = perf_generics; generic->name; generic++) {
		struct perf_row row = {
			.name = generic->name,
			.other = generic->other,
			.source = generic->type == PERF_TYPE_SOFTWARE ? "software" : "hardware",
			.help = generic->help,
		};

		nearest_offer(&rows->list.nearest, generic->name);
		if (generic->other)
			nearest_offer(&rows->list.nearest, generic->other);
		event.attr.type = generic->type;
		event.attr.config = generic->config;
		add_tried(rows, &row, &event);
	}
}

static void add_caches(struct perf_rows *rows)
{
	struct perf_event event = {.attr = {.type = PERF_TYPE_HW_CACHE, .exclude_kernel = 1}};
	uint64_t config;
	char name[64];

	for (unsigned int i = 0; perf_cache_get(i, name, &config); i++) {
		struct perf_row row = {.name = name, .source = "cache", .help = ""};

		event.attr.config = config;
		add_tried(rows, &row, &event);
	}
}

/* Events whose names the user makes. */
static void add_forms(struct perf_rows *rows)
{
	const struct perf_event breakpoint = {.attr = {.type = PERF_TYPE_BREAKPOINT,
						       .bp_type = 2,
						       .bp_addr = (uintptr_t)rows & ~(uint64_t)7,
						       .bp_len = 8,
						       .exclude_kernel = 1}};
	struct perf_row row = {.name = "mem:ADDRESS[/LENGTH][:rwx]",
			       .source = "breakpoint",
			       .help = "reads, writes and execution of an address"};
	static const struct {
		const char *pmu, *name, *help, *missing;
	} forms[] = {
		{"uprobe", "u:FILE:SYMBOL[+OFFSET][%return]", "calls of a function of programs",
		 "the kernel has no uprobes (CONFIG_UPROBE_EVENTS)"},
		{"uprobe", "usdt:FILE:PROVIDER:NAME", "static probes of programs",
		 "the kernel has no uprobes (CONFIG_UPROBE_EVENTS)"},
		{"kprobe", "k:FUNCTION[+OFFSET][%return]", "calls of a function of the kernel",
		 "the kernel has no kprobes (CONFIG_KPROBE_EVENTS)"},
		{"cpu", "rHEX", "events as the manual of the CPU numbers them",
		 "this machine shows no counters of its CPUs"},
	};

	add_tried(rows, &row, &breakpoint);
	for (size_t i = 0; i < COUNT(forms); i++) {
		bool has = strcmp(forms[i].pmu, "cpu") == 0
				   ? rows->machine.cores > 0
				   : perf_machine_pmu(&rows->machine, forms[i].pmu,
						      strlen(forms[i].pmu)) != NULL;

		row = (struct perf_row){.name = forms[i].name,
					.source = forms[i].pmu,
					.help = forms[i].help,
					.missing = has ? NULL : forms[i].missing};
		list_perf_add(rows, &row);
	}
}

/* With -v one that the user need not complete is tried; its text may not be understood. */
static void add_alias(struct perf_rows *rows, const struct perf_pmu *pmu,
		      const struct perf_alias *alias)
{
	char name[256], help[512];
	struct perf_row row = {.name = name, .source = pmu->name, .help = help, .alias = alias};
	struct perf_event_list events = {0};
	struct error err = {""};

	snprintf(name, sizeof(name), "%s/%s/", pmu->name, alias->name);
	snprintf(help, sizeof(help), "%s%s%s", alias->terms, alias->unit ? ", in " : "",
		 alias->unit ? alias->unit : "");
	if (!rows->list.verbose || strstr(alias->terms, "=?")) {
		list_perf_add(rows, &row);
	} else if (perf_event_parse(name, &rows->machine, NULL, &events, &err) == 0) {
		add_tried(rows, &row, &events.events[0]);
	} else {
		err.text[strcspn(err.text, "\n")] = '\0'; /* the rest shows the place */
		row.missing = err.text;
		list_perf_add(rows, &row);
	}
	perf_event_list_finish(&events);
}

/* "cpu/TERM=N,.../" with the names of the formats, and the kernel's events. */
static void add_pmu(struct perf_rows *rows, const struct perf_pmu *pmu)
{
	char name[256], help[512];
	struct buf terms = buf_fixed(help, sizeof(help) - 1);
	const struct perf_row row = {.name = name, .source = pmu->name, .help = help};

	snprintf(name, sizeof(name), "%s/TERM=N,.../", pmu->name);
	buf_append_string(&terms, "terms:");
	for (const struct perf_format *format = pmu->formats; format; format = format->next)
		buf_printf(&terms, " %s", format->name);
	help[terms.len] = '\0';
	if (pmu->formats)
		list_perf_add(rows, &row);
	for (const struct perf_alias *alias = pmu->aliases; alias; alias = alias->next)
		add_alias(rows, pmu, alias);
}

static int add_tracepoint(void *context, const char *group, const char *name, uint64_t number)
{
	struct perf_rows *rows = context;
	char full[256];
	struct perf_row row = {.name = full, .source = "tracepoint", .help = ""};
	const struct perf_event event = {.attr = {.type = PERF_TYPE_TRACEPOINT, .config = number}};

	snprintf(full, sizeof(full), "%s:%s", group, name);
	if (rows->tries_tracepoints)
		add_tried(rows, &row, &event);
	else
		list_perf_add(rows, &row);
	return 0;
}

static void add_tracepoints(struct perf_rows *rows)
{
	int r = perf_machine_tracepoints(&rows->machine, "*", "*", add_tracepoint, rows);
	char missing[128];
	const struct perf_row row = {.name = "GROUP:NAME",
				     .source = "tracepoint",
				     .help = "places in the kernel",
				     .missing = missing};

	if (r == 0)
		return;
	snprintf(missing, sizeof(missing), "tracefs cannot be read: %s", strerror(-r));
	list_perf_add(rows, &row);
}

int list_perf_run(const struct options *options)
{
	struct perf_rows rows = {.tries_tracepoints = options->verbose && options->operand};
	struct error err;

	if (perf_machine_open(&rows.machine, NULL, NULL, &err) != 0)
		return command_fail(EXIT_FAILURE, &err);
	list_init(&rows.list, options, options->verbose ? titles_verbose : titles, FOLD);
	add_generics(&rows);
	add_caches(&rows);
	add_forms(&rows);
	for (const struct perf_pmu *pmu = rows.machine.pmus; pmu; pmu = pmu->next)
		add_pmu(&rows, pmu);
	add_tracepoints(&rows);
	perf_machine_close(&rows.machine);
	if (rows.list.found || !rows.lacking)
		return list_print(&rows.list, "events");
	fprintf(stderr,
		"agent: this machine has none of the %zu events that match '%s'; -v says why\n",
		rows.lacking, options->operand);
	list_finish(&rows.list);
	return EXIT_FAILURE;
}
