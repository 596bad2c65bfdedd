/* SPDX-License-Identifier: MIT */
/* Makes the lines of rules; they are written by the format. */
#include <errno.h>
#include <stdlib.h>

#include "sinsp/format/formatter.h"
#include "sinsp/format/schema.h"

static const struct output_schema *fields_of_alert(const struct format_rule *rule)
{
	return rule->schema ? rule->schema->fields : NULL;
}

/* The leading '*' prints lines even if a value is missing. Returns the bytes before the output. */
static size_t append_format(const struct match_line *line, const struct format_rule *rule,
			    struct buf *format)
{
	/* The output of an alert is its line of text. */
	const struct format_matches *matches =
		fields_of_alert(rule) ? &format_text.matches : line->matches;
	size_t before;

	buf_append_char(format, '*');
	if (matches->append_format)
		matches->append_format(rule, format);
	before = format->len;
	buf_append_string(format, rule->output);
	buf_append_char(format, '\0');
	return before;
}

static int create_output(struct match_line *line, const struct format_rule *rule,
			 struct text_style style, struct filter_error *err)
{
	struct buf format = {0};
	size_t before = append_format(line, rule, &format);
	int r = format.failed
			? -ENOMEM
			: formatter_create_format(&format_text, format.data, &line->output, err);

	if (r == -EINVAL)
		err->position = err->position > before ? err->position - before : 0;
	buf_finish(&format);
	style.coloured = false;
	if (r)
		return r;
	formatter_set_style(line->output, &style);
	line->output->is_seldom_used = true;
	return 0;
}

/* The fields that the output names, and the time; without a value they are null. */
static int create_values(struct match_line *line, const struct output_format *format,
			 const struct format_rule *rule)
{
	struct filter_error unused;
	struct buf text = {0};
	int r;

	if (!fields_of_alert(rule))
		return 0;
	buf_printf(&text, "*%%evt.time %s", rule->output);
	buf_append_char(&text, '\0');
	r = text.failed ? -ENOMEM
			: formatter_create_format(format, text.data, &line->values, &unused);
	buf_finish(&text);
	if (r == 0)
		r = formatter_set_schema(line->values, fields_of_alert(rule));
	if (r == 0)
		line->values->is_seldom_used = true;
	return r;
}

int match_line_create(const struct output_format *format, const struct format_rule *rule,
		      const struct text_style *style, struct match_line **line,
		      struct filter_error *err)
{
	struct match_line *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return -ENOMEM;
	made->matches = &format->matches;
	made->events = &format->events;
	r = create_output(made, rule, *style, err);
	if (r == 0)
		r = create_values(made, format, rule);
	if (r == 0 && made->matches->append_head)
		made->matches->append_head(rule, &made->head);
	if (made->head.failed)
		r = -ENOMEM;
	if (r)
		match_line_destroy(made);
	else
		*line = made;
	return r;
}

void match_line_destroy(struct match_line *line)
{
	if (!line)
		return;
	formatter_destroy(line->output);
	formatter_destroy(line->values);
	buf_finish(&line->head);
	buf_finish(&line->text);
	free(line);
}

void match_line_set_hider(struct match_line *line, const struct text_hider *hider)
{
	formatter_set_hider(line->output, hider);
	if (line->values)
		formatter_set_hider(line->values, hider);
}

unsigned int match_line_needs(const struct match_line *line)
{
	return line->matches->append ? formatter_needs(line->output) : NEEDS_NOTHING;
}

const struct buf *match_line_compose(struct match_line *line, const struct state_event *event,
				     struct buf *out)
{
	buf_clear(&line->text);
	formatter_append(line->output, event, &line->text);
	if (line->text.failed)
		buf_fail(out);
	return &line->text;
}

void match_line_append(struct match_line *line, const struct state_event *event,
		       struct formatter *fields, struct buf *out)
{
	size_t start = out->len;

	line->matches->append(line, event, fields, out);
	format_delimit(line->events, out, start);
	if (out->failed)
		out->len = start;
}
