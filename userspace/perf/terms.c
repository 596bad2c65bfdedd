/* SPDX-License-Identifier: MIT */
/* The table of terms that events of all kinds have; those of a PMU are its formats. */
#include "perf/terms.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "util/count.h"

enum term_value {
	VALUE_NUMBER, /* at least `least` */
	VALUE_BOOL, /* 0 or 1; alone 1 */
	VALUE_FLAG, /* takes none, and says `constant` */
	VALUE_CALL_GRAPH,
	VALUE_BRANCH_TYPE,
	VALUE_NAME,
	VALUE_IGNORED,
};

struct term_row {
	const char *name;
	enum term_value value;
	size_t offset; /* in struct perf_event, of a uint64_t unless the value has a form of its own
			*/
	uint32_t given; /* a term about samples: its bit */
	uint64_t constant, least;
	unsigned int scopes; /* 0: PERF_SCOPE_ANY */
};

#define EVENT(member) offsetof(struct perf_event, member)
#define SAMPLES(member, bit) EVENT(sampling.member), PERF_GIVES_##bit

static const struct term_row rows[] = {
	{"config", VALUE_NUMBER, EVENT(attr.config), .scopes = PERF_SCOPE_CONFIG},
	{"config1", VALUE_NUMBER, EVENT(attr.config1), .scopes = PERF_SCOPE_CONFIG},
	{"config2", VALUE_NUMBER, EVENT(attr.config2), .scopes = PERF_SCOPE_CONFIG},
	{"config3", VALUE_NUMBER, EVENT(config3), .scopes = PERF_SCOPE_CONFIG},
	{"name", VALUE_NAME, EVENT(name)},
	{"percore", VALUE_FLAG, EVENT(per_core)},
	{"metric-id", VALUE_IGNORED},
	{"period", VALUE_NUMBER, SAMPLES(period, PERIOD), .least = 1},
	{"freq", VALUE_NUMBER, SAMPLES(freq_hz, FREQ), .least = 1},
	{"time", VALUE_BOOL, SAMPLES(time, TIME)},
	{"call-graph", VALUE_CALL_GRAPH, SAMPLES(call_graph, CALL_GRAPH)},
	{"stack-size", VALUE_NUMBER, SAMPLES(stack_bytes, STACK_BYTES)},
	{"max-stack", VALUE_NUMBER, SAMPLES(frames_max, FRAMES_MAX)},
	{"nr", VALUE_NUMBER, SAMPLES(samples_max, SAMPLES_MAX)},
	{"branch_type", VALUE_BRANCH_TYPE, SAMPLES(branch_sample_type, BRANCH_TYPE)},
	{"inherit", VALUE_FLAG, SAMPLES(inherit, INHERIT), .constant = 1},
	{"no-inherit", VALUE_FLAG, SAMPLES(inherit, INHERIT)},
	{"overwrite", VALUE_FLAG, SAMPLES(overwrite, OVERWRITE), .constant = 1},
	{"no-overwrite", VALUE_FLAG, SAMPLES(overwrite, OVERWRITE)},
	{"aux-output", VALUE_BOOL, SAMPLES(aux_output, AUX_OUTPUT)},
	{"aux-sample-size", VALUE_NUMBER, SAMPLES(aux_sample_bytes, AUX_SAMPLE_BYTES)},
};

/* Values that are words. */
struct value_row {
	const char *name;
	uint64_t value;
};

static const struct value_row call_graphs[] = {
	{"fp", PERF_CALL_GRAPH_FP},   {"dwarf", PERF_CALL_GRAPH_DWARF},
	{"lbr", PERF_CALL_GRAPH_LBR}, {"no", PERF_CALL_GRAPH_NONE},
	{"yes", PERF_CALL_GRAPH_FP},  {NULL},
};

#define BRANCH(bit) PERF_SAMPLE_BRANCH_##bit

static const struct value_row branch_types[] = {
	{"u", BRANCH(USER)},
	{"k", BRANCH(KERNEL)},
	{"hv", BRANCH(HV)},
	{"any", BRANCH(ANY)},
	{"any_call", BRANCH(ANY_CALL)},
	{"any_ret", BRANCH(ANY_RETURN)},
	{"ind_call", BRANCH(IND_CALL)},
	{"abort_tx", BRANCH(ABORT_TX)},
	{"in_tx", BRANCH(IN_TX)},
	{"no_tx", BRANCH(NO_TX)},
	{"cond", BRANCH(COND)},
	{"ind_jmp", BRANCH(IND_JUMP)},
	{"call", BRANCH(CALL)},
	{"save_type", BRANCH(TYPE_SAVE)},
	{"stack", BRANCH(CALL_STACK)},
	{NULL},
};

uint64_t *perf_event_word(struct perf_event *event, unsigned int word)
{
	static const size_t offsets[PERF_WORDS] = {EVENT(attr.config), EVENT(attr.config1),
						   EVENT(attr.config2), EVENT(config3)};

	return (uint64_t *)((char *)event + offsets[word]);
}

/* Reading. */

/* The value of a term: a word, or a text in quotes. */
static int read_value(struct perf_parser *parser, struct perf_word *value)
{
	char quote = *parser->at;
	const char *end;

	if (quote != '\'' && quote != '"') {
		/* Values of branch_type are separated by '+' or, as perf-record(1) has it, ':'. */
		*value = perf_parser_word(parser, "+:?%");
		parser->at += value->len;
		return value->len ? 0 : perf_parser_fail(parser, parser->at, "expected a value");
	}
	end = strchr(parser->at + 1, quote);
	if (!end)
		return perf_parser_fail(parser, parser->at, "the end of the quotes is missing");
	*value = (struct perf_word){parser->at + 1, (size_t)(end - parser->at) - 1};
	parser->at = end + 1;
	return 0;
}

static int read_term(struct perf_parser *parser, struct perf_term *term)
{
	*term = (struct perf_term){
		.name = perf_parser_word(parser, ""),
		.number = 1,
		.is_number = true,
	};
	if (term->name.len == 0)
		return perf_parser_fail(parser, parser->at, "expected a term, as name=value");
	parser->at += term->name.len;
	if (*parser->at != '=')
		return 0;
	parser->at++;
	if (read_value(parser, &term->value) != 0)
		return -EINVAL;
	term->is_number = perf_word_number(term->value, &term->number);
	if (!term->is_number)
		term->number = 0;
	return 0;
}

int perf_terms_read(struct perf_parser *parser, struct perf_terms *terms)
{
	terms->count = 0;
	if (*parser->at == '/') {
		parser->at++;
		return 0;
	}
	for (;;) {
		if (terms->count == PERF_TERMS_MAX)
			return perf_parser_fail(parser, parser->at, "more than %d terms",
						PERF_TERMS_MAX);
		if (read_term(parser, &terms->terms[terms->count]) != 0)
			return -EINVAL;
		terms->count++;
		if (*parser->at == '/')
			break;
		if (*parser->at != ',')
			return perf_parser_fail(parser, parser->at,
						"expected ',' and another term, or '/'");
		parser->at++;
	}
	parser->at++;
	return 0;
}

int perf_terms_read_alias(struct perf_parser *parser, const char *text, const char *alias,
			  struct perf_terms *terms)
{
	struct perf_parser inner = *parser;

	inner.text = text;
	inner.err = NULL;
	for (inner.at = text; *inner.at; inner.at++) {
		struct perf_term *term = &terms->terms[terms->count];

		if (terms->count == PERF_TERMS_MAX || read_term(&inner, term) != 0 ||
		    (*inner.at && *inner.at != ','))
			return perf_parser_lacks(
				parser, alias,
				"the kernel's terms of this event cannot be understood: %s", text);
		term->alias = alias;
		terms->count++;
		if (*inner.at == '\0')
			break;
	}
	return 0;
}

/* Applying. */

const char *perf_term_place(const struct perf_term *term, const char *at)
{
	if (term->alias)
		return term->alias;
	return at ? at : term->name.at;
}

static const struct value_row *terms_find_value(const struct value_row *values,
						struct perf_word word)
{
	while (values->name && !perf_word_is(word, values->name))
		values++;
	return values->name ? values : NULL;
}

static int fail_value(struct perf_parser *parser, const struct perf_term *term,
		      const struct value_row *values, struct perf_word word)
{
	char memory[256], guessed[96];
	struct buf list = buf_fixed(memory, sizeof(memory) - 1);
	struct perf_guess guess;

	perf_guess_init(&guess, word);
	for (const struct value_row *row = values; row->name; row++) {
		buf_printf(&list, "%s%s", row == values ? "" : ", ", row->name);
		perf_guess_offer(&guess, row->name);
	}
	memory[list.len] = '\0';
	return perf_parser_fail(parser, perf_term_place(term, word.at), "%.*s is one of %s%s",
				(int)term->name.len, term->name.at, memory,
				perf_guess_text(&guess, guessed));
}

static int apply_call_graph(struct perf_parser *parser, const struct perf_term *term,
			    struct perf_event *event)
{
	const struct value_row *row =
		term->value.at ? terms_find_value(call_graphs, term->value) : NULL;

	if (!row)
		return fail_value(parser, term, call_graphs,
				  term->value.at ? term->value : term->name);
	event->sampling.call_graph = (enum perf_call_graph)row->value;
	return 0;
}

/* "any_call+u" */
static int apply_branch_type(struct perf_parser *parser, const struct perf_term *term,
			     struct perf_event *event)
{
	struct perf_word rest = term->value;

	if (!rest.at)
		return fail_value(parser, term, branch_types, term->name);
	while (rest.len) {
		struct perf_word word = {rest.at, 0};
		const struct value_row *row;

		while (word.len < rest.len && !strchr("+:,", word.at[word.len]))
			word.len++;
		row = terms_find_value(branch_types, word);
		if (!row)
			return fail_value(parser, term, branch_types, word);
		event->sampling.branch_sample_type |= row->value;
		rest.at += word.len + (word.len < rest.len);
		rest.len -= word.len + (word.len < rest.len);
	}
	return 0;
}

static int apply_number(struct perf_parser *parser, const struct perf_term *term,
			const struct term_row *row, struct perf_event *event)
{
	bool is_bool = row->value == VALUE_BOOL;

	if (!term->is_number || (!term->value.at && !is_bool))
		return perf_parser_fail(parser, perf_term_place(term, term->value.at),
					"%s needs a number: %s=N", row->name, row->name);
	if (term->number < row->least || (is_bool && term->number > 1))
		return perf_parser_fail(parser, perf_term_place(term, term->value.at), "%s is %s",
					row->name, is_bool ? "0 or 1" : "at least 1");
	*(uint64_t *)((char *)event + row->offset) = term->number;
	return 0;
}

static int apply_flag(struct perf_parser *parser, const struct perf_term *term,
		      const struct term_row *row, struct perf_event *event)
{
	if (term->value.at)
		return perf_parser_fail(parser, perf_term_place(term, term->value.at),
					"%s takes no value", row->name);
	if (row->given)
		*(uint64_t *)((char *)event + row->offset) = row->constant;
	else
		event->per_core = true;
	return 0;
}

static int apply_name(struct perf_parser *parser, const struct perf_term *term,
		      struct perf_event *event)
{
	if (!term->value.at || term->value.len == 0)
		return perf_parser_fail(parser, perf_term_place(term, term->name.at),
					"name needs a text: name=TEXT");
	event->name = perf_parser_keep(parser, term->value.at, term->value.len);
	return event->name ? 0 : -ENOMEM;
}

static int apply_row(struct perf_parser *parser, const struct perf_term *term,
		     const struct term_row *row, struct perf_event *event)
{
	if (row->given && parser->options.no_sampling_terms && row->given != PERF_GIVES_PERIOD)
		return perf_parser_fail(parser, perf_term_place(term, term->name.at),
					"%s is about samples, and these events are counted",
					row->name);
	event->sampling.given |= row->given;
	switch (row->value) {
	case VALUE_NUMBER:
	case VALUE_BOOL:
		return apply_number(parser, term, row, event);
	case VALUE_FLAG:
		return apply_flag(parser, term, row, event);
	case VALUE_CALL_GRAPH:
		return apply_call_graph(parser, term, event);
	case VALUE_BRANCH_TYPE:
		return apply_branch_type(parser, term, event);
	case VALUE_NAME:
		return apply_name(parser, term, event);
	case VALUE_IGNORED:
		return 0;
	}
	return 0;
}

/* "@x", for the driver of a PMU. */
static int apply_driver_term(struct perf_parser *parser, const struct perf_term *term,
			     struct perf_event *event)
{
	const char *end =
		term->value.at ? term->value.at + term->value.len : term->name.at + term->name.len;
	struct buf out = {0};

	if (event->driver_terms)
		buf_printf(&out, "%s,", event->driver_terms);
	buf_append(&out, term->name.at, (size_t)(end - term->name.at));
	event->driver_terms = out.failed ? NULL : perf_parser_keep(parser, out.data, out.len);
	buf_finish(&out);
	return event->driver_terms ? 0 : -ENOMEM;
}

static bool is_in_scope(const struct term_row *row, unsigned int scopes)
{
	return !row->scopes || row->scopes & scopes;
}

int perf_term_apply(struct perf_parser *parser, const struct perf_term *term, unsigned int scopes,
		    struct perf_event *event, bool *known)
{
	*known = true;
	if (term->name.at[0] == '@')
		return apply_driver_term(parser, term, event);
	for (size_t i = 0; i < COUNT(rows); i++)
		if (is_in_scope(&rows[i], scopes) && perf_word_is(term->name, rows[i].name))
			return apply_row(parser, term, &rows[i], event);
	*known = false;
	return 0;
}

void perf_term_guess(unsigned int scopes, struct perf_guess *guess)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (is_in_scope(&rows[i], scopes))
			perf_guess_offer(guess, rows[i].name);
}
