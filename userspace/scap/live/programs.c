/* SPDX-License-Identifier: MIT */
/* The programs, expanded from the event table, and what decides whether one is needed. */
#include "scap/live/programs.h"

#include <string.h>
#include <sys/syscall.h>

#include <linux/bpf.h>

#include "event/event.h"
#include "uring_events.h"
#include "util/count.h"

/* A macro's argument, expanded, as a string. */
#define STRING(name) STRING_OF(name)
#define STRING_OF(name) #name

enum { ALWAYS = false, FOR_TIMES = true };
enum { OVERWRITTEN = ENTRY_NOTES_OVERWRITTEN, COMPARED = ENTRY_NOTES_ALL };

const struct live_program live_programs[] = {
/* Before procexit at the same tracepoint, as the call precedes the end of the task. */
#define EXIT_PROGRAM(event)                                                                        \
	{STRING(EXIT_NAME(event)), "sched_process_exit", EVENT_##event, LOSES_ALL_EVENTS},
#include "events/programs.def"
/* Before events of sockets at the same tracepoint: they say whose these are. */
#define SOCKET_PROGRAM(name, tracepoint)                                                           \
	{#name, #tracepoint, EVENT_tcp_state, LOSES_DETAILS, .for_sockets = true},
#include "events/programs.def"
#define SYSCALL_EVENT(name, id, ...) {STRING(FILLER_NAME(name)), NULL, id, LOSES_ALL_EVENTS},
#define TRACEPOINT_EVENT(name, id, tracepoint, ...)                                                \
	{STRING(FILLER_NAME(name)), #tracepoint, id, LOSES_ALL_EVENTS},
#define ITERATOR_EVENT(name, id, iterator, ...)                                                    \
	{STRING(FILLER_NAME(name)), #iterator, id, LOSES_ALL_EVENTS, .is_iterator = true},
#define URING_EVENT(...)
#define PROBE_EVENT(...)
#include "events/all.def"
#define URING_ROW(name, id)                                                                        \
	{STRING(URING_NAME(name)), NULL, id, LOSES_SOME_EVENTS, .for_uring = true},
#define SYSCALL_EVENT(name, id, ...) IF_URING_EVENT(name, URING_ROW(name, id))
#define URING_EVENT(name, id, ...) URING_ROW(name, id)
#include "events/all.def"
#define ENTRY_PROGRAM(event, note, why)                                                            \
	{STRING(ENTRY_NAME(event)), "sys_enter_" #event, EVENT_##event, LOSES_DETAILS,             \
	 .at_enter = (enum live_entry_notes)(why)},
#define EVENT_PROGRAM(name, event, tracepoint)                                                     \
	{#name, #tracepoint, EVENT_##event, LOSES_SOME_EVENTS},
#define HELPER_PROGRAM(name, event, tracepoint) {#name, #tracepoint, EVENT_##event, LOSES_DETAILS},
#define NAME_PROGRAM(name, tracepoint)                                                             \
	{#name, #tracepoint, EVENT_procexit, LOSES_DETAILS, .for_names = true},
#define FOLLOW_PROGRAM(name, tracepoint)                                                           \
	{#name, #tracepoint, EVENT_NONE, LOSES_DETAILS, .for_follow = true},
#define WAIT_PROGRAM(name, tracepoint)                                                             \
	{#name, #tracepoint, EVENT_sendto, LOSES_DETAILS, .for_waits = true},
#define SEND_PROGRAM(name, hook, attach)                                                           \
	{#name, #hook, EVENT_sendto, LOSES_DETAILS, .at_sends = (uint8_t)(attach)},
#define URING_PROGRAM(name, tracepoint)                                                            \
	{#name, #tracepoint, EVENT_io_uring_op, LOSES_SOME_EVENTS, .for_uring = true},
#define URING_OLDER_PROGRAM(name, tracepoint)                                                      \
	{#name,                                                                                    \
	 #tracepoint,                                                                              \
	 EVENT_io_uring_op,                                                                        \
	 LOSES_SOME_EVENTS,                                                                        \
	 .for_uring = true,                                                                        \
	 .by_number = true},
#define URING_OLDER_EVENT(name, event, tracepoint) URING_OLDER_PROGRAM(name, tracepoint)
#define JUMP_PROGRAM(name) {#name, NULL, EVENT_NONE, LOSES_ALL_EVENTS, .jump = JUMP_##name},
#define ANSWER_PROGRAM(name, tracepoint)                                                           \
	{#name, #tracepoint, EVENT_NONE, LOSES_DETAILS, .for_answers = true},
#define TLS_PROGRAM(name, tracepoint)                                                              \
	{#name, #tracepoint, EVENT_tls_data, LOSES_DETAILS, .for_tls = true},
#define PROBE_PROGRAM(name)                                                                        \
	{#name, "uprobe", EVENT_tls_data, LOSES_ALL_EVENTS, .for_tls = true, .at_probes = true},
#define CALLS_PROGRAM(name, hook, condition)                                                       \
	{#name, #hook, EVENT_NONE, LOSES_ALL_EVENTS, .for_times = condition},
#include "events/programs.def"
};

const size_t live_programs_count = COUNT(live_programs);

void live_events_rejected(const bool *programs, enum live_loss loss, bool events[EVENT_ID_MAX])
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
		if (config->syscalls[number] || config->compat_syscalls[number])
			return true;
	return false;
}

bool live_compares_names(const struct kernel_filters *filters)
{
	for (unsigned int i = 0; i < KERNEL_FILTERS_MAX; i++)
		if (filters->filters[i].facts & 1 << KERNEL_NAME)
			return true;
	return false;
}

static bool event_wanted(unsigned int id, const struct scap_live_config *config)
{
	return id == EVENT_syscall ? any_syscall(config) : config->events[id];
}

static bool captures_any(const struct scap_live_config *config, uint32_t flag)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (config->events[id] && (event_descs[id].flags & flag))
			return true;
	return false;
}

bool live_captures_sends(const struct scap_live_config *config)
{
	return captures_any(config, EF_SENDS);
}

bool live_owns_sockets(const struct scap_live_config *config)
{
	return captures_any(config, EF_OF_SOCKET);
}

void live_uring_events(const struct scap_live_config *config,
		       struct uring_events events[URING_OPCODES])
{
	static const struct uring_events all[URING_OPCODES] = {
#define URING_OPERATION(name, number, event, second, request)                                      \
	[number] = {EVENT_##event, EVENT_##second},
#include "events/uring.def"
	};

	for (unsigned int i = 0; i < URING_OPCODES; i++) {
		const struct uring_events known =
			all[i].event ? all[i]
				     : (struct uring_events){EVENT_io_uring_op, EVENT_io_uring_op};

		events[i] = (struct uring_events){0};
		if (config->without_rings)
			continue;
		if (config->events[known.event])
			events[i].event = known.event;
		if (config->events[known.second])
			events[i].second = known.second;
	}
}

bool live_follows_uring(const struct scap_live_config *config)
{
	struct uring_events events[URING_OPCODES];

	live_uring_events(config, events);
	for (unsigned int i = 0; i < URING_OPCODES; i++)
		if (events[i].event || events[i].second)
			return true;
	return false;
}

/* On exit of an exec only failures are written: see exec_success. */
static bool exit_reports_failures(unsigned int id)
{
	return event_descs[id].flags & EF_EXECS;
}

bool live_reads_entry(unsigned int id, enum live_entry_notes notes)
{
	for (size_t i = 0; i < live_programs_count; i++)
		if (live_programs[i].at_enter && live_programs[i].at_enter <= notes &&
		    live_programs[i].event == id)
			return true;
	return false;
}

const char *live_program_at_calls(const struct live_program *program)
{
	if (program->for_uring)
		return NULL;
	if (!program->hook)
		return "sys_exit";
	return program->event == EVENT_NONE && !program->for_answers && !program->for_follow
		       ? program->hook
		       : NULL;
}

bool live_any_call_wanted(const struct scap_live_config *config, const bool rejected[EVENT_ID_MAX])
{
	struct call_events calls[SYSCALL_NR_MAX];

	live_call_events(config, rejected, calls);
	return calls[SYS_sched_get_priority_max].native != EVENT_NONE;
}

bool live_program_wanted(const struct live_program *program, const struct scap_live_config *config,
			 const bool rejected[EVENT_ID_MAX])
{
	if ((program->for_times && !config->enter_times) || program->at_enter > config->entry_notes)
		return false;
	if (program->for_uring && config->without_rings)
		return false;
	if (program->for_follow)
		return config->chosen.chooses;
	if (program->for_tls && !config->tls_chosen.wanted)
		return false;
	if (program->for_names)
		return live_compares_names(&config->kernel_filters);
	if (program->for_waits)
		return config->thread_times;
	if (program->at_sends)
		return live_captures_sends(config);
	if (program->for_uring && program->hook)
		return live_follows_uring(config);
	if (program->for_sockets)
		return live_owns_sockets(config);
	if (program->event == EVENT_NONE)
		return live_any_call_wanted(config, rejected);
	if (!event_desc_is_native(event_desc_get(program->event)))
		return false;
	if (config->successes[program->event] &&
	    (program->at_enter || (!program->hook && exit_reports_failures(program->event))))
		return false;
	/* A successful execve or execveat is an execve event, written at the tracepoint. */
	if (program->event == EVENT_execve && program->hook && !program->at_enter &&
	    event_wanted(EVENT_execveat, config))
		return true;
	return event_wanted(program->event, config);
}

/* Whether a call returns a new connection. */
static bool accepts(unsigned int code)
{
	return code == SC_accept || code == SC_accept4;
}

static unsigned int event_of(unsigned int code, bool generic, const struct scap_live_config *config,
			     const bool rejected[EVENT_ID_MAX])
{
	unsigned int id = event_desc_of_syscall(code)->id;

	if (id == EVENT_syscall || !config->events[id] ||
	    (config->successes[id] && exit_reports_failures(id)))
		id = generic ? EVENT_syscall : EVENT_NONE;
	return rejected[id] ? EVENT_NONE : id;
}

static enum multiplexed_call multiplexed_call(unsigned int number)
{
	return syscall_code_of_compat(number) == SC_ipc ? MULTIPLEXED_IPC : MULTIPLEXED_SOCKETCALL;
}

/* Unknown operations are counted if the multiplexed call as a whole is wanted. */
static unsigned int event_of_operation(unsigned int number, unsigned int operation,
				       const struct scap_live_config *config,
				       const bool rejected[EVENT_ID_MAX])
{
	unsigned int r = syscall_code_of_operation(multiplexed_call(number), operation);

	if (r != SC_unknown) {
		unsigned int event = event_of(r, false, config, rejected);

		return event == EVENT_NONE && accepts(r) && live_owns_sockets(config)
			       ? NOTICED_ACCEPT
			       : event;
	}
	return config->compat_syscalls[number] ? COMPAT_COUNTED : EVENT_NONE;
}

static unsigned int event_of_compat(unsigned int number, const struct scap_live_config *config,
				    const bool rejected[EVENT_ID_MAX])
{
	unsigned int event = event_of(syscall_code_of_compat(number),
				      config->compat_syscalls[number], config, rejected);

	switch (syscall_layout_of_compat(number)) {
	case LAYOUT_ALIKE:
		return event;
	case LAYOUT_MULTIPLEXED:
		for (unsigned int i = 0; i < MULTIPLEXED_OPERATIONS; i++)
			if (event_of_operation(number, i, config, rejected))
				return COMPAT_MULTIPLEXED;
		return EVENT_NONE;
	default:
		return event ? COMPAT_COUNTED : EVENT_NONE;
	}
}

static bool has_calls(const struct call_events calls[SYSCALL_NR_MAX])
{
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++)
		if (calls[number].native || calls[number].compat)
			return true;
	return false;
}

/* Those that accept connections, if it is kept whose sockets are. */
static void add_accepts(const struct scap_live_config *config,
			struct call_events calls[SYSCALL_NR_MAX])
{
	if (!live_owns_sockets(config))
		return;
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		if (!calls[number].native && accepts(syscall_code_of_native(number)))
			calls[number].native = NOTICED_ACCEPT;
		if (!calls[number].compat && accepts(syscall_code_of_compat(number)))
			calls[number].compat = NOTICED_ACCEPT;
	}
}

/* Those that open files, if closes of these have no event. */
static void add_opens(const struct scap_live_config *config,
		      struct call_events calls[SYSCALL_NR_MAX])
{
	if (!config->stream_only[EVENT_close])
		return;
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		unsigned int native = syscall_code_of_native(number);
		unsigned int compat = syscall_code_of_compat(number);

		if (!calls[number].native && event_desc_of_syscall(native)->opens.name)
			calls[number].native = NOTICED_OPEN;
		if (!calls[number].compat && event_desc_of_syscall(compat)->opens.name)
			calls[number].compat = NOTICED_OPEN;
	}
}

/* The one that maps files, if libraries are looked for. */
static void add_mappings(const struct scap_live_config *config,
			 struct call_events calls[SYSCALL_NR_MAX])
{
	if (config->tls_chosen.wanted && !calls[SYS_mmap].native)
		calls[SYS_mmap].native = NOTICED_MAPPING;
}

/* Calls that the programs notice, also without an event: the test call, and new seccomp filters. */
static void add_noticed(struct call_events calls[SYSCALL_NR_MAX])
{
	static const unsigned int numbers[] = {SYS_sched_get_priority_max, SYS_seccomp, SYS_prctl};
	bool any = has_calls(calls);

	for (size_t i = 0; any && i < COUNT(numbers); i++)
		if (!calls[numbers[i]].native)
			calls[numbers[i]].native = NOTICED_ONLY;
}

void live_call_events(const struct scap_live_config *config, const bool rejected[EVENT_ID_MAX],
		      struct call_events calls[SYSCALL_NR_MAX])
{
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		unsigned int r = syscall_code_of_native(number);

		calls[number].native =
			(uint16_t)event_of(r, config->syscalls[number], config, rejected);
		calls[number].compat = (uint16_t)event_of_compat(number, config, rejected);
	}
	add_accepts(config, calls);
	add_opens(config, calls);
	add_mappings(config, calls);
	add_noticed(calls);
}

void live_multiplexed_events(const struct scap_live_config *config,
			     const bool rejected[EVENT_ID_MAX],
			     struct multiplexed_events events[MULTIPLEXED_CALLS])
{
	memset(events, 0, MULTIPLEXED_CALLS * sizeof(*events));
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++)
		for (unsigned int i = 0; i < MULTIPLEXED_OPERATIONS; i++)
			if (syscall_layout_of_compat(number) == LAYOUT_MULTIPLEXED)
				events[multiplexed_call(number)].of_operation[i] =
					(uint16_t)event_of_operation(number, i, config, rejected);
}
