/* SPDX-License-Identifier: MIT */
/*
 * tracepoint.* and probe.*: places of the kernel and of programs that were given to --tracepoint
 * and
 * --probe, and what they write: a list of texts "NAME=VALUE" in their events.
 */
#include "sinsp/fields/table.h"

#include <stdlib.h>

static const struct event_param *hook_param(const struct state_event *event,
					    const struct field_ref *ref)
{
	int index = ref->param_of_event[event->ev.desc->id];

	/* Other events have parameters with such names, too. */
	if (!ref->desc->can_have(event->ev.desc) || index < 0 ||
	    !event_param_present(&event->ev, (unsigned int)index))
		return NULL;
	return &event->ev.params[index];
}

static int get_string(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = hook_param(event, ref);

	return param ? field_give_string(values, (const char *)param->data) : NO_VALUE;
}

static int hook_get_number(const struct state_event *event, const struct field_ref *ref,
			   struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = hook_param(event, ref);

	return param ? field_give_i64(values, event_value_i64(ref->desc->type, param)) : NO_VALUE;
}

/* "a=1 b=2" */
static int hook_get_args(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = hook_param(event, ref);
	struct buf text = field_text_begin(scratch);

	if (!param)
		return NO_VALUE;
	for (uint32_t i = 0; i < param->len; i++)
		if (param->data[i])
			buf_append_char(&text, (char)param->data[i]);
		else if (i + 1 < param->len)
			buf_append_char(&text, ' ');
	return field_give_text(values, scratch, &text);
}

/* The value of an argument, up to a NUL; NULL: the event has none of that name. */
static const char *find_argument(const struct event_param *param, const char *name)
{
	size_t len = strlen(name);

	for (uint32_t at = 0; at < param->len;) {
		const char *text = (const char *)param->data + at;
		size_t bytes = strnlen(text, param->len - at);

		if (at + bytes == param->len)
			return NULL; /* it has no end */
		if (bytes > len && text[len] == '=' && memcmp(text, name, len) == 0)
			return text + len + 1;
		at += (uint32_t)bytes + 1;
	}
	return NULL;
}

static int hook_get_arg(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = hook_param(event, ref);

	return param ? field_give_string(values, find_argument(param, ref->name)) : NO_VALUE;
}

/* Only of those that are numbers as a whole. */
static int get_rawarg(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = hook_param(event, ref);
	const char *text = param ? find_argument(param, ref->name) : NULL;
	int64_t number;
	char *end;

	if (!text || !*text)
		return NO_VALUE;
	number = text[0] == '-' ? strtoll(text, &end, 10) : (int64_t)strtoull(text, &end, 0);
	return *end ? NO_VALUE : field_give_i64(values, number);
}

static bool is_tracepoint(const struct event_desc *event)
{
	return event->id == EVENT_tracepoint;
}

static bool is_probe(const struct event_desc *event)
{
	return event->id == EVENT_probe;
}

#define ROW(class, name, parameter, type, format, flags_, arg, needs, getter, sample, help)        \
	{                                                                                          \
#class "." name, PT_##type, PF_##format, flags_, arg, needs, getter, help,         \
			.param = parameter, .example = sample, .can_have = is_##class              \
	}

#define ARGUMENT(class, name, type, getter, sample, help)                                          \
	ROW(class, name, "args", type, NA, FIELD_ARG_REQUIRED, FIELD_ARG_KEY, 0, getter, sample,   \
	    help)

const struct field_desc fields_hook[] = {
	ROW(tracepoint, "name", "name", CHARBUF, NA, 0, FIELD_ARG_NONE, 0, get_string,
	    "=sched:sched_switch", "the tracepoint, GROUP:NAME"),
	ROW(tracepoint, "args", "args", CHARBUF, NA, 0, FIELD_ARG_NONE, 0, hook_get_args,
	    " contains \"prev_comm=bash\"", "all fields that it writes, as NAME=VALUE"),
	ARGUMENT(tracepoint, "arg", CHARBUF, hook_get_arg, "[prev_comm]=bash",
		 "[NAME]: a field of the tracepoint, as tracefs names it"),
	ARGUMENT(tracepoint, "rawarg", INT64, get_rawarg, "[prev_pid]>1",
		 "[NAME]: the same as a number, if it is one"),
	ROW(probe, "name", "name", CHARBUF, NA, 0, FIELD_ARG_NONE, 0, get_string,
	    " contains malloc", "the probe, as it was given to --probe"),
	ROW(probe, "args", "args", CHARBUF, NA, 0, FIELD_ARG_NONE, 0, hook_get_args,
	    " contains \"arg1=0\"", "all arguments, as NAME=VALUE"),
	ARGUMENT(probe, "arg", CHARBUF, hook_get_arg, "[arg1]=0",
		 "[NAME]: an argument: arg1, arg2 and so on; ret of a return"),
	ARGUMENT(probe, "rawarg", INT64, get_rawarg, "[arg1]>4096", "[NAME]: the same as a number"),
	ROW(probe, "ip", "ip", UINT64, HEX, 0, FIELD_ARG_NONE, 0, hook_get_number, "=4198694",
	    "the address where it is"),
	ROW(probe, "symbol", "symbol", CHARBUF, NA, 0, FIELD_ARG_NONE, NEEDS_SYMBOLS, get_string,
	    "=main", "the function that has that address"),
	{0},
};
