/* SPDX-License-Identifier: MIT */
/* Views from files of YAML; their order; what they need. */
#include "views/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/count.h"
#include "util/nearest.h"
#include "util/value.h"

static const char *const kind_words[] = {
	[VIEWS_TABLE] = "table",
	[VIEWS_LIST] = "list",
	[VIEWS_HISTOGRAM] = "histogram",
	[VIEWS_HEATMAP] = "heatmap",
};

const char *views_kind_name(enum views_kind kind)
{
	return kind_words[kind];
}

static int keep(struct views_reading *reading, const struct yaml_node *node, const char **to)
{
	const char *text = views_read_text(reading, node, false);

	if (text)
		*to = text;
	return reading->report->failed ? -ENOMEM : 0;
}

/* Defines the reader of a key that is a text of the view. */
#define TEXT_READER(reader, member)                                                                \
	static int reader(struct views_reading *reading, const struct yaml_node *node, void *to)   \
	{                                                                                          \
		return keep(reading, node, &reading->view->member);                                \
	}

TEXT_READER(read_name, name)
TEXT_READER(read_title, title)
TEXT_READER(read_question, question)
TEXT_READER(read_description, description)
TEXT_READER(read_approximates, approximates)

/* Arguments: first, as all texts may have them. */

static int read_arg_name(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	return keep(reading, node, &((struct views_arg *)to)->name);
}

static int read_arg_default(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	return keep(reading, node, &((struct views_arg *)to)->otherwise);
}

static int read_arg_example(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	return keep(reading, node, &((struct views_arg *)to)->example);
}

/* "R=evt.is_io_read=true": the word, and what stands for it; without "=" itself. */
static int read_arg_word(struct views_reading *reading, const struct yaml_node *node,
			 struct views_word *word)
{
	const char *text = NULL;
	size_t len;

	if (!yaml_is_scalar(node))
		VIEWS_REPORT(reading, node, "expected WORD, or WORD=TEXT");
	else if (keep(reading, node, &text))
		return -ENOMEM;
	if (!text)
		return 0;
	len = strcspn(text, "=");
	word->word = arena_text(&reading->view->arena, text, len);
	word->text = text[len] ? text + len + 1 : text;
	return word->word ? 0 : -ENOMEM;
}

static int read_arg_words(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	struct views_arg *arg = to;
	struct views_word *words;
	size_t n = 0;

	for (const struct yaml_link *link = node->first; link; link = link->next)
		n++;
	words = arena_alloc(&reading->view->arena, (n + 1) * sizeof(words[0]));
	if (!words)
		return -ENOMEM;
	memset(words, 0, (n + 1) * sizeof(words[0]));
	n = 0;
	for (const struct yaml_link *link = node->first; link; link = link->next) {
		if (read_arg_word(reading, link->value, &words[n]))
			return -ENOMEM;
		n += words[n].word != NULL;
	}
	arg->words = words;
	return 0;
}

const char *views_arg_text(const struct views_arg *arg, const char *word)
{
	for (const struct views_word *at = arg->words; at && at->word; at++)
		if (strcmp(at->word, word) == 0)
			return at->text;
	return NULL;
}

static const struct views_row arg_rows[] = {
	{"name", VIEWS_A_TEXT, true, read_arg_name},
	{"default", VIEWS_A_TEXT, false, read_arg_default},
	{"example", VIEWS_A_TEXT, false, read_arg_example},
	{"words", VIEWS_A_SEQUENCE, false, read_arg_words},
};

/* The word that was given, the default, or for checks the example. */
static const char *word_of(const struct views_reading *reading, const struct views_arg *arg,
			   unsigned int i)
{
	if (i < reading->config->args_count && reading->config->args[i])
		return reading->config->args[i];
	if (arg->otherwise || !reading->config->checks)
		return arg->otherwise;
	return arg->example;
}

/* What is put in its place. */
static void read_take_word(struct views_reading *reading, const struct yaml_node *node,
			   const struct views_arg *arg)
{
	const char *word = word_of(reading, arg, reading->view->args_count);

	if (!word && !reading->report->counts[YAML_ERROR])
		VIEWS_REPORT(reading, node, "the argument %s has to be given, as %s", arg->name,
			     arg->example);
	if (word && arg->words && !views_arg_text(arg, word))
		VIEWS_REPORT(reading, node, "the argument %.60s has no word '%.60s'", arg->name,
			     word);
	reading->given[reading->view->args_count] =
		word && arg->words ? views_arg_text(arg, word) : word;
}

static int read_arg(struct views_reading *reading, const struct yaml_node *node)
{
	struct views_view *view = reading->view;
	struct views_arg *arg = &view->args[view->args_count];
	int r;

	if (view->args_count == VIEWS_ARGS_MAX) {
		VIEWS_REPORT(reading, node, "a view has at most %d arguments", VIEWS_ARGS_MAX);
		return 0;
	}
	r = views_read_mapping(reading, node, arg_rows, COUNT(arg_rows), "an argument", arg);
	if (r || !arg->name)
		return r;
	if (!arg->otherwise && !arg->example)
		VIEWS_REPORT(reading, node, "the argument '%.60s' needs a default, or an example",
			     arg->name);
	read_take_word(reading, node, arg);
	view->args_count++;
	return 0;
}

static int read_args(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	int r = 0;

	for (const struct yaml_link *link = node->first; link && r == 0; link = link->next)
		r = read_arg(reading, link->value);
	return r;
}

/* The rest. */

static int read_filter(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	const char *text = views_read_text(reading, node, true);
	const struct filter_options options = {0};
	struct filter_error wrong = {0};
	struct filter *filter = NULL;
	size_t at = node->start;
	int r;

	if (!text)
		return reading->report->failed ? -ENOMEM : 0;
	r = filter_create(text, &options, &filter, &wrong);
	filter_destroy(filter);
	if (r == -EINVAL && !views_read_has_args(node))
		at = yaml_tree_offset(node, wrong.position);
	if (r == -EINVAL)
		yaml_report_add(reading->report, YAML_ERROR, node->file, at, "%s", wrong.text);
	reading->view->filter = text;
	return r == -EINVAL ? 0 : r;
}

static int read_kind(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	int word = views_read_word(reading, node, kind_words, COUNT(kind_words), "kind");

	if (word >= 0)
		reading->view->kind = (enum views_kind)word;
	return 0;
}

static int read_number(struct views_reading *reading, const struct yaml_node *node, uint32_t *to)
{
	uint64_t number = 0;

	if (value_read_count(node->text, VIEWS_LIMIT_MAX, &number))
		VIEWS_REPORT(reading, node, "expected a number from 1 to %d", VIEWS_LIMIT_MAX);
	*to = (uint32_t)number;
	return 0;
}

static int read_limit(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	return read_number(reading, node, &reading->view->limit);
}

static int read_groups(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	return read_number(reading, node, &reading->view->groups_max);
}

static int read_interval(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	if (value_read_seconds(node->text, &reading->view->interval_ns))
		VIEWS_REPORT(reading, node, "'interval': expected a number of seconds above 0");
	return 0;
}

/* The column of a name of `len` bytes. Returns false if there is none. */
static bool find_column(const struct views_view *view, const char *name, size_t len,
			struct views_column *column)
{
	for (unsigned int i = 0; i < view->keys_count + view->values_count; i++) {
		struct views_column at = {.is_value = i >= view->keys_count};
		const char *known;

		at.index = (uint8_t)(at.is_value ? i - view->keys_count : i);
		known = views_column_name(view, &at);
		if (known && strlen(known) == len && memcmp(known, name, len) == 0) {
			at.descending = at.is_value;
			*column = at;
			return true;
		}
	}
	return false;
}

static int no_column(const struct views_view *view, const char *name, size_t len, struct error *err)
{
	struct nearest nearest;

	nearest_init(&nearest, name, len);
	for (unsigned int i = 0; i < view->keys_count; i++)
		nearest_offer(&nearest, view->keys[i].name);
	for (unsigned int i = 0; i < view->values_count; i++)
		if (view->values[i].name)
			nearest_offer(&nearest, view->values[i].name);
	return nearest.word ? error_set(err, -EINVAL,
					"the view has no key or value '%.*s'; did you mean '%s'?",
					(int)len, name, nearest.word)
			    : error_set(err, -EINVAL, "the view has no key or value '%.*s'",
					(int)len, name);
}

static bool is_among(const struct views_column *columns, uint8_t count,
		     const struct views_column *column)
{
	for (uint8_t i = 0; i < count; i++)
		if (columns[i].is_value == column->is_value && columns[i].index == column->index)
			return true;
	return false;
}

/* The length of the name before the next comma, without the blanks behind it. */
static size_t name_length(const char *at)
{
	size_t len = strcspn(at, ",");

	while (len && at[len - 1] == ' ')
		len--;
	return len;
}

/* Reads "-count, proc.name" into `columns`. As none is named twice, there is room for all. */
static int parse_columns(const struct views_view *view, const char *names, bool signs,
			 struct views_column *columns, uint8_t *count, struct error *err)
{
	uint8_t n = 0;

	for (const char *at = names;; at++) {
		struct views_column column;
		bool reversed;
		size_t len;

		at += strspn(at, " ");
		reversed = signs && *at == '-';
		at += reversed;
		len = name_length(at);
		if (!find_column(view, at, len, &column))
			return no_column(view, at, len, err);
		if (is_among(columns, n, &column))
			return error_set(err, -EINVAL, "'%.*s' is named twice", (int)len, at);
		column.descending ^= reversed;
		columns[n++] = column;
		at += strcspn(at, ",");
		if (!*at)
			break;
	}
	*count = n;
	return 0;
}

int views_view_sort(struct views_view *view, const char *names, struct error *err)
{
	struct views_column order[VIEWS_COLUMNS_MAX];
	uint8_t count;
	int r = parse_columns(view, names, true, order, &count, err);

	if (r)
		return r;
	memcpy(view->order, order, sizeof(order));
	view->order_count = count;
	return 0;
}

static int read_sort(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	const char *text = views_read_text(reading, node, false);
	struct error err = {""};

	if (text && views_view_sort(reading->view, text, &err))
		VIEWS_REPORT(reading, node, "'sort': %s", err.text);
	return 0;
}

static int read_columns(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	struct views_view *view = reading->view;
	const char *text = views_read_text(reading, node, false);
	struct error err = {""};

	if (text && parse_columns(view, text, false, view->columns, &view->columns_count, &err))
		VIEWS_REPORT(reading, node, "'columns': %s", err.text);
	return 0;
}

static int read_drill(struct views_reading *reading, const struct yaml_node *node, void *to)
{
	struct views_view *view = reading->view;
	size_t n = 0;

	for (const struct yaml_link *link = node->first; link; link = link->next)
		n++;
	view->drill = arena_alloc(&view->arena, (n + 1) * sizeof(view->drill[0]));
	if (!view->drill)
		return -ENOMEM;
	n = 0;
	for (const struct yaml_link *link = node->first; link; link = link->next) {
		const char *name = NULL;

		if (!yaml_is_scalar(link->value))
			VIEWS_REPORT(reading, link->value, "expected the name of a view");
		else if (keep(reading, link->value, &name))
			return -ENOMEM;
		if (name)
			view->drill[n++] = name;
	}
	return 0;
}

/* In the order in which they are read: arguments are in texts, orders name keys and values. */
static const struct views_row view_rows[] = {
	{"args", VIEWS_A_SEQUENCE, false, read_args},
	{"name", VIEWS_A_TEXT, true, read_name},
	{"title", VIEWS_A_TEXT, true, read_title},
	{"question", VIEWS_A_TEXT, false, read_question},
	{"description", VIEWS_A_TEXT, false, read_description},
	{"approximates", VIEWS_A_TEXT, false, read_approximates},
	{"kind", VIEWS_A_TEXT, false, read_kind},
	{"filter", VIEWS_A_TEXT, false, read_filter},
	{"keys", VIEWS_A_SEQUENCE, false, views_read_keys},
	{"values", VIEWS_A_SEQUENCE, false, views_read_values},
	{"sort", VIEWS_A_TEXT, false, read_sort},
	{"columns", VIEWS_A_TEXT, false, read_columns},
	{"limit", VIEWS_A_NUMBER, false, read_limit},
	{"groups", VIEWS_A_NUMBER, false, read_groups},
	{"interval", VIEWS_A_NUMBER, false, read_interval},
	{"drill", VIEWS_A_SEQUENCE, false, read_drill},
};

/* What the kind of the view needs, and the other way round. */
static void check_kind(struct views_reading *reading, const struct yaml_node *node)
{
	const struct views_view *view = reading->view;
	unsigned int with_buckets = 0;
	bool shows_buckets = view->kind == VIEWS_HISTOGRAM || view->kind == VIEWS_HEATMAP;

	for (unsigned int i = 0; i < view->values_count; i++)
		with_buckets += views_value_has_buckets(&view->values[i]);
	if (view->kind == VIEWS_LIST && (view->values_count || !view->keys_count))
		VIEWS_REPORT(reading, node,
			     "a list has keys and no values: each event is a row of its own");
	if (view->kind != VIEWS_LIST && !view->values_count)
		VIEWS_REPORT(reading, node, "a %s needs a key 'values'", kind_words[view->kind]);
	if (shows_buckets && (with_buckets != 1 || view->values_count != 1))
		VIEWS_REPORT(reading, node, "a %s has one value, with the aggregate 'histogram'",
			     kind_words[view->kind]);
	if (!shows_buckets && with_buckets)
		VIEWS_REPORT(reading, node,
			     "the aggregate 'histogram' is for views of the kind histogram or "
			     "heatmap");
}

static const char *name_at(const struct views_view *view, unsigned int i)
{
	return i < view->keys_count ? view->keys[i].name : view->values[i - view->keys_count].name;
}

/* In JSON each name is there once, beside those that rows have by themselves. */
static void check_names(struct views_reading *reading, const struct yaml_node *node)
{
	const struct views_view *view = reading->view;

	for (unsigned int i = 0; i < (unsigned int)view->keys_count + view->values_count; i++) {
		const char *name = name_at(view, i);

		if (strcmp(name, "view.time") == 0 || strcmp(name, "view.others") == 0)
			VIEWS_REPORT(reading, node, "the name '%s' is that of a key of all views",
				     name);
		for (unsigned int k = 0; k < i && k < view->keys_count; k++)
			if (strcmp(name_at(view, k), name) == 0)
				VIEWS_REPORT(reading, node, "two columns are named '%.60s'", name);
	}
}

static int add_first_keys(struct views_reading *reading, const struct yaml_node *node)
{
	const struct views_config *config = reading->config;
	uint8_t before = reading->view->keys_count;
	struct views_view *view = reading->view;
	struct error err = {""};
	uint8_t added;

	for (size_t i = config->keys_count; i-- > 0;)
		if (views_read_first_key(view, &config->keys[i], &err))
			VIEWS_REPORT(reading, node, "%s", err.text);
	added = (uint8_t)(view->keys_count - before);
	/* The columns move, and begin with the new ones. */
	for (unsigned int i = 0; i < view->order_count; i++)
		view->order[i].index += view->order[i].is_value ? 0 : added;
	for (unsigned int i = 0; i < view->columns_count; i++)
		view->columns[i].index += view->columns[i].is_value ? 0 : added;
	if (view->columns_count && view->columns_count + added <= VIEWS_COLUMNS_MAX) {
		memmove(view->columns + added, view->columns,
			view->columns_count * sizeof(view->columns[0]));
		for (uint8_t i = 0; i < added; i++)
			view->columns[i] = (struct views_column){.index = i};
		view->columns_count += added;
	}
	return 0;
}

/* What a file need not say: values come first, and are what rows are sorted by. */
static void complete(struct views_view *view)
{
	if (!view->columns_count) {
		for (uint8_t i = 0; i < view->values_count; i++)
			view->columns[view->columns_count++] =
				(struct views_column){true, i, false};
		for (uint8_t i = 0; i < view->keys_count; i++)
			view->columns[view->columns_count++] =
				(struct views_column){false, i, false};
	}
	if (!view->order_count && view->values_count)
		view->order[view->order_count++] = (struct views_column){true, 0, true};
	if (!view->groups_max)
		view->groups_max = VIEWS_GROUPS_DEFAULT;
}

/* A view is found by the name of its file: one that has another name would not be. */
static void check_file_name(struct views_reading *reading, const struct yaml_node *node,
			    const struct yaml_file *file)
{
	const char *base = strrchr(file->path, '/');
	const char *name = reading->view->name, *end;

	base = base ? base + 1 : file->path;
	end = strrchr(base, '.');
	if (!name || !end || strcmp(end, ".yaml") != 0)
		return;
	if (strlen(name) != (size_t)(end - base) || strncmp(name, base, strlen(name)) != 0)
		VIEWS_REPORT(
			reading, node,
			"the view is named '%.60s', and its file '%.60s': they must be the same",
			name, base);
}

static int read_view(struct views_reading *reading, const struct yaml_link *roots,
		     const struct yaml_file *file)
{
	const struct yaml_node *node = roots ? roots->value : NULL;
	int r;

	if (!node || roots->next) {
		yaml_report_add(reading->report, YAML_ERROR, file, 0, "a file has one view");
		return 0;
	}
	r = views_read_mapping(reading, node, view_rows, COUNT(view_rows), "a view", NULL);
	if (r || reading->report->counts[YAML_ERROR])
		return r;
	if (reading->config->args_count > reading->view->args_count)
		VIEWS_REPORT(reading, node, "the view takes %d arguments, not %zu",
			     reading->view->args_count, reading->config->args_count);
	check_file_name(reading, node, file);
	check_kind(reading, node);
	check_names(reading, node);
	r = add_first_keys(reading, node);
	complete(reading->view);
	return r;
}

int views_view_read(const struct yaml_file *file, const struct views_config *config,
		    struct views_view **view, struct yaml_report *report)
{
	struct views_view *made = calloc(1, sizeof(*made));
	struct views_reading reading = {.view = made, .config = config, .report = report};
	struct yaml_link *roots = NULL;
	struct arena nodes = {0};
	int r = made ? yaml_tree_read(file, &nodes, report, &roots) : -ENOMEM;

	if (r == 0) {
		made->title = made->question = made->description = made->approximates = "";
		r = read_view(&reading, roots, file);
	}
	arena_finish(&nodes);
	if (r == 0 && report->failed)
		r = -ENOMEM;
	if (r == 0 && report->counts[YAML_ERROR])
		r = -EINVAL;
	if (r)
		views_view_destroy(made);
	else
		*view = made;
	return r;
}

unsigned int views_view_needs(const struct views_view *view)
{
	unsigned int needs = 0;

	for (unsigned int i = 0; i < view->keys_count; i++)
		needs |= field_ref_needs(&view->keys[i].field.ref);
	for (unsigned int i = 0; i < view->values_count; i++) {
		const struct views_value *value = &view->values[i];

		if (value->field.ref.desc)
			needs |= field_ref_needs(&value->field.ref);
		if (value->only)
			needs |= filter_needs(value->only);
	}
	return needs;
}

void views_view_destroy(struct views_view *view)
{
	if (!view)
		return;
	for (unsigned int i = 0; i < view->keys_count; i++)
		field_ref_finish(&view->keys[i].field.ref);
	for (unsigned int i = 0; i < view->values_count; i++) {
		if (view->values[i].field.ref.desc)
			field_ref_finish(&view->values[i].field.ref);
		filter_destroy(view->values[i].only);
	}
	arena_finish(&view->arena);
	free(view);
}
