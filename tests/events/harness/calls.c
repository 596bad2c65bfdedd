/* SPDX-License-Identifier: MIT */
/* Comparisons of several parameters of an event at once. */
#include "harness/calls.h"

/* A value as events of that type hold it. */
static int64_t cut(enum param_type type, int64_t value)
{
	if (param_type_size(type) != sizeof(uint32_t))
		return value;
	return param_type_is_signed(type) ? (int32_t)value : (int64_t)(uint32_t)value;
}

void calls_expect_values(const char *file, int line, const struct event *ev, const int64_t *values,
			 size_t count)
{
	if (count != ev->desc->nparams)
		live_fail(file, line, "%s: %zu values for %u parameters", ev->desc->name, count,
			  ev->desc->nparams);
	for (unsigned int i = 0; i < count && i < ev->desc->nparams; i++)
		if (values[i] == NOTHING)
			live_expect_bytes(file, line, ev, i, NULL, 0);
		else if (values[i] != OTHER)
			live_expect_i64(file, line, ev, i,
					cut(ev->desc->params[i].type, values[i]));
}

const struct event *calls_next(const char *file, int line, unsigned int id, long ret)
{
	const struct event *ev = live_next(id);

	live_expect_i64(file, line, ev, 0, ret);
	return ev;
}

void calls_expect_numbers(const char *file, int line, const struct event *ev, unsigned int first,
			  const int64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		live_expect_i64(file, line, ev, first + (unsigned int)i, values[i]);
}

void calls_expect_absents(const char *file, int line, const struct event *ev, unsigned int first,
			  unsigned int last)
{
	for (unsigned int param = first; param <= last; param++)
		live_expect_bytes(file, line, ev, param, NULL, 0);
}
