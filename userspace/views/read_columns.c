/* SPDX-License-Identifier: MIT */
/* The keys and values of a view. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/count.h"
#include "util/value.h"
#include "views/cell.h"
#include "views/read.h"

/* So that no sum of them exceeds 64 bits. */
#define SCALE_MAX (UINT64_C(1) << 53)

/* Fields. */

static enum views_number number_of_type(enum param_type type)
{
	if (type == PT_DOUBLE)
		return VIEWS_REAL;
	if (type == PT_IPADDR || type == PT_IPNET || !param_type_size(type))
		return VIEWS_NO_NUMBER;
	return param_type_is_signed(type) ? VIEWS_SIGNED : VIEWS_UNSIGNED;
}

/* Resolves a field; NULL if it can be used, or why it cannot. */
static const char *why_unusable(const struct field_ref *ref)
{
	if (ref->desc->flags & FIELD_FILTER_ONLY)
		return "is for filters alone: it has no value of its own";
	if (ref->desc->flags & (FIELD_LIST | FIELD_EITHER_END))
		return "has several values for an event: a view needs one";
	if (ref->type == PT_IPNET)
		return "is for filters alone: it has no value of its own";
	return NULL;
}

static int field_resolve(const char *text, struct views_field *field, struct error *err)
{
	const char *why;
	int r = field_ref_init(&field->ref, text, strlen(text), err);

	if (r)
		return r;
	why = why_unusable(&field->ref);
	if (why) {
		field_ref_finish(&field->ref);
		field->ref.desc = NULL;
		return error_set(err, -EINVAL, "'%.60s' %s", text, why);
	}
	field->is_known = field_known(field->ref.desc);
	field->number = number_of_type(field->ref.type);
	return 0;
}

bool views_read_field(struct views_reading *reading, const struct yaml_node *node,
		      struct views_field *field, const char **name)
{
	const char *text = views_read_text(reading, node, false);
	struct error err = {""};

	if (!text)
		return false;
	if (field_resolve(text, field, &err)) {
		field->ref.desc = NULL;
		VIEWS_REPORT(reading, node, "%s", err.text);
		return false;
	}
	*name = text;
	return true;
}

/* "PROC.NAME" of proc.name: what a column is called that has no title. */
static const char *make_title(struct views_reading *reading, const char *name)
{
	size_t len = strlen(name);
	char *title = arena_text(&reading->view->arena, name, len);

	for (size_t i = 0; title && i < len; i++)
		if (title[i] >= 'a' && title[i] <= 'z')
			title[i] = (char)(title[i] - 'a' + 'A');
	if (!title)
		reading->report->failed = true;
	return title ? title : "";
}

static int keep_text(struct views_reading *reading, const struct yaml_node *node, const char **to)
{
	const char *text = views_read_text(reading, node, false);

	if (text)
		*to = text;
	return reading->report->failed ? -ENOMEM : 0;
}

/* Units of keys and values. */

static const char *const unit_words[] = {
	[VIEWS_PLAIN] = "none",	     [VIEWS_BYTES] = "bytes",	  [VIEWS_DURATION] = "ns",
	[VIEWS_PERCENT] = "percent", [VIEWS_SHARE] = "share",	  [VIEWS_SECONDS] = "s",
	[VIEWS_MILLISECONDS] = "ms", [VIEWS_MICROSECONDS] = "us", [VIEWS_KILOBYTES] = "kb",
	[VIEWS_EXIT] = "exit",	     [VIEWS_DESCRIPTOR] = "fd",	  [VIEWS_ERRNO] = "errno",
};

/* Keys. */

static int read_key_field(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	struct views_key *key = to;

	views_read_field(reading, node, &key->field, &key->name);
	return 0;
}

static int read_key_title(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	return keep_text(reading, node, &((struct views_key *)to)->title);
}

static int read_missing(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	static const char *const words[] = {"show", "skip"};
	struct views_key *key = to;

	key->skips = views_read_word(reading, node, words, COUNT(words), "word") == 1;
	return 0;
}

static int read_key_unit(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	struct views_key *key = to;

	int word = views_read_word(reading, node, unit_words, COUNT(unit_words), "unit");

	if (word >= 0)
		key->unit = (enum views_unit)word;
	return 0;
}

static const struct views_row key_rows[] = {
	{"field", VIEWS_A_TEXT, true, read_key_field},
	{"title", VIEWS_A_TEXT, false, read_key_title},
	{"missing", VIEWS_A_TEXT, false, read_missing},
	{"unit", VIEWS_A_TEXT, false, read_key_unit},
};

static int read_key(struct views_reading *reading, const struct yaml_node *node)
{
	struct views_view *view = reading->view;
	struct views_key *key = &view->keys[view->keys_count];
	int r = 0;

	if (view->keys_count == VIEWS_KEYS_MAX) {
		VIEWS_REPORT(reading, node, "a view has at most %d keys", VIEWS_KEYS_MAX);
		return 0;
	}
	/* The name of a field alone is a key, too. */
	if (yaml_is_scalar(node))
		r = read_key_field(reading, node, key);
	else
		r = views_read_mapping(reading, node, key_rows, COUNT(key_rows), "a key", key);
	if (r || !key->field.ref.desc)
		return r;
	if (!key->title)
		key->title = make_title(reading, key->name);
	if (key->unit != VIEWS_PLAIN && key->field.number == VIEWS_NO_NUMBER) {
		VIEWS_REPORT(reading, node, "%s is no number: it has no unit", key->name);
		key->unit = VIEWS_PLAIN;
	}
	view->keys_count++;
	return 0;
}

int views_read_keys(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	int r = 0;

	for (const struct yaml_link *link = node->first; link && r == 0; link = link->next)
		r = read_key(reading, link->value);
	return r;
}

int views_read_first_key(struct views_view *view, const struct views_first_key *first,
			 struct error *err)
{
	const char *name = first->field;
	struct views_key key = {.name = name, .title = first->title};
	int r;

	for (unsigned int i = 0; i < view->keys_count; i++)
		if (strcmp(view->keys[i].name, name) == 0)
			return 0;
	if (view->keys_count == VIEWS_KEYS_MAX)
		return error_set(err, -EINVAL, "%s: the view has %d keys already", name,
				 VIEWS_KEYS_MAX);
	r = field_resolve(name, &key.field, err);
	if (r)
		return r;
	memmove(view->keys + 1, view->keys, view->keys_count * sizeof(view->keys[0]));
	view->keys[0] = key;
	view->keys_count++;
	return 0;
}

/* Values. */

static const char *const aggregate_words[] = {
	[VIEWS_COUNT] = "count",
	[VIEWS_SUM] = "sum",
	[VIEWS_MEAN] = "mean",
	[VIEWS_MIN] = "min",
	[VIEWS_MAX] = "max",
	[VIEWS_LAST] = "last",
	[VIEWS_DISTINCT] = "distinct",
	[VIEWS_RATE] = "rate",
	[VIEWS_PERCENTILE] = "percentile",
	[VIEWS_HISTOGRAM_OF] = "histogram",
};

/* Those that need a number, and those that need no field. */
enum { OF_NUMBERS = 1 << 0, OF_EVENTS = 1 << 1, OF_WHOLE_NUMBERS = 1 << 2 };

static const unsigned int aggregate_takes[VIEWS_AGGREGATES_COUNT] = {
	[VIEWS_COUNT] = OF_EVENTS,
	[VIEWS_SUM] = OF_NUMBERS,
	[VIEWS_MEAN] = OF_NUMBERS,
	[VIEWS_MIN] = OF_NUMBERS,
	[VIEWS_MAX] = OF_NUMBERS,
	[VIEWS_RATE] = OF_NUMBERS | OF_EVENTS,
	[VIEWS_PERCENTILE] = OF_NUMBERS | OF_WHOLE_NUMBERS,
	[VIEWS_HISTOGRAM_OF] = OF_NUMBERS | OF_WHOLE_NUMBERS,
};

static int read_value_name(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	return keep_text(reading, node, &((struct views_value *)to)->name);
}

static int read_value_title(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	return keep_text(reading, node, &((struct views_value *)to)->title);
}

static int read_aggregate(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	int word = views_read_word(reading, node, aggregate_words, COUNT(aggregate_words),
				   "aggregate");

	if (word >= 0)
		((struct views_value *)to)->aggregate = (enum views_aggregate)word;
	return 0;
}

static int read_value_field(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	struct views_value *value = to;
	const char *name;

	views_read_field(reading, node, &value->field, &name);
	return 0;
}

static int read_unit(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	int word = views_read_word(reading, node, unit_words, COUNT(unit_words), "unit");

	if (word >= 0)
		((struct views_value *)to)->unit = (enum views_unit)word;
	return 0;
}

static int read_percentile(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	struct views_value *value = to;
	char *end;

	value->percentile = strtod(node->text, &end);
	if (*end || !(value->percentile > 0 && value->percentile <= 100))
		VIEWS_REPORT(reading, node, "'percentile': expected a number above 0, at most 100");
	return 0;
}

/* Buckets of one width. */

static int read_scale_number(struct views_reading *reading, const struct yaml_node *node,
			     uint64_t least, uint64_t *to)
{
	uint64_t number = 0;
	int r = strcmp(node->text, "0") == 0 ? 0 : value_read_count(node->text, SCALE_MAX, &number);

	if (r || number < least)
		VIEWS_REPORT(reading, node, "expected a whole number from %d to %" PRIu64,
			     (int)least, SCALE_MAX);
	*to = number;
	return 0;
}

static int read_scale_min(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	return read_scale_number(reading, node, 0, &((struct views_value *)to)->scale.min);
}

static int read_scale_max(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	return read_scale_number(reading, node, 1, &((struct views_value *)to)->scale.max);
}

static int read_scale_width(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	return read_scale_number(reading, node, 1, &((struct views_value *)to)->scale.width);
}

/* All of the same width, and few enough. */
static bool check_scale(struct views_reading *reading, const struct yaml_node *node,
			const struct views_value *value)
{
	const struct views_scale *scale = &value->scale;

	if (!scale->min && !scale->max && !scale->width)
		return true;
	if (value->aggregate != VIEWS_HISTOGRAM_OF)
		VIEWS_REPORT(reading, node,
			     "'min', 'max' and 'width' are of the aggregate 'histogram'");
	else if (!scale->max || !scale->width)
		VIEWS_REPORT(reading, node, "buckets of one width need 'max' and 'width'");
	else if (scale->max <= scale->min || (scale->max - scale->min) % scale->width)
		VIEWS_REPORT(reading, node, "'max' has to be a multiple of 'width' above 'min'");
	else if ((scale->max - scale->min) / scale->width > VIEWS_STEPS_MAX)
		VIEWS_REPORT(reading, node, "there are at most %d buckets of one width",
			     VIEWS_STEPS_MAX);
	else
		return true;
	return false;
}

static int read_only(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	const char *text = views_read_text(reading, node, true);
	const struct filter_options options = {0};
	struct filter_error wrong = {0};
	size_t at = node->start;
	int r;

	if (!text)
		return reading->report->failed ? -ENOMEM : 0;
	r = filter_create(text, &options, &((struct views_value *)to)->only, &wrong);
	if (r != -EINVAL)
		return r;
	if (!views_read_has_args(node))
		at = yaml_tree_offset(node, wrong.position);
	yaml_report_add(reading->report, YAML_ERROR, node->file, at, "%s", wrong.text);
	return 0;
}

static const struct views_row value_rows[] = {
	{"name", VIEWS_A_TEXT, true, read_value_name},
	{"title", VIEWS_A_TEXT, false, read_value_title},
	{"aggregate", VIEWS_A_TEXT, true, read_aggregate},
	{"field", VIEWS_A_TEXT, false, read_value_field},
	{"percentile", VIEWS_A_NUMBER, false, read_percentile},
	{"unit", VIEWS_A_TEXT, false, read_unit},
	{"min", VIEWS_A_NUMBER, false, read_scale_min},
	{"max", VIEWS_A_NUMBER, false, read_scale_max},
	{"width", VIEWS_A_NUMBER, false, read_scale_width},
	{"if", VIEWS_A_TEXT, false, read_only},
};

/* What the aggregate needs of the field. */
static bool check_aggregate(struct views_reading *reading, const struct yaml_node *node,
			    const struct views_value *value)
{
	const char *word = aggregate_words[value->aggregate];
	unsigned int takes = aggregate_takes[value->aggregate];
	bool has_field = value->field.ref.desc;

	if (!has_field && !(takes & OF_EVENTS))
		VIEWS_REPORT(reading, node, "'%s' needs a key 'field': it is made of values", word);
	else if (has_field && takes & OF_NUMBERS && value->field.number == VIEWS_NO_NUMBER)
		VIEWS_REPORT(reading, node, "'%s' needs a field of numbers, and %s is one of texts",
			     word, value->field.ref.desc->name);
	else if (has_field && takes & OF_WHOLE_NUMBERS && value->field.number == VIEWS_REAL)
		VIEWS_REPORT(reading, node,
			     "'%s' needs a field of whole numbers, and %s has others", word,
			     value->field.ref.desc->name);
	else if ((value->aggregate == VIEWS_PERCENTILE) != (value->percentile > 0))
		VIEWS_REPORT(reading, node,
			     "the aggregate 'percentile' and a key 'percentile' with its number "
			     "belong together");
	else
		return true;
	return false;
}

/* Values of which the same is kept have one cell. */
static void choose_cell(struct views_view *view, struct views_value *value)
{
	for (unsigned int i = 0; i < view->values_count; i++) {
		if (!views_cell_is_shared(&view->values[i], value))
			continue;
		value->cell = view->values[i].cell;
		return;
	}
	value->cell = view->cells_count++;
}

static int read_value(struct views_reading *reading, const struct yaml_node *node)
{
	struct views_view *view = reading->view;
	struct views_value *value = &view->values[view->values_count];
	size_t errors = reading->report->counts[YAML_ERROR];
	int r;

	if (view->values_count == VIEWS_VALUES_MAX) {
		VIEWS_REPORT(reading, node, "a view has at most %d values", VIEWS_VALUES_MAX);
		return 0;
	}
	/* Also one with errors is released with the view. */
	view->values_count++;
	r = views_read_mapping(reading, node, value_rows, COUNT(value_rows), "a value", value);
	if (r || reading->report->counts[YAML_ERROR] > errors)
		return r;
	for (unsigned int i = 0; i + 1 < view->values_count; i++)
		/* One that is wrong may have none. */
		if (view->values[i].name && strcmp(view->values[i].name, value->name) == 0)
			VIEWS_REPORT(reading, node, "two values are named '%.60s'", value->name);
	if (!check_aggregate(reading, node, value) || !check_scale(reading, node, value))
		return 0;
	if (!value->title)
		value->title = make_title(reading, value->name);
	view->values_count--;
	choose_cell(view, value);
	view->values_count++;
	return 0;
}

int views_read_values(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	int r = 0;

	for (const struct yaml_link *link = node->first; link && r == 0; link = link->next)
		r = read_value(reading, link->value);
	return r;
}
