/* SPDX-License-Identifier: MIT */
/*
 * Columns: bound operands with their writers, from lists of fields and from format strings, in
 * spans that are written at once.
 */
#include <errno.h>
#include <string.h>

#include "sinsp/filter/lex.h"
#include "sinsp/fields/container.h"
#include "sinsp/fields/field.h"
#include "sinsp/format/formatter_impl.h"
#include "util/utf8.h"

/* Columns: a bound operand, and its writer for the format. */

int format_reserve(struct formatter *formatter, size_t n)
{
	formatter->columns = arena_alloc(&formatter->arena, n * sizeof(*formatter->columns));
	return formatter->columns ? 0 : -ENOMEM;
}

int format_column_evaluate(struct formatter *formatter, const struct format_column *column,
			   const struct state_event *event)
{
	return operand_get(&column->operand, event, formatter->regs, &formatter->scratch);
}

static bool column_is_same(struct filter_text a, struct filter_text b)
{
	return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static struct format_column *column_find_key(const struct formatter *formatter,
					     struct filter_text key)
{
	for (size_t i = 0; i < formatter->columns_count; i++)
		if (column_is_same(formatter->columns[i].before, key))
			return &formatter->columns[i];
	return NULL;
}

static int chain(struct formatter *formatter, struct format_column *first,
		 const struct format_column *column)
{
	struct format_column *copy;

	if (column_is_same(first->name, column->name) ||
	    format_column_is_of_container(first) != format_column_is_of_container(column))
		return 0;
	copy = arena_alloc(&formatter->arena, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *column;
	copy->otherwise = first->otherwise;
	first->otherwise = copy;
	first->is_seldom = false;
	return 0;
}

int format_place_column(struct formatter *formatter, const struct format_column *column)
{
	struct format_column *same =
		formatter->events->keyed ? column_find_key(formatter, column->before) : NULL;
	struct format_column *placed;

	if (same)
		return formatter->schema ? chain(formatter, same, column) : 0;
	placed = &formatter->columns[formatter->columns_count++];
	*placed = *column;
	placed->is_seldom =
		column->ref && column->ref->desc->flags & FIELD_SELDOM && !column->absent;
	return 0;
}

bool format_column_write_list(struct formatter *formatter, const struct format_column *column,
			      const struct state_event *event, char open, char close,
			      struct buf *out)
{
	const struct field_value *values;
	int n = format_column_get(formatter, column, event, &values);

	if (n < 0)
		return false;
	buf_append_char(out, open);
	for (int i = 0; i < n; i++) {
		if (i > 0)
			buf_append_char(out, ',');
		column->append(formatter, column, &values[i], out);
	}
	buf_append_char(out, close);
	return true;
}

bool format_column_write_next(struct formatter *formatter, const struct format_column *column,
			      const struct state_event *event, struct buf *out, size_t at)
{
	for (; column && !out->failed; column = column->otherwise) {
		out->len = at;
		if (column->write(formatter, column, event, out))
			return true;
	}
	return false;
}

/* Programs get no value of what is not known. */
static void choose_getter(struct format_column *column, const struct field_desc *desc, bool keyed)
{
	if (keyed)
		column->is_known = field_known(desc);
	column->get = desc->get;
}

int format_add_column(struct formatter *formatter, const struct format_token *token,
		      const char *text, struct filter_error *err)
{
	const struct operand_binder binder = {&formatter->arena, &formatter->refs, text, err};
	struct format_column column = {.name = token->name, .width = token->width};
	struct filter_operand *operand = &column.operand;
	int r = operand_bind(&binder, token->expr, 0, operand);

	if (r)
		return r;
	if (operand->flags & FIELD_FILTER_ONLY)
		return filter_error_set(err, text, token->expr->position,
					"'%.60s' is for filters only", token->name.data);
	column.ref = operand->field;
	if (column.ref)
		choose_getter(&column, column.ref->desc, formatter->events->keyed);
	column.type = operand->type;
	column.format = column.ref ? column.ref->desc->format : PF_DEC;
	column.list = operand->list && !(column.ref && column.ref->has_arg);
	column.needs = operand->needs;
	r = formatter->events->column_init(formatter, &column, token);
	if (r == FORMAT_COLUMN_UNNEEDED)
		return 0;
	return r ? r : format_place_column(formatter, &column);
}

int format_add_field(struct formatter *formatter, struct filter_text name, const char *text,
		     size_t position, struct filter_error *err)
{
	struct filter_expr expr = {.kind = FILTER_EXPR_FIELD, .position = position, .text = name};
	struct format_token token = {.expr = &expr};

	expr.text.data = arena_text(&formatter->arena, name.data, name.len);
	if (!expr.text.data)
		return -ENOMEM;
	token.name = expr.text;
	if (formatter->columns_count)
		token.before = (struct filter_text){" ", 1};
	return format_add_column(formatter, &token, text, err);
}

int format_prepend_column(struct formatter *formatter, const struct format_column *column)
{
	size_t count = formatter->columns_count, heads = formatter->head_columns;
	struct format_column *columns =
		arena_alloc(&formatter->arena, (count + 1) * sizeof(*columns));

	if (!columns)
		return -ENOMEM;
	memcpy(columns, formatter->columns, heads * sizeof(*columns));
	columns[heads] = *column;
	memcpy(columns + heads + 1, formatter->columns + heads, (count - heads) * sizeof(*columns));
	formatter->columns = columns;
	formatter->columns_count++;
	return format_make_spans(formatter);
}

int format_keep_text(struct formatter *formatter, const struct buf *text, struct filter_text *cache)
{
	char *memory = text->failed ? NULL : arena_alloc(&formatter->arena, text->len + BUF_CHUNK);

	if (!memory)
		return -ENOMEM;
	if (text->len)
		memcpy(memory, text->data, text->len);
	*cache = (struct filter_text){memory, text->len};
	return 0;
}

/*
 * Spans of columns. Those that depend on the event's container alone are the same for all its
 * events until its description changes, and those that depend on its thread until this executes a
 * program or the like: they are written once, and copied.
 */

/* Fewer are written as fast as it is found out that they can be copied. */
enum { THREAD_COLUMNS_MIN = 3 };

/* Also by the fields that it is written with where its own has no value. */
static bool is_of_thread(const struct format_column *column)
{
	while (column && column->ref && column->ref->desc->flags & FIELD_OF_THREAD)
		column = column->otherwise;
	return !column;
}

/* The number of columns from `column` on that are of the thread. */
static size_t count_of_thread(const struct format_column *column, const struct format_column *end)
{
	const struct format_column *next = column;

	while (next < end && is_of_thread(next))
		next++;
	return (size_t)(next - column);
}

/* Whether values of a column, or of those that stand in for it, are not only numbers and words. */
static bool column_has_texts(const struct format_column *column)
{
	for (; column; column = column->otherwise)
		if (!param_type_size(column->type) && !format_column_has_words(column) &&
		    !(column->ref && column->ref->desc->flags & FIELD_OF_CLOCK))
			return true;
	return false;
}

/*
 * The span that begins with `column`. Where texts are hidden, those that have none are spans of
 * their own: nothing is looked for in these.
 */
static struct format_span find_span(const struct format_column *column,
				    const struct format_column *end, bool is_hidden)
{
	struct format_span span = {.begin = column, .has_texts = true};

	if (count_of_thread(column, end) >= THREAD_COLUMNS_MIN) {
		span.kind = SPAN_THREAD;
		span.end = column + count_of_thread(column, end);
		return span;
	}
	span.kind = format_column_is_of_container(column) ? SPAN_CONTAINER : SPAN_EVENT;
	span.has_texts = !is_hidden || column_has_texts(column);
	do
		column++;
	while (column < end &&
	       format_column_is_of_container(column) == (span.kind == SPAN_CONTAINER) &&
	       (!is_hidden || column_has_texts(column) == span.has_texts) &&
	       count_of_thread(column, end) < THREAD_COLUMNS_MIN);
	span.end = column;
	return span;
}

int format_make_spans(struct formatter *formatter)
{
	size_t count = formatter->columns_count;
	const struct format_column *column = formatter->columns, *end = column + count;
	const struct format_column *for_all = end - formatter->container_columns;
	struct format_span *span = arena_alloc(&formatter->arena, (count + 1) * sizeof(*span));
	bool is_hidden = formatter->scratch.style.hider.text;

	if (!span)
		return -ENOMEM;
	/* Their keys are of the spans that were. */
	span_cache_finish(&formatter->of_containers);
	span_cache_finish(&formatter->of_threads);
	formatter->spans = span;
	formatter->spans_count = formatter->host_spans = 0;
	for (; column < end; column = span++->end) {
		*span = find_span(column, column < for_all ? for_all : end, is_hidden);
		formatter->host_spans += span->end <= for_all;
		formatter->spans_count++;
	}
	return 0;
}

bool format_append_span(struct formatter *formatter, const struct format_span *span,
			const struct state_event *event, struct buf *out)
{
	const struct text_hider *hider = &formatter->scratch.style.hider;
	size_t start = out->len;

	if (!formatter->events->append(formatter, span, event, out))
		return false;
	if (hider->text && span->has_texts && !out->failed)
		hider->text(hider->context, out->data + start, out->len - start);
	return true;
}

bool format_append_cached(struct formatter *formatter, const struct format_span *span,
			  const struct state_event *event, struct buf *out)
{
	bool of_thread = span->kind == SPAN_THREAD;
	struct span_cache *cache = of_thread ? &formatter->of_threads : &formatter->of_containers;
	size_t start = out->len;
	uint64_t revision, key;

	if (formatter->is_seldom_used)
		return format_append_span(formatter, span, event, out);
	revision = of_thread ? thread_revision(&formatter->threads, event)
			     : container_event_revision(event);
	if (!revision)
		return format_append_span(formatter, span, event, out);
	key = revision * formatter->spans_count + (uint64_t)(span - formatter->spans);
	if (span_cache_append(cache, key, out))
		return true;
	if (!format_append_span(formatter, span, event, out))
		return false;
	if (!out->failed)
		span_cache_add(cache, key, out->data + start, out->len - start);
	return true;
}

/* Lists of fields to columns: "default,proc.cwd,evt.arg[1]". */

const char *const format_object_fields[] = {
	"evt.num",	"evt.time",   "evt.type",  "evt.cpu",	"evt.res",
	"evt.args",	"proc.name",  "proc.pid",  "proc.ppid", "proc.exepath",
	"proc.cmdline", "thread.tid", "user.uid",  "evt.via",	"fd.num",
	"fd.slot",	"fd.name",    "evt.marks", NULL,
};

const char *const format_object_container_fields[] = {
	"container.id", "container.name", "container.image", "k8s.ns.name", "k8s.pod.name", NULL,
};

struct list_parser {
	struct formatter *formatter;
	const char *text;
	bool has_default;
	struct filter_error *err;
};

static int column_add_field(const struct list_parser *p, const char *name, size_t len,
			    size_t position)
{
	return format_add_field(p->formatter, (struct filter_text){name, len}, p->text, position,
				p->err);
}

/* Adds fields of a list that ends with NULL, or may be NULL. */
static int column_add_names(const struct list_parser *p, const char *const *names, size_t position)
{
	int r = 0;

	for (; names && *names && r == 0; names++)
		r = column_add_field(p, *names, strlen(*names), position);
	return r;
}

static int column_add_default(struct list_parser *p, size_t position)
{
	p->has_default = true;
	return column_add_names(p, p->formatter->events->default_fields, position);
}

/* They stand last, so that one test per event suffices. Those that were named are not added. */
static int add_container_columns(const struct list_parser *p)
{
	struct formatter *formatter = p->formatter;
	size_t before = formatter->columns_count;
	int r = column_add_names(p, formatter->events->container_fields, 0);

	formatter->container_columns = formatter->columns_count - before;
	return r;
}

static bool stands_alone(const struct field_desc *desc)
{
	return !(desc->flags & (FIELD_FILTER_ONLY | FIELD_ARG_REQUIRED));
}

static int column_add_all(const struct list_parser *p, size_t position)
{
	int r = 0;

	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name && r == 0; desc++)
			if (stands_alone(desc))
				r = column_add_field(p, desc->name, strlen(desc->name), position);
	return r;
}

static size_t count_names(const char *const *names)
{
	size_t n = 0;

	while (names && names[n])
		n++;
	return n;
}

/* The most columns that words of a list can add. */
static size_t count_all(const struct formatter *formatter)
{
	size_t n = count_names(formatter->events->default_fields) +
		   count_names(formatter->events->container_fields);

	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++)
			n++;
	return n;
}

/* Bytes up to the next comma outside brackets and quotes. */
static size_t element_length(const char *text)
{
	bool in_brackets = false;
	char quote = '\0';
	size_t n = 0;

	for (; text[n]; n++) {
		if (quote && text[n] == '\\' && text[n + 1])
			n++;
		else if (quote)
			quote = text[n] == quote ? '\0' : quote;
		else if (in_brackets && (text[n] == '"' || text[n] == '\''))
			quote = text[n];
		else if (text[n] == '[' || text[n] == ']')
			in_brackets = text[n] == '[';
		else if (text[n] == ',' && !in_brackets)
			break;
	}
	return n;
}

static bool column_is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(text, word, len) == 0;
}

static int add_element(struct list_parser *p, size_t position, size_t len)
{
	const char *text = p->text + position;

	for (; len && *text == ' '; text++, position++)
		len--;
	while (len && text[len - 1] == ' ')
		len--;
	if (len == 0)
		return filter_error_set(p->err, p->text, position,
					"expected a field, 'default' or 'all'");
	if (column_is_word(text, len, "default"))
		return column_add_default(p, position);
	if (column_is_word(text, len, "all"))
		return column_add_all(p, position);
	return column_add_field(p, text, len, position);
}

int format_parse_fields(struct formatter *formatter, const char *list, struct filter_error *err)
{
	struct list_parser parser = {.formatter = formatter, .text = list, .err = err};
	size_t commas = 0, at = 0;
	int r;

	for (const char *c = list; *c; c++)
		commas += *c == ',';
	r = format_reserve(formatter, commas + 1 + count_all(formatter));
	while (r == 0) {
		size_t len = element_length(list + at);

		r = add_element(&parser, at, len);
		at += len;
		if (list[at] == '\0')
			break;
		at++;
	}
	return r == 0 && parser.has_default ? add_container_columns(&parser) : r;
}

/*
 * Formats to columns: text, and after each `%` a field or a transformer. Nothing marks its end: the
 * longest valid one is used (%evt.numx is evt.num and the text x).
 */

enum {
	FORMAT_BYTES_MAX = 1 << 16,
	WIDTH_MAX = 1 << 12,
	NAME_MAX_BYTES = 128, /* names of fields are shorter, their argument included */
};

struct format_parser {
	struct formatter *formatter;
	const char *text, *at;
	struct filter_error *err;
};

#define FORMAT_FAIL(p, ...)                                                                        \
	filter_error_set((p)->err, (p)->text, (size_t)((p)->at - (p)->text), __VA_ARGS__)

static int make_text(struct format_parser *p, const char *data, size_t len,
		     struct filter_text *text)
{
	text->data = arena_text(&p->formatter->arena, data, len);
	text->len = len;
	return text->data ? 0 : -ENOMEM;
}

static int parse_width(struct format_parser *p, unsigned int *width)
{
	const char *start = p->at;

	*width = 0;
	for (; *p->at >= '0' && *p->at <= '9'; p->at++) {
		*width = *width * 10 + (unsigned int)(*p->at - '0');
		if (*width <= WIDTH_MAX)
			continue;
		p->at = start;
		return FORMAT_FAIL(p, "a width is no more than %d", WIDTH_MAX);
	}
	if (*p->at == '\0' && p->at > start)
		return FORMAT_FAIL(p, "a format cannot end with a number after '%%'");
	return 0;
}

/* Adds the operand `expr`, which ends before `end`. */
static int column_add(struct format_parser *p, struct format_token *token,
		      const struct filter_expr *expr, size_t end, struct filter_error *err)
{
	size_t start = (size_t)(p->at - p->text);
	int r = make_text(p, p->at, end - start, &token->name);

	token->expr = expr;
	if (r == 0)
		r = format_add_column(p->formatter, token, p->text, err);
	if (r == 0)
		p->at = p->text + end;
	return r;
}

/* A transformer that does not accept brackets: they are text. */
static int add_without_selector(struct format_parser *p, struct format_token *token,
				struct filter_expr *call)
{
	call->selector = (struct filter_text){0};
	return column_add(p, token, call, call->selector_position, NULL);
}

/* Adds the longest prefix of the current word that is a field. */
static int add_shorter_field(struct format_parser *p, struct format_token *token)
{
	size_t start = (size_t)(p->at - p->text);
	size_t n = filter_lex_field(p->at);

	if (n > NAME_MAX_BYTES)
		n = NAME_MAX_BYTES;
	for (; n > 0; n--) {
		struct filter_expr expr = {.kind = FILTER_EXPR_FIELD, .position = start};
		int r = make_text(p, p->at, n, &expr.text);

		if (r == 0)
			r = column_add(p, token, &expr, start + n, NULL);
		if (r != -EINVAL)
			return r;
	}
	return -EINVAL;
}

static int parse_token(struct format_parser *p, struct filter_text before)
{
	struct format_token token = {.before = before};
	struct filter_expr *expr = NULL;
	size_t end = 0;
	int r;

	p->at++; /* '%' */
	if (*p->at == '%')
		return FORMAT_FAIL(p, "'%%' begins a field, always: it cannot be printed itself");
	if (*p->at == '\0')
		return FORMAT_FAIL(p, "a format cannot end with '%%'");
	r = parse_width(p, &token.width);
	if (r)
		return r;
	r = filter_parse_operand(p->text, (size_t)(p->at - p->text), &p->formatter->arena, &expr,
				 &end, p->err);
	if (r == 0)
		r = column_add(p, &token, expr, end, p->err);
	if (r != -EINVAL)
		return r;
	if (expr && expr->kind == FILTER_EXPR_CALL && expr->selector.data)
		return add_without_selector(p, &token, expr);
	return add_shorter_field(p, &token);
}

static size_t count_tokens(const char *format)
{
	size_t n = 0;

	while ((format = strchr(format, '%'))) {
		format++;
		n++;
	}
	return n;
}

/* Names that are not UTF-8 could not be distinguished as keys. */
static int column_check_keys(struct format_parser *p)
{
	const char *at = p->text, *end = at + strlen(at);
	uint32_t code_point;
	size_t n;

	while (at < end && (n = utf8_decode(at, (size_t)(end - at), &code_point)))
		at += n;
	if (at == end)
		return 0;
	p->at = at;
	return FORMAT_FAIL(p, "a format for JSON is UTF-8: its fields are the keys");
}

int format_parse(struct formatter *formatter, const char *format, struct filter_error *err)
{
	struct format_parser parser = {formatter, format, format, err};
	struct format_parser *p = &parser;
	int r;

	if (format[0] == '\0')
		return FORMAT_FAIL(p, "the format is empty");
	if (strlen(format) > FORMAT_BYTES_MAX)
		return FORMAT_FAIL(p, "a format has no more than %d bytes", FORMAT_BYTES_MAX);
	r = formatter->events->keyed ? column_check_keys(p) : 0;
	if (r)
		return r;
	formatter->missing = format[0] == '*' ? MISSING_IS_SHOWN : MISSING_DROPS_THE_LINE;
	p->at += format[0] == '*';
	r = format_reserve(formatter, count_tokens(format));
	while (r == 0) {
		size_t n = strcspn(p->at, "%");
		struct filter_text text;

		r = make_text(p, p->at, n, &text);
		p->at += n;
		formatter->after = text;
		if (r || *p->at == '\0')
			break;
		r = parse_token(p, text);
	}
	return r;
}
