/* SPDX-License-Identifier: MIT */
/* Gives a formatter another schema: what begins each record, and other keys and values. */
#include <errno.h>
#include <string.h>

#include "sinsp/format/format.h"
#include "sinsp/format/formatter.h"
#include "sinsp/format/schema.h"
#include "sinsp/values/param_value.h"

static size_t count_heads(const struct output_schema *schema)
{
	size_t n = 0;

	while (schema->heads[n].key)
		n++;
	return n;
}

static size_t count_companions(const struct output_schema *schema)
{
	const struct schema_companion *companion = schema->companions;
	size_t n = 0;

	for (; companion && companion->field; companion++)
		n++;
	return n;
}

static int add_field(struct formatter *formatter, const struct schema_head *head)
{
	const struct filter_text name = {head->field, strlen(head->field)};
	struct filter_error unused;
	int rc;

	formatter->head = head;
	rc = format_add_field(formatter, name, head->field, 0, &unused);
	formatter->head = NULL;
	return rc;
}

static const char *text_of(const struct formatter *formatter, const struct schema_head *head)
{
	if (!head->machine)
		return head->constant;
	return formatter->machine ? formatter->machine->parts[head->machine] : "";
}

static bool write_nothing(struct formatter *formatter, const struct format_column *column,
			  const struct sinsp_event *event, struct buf *out)
{
	return true;
}

/* All constant texts are what stands before the value of one column, which has none. */
static int add_constants(struct formatter *formatter, const struct schema_head *head)
{
	struct format_column column = {.write = write_nothing};
	struct buf text = {0};
	int rc;

	for (; head->key; head++)
		if (!head->field && *text_of(formatter, head))
			formatter->events->append_constant(&text, head->key,
							   text_of(formatter, head));
	rc = format_keep_text(formatter, &text, &column.before);
	if (rc == 0 && text.len)
		formatter->columns[formatter->columns_count++] = column;
	buf_finish(&text);
	return rc;
}

static int add_heads(struct formatter *formatter)
{
	int rc = 0;

	for (const struct schema_head *head = formatter->schema->heads; head->key && rc == 0;
	     head++)
		if (head->field)
			rc = add_field(formatter, head);
	return rc ? rc : add_constants(formatter, formatter->schema->heads);
}

/* Adds what is said beside a field. */
static int add_companions(struct formatter *formatter, const struct format_column *column)
{
	const struct schema_companion *companion = formatter->schema->companions;
	int rc = 0;

	for (; column->ref && companion && companion->field && rc == 0; companion++)
		if (strcmp(companion->field, column->ref->desc->name) == 0)
			rc = add_field(formatter,
				       &(struct schema_head){companion->key, companion->field,
							     companion->constant, SCHEMA_BESIDE});
	return rc;
}

static int add_again(struct formatter *formatter, const struct format_column *column)
{
	const struct format_token token = {.before = column->before, .name = column->name};
	struct format_column again = *column;
	int rc = formatter->events->column_init(formatter, &again, &token);

	return rc ? rc : format_place_column(formatter, &again);
}

void formatter_set_machine(struct formatter *formatter, const struct identity *machine)
{
	formatter->machine = machine;
}

int formatter_set_schema(struct formatter *formatter, const struct output_schema *schema)
{
	const struct format_column *columns = formatter->columns;
	size_t count = formatter->columns_count;
	size_t for_all = count - formatter->container_columns, for_all_now;
	int rc;

	if (!schema || !schema->renames || !formatter->events->append_constant)
		return 0;
	formatter->schema = schema;
	formatter->encoder = formatter->events->schema_encoder;
	formatter->columns_count = 0;
	rc = param_values_create(formatter->encoder, &formatter->values);
	if (rc == 0)
		rc = format_reserve(formatter,
				    count_heads(schema) + count + count_companions(schema));
	if (rc == 0)
		rc = add_heads(formatter);
	for_all_now = formatter->columns_count;
	for (size_t i = 0; i < count && rc == 0; i++) {
		rc = add_again(formatter, &columns[i]);
		if (rc == 0)
			rc = add_companions(formatter, &columns[i]);
		if (i < for_all)
			for_all_now = formatter->columns_count;
	}
	if (rc)
		return rc;
	formatter->container_columns = formatter->columns_count - for_all_now;
	formatter_set_style(formatter, &formatter->scratch.style);
	return format_make_spans(formatter);
}
