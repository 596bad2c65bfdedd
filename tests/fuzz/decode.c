/* SPDX-License-Identifier: MIT */
/*
 * Frames, one after the other by the lengths in their headers: rejected, or applied by the state
 * engine and printed with all fields, as one valid JSON object and as one line of text.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "sinsp/fields/field.h"
#include "sinsp/format/formatter.h"

enum { FIELDS_MAX = 512, NAME_MAX_BYTES = 64, CPU = 1 };

/* Small, so that the limits are reached: the least recently used entries are evicted. */
static const struct state_config config = {.threads_max = 8, .fds_max = 32};

struct printer {
	struct formatter *json, *text;
	struct buf out;
};

/* An argument for fields that need one, by its kind. */
static const char *const args[] = {
	[FIELD_ARG_NONE] = "",		 [FIELD_ARG_INDEX] = "[1]",
	[FIELD_ARG_KEY] = "[HOME]",	 [FIELD_ARG_KEY_OR_INDEX] = "[1]",
	[FIELD_ARG_NUMBER] = "[1]",	 [FIELD_ARG_PARAM] = "[1]",
	[FIELD_ARG_PARAM_NAME] = ".res", [FIELD_ARG_EVENT] = ".open",
	[FIELD_ARG_WORD] = ".memory",	 [FIELD_ARG_LABEL] = "[app]",
};

struct snapshot_names {
	char texts[FIELDS_MAX][NAME_MAX_BYTES];
	const char *list[FIELDS_MAX];
	size_t count;
};

static void add_name(struct snapshot_names *names, const char *field, const char *arg)
{
	char *text = names->texts[names->count];

	snprintf(text, NAME_MAX_BYTES, "%s%s", field, arg);
	names->list[names->count++] = text;
}

/* Names a field that can be printed: without argument if it allows that, and with one. */
static void add_field(struct snapshot_names *names, const struct field_desc *desc)
{
	REQUIRE(names->count + 2 <= FIELDS_MAX, "%zu fields", names->count);
	if (desc->flags & FIELD_FILTER_ONLY)
		return;
	if (!(desc->flags & FIELD_ARG_REQUIRED))
		add_name(names, desc->name, "");
	if (desc->arg != FIELD_ARG_NONE)
		add_name(names, desc->name, args[desc->arg]);
}

static struct formatter *create(const struct output_format *output, const struct snapshot_names *names)
{
	struct formatter *formatter = NULL;
	struct error err = {0};
	int r = formatter_create(output, names->list, names->count, &formatter, &err);

	REQUIRE(r == 0, "%s", err.text);
	return formatter;
}

static struct printer *printer_create(void)
{
	static struct printer printer;
	static struct snapshot_names names;

	for (size_t t = 0; field_tables[t]; t++)
		for (const struct field_desc *desc = field_tables[t]; desc->name; desc++)
			add_field(&names, desc);
	printer.json = create(&format_json, &names);
	printer.text = create(&format_text, &names);
	return &printer;
}

static void check_line(const struct buf *line)
{
	REQUIRE(line->len && !line->failed, "%zu bytes", line->len);
	REQUIRE(memchr(line->data, '\n', line->len) == line->data + line->len - 1, "%.*s",
		(int)line->len, line->data);
}

static void print(struct printer *printer, const struct state_event *event)
{
	buf_clear(&printer->out);
	formatter_write(printer->json, event, &printer->out);
	check_line(&printer->out);
	fuzz_check_json(&printer->out);
	buf_clear(&printer->out);
	formatter_write(printer->text, event, &printer->out);
	check_line(&printer->out);
}

/* The bytes of the current frame: the length in its header, at most the rest of the input. */
static size_t frame_size(const uint8_t *data, size_t left)
{
	struct ppm_evt_hdr header;

	if (left < sizeof(header))
		return left;
	memcpy(&header, data, sizeof(header));
	return header.len >= sizeof(header) && header.len < left ? header.len : left;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct printer *printer;
	struct state_event event;
	struct state *state;

	if (!printer)
		printer = printer_create();
	REQUIRE(state_create(&config, &state, NULL) == 0, "memory");
	while (size) {
		size_t len = frame_size(data, size);
		/* A block of its own, so that a read past its end is detected. */
		char *frame = fuzz_text(data, len);
		struct scap_event raw = {.frame = frame, .len = (uint32_t)len, .cpu = CPU};
		int r = state_process(state, &raw, &event);

		REQUIRE(r == 0 || r == -EBADMSG || r == -ENOENT, "%d", r);
		if (r == 0)
			print(printer, &event);
		free(frame);
		data += len;
		size -= len;
	}
	state_destroy(state);
	return 0;
}
