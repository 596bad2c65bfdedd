/* SPDX-License-Identifier: MIT */
/* The upgrade of old events by the rows of the sheets, one after the other. */
#include "upgrade_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi.h"
#include "sheet.h"

struct model_event model_events[MODEL_CODES];
struct model_row model_rows[MODEL_ROWS_MAX];
unsigned int model_rows_count;

static void load_events(void)
{
	struct sheet sheet;
	char *save;

	sheet_open(&sheet, "facts/events.tsv");
	while (sheet_next(&sheet)) {
		struct model_event *event = &model_events[sheet_number(sheet.columns[0], 10)];
		const char *flags = sheet.columns[4];

		event->enter = strcmp(sheet.columns[2], "E") == 0;
		event->old = strstr(flags, "OLD_VERSION");
		event->unused = strstr(flags, "UNUSED");
		event->managed = strstr(flags, "CONVERTER_MANAGED");
		event->large = strstr(flags, "LARGE_PAYLOAD");
		event->nparams = 0;
		for (char *param = strtok_r(sheet.columns[6], " ", &save); param;
		     param = strtok_r(NULL, " ", &save))
			assert_int_equal(sscanf(param, "%*[^:]:%23[^:]",
						event->types[event->nparams++].name),
					 1);
		assert_int_equal(event->nparams, sheet_number(sheet.columns[5], 10));
	}
}

static void load_rows(void)
{
	struct sheet sheet;

	sheet_open(&sheet, "facts/scap-conversions.tsv");
	while (sheet_next(&sheet)) {
		struct model_row *row = &model_rows[model_rows_count++];
		const char *action = sheet.columns[4];

		row->code = sheet_number(sheet.columns[0], 10);
		row->nparams = sheet_number(sheet.columns[3], 10);
		row->keeps = strncmp(action, "store", 5) == 0;
		row->gives = strstr(action, "pass");
		row->appends = strcmp(action, "append") == 0;
		row->to = strcmp(action, "retype") ? row->code : sheet_number(sheet.columns[5], 10);
		snprintf(row->sources, sizeof(row->sources), "%s", sheet.columns[6]);
	}
}

void model_load(void)
{
	model_rows_count = 0;
	load_events();
	load_rows();
}

const struct model_row *model_row_of(unsigned int code, unsigned int nparams)
{
	for (unsigned int i = 0; i < model_rows_count; i++)
		if (model_rows[i].code == code && model_rows[i].nparams == nparams)
			return &model_rows[i];
	return NULL;
}

/* Section 3.3: bytes of the fixed-size types, 0 for the others. */
static size_t size_of(const char *type)
{
	static const struct {
		const char *types;
		size_t size;
	} sizes[] = {
		{" INT8 UINT8 FLAGS8 ENUMFLAGS8 SIGTYPE ", 1},
		{" INT16 UINT16 FLAGS16 ENUMFLAGS16 SYSCALLID PORT ", 2},
		{" INT32 UINT32 FLAGS32 ENUMFLAGS32 UID GID MODE SIGSET FD32 PID32 IPV4ADDR ", 4},
		{" INT64 UINT64 RELTIME ABSTIME ERRNO FD PID ", 8},
		{" IPV6ADDR ", 16},
	};
	char word[32];

	snprintf(word, sizeof(word), " %s ", type);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (strstr(sizes[i].types, word))
			return sizes[i].size;
	return 0;
}

static void set(struct model_value *value, const void *bytes, size_t len)
{
	assert_true(len <= sizeof(value->bytes));
	value->len = (uint32_t)len;
	memcpy(value->bytes, bytes, len);
}

static void make_value(struct model_value *value, const char *type, uint8_t mark)
{
	uint8_t bytes[MODEL_VALUE_BYTES];
	size_t len = size_of(type);

	memset(bytes, mark, sizeof(bytes));
	if (strcmp(type, "DYN") == 0) {
		bytes[0] = 0; /* a number of 64 bits */
		len = 1 + sizeof(uint64_t);
	} else if (strcmp(type, "FDLIST") == 0) {
		bytes[0] = 1;
		bytes[1] = 0;
		len = sizeof(uint16_t) + sizeof(struct fdlist_entry);
	} else if (len == 0) {
		/* Strings, and what may be anything. */
		len = (size_t)snprintf((char *)bytes, sizeof(bytes), "text %u", mark) + 1;
	}
	set(value, bytes, len);
}

void model_make(struct model_frame *frame, unsigned int code, unsigned int nparams, uint8_t seed)
{
	frame->code = code;
	frame->nparams = nparams;
	for (unsigned int i = 0; i < nparams; i++)
		make_value(&frame->params[i], model_events[code].types[i].name,
			   (uint8_t)(seed + i));
}

static void set_default(struct model_value *value, const char *type)
{
	bool is_id = strcmp(type, "UID") == 0 || strcmp(type, "GID") == 0;
	uint8_t bytes[16];

	memset(bytes, is_id ? 0xff : 0, sizeof(bytes));
	set(value, bytes, size_of(type));
}

static void set_container(struct model_value *value, const struct model_frame *frame)
{
	uint32_t type;

	memcpy(&type, frame->params[1].bytes, sizeof(type));
	value->len = 1 + (uint32_t)snprintf(
				 (char *)value->bytes, sizeof(value->bytes),
				 "{\"id\":\"%s\",\"type\":%u,\"name\":\"%s\",\"image\":\"%s\"}",
				 (char *)frame->params[0].bytes, type,
				 (char *)frame->params[2].bytes, (char *)frame->params[3].bytes);
}

/*
 * The sheet copies the first bytes of a value that may be of several kinds, the kind included. Here
 * it is what the value is.
 */
static void unpack_dyn(struct model_value *value, const char *type, const char *new_type)
{
	if (strcmp(type, "DYN") != 0 || strcmp(new_type, "DYN") == 0)
		return;
	value->len--;
	memmove(value->bytes, value->bytes + 1, value->len);
}

/* One of "fd=e0!". */
static void take(struct model_value *value, const char *source, const char *type,
		 const struct model_frame *frame, const struct model_frame *enter)
{
	const struct model_frame *from = source[0] == 'o' ? frame : enter;
	unsigned long index = strtoul(source + 1, NULL, 10);

	value->len = 0;
	if (strcmp(source, "json") == 0) {
		set_container(value, frame);
	} else if (strcmp(source, "0") == 0 || (strchr(source, '!') && !enter)) {
		set_default(value, type);
	} else if (strcmp(source, "-") != 0 && from) {
		assert_true(index < from->nparams);
		*value = from->params[index];
		unpack_dyn(value, model_events[from->code].types[index].name, type);
		if (size_of(type) && value->len > size_of(type))
			value->len = (uint32_t)size_of(type);
	}
}

static void convert(struct model_frame *frame, const struct model_row *row,
		    const struct model_frame *enter)
{
	struct model_frame made = {.code = row->to};
	char sources[sizeof(row->sources)], *save;

	if (row->appends)
		made = *frame;
	if (enter && enter->code + 1 != frame->code)
		enter = NULL;
	strcpy(sources, row->sources);
	for (char *source = strtok_r(sources, " ", &save); source;
	     source = strtok_r(NULL, " ", &save), made.nparams++)
		take(&made.params[made.nparams], strchr(source, '=') + 1,
		     model_events[row->to].types[made.nparams].name, frame, enter);
	*frame = made;
}

int model_upgrade(struct model_frame *frame, const struct model_frame *enter, bool *keeps)
{
	*keeps = false;
	for (;;) {
		const struct model_event *event = &model_events[frame->code];
		const struct model_row *row = model_row_of(frame->code, frame->nparams);

		if (event->unused)
			return 0;
		if (!event->managed)
			return !event->old;
		if (!event->enter && !event->old && frame->nparams == event->nparams)
			return 1;
		if (!row)
			return -1;
		*keeps = row->keeps;
		if (row->keeps || row->gives)
			return row->gives;
		convert(frame, row, enter);
	}
}

size_t model_write(const struct model_frame *frame, int64_t tid, uint8_t *bytes)
{
	size_t width = model_events[frame->code].large ? sizeof(uint32_t) : sizeof(uint16_t);
	struct ppm_evt_hdr header = {.ts = 5,
				     .tid = (uint64_t)tid,
				     .type = (uint16_t)frame->code,
				     .nparams = frame->nparams};
	size_t at = sizeof(header) + frame->nparams * width;

	for (unsigned int i = 0; i < frame->nparams; i++) {
		memcpy(bytes + sizeof(header) + i * width, &frame->params[i].len, width);
		memcpy(bytes + at, frame->params[i].bytes, frame->params[i].len);
		at += frame->params[i].len;
	}
	header.len = (uint32_t)at;
	memcpy(bytes, &header, sizeof(header));
	return at;
}
