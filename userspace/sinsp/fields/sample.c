/* SPDX-License-Identifier: MIT */
/* perf.*: samples of perf events, the parameters of events of that type. */
#include "sinsp/fields/table.h"

static const struct event_param *sample_param(const struct state_event *event,
					      const struct field_ref *ref)
{
	int index = ref->param_of_event[EVENT_perf_sample];

	/* Other events have parameters with such names, too. */
	if (event->ev.desc->id != EVENT_perf_sample || index < 0 ||
	    !event_param_present(&event->ev, (unsigned int)index))
		return NULL;
	return &event->ev.params[index];
}

static int get_number(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = sample_param(event, ref);

	return param ? field_give_i64(values, event_value_i64(ref->desc->type, param)) : NO_VALUE;
}

static int get_string(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = sample_param(event, ref);

	return param ? field_give_string(values, (const char *)param->data) : NO_VALUE;
}

static const struct param_flag *sample_modes(void)
{
	return event_desc_get(EVENT_perf_sample)->params[perf_sample__mode].set;
}

/* The name of one of a set. */
static int get_mode(const struct state_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = sample_param(event, ref);
	const struct param_flag *name = param ? sample_modes() : NULL;

	while (name && name->name && name->value != param->data[0])
		name++;
	return name ? field_give_string(values, name->name) : NO_VALUE;
}

static bool is_sample(const struct event_desc *event)
{
	return event->id == EVENT_perf_sample;
}

static void each_mode(void (*see)(void *context, const char *word), void *context)
{
	for (const struct param_flag *name = sample_modes(); name->name; name++)
		see(context, name->name);
}

static const struct field_words modes = {each_mode};

#define ROW(name, type, format, needs, getter, sample, help, more...)                              \
	{                                                                                          \
		"perf." #name, PT_##type, PF_##format, 0, FIELD_ARG_NONE, needs, getter, help,     \
			.param = #name, .example = sample, .can_have = is_sample, more             \
	}

const struct field_desc fields_sample[] = {
	ROW(event, CHARBUF, NA, 0, get_string, "=cpu-clock",
	    "the perf event that was sampled, as it was given to --sample"),
	ROW(period, UINT64, DEC, 0, get_number, ">1",
	    "how often it happened since the sample before"),
	ROW(mode, CHARBUF, NA, 0, get_mode, "=user",
	    "what the CPU executed: kernel, user, a hypervisor or a guest", .words = &modes),
	ROW(ip, UINT64, HEX, 0, get_number, "=4198694", "the address of the instruction"),
	ROW(addr, UINT64, HEX, 0, get_number, "=4210720",
	    "the address that was accessed, of breakpoints and page faults"),
	ROW(symbol, CHARBUF, NA, NEEDS_SYMBOLS, get_string, "=main",
	    "the function that has that address"),
	ROW(stack, CHARBUF, NA, NEEDS_SYMBOLS, get_string, " contains ;malloc",
	    "the functions that were called, the outermost first: main;read;vfs_read_[k]"),
	{0},
};
