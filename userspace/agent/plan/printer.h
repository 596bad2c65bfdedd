/* SPDX-License-Identifier: MIT */
/* What prints events: the format, its columns, and the messages about both. */
#ifndef AGENT_PLAN_PRINTER_H
#define AGENT_PLAN_PRINTER_H

#include "agent/options/options.h"
#include "rules/ruleset.h"
#include "sinsp/sinsp.h"
#include "util/error.h"
#include "util/services.h"

/* Errors in expressions of the command line, as messages of several lines. */

/*
 * Sets the message for an expression that a library rejected with `code`: the option before it
 * ("-p: ", or ""), and the expression with the position marked. Returns `code`.
 */
int plan_expression_error(const char *option, const char *expression,
			  const struct filter_error *wrong, int code, struct error *err);

/*
 * The output format of events, created once from the options. It has state from event to event
 * (evt.deltatime), so it is kept if rules are reloaded.
 */

enum { PRINTER_LINES_MAX = 32 }; /* more than formats times schemas */

struct captures;
struct outputs;
struct redact;

struct printer {
	const struct output_format *format; /* that of the options, or the default */
	struct text_style style; /* that of the options, with colours and lengths resolved */
	unsigned int
		width; /* columns of a terminal that lines of events are cut to; 0: they stay */
	struct services *services; /* owned; NULL: ports are numbers */
	struct formatter *formatter; /* owned; NULL: only rules print */
	struct redact *redact; /* owned; NULL: nothing is hidden of what standard output prints */
	/* Of lines of events: `formatter` hides what is secret in their parts. */
	bool hides_parts;
	struct schema_identity machine; /* nothing is known of that of a capture file */
	const char *container_info; /* for outputs of rules: see struct ruleset_config */
	const struct outputs *outputs; /* borrowed: they print; NULL: standard output does */
	const struct captures *captures; /* the same; NULL only if `outputs` is */
	/* The lines of rules, each once; 0: one in `format`. */
	struct ruleset_line lines[PRINTER_LINES_MAX];
	size_t lines_count;
};

/* What a formatter is asked for. */
struct printer_request {
	const struct output_format *format;
	const struct schema *schema; /* NULL: the native one */
	const char *fields; /* a list with commas; NULL: see `print` */
	const char *fields_option; /* that gave it, for messages: "--json-fields: " */
	const char *print; /* a format, or the name of one; NULL: the default fields */
};

/*
 * Warnings are appended to `messages` as whole lines. Returns 0 or -errno with a message; release
 * with printer_finish() in every case.
 */
int printer_init(struct printer *printer, const struct options *options, struct buf *messages,
		 struct error *err);
void printer_finish(struct printer *printer);

/*
 * Makes a printer while another one is in use, whose names of services are borrowed, and which
 * knows the machine: it may have been read with more privileges. Returns as printer_init(); then
 * either release it, or put it in the place of the running one, which is released except for those
 * names.
 */
int printer_init_again(struct printer *printer, const struct printer *running,
		       const struct options *options, struct buf *messages, struct error *err);
void printer_replace(struct printer *running, struct printer *printer);

/*
 * Makes a formatter for one more output, in the style of the printer without colours. Warnings are
 * appended to `messages` as whole lines. Returns 0 or -errno with a message.
 */
int printer_make_formatter(const struct printer *printer, const struct options *options,
			   const struct printer_request *request, struct formatter **formatter,
			   struct buf *messages, struct error *err);

/* Hides the secrets in a record for standard output, if they are to be hidden. */
void printer_hide(const struct printer *printer, char *record, size_t len);

/* Whether a format prints something of each event; otherwise only rules print. */
bool printer_prints_events(const struct printer *printer, const struct options *options,
			   const struct output_format *format);

/* -p, if it is about lines of events; else NULL. */
const char *printer_line(const struct printer *printer, const struct options *options);

/* The index of a line of rules, which is added if need be. */
size_t printer_add_line(struct printer *printer, const struct ruleset_line *line);

/* The state needed for output: enum field_needs bits. */
unsigned int printer_needs(const struct printer *printer);

#endif
