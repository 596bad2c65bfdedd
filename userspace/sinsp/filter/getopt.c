/* SPDX-License-Identifier: MIT */
/* The transformer getopt: parses an argument vector as a program with those options would. */
#include <string.h>

#include "sinsp/filter/transform.h"

enum { NO_VALUE = -1 };

/* A walk over the options of an argument vector. */
struct walk {
	const struct field_value *words;
	int nwords;
	int at; /* the next word */
	const char *cluster; /* the rest of a word of options; NULL: none */
	const char *options;
};

struct option {
	char letter; /* '?' if it is unknown */
	bool has_value;
	struct field_value value; /* empty if it is missing */
};

static struct field_value text_value(const char *data, size_t len)
{
	return (struct field_value){.bytes = {data, len}};
}

/* The next cluster of options ("-xvf"); false at the end of the options. */
static bool next_cluster(struct walk *walk)
{
	while (walk->at < walk->nwords) {
		const char *word = walk->words[walk->at].bytes.data;

		if (word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0)
			return false;
		walk->at++;
		if (word[1] == '-')
			continue; /* a long option */
		walk->cluster = word + 1;
		return true;
	}
	return false;
}

static void take_value(struct walk *walk, struct option *option)
{
	option->has_value = true;
	option->value = text_value("", 0);
	if (*walk->cluster)
		option->value = text_value(walk->cluster, strlen(walk->cluster));
	else if (walk->at < walk->nwords)
		option->value = walk->words[walk->at++];
	walk->cluster = "";
}

static bool next_option(struct walk *walk, struct option *option)
{
	const char *known;
	char letter;

	if ((!walk->cluster || !*walk->cluster) && !next_cluster(walk))
		return false;
	letter = *walk->cluster++;
	known = letter == ':' ? NULL : strchr(walk->options, letter);
	option->letter = known ? letter : '?';
	option->has_value = false;
	if (known && known[1] == ':')
		take_value(walk, option);
	return true;
}

/* A text of one letter. */
static struct field_value letter_value(char letter, struct field_scratch *scratch)
{
	char *text = scratch->bytes + scratch->used;

	if (sizeof(scratch->bytes) - scratch->used < 2)
		return text_value("", 0);
	scratch->used += 2;
	text[0] = letter;
	text[1] = '\0';
	return text_value(text, 1);
}

static void add(struct filter_register *result, struct field_value value)
{
	if (result->count < FIELD_VALUES_MAX)
		result->values[result->count++] = value;
}

/* The last value of one option; its name if it takes none. */
static void select_option(struct walk *walk, char letter, struct field_scratch *scratch,
			  struct filter_register *result)
{
	struct option option;

	result->count = NO_VALUE;
	while (next_option(walk, &option)) {
		if (option.letter != letter)
			continue;
		result->count = 1;
		result->values[0] = option.has_value ? option.value : letter_value(letter, scratch);
	}
}

void filter_step_getopt(const struct filter_step *step, struct filter_register *regs,
			struct field_scratch *scratch)
{
	struct filter_register *words = &regs[step->reg], *result = &regs[step->reg + step->nargs];
	const struct filter_register *options = &regs[step->reg + 1];
	struct walk walk = {.words = words->values, .nwords = words->count};
	struct option option;

	if (words->count < 0 || options->count < 0) {
		words->count = NO_VALUE;
		return;
	}
	walk.options = options->values[0].bytes.data;
	result->count = 0;
	if (step->text.data) {
		select_option(&walk, step->text.data[0], scratch, result);
	} else {
		while (next_option(&walk, &option)) {
			add(result, letter_value(option.letter, scratch));
			if (option.has_value)
				add(result, option.value);
		}
	}
	words->count = result->count;
	if (result->count > 0)
		memcpy(words->values, result->values,
		       (size_t)result->count * sizeof(result->values[0]));
}
