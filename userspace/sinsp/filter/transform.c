/* SPDX-License-Identifier: MIT */
/*
 * The transformers, by a table; among them getopt. Their results are in the scratch memory of the
 * filter.
 */
#include "sinsp/filter/operand.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The transformer getopt: parses an argument vector as a program with those options would. */

enum { GETOPT_NO_VALUE = -1 };

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

static void transform_take_value(struct walk *walk, struct option *option)
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
		transform_take_value(walk, option);
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

static void transform_add(struct filter_register *result, struct field_value value)
{
	if (result->count < FIELD_VALUES_MAX)
		result->values[result->count++] = value;
}

/* The last value of one option; its name if it takes none. */
static void select_option(struct walk *walk, char letter, struct field_scratch *scratch,
			  struct filter_register *result)
{
	struct option option;

	result->count = GETOPT_NO_VALUE;
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
		words->count = GETOPT_NO_VALUE;
		return;
	}
	walk.options = options->values[0].bytes.data;
	result->count = 0;
	if (step->text.data) {
		select_option(&walk, step->text.data[0], scratch, result);
	} else {
		while (next_option(&walk, &option)) {
			transform_add(result, letter_value(option.letter, scratch));
			if (option.has_value)
				transform_add(result, option.value);
		}
	}
	words->count = result->count;
	if (result->count > 0)
		memcpy(words->values, result->values,
		       (size_t)result->count * sizeof(result->values[0]));
}

/* The transformers. Their results are in the scratch memory of the filter. */

enum { TRANSFORM_NO_VALUE = -1 };

static bool transform_is_text(enum param_type type)
{
	return type == PT_CHARBUF || type == PT_FSPATH || type == PT_FSRELPATH;
}

/* Memory for a value of `len` bytes and its NUL, or NULL if the scratch is full. */
static char *transform_take(struct field_scratch *scratch, size_t len)
{
	char *memory = scratch->bytes + scratch->used;

	if (len >= sizeof(scratch->bytes) - scratch->used)
		return NULL;
	scratch->used += len + 1;
	memory[len] = '\0';
	return memory;
}

static bool set_bytes(struct field_value *value, const char *data, size_t len)
{
	value->bytes.data = data;
	value->bytes.len = len;
	return data != NULL;
}

/* Replaces each value by the result of `change`; if that fails for one, there is no value. */
static void change_each(const struct filter_step *step, struct filter_register *regs,
			struct field_scratch *scratch,
			bool (*change)(const struct filter_step *step, struct field_value *value,
				       struct field_scratch *scratch))
{
	struct filter_register *reg = &regs[step->reg];

	for (int i = 0; i < reg->count; i++)
		if (!change(step, &reg->values[i], scratch))
			reg->count = TRANSFORM_NO_VALUE;
}

static char transform_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - ('a' - 'A')) : c;
}

static bool change_case(struct field_value *value, struct field_scratch *scratch, char to(char))
{
	size_t len = value->bytes.len;
	char *copy = transform_take(scratch, len);

	for (size_t i = 0; copy && i < len; i++)
		copy[i] = to(value->bytes.data[i]);
	return set_bytes(value, copy, len);
}

static bool lower_one(const struct filter_step *step, struct field_value *value,
		      struct field_scratch *scratch)
{
	return change_case(value, scratch, transform_lower);
}

static bool upper_one(const struct filter_step *step, struct field_value *value,
		      struct field_scratch *scratch)
{
	return change_case(value, scratch, upper);
}

static void run_tolower(const struct filter_step *step, struct filter_register *regs,
			struct field_scratch *scratch)
{
	change_each(step, regs, scratch, lower_one);
}

static void run_toupper(const struct filter_step *step, struct filter_register *regs,
			struct field_scratch *scratch)
{
	change_each(step, regs, scratch, upper_one);
}

static bool basename_one(const struct filter_step *step, struct field_value *value,
			 struct field_scratch *scratch)
{
	const char *slash = memrchr(value->bytes.data, '/', value->bytes.len);

	if (slash) {
		value->bytes.len -= (size_t)(slash + 1 - value->bytes.data);
		value->bytes.data = slash + 1;
	}
	return true;
}

static void run_basename(const struct filter_step *step, struct filter_register *regs,
			 struct field_scratch *scratch)
{
	change_each(step, regs, scratch, basename_one);
}

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Returns the number of bytes written, or -1 if the text is no base64. Padding is optional. */
static ptrdiff_t base64_decode(const char *text, size_t len, char *out)
{
	size_t digits = len, n = 0;
	uint32_t bits = 0;

	while (digits && len - digits < 2 && text[digits - 1] == '=')
		digits--;
	if (digits % 4 == 1 || (digits != len && len % 4))
		return -1;
	for (size_t i = 0; i < digits; i++) {
		int digit = base64_digit(text[i]);

		if (digit < 0)
			return -1;
		bits = bits << 6 | (uint32_t)digit;
		if (i % 4)
			out[n++] = (char)(bits >> (6 - 2 * (i % 4)));
	}
	return (ptrdiff_t)n;
}

static bool b64_one(const struct filter_step *step, struct field_value *value,
		    struct field_scratch *scratch)
{
	char *out = transform_take(scratch, value->bytes.len);
	ptrdiff_t len = out ? base64_decode(value->bytes.data, value->bytes.len, out) : -1;

	if (len < 0)
		return false;
	out[len] = '\0';
	return set_bytes(value, out, transform_is_text(step->type) ? strlen(out) : (size_t)len);
}

static void run_b64(const struct filter_step *step, struct filter_register *regs,
		    struct field_scratch *scratch)
{
	change_each(step, regs, scratch, b64_one);
}

static void run_len(const struct filter_step *step, struct filter_register *regs,
		    struct field_scratch *scratch)
{
	struct filter_register *reg = &regs[step->reg];

	if (step->list) {
		reg->values[0].u64 = reg->count > 0 ? (uint64_t)reg->count : 0;
		reg->count = 1;
	} else if (reg->count > 0) {
		reg->values[0].u64 = reg->values[0].bytes.len;
	}
}

/* Concatenates values, separated by `between`; false if the scratch is full. */
static bool glue(struct field_scratch *scratch, const struct field_value *values, size_t n,
		 const struct field_value *between, struct field_value *result)
{
	size_t len = 0;
	char *text, *at;

	for (size_t i = 0; i < n; i++)
		len += values[i].bytes.len + (i ? between->bytes.len : 0);
	text = at = transform_take(scratch, len);
	for (size_t i = 0; text && i < n; i++) {
		if (i)
			at = mempcpy(at, between->bytes.data, between->bytes.len);
		at = mempcpy(at, values[i].bytes.data, values[i].bytes.len);
	}
	return set_bytes(result, text, len);
}

static void run_concat(const struct filter_step *step, struct filter_register *regs,
		       struct field_scratch *scratch)
{
	static const struct field_value nothing = {.bytes = {"", 0}};
	struct filter_register *result = &regs[step->reg];
	struct field_value values[FIELD_VALUES_MAX];
	bool complete = true;

	for (uint16_t i = 0; i < step->nargs; i++) {
		complete = complete && regs[step->reg + i].count > 0;
		values[i] = regs[step->reg + i].values[0];
	}
	if (!complete || !glue(scratch, values, step->nargs, &nothing, &result->values[0]))
		result->count = TRANSFORM_NO_VALUE;
}

static void run_join(const struct filter_step *step, struct filter_register *regs,
		     struct field_scratch *scratch)
{
	struct filter_register *result = &regs[step->reg];
	const struct filter_register *list = &regs[step->reg + 1];

	if (result->count <= 0 || list->count < 0 ||
	    !glue(scratch, list->values, (size_t)list->count, &result->values[0],
		  &result->values[0]))
		result->count = TRANSFORM_NO_VALUE;
}

void filter_step_constant(const struct filter_step *step, struct filter_register *regs,
			  struct field_scratch *scratch)
{
	regs[step->reg].count = 1;
	set_bytes(&regs[step->reg].values[0], step->text.data, step->text.len);
}

/* All arguments in sequence. */
void filter_step_list(const struct filter_step *step, struct filter_register *regs,
		      struct field_scratch *scratch)
{
	struct filter_register *list = &regs[step->reg];

	if (step->nargs == 0)
		list->count = 0;
	for (uint16_t i = 1; i < step->nargs && list->count >= 0; i++) {
		const struct filter_register *arg = &regs[step->reg + i];

		if (arg->count < 0 || arg->count > FIELD_VALUES_MAX - list->count) {
			list->count = TRANSFORM_NO_VALUE;
			return;
		}
		memcpy(list->values + list->count, arg->values,
		       (size_t)arg->count * sizeof(arg->values[0]));
		list->count += arg->count;
	}
}

bool filter_has_text(enum param_type type)
{
	return transform_is_text(type) || (param_type_size(type) && type != PT_DOUBLE);
}

static bool text_one(const struct filter_step *step, struct field_value *value,
		     struct field_scratch *scratch)
{
	char digits[24];
	int len;
	char *copy;

	if (step->type == PT_BOOL)
		return set_bytes(value, value->u64 ? "true" : "false", value->u64 ? 4 : 5);
	len = param_type_is_signed(step->type)
		      ? snprintf(digits, sizeof(digits), "%" PRId64, value->i64)
		      : snprintf(digits, sizeof(digits), "%" PRIu64, value->u64);
	copy = transform_take(scratch, (size_t)len);
	if (copy)
		memcpy(copy, digits, (size_t)len);
	return set_bytes(value, copy, (size_t)len);
}

void filter_step_text(const struct filter_step *step, struct filter_register *regs,
		      struct field_scratch *scratch)
{
	change_each(step, regs, scratch, text_one);
}

static bool shape_text(const struct filter_shape *args, uint16_t nargs, bool selected,
		       struct filter_shape *result)
{
	*result = args[0];
	return transform_is_text(args[0].type);
}

static bool shape_b64(const struct filter_shape *args, uint16_t nargs, bool selected,
		      struct filter_shape *result)
{
	*result = args[0];
	return args[0].type == PT_CHARBUF || args[0].type == PT_BYTEBUF;
}

static bool shape_len(const struct filter_shape *args, uint16_t nargs, bool selected,
		      struct filter_shape *result)
{
	*result = (struct filter_shape){.type = PT_UINT64, .flags = args[0].flags};
	return args[0].list || transform_is_text(args[0].type) || args[0].type == PT_BYTEBUF;
}

static bool shape_concat(const struct filter_shape *args, uint16_t nargs, bool selected,
			 struct filter_shape *result)
{
	*result = (struct filter_shape){.type = PT_CHARBUF};
	for (uint16_t i = 0; i < nargs; i++) {
		if (args[i].type != PT_CHARBUF || args[i].list)
			return false;
		result->flags |= args[i].flags;
	}
	return true;
}

/* A single text and a list of texts. */
static bool are_text_and_list(const struct filter_shape *text, const struct filter_shape *list)
{
	return text->type == PT_CHARBUF && !text->list && list->type == PT_CHARBUF && list->list;
}

static bool shape_join(const struct filter_shape *args, uint16_t nargs, bool selected,
		       struct filter_shape *result)
{
	*result = (struct filter_shape){.type = PT_CHARBUF, .flags = args[0].flags | args[1].flags};
	return are_text_and_list(&args[0], &args[1]);
}

static bool shape_getopt(const struct filter_shape *args, uint16_t nargs, bool selected,
			 struct filter_shape *result)
{
	*result = (struct filter_shape){PT_CHARBUF, !selected, args[0].flags | args[1].flags};
	return are_text_and_list(&args[1], &args[0]);
}

const struct filter_transformer filter_transformers[FILTER_CALLS_COUNT] = {
	[FILTER_TOLOWER] = {1, 1, false, 0, run_tolower, shape_text, "text"},
	[FILTER_TOUPPER] = {1, 1, false, 0, run_toupper, shape_text, "text"},
	[FILTER_B64] = {1, 1, false, 0, run_b64, shape_b64, "text or bytes"},
	[FILTER_BASENAME] = {1, 1, false, 0, run_basename, shape_text, "text"},
	[FILTER_LEN] = {1, 1, false, 0, run_len, shape_len, "text, bytes or a list"},
	[FILTER_JOIN] = {2, 2, false, 0, run_join, shape_join, "a separator and a list of texts"},
	[FILTER_CONCAT] = {2, FIELD_VALUES_MAX, false, 0, run_concat, shape_concat, "single texts"},
	[FILTER_GETOPT] = {2, 2, true, 1, filter_step_getopt, shape_getopt,
			   "a list of texts and a text with the options"},
};
