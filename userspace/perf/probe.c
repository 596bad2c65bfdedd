/* SPDX-License-Identifier: MIT */
/*
 * The kernel takes the address of a text in config1, and an offset in config2; sysfs does not name
 * them as formats, so these terms are ours.
 */
#include "perf/probe.h"

#include <errno.h>
#include <string.h>

#include "perf/probe_file.h"
#include "perf/symbol.h"
#include "util/count.h"

struct probe_term {
	const char *name;
	size_t text; /* in struct perf_event: where its text goes; 0: it is a number in config2 */
	bool of_files; /* only of probes in files */
};

static const struct probe_term rows[] = {
	{"path", offsetof(struct perf_event, probe_path), .of_files = true},
	{"symbol", offsetof(struct perf_event, probe_symbol)},
	{"offset"},
};

static bool is_in_files(const struct perf_pmu *pmu)
{
	return strcmp(pmu->name, "uprobe") == 0;
}

static bool is_probe(const struct perf_pmu *pmu)
{
	return is_in_files(pmu) || strcmp(pmu->name, "kprobe") == 0;
}

static const struct probe_term *find_row(const struct perf_pmu *pmu, struct perf_word name)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (perf_word_is(name, rows[i].name) && (!rows[i].of_files || is_in_files(pmu)))
			return &rows[i];
	return NULL;
}

int perf_probe_apply(struct perf_parser *parser, const struct perf_pmu *pmu,
		     const struct perf_term *term, struct perf_event *event, bool *known)
{
	const struct probe_term *row = is_probe(pmu) ? find_row(pmu, term->name) : NULL;
	const char *text;

	*known = row != NULL;
	if (!row)
		return 0;
	if (!row->text) {
		if (!term->value.at || !term->is_number)
			return perf_parser_fail(parser, perf_term_place(term, term->value.at),
						"offset needs a number: offset=N");
		event->attr.config2 = term->number;
		return 0;
	}
	if (!term->value.at || term->value.len == 0)
		return perf_parser_fail(parser, perf_term_place(term, NULL),
					"%s needs a text: %s='TEXT'", row->name, row->name);
	text = perf_parser_keep(parser, term->value.at, term->value.len);
	*(const char **)((char *)event + row->text) = text;
	return text ? 0 : -ENOMEM;
}

void perf_probe_guess(const struct perf_pmu *pmu, struct perf_guess *guess)
{
	for (size_t i = 0; is_probe(pmu) && i < COUNT(rows); i++)
		if (!rows[i].of_files || is_in_files(pmu))
			perf_guess_offer(guess, rows[i].name);
}

/* Of a function of the kernel, which finds it; without one, config2 is an address. */
static int complete_kprobe(struct perf_parser *parser, const char *place, struct perf_event *event)
{
	if (event->probe_symbol)
		event->attr.config1 = (uintptr_t)event->probe_symbol;
	if (!event->attr.config1 && !event->attr.config2)
		return perf_parser_fail(parser, place,
					"a kprobe needs a function: k:FUNCTION[+OFFSET], "
					"or kprobe/symbol=FUNCTION/");
	return 0;
}

int perf_probe_hold(struct perf_parser *parser, struct perf_event *event)
{
	struct perf_event_list *list = parser->list;
	int r;

	if (event->probe_file)
		return 0;
	r = perf_probe_file_hold(event->probe_path, &list->arena, &list->files);
	if (r == 0)
		event->probe_file = list->files;
	return r;
}

static int fail_in_file(struct perf_parser *parser, const char *place,
			const struct perf_event *event, const char *reason)
{
	const char *symbol = event->probe_symbol;

	return perf_parser_lacks(parser, place, "%s%s%s: %s", symbol ? symbol : "",
				 symbol ? " in " : "", event->probe_path, reason);
}

static int complete_uprobe(struct perf_parser *parser, const char *place, struct perf_event *event)
{
	char reason[160];
	uint64_t offset;
	int r;

	/* Addresses of texts of the caller may be given as numbers, as perf takes them. */
	if (!event->probe_path && event->attr.config1)
		return 0;
	if (!event->probe_path)
		return perf_parser_fail(parser, place,
					"a uprobe needs a file: u:FILE:SYMBOL[+OFFSET], "
					"or uprobe/path='FILE',symbol=SYMBOL/");
	r = perf_probe_hold(parser, event);
	if (r)
		return r == -ENOMEM ? r : fail_in_file(parser, place, event, strerror(-r));
	event->attr.config1 = (uintptr_t)event->probe_file->path;
	if (!event->probe_symbol)
		return 0;
	if (perf_symbol_find(event->probe_file->path, event->probe_symbol, &offset, reason) != 0)
		return fail_in_file(parser, place, event, reason);
	event->attr.config2 += offset;
	return 0;
}

int perf_probe_check(struct perf_parser *parser, const struct perf_pmu *pmu, const char *place,
		     struct perf_event *event)
{
	if (!is_probe(pmu))
		return 0;
	event->is_probe = true;
	return is_in_files(pmu) ? complete_uprobe(parser, place, event)
				: complete_kprobe(parser, place, event);
}
