/* SPDX-License-Identifier: MIT */
/* The fields that rows of calls have, and the aggregates that can be made of sums. */
#include "views/counted.h"

#include <string.h>

#include "abi.h"
#include "util/count.h"

static const struct {
	const char *name;
	uint32_t by; /* beside the event */
} known_fields[] = {
	{"evt.type", 0},
	{"syscall.type", 0},
	{"evt.count", 0},
	{"evt.count.exit", 0},
	{"evt.cpu", BY_CPU},
	{"evt.failed", BY_RESULT},
	{"evt.count.error", BY_RESULT},
	{"evt.res", BY_RESULT},
};

static bool is_known(const struct field_ref *ref, void *context)
{
	uint32_t *by = context;

	for (size_t i = 0; i < COUNT(known_fields); i++)
		if (strcmp(ref->desc->name, known_fields[i].name) == 0) {
			*by |= known_fields[i].by;
			return !ref->has_arg;
		}
	return false;
}

bool views_counted_is_time(const struct views_value *value)
{
	return value->field.ref.desc && strcmp(value->field.ref.desc->name, "evt.latency") == 0;
}

/* Of times there are sums and the largest one; values of which all of a row are the same. */
static bool is_sum(const struct views_value *value, bool with_longest)
{
	switch (value->aggregate) {
	case VIEWS_COUNT:
	case VIEWS_SUM:
	case VIEWS_MEAN:
	case VIEWS_RATE:
		return true;
	case VIEWS_MAX:
		return with_longest || !views_counted_is_time(value);
	case VIEWS_MIN:
		return !views_counted_is_time(value);
	default:
		return false;
	}
}

static bool value_is_known(const struct views_value *value, bool with_longest, uint32_t *by)
{
	if (!is_sum(value, with_longest) ||
	    (value->only && !filter_reads_only(value->only, is_known, by)))
		return false;
	return !value->field.ref.desc || views_counted_is_time(value) ||
	       is_known(&value->field.ref, by);
}

bool views_counted_by(const struct views_view *view, const struct filter *filter, bool with_longest,
		      uint32_t *by)
{
	uint32_t all = 0;

	if (view->kind == VIEWS_LIST || (filter && !filter_reads_only(filter, is_known, &all)))
		return false;
	for (unsigned int i = 0; i < view->keys_count; i++)
		if (!is_known(&view->keys[i].field.ref, &all))
			return false;
	for (unsigned int i = 0; i < view->values_count; i++)
		if (!value_is_known(&view->values[i], with_longest, &all))
			return false;
	*by = all;
	return true;
}
