/* SPDX-License-Identifier: MIT */
/* Formats events as lines, by a list of fields or by a format string. */
#ifndef SINSP_FORMAT_FORMATTER_H
#define SINSP_FORMAT_FORMATTER_H

#include <stdbool.h>
#include <stddef.h>

#include "sinsp/filter/filter.h"
#include "sinsp/format/drop.h"
#include "sinsp/format/output_format.h"
#include "sinsp/state/event.h"
#include "sinsp/fields/text_value.h"
#include "util/buf.h"
#include "util/error.h"

/* The default line of text. */
#define FORMAT_DEFAULT_LINE                                                                        \
	"*%evt.num %evt.outputtime %evt.cpu %proc.name (%thread.tid) %evt.type %evt.args"

/* The line with the container of the process. */
#define FORMAT_CONTAINER_LINE                                                                      \
	"*%evt.num %evt.outputtime %evt.cpu %container.name (%container.id) %proc.name "           \
	"(%thread.tid:%thread.vtid) %evt.type %evt.args"

/* The line with the pod of the process. */
#define FORMAT_POD_LINE                                                                            \
	"*%evt.num %evt.outputtime %evt.cpu %k8s.ns.name %k8s.pod.name (%container.id) "           \
	"%proc.name (%thread.tid:%thread.vtid) %evt.type %evt.args"

struct formatter; /* for the events of one state */
struct schema_identity;

/*
 * Makes a formatter of `n` fields for a format that prints events; NULL and 0: its default line.
 * Text has a blank between values, and <NA> for a missing one; JSON omits it. Returns 0, or -errno
 * with a message.
 */
int formatter_create(const struct output_format *output, const char *const *fields, size_t n,
		     struct formatter **formatter, struct error *err);

/*
 * Makes a formatter of a format such as "*%evt.num %12proc.name %toupper(evt.type)". A number
 * between `%` and the field, the width, truncates or pads a value to that many bytes. With `*` as
 * the first character missing values are <NA> in text and null in JSON; without it an event that
 * lacks one is not printed. JSON has the fields and transformers as keys, once each, and neither
 * the text between them nor widths. Returns 0, -EINVAL with `err` set, or -ENOMEM.
 */
int formatter_create_format(const struct output_format *output, const char *format,
			    struct formatter **formatter, struct filter_error *err);

/*
 * Makes a formatter of comma-separated fields. `default` means those of the default line, which
 * may have more for events of containers, `all` every field that can be printed without an
 * argument. Duplicates are printed once. Returns as formatter_create_format().
 */
int formatter_create_fields(const struct output_format *output, const char *list,
			    struct formatter **formatter, struct filter_error *err);

/*
 * JSON: each text that is not UTF-8 gets an additional key NAME_b64 with its bytes in base64. To be
 * called before the first event.
 */
void formatter_add_base64(struct formatter *formatter);

/*
 * Lets records of schemas say on which machine they happen: events of a capture file may be of
 * another one. To be called before formatter_set_schema(), until which it is borrowed.
 */
void formatter_set_machine(struct formatter *formatter, const struct schema_identity *machine);

/*
 * Gives the fields the names and the forms of a schema; NULL: their own. Fields that have the same
 * name there are written once. To be called after the creation, before all below. Does nothing in
 * formats without schemas: see output_format_has_schemas(). Returns 0, or -ENOMEM: then the
 * formatter can only be destroyed.
 */
int formatter_set_schema(struct formatter *formatter, const struct schema *schema);

/*
 * Begins each record with an id: STREAM-NUMBER, where the number is evt.num (JSON: the key evt.id).
 * Text has none. To be called once, before the first event. Returns 0 or -ENOMEM.
 */
int formatter_set_id(struct formatter *formatter, const char *stream);

void formatter_destroy(struct formatter *formatter);

/*
 * Appends the output for an event, without a newline. Returns false, with nothing appended, if
 * there is nothing to print. If out of memory, `out` is unchanged except for its `failed`.
 */
bool formatter_append(struct formatter *formatter, const struct state_event *event,
		      struct buf *out);

/* Appends the output for an event with a newline. Returns as formatter_append(). */
bool formatter_write(struct formatter *formatter, const struct state_event *event, struct buf *out);

/* Sets the style of text, which is copied. To be called before the first event. */
void formatter_set_style(struct formatter *formatter, const struct text_style *style);

/*
 * Hides secrets in arguments and environments, whose bounds the text has no more. To be called
 * after formatter_set_style(), before the first event.
 */
void formatter_set_hider(struct formatter *formatter, const struct text_hider *hider);

/* The state that the fields need: enum field_needs bits. */
unsigned int formatter_needs(const struct formatter *formatter);

#endif
