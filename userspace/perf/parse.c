/* SPDX-License-Identifier: MIT */
/*
 * The grammar of events: lists, groups, and what the kinds of events look like. Each function reads
 * what is at the place of the parser and moves it behind that.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/event.h"
#include "perf/modifiers.h"
#include "perf/names.h"
#include "perf/parser.h"
#include "perf/pmu.h"
#include "perf/probe.h"
#include "perf/probe_file.h"
#include "perf/terms.h"
#include "perf/usdt.h"
#include "util/count.h"

/* An event in the making: what was written, and which events of the list it became. */
struct draft {
	struct perf_parser *parser;
	const char *start;
	size_t first; /* index in the list */
	struct perf_terms terms;
	struct perf_event event; /* what events of several PMUs begin with */
};

static int parse_append(struct draft *draft, const struct perf_event *event)
{
	struct perf_event_list *list = draft->parser->list;
	size_t capacity = list->capacity ? 2 * list->capacity : 8;

	if (list->count == PERF_EVENTS_MAX)
		return perf_parser_fail(draft->parser, draft->start, "more than %d events",
					PERF_EVENTS_MAX);
	if (list->count == list->capacity) {
		struct perf_event *events = reallocarray(list->events, capacity, sizeof(*events));

		if (!events)
			return -ENOMEM;
		list->events = events;
		list->capacity = capacity;
	}
	list->events[list->count] = *event;
	list->events[list->count].origin = draft->first;
	list->events[list->count].leader = list->count;
	list->count++;
	return 0;
}

static void skip_spaces(struct perf_parser *parser)
{
	while (*parser->at && strchr(" \t\n", *parser->at))
		parser->at++;
}

/* Whether nothing follows that would belong to a name. */
static bool parse_at_end(const struct perf_parser *parser)
{
	return !*parser->at || strchr(",{} \t\n", *parser->at);
}

static int parse_terms(struct draft *draft)
{
	draft->terms.count = 0;
	if (*draft->parser->at != '/')
		return 0;
	draft->parser->at++;
	return perf_terms_read(draft->parser, &draft->terms);
}

/* What is the same for all kinds of events: their terms about samples, and their names. */
static int apply_common_terms(struct draft *draft, unsigned int scopes)
{
	for (size_t i = 0; i < draft->terms.count; i++) {
		const struct perf_term *term = &draft->terms.terms[i];
		struct perf_guess guess;
		char guessed[96];
		bool known;
		int r = perf_term_apply(draft->parser, term, scopes, &draft->event, &known);

		if (r)
			return r;
		if (known)
			continue;
		perf_guess_init(&guess, term->name);
		perf_term_guess(scopes, &guess);
		return perf_parser_fail(draft->parser, term->name.at,
					"this event has no term '%.*s'%s", (int)term->name.len,
					term->name.at, perf_guess_text(&guess, guessed));
	}
	return 0;
}

/* Events that have names everywhere. */

static bool parse_find_generic(struct perf_word word, struct perf_event_attr *attr)
{
	const struct perf_generic *generic = perf_generic_find(word.at, word.len);
	uint64_t config;

	if (generic) {
		attr->type = generic->type;
		attr->config = generic->config;
		return true;
	}
	if (perf_cache_find(word.at, word.len, &config))
		attr->type = PERF_TYPE_HW_CACHE;
	else if (perf_raw_find(word.at, word.len, &config))
		attr->type = PERF_TYPE_RAW;
	else
		return false;
	attr->config = config;
	return true;
}

/* The event of one kind of cores, named after it: cpu_core/cycles/. */
static int append_of_core(struct draft *draft, const struct perf_pmu *pmu, struct perf_word word)
{
	struct perf_event event = draft->event;
	struct buf name = {0};

	if (event.attr.type == PERF_TYPE_RAW)
		perf_pmu_enter(pmu, &event);
	else
		perf_pmu_narrow(pmu, &event);
	if (!event.name) {
		buf_printf(&name, "%s/%.*s/", pmu->name, (int)word.len, word.at);
		event.name =
			name.failed ? NULL : perf_parser_keep(draft->parser, name.data, name.len);
		buf_finish(&name);
		if (!event.name)
			return -ENOMEM;
	}
	return parse_append(draft, &event);
}

/* Of hardware with several kinds of cores, there is an event for each. */
static int append_generic(struct draft *draft, struct perf_word word)
{
	const struct perf_machine *machine = draft->parser->machine;
	int r = 0;

	if (draft->event.attr.type == PERF_TYPE_SOFTWARE || machine->cores < 2)
		return parse_append(draft, &draft->event);
	for (const struct perf_pmu *pmu = machine->pmus; pmu && r == 0; pmu = pmu->next)
		if (pmu->is_core)
			r = append_of_core(draft, pmu, word);
	return r;
}

static int parse_generic(struct draft *draft, struct perf_word word)
{
	int r = parse_terms(draft);

	if (r == 0)
		r = apply_common_terms(draft, PERF_SCOPE_ANY | PERF_SCOPE_CONFIG);
	return r ? r : append_generic(draft, word);
}

/* "TYPE:CONFIG", as the kernel numbers them. */
static int parse_numbers(struct draft *draft, struct perf_word word)
{
	struct perf_parser *parser = draft->parser;
	struct perf_word second;
	uint64_t type, config;
	int r;

	parser->at++;
	second = perf_parser_word(parser, "");
	if (!perf_word_number(word, &type) || type > UINT32_MAX)
		return perf_parser_fail(parser, word.at, "the number of a type has 32 bits");
	if (!perf_word_number(second, &config))
		return perf_parser_fail(parser, second.at,
					"expected a number: the config of type %llu",
					(unsigned long long)type);
	parser->at += second.len;
	draft->event.attr.type = (uint32_t)type;
	draft->event.attr.config = config;
	r = parse_terms(draft);
	if (r == 0)
		r = apply_common_terms(draft, PERF_SCOPE_ANY | PERF_SCOPE_CONFIG);
	return r ? r : parse_append(draft, &draft->event);
}

/* Breakpoints: mem:ADDRESS[/LENGTH][:rwx] */

static const struct {
	char letter;
	uint32_t type;
} breakpoint_types[] = {{'r', 1}, {'w', 2}, {'x', 4}};

enum { BREAKPOINT_READ_WRITE = 3, BREAKPOINT_EXECUTE = 4, BREAKPOINT_BYTES = 4 };

static uint32_t breakpoint_type(char letter)
{
	for (size_t i = 0; i < COUNT(breakpoint_types); i++)
		if (letter == breakpoint_types[i].letter)
			return breakpoint_types[i].type;
	return 0;
}

/* ":rw", unless these are modifiers. */
static int parse_breakpoint_type(struct perf_parser *parser, struct perf_event_attr *attr)
{
	attr->bp_type = BREAKPOINT_READ_WRITE;
	if (parser->at[0] != ':' || !breakpoint_type(parser->at[1]))
		return 0;
	attr->bp_type = 0;
	for (parser->at++; breakpoint_type(*parser->at); parser->at++) {
		if (attr->bp_type & breakpoint_type(*parser->at))
			return perf_parser_fail(parser, parser->at, "%c is given twice",
						*parser->at);
		attr->bp_type |= breakpoint_type(*parser->at);
	}
	if (*parser->at != ':' && !parse_at_end(parser))
		return perf_parser_fail(parser, parser->at, "expected letters of rwx");
	return 0;
}

static int parse_breakpoint(struct draft *draft)
{
	struct perf_parser *parser = draft->parser;
	struct perf_event_attr *attr = &draft->event.attr;
	struct perf_word address, length = {0};
	uint64_t number, bytes = 0;
	int r;

	parser->at++;
	address = perf_parser_word(parser, "");
	if (!perf_word_number(address, &number))
		return perf_parser_fail(parser, address.at,
					"expected an address: mem:ADDRESS[/LENGTH][:rwx]");
	parser->at += address.len;
	if (*parser->at == '/') {
		parser->at++;
		length = perf_parser_word(parser, "");
		if (!perf_word_number(length, &bytes) || bytes < 1 || bytes > 8)
			return perf_parser_fail(parser, length.at,
						"a breakpoint has a length of 1 to 8 bytes");
		parser->at += length.len;
	}
	r = parse_breakpoint_type(parser, attr);
	if (r)
		return r;
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->bp_addr = number;
	attr->bp_len = bytes;
	if (!bytes)
		attr->bp_len =
			attr->bp_type == BREAKPOINT_EXECUTE ? sizeof(long) : BREAKPOINT_BYTES;
	return parse_append(draft, &draft->event);
}

/* Probes: u:FILE:SYMBOL[+OFFSET][%return] and k:FUNCTION[+OFFSET][%return] */

static const struct {
	const char *prefix, *pmu;
	bool of_file;
} probe_kinds[] = {{"u", "uprobe", true}, {"k", "kprobe", false}};

/* The file of a probe: up to a colon. */
static int parse_probe_file(struct perf_parser *parser, struct perf_event *event)
{
	size_t len = strcspn(parser->at, ":,{}");

	if (len == 0 || parser->at[len] != ':')
		return perf_parser_fail(parser, parser->at,
					"expected a file and, behind a colon, what is in it");
	event->probe_path = perf_parser_keep(parser, parser->at, len);
	parser->at += len + 1;
	return event->probe_path ? 0 : -ENOMEM;
}

/* "SYMBOL", "SYMBOL+OFFSET" or "+OFFSET", which is that in the file. */
static int parse_probe_place(struct perf_parser *parser, struct perf_event *event)
{
	struct perf_word symbol = perf_parser_word(parser, "$~"), offset;

	if (symbol.len) {
		event->probe_symbol = perf_parser_keep(parser, symbol.at, symbol.len);
		if (!event->probe_symbol)
			return -ENOMEM;
	}
	parser->at += symbol.len;
	if (*parser->at != '+')
		return symbol.len ? 0
				  : perf_parser_fail(parser, parser->at,
						     "expected a symbol, or '+' and an offset");
	parser->at++;
	offset = perf_parser_word(parser, "");
	if (!perf_word_number(offset, (uint64_t *)&event->attr.config2))
		return perf_parser_fail(parser, offset.at, "expected a number");
	parser->at += offset.len;
	return 0;
}

static int parse_probe(struct draft *draft, size_t kind)
{
	static const char on_return[] = "%return";
	struct perf_parser *parser = draft->parser;
	struct perf_event *event = &draft->event;
	const char *name = probe_kinds[kind].pmu, *place;
	const struct perf_pmu *pmu = perf_machine_pmu(parser->machine, name, strlen(name));
	int r;

	if (!pmu)
		return perf_parser_lacks(
			parser, draft->start,
			"this machine has no PMU %s: its kernel has no such probes", name);
	perf_pmu_enter(pmu, event);
	place = ++parser->at;
	r = probe_kinds[kind].of_file ? parse_probe_file(parser, event) : 0;
	if (r == 0)
		r = parse_probe_place(parser, event);
	if (r)
		return r;
	if (strncmp(parser->at, on_return, sizeof(on_return) - 1) == 0) {
		const struct perf_format *format = perf_machine_format(pmu, "retprobe", 8);

		if (!format || format->word != 0)
			return perf_parser_lacks(parser, parser->at,
						 "the PMU %s has no probes of returns", name);
		event->attr.config |= format->mask;
		parser->at += sizeof(on_return) - 1;
	}
	r = perf_probe_check(parser, pmu, place, event);
	return r ? r : parse_append(draft, event);
}

/* Static probes: usdt:FILE:PROVIDER:NAME, an event for each place that has it. */

static int append_usdt(void *context, uint64_t offset, uint64_t semaphore, const char *args)
{
	struct draft *draft = context;
	const struct perf_pmu *pmu = perf_machine_pmu(draft->parser->machine, "uprobe", 6);
	const struct perf_format *format = perf_machine_format(pmu, "ref_ctr_offset", 14);
	struct perf_event event = draft->event;
	int r;

	if (semaphore && format && format->word == 0)
		event.attr.config |= semaphore << __builtin_ctzll(format->mask);
	event.attr.config2 = offset;
	event.probe_args = perf_parser_keep(draft->parser, args, strlen(args));
	if (!event.probe_args)
		return -ENOMEM;
	r = perf_probe_check(draft->parser, pmu, draft->start, &event);
	if (r == 0)
		r = parse_append(draft, &event);
	/* Not to be taken for what the file says. */
	return r == -EINVAL ? 1 : r;
}

/* "PROVIDER:NAME" */
static int parse_usdt_names(struct perf_parser *parser, struct perf_word *provider,
			    struct perf_word *name)
{
	*provider = perf_parser_word(parser, "");
	parser->at += provider->len;
	if (provider->len && *parser->at == ':') {
		parser->at++;
		*name = perf_parser_word(parser, "");
		parser->at += name->len;
		if (name->len)
			return 0;
	}
	return perf_parser_fail(parser, parser->at,
				"expected a provider and a name: usdt:FILE:PROVIDER:NAME");
}

static int parse_usdt(struct draft *draft)
{
	struct perf_parser *parser = draft->parser;
	char reason[PERF_REASON_BYTES];
	struct perf_word provider, name;
	const char *texts[2];
	const struct perf_pmu *pmu = perf_machine_pmu(parser->machine, "uprobe", 6);
	int r;

	if (!pmu)
		return perf_parser_lacks(parser, draft->start,
					 "this machine has no PMU uprobe: its kernel has no such "
					 "probes");
	perf_pmu_enter(pmu, &draft->event);
	parser->at++;
	r = parse_probe_file(parser, &draft->event);
	if (r == 0)
		r = parse_usdt_names(parser, &provider, &name);
	if (r)
		return r;
	texts[0] = perf_parser_keep(parser, provider.at, provider.len);
	texts[1] = perf_parser_keep(parser, name.at, name.len);
	if (!texts[0] || !texts[1])
		return -ENOMEM;
	r = perf_probe_hold(parser, &draft->event);
	if (r)
		snprintf(reason, sizeof(reason), "%s", strerror(-r));
	else
		r = perf_usdt_find(draft->event.probe_file->path, texts[0], texts[1], append_usdt,
				   draft, reason);
	if (r < 0 && r != -ENOMEM)
		return perf_parser_lacks(parser, provider.at, "%s:%s in %s: %s", texts[0], texts[1],
					 draft->event.probe_path, reason);
	return r > 0 ? -EINVAL : r;
}

/* Tracepoints: GROUP:NAME, of which both may be patterns. */

static int append_tracepoint(void *context, const char *group, const char *name, uint64_t number)
{
	struct draft *draft = context;
	struct perf_event event = draft->event;
	struct buf full = {0};
	int r;

	event.attr.type = PERF_TYPE_TRACEPOINT;
	event.attr.config = number;
	if (!event.name) {
		buf_printf(&full, "%s:%s", group, name);
		event.name =
			full.failed ? NULL : perf_parser_keep(draft->parser, full.data, full.len);
		buf_finish(&full);
		if (!event.name)
			return -ENOMEM;
	}
	r = parse_append(draft, &event);
	/* Not to be taken for what tracefs says. */
	return r == -EINVAL ? 1 : r;
}

static void offer_name(void *context, const char *name)
{
	perf_guess_offer(context, name);
}

static void guess_generics(struct perf_guess *guess)
{
	char name[64];
	uint64_t config;

	for (const struct perf_generic *row = perf_generics; row->name; row++) {
		perf_guess_offer(guess, row->name);
		if (row->other)
			perf_guess_offer(guess, row->other);
	}
	for (unsigned int i = 0; perf_cache_get(i, name, &config); i++)
		perf_guess_offer(guess, name);
}

static int fail_tracepoint(struct draft *draft, struct perf_word group, struct perf_word name)
{
	const struct perf_machine *machine = draft->parser->machine;
	char group_text[128], guessed[96];
	struct perf_guess guess;
	bool exists = false;

	snprintf(group_text, sizeof(group_text), "%.*s", (int)group.len, group.at);
	perf_guess_init(&guess, name);
	if (!strchr(group_text, '/') && group_text[0] != '.')
		perf_machine_tracepoint_names(machine, group_text, offer_name, &guess);
	exists = guess.word[0];
	if (!exists) {
		perf_guess_init(&guess, group);
		perf_machine_tracepoint_names(machine, NULL, offer_name, &guess);
		guess_generics(&guess);
	}
	return perf_parser_lacks(
		draft->parser, exists ? name.at : group.at, "no tracepoint '%.*s:%.*s'%s",
		(int)group.len, group.at, (int)name.len, name.at,
		exists || !perf_word_is(group, guess.word) ? perf_guess_text(&guess, guessed) : "");
}

static int find_tracepoints(struct draft *draft, struct perf_word group, struct perf_word name)
{
	struct perf_parser *parser = draft->parser;
	char group_text[128], name_text[128];
	int r;

	if (group.len >= sizeof(group_text) || name.len >= sizeof(name_text))
		return perf_parser_fail(parser, group.at, "no tracepoint has such a long name");
	snprintf(group_text, sizeof(group_text), "%.*s", (int)group.len, group.at);
	snprintf(name_text, sizeof(name_text), "%.*s", (int)name.len, name.at);
	r = perf_machine_tracepoints(parser->machine, group_text, name_text, append_tracepoint,
				     draft);
	if (r > 0)
		return -EINVAL;
	if (r < 0 && r != -ENOMEM)
		return perf_parser_lacks(
			parser, group.at,
			"tracepoints are named in tracefs, which cannot be read: "
			"%s; as root, mount -t tracefs tracefs /sys/kernel/tracing",
			strerror(-r));
	if (r == 0 && parser->list->count == draft->first)
		return fail_tracepoint(draft, group, name);
	return r;
}

static int parse_tracepoint(struct draft *draft, struct perf_word group)
{
	struct perf_parser *parser = draft->parser;
	struct perf_word name;
	int r;

	parser->at++;
	name = perf_parser_word(parser, "");
	if (name.len == 0)
		return perf_parser_fail(parser, parser->at, "expected a name");
	parser->at += name.len;
	r = parse_terms(draft);
	if (r == 0)
		r = apply_common_terms(draft, PERF_SCOPE_ANY);
	return r ? r : find_tracepoints(draft, group, name);
}

/* Events of PMUs. */

static int fail_unknown_event(struct draft *draft, struct perf_word word, bool is_pmu)
{
	const struct perf_pmu *pmu = draft->parser->machine->pmus;
	struct perf_guess guess;
	char guessed[96];

	perf_guess_init(&guess, word);
	guess_generics(&guess);
	for (; pmu; pmu = pmu->next) {
		if (is_pmu)
			perf_guess_offer(&guess, pmu->name);
		for (const struct perf_alias *alias = pmu->aliases; alias && !is_pmu;
		     alias = alias->next)
			perf_guess_offer(&guess, alias->name);
	}
	return perf_parser_lacks(draft->parser, word.at, "this machine has no %s '%.*s'%s",
				 is_pmu ? "PMU" : "event", (int)word.len, word.at,
				 perf_guess_text(&guess, guessed));
}

static int append_of_pmu(struct draft *draft, const struct perf_pmu *pmu)
{
	struct perf_event event = draft->event;
	int r = perf_pmu_encode(draft->parser, pmu, &draft->terms, draft->start, &event);

	return r ? r : parse_append(draft, &event);
}

/* Of PMUs that share a name, some have terms that others lack; `first`: the first error. */
static int append_if_known(struct draft *draft, const struct perf_pmu *pmu, struct error *first)
{
	int r = append_of_pmu(draft, pmu);

	if (r == -EINVAL && !first->text[0])
		*first = *draft->parser->err;
	return r;
}

/* The PMUs that a name means: an exact one alone. */
static int parse_pmu(struct draft *draft, struct perf_word word)
{
	const struct perf_machine *machine = draft->parser->machine;
	const struct perf_pmu *exact = perf_machine_pmu(machine, word.at, word.len);
	struct error first = {""};
	int r = parse_terms(draft);

	if (r || exact)
		return r ? r : append_of_pmu(draft, exact);
	for (const struct perf_pmu *pmu = machine->pmus; pmu && r != -ENOMEM; pmu = pmu->next)
		if (perf_machine_pmu_is_meant(pmu, word.at, word.len))
			r = append_if_known(draft, pmu, &first);
	if (r == -ENOMEM || draft->parser->list->count > draft->first)
		return r == -ENOMEM ? r : 0;
	if (!first.text[0])
		return fail_unknown_event(draft, word, true);
	*draft->parser->err = first;
	return -EINVAL;
}

/* The kernel's name of an event, of all PMUs that have it. */
static int parse_alias(struct draft *draft, struct perf_word word)
{
	const struct perf_pmu *pmu = draft->parser->machine->pmus;
	int r = 0;

	draft->terms.count = 1;
	draft->terms.terms[0] = (struct perf_term){.name = word, .number = 1, .is_number = true};
	for (; pmu && r == 0; pmu = pmu->next)
		if (perf_machine_alias(pmu, word.at, word.len))
			r = append_of_pmu(draft, pmu);
	if (r == 0 && draft->parser->list->count == draft->first)
		return fail_unknown_event(draft, word, false);
	return r;
}

static bool is_alias(const struct perf_machine *machine, struct perf_word word)
{
	const struct perf_pmu *pmu = machine->pmus;

	while (pmu && !perf_machine_alias(pmu, word.at, word.len))
		pmu = pmu->next;
	return pmu != NULL;
}

/* Any event, without its modifiers. */
static int parse_kind(struct draft *draft)
{
	struct perf_parser *parser = draft->parser;
	const struct perf_machine *machine = parser->machine;
	struct perf_word word = perf_parser_word(parser, "");
	uint64_t number;

	if (word.len == 0)
		return perf_parser_fail(parser, parser->at, "expected an event");
	parser->at += word.len;
	for (size_t i = 0; *parser->at == ':' && i < COUNT(probe_kinds); i++)
		if (perf_word_is(word, probe_kinds[i].prefix))
			return parse_probe(draft, i);
	if (*parser->at == ':' && perf_word_is(word, "usdt"))
		return parse_usdt(draft);
	if (*parser->at == ':' && perf_word_is(word, "mem"))
		return parse_breakpoint(draft);
	if (*parser->at == '/' && perf_machine_pmu(machine, word.at, word.len))
		return parse_pmu(draft, word);
	if (parse_find_generic(word, &draft->event.attr))
		return parse_generic(draft, word);
	if (*parser->at == '/')
		return parse_pmu(draft, word);
	if (*parser->at != ':' || is_alias(machine, word))
		return perf_machine_pmu(machine, word.at, word.len) ? parse_pmu(draft, word)
								    : parse_alias(draft, word);
	return perf_word_number(word, &number) ? parse_numbers(draft, word)
					       : parse_tracepoint(draft, word);
}

/* Modifiers stand behind a colon, or right behind the slash that ends terms. */
static int parse_modifiers(struct draft *draft)
{
	struct perf_parser *parser = draft->parser;
	struct perf_event_list *list = parser->list;
	struct perf_modifiers modifiers;
	int r;

	if (*parser->at == ':')
		parser->at++;
	else if (parse_at_end(parser) || parser->at[-1] != '/')
		return 0;
	r = perf_modifiers_read(parser, &modifiers);
	for (size_t i = draft->first; i < list->count && r == 0; i++)
		r = perf_modifiers_apply(parser, &modifiers, &list->events[i]);
	return r;
}

/* Events that got no name from what they are have the text that was written. */
static int parse_names(struct draft *draft, const char *modifiers)
{
	struct perf_parser *parser = draft->parser;
	struct perf_event_list *list = parser->list;
	const char *text = NULL;
	struct buf name = {0};
	int r = 0;

	for (size_t i = draft->first; i < list->count && r == 0; i++) {
		struct perf_event *event = &list->events[i];

		if (!event->name) {
			if (!text)
				text = perf_parser_keep(parser, draft->start,
							(size_t)(parser->at - draft->start));
			event->name = text;
		} else if (event->name != draft->event.name && modifiers != parser->at) {
			buf_clear(&name);
			buf_printf(&name, "%s%s%.*s", event->name, *modifiers == ':' ? "" : ":",
				   (int)(parser->at - modifiers), modifiers);
			event->name =
				name.failed ? NULL : perf_parser_keep(parser, name.data, name.len);
		}
		r = event->name ? 0 : -ENOMEM;
	}
	buf_finish(&name);
	return r;
}

/* What every event is before it is anything. */
static const struct perf_event nothing = {
	.attr = {.size = sizeof(struct perf_event_attr), .exclude_guest = 1},
	.scale = 1,
};

static int parse_event(struct perf_parser *parser)
{
	struct draft draft = {
		.parser = parser,
		.start = parser->at,
		.first = parser->list->count,
		.event = nothing,
	};
	const char *modifiers;
	int r = parse_kind(&draft);

	modifiers = parser->at;
	if (r == 0)
		r = parse_modifiers(&draft);
	if (r == 0 && !parse_at_end(parser))
		return perf_parser_fail(parser, parser->at, "expected ',' or the end of the event");
	return r ? r : parse_names(&draft, modifiers);
}

/* Groups. */

/*
 * The first event leads all. Of names that stand for several PMUs each PMU has a group of its own;
 * what is of no PMU, as software is, goes with the first.
 */
static size_t find_leader(const struct perf_event_list *list, size_t first, size_t i,
			  bool has_several)
{
	const char *pmu = list->events[i].pmu;

	if (!has_several || !pmu)
		return first;
	for (size_t j = first; j < i; j++)
		if (list->events[j].pmu && strcmp(list->events[j].pmu, pmu) == 0)
			return list->events[j].leader;
	return i;
}

static void form_groups(struct perf_event_list *list, size_t first)
{
	bool has_several = false;

	for (size_t i = first; i < list->count; i++)
		has_several |= list->events[i].origin != i && list->events[i].pmu;
	for (size_t i = first; i < list->count; i++) {
		size_t leader = find_leader(list, first, i, has_several);

		list->events[i].leader = leader;
		if (leader != i)
			list->events[i].is_grouped = list->events[leader].is_grouped = true;
	}
}

static int parse_group_modifiers(struct perf_parser *parser, size_t first)
{
	struct perf_event_list *list = parser->list;
	struct perf_modifiers modifiers;
	int r;

	if (*parser->at != ':')
		return 0;
	parser->at++;
	r = perf_modifiers_read(parser, &modifiers);
	for (size_t i = first; i < list->count && r == 0; i++)
		r = perf_modifiers_apply_group(parser, &modifiers, &list->events[i],
					       list->events[i].leader == i);
	return r;
}

static int parse_group(struct perf_parser *parser)
{
	const char *start = parser->at;
	size_t first = parser->list->count;
	int r;

	do {
		parser->at++;
		skip_spaces(parser);
		if (*parser->at == '{')
			return perf_parser_fail(parser, parser->at,
						"a group cannot have another one in it");
		r = parse_event(parser);
		if (r)
			return r;
		skip_spaces(parser);
	} while (*parser->at == ',');
	if (*parser->at != '}')
		return *parser->at ? perf_parser_fail(parser, parser->at, "expected ',' or '}'")
				   : perf_parser_fail(parser, start,
						      "the end of the group is missing: '}'");
	parser->at++;
	form_groups(parser->list, first);
	return parse_group_modifiers(parser, first);
}

/* A group may have a name before its brace, which perf(1) shows in reports alone. */
static bool is_group(const struct perf_parser *parser)
{
	struct perf_word word = perf_parser_word(parser, "");

	return word.at[word.len] == '{';
}

static int parse_list(struct perf_parser *parser)
{
	for (;;) {
		int r;

		skip_spaces(parser);
		if (is_group(parser)) {
			parser->at += perf_parser_word(parser, "").len;
			r = parse_group(parser);
		} else {
			r = parse_event(parser);
		}
		if (r)
			return r;
		skip_spaces(parser);
		if (!*parser->at)
			return 0;
		if (*parser->at != ',')
			return perf_parser_fail(parser, parser->at,
						"expected ',' and another event");
		parser->at++;
	}
}

int perf_event_parse(const char *text, const struct perf_machine *machine,
		     const struct perf_parse_options *options, struct perf_event_list *list,
		     struct error *err)
{
	struct error unseen;
	struct perf_parser parser = {
		.text = text,
		.at = text,
		.machine = machine,
		.list = list,
		.err = err ? err : &unseen,
	};
	struct perf_probe_file *files = list->files;
	size_t count = list->count;
	int r;

	if (options)
		parser.options = *options;
	r = parse_list(&parser);
	if (r) {
		perf_probe_files_close(list->files, files);
		list->files = files;
		list->count = count;
	}
	if (r == -ENOMEM)
		error_set(err, r, "out of memory");
	return r;
}

void perf_event_list_finish(struct perf_event_list *list)
{
	free(list->events);
	perf_probe_files_close(list->files, NULL);
	arena_finish(&list->arena);
	*list = (struct perf_event_list){0};
}
