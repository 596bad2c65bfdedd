/* SPDX-License-Identifier: MIT */
/*
 * Formats (-p): any text is rejected with a position inside it, or prints events, as text and as
 * one valid JSON object. With a leading `*` every event is printed; otherwise an event that is not
 * printed appends nothing. The length of the input selects the style of times, buffers and colours.
 */
#include <errno.h>
#include <stdlib.h>

#include "fuzz.h"
#include "sinsp/format/format.h"

struct printer {
	struct formatter *text, *json;
	bool always; /* prints events that lack a value, too */
	struct buf out;
};

static struct formatter *create(const struct output_format *output, const char *format)
{
	struct formatter *formatter = NULL;
	struct filter_error err = {0};
	int r = formatter_create_format(output, format, &formatter, &err);

	REQUIRE(r == 0 || r == -EINVAL, "%d", r);
	if (r)
		fuzz_check_error(format, &err);
	return formatter;
}

static bool print(struct printer *printer, struct formatter *formatter,
		  const struct sinsp_event *event)
{
	bool printed;

	buf_clear(&printer->out);
	printed = formatter_append(formatter, event, &printer->out);
	REQUIRE(!printer->out.failed, "memory");
	REQUIRE(printed || printer->out.len == 0, "%zu bytes", printer->out.len);
	REQUIRE(printed || !printer->always, "%s", event->ev.desc->name);
	return printed;
}

static void print_event(const struct sinsp_event *event, void *context)
{
	struct printer *printer = context;

	print(printer, printer->text, event);
	if (printer->json && print(printer, printer->json, event))
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

	printer.text = create(&format_text, format);
	printer.json = create(&format_json, format);
	REQUIRE(printer.text || !printer.json, "'%s' is a format for JSON alone", format);
	if (printer.text) {
		formatter_set_style(printer.text, &style);
		fuzz_show_events(print_event, &printer);
	}
	formatter_destroy(printer.text);
	formatter_destroy(printer.json);
	buf_finish(&printer.out);
	free(format);
	return 0;
}
