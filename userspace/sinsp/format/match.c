/* SPDX-License-Identifier: MIT */
/* Makes the lines of rules; they are written by the format. */
#include <errno.h>
#include <stdlib.h>

#include "sinsp/format/formatter_impl.h"
#include "sinsp/format/schema.h"
#include "sinsp/format/text.h"

static const struct schema *fields_of_alert(const struct format_rule *rule)
{
	return rule->schema ? rule->schema->fields : NULL;
}

/* The leading '*' prints lines even if a value is missing. */
static int create_part(const char *text, struct text_style style, struct formatter **part,
		       struct filter_error *err)
{
	struct buf format = {0};
	int r;

	buf_printf(&format, "*%s", text);
	buf_append_char(&format, '\0');
	r = format.failed ? -ENOMEM : formatter_create_format(&format_text, format.data, part, err);
	if (r == -EINVAL)
		err->position -= err->position > 0;
	buf_finish(&format);
	style.coloured = false;
	if (r)
		return r;
	formatter_set_style(*part, &style);
	(*part)->is_seldom_used = true;
	return 0;
}

/* The output of an alert is its line of text. */
static int create_start(struct match_line *line, const struct format_rule *rule,
			const struct text_style *style)
{
	const struct format_matches *matches =
		fields_of_alert(rule) ? &format_text.matches : line->matches;
	struct filter_error unused;
	struct buf text = {0};
	int r;

	if (!matches->append_format)
		return 0;
	matches->append_format(rule, &text);
	buf_append_char(&text, '\0');
	r = text.failed ? -ENOMEM : create_part(text.data, *style, &line->start, &unused);
	buf_finish(&text);
	return r;
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
	r = create_part(rule->output, *style, &made->output, err);
	if (r == 0)
		r = create_start(made, rule, style);
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
	formatter_destroy(line->start);
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
	text_append_output(line, event, &line->text);
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
