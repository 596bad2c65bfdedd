/* SPDX-License-Identifier: MIT */
/* The programs, expanded from the event table, and what decides whether one is needed. */
#include "scap/live_programs.h"

#include <string.h>

#include "event/event.h"

const struct live_program live_programs[] = {
	/* Ahead of procexit at the same tracepoint, as the call comes before the end. */
	{"exit_called", "sched_process_exit", EVENT_exit, LOSES_ALL_EVENTS},
	{"exit_group_called", "sched_process_exit", EVENT_exit_group, LOSES_ALL_EVENTS},
#define SYSCALL_EVENT(name, id, ...) {"fill_" #name, NULL, id, LOSES_ALL_EVENTS},
#define TRACEPOINT_EVENT(name, id, tracepoint, ...)                                                \
	{"fill_" #name, #tracepoint, id, LOSES_ALL_EVENTS},
#define PARAM(...)
#define EVENT_END(name)
#include "events/all.def"
#define ENTER_PROGRAM(name) {"enter_" #name, "sys_enter_" #name, EVENT_##name, LOSES_DETAILS, true}
	ENTER_PROGRAM(open),
	ENTER_PROGRAM(creat),
	ENTER_PROGRAM(openat),
	ENTER_PROGRAM(openat2),
	ENTER_PROGRAM(execve),
	ENTER_PROGRAM(execveat),
	ENTER_PROGRAM(connect),
	{"page_fault_kernel", "page_fault_kernel", EVENT_page_fault, LOSES_SOME_EVENTS},
	{"note_clone3", "sched_process_fork", EVENT_clone3, LOSES_DETAILS},
	{"exec_success", "sched_process_exec", EVENT_execve, LOSES_SOME_EVENTS},
	/* The last to be attached, when everything that it jumps to is in place. */
	{"dispatch_sys_exit", "sys_exit", EVENT_NONE, LOSES_ALL_EVENTS},
};

const size_t live_programs_count = sizeof(live_programs) / sizeof(*live_programs);

void live_events_refused(const bool *programs, enum live_loss loss, bool events[EVENT_ID_MAX])
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		events[id] = false;
	for (size_t i = 0; i < live_programs_count; i++)
		if (programs[i] && live_programs[i].loss >= loss)
			events[live_programs[i].event] = true;
}

static bool any_syscall(const struct scap_live_config *config)
{
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++)
		if (config->syscalls[number])
			return true;
	return false;
}

static bool event_wanted(unsigned int id, const struct scap_live_config *config)
{
	return id == EVENT_syscall ? any_syscall(config) : config->events[id];
}

bool live_program_at_exits(const struct live_program *program)
{
	return !program->hook || strcmp(program->hook, "sys_exit") == 0;
}

bool live_program_wanted(const struct live_program *program, const struct scap_live_config *config,
			 const bool refused[EVENT_ID_MAX])
{
	struct call_events calls[SYSCALL_NR_MAX];

	if (program->event == EVENT_NONE) {
		live_call_events(config, refused, calls);
		for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++)
			if (calls[number].native || calls[number].compat)
				return true;
		return false;
	}
	if (program->at_enter && syscall_native_number(event_desc_get(program->event)->syscall) < 0)
		return false;
	/* A successful exec of either kind is an execve, written at the tracepoint. */
	if (program->event == EVENT_execve && program->hook && !program->at_enter &&
	    event_wanted(EVENT_execveat, config))
		return true;
	return event_wanted(program->event, config);
}

static unsigned int event_of(unsigned int code, bool generic, const struct scap_live_config *config,
			     const bool refused[EVENT_ID_MAX])
{
	unsigned int id = event_desc_of_syscall(code)->id;

	if (id == EVENT_syscall || !config->events[id])
		id = generic ? EVENT_syscall : EVENT_NONE;
	return refused[id] ? EVENT_NONE : id;
}

void live_call_events(const struct scap_live_config *config, const bool refused[EVENT_ID_MAX],
		      struct call_events calls[SYSCALL_NR_MAX])
{
	bool generic[SYSCALL_CODES_COUNT] = {false};

	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		unsigned int code = syscall_code_of_native(number);

		if (code != SC_unknown && config->syscalls[number])
			generic[code] = true;
		calls[number].native =
			(uint16_t)event_of(code, config->syscalls[number], config, refused);
	}
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		unsigned int code = syscall_code_of_compat(number);
		unsigned int event = code == SC_unknown
					     ? EVENT_NONE
					     : event_of(code, generic[code], config, refused);

		if (event && !syscall_compat_is_decoded(number))
			event = COMPAT_COUNTED;
		calls[number].compat = (uint16_t)event;
	}
}
