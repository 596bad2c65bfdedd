/* SPDX-License-Identifier: MIT */
/* The kernel's names are replaced by their terms, then each term goes to the bits of its format. */
#include "perf/pmu.h"

#include <errno.h>
#include <string.h>

#include "perf/names.h"
#include "perf/probe.h"

/* Generic events have the type of the PMU here: Linux 5.12. */
enum { PMU_TYPE_SHIFT = 32 };

void perf_pmu_enter(const struct perf_pmu *pmu, struct perf_event *event)
{
	event->attr.type = pmu->type;
	event->pmu = pmu->name;
	event->cpus = pmu->cpus;
	event->is_uncore = pmu->is_uncore;
}

void perf_pmu_narrow(const struct perf_pmu *pmu, struct perf_event *event)
{
	event->attr.config |= (uint64_t)pmu->type << PMU_TYPE_SHIFT;
	event->pmu = pmu->name;
	event->cpus = pmu->cpus;
}

/* An encoding in the making. */
struct pmu_encoding {
	struct perf_parser *parser;
	const struct perf_pmu *pmu;
	const struct perf_terms *given; /* by the user */
	struct perf_terms named; /* of the kernel's names among them */
	struct perf_event *event;
};

static bool has_term(const struct perf_terms *terms, size_t before, struct perf_word name)
{
	for (size_t i = 0; i < before; i++)
		if (terms->terms[i].name.len == name.len &&
		    memcmp(terms->terms[i].name.at, name.at, name.len) == 0)
			return true;
	return false;
}

/* The event that a term names: "NAME", or "event=NAME". */
static const struct perf_alias *pmu_find_alias(const struct perf_pmu *pmu,
					       const struct perf_term *term)
{
	bool is_event = term->value.at && !term->is_number && perf_word_is(term->name, "event");

	if (is_event)
		return perf_machine_alias(pmu, term->value.at, term->value.len);
	if (term->value.at || perf_machine_format(pmu, term->name.at, term->name.len))
		return NULL;
	return perf_machine_alias(pmu, term->name.at, term->name.len);
}

static int use_alias(struct pmu_encoding *encoding, const struct perf_alias *alias,
		     const char *place)
{
	struct perf_event *event = encoding->event;
	struct perf_parser *parser = encoding->parser;

	if (alias->unit) {
		event->unit = perf_parser_keep(parser, alias->unit, strlen(alias->unit));
		if (!event->unit)
			return -ENOMEM;
	}
	event->scale = alias->scale;
	event->per_package = alias->per_package;
	event->is_gauge = alias->is_gauge;
	return perf_terms_read_alias(parser, alias->terms, place, &encoding->named);
}

/* The largest value that a format takes. */
static uint64_t format_max(const struct perf_format *format)
{
	unsigned int bits = (unsigned int)__builtin_popcountll(format->mask);

	return bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static uint64_t format_spread(const struct perf_format *format, uint64_t value)
{
	uint64_t spread = 0;

	for (uint64_t left = format->mask; left; left &= left - 1, value >>= 1)
		if (value & 1)
			spread |= left & -left;
	return spread;
}

static int apply_format(struct pmu_encoding *encoding, const struct perf_format *format,
			const struct perf_term *term)
{
	struct perf_parser *parser = encoding->parser;
	const char *place = perf_term_place(term, term->value.at);

	if (!term->is_number)
		return perf_parser_fail(parser, place, "%s needs a number: %s=N", format->name,
					format->name);
	if (term->number > format_max(format))
		return perf_parser_lacks(parser, place,
					 "the value is too large for %s: at most %#llx",
					 format->name, (unsigned long long)format_max(format));
	*perf_event_word(encoding->event, format->word) |= format_spread(format, term->number);
	return 0;
}

/* Cores have generic events, too, though sysfs does not name them: cpu_core/cycles/. */
static bool apply_generic(struct pmu_encoding *encoding, const struct perf_term *term)
{
	struct perf_event *event = encoding->event;
	const struct perf_generic *generic = perf_generic_find(term->name.at, term->name.len);
	uint64_t config;

	if (!encoding->pmu->is_core || term->value.at)
		return false;
	if (generic && generic->type == PERF_TYPE_HARDWARE) {
		event->attr.type = generic->type;
		config = generic->config;
	} else if (!generic && perf_cache_find(term->name.at, term->name.len, &config)) {
		event->attr.type = PERF_TYPE_HW_CACHE;
	} else {
		return false;
	}
	event->attr.config |= config;
	if (encoding->parser->machine->cores > 1)
		perf_pmu_narrow(encoding->pmu, event);
	return true;
}

/* Calls a function for each name that a term of the PMU may have. */
static void guess_terms(const struct perf_pmu *pmu, struct perf_guess *guess)
{
	for (const struct perf_alias *alias = pmu->aliases; alias; alias = alias->next)
		perf_guess_offer(guess, alias->name);
	for (const struct perf_format *format = pmu->formats; format; format = format->next)
		perf_guess_offer(guess, format->name);
	perf_probe_guess(pmu, guess);
	perf_term_guess(PERF_SCOPE_ANY | PERF_SCOPE_CONFIG, guess);
}

static int fail_unknown(struct pmu_encoding *encoding, const struct perf_term *term)
{
	const struct perf_pmu *pmu = encoding->pmu;
	char formats[160], guessed[96];
	struct buf list = buf_fixed(formats, sizeof(formats) - 1);
	struct perf_guess guess;

	perf_guess_init(&guess, term->name);
	guess_terms(pmu, &guess);
	for (const struct perf_format *format = pmu->formats; format; format = format->next)
		buf_printf(&list, "%s%s", format == pmu->formats ? "; its terms: " : ", ",
			   format->name);
	formats[list.len] = '\0';
	perf_guess_text(&guess, guessed);
	return perf_parser_lacks(encoding->parser, perf_term_place(term, term->name.at),
				 "the PMU %s has no term or event '%.*s'%s", pmu->name,
				 (int)term->name.len, term->name.at,
				 guessed[0] ? guessed : formats);
}

static int apply_term(struct pmu_encoding *encoding, const struct perf_term *term)
{
	const struct perf_pmu *pmu = encoding->pmu;
	struct perf_event *event = encoding->event;
	const struct perf_format *format;
	uint64_t raw;
	bool known;
	int r = perf_term_apply(encoding->parser, term, PERF_SCOPE_ANY | PERF_SCOPE_CONFIG, event,
				&known);

	if (r || known)
		return r;
	r = perf_probe_apply(encoding->parser, pmu, term, event, &known);
	if (r || known)
		return r;
	format = perf_machine_format(pmu, term->name.at, term->name.len);
	if (format)
		return apply_format(encoding, format, term);
	if (!term->value.at && perf_raw_find(term->name.at, term->name.len, &raw)) {
		event->attr.config |= raw;
		return 0;
	}
	return apply_generic(encoding, term) ? 0 : fail_unknown(encoding, term);
}

/* The kernel's terms, unless the user gives another value; that of '?' nobody else can know. */
static int apply_named(struct pmu_encoding *encoding)
{
	for (size_t i = 0; i < encoding->named.count; i++) {
		const struct perf_term *term = &encoding->named.terms[i];
		int r;

		if (has_term(encoding->given, encoding->given->count, term->name))
			continue;
		if (term->value.len == 1 && term->value.at[0] == '?')
			return perf_parser_fail(encoding->parser, term->alias,
						"this event needs a value: %.*s=N",
						(int)term->name.len, term->name.at);
		r = apply_term(encoding, term);
		if (r)
			return r;
	}
	return 0;
}

/* Whole words come first, so that formats add to them. */
static int apply_given(struct pmu_encoding *encoding, bool words)
{
	for (size_t i = 0; i < encoding->given->count; i++) {
		const struct perf_term *term = &encoding->given->terms[i];
		const struct perf_alias *alias = pmu_find_alias(encoding->pmu, term);
		int r;

		if ((term->name.len >= 6 && memcmp(term->name.at, "config", 6) == 0) != words)
			continue;
		if (!alias && has_term(encoding->given, i, term->name))
			return perf_parser_fail(encoding->parser, term->name.at,
						"the term %.*s is given twice", (int)term->name.len,
						term->name.at);
		r = alias ? use_alias(encoding, alias, term->name.at) : apply_term(encoding, term);
		if (r)
			return r;
	}
	return 0;
}

int perf_pmu_encode(struct perf_parser *parser, const struct perf_pmu *pmu,
		    const struct perf_terms *terms, const char *place, struct perf_event *event)
{
	struct pmu_encoding encoding = {
		.parser = parser,
		.pmu = pmu,
		.given = terms,
		.event = event,
	};
	int r;

	perf_pmu_enter(pmu, event);
	r = apply_given(&encoding, true);
	if (r == 0)
		r = apply_given(&encoding, false);
	if (r == 0)
		r = apply_named(&encoding);
	if (r == 0)
		r = perf_probe_check(parser, pmu, place, event);
	return r;
}
