/* SPDX-License-Identifier: MIT */
/* thread.*: the time of threads on a CPU, from switch and procinfo events. */
#include "sinsp/fields/table.h"

enum { PERCENT_MAX = 100 };

/* Only for the previous thread: a switch is an event of the thread that leaves the CPU. */
static int get_exectime(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	if (ref->param_of_event[event->ev.desc->id] < 0)
		return NO_VALUE;
	return field_give_nonzero(values, state_run_ns(event));
}

static int get_offtime(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	if (ref->param_of_event[event->ev.desc->id] < 0)
		return NO_VALUE;
	return field_give_nonzero(values, state_off_ns(event));
}

static int get_runqtime(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	if (event->ev.desc->id != EVENT_runqueue)
		return NO_VALUE;
	return field_give_u64(values, event_param_u64(&event->ev, runqueue__wait));
}

static int get_totexectime(const struct state_event *event, const struct field_ref *ref,
			   struct field_scratch *scratch, struct field_value *values)
{
	return event->thread ? field_give_u64(values, event->thread->run_ns) : NO_VALUE;
}

/*
 * Jiffies between two procinfo events, which are a second apart: at 100 jiffies a second that is
 * the percentage.
 */
static int give_percent(const struct state_event *event, bool user, bool system,
			struct field_value *values)
{
	const struct state_thread *thread = event->thread;
	double jiffies;

	if (!thread || event->ev.desc->id != EVENT_procinfo)
		return NO_VALUE;
	jiffies = (user ? thread->cpu_user : 0.0) + (system ? thread->cpu_system : 0.0);
	values->f64 = jiffies < PERCENT_MAX ? jiffies : PERCENT_MAX;
	return 1;
}

#define PERCENT_GETTER(name, user, system)                                                         \
	static int name(const struct state_event *event, const struct field_ref *ref,              \
			struct field_scratch *scratch, struct field_value *values)                 \
	{                                                                                          \
		return give_percent(event, user, system, values);                                  \
	}

PERCENT_GETTER(get_cpu, true, true)
PERCENT_GETTER(get_cpu_user, true, false)
PERCENT_GETTER(get_cpu_system, false, true)

#define ROW(name, type, format, needs, getter, help...)                                            \
	{                                                                                          \
		name, PT_##type, PF_##format, 0, FIELD_ARG_NONE, NEEDS_THREADS | (needs), getter,  \
			help, .colour = FIELD_COLOUR_ID                                            \
	}

const struct field_desc fields_cpu[] = {
	/* Only switches have a next task, so a filter on this field selects them. */
	{"thread.exectime", PT_RELTIME, PF_DEC, 0, FIELD_ARG_NONE, NEEDS_SWITCHES, get_exectime,
	 "of switch events: ns that the thread was on the CPU before it goes out", "next",
	 .colour = FIELD_COLOUR_ID},
	{"thread.offtime", PT_RELTIME, PF_DEC, 0, FIELD_ARG_NONE, NEEDS_THREADS | NEEDS_SWITCHES,
	 get_offtime,
	 "of switch events: ns that the thread was off CPUs before it came to this one", "next",
	 .colour = FIELD_COLOUR_ID},
	ROW("thread.totexectime", RELTIME, DEC, NEEDS_SWITCHES, get_totexectime,
	    "ns that the thread was on a CPU, summed up over switch events"),
	{"thread.runqtime", PT_RELTIME, PF_DEC, 0, FIELD_ARG_NONE, NEEDS_NOTHING, get_runqtime,
	 "of runqueue events: ns that the thread waited for the CPU that it gets", "wait",
	 .fact = FIELD_FACT_WAIT},
	ROW("thread.cpu", DOUBLE, NA, 0, get_cpu,
	    "of procinfo events: percentage of a CPU that the thread used since the last one",
	    .example = ">50"),
	ROW("thread.cpu.user", DOUBLE, NA, 0, get_cpu_user, "part of thread.cpu in the program",
	    .example = ">50"),
	ROW("thread.cpu.system", DOUBLE, NA, 0, get_cpu_system, "part of thread.cpu in the kernel",
	    .example = ">50"),
	{0},
};
