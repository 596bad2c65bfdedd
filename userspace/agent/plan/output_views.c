/* SPDX-License-Identifier: MIT */
/* Resolves the format, the fields and the filter of each output. */
#include "agent/plan/output_views.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/printer.h"
#include "output/target.h"

static int choose_format(const struct output_config *config, const struct output_format **format,
			 struct error *err)
{
	const char *name = output_config_format(config);

	*format = output_format_find(name);
	/* Kinds that name their formats may have some of their own. */
	if (!*format && config->kind->formats)
		*format = output_format_find_of_outputs(name);
	if (*format && output_format_has_events(*format) && !(*format)->silent)
		return 0;
	return error_set(
		err, -EINVAL,
		"--output %s: there is no format '%s' for events, but json, text or protobuf",
		config->text, name);
}

/* Leaves view->schema NULL for the native schema, and for that of formats with only one. */
static int choose_schema(const struct options *options, const struct output_config *config,
			 struct output_view *view, struct error *err)
{
	const char *name = output_config_schema(config);
	const struct schema *schema = schema_find(name);
	const struct schema *only = view->format->events.schema;

	if (!schema)
		return error_set(err, -EINVAL,
				 "--output %s: there is no schema '%s', but " OUTPUT_SCHEMA_WORDS,
				 config->text, name);
	if (only && schema != only)
		return error_set(err, -EINVAL,
				 "--output %s: format=%s has only schema=%s: leave out schema=",
				 config->text, view->format->name, only->name);
	if (only || schema == &schema_native)
		return 0;
	if (schema->fields && (!options->rules_count || config->fields))
		return error_set(err, -EINVAL,
				 config->fields ? "--output %s: schema=%s has the fields of each "
						  "rule's output: leave out fields="
						: "--output %s: schema=%s has alerts of rules and "
						  "nothing else: give some with --rules",
				 config->text, schema->name);
	if (output_format_has_schemas(view->format))
		view->schema = schema;
	else if (config->schema)
		return error_set(err, -EINVAL,
				 "--output %s: format=%s has only schema=native: leave out schema=",
				 config->text, view->format->name);
	return 0;
}

/* What errors in an expression of an output begin with. Returns NULL without memory. */
static char *option_name(const struct output_config *config, const char *key)
{
	char *name;

	return asprintf(&name, "--output %s: %s: ", config->text, key) < 0 ? NULL : name;
}

/* Commas end values of keys: fields are given with blanks between. */
static char *join_fields(const char *fields)
{
	char *list = strdup(fields);

	for (char *c = list; c && *c; c++)
		if (*c == ' ')
			*c = ',';
	return list;
}

static int output_views_make_formatter(const struct options *options, const struct printer *printer,
				       const struct output_config *config, struct output_view *view,
				       struct buf *messages, struct error *err)
{
	bool json = view->format == &format_json;
	char *fields = config->fields ? join_fields(config->fields) : NULL;
	char *option = fields ? option_name(config, "fields") : NULL;
	const struct printer_request request = {
		.format = view->format,
		.schema = view->schema,
		.fields = fields ? fields
			  : json ? options->json_fields
				 : NULL,
		.fields_option = fields ? option : "--json-fields: ",
		.print = json ? NULL : printer_line(printer, options),
	};
	int r = config->fields && (!fields || !option)
			? error_set(err, -ENOMEM, "out of memory")
			: printer_make_formatter(printer, options, &request, &view->formatter,
						 messages, err);

	free(option);
	free(fields);
	return r;
}

static int make_filter(const struct options *options, const struct output_config *config,
		       struct filter **filter, struct error *err)
{
	const struct filter_options filter_options = {.exact_types = options->exact_types};
	struct filter_error wrong = {0};
	char *option;
	int r;

	if (!config->filter)
		return 0;
	r = filter_create(config->filter, &filter_options, filter, &wrong);
	if (r == 0)
		return 0;
	option = option_name(config, "filter");
	plan_expression_error(option ? option : "", config->filter, &wrong, r, err);
	free(option);
	return r;
}

/* What is about events means nothing to an output of metrics. */
static int reject_of_events(const struct output_config *config, struct error *err)
{
	const char *key = config->filter   ? "filter"
			  : config->fields ? "fields"
			  : config->schema ? "schema"
					   : NULL;

	if (!key)
		return 0;
	return error_set(err, -EINVAL,
			 "--output %s: it has metrics and no events: leave out %s=", config->text,
			 key);
}

static int make_view(const struct options *options, struct printer *printer,
		     const struct output_config *config, struct output_view *view,
		     struct buf *messages, struct error *err)
{
	int r;

	if (config->kind->takes_metrics) {
		view->format = output_format_find_of_outputs(output_config_format(config));
		return reject_of_events(config, err);
	}
	r = choose_format(config, &view->format, err);
	if (r == 0)
		r = choose_schema(options, config, view, err);
	if (r)
		return r;
	view->line = printer_add_line(printer, &(struct ruleset_line){view->format, view->schema});
	if (config->fields || printer_prints_events(printer, options, view->format))
		r = output_views_make_formatter(options, printer, config, view, messages, err);
	return r ? r : make_filter(options, config, &view->filter, err);
}

static int add_output(const struct options *options, struct printer *printer,
		      struct output_config **config, struct outputs *outputs, struct buf *messages,
		      struct error *err)
{
	struct output_view view = {0};
	struct output *output;
	int r = make_view(options, printer, *config, &view, messages, err);

	if (r) {
		output_view_finish(&view);
		return r;
	}
	r = output_create(*config, &view, &output, err);
	*config = NULL;
	if (r == 0 && outputs_add(outputs, output))
		r = error_set(err, -ENOMEM, "out of memory");
	return r;
}

static int add_capture(const struct options *options, struct output_config **config,
		       struct captures *captures, struct error *err)
{
	struct capture *capture;
	struct filter *filter = NULL;
	int r = make_filter(options, *config, &filter, err);

	if (r)
		return r;
	r = capture_create(*config, filter, &capture, err);
	*config = NULL;
	return r ? r : captures_add(captures, capture, err);
}

int output_views_add(const struct options *options, size_t i, struct printer *printer,
		     struct outputs *outputs, struct captures *captures, struct buf *messages,
		     struct error *err)
{
	struct output_config **config = &options->outputs[i];

	return output_kind_takes_records((*config)->kind)
		       ? add_output(options, printer, config, outputs, messages, err)
		       : add_capture(options, config, captures, err);
}

void output_views_show(struct printer *printer, const struct outputs *outputs,
		       const struct captures *captures)
{
	bool any = outputs->count || captures->count;

	printer->outputs = any ? outputs : NULL;
	printer->captures = any ? captures : NULL;
}

int output_views_make(const struct options *options, struct printer *printer,
		      struct outputs *outputs, struct captures *captures, struct buf *messages,
		      struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < options->outputs_count && r == 0; i++)
		r = output_views_add(options, i, printer, outputs, captures, messages, err);
	output_views_show(printer, outputs, captures);
	return r;
}
