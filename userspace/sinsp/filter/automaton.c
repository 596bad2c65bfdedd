/* SPDX-License-Identifier: MIT */
/*
 * A list of states, made in one pass over the pattern. Each part of it is a run of states that only
 * name each other, relatively, and that is left at its end; so a part can be moved and copied.
 */
#include "sinsp/filter/regex.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/count.h"
#include "util/utf8.h"

enum { REPLACEMENT = 0xfffd, ASCII_END = 0x80, CODE_POINT_MAX = 0x10ffff };

enum state_kind {
	STATE_CHARACTER, /* `first` */
	STATE_ANY, /* but the end of a line */
	STATE_CLASS, /* one of `count` ranges from `first` on */
	STATE_NOT_CLASS,
	STATE_FORK, /* goes on at `to` and at `other` */
	STATE_JUMP,
	STATE_LINE_BEGIN,
	STATE_LINE_END,
};

struct automaton_state {
	enum state_kind kind;
	uint32_t first, count;
	int32_t to, other; /* relative */
};

struct range {
	uint32_t first, last;
};

/* States in the order in which they were added. */
struct state_set {
	uint32_t *list, *place; /* place[state]: where it is in the list, if it is */
	uint32_t count;
};

struct automaton {
	struct buf states, ranges; /* of struct automaton_state and struct range */
	struct state_set now, next;
	uint32_t *left; /* states whose successors were not added yet */
	uint32_t *memory; /* of all these */
};

static struct automaton_state *states_of(const struct automaton *automaton)
{
	return (struct automaton_state *)automaton->states.data;
}

static uint32_t states_count(const struct automaton *automaton)
{
	return (uint32_t)(automaton->states.len / sizeof(struct automaton_state));
}

/* Makes it. */

enum { UNBOUNDED = UINT32_MAX };

struct builder {
	struct automaton *automaton;
	const char *at, *end;
	struct buf atom; /* a copy of what is repeated */
	bool too_large;
};

static void add_states(struct builder *b, const void *states, size_t bytes)
{
	struct buf *all = &b->automaton->states;

	if (all->len + bytes <= AUTOMATON_STATES_MAX * sizeof(struct automaton_state))
		buf_append(all, states, bytes);
	else
		b->too_large = true;
}

static void automaton_add_state(struct builder *b, struct automaton_state state)
{
	add_states(b, &state, sizeof(state));
}

static void add_fork(struct builder *b, int32_t to, int32_t other)
{
	automaton_add_state(b, (struct automaton_state){STATE_FORK, .to = to, .other = other});
}

static bool takes(struct builder *b, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(b->end - b->at) < len || memcmp(b->at, text, len) != 0)
		return false;
	b->at += len;
	return true;
}

static uint32_t automaton_take_number(struct builder *b, int base)
{
	char *end;
	unsigned long number = strtoul(b->at, &end, base);

	b->at = end;
	return (uint32_t)number;
}

/* A letter, a digit, or "\x{e9}". */
static uint32_t take_character(struct builder *b)
{
	uint32_t c;

	if (!takes(b, "\\x{"))
		return (unsigned char)*b->at++;
	c = automaton_take_number(b, 16);
	takes(b, "}");
	return c;
}

static uint32_t ranges_count(const struct builder *b)
{
	return (uint32_t)(b->automaton->ranges.len / sizeof(struct range));
}

static void add_range(struct builder *b, uint32_t first, uint32_t last)
{
	const struct range range = {first, last};

	buf_append(&b->automaton->ranges, &range, sizeof(range));
}

static int is_ascii(int c)
{
	return c < ASCII_END;
}

static int automaton_is_word(int c)
{
	return isalnum(c) || c == '_';
}

static const struct {
	const char *name;
	int (*has)(int c);
} named_classes[] = {
	{"alnum:]", isalnum},	       {"alpha:]", isalpha},   {"ascii:]", is_ascii},
	{"blank:]", isblank},	       {"cntrl:]", iscntrl},   {"digit:]", isdigit},
	{"graph:]", isgraph},	       {"lower:]", islower},   {"print:]", isprint},
	{"punct:]", ispunct},	       {"space:]", isspace},   {"upper:]", isupper},
	{"word:]", automaton_is_word}, {"xdigit:]", isxdigit},
};

/* Only ASCII is in them, and all else in those that are negated. */
static void add_named_class(struct builder *b)
{
	const size_t count = COUNT(named_classes);
	bool negated = takes(b, "^");
	size_t i = 0;

	while (i < count && !takes(b, named_classes[i].name))
		i++;
	for (uint32_t c = 0; i < count && c < ASCII_END; c++)
		if ((named_classes[i].has((int)c) != 0) != negated)
			add_range(b, c, c);
	if (negated)
		add_range(b, ASCII_END, CODE_POINT_MAX);
}

static void add_class(struct builder *b)
{
	struct automaton_state state = {takes(b, "^") ? STATE_NOT_CLASS : STATE_CLASS,
					.first = ranges_count(b)};

	while (b->at < b->end && !takes(b, "]")) {
		uint32_t first;

		if (takes(b, "[:")) {
			add_named_class(b);
			continue;
		}
		first = take_character(b);
		add_range(b, first, takes(b, "-") ? take_character(b) : first);
	}
	state.count = ranges_count(b) - state.first;
	automaton_add_state(b, state);
}

/* Moves the states from one on to the atom; returns their bytes. */
static size_t cut_states(struct builder *b, uint32_t begin)
{
	struct buf *states = &b->automaton->states;
	size_t at = begin * sizeof(struct automaton_state), bytes = states->len - at;

	buf_clear(&b->atom);
	if (bytes)
		buf_append(&b->atom, states->data + at, bytes);
	states->len = at;
	return bytes;
}

/* So often, and then at most `more` times, each of which may leave the rest out. */
static void repeat_atom(struct builder *b, uint32_t begin, uint32_t times, uint32_t more)
{
	struct buf *atom = &b->atom;
	size_t bytes = cut_states(b, begin);
	int32_t len = (int32_t)(bytes / sizeof(struct automaton_state));

	for (uint32_t i = 0; i < times && !b->too_large; i++)
		add_states(b, atom->data, bytes);
	if (more == UNBOUNDED && times > 0) {
		add_fork(b, -len, 1);
	} else if (more == UNBOUNDED) {
		add_fork(b, 1, len + 2);
		add_states(b, atom->data, bytes);
		automaton_add_state(b, (struct automaton_state){STATE_JUMP, .to = -len - 1});
	} else {
		for (; more > 0 && !b->too_large; more--) {
			add_fork(b, 1, (int32_t)more * (len + 1));
			add_states(b, atom->data, bytes);
		}
	}
}

/* "{n}", "{n,}" or "{n,m}", whose brace was taken: other braces are written as characters. */
static void add_counted(struct builder *b, uint32_t begin)
{
	uint32_t times = automaton_take_number(b, 10), more = 0;

	if (takes(b, ","))
		more = *b->at == '}' ? UNBOUNDED : automaton_take_number(b, 10) - times;
	takes(b, "}");
	repeat_atom(b, begin, times, more);
}

static void add_alternatives(struct builder *b);

static void add_atom(struct builder *b)
{
	if (takes(b, "(?:")) {
		add_alternatives(b);
		takes(b, ")");
	} else if (takes(b, "[")) {
		add_class(b);
	} else if (takes(b, ".")) {
		automaton_add_state(b, (struct automaton_state){STATE_ANY});
	} else if (takes(b, "^")) {
		automaton_add_state(b, (struct automaton_state){STATE_LINE_BEGIN});
	} else if (takes(b, "$")) {
		automaton_add_state(b, (struct automaton_state){STATE_LINE_END});
	} else {
		automaton_add_state(
			b, (struct automaton_state){STATE_CHARACTER, .first = take_character(b)});
	}
}

static bool is_at_end(const struct builder *b)
{
	return b->at == b->end || b->too_large || *b->at == '|' || *b->at == ')';
}

/* Each atom has at most one repetition. */
static void add_sequence(struct builder *b)
{
	while (!is_at_end(b)) {
		uint32_t begin = states_count(b->automaton);

		add_atom(b);
		if (takes(b, "*"))
			repeat_atom(b, begin, 0, UNBOUNDED);
		else if (takes(b, "+"))
			repeat_atom(b, begin, 1, UNBOUNDED);
		else if (takes(b, "?"))
			repeat_atom(b, begin, 0, 1);
		else if (takes(b, "{"))
			add_counted(b, begin);
	}
}

/* Before a sequence that goes on to the end: a fork to it, and to what comes behind it. */
static void insert_fork(struct builder *b, uint32_t begin)
{
	size_t bytes = cut_states(b, begin);

	add_fork(b, 1, (int32_t)(bytes / sizeof(struct automaton_state)) + 2);
	add_states(b, b->atom.data, bytes);
}

/* Jumps from the ends of the alternatives are chained until the end is known. */
static void add_alternatives(struct builder *b)
{
	int32_t chain = -1;

	for (;;) {
		uint32_t begin = states_count(b->automaton);

		add_sequence(b);
		if (!takes(b, "|"))
			break;
		insert_fork(b, begin);
		automaton_add_state(b, (struct automaton_state){STATE_JUMP, .to = chain});
		chain = (int32_t)states_count(b->automaton) - 1;
	}
	while (chain >= 0 && !b->too_large) {
		struct automaton_state *jump = &states_of(b->automaton)[chain];

		chain = jump->to;
		jump->to = (int32_t)(states_of(b->automaton) + states_count(b->automaton) - jump);
	}
}

/* One more state than there are: the end, where the pattern has matched. */
static int make_sets(struct automaton *automaton)
{
	const size_t count = states_count(automaton) + 1, rows = 5;
	uint32_t *memory = calloc(rows * count, sizeof(*memory));

	if (!memory)
		return -ENOMEM;
	automaton->now = (struct state_set){memory, memory + count, 0};
	automaton->next = (struct state_set){memory + 2 * count, memory + 3 * count, 0};
	automaton->left = memory + 4 * count;
	automaton->memory = memory;
	return 0;
}

int automaton_create(const struct buf *pattern, struct automaton **automaton)
{
	struct automaton *made = calloc(1, sizeof(*made));
	struct builder b = {.automaton = made, .at = pattern->data, .end = pattern->data};
	int r = -ENOMEM;

	if (!made)
		return r;
	if (pattern->len) /* an empty one has no memory */
		b.end += pattern->len;
	add_alternatives(&b);
	if (b.too_large)
		r = -E2BIG;
	else if (!made->states.failed && !made->ranges.failed && !b.atom.failed)
		r = make_sets(made);
	buf_finish(&b.atom);
	if (r)
		automaton_destroy(made);
	else
		*automaton = made;
	return r;
}

void automaton_destroy(struct automaton *automaton)
{
	if (!automaton)
		return;
	buf_finish(&automaton->states);
	buf_finish(&automaton->ranges);
	free(automaton->memory);
	free(automaton);
}

/* Runs it. */

/* What lies around the place between two characters. */
struct place {
	bool begins_line, ends_line;
};

static bool set_adds(struct state_set *set, uint32_t state)
{
	uint32_t place = set->place[state];

	if (place < set->count && set->list[place] == state)
		return false;
	set->place[state] = set->count;
	set->list[set->count++] = state;
	return true;
}

/* Adds a state, and all that follow from it without a character. */
static void automaton_follow(struct automaton *automaton, struct state_set *set, uint32_t first,
			     struct place place)
{
	const struct automaton_state *states = states_of(automaton);
	uint32_t end = states_count(automaton), n = 0, to[2];

	if (set_adds(set, first))
		automaton->left[n++] = first;
	while (n > 0) {
		uint32_t at = automaton->left[--n], targets = 0;
		const struct automaton_state *state;

		if (at == end)
			continue;
		state = &states[at];
		if (state->kind == STATE_FORK || state->kind == STATE_JUMP)
			to[targets++] = at + (uint32_t)state->to;
		if (state->kind == STATE_FORK)
			to[targets++] = at + (uint32_t)state->other;
		if ((state->kind == STATE_LINE_BEGIN && place.begins_line) ||
		    (state->kind == STATE_LINE_END && place.ends_line))
			to[targets++] = at + 1;
		while (targets > 0)
			if (set_adds(set, to[--targets]))
				automaton->left[n++] = to[targets];
	}
}

static bool class_has(const struct automaton *automaton, const struct automaton_state *state,
		      uint32_t c)
{
	const struct range *range = (const struct range *)automaton->ranges.data + state->first;

	for (uint32_t i = 0; i < state->count; i++)
		if (c >= range[i].first && c <= range[i].last)
			return true;
	return false;
}

static bool takes_character(const struct automaton *automaton, const struct automaton_state *state,
			    uint32_t c)
{
	switch (state->kind) {
	case STATE_CHARACTER:
		return c == state->first;
	case STATE_ANY:
		return c != '\n';
	case STATE_CLASS:
		return class_has(automaton, state, c);
	case STATE_NOT_CLASS:
		return !class_has(automaton, state, c);
	default:
		return false;
	}
}

bool automaton_match(struct automaton *automaton, const char *text, size_t len)
{
	struct state_set *now = &automaton->now, *next = &automaton->next;
	const uint32_t end = states_count(automaton);
	struct place place = {.begins_line = true, .ends_line = len == 0 || *text == '\n'};

	now->count = 0;
	automaton_follow(automaton, now, 0, place);
	while (len > 0 && now->count > 0) {
		struct state_set *swapped = now;
		uint32_t c = REPLACEMENT;
		size_t n = utf8_decode(text, len, &c);

		n += n == 0;
		text += n;
		len -= n;
		place = (struct place){c == '\n', len == 0 || *text == '\n'};
		next->count = 0;
		for (uint32_t i = 0; i < now->count; i++)
			if (now->list[i] < end &&
			    takes_character(automaton, &states_of(automaton)[now->list[i]], c))
				automaton_follow(automaton, next, now->list[i] + 1, place);
		now = next;
		next = swapped;
	}
	return now->place[end] < now->count && now->list[now->place[end]] == end;
}
