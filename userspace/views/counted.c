/* SPDX-License-Identifier: MIT */
/* The fields that rows of calls have, and the aggregates that can be made of sums. */
#include "views/counted.h"

#include <string.h>

#include "abi.h"
#include "util/count.h"

enum counted_what {
	COUNTED_ONE, /* the value is that of any call of the row */
	COUNTED_LATEST, /* of the last call of the row: no key, nor condition */
	COUNTED_BYTES, /* rows have the sum */
	COUNTED_TIME, /* likewise */
	COUNTED_NOT,
};

static const struct {
	const char *name;
	uint32_t by; /* beside the event */
	enum counted_what what;
} known_fields[] = {
	{"evt.type", 0, COUNTED_ONE},
	{"syscall.type", 0, COUNTED_ONE},
	{"evt.count", 0, COUNTED_ONE},
	{"evt.count.exit", 0, COUNTED_ONE},
	{"evt.is_io", 0, COUNTED_ONE},
	{"evt.is_io_read", 0, COUNTED_ONE},
	{"evt.is_io_write", 0, COUNTED_ONE},
	{"evt.io_dir", 0, COUNTED_ONE},
	{"evt.is_wait", 0, COUNTED_ONE},
	{"evt.cpu", BY_CPU, COUNTED_ONE},
	{"evt.failed", BY_RESULT, COUNTED_ONE},
	{"evt.count.error", BY_RESULT, COUNTED_ONE},
	{"evt.res", BY_RESULT, COUNTED_ONE},
	{"evt.latency", 0, COUNTED_TIME},
	{"thread.exectime", 0, COUNTED_TIME},
	{"thread.runqtime", 0, COUNTED_TIME},
	{"proc.pid", BY_THREAD, COUNTED_ONE},
	{"thread.tid", BY_THREAD, COUNTED_ONE},
	{"proc.name", BY_THREAD, COUNTED_ONE},
	{"proc.exe", BY_THREAD, COUNTED_ONE},
	{"proc.exepath", BY_THREAD, COUNTED_ONE},
	{"proc.exeline", BY_THREAD, COUNTED_ONE},
	{"proc.cmdline", BY_THREAD, COUNTED_ONE},
	{"user.uid", BY_THREAD, COUNTED_ONE},
	{"user.name", BY_THREAD, COUNTED_ONE},
	{"proc.vmsize", BY_THREAD, COUNTED_LATEST},
	{"proc.vmrss", BY_THREAD, COUNTED_LATEST},
	{"fd.type", BY_KIND | BY_RESULT, COUNTED_ONE},
	{"evt.buflen", BY_KIND | BY_RESULT, COUNTED_BYTES},
	{"evt.buflen.in", BY_KIND | BY_RESULT, COUNTED_BYTES},
	{"evt.buflen.out", BY_KIND | BY_RESULT, COUNTED_BYTES},
	{"evt.buflen.file", BY_KIND | BY_RESULT, COUNTED_BYTES},
	{"evt.buflen.file.in", BY_KIND | BY_RESULT, COUNTED_BYTES},
	{"evt.buflen.file.out", BY_KIND | BY_RESULT, COUNTED_BYTES},
	{"evt.buflen.net", BY_KIND | BY_RESULT, COUNTED_BYTES},
	{"evt.buflen.net.in", BY_KIND | BY_RESULT, COUNTED_BYTES},
	{"evt.buflen.net.out", BY_KIND | BY_RESULT, COUNTED_BYTES},
};

static enum counted_what what_of(const struct field_ref *ref, uint32_t *by)
{
	for (size_t i = 0; i < COUNT(known_fields); i++)
		if (strcmp(ref->desc->name, known_fields[i].name) == 0) {
			*by |= known_fields[i].by;
			return ref->has_arg ? COUNTED_NOT : known_fields[i].what;
		}
	/* The control groups of a thread say which container it is in. */
	if (!(ref->desc->flags & FIELD_OF_CONTAINER))
		return COUNTED_NOT;
	*by |= BY_THREAD;
	return COUNTED_ONE;
}

static bool is_known(const struct field_ref *ref, void *context)
{
	return what_of(ref, context) == COUNTED_ONE;
}

static enum counted_what what_of_value(const struct views_value *value)
{
	uint32_t by = 0;

	return value->field.ref.desc ? what_of(&value->field.ref, &by) : COUNTED_NOT;
}

bool views_counted_is_time(const struct views_value *value)
{
	return what_of_value(value) == COUNTED_TIME;
}

bool views_counted_is_bytes(const struct views_value *value)
{
	return what_of_value(value) == COUNTED_BYTES;
}

/* The bit of the unit whose powers of two a histogram has; 0: none of those that rows can have. */
static uint32_t unit_of(const struct views_value *value)
{
	static const uint32_t units[VIEWS_UNITS_COUNT] = {
		[VIEWS_PLAIN] = BY_NS,	      [VIEWS_DURATION] = BY_NS,
		[VIEWS_MICROSECONDS] = BY_US, [VIEWS_MILLISECONDS] = BY_MS,
		[VIEWS_SECONDS] = BY_S,
	};

	return units[value->unit];
}

/* Of times there are sums and the largest one, of bytes sums; of all else one value. */
static bool is_sum(const struct views_value *value, enum counted_what what, bool with_longest)
{
	const bool is_one = what == COUNTED_ONE || what == COUNTED_LATEST;

	switch (value->aggregate) {
	case VIEWS_COUNT:
	case VIEWS_SUM:
	case VIEWS_MEAN:
	case VIEWS_RATE:
		return what != COUNTED_LATEST;
	case VIEWS_MAX:
		return what == COUNTED_ONE || (what == COUNTED_TIME && with_longest);
	case VIEWS_MIN:
	case VIEWS_DISTINCT:
		return what == COUNTED_ONE;
	case VIEWS_LAST:
		return is_one;
	case VIEWS_HISTOGRAM_OF:
		return what == COUNTED_TIME && !value->scale.width && unit_of(value);
	default:
		return false;
	}
}

static bool value_is_known(const struct views_value *value, bool with_longest, uint32_t *by)
{
	enum counted_what what =
		value->field.ref.desc ? what_of(&value->field.ref, by) : COUNTED_ONE;

	/* Which of the calls of several rows was the last, only rows of threads say. */
	if (value->aggregate == VIEWS_LAST)
		*by |= BY_THREAD;
	if (value->aggregate == VIEWS_HISTOGRAM_OF)
		*by |= unit_of(value);
	return what != COUNTED_NOT && is_sum(value, what, with_longest) &&
	       (!value->only || filter_reads_only(value->only, is_known, by));
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
