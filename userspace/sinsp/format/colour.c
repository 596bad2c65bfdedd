/* SPDX-License-Identifier: MIT */
/*
 * Colours of lines on a terminal: who did it and what it was stand out, what went wrong is red, and
 * numbers that only identify are dim. Arguments stay as they are.
 */
#include <string.h>

#include "sinsp/format/kinds.h"

#define DIM "\x1b[2m"
#define RED "\x1b[31m"
#define GREEN "\x1b[32m"
#define YELLOW "\x1b[33m"
#define BLUE "\x1b[34m"
#define CYAN "\x1b[36m"

static bool has_failed(const struct sinsp_event *event)
{
	int64_t result;

	return event_result(&event->ev, &result) && result < 0;
}

static const char *identity(const struct sinsp_event *event)
{
	return DIM;
}

static const char *process(const struct sinsp_event *event)
{
	return GREEN;
}

static const char *user(const struct sinsp_event *event)
{
	return YELLOW;
}

static const char *container(const struct sinsp_event *event)
{
	return BLUE;
}

static const char *type(const struct sinsp_event *event)
{
	return has_failed(event) ? RED : CYAN;
}

static const char *result(const struct sinsp_event *event)
{
	return has_failed(event) ? RED : "";
}

/* Of all parameters the first is the result. */
static const struct format_colour colours[] = {
	{"evt.num", identity, false},
	{"evt.cpu", identity, false},
	{"evt.time", identity, false},
	{"evt.datetime", identity, false},
	{"evt.rawtime", identity, false},
	{"evt.reltime", identity, false},
	{"evt.deltatime", identity, false},
	{"evt.outputtime", identity, false},
	{"evt.type", type, false},
	{"syscall.type", type, false},
	{"evt.res", result, false},
	{"evt.rawres", result, false},
	{"evt.args", result, true},
	{"evt.info", result, true},
	{"proc.", process, false},
	{"thread.", identity, false},
	{"user.", user, false},
	{"group.", user, false},
	{"container.", container, false},
};

const struct format_colour *format_colour_of(const struct field_desc *desc)
{
	for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++) {
		const struct format_colour *colour = &colours[i];

		if (strncmp(desc->name, colour->beginning, strlen(colour->beginning)) == 0)
			return colour;
	}
	return NULL;
}
