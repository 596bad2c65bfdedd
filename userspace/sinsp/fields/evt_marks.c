/* SPDX-License-Identifier: MIT */
/* evt.*: what of an event cannot be stated as fact. */
#include "sinsp/fields/table.h"

static int get_is_faked(const struct sinsp_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	return give_u64(values, event->ev.marks.is_faked != 0);
}

static int get_is_contested(const struct sinsp_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	return give_u64(values, event->ev.marks.contested != 0);
}

static int get_is_truncated(const struct sinsp_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	return give_u64(values, event->ev.marks.truncated != 0);
}

static bool give_mark(const char *mark, const char *param, struct field_scratch *scratch,
		      struct field_value *value)
{
	struct buf text = text_begin(scratch);

	buf_printf(&text, "%s %s", mark, param);
	return give_text(value, scratch, &text) == 1;
}

/* A value for each parameter that has a mark. */
static int give_params(const struct event_desc *desc, const char *mark, uint64_t params,
		       struct field_scratch *scratch, struct field_value *values, int count)
{
	for (unsigned int i = 0; params >> i && i < desc->nparams && count < FIELD_VALUES_MAX; i++)
		if (params >> i & 1)
			count += give_mark(mark, desc->params[i].name, scratch, &values[count]);
	return count;
}

static int get_marks(const struct sinsp_event *event, const struct field_ref *ref,
		     struct field_scratch *scratch, struct field_value *values)
{
	const struct frame_marks *marks = &event->ev.marks;
	const struct event_desc *desc = event->ev.desc;
	int count = marks->is_faked ? give_string(values, "faked") : 0;

	count = give_params(desc, "contested", marks->contested, scratch, values, count);
	count = give_params(desc, "truncated", marks->truncated, scratch, values, count);
	if (event->filter_unknown && count < FIELD_VALUES_MAX)
		count += give_string(&values[count], "filter_unknown");
	return count ? count : NO_VALUE;
}

#define MARK(name, needs, getter, help)                                                            \
	{                                                                                          \
		name, PT_BOOL, PF_NA, 0, FIELD_ARG_NONE, needs, getter, help                       \
	}

const struct field_desc fields_evt_marks[] = {
	{"evt.marks", PT_CHARBUF, PF_NA, FIELD_LIST | FIELD_NO_RHS, FIELD_ARG_NONE, 0, get_marks,
	 "what is doubtful: faked, contested or truncated PARAMETER, filter_unknown",
	 .example = " in (faked)"},
	MARK("evt.is_faked", NEEDS_NOTHING, get_is_faked,
	     "true if the kernel never ran the call, although the caller got a success"),
	MARK("evt.is_contested", NEEDS_CHANGED, get_is_contested,
	     "true if a parameter is only the caller's word and may be forged"),
	MARK("evt.is_truncated", NEEDS_NOTHING, get_is_truncated,
	     "true if only a part of a parameter was captured"),
	{0},
};
