/* SPDX-License-Identifier: MIT */
/*
 * Colours of lines on a terminal: process and event type stand out, errors are red, and numbers
 * that are only identifiers are dim. Arguments have no colour.
 */
#include "sinsp/format/formatter.h"

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

static const struct format_colour colours[] = {
	[FIELD_COLOUR_ID] = {identity},
	[FIELD_COLOUR_PROCESS] = {process},
	[FIELD_COLOUR_USER] = {user},
	[FIELD_COLOUR_CONTAINER] = {container},
	[FIELD_COLOUR_TYPE] = {type},
	[FIELD_COLOUR_RESULT] = {result},
	[FIELD_COLOUR_RESULT_FIRST] = {result, .first_word = true},
};

const struct format_colour *format_colour_of(const struct field_desc *desc)
{
	return desc->colour ? &colours[desc->colour] : NULL;
}
