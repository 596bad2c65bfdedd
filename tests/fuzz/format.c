/* SPDX-License-Identifier: MIT */
/*
 * Formats (-p): any text is rejected with a position inside it, or prints events: as text, as one
 * valid JSON object in each schema, and as messages of protobuf. With a leading `*` every event is
 * printed; otherwise an event that is not printed appends nothing. The length of the input selects
 * the style of times, buffers and colours.
 */
#include <errno.h>
#include <stdlib.h>

#include "fuzz.h"
#include "sinsp/format/formatter.h"
#include "sinsp/format/schema.h"

/* Each is made of the format; NULL: the native schema. */
static const struct kind {
	const struct output_format *format;
	const struct schema *schema;
	bool is_json;
} kinds[] = {
	{&format_text},
	{&format_json, NULL, true},
	{&format_json, &schema_otel, true},
	{&format_json, &schema_ecs, true},
	{&format_otlp_json, NULL, true},
	{&format_otlp_proto},
	{&format_protobuf},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct printer {
	struct formatter *formatters[KINDS]; /* NULL: the format is not valid */
	bool always; /* prints events that lack a value, too */
	struct buf out;
};

static struct formatter *create(const struct kind *kind, const char *format)
{
	struct formatter *formatter = NULL;
	struct filter_error err = {0};
	int r = formatter_create_format(kind->format, format, &formatter, &err);

	REQUIRE(r == 0 || r == -EINVAL, "%d", r);
	if (r)
		fuzz_check_error(format, &err);
	else
		REQUIRE(formatter_set_schema(formatter, kind->schema) == 0, "memory");
	return formatter;
}

static bool print(struct printer *printer, struct formatter *formatter,
		  const struct state_event *event)
{
	bool printed;

	buf_clear(&printer->out);
	printed = formatter_append(formatter, event, &printer->out);
	REQUIRE(!printer->out.failed, "memory");
	REQUIRE(printed || printer->out.len == 0, "%zu bytes", printer->out.len);
	REQUIRE(printed || !printer->always, "%s", event->ev.desc->name);
	return printed;
}

static void print_event(const struct state_event *event, void *context)
{
	struct printer *printer = context;

	for (size_t i = 0; i < KINDS; i++)
		if (printer->formatters[i] && print(printer, printer->formatters[i], event) &&
		    kinds[i].is_json)
			fuzz_check_json(&printer->out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *format = fuzz_text(data, size);
	const struct text_style style = {
		.time = (enum text_time)(size % (TEXT_TIME_DELTA + 1)),
		.bytes = (enum text_bytes)(size % (TEXT_BYTES_HEX_ASCII + 1)),
		.bytes_max = size % 3 ? 80 : 0,
		.coloured = size % 2,
	};
	struct printer printer = {.always = format[0] == '*'};

	for (size_t i = 0; i < KINDS; i++) {
		printer.formatters[i] = create(&kinds[i], format);
		/* Where fields are keys, a format must be UTF-8. */
		REQUIRE(printer.formatters[0] || !printer.formatters[i],
			"'%s' is a format for %s, and not for text", format, kinds[i].format->name);
		REQUIRE(i < 2 || !printer.formatters[1] == !printer.formatters[i],
			"'%s' is a format for JSON or for %s alone", format, kinds[i].format->name);
		if (printer.formatters[i])
			formatter_set_style(printer.formatters[i], &style);
	}
	if (printer.formatters[0])
		fuzz_show_events(print_event, &printer);
	for (size_t i = 0; i < KINDS; i++)
		formatter_destroy(printer.formatters[i]);
	buf_finish(&printer.out);
	free(format);
	return 0;
}
