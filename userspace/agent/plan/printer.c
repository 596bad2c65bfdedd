/* SPDX-License-Identifier: MIT */
/* Makes the formatter that the options ask for; messages about expressions. */
#include "agent/plan/printer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/record/captures.h"
#include "output/delivery/batch.h"
#include "output/delivery/outputs.h"
#include "output/redact/redact.h"
#include "util/buf.h"
#include "util/count.h"
#include "util/terminal.h"

/* Converts the error of a filter or format to a message of the agent. */

int plan_expression_error(const char *option, const char *expression,
			  const struct filter_error *wrong, int code, struct error *err)
{
	struct buf text = {0};

	if (code != -EINVAL)
		return error_set(err, code, "%sout of memory", option);
	buf_append_string(&text, option);
	filter_error_render(expression, wrong, &text);
	while (text.len && text.data[text.len - 1] == '\n')
		text.len--;
	buf_append_char(&text, '\0');
	error_set(err, code, "%s", text.failed ? wrong->text : text.data);
	buf_finish(&text);
	return code;
}

/* Creates the formatter from the output options. */

/*
 * Formats that have names, as in the .scap world. Rules have an output of their own, and get only
 * what is about containers.
 */
static const struct named_format {
	const char *letter, *name; /* values of -p */
	const char *line, *container_info;
} named_formats[] = {
#define CONTAINER_INFO                                                                             \
	"container_id=%container.id container_image=%container.image.repository "                  \
	"container_image_tag=%container.image.tag container_name=%container.name"
	{"c", "container", FORMAT_CONTAINER_LINE, CONTAINER_INFO},
	{"k", "kubernetes", FORMAT_POD_LINE,
	 CONTAINER_INFO " k8s_ns=%k8s.ns.name k8s_pod_name=%k8s.pod.name"},
};

/* Default maximum for buffers in lines of text. */
enum { TEXT_BUFFER_MAX = 80 };

/* Whether a line of text may have colours: https://no-color.org */
static bool is_coloured(const struct options *options)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no_color && no_color[0]) &&
	       !(term && strcmp(term, "dumb") == 0);
}

static bool wants_json(const struct options *options)
{
	return options->json_fields || options->json_base64;
}

/* -p and -R select text, even for a pipe; options about JSON select JSON. */
static const struct output_format *resolve_format(const struct options *options)
{
	if (options->quiet || options->outputs_count || options->view)
		return &format_none;
	if (options->format)
		return options->format;
	if (wants_json(options))
		return &format_json;
	return options->print || options->port_names || isatty(STDOUT_FILENO) ? &format_text
									      : &format_json;
}

static struct text_style resolve_style(const struct options *options)
{
	struct text_style style = options->style;

	style.coloured = is_coloured(options);
	if (!options->verbose && !options->snaplen_chosen)
		style.bytes_max = TEXT_BUFFER_MAX;
	return style;
}

/* Whether -p is about lines of events: with rules a name of a format is about their outputs. */
static bool prints_lines(const struct printer *printer, const struct options *options)
{
	return options->print && !printer->container_info;
}

/* Lines that the user has chosen stay whole. */
static unsigned int resolve_width(const struct options *options)
{
	if (options->wide || options->verbose || options->print)
		return 0;
	return terminal_width(STDOUT_FILENO);
}

static int printer_check(const struct printer *printer, const struct options *options,
			 struct error *err)
{
	if (options->quiet || options->outputs_count || options->view)
		return 0;
	if (printer->format == &format_protobuf && !options->explain && isatty(STDOUT_FILENO))
		return error_set(err, -EINVAL,
				 "-o protobuf: standard output is a terminal; direct it to a file "
				 "or into a pipe");
	if (printer->format->silent && options->print)
		return error_set(err, -EINVAL, "-p: nothing is printed with -o none");
	if (!printer->format->events.keyed && options->json_fields)
		return error_set(err, -EINVAL, "--json-fields is for -o json and -o protobuf");
	if (printer->format != &format_json && options->json_base64)
		return error_set(err, -EINVAL, "--json-b64 is for -o json");
	if (printer->format != &format_text && options->port_names)
		return error_set(err, -EINVAL, "-R is for -o text");
	if (prints_lines(printer, options) && options->json_fields)
		return error_set(err, -EINVAL,
				 "-p and --json-fields: one of them says what to print");
	return 0;
}

/* The format that `print` is the name of, or NULL. */
static const struct named_format *find_named(const char *print)
{
	for (size_t i = 0; print && i < COUNT(named_formats); i++) {
		const struct named_format *named = &named_formats[i];

		if (strcmp(print, named->letter) == 0 || strcmp(print, named->name) == 0)
			return named;
	}
	return NULL;
}

/* Warns of a format without fields: probably their `%` is missing. */
static void warn_of_constant_format(const char *format, struct buf *messages)
{
	struct field_ref ref;
	size_t start;

	if (strchr(format, '%'))
		return;
	BUF_LITERAL(messages, "agent: warning: -p: ");
	start = messages->len;
	buf_printf(messages, "'%.60s' has no field (%%FIELD): each line is the same", format);
	if (field_ref_init(&ref, format, strlen(format), NULL) == 0) {
		field_ref_finish(&ref);
		buf_printf(messages, "; for the value of the field write '%%%.60s'", format);
	}
	if (!messages->failed)
		terminal_mask(messages->data + start, messages->len - start);
	buf_append_char(messages, '\n');
}

static int create_format(const struct printer_request *request, struct formatter **formatter,
			 struct buf *messages, struct error *err)
{
	const struct named_format *named = find_named(request->print);
	const char *format = named ? named->line : request->print;
	struct filter_error wrong = {0};
	int r = formatter_create_format(request->format, format, formatter, &wrong);

	if (r)
		return plan_expression_error("-p: ", format, &wrong, r, err);
	warn_of_constant_format(format, messages);
	return 0;
}

static int create_fields(const struct printer_request *request, struct formatter **formatter,
			 struct error *err)
{
	struct filter_error wrong = {0};
	int r = formatter_create_fields(request->format, request->fields, formatter, &wrong);

	return r ? plan_expression_error(request->fields_option, request->fields, &wrong, r, err)
		 : 0;
}

/* In text the rule prints everything, unless -p adds more. */
bool printer_prints_events(const struct printer *printer, const struct options *options,
			   const struct output_format *format)
{
	if (format->silent)
		return false;
	return !options->rules_count || format->matches.with_fields ||
	       prints_lines(printer, options);
}

const char *printer_line(const struct printer *printer, const struct options *options)
{
	const struct agent_subcommand *command = options->subcommand;

	if (!options->print && printer->format == &format_text && command)
		return options->why && command->print_why ? command->print_why : command->print;
	return prints_lines(printer, options) ? options->print : NULL;
}

static int plan_printer_make_formatter(const struct printer *printer, const struct options *options,
				       const struct printer_request *request,
				       const struct text_style *style, struct formatter **formatter,
				       struct buf *messages, struct error *err)
{
	int r;

	if (request->fields)
		r = create_fields(request, formatter, err);
	else if (request->print)
		r = create_format(request, formatter, messages, err);
	else
		r = formatter_create(request->format, NULL, 0, formatter, err);
	if (r)
		return r;
	formatter_set_machine(*formatter, &printer->machine);
	r = formatter_set_schema(*formatter, request->schema);
	if (r)
		return error_set(err, r, "out of memory");
	if (options->json_base64)
		formatter_add_base64(*formatter);
	formatter_set_style(*formatter, style);
	return 0;
}

int printer_make_formatter(const struct printer *printer, const struct options *options,
			   const struct printer_request *request, struct formatter **formatter,
			   struct buf *messages, struct error *err)
{
	struct text_style style = printer->style;

	style.coloured = false;
	style.hider = (struct text_hider){0};
	return plan_printer_make_formatter(printer, options, request, &style, formatter, messages,
					   err);
}

size_t printer_add_line(struct printer *printer, const struct ruleset_line *line)
{
	size_t i = 0;

	while (i < printer->lines_count && (printer->lines[i].format != line->format ||
					    printer->lines[i].schema != line->schema))
		i++;
	if (i == printer->lines_count)
		printer->lines[printer->lines_count++] = *line;
	return i;
}

static int load_services(struct printer *printer, struct error *err)
{
	int r = services_load(&printer->services);

	if (r)
		return error_set(err, r,
				 r == -ENOENT ? "-R: this machine has no names of services: "
						"/etc/services is missing (package "
						"netbase)"
					      : "-R: out of memory");
	printer->style.services = printer->services;
	return 0;
}

/* In a part of a line of an event. */
static void plan_printer_hide_text(void *redact, char *text, size_t len)
{
	redact_text(redact, text, len);
}

/* Outputs hide secrets themselves, see there. */
static int plan_printer_hide_secrets(struct printer *printer, const struct options *options,
				     struct error *err)
{
	int r;

	if (options->no_redact || (printer->format->silent && !options->view && !options->trace))
		return 0;
	r = redact_create(NULL, 0, &printer->redact, err);
	if (r)
		return r;
	if (options->json_base64)
		redact_expect_base64(printer->redact);
	printer->style.hider =
		(struct text_hider){.arguments = redact_arguments, .context = printer->redact};
	return 0;
}

void printer_hide(const struct printer *printer, char *record, size_t len)
{
	const struct output_form form = {.format = printer->format, .redact = printer->redact};

	if (printer->redact)
		batch_hide_in_record(&form, record, len);
}

/* What `running` has is not loaded again; NULL: there is none. */
static int plan_printer_init(struct printer *printer, const struct options *options,
			     const struct printer *running, struct buf *messages, struct error *err)
{
	const struct named_format *named = find_named(options->print);
	struct printer_request request;
	struct text_style style;
	int r;

	*printer = (struct printer){
		.format = resolve_format(options),
		.style = resolve_style(options),
		.width = resolve_format(options) == &format_text ? resolve_width(options) : 0,
		.container_info = named && options->rules_count ? named->container_info : NULL,
	};
	r = printer_check(printer, options, err);
	if (running)
		printer->machine = running->machine;
	else if (!options->read)
		schema_identity_read(&printer->machine, options->host_root);
	printer->style.services = running ? running->services : NULL;
	if (r == 0 && options->port_names && !printer->style.services)
		r = load_services(printer, err);
	if (r == 0)
		r = plan_printer_hide_secrets(printer, options, err);
	if (r || !printer_prints_events(printer, options, printer->format))
		return r;
	request = (struct printer_request){
		.format = printer->format,
		.fields = options->json_fields,
		.fields_option = "--json-fields: ",
		.print = printer_line(printer, options),
	};
	style = printer->style;
	printer->hides_parts = printer->redact && !printer->format->records.visit_texts;
	if (printer->hides_parts)
		style.hider.text = plan_printer_hide_text;
	return plan_printer_make_formatter(printer, options, &request, &style, &printer->formatter,
					   messages, err);
}

int printer_init(struct printer *printer, const struct options *options, struct buf *messages,
		 struct error *err)
{
	return plan_printer_init(printer, options, NULL, messages, err);
}

int printer_init_again(struct printer *printer, const struct printer *running,
		       const struct options *options, struct buf *messages, struct error *err)
{
	return plan_printer_init(printer, options, running, messages, err);
}

void printer_replace(struct printer *running, struct printer *printer)
{
	printer->services = running->services;
	running->services = NULL;
	printer_finish(running);
	*running = *printer;
	*printer = (struct printer){0};
}

void printer_finish(struct printer *printer)
{
	formatter_destroy(printer->formatter);
	redact_destroy(printer->redact);
	services_destroy(printer->services);
	*printer = (struct printer){0};
}

unsigned int printer_needs(const struct printer *printer)
{
	unsigned int needs = printer->formatter ? formatter_needs(printer->formatter) : 0;

	if (printer->outputs)
		needs |= outputs_needs(printer->outputs) | captures_needs(printer->captures);
	return needs;
}
